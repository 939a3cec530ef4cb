"""Schemes other than levels on the command line."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.running import change, run

if TYPE_CHECKING:
    from pathlib import Path

AGE = "hierarchy = { intervals = [10, 20, 40], origin = 0 }"
ZIP = 'hierarchy = { file = "zip.csv" }'


@pytest.fixture
def mixed(spec: Path) -> Path:
    """Give a specification with three schemes, each over a few values."""
    change(spec, AGE, 'granularity = 10\nscheme = "OPS"')
    return change(spec, ZIP, f'{ZIP}\nscheme = "guided-sets"')


def test_check_counts_each_scheme(mixed: Path) -> None:
    found = run("check", mixed, "--json").json
    about = {item["name"]: item for item in found["attributes"]}  # type: ignore[attr-defined]
    assert [about[name]["scheme"] for name in ("age", "zip", "sex")] == ["ordered", "guided-sets", "levels"]
    # Four decades in order; three groups of zip codes, one of them of two.
    assert [about[name]["space"] for name in ("age", "zip", "sex")] == ["8", "7", "2"]
    assert found["space"] == "112"
    assert found["exact"]
    shown = run("check", mixed).out
    assert "partitions" in shown
    assert "guided-sets" in shown


def test_explore_then_release_then_verify(mixed: Path, tmp_path: Path) -> None:
    found = run("explore", mixed, "--out", tmp_path / "front", "--json").json
    assert found["run"]["complete"]  # type: ignore[index]
    with (tmp_path / "front" / "front.csv").open(encoding="utf-8", newline="") as file:
        recodings = [json.loads(row["recoding"]) for row in csv.DictReader(file)]
    assert all(isinstance(item["age"][0], list) and isinstance(item["sex"], int) for item in recodings)
    made = run(
        "release", mixed, "--front", tmp_path / "front", "--pick", "1", "--out", tmp_path / "o.csv", "--json"
    )
    assert made.status == 0, made.err
    assert made.json["recoding"] == recodings[0]
    assert run("verify", tmp_path / "o.csv").status == 0


def test_a_broken_front_says_which_solution(mixed: Path, tmp_path: Path) -> None:
    run("explore", mixed, "--out", tmp_path / "front", "--quiet")
    change(tmp_path / "front" / "front.csv", '""age"": [[20,', '""age"": [[25,')
    failed = run("release", mixed, "--front", tmp_path / "front", "--pick", "1", "--out", tmp_path / "o.csv")
    assert failed.status == 2
    assert "solution 1 of the front: the recoding of 'age' does not fit the specification" in failed.line


def test_anonymize_proves_its_optimum_and_keeps_a_checkpoint(mixed: Path, tmp_path: Path) -> None:
    # A generous limit: the first search of a machine compiles.
    more = ("--checkpoint", tmp_path / "c", "--time-limit", "600", "--json")
    made = run("anonymize", mixed, "--out", tmp_path / "a.csv", *more)
    assert made.status == 0, made.err
    about = made.json["run"]
    assert isinstance(about, dict)
    assert (about["method"], about["status"], about["gap"]) == ("optimal", "optimal", 0)
    assert about["certificate"]["bound"] == about["bound"]
    change(mixed, "[objectives]", '[search]\nmethod = "exhaustive"\n[objectives]')
    other = run("anonymize", mixed, "--out", tmp_path / "b.csv", "--json").json
    assert other["measures"]["loss"] == pytest.approx(made.json["measures"]["loss"])  # type: ignore[index]
    again = run("anonymize", mixed, "--out", tmp_path / "b.csv", "--force", "--checkpoint", tmp_path / "d")
    assert again.status == 0
    assert (tmp_path / "d").exists()


def test_blocks_are_shown_unless_values_are_not_wanted(mixed: Path, tmp_path: Path) -> None:
    change(mixed, "k = 3", 'k = 6\n[search]\nmethod = "exhaustive"')
    shown = run("anonymize", mixed, "--out", tmp_path / "o.csv").out
    hidden = run("anonymize", mixed, "--out", tmp_path / "o.csv", "--force", "--no-values").out
    assert "level or blocks" in shown
    assert " | " in shown
    assert "block" in hidden
    assert " | " not in hidden


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ('scheme = "cuts"', "people.toml:18: [attributes.sex] scheme", "follows the tree of a hierarchy"),
        ('scheme = "admissible"', "people.toml:18: [attributes.sex] scheme", "needs a list"),
        (
            'scheme = "admissible"\npartitions = [[["f"]]]',
            "people.toml:19: [attributes.sex] partitions, entry 1",
            "1 of the 2 values",
        ),
        (
            'scheme = "admissible"\npartitions = [[["f"], ["m", "x"]]]',
            "people.toml:19: [attributes.sex] partitions, entry 1, entry 2, entry 2",
            "not among the 2",
        ),
        (
            'scheme = "admissible"\npartitions = [[["f", "m"], ["m"]]]',
            "people.toml:19: [attributes.sex] partitions, entry 1, entry 2, entry 1",
            "occurs twice",
        ),
        (
            'scheme = "admissible"\npartitions = [7]',
            "people.toml:19: [attributes.sex] partitions, entry 1",
            "no level 7",
        ),
    ],
)
def test_wrong_schemes_name_the_line(spec: Path, line: str, place: str, message: str) -> None:
    text = '[attributes.sex]\nrole = "quasi-identifier"\n'
    change(spec, text, f"{text}{line}\n")
    failed = run("check", spec, "--no-values")
    assert failed.status == 2
    assert place in failed.line
    assert message in failed.line
