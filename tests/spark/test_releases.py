"""A Spark frame in, a Spark frame out: the same rows as every other engine."""

from __future__ import annotations

import csv
import datetime as dt
import decimal
import functools
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import sfumato as sf
from sfumato.errors import DataError, OutputError
from sfumato.verifier import SparkRows
from tests.databases import cases
from tests.table import backends


def spec_of(scheme: str, folder: Path) -> sf.Spec:
    """The specification of a scheme, without sentences about a row by its number: Spark has none."""
    tables = cases.spec(scheme, folder).to_dict()
    said = [item for item in tables.get("confidential", []) if "record" not in item]
    return sf.Spec.from_dict({**tables, "confidential": said}, folder)


@functools.cache
def expected(scheme: str) -> tuple[str, list[tuple[str | None, ...]], dict[str, float], dict[str, float]]:
    """The release of the rows as PyArrow holds them: its CSV file, its rows, its measures."""
    with tempfile.TemporaryDirectory() as folder:
        release = sf.anonymize(cases.arrow(scheme), spec_of(scheme, Path(folder)))
        path = Path(folder) / "released.csv"
        stated = release.write(path)
        return path.read_text(), backends.rows_of(release.frame), release.verify(), dict(stated.measures)


def by_text(row: tuple[str | None, ...]) -> list[str]:
    return [cell or "" for cell in row]


def read_parts(folder: Path) -> str:
    """The parts of a folder of CSV files, one after another, with one header."""
    texts = [part.read_text() for part in sorted(folder.iterdir())]
    header = texts[0].split("\n", 1)[0] + "\n"
    assert all(text.startswith(header) for text in texts)
    return header + "".join(text.removeprefix(header) for text in texts)


# What a scheme does to values is decided before Spark joins them: most are left to thorough runs.
SHORT = ("levels", "local")
SCHEMES = [
    pytest.param(scheme, marks=() if scheme in SHORT else pytest.mark.slow) for scheme in cases.SCHEMES
]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_spark_makes_the_rows_of_every_other_engine(spark, scheme, tmp_path, pytestconfig):
    frame = spark.createDataFrame(cases.arrow(scheme)).repartition(3)
    release = sf.anonymize(frame, spec_of(scheme, tmp_path))
    text, rows, measures, stated = expected(scheme)
    assert sorted(backends.rows_of(release.frame), key=by_text) == sorted(rows, key=by_text)
    if scheme == "local" or pytestconfig.getoption("thorough"):
        assert release.verify() == pytest.approx(measures)
    assert release.write(tmp_path / "released.csv").measures == pytest.approx(stated)
    assert read_parts(tmp_path / "released.csv") == text


def test_a_recipe_is_applied_on_spark(spark, tmp_path):
    text, *_ = expected("local")
    frame = spark.createDataFrame(cases.arrow("local"))
    release = sf.anonymize(cases.arrow("local"), spec_of("local", tmp_path))
    release.write_assignment(tmp_path / "private.json")
    again = release.recipe.apply(frame, assignment=tmp_path / "private.json")
    again.write(tmp_path / "again.csv")
    assert read_parts(tmp_path / "again.csv") == text


def test_a_folder_is_verified_with_spark_and_without(spark, tmp_path, monkeypatch):
    frame = spark.createDataFrame(cases.arrow("levels"))
    release, path = sf.anonymize(frame, spec_of("levels", tmp_path)), tmp_path / "released.parquet"
    release.write(path)
    with pytest.raises(OutputError, match="exists already"):
        release.write(path)
    release.write(path, force=True)
    assert {file.name for file in tmp_path.glob("released*")} == {path.name, f"{path.name}.json"}
    first, second = sorted(path.iterdir())
    other = first.with_name("other")
    swap = ((first, other), (second, first), (other, second))
    alone = pa.concat_tables(pyarrow.parquet.read_table(part) for part in (first, second))
    assert backends.rows_of(alone) == [
        tuple(cell or None for cell in row) for row in csv.reader(expected("levels")[0].splitlines()[1:])
    ]
    for is_there in (True, False):
        if not is_there:
            monkeypatch.setattr(SparkRows, "read", lambda *_: None)
        assert sf.verify(path)["holds"]
        assert sf.verify(path, data=cases.arrow("levels"))["holds"]
        for old, new in swap:
            old.rename(new)
        told = [item["name"] for item in sf.verify(path)["checks"] if item["verdict"] == "broken"]
        assert "order of rows" in told
        for old, new in swap:
            old.rename(new)
        kept = second.read_bytes()
        second.unlink()
        found = sf.verify(path)
        assert not found["holds"]
        assert any("rows out" in item for item in found["violations"])
        second.write_bytes(kept)
    with pytest.raises(DataError, match="no order to compare"):
        sf.verify(path, data=frame)


def test_only_distinct_tuples_leave_spark(spark, tmp_path, monkeypatch):
    from pyspark.sql.classic.dataframe import DataFrame

    table = cases.arrow("levels")
    many = spark.createDataFrame(pa.concat_tables([table] * 20))
    known = spec_of("levels", tmp_path)
    names = [*known.quasi_identifiers, *known.sensitive]
    distinct = table.group_by(names).aggregate([]).num_rows
    left: list[int] = []

    def watch(name: str, size) -> None:
        act = getattr(DataFrame, name)

        def watched(self, *arguments):
            found = act(self, *arguments)
            left.append(size(found))
            return found

        monkeypatch.setattr(DataFrame, name, watched)

    watch("toArrow", lambda found: found.num_rows)
    watch("collect", len)
    for name in ("toPandas", "toLocalIterator"):
        monkeypatch.setattr(DataFrame, name, None)
    release = sf.anonymize(many, known)
    release.verify()
    release.write(tmp_path / "released.parquet")
    assert left
    assert max(left) <= distinct < many.count()


@pytest.mark.parametrize(
    ("columns", "told"),
    [({"a.b": [1]}, "dot or a backtick"), ({"a`b": [1]}, "dot or a backtick")],
)
def test_names_that_spark_splits_are_refused(spark, columns, told):
    with pytest.raises(DataError, match=told):
        sf.measure(spark.createDataFrame(pa.table(columns)), quasi_identifiers=list(columns))


def test_what_needs_an_order_or_all_rows_is_refused(spark, tmp_path):
    frame = spark.createDataFrame(cases.arrow("levels"))
    tables = spec_of("levels", tmp_path).to_dict()
    kept = sf.Spec.from_dict({**tables, "release": {"order": "input"}}, tmp_path)
    release = sf.anonymize(frame, kept)
    with pytest.raises(OutputError, match="sorted order"):
        release.write(tmp_path / "r.parquet")
    with pytest.raises(OutputError, match="Parquet or CSV"):
        sf.anonymize(frame, spec_of("levels", tmp_path)).write(tmp_path / "r.arrow")
    with pytest.raises(DataError, match="have no numbers"):
        sf.anonymize(spark.createDataFrame(cases.arrow("confidential")), cases.spec("confidential", tmp_path))
    with pytest.raises(DataError, match="not brought together"):
        sf.microaggregate(frame, columns=["age"], k=3)
    assert not list(tmp_path.glob("r.*"))


def test_cells_of_every_type_are_written_as_by_other_engines(spark, tmp_path):
    rows = 24
    table = pa.table(
        {
            "age": [number % 4 for number in range(rows)],
            "small": [[0.0001, 1e-7, 12345678.5, 1e20, None, -2.5][number % 6] for number in range(rows)],
            "whole": [[1.0, 2.0, None, -0.0][number % 4] for number in range(rows)],
            "text": [
                ["a,b", 'c"d', "e\nf", " g ", "", None, "é", "=h"][number % 8] for number in range(rows)
            ],
            "sum": pa.array(
                [decimal.Decimal("1.50"), decimal.Decimal("-10.25"), None] * (rows // 3), pa.decimal128(9, 2)
            ),
            "day": [dt.date(1899, 12, 31), dt.date(2024, 2, 29)] * (rows // 2),
            "yes": [True, False, None] * (rows // 3),
            "codes": ["10", "9", "*", "1e3"] * (rows // 4),
            "nothing": pa.array([None] * rows, pa.string()),
        }
    )
    attributes = {"age": {"role": "quasi-identifier", "hierarchy": {"intervals": [2]}}}
    attributes |= {name: {"role": "other"} for name in table.column_names[1:]}
    tables = {
        "attributes": attributes,
        "require": {"k": 3},
        "objectives": {"minimize": ["loss"]},
        "release": {"formulas": "escape"},
    }
    known = sf.Spec.from_dict(tables)
    sf.anonymize(table, known).write(tmp_path / "other.csv")
    sf.anonymize(spark.createDataFrame(table).repartition(3), known).write(tmp_path / "spark.csv")
    assert read_parts(tmp_path / "spark.csv") == (tmp_path / "other.csv").read_text()
