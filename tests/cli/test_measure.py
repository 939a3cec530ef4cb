"""``sfumato measure``: numbers, plain words, and a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sfumato.cli.options import split_names
from sfumato.errors import ParameterError
from sfumato.report.findings import Findings, meaning, verdict
from tests.cli.running import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Give six rows: three classes by city and sex, of three, two and one."""
    text = 'who,"city, state",sex,illness\n'
    text += "1,Ulm,f,flu\n1,Ulm,f,flu\n2,Ulm,f,gout\n3,Bonn,m,flu\n4,Bonn,m,flu\n5,Kiel,m,gout\n"
    path = tmp_path / "six.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_unique_rows_are_counted_in_words(table: Path) -> None:
    out = run("measure", table, "--qi", '"city, state",sex').out
    assert "6 rows in 3 classes by city, state and sex" in out
    assert "the smallest class has 1 row: 1 row is unique" in out
    assert "No: 1 of 6 rows (16.7 %) can be singled out by city, state and sex" in out
    assert "--sensitive" in out


def test_a_learnt_value_is_named(table: Path) -> None:
    out = run("measure", table, "--qi", "sex", "--sensitive", "illness", "--sensitive", '"city, state"').out
    assert "the smallest class has 3 rows" in out
    assert "Not quite: nobody can be narrowed down to fewer than 3 rows by sex" in out
    assert "no two known values of city, state differ" in " ".join(out.split())


def test_json_holds_the_measures_by_name(table: Path) -> None:
    found = run("measure", table, "--qi", "sex", "--sensitive", "illness", "--json").json
    assert found["rows"] == 6
    assert (found["k"], found["distinct_l(illness)"], found["mean_k"]) == (3, 2, 3)
    assert all(value is None or isinstance(value, int | float) for value in found.values())


def test_persons_count_instead_of_rows(table: Path) -> None:
    asked = ["measure", table, "--qi", "sex", "--person", "who"]
    assert run(*asked, "--json").json["k"] == 2
    out = run(*asked).out
    assert "the smallest class has 2 persons" in out
    assert "2-anonymous" in out


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--qi", "sx"], "Did you mean 'sex'?"),
        (["--qi", "sex,"], "--qi: a name is empty"),
        (["--qi", "sex,sex"], "named twice"),
        (["--qi", '"sex'], "double quote"),
        (["--qi", "sex", "--sensitive", "sex"], "both as quasi-identifier and as sensitive"),
        (["--qi", "sex", "--person", "whom"], "Did you mean 'who'?"),
    ],
)
def test_wrong_columns(table: Path, options: list[str], expected: str) -> None:
    found = run("measure", table, *options)
    assert (found.status, found.out) == (2, "")
    assert expected in found.line


def test_names_are_split_as_csv_is() -> None:
    assert split_names(["a, b", '"c,d"', 'say ""x""'], "--qi") == ("a", "b", "c,d", 'say ""x""')
    with pytest.raises(ParameterError):
        split_names([""], "--qi")


@pytest.mark.parametrize(
    ("numbers", "person", "expected"),
    [
        ({"k": 1, "uniques": 2}, None, "No: 2 of 9 rows (22.2 %) can be singled out by age"),
        ({"k": 1, "uniques": 0}, "who", "No: some class holds a single person, singled out by age"),
        ({"k": 4, "distinct_l(x)": 1}, None, "Not quite"),
        (
            {"k": 4, "distinct_l(x)": 2},
            None,
            "It is 4-anonymous: in age every row looks like at least 3 other rows",
        ),
        ({"k": 2, "distinct_l(x)": 2}, "who", "every person looks like at least 1 other person;"),
    ],
)
def test_verdict(numbers: dict[str, float], person: str | None, expected: str) -> None:
    findings = Findings({"rows": 9, "classes": 3, "uniques": 0, **numbers}, ["age"], ["x"], person)
    assert expected in verdict(findings)


def test_every_measure_of_a_table_has_a_meaning(table: Path) -> None:
    found = run("measure", table, "--qi", "sex", "--sensitive", "illness", "--json").json
    numbers = {name: float(str(value)) for name, value in found.items()}
    findings = Findings(numbers, ["sex"], ["illness"])
    for name in numbers.keys() - {"rows", "classes", "uniques"}:
        assert name not in meaning(name, findings)
