"""``sfumato risk``: sections in plain words, one JSON object, and no value of the data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.running import DISEASES, ZIPS, run, write_people

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
    for title in ("Classes", "Finding one person", "Uniques", "Simulated linkage attack", "Combinations"):
        assert title in found.out
    assert "Add --population, --fraction or --weight" in found.out
    assert "Do not share the data in this form." in found.out
    # Column names and counts alone.
    assert not any(value in found.out for value in (*ZIPS, "person-1", "gout"))


def test_without_qi_all_columns_are_taken(people: Path) -> None:
    found = run("risk", people.with_name("people.csv"))
    assert found.status == 0
    assert "all 6 columns are used" in found.out
    assert "name: identifies nearly everyone by itself" in found.out


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


def test_a_specification_names_roles_hierarchies_and_reading(people: Path) -> None:
    data = people.with_name("people.csv")
    known = run("risk", data, "--spec", people, "--json").json
    assert known["quasi_identifiers"] == ["age", "zip", "sex"]
    assert known["sensitive"] == ["disease"]
    shown = " ".join(run("risk", data, "--spec", people).out.split())
    assert "takes an order or a hierarchy in a specification (-)" in shown
    text = people.read_text(encoding="utf-8")
    tree = "hierarchy = { tree = { some = " + json.dumps(list(DISEASES)) + " } }"
    people.write_text(text.replace("[attributes.disease]", f"[attributes.disease]\n{tree}"), encoding="utf-8")
    found = run("risk", data, "--spec", people, "--json").json["before"]
    assert isinstance(found, dict)
    # All diseases are of the one branch.
    disease = found["attributes"][0]
    assert (disease["similarity"], disease["similar_rows"]) == ("hierarchy", 60)
    assert "under one node of the hierarchy" in " ".join(run("risk", data, "--spec", people).out.split())
    assert run("risk", data, "--spec", people, "--qi", "age,zip", "--json").json["sensitive"] == ["disease"]


def test_a_shuffled_table_is_not_that_of_a_microaggregated_release(people: Path, tmp_path: Path) -> None:
    data, out = people.with_name("people.csv"), tmp_path / "micro.csv"
    order = "sex=f,m"
    asked = ["--columns", "age,visit,sex", "--order", order, "--k", "4", "--out", out, "--quiet"]
    assert run("microaggregate", data, *asked).status == 0
    assert run("risk", data, "--qi", "age,sex", "--release", out).status == 0
    assert run("verify", out, "--data", data).status == 0
    header, *lines = data.read_text(encoding="utf-8").splitlines()
    data.write_text("\n".join([header, *reversed(lines)]), encoding="utf-8")
    found = run("risk", data, "--qi", "age,sex", "--release", out)
    assert found.status == 2
    assert "or the order of rows was changed" in found.line
    assert run("verify", out, "--data", data).status == 1


def test_a_release_without_its_columns_is_one_line(people: Path, tmp_path: Path) -> None:
    data, out = people.with_name("people.csv"), tmp_path / "out.csv"
    assert run("anonymize", people, "--out", out, "--quiet").status == 0
    out.write_text("a,b\n1,2\n", encoding="utf-8")
    found = run("risk", data, "--release", out)
    assert found.status == 2
    assert "the release has no column" in found.line


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("a,b\n1,2\n", []),
        ("a\n1\n2\n2\n", ["--fraction", "1"]),
        ("a,b,s\n,,\n,,\n,,x\n", ["--qi", "a,b", "--sensitive", "s", "--fraction", "0.1"]),
        ("a,b,s\n,,\n,,\n,,x\n", ["--qi", "s", "--sensitive", "a,b"]),
        ("a,b,s\n1,1,1\n1,1,1\n", ["--qi", "a,b", "--sensitive", "s", "--fraction", "0.5"]),
        (
            '"na""me","stadt, ö","s t",p\n1,x,u,1\n2,y,v,1\n',
            ["--qi", '"na""me","stadt, ö"', "--sensitive", "s t", "--person", "p"],
        ),
    ],
    ids=["one row", "one column", "nearly all missing", "missing secrets", "constant", "odd names"],
)
def test_odd_tables_are_judged(tmp_path: Path, content: str, options: list[str]) -> None:
    data = tmp_path / "data.csv"
    data.write_text(content, encoding="utf-8")
    found = run("risk", data, *options)
    assert (found.status, found.err) == (0, "")
    assert "nan" not in found.out.split()
    assert run("risk", data, *options, "--json").json["before"]


@pytest.mark.some(6)
@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--qi", "agee"], "no column 'agee'"),
        (["--qi", "age", "--fraction", "0"], "above 0"),
        (["--qi", "age", "--fraction", "0.5", "--population", "people.csv"], "not both"),
        (["--qi", "age", "--threshold", "2"], "below 1"),
        (["--qi", "age", "--release", "none.csv"], "no such release"),
        (["--qi", "age", "--release", "people.csv"], "no people.csv.json next to it"),
        (["--qi", "age", "--separator", "ab"], "--separator"),
        (["--qi", "age", "--sensitive", "age"], "both"),
        (["--sensitive", "diseas"], "Did you mean 'disease'?"),
        (["--person", "nam"], "Did you mean 'name'?"),
        (["--qi", "age", "--fraction", "1.5"], "at most 1"),
        (["--qi", "age,zip", "--population", "pop.csv"], "the population has no column 'age'"),
        (["--spec", "none.toml"], "no such file"),
        (["--spec", "people.toml", "--encoding", "latin-1"], "cannot be combined with --spec"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(
    people: Path, options: list[str], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(people.parent)
    people.with_name("pop.csv").write_text("town\n1\n", encoding="utf-8")
    found = run("risk", "people.csv", *options)
    assert found.status == 2
    assert line in found.line
    assert run("risk", "people.csv", *options, "--json").json.keys() == {"error"}


def test_downcoding_is_tried_with_a_specification(people: Path, tmp_path: Path) -> None:
    """On the release, the best one and near-optimal ones; nothing without a specification."""
    data, out = people.with_name("people.csv"), tmp_path / "out.csv"
    text = people.read_text(encoding="utf-8") + '\n[release]\nchoice = "near-optimal"\ntolerance = 0.2\n'
    drawn = people.with_name("drawn.toml")
    drawn.write_text(text, encoding="utf-8")
    made = run("anonymize", drawn, "--out", out)
    assert made.status == 0
    assert "near-optimal: drawn at random from" in made.out
    assert "proven" not in made.out
    asked = ["risk", data, "--release", out, "--spec", drawn]
    found = run(*asked, "--json").json["downcoding"]
    assert isinstance(found, list)
    assert [item["attacked"] for item in found] == ["release", "optimum", "near-optimal"]
    for item in found:
        shares = {attacker["attacker"]: attacker for attacker in item["attackers"]}
        assert list(shares) == ["logic", "uniform", "distribution", "minimality"]
        assert shares["logic"]["narrowed"] == shares["logic"]["correct"]
        assert all(0 <= one["correct"] <= one["narrowed"] <= 1 for one in shares.values())
    assert found[2]["refused"] <= found[1]["refused"]
    page = run(*asked).out
    assert "Undoing the generalization (downcoding)" in page
    assert "infeasible: release" in page
    assert not any(value in page for value in ZIPS)
    without = run("risk", data, "--qi", "age,zip,sex", "--release", out)
    assert "(downcoding)" not in without.out
