"""``sfumato risk``: sections in plain words, one JSON object, and no value of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.running import ZIPS, run, write_people

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def people(tmp_path: Path) -> Path:
    return write_people(tmp_path)


def test_a_table_is_judged_without_a_release(people: Path) -> None:
    data = people.with_name("people.csv")
    found = run("risk", data, "--qi", "age,zip,sex", "--sensitive", "disease,visit")
    assert found.status == 0
    assert found.err == ""
    for title in ("Classes", "Finding one person", "Uniques", "Linkage, tried", "Combinations"):
        assert title in found.out
    assert "Name --population or --fraction" in found.out
    assert "Do not share them so." in found.out
    # Column names and counts alone.
    assert not any(value in found.out for value in (*ZIPS, "person-1", "gout"))


def test_without_qi_all_columns_are_taken(people: Path) -> None:
    found = run("risk", people.with_name("people.csv"))
    assert found.status == 0
    assert "all 6 columns are taken" in found.out
    assert "name: alone enough to name nearly everyone" in found.out


def test_a_release_is_attacked_beside_the_data(people: Path, tmp_path: Path) -> None:
    data, out = people.with_name("people.csv"), tmp_path / "out.csv"
    assert run("anonymize", people, "--out", out, "--quiet").status == 0
    asked = ["risk", data, "--qi", "age,zip,sex", "--sensitive", "disease", "--release", out]
    found = run(*asked, "--fraction", "0.2", "--json").json
    assert found["release_kind"] == "generalized"
    before, after = found["before"], found["after"]
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert after["sizes"]["smallest"] >= 3
    assert after["prosecutor"]["highest"] <= 1 / 3 + 1e-9
    assert [item["estimator"] for item in before["uniques"]["estimates"]] == ["pitman", "zayatz", "snb"]
    assert found["linkage_after"][0]["expected"] < found["linkage_before"][0]["expected"]  # type: ignore[index]
    text = run(*asked, "--fraction", "0.2").out
    assert "journalist: highest chance" in text
    assert "Nobody there is found with a chance above" in text
    assert run(*asked, "--json", "--seed", "1").json == run(*asked, "--json").json
    assert run(*asked, "--json", "--seed", "2").json != run(*asked, "--json").json


def test_a_microaggregated_release_is_attacked(people: Path, tmp_path: Path) -> None:
    data, out = people.with_name("people.csv"), tmp_path / "micro.csv"
    assert (
        run("microaggregate", data, "--columns", "age,visit", "--k", "4", "--out", out, "--quiet").status == 0
    )
    found = run("risk", data, "--qi", "age,visit", "--release", out)
    assert found.status == 0
    assert "release   all 2" in found.out


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--qi", "agee"], "no column 'agee'"),
        (["--qi", "age", "--fraction", "0"], "above 0"),
        (["--qi", "age", "--fraction", "0.5", "--population", "people.csv"], "not both"),
        (["--qi", "age", "--threshold", "2"], "below 1"),
        (["--qi", "age", "--release", "none.csv"], "no such release"),
        (["--qi", "age", "--release", "people.csv"], "no people.csv.json beside it"),
        (["--qi", "age", "--separator", "ab"], "--separator"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(
    people: Path, options: list[str], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(people.parent)
    found = run("risk", "people.csv", *options)
    assert found.status == 2
    assert line in found.line
    assert run("risk", "people.csv", *options, "--json").json.keys() == {"error"}
