"""The audit with the original at hand: the recipe makes exactly the released rows of it."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

import sfumato as sf
from sfumato.release import manifest_path
from tests.release.audited import (
    CASES,
    SUFFIXES,
    adapt,
    changed,
    make_columns,
    make_numbers,
    read_manifest,
    write_case,
    write_manifest,
    write_microaggregated,
)
from tests.release.test_remeasuring import specify

if TYPE_CHECKING:
    from pathlib import Path

ROWS = "rows of the original"


def audit(path: Path, data: object) -> dict[str, str]:
    """Return check → verdict."""
    found = sf.verify(path, data=data)
    checks = found["checks"]
    assert isinstance(checks, list)
    names = [item["name"] for item in checks]
    assert len(set(names)) == len(names)
    assert found["holds"] == all(item["verdict"] != "broken" for item in checks)
    assert all(item["detail"].endswith(".") for item in checks)
    return {item["name"]: item["verdict"] for item in checks}


class _Written(dict[str, "Path"]):
    """Releases by their kind, each written when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __missing__(self, case: str) -> Path:
        self[case] = write_case(case, self.folder / f"{case}.csv")
        return self[case]


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return _Written(tmp_path_factory.mktemp("released"))


def _copy(path: Path, target: Path) -> Path:
    for one, other in ((path, target), (manifest_path(path), manifest_path(target))):
        other.write_bytes(one.read_bytes())
    return target


@pytest.mark.some(3)
@pytest.mark.parametrize("case", CASES)
def test_every_kind_of_release_fits_its_original(released: dict[str, Path], case: str) -> None:
    path, table = released[case], pa.table(make_columns())
    found = audit(path, table)
    assert "broken" not in found.values(), found
    assert found["rows in"] == found["rows suppressed"] == found[ROWS] == "holds"
    for name in ("hdm", "require hdm") if case == "hdm" else ("k", "require k"):
        assert found[name] == "holds"
    assert sf.verify(path, data=table)["rows"]["in"] == 240  # type: ignore[index,call-overload]


@pytest.mark.some(1)
@pytest.mark.parametrize("case", CASES)
def test_other_data_do_not_fit(released: dict[str, Path], case: str) -> None:
    path, columns = released[case], make_columns()
    table = pa.table(columns)
    assert audit(path, table.slice(0, 239))["rows in"] == "broken"
    assert audit(path, pa.table(make_columns(seed=4)))[ROWS] == "broken"
    # One value of a column that leaves unchanged.
    columns["note"] = ["w", *columns["note"][1:]]
    kept = audit(path, pa.table(columns))
    assert kept["rows in"] == "holds"
    if sf.verify(path)["rows"]["out"] == 240:  # type: ignore[index,call-overload]
        assert kept[ROWS] == "broken"
    assert audit(path, pa.table({"name": ["x"]}))[ROWS] == "broken"


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("case", ["masked", "statistics"])
def test_formats_of_release_and_original_do_not_matter(tmp_path: Path, case: str, suffix: str) -> None:
    path, table = write_case(case, tmp_path / f"r{suffix}"), pa.table(make_columns())
    pa_csv.write_csv(table, tmp_path / "data.csv")
    for data in (tmp_path / "data.csv", table.to_pandas(), table.take(list(range(239, -1, -1)))):
        assert audit(path, data)[ROWS] == "holds"


@pytest.mark.some(2)
@pytest.mark.parametrize("name", ["work", "disease", "note"])
def test_two_swapped_cells_are_noticed(released: dict[str, Path], tmp_path: Path, name: str) -> None:
    """Counts of every column stay, so that only the original tells."""
    path = _copy(released["sets"], tmp_path / "r.csv")
    with path.open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    place, one = header.index(name), lines[0]
    other = next(row for row in lines if all(here != there for here, there in zip(row, one, strict=True)))
    one[place], other[place] = other[place], one[place]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *lines])
    adapt(path)
    assert audit(path, pa.table(make_columns()))[ROWS] == "broken"


@pytest.mark.some(2)
@pytest.mark.parametrize(("case", "name"), [("hdm", "hdm"), ("person", "k"), ("closeness", "t(disease)")])
def test_forged_numbers_are_noticed(released: dict[str, Path], tmp_path: Path, case: str, name: str) -> None:
    path, table = _copy(released[case], tmp_path / "r.csv"), pa.table(make_columns())
    content = read_manifest(path)
    stated = content["measures"]
    assert isinstance(stated, dict)
    tolerance = content.get("tolerance", {})
    assert isinstance(tolerance, dict)
    forged = {**content, "measures": {**stated, name: stated[name] - 0.25 - tolerance.get(name, 0.0)}}
    write_manifest(path, forged, sealed=True)
    assert audit(path, table)[name] == "broken"


def test_forged_shares_are_noticed(released: dict[str, Path], tmp_path: Path) -> None:
    path = _copy(released["closeness"], tmp_path / "r.csv")
    content = read_manifest(path)
    shares = content["reference"]["distributions"]["disease"]["shares"]  # type: ignore[index,call-overload]
    shares[0], shares[1] = shares[0] + 0.1, shares[1] - 0.1
    write_manifest(path, content, sealed=True)
    assert audit(path, pa.table(make_columns()))["distribution of 'disease'"] == "broken"


def test_forged_costs_are_noticed(released: dict[str, Path], tmp_path: Path) -> None:
    path = _copy(released["declared"], tmp_path / "r.csv")
    content = read_manifest(path)
    stated = content["reference"]["attributes"]  # type: ignore[index,call-overload]
    name = next(name for name in stated if stated[name]["loss"]["cells"])
    title = f"costs of {name!r} in the original"
    assert audit(path, pa.table(make_columns()))[title] == "holds"
    for cell in stated[name]["loss"]["cells"]:
        cell[2] += 1
    write_manifest(path, content, sealed=True)
    assert audit(path, pa.table(make_columns()))[title] == "broken"


def test_what_even_the_original_does_not_determine_is_listed(tmp_path: Path) -> None:
    tree = {"G": ["a", "b", "in no row"], "P": ["c", "d", "e"]}
    about = {"role": "quasi-identifier", "scheme": "cuts", "hierarchy": {"tree": tree}}
    spec = sf.Spec.from_dict(
        {
            "attributes": {"work": about, "disease": {"role": "sensitive"}},
            "require": {"k": 60, "ql": 0.0},
            "objectives": {"minimize": ["loss"]},
        }
    )
    table = pa.table(make_columns())
    sf.anonymize(table, spec).write(tmp_path / "r.csv")
    assert audit(tmp_path / "r.csv", table)["ql"] == "cannot be recounted"
    found = sf.verify(tmp_path / "r.csv", spec, table)
    assert {item["name"]: item["verdict"] for item in found["checks"]}["ql"] == "holds"  # type: ignore[attr-defined]


@pytest.mark.some(1)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_microaggregated_release_fits_its_original(tmp_path: Path, suffix: str) -> None:
    path, table = write_microaggregated(tmp_path / f"m{suffix}"), make_numbers()
    found = audit(path, table)
    assert set(found.values()) == {"holds"}
    assert {"il", "id", "dld", "score", ROWS, "other columns", "labels of 'size'"} <= set(found)
    content = read_manifest(path)
    for name in ("il", "id", "id_standardized", "dld", "score"):
        write_manifest(path, changed(content, ("measures", name)), sealed=True)
        assert audit(path, table)[name] == "broken"


def test_rows_in_another_order_and_other_columns_are_noticed(tmp_path: Path) -> None:
    path, table = write_microaggregated(tmp_path / "m.csv"), make_numbers()
    turned = audit(path, table.take(list(range(39, -1, -1))))
    assert turned[ROWS] == "broken"
    assert turned["il"] == "cannot be recounted"
    place = table.column_names.index("note")
    other = table.set_column(place, "note", pa.array([9.0, *table.column("note").to_pylist()[1:]]))
    found = audit(path, other)
    assert (found[ROWS], found["other columns"]) == ("holds", "broken")
    assert audit(path, table.slice(0, 39))[ROWS] == "broken"
    assert audit(path, table.drop_columns(["u"]))[ROWS] == "broken"


def test_a_label_that_is_not_in_the_order_is_noticed(tmp_path: Path) -> None:
    path = write_microaggregated(tmp_path / "m.csv")
    text = path.read_text(encoding="utf-8").replace(",S", ",XXL")
    path.write_text(text, encoding="utf-8")
    adapt(path)
    assert any("not in its order" in line for line in sf.verify(path)["violations"])  # type: ignore[attr-defined]


def test_an_original_that_cannot_be_read_is_one_line(released: dict[str, Path], tmp_path: Path) -> None:
    path = released["sets"]
    with pytest.raises(sf.DataError):
        sf.verify(path, data=tmp_path / "none.csv")


def test_a_specification_says_how_the_original_is_read(released: dict[str, Path], tmp_path: Path) -> None:
    path, table = released["sets"], pa.table(make_columns())
    data = tmp_path / "data.csv"
    pa_csv.write_csv(table, data, pa_csv.WriteOptions(delimiter=";"))
    spec = specify("sets", {"data": {"separator": ";"}})
    assert sf.verify(path, spec, data)["holds"]
