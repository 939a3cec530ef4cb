"""Files with other columns or rows than promised, and specifications beside a manifest."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.release import manifest_path
from tests.release.audited import (
    adapt,
    make_columns,
    make_numbers,
    write_case,
    write_microaggregated,
)
from tests.release.test_remeasuring import specify

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Lines = list[list[str]]


def rewrite(path: Path, change: Callable[[Lines], Lines]) -> None:
    """Change the lines of a file, the header first, and make its manifest fit."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = change([*csv.reader(file)])
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    adapt(path)


def without(name: str) -> Callable[[Lines], Lines]:
    def change(lines: Lines) -> Lines:
        place = lines[0].index(name)
        return [[*line[:place], *line[place + 1 :]] for line in lines]

    return change


@pytest.mark.parametrize("name", ["note", "disease", "work"])
@pytest.mark.parametrize("with_data", [False, True])
def test_a_column_that_is_missing_is_named(tmp_path: Path, name: str, with_data: bool) -> None:
    path = write_case("sets", tmp_path / "r.csv")
    rewrite(path, without(name))
    found = sf.verify(path, data=pa.table(make_columns()) if with_data else None)
    assert not found["holds"]
    assert any(f"the column {name!r}" in text for text in found["violations"])  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["note", "u"])
@pytest.mark.parametrize("with_data", [False, True])
def test_a_column_that_is_missing_in_a_microaggregated_file_is_named(
    tmp_path: Path, name: str, with_data: bool
) -> None:
    path = write_microaggregated(tmp_path / "m.csv")
    rewrite(path, without(name))
    found = sf.verify(path, data=make_numbers() if with_data else None)
    assert not found["holds"]
    assert any(f"{name!r}" in text for text in found["violations"])  # type: ignore[attr-defined]


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", ["sets", "microaggregated"])
def test_one_more_column_no_rows_and_columns_twice(tmp_path: Path, kind: str) -> None:
    write = (lambda path: write_case("sets", path)) if kind == "sets" else write_microaggregated
    data = pa.table(make_columns()) if kind == "sets" else make_numbers()
    path = write(tmp_path / "more.csv")
    rewrite(path, lambda lines: [[*line, "name" if place == 0 else "x"] for place, line in enumerate(lines)])
    for original in (None, data):
        violations = sf.verify(path, data=original)["violations"]
        assert "the column 'name' is in the file but should not be." in violations  # type: ignore[operator]
    path = write(tmp_path / "none.csv")
    rewrite(path, lambda lines: lines[:1])
    for original in (None, data):
        found = sf.verify(path, data=original)
        assert any("no row" in text for text in found["violations"])  # type: ignore[attr-defined]
    path = write(tmp_path / "twice.csv")
    rewrite(path, lambda lines: [[*line, line[-1]] for line in lines])
    for original in (None, data):
        with pytest.raises(sf.DataError, match="two columns have the same name"):
            sf.verify(path, data=original)


@pytest.mark.parametrize("kind", ["sets", "microaggregated"])
def test_columns_in_another_order_say_the_same(tmp_path: Path, kind: str) -> None:
    is_sets = kind == "sets"
    path = write_case("sets", tmp_path / "r.csv") if is_sets else write_microaggregated(tmp_path / "r.csv")
    rewrite(path, lambda lines: [line[::-1] for line in lines])
    data = pa.table(make_columns()) if is_sets else make_numbers()
    assert sf.verify(path, data=data)["holds"]


def test_a_specification_beside_a_manifest_is_checked_too(tmp_path: Path) -> None:
    path, table = write_case("levels", tmp_path / "r.csv"), pa.table(make_columns())
    fits = specify("levels", {})
    for data in (None, table):
        found = sf.verify(path, fits, data)
        assert found["holds"], found["violations"]
        names = [item["name"] for item in found["checks"]]  # type: ignore[attr-defined]
        assert {"seal", "require k", "specification: columns", "specification: require k"} <= set(names)
        assert len(set(names)) == len(names)
    strict = specify("levels", {"require": {"k": 200}})
    for data in (None, table):
        found = sf.verify(path, strict, data)
        assert not found["holds"]
        assert found["violations"] == [  # type: ignore[comparison-overlap]
            text
            for text in found["violations"]
            if text.startswith("by the specification, k: at least 200")  # type: ignore[attr-defined]
        ]
    # The manifest is still checked.
    content = path.read_bytes()
    path.write_bytes(content + content.splitlines(keepends=True)[-1])
    assert any("sha256" in text for text in sf.verify(path, fits)["violations"])  # type: ignore[attr-defined]


def test_roles_of_a_specification_are_checked_too(tmp_path: Path) -> None:
    """To the manifest the note is a column like any other; to the specification it can identify people."""
    path = write_case("sets", tmp_path / "r.csv")
    wider = specify("sets", {}).to_dict()
    wider["attributes"]["note"]["role"] = "quasi-identifier"  # type: ignore[index,call-overload]
    found = sf.verify(path, sf.Spec.from_dict(wider))
    assert not found["holds"]
    broken = [item["name"] for item in found["checks"] if item["verdict"] == "broken"]  # type: ignore[attr-defined]
    assert broken == ["specification: require k"]
    del wider["attributes"]["note"]  # type: ignore[index,attr-defined,union-attr]
    found = sf.verify(path, sf.Spec.from_dict(wider))
    assert any("the column 'note' is in the file" in text for text in found["violations"])  # type: ignore[attr-defined]
    manifest_path(path).unlink()
    assert not sf.verify(path, sf.Spec.from_dict(wider))["holds"]


@pytest.mark.slow
@pytest.mark.parametrize("require", [{"k": 6, "loss": 1}, {"k": 6, "hdm": 400}, {"k": 6, "t(disease)": 0.6}])
def test_what_a_specification_requires_is_judged_by_all_that_is_known(
    tmp_path: Path, require: dict[str, float]
) -> None:
    spec = specify("levels", {"require": require})
    path = tmp_path / "r.csv"
    table = pa.table(make_columns())
    sf.anonymize(table, spec).write(path)
    for data in (None, table):
        assert sf.verify(path, spec, data)["holds"]
    name = list(require)[1]
    strict = specify("levels", {"require": {"k": 6, name: 0.0001}})
    for data in (None, table):
        assert not sf.verify(path, strict, data)["holds"]


def test_a_specification_of_other_columns_is_one_broken_check(tmp_path: Path) -> None:
    path = write_case("guided-sets", tmp_path / "r.csv")
    found = sf.verify(path, specify("levels", {}))
    broken = [item["name"] for item in found["checks"] if item["verdict"] == "broken"]  # type: ignore[attr-defined]
    assert broken == ["specification: file"]
