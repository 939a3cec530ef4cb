"""Choosing a point of a front on the command line and in Python."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

import sfumato
from tests.cli.running import change, declare, run, write_people

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a specification, a front and a release."""
    folder = tmp_path_factory.mktemp("compare")
    spec = declare(write_people(folder))
    change(
        spec, 'hierarchy = { file = "zip.csv" }', 'hierarchy = { file = "zip.csv" }\nscheme = "guided-sets"'
    )
    assert run("explore", spec, "--out", folder / "front").status == 0
    assert run("anonymize", spec, "--out", folder / "out.csv").status == 0
    return folder


@pytest.fixture
def command(folder: Path) -> list[object]:
    return ["compare", folder / "people.toml", "--front", folder / "front"]


def attached(folder: Path) -> sfumato.Front:
    spec = sfumato.Spec.load(folder / "people.toml")
    return sfumato.Front.load(folder / "front").attach(None, spec)


def test_explore_prints_and_states_suggestions(folder: Path) -> None:
    found = run("explore", folder / "people.toml", "--out", folder / "front2", "--json").json
    front = sfumato.Front.load(folder / "front2")
    assert found["suggestions"] == [
        {"solution": item.solution.number, "name": item.name, "why": item.why} for item in front.suggestions()
    ]
    assert [item["text"] for item in found["flat_regions"]] == [str(item) for item in front.flat_regions()]  # type: ignore[attr-defined]
    out = " ".join(run("explore", folder / "people.toml", "--out", folder / "front3").out.split())
    assert "worth a look" in out
    for item in front.suggestions():
        assert " ".join(item.why.split()) in out


def test_two_solutions_stand_side_by_side(folder: Path, command: list[object]) -> None:
    found = run(*command, "1", "knee")
    knee = sfumato.Front.load(folder / "front").knee().number
    assert (found.status, found.err) == (0, "")
    assert re.search(rf"measure +solution 1 +solution {knee} +better", found.out)
    assert "rows in classes of" in found.out
    as_json = run(*command, "1", "knee", "--json").json
    compared = attached(folder).compare(1, "knee")
    assert as_json["solutions"] == [1, knee]
    assert as_json["sentence"] == compared.sentence
    assert as_json["measures"].keys() == compared.to_dict()["measures"].keys()  # type: ignore[attr-defined]


def test_class_sizes_are_those_of_the_release(folder: Path) -> None:
    """Count the rows of each released class by hand."""
    import pandas as pd

    front = attached(folder)
    for number in (1, len(front)):
        solution = front.pick(number)
        sizes = solution.class_sizes()
        path = folder / f"r{number}.csv"
        solution.release().write(path, force=True)
        counted = pd.read_csv(path, dtype=str).groupby(["age", "zip", "sex"], dropna=False).size()
        assert dict(zip(sizes.sizes, sizes.classes, strict=True)) == counted.value_counts().to_dict()
        assert (min(sizes.sizes), sizes.suppressed) == (solution.value("k"), solution.suppressed)


def test_values_are_shown_only_where_they_may_be(command: list[object]) -> None:
    one, other = run(*command, "1", "2").out, run(*command, "1", "2", "--no-values").out
    assert "blocks:" in one or "block:" in one
    assert "blocks:" not in other
    assert re.search(r"zip +\d blocks?", other)


def test_a_page_is_written(folder: Path, command: list[object]) -> None:
    out = folder / "pair.html"
    assert run(*command, "1", "2", "--out", out).status == 0
    assert "<h1>Solution 1 next to solution 2</h1>" in out.read_text(encoding="utf-8")
    again = run(*command, "1", "2", "--out", out)
    assert (again.status, "exists" in again.line) == (2, True)


def test_nothing_of_a_complete_front_is_better(command: list[object]) -> None:
    found = run(*command, "knee")
    assert found.status == 0
    assert "No: the front is complete" in found.out
    assert found.out.count(", at most 10 % worse in any other objective?") == 3
    as_json = run(*command, "knee", "--json").json
    assert as_json["better"] == []
    assert [item["better"] for item in as_json["trades"]] == ["k", "distinct_l(disease)", "loss"]  # type: ignore[attr-defined]


def test_a_trade_is_answered(folder: Path, command: list[object]) -> None:
    front = sfumato.Front.load(folder / "front")
    last = len(front)
    question = ["--better", "k", "--worse", "loss", "--at-most", "0.5"]
    (trade,) = run(*command, str(last), *question, "--json").json["trades"]  # type: ignore[misc]
    wanted = [item.number for item in front.trade(last, "k", "loss", at_most=0.5)]
    assert [item["solution"] for item in trade["solutions"]] == wanted
    shown = run(*command, str(last), *question).out
    assert "Better in k, at most 0.5 worse in loss?" in shown
    assert all(re.search(rf"^ +{number} ", shown, re.MULTILINE) for number in wanted[:3])


def test_a_release_is_held_against_the_front(folder: Path, command: list[object]) -> None:
    found = run(*command, "--release", folder / "out.csv", "--json")
    assert found.status == 0, found.out
    release = sfumato.anonymize(None, sfumato.Spec.load(folder / "people.toml"))
    better = sfumato.Front.load(folder / "front").better_than(release)
    assert [item["solution"] for item in found.json["better"]] == [item.number for item in better]  # type: ignore[attr-defined]


def test_a_release_that_does_not_state_an_objective_says_why(folder: Path, command: list[object]) -> None:
    path = folder / "withheld.csv"
    path.write_bytes((folder / "out.csv").read_bytes())
    stated = json.loads((folder / "out.csv.json").read_text(encoding="utf-8"))
    del stated["measures"]["loss"]
    text = json.dumps({**stated, "withheld": {"loss": "it depends on the data."}})
    (folder / "withheld.csv.json").write_text(text, encoding="utf-8")
    found = run(*command, "--release", path)
    assert found.status == 2
    assert "'loss' is not published: it depends on the data." in found.line


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ([], 2, "name one or two solutions"),
        (["1", "2", "3"], 2, "name one or two solutions"),
        (["1", "--release", "x.csv"], 2, "name one or two solutions"),
        (["1", "2", "--better", "k"], 2, "leave out the second one"),
        (["1", "--out", "x.html"], 2, "name the second one"),
        (["1", "--better", "kk"], 2, "Did you mean 'k'"),
        (["1", "--at-most", "much"], 2, "at_most must be"),
        (["1", "999"], 2, "no solution 999"),
        (["k >= 1000", "1"], 1, "the nearest is"),
    ],
)
def test_wrong_use_is_told(command: list[object], words: list[str], status: int, message: str) -> None:
    found = run(*command, *words)
    assert found.status == status
    assert message in found.line


def test_quiet_prints_nothing(command: list[object]) -> None:
    for words in (["1", "2"], ["1"]):
        found = run(*command, *words, "--quiet")
        assert (found.status, found.out, found.err) == (0, "", "")


def test_a_front_from_files_has_no_class_sizes(folder: Path) -> None:
    front = sfumato.Front.load(folder / "front")
    assert front.compare(1, 2).sizes is None
    assert front.class_sizes() is None
    with pytest.raises(sfumato.DataError, match="attach"):
        front[0].class_sizes()
    assert str(front.compare(front[0], 2)).startswith("Solution")
