"""``--after``, ``--ledger`` and ``--key``: what is granted, and what is said if it is not."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest

from tests.cli.running import Run, listing, run

if TYPE_CHECKING:
    from pathlib import Path

SPECIFICATION = """
[data]
path = "{data}"
person = "pid"
key = "people.key"

[attributes.age]
role = "quasi-identifier"
hierarchy = {{ intervals = [10, 20], bottom = 20, top = 60 }}

[attributes.sex]
role = "quasi-identifier"

[attributes.ill]
role = "sensitive"

[suppression]
limit = {limit}

[require]
k = 3

[objectives]
maximize = ["k"]
minimize = ["loss"]
"""


def write_year(folder: Path, name: str, people: range, limit: float, moved: int = 0) -> str:
    """Write a table of people, of whom some have grown older, and its specification."""
    lines = ["pid,age,sex,ill"]
    for number in people:
        age = 20 + number % 40 + (10 if number < moved else 0)
        lines.append(
            f"id-{number},{min(age, 59)},{'mf'[number % 2]},{('flu', 'cold', 'gout')[number // 2 % 3]}"
        )
    (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    (folder / f"{name}.toml").write_text(SPECIFICATION.format(data=f"{name}.csv", limit=limit))
    return str(folder / f"{name}.toml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    first = write_year(tmp_path, "first", range(80), 0.0)
    done = run("anonymize", first, "--ledger", str(tmp_path / "l.json"), "--out", str(tmp_path / "a.csv"))
    assert done.status == 0, done.err
    return tmp_path


def test_a_release_after_another_is_granted_and_says_so(folder: Path) -> None:
    second = write_year(folder, "second", range(80), 0.0)
    asked = ["--after", str(folder / "a.csv"), "--ledger", str(folder / "l.json")]
    done = run("anonymize", second, *asked, "--out", str(folder / "b.csv"), "--json")
    assert done.status == 0, done.err
    assert json.loads(done.out)["linking"]["earlier_releases"] == 1
    assert len(json.loads((folder / "l.json").read_text())["releases"]) == 2
    assert (
        stat.S_IMODE((folder / "b.csv").stat().st_mode) & 0o044
        == stat.S_IMODE((folder / "second.csv").stat().st_mode) & 0o044
    )


def test_a_refusal_names_the_nearest_recoding_that_holds(folder: Path) -> None:
    second = write_year(folder, "second", range(80), 0.05, moved=2)
    before = listing(folder)
    asked = ["--after", str(folder / "a.csv"), "--ledger", str(folder / "l.json")]
    done = run("anonymize", second, *asked, "--out", str(folder / "b.csv"))
    assert done.status == 1
    assert "2 persons have fewer than 3 candidates" in done.err
    assert "The nearest that holds is the recoding at levels" in done.err
    assert listing(folder) == before


def test_release_names_the_best_solution_of_the_front_that_holds(folder: Path) -> None:
    second = write_year(folder, "second", range(80), 0.05, moved=2)
    assert run("explore", second, "--out", str(folder / "front")).status == 0
    asked = [
        "--after",
        str(folder / "a.csv"),
        "--ledger",
        str(folder / "l.json"),
        "--out",
        str(folder / "b.csv"),
    ]
    done = run("release", second, "--front", str(folder / "front"), "--pick", "k >= 3", *asked)
    assert done.status == 1
    number = done.err.split("The nearest that holds is solution ")[1].split()[0]
    done = run("release", second, "--front", str(folder / "front"), "--pick", number, *asked)
    assert done.status == 0, done.err
    assert (folder / "b.csv").exists()


def test_the_earlier_data_do_in_place_of_a_ledger(folder: Path) -> None:
    second = write_year(folder, "second", range(80), 0.0)
    data = ["--after", str(folder / "a.csv"), "--after-data", str(folder / "first.csv")]
    done = run("anonymize", second, *data, "--key", str(folder / "other.key"), "--out", str(folder / "b.csv"))
    assert done.status == 0, done.err
    done = run("anonymize", second, "--after", str(folder / "a.csv"), "--out", str(folder / "c.csv"))
    assert done.status == 2
    assert "pass its ledger, or its original data" in done.err


def test_neither_ledger_nor_key_is_ever_replaced_by_a_release(folder: Path) -> None:
    for name in ("l.json", "people.key", "a.csv"):
        second = write_year(folder, "second", range(80), 0.0)
        asked = ["--after", str(folder / "a.csv"), "--ledger", str(folder / "l.json")]
        done = run("anonymize", second, *asked, "--out", str(folder / name), "--force")
        assert done.status == 2, name


def apply_again(folder: Path, *more: str) -> Run:
    series = ["--after", str(folder / "a.csv"), "--ledger", str(folder / "l.json")]
    words = ["apply", str(folder / "a.csv.json"), str(folder / "second.csv"), "--out", str(folder / "b.csv")]
    return run(*words, *series, *more)


def test_a_recipe_is_applied_in_a_series(folder: Path) -> None:
    write_year(folder, "second", range(80), 0.0)
    key = ("--key", str(folder / "people.key"))
    before = listing(folder)
    assert apply_again(folder).status == 2  # a recipe does not name the key of a ledger
    wrong = apply_again(folder, "--key", str(folder / "wrong.key"))
    assert wrong.status == 2
    assert listing(folder) == before
    done = apply_again(folder, *key, "--json")
    assert done.status == 0, done.err
    assert json.loads(done.out)["linking"]["earlier_releases"] == 1
    assert len(json.loads((folder / "l.json").read_text())["releases"]) == 2
    for name in ("l.json", "people.key", "a.csv"):
        words = ["apply", str(folder / "a.csv.json"), str(folder / "second.csv"), "--force"]
        asked = ["--after", str(folder / "a.csv"), "--ledger", str(folder / "l.json"), *key]
        assert run(*words, *asked, "--out", str(folder / name)).status == 2, name


def test_a_recipe_that_cannot_follow_is_refused(folder: Path) -> None:
    write_year(folder, "second", range(80), 0.0, moved=2)
    before = listing(folder)
    done = apply_again(folder, "--key", str(folder / "people.key"))
    assert done.status == 1
    assert "fewer than 3 candidates" in done.err
    assert listing(folder) == before
