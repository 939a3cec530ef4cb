"""The rows of a release on the way to a file: types, texts and formulas."""

from __future__ import annotations

import csv
import datetime as dt
import decimal
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import sfumato as sf
from sfumato.errors import DataError, OutputError, SpecError
from sfumato.table import Leaving, write_table
from tests.table import backends

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 6


def spec(release: dict[str, str] | None = None, **roles: str) -> sf.Spec:
    attributes = {name: {"role": role} for name, role in {"age": "quasi-identifier", **roles}.items()}
    return sf.Spec.from_dict(
        {
            "attributes": attributes,
            "require": {"k": 5},
            "objectives": {"minimize": ["loss"]},
            "release": release or {},
        }
    )


def write(data: object, path: Path, **roles: str) -> Path:
    sf.anonymize(data, spec(**roles)).write(path)
    found = sf.verify(path)
    assert found["holds"], found["violations"]
    return path


def test_zeros_of_either_sign_are_one_value(tmp_path):
    frame = pd.DataFrame({"age": [0.0, -0.0, 0.0, -0.0, 0.0, 1.5, 1.5, 1.5, 1.5, 1.5]})
    for data in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        released = sf.anonymize(data, spec())
        assert not np.signbit(np.array([float(row[0]) for row in backends.rows_of(released.frame)])).any()
        released.write(tmp_path / "r.csv", force=True)
        assert (tmp_path / "r.csv").read_text().split() == ["age", *["0.0"] * 5, *["1.5"] * 5]
    (tmp_path / "a.csv").write_text("age\n" + "0\n-0.0\n-0\n0.0\n-0\n" + "1.5\n" * 5)
    write(tmp_path / "a.csv", tmp_path / "s.csv")
    assert (tmp_path / "s.csv").read_bytes() == (tmp_path / "r.csv").read_bytes()
    for negative in (pl.DataFrame({"age": [1] * ROWS, "x": [-0.0, 0.0, 1.0] * 2}),):
        write(negative, tmp_path / "o.csv", x="other")
        assert "-" not in (tmp_path / "o.csv").read_text()


def test_absurd_weights_are_refused():
    for weight in (1e308, 1e10):
        with pytest.raises(SpecError, match="must be at most 1000000000"):
            sf.Spec.from_dict({"attributes": {"a": {"role": "quasi-identifier", "weight": weight}}})
    assert sf.Spec.from_dict({"attributes": {"a": {"role": "quasi-identifier", "weight": 1e9}}})


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz"])
def test_a_single_column_has_a_row_for_what_is_missing(suffix, tmp_path):
    path = write(pl.DataFrame({"age": [None] * 5 + [7] * 5}), tmp_path / f"r.{suffix}")
    assert len(pd.read_csv(path, sep="\t" if suffix == "tsv" else ",")) == 10
    assert sf.verify(path)["rows"]["out"] == 10
    if suffix == "csv":
        assert path.read_text() == "age\n" + "7\n" * 5 + '""\n' * 5


INSTANTS = [
    dt.datetime(2020, 6, 1, 12, 0, number, 123456, dt.timezone(dt.timedelta(hours=2)))
    for number in range(ROWS)
]


@pytest.mark.some(2)
@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "duckdb"])
def test_times_with_a_zone_keep_their_instant_and_say_utc(engine, tmp_path):
    table = pa.table({"age": [1] * ROWS, "at": pa.array(INSTANTS, pa.timestamp("us", "Europe/Rome"))})
    data = {
        "pandas": table.to_pandas,
        "polars": lambda: pl.from_arrow(table),
        "pyarrow": lambda: table,
        "duckdb": lambda: duckdb.connect().from_arrow(table),
    }[engine]()
    write(data, tmp_path / "r.csv", at="other")
    assert (tmp_path / "r.csv").read_text().splitlines()[1] == "1,2020-06-01 10:00:00.123456+00"
    for suffix in ("parquet", "arrow"):
        path = write(data, tmp_path / f"r.{suffix}", at="other")
        back = pa.parquet.read_table(path) if suffix == "parquet" else pa.feather.read_table(path)
        assert back.schema.field("at").type in (pa.timestamp("us", "UTC"), pa.timestamp("us", "Etc/UTC"))
        assert back.column("at").to_pylist() == INSTANTS
    write(data, tmp_path / "r.jsonl", at="other")


@pytest.mark.some(1)
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_nanoseconds_stay_where_there_are_some(zone, tmp_path):
    for ticks, unit in ((1, "ns"), (1000, "us")):
        values = pa.array([ticks * number for number in range(ROWS)], pa.int64()).cast(
            pa.timestamp("ns", zone)
        )
        data = pa.table({"age": [1] * ROWS, "at": values})
        for suffix in ("parquet", "arrow", "csv", "jsonl"):
            path = write(data, tmp_path / f"{unit}{bool(zone)}.{suffix}", at="other")
            if suffix in ("parquet", "arrow"):
                back = pa.parquet.read_table(path) if suffix == "parquet" else pa.feather.read_table(path)
                assert back.schema.field("at").type.unit == unit
                assert back.column("at").cast(pa.timestamp("ns", zone)).to_pylist() == values.to_pylist()
        assert (f"00:00:00.{5 * ticks:09}".rstrip("0") in path.read_text()) or unit == "us"


def test_durations_are_refused_before_anything_is_lost(tmp_path):
    frame = pd.DataFrame({"age": [1] * ROWS, "wait": pd.to_timedelta(range(ROWS), unit="ns")})
    relation = duckdb.connect().sql(
        f"SELECT 1 AS age, INTERVAL (i) SECOND AS wait FROM range({ROWS}) AS t(i)"
    )
    for data in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), relation):
        assert any(
            "'wait' holds durations" in text for text in sf.check(data, spec(wait="other"))["warnings"]
        )
        released = sf.anonymize(data, spec(wait="other"))
        assert len(backends.rows_of(released.frame)) == ROWS
        for suffix in ("csv", "parquet", "arrow", "jsonl"):
            with pytest.raises(OutputError, match="'wait' holds durations"):
                released.write(tmp_path / f"r.{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cells", [[1, "a", 2.5, None, 3, "b"], [1, [2], {"a": 1}, None, "x", object()]])
def test_a_column_of_mixed_objects_is_named_before_anything_is_searched(cells):
    frames = [pd.DataFrame({"age": [1] * ROWS, "odd": pd.Series(cells, dtype=object)})]
    frames.append(pl.DataFrame({"age": [1] * ROWS, "odd": pl.Series(cells, dtype=pl.Object)}))
    for frame in frames:
        with pytest.raises(DataError) as caught:
            sf.check(frame, spec(odd="other"))
        assert caught.value.message == (
            "the column 'odd' mixes values of several types. Make it text, numbers or dates."
        )


def test_objects_of_one_type_pass(tmp_path):
    days = [dt.date(2020, 1, number + 1) for number in range(ROWS)]
    money = [decimal.Decimal(f"{number}.50") for number in range(ROWS)]
    frame = pd.DataFrame({"age": [1] * ROWS, "day": days, "money": money})
    path = write(frame, tmp_path / "r.parquet", day="other", money="other")
    back = pa.parquet.read_table(path)
    assert back.column("day").to_pylist() == days
    assert back.column("money").to_pylist() == money


# what a spreadsheet changes, and what it does not
CHANGED = ["=1+1", "'=2", "''+3", "@x", "-5--1", "\ttab", "\rreturn", "5-9", "'1/2", "2024-03", "1.2.24"]
CHANGED += ["Mar 2024", "12-mar-2024", "march 12, 2024", "1:30"]
SAME = ["-4", "+6", "5.9", "plain", "a=b", "'quoted", "*", "5-9 years", "marble 3", "[5, 9)", "1990s"]
ODD = [*CHANGED, *SAME]


@pytest.mark.some(3)
@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl", "tsv", "csv.gz"])
def test_formulas_are_escaped_where_it_is_asked_for(suffix, tmp_path):
    columns = {"age": [text for text in ODD for _ in range(5)], "n": [-3, 2, -1, 0, 5] * len(ODD)}
    frame = pl.DataFrame({**columns, "note": columns["age"], "t": ["-1", "+2", "3", "4", "-5"] * len(ODD)})
    roles = {"n": "sensitive", "note": "other", "t": "other"}
    kinds = {"age": {"role": "quasi-identifier", "kind": "category"}}
    made = spec({"formulas": "escape"}, **roles)
    made = sf.Spec.from_dict({**made.to_dict(), "attributes": {**made.to_dict()["attributes"], **kinds}})
    path = tmp_path / f"r.{suffix}"
    manifest = sf.anonymize(frame, made).write(path)
    assert manifest.recipe["release"] == {"order": "sorted", "formulas": "escape"}
    found = sf.verify(path)
    assert found["holds"], found["violations"]
    assert found["classes"] == len(ODD)
    assert sf.verify(path, data=frame)["holds"]
    if suffix == "csv":
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        expected = {*(f"'{text}" for text in CHANGED), *SAME}
        assert {row["age"] for row in rows} == expected
        assert {row["note"] for row in rows} == expected
        assert {row["n"] for row in rows} == {"-3", "2", "-1", "0", "5"}
        assert {row["t"] for row in rows} == {"-1", "+2", "3", "4", "-5"}
    if suffix == "parquet":
        assert set(pl.read_parquet(path)["age"]) == set(ODD)


def test_formulas_are_kept_unless_something_else_is_said(tmp_path):
    frame = pl.DataFrame({"age": [1] * ROWS, "note": ["=1+1"] * ROWS})
    path = write(frame, tmp_path / "r.csv", note="other")
    assert path.read_text().splitlines()[1] == "1,=1+1"
    with pytest.raises(SpecError, match="formulas"):
        spec({"formulas": "escpe"})


def test_columns_that_differ_in_case_alone_are_refused_in_every_format(tmp_path):
    table = pa.table({"Age": [1] * ROWS, "age": [3] * ROWS, "nested": [{"age": 1, "b": 2}] * ROWS})
    pa.parquet.write_table(table, tmp_path / "a.parquet")
    pa.feather.write_feather(table, tmp_path / "a.arrow")
    (tmp_path / "a.csv").write_text("Age,age\n1,2\n")
    (tmp_path / "a.jsonl").write_text('{"Age": 1, "age": 2}\n')
    (tmp_path / "folder").mkdir()
    pa.parquet.write_table(table.select(["age", "nested"]), tmp_path / "folder" / "1.parquet")
    pa.parquet.write_table(table, tmp_path / "folder" / "2.parquet")
    paths = [tmp_path / name for name in ("a.parquet", "a.arrow", "a.csv", "a.jsonl", "folder")]
    for data in (*paths, table):
        with pytest.raises(DataError, match="in upper and lower case alone"):
            sf.check(data, spec())
    pa.parquet.write_table(table.select(["age", "nested"]), tmp_path / "b.parquet")
    assert sf.check(tmp_path / "b.parquet", spec())["ok"]


def test_a_column_without_a_name_is_refused_when_it_is_read(tmp_path):
    table = pa.table({"age": [1] * ROWS, "": [2] * ROWS})
    pa.parquet.write_table(table, tmp_path / "a.parquet")
    pa.feather.write_feather(table, tmp_path / "a.arrow")
    polars = pl.DataFrame({"age": [1] * ROWS, "": [2] * ROWS})
    for data in (
        table,
        table.to_pandas(),
        polars,
        polars.lazy(),
        tmp_path / "a.parquet",
        tmp_path / "a.arrow",
    ):
        with pytest.raises(DataError, match=r"column 2 has no name\. Give it one\."):
            sf.check(data, spec())


@pytest.mark.some(3)
@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl", "tsv", "arrow"])
def test_other_columns_of_odd_types_can_be_written_and_recounted(suffix, tmp_path):
    relation = duckdb.connect().sql(
        f"""
        SELECT 1 AS age, [i, 10 - i] AS list, {{'a': i, 'b': 'x' || i}} AS struct, map {{'k': i}} AS map,
        i::HUGEINT + 2::HUGEINT ** 100 AS huge, uuid() AS uuid, ('b' || i)::BLOB AS blob,
        i::DECIMAL(20, 3) / 7 AS decimal, TIME '10:00:00' + INTERVAL (i) SECOND AS time,
        (i % 2 = 0) AS flag, 18446744073709551615 - i AS wide, i::FLOAT / 3 AS float,
        TIMESTAMP '2020-01-01' + INTERVAL (i) DAY AS day, 'nan'::DOUBLE AS undefined
        FROM range({ROWS}) AS t(i)
        """
    )
    names = [name for name in relation.columns if name != "age"]
    path = write(relation, tmp_path / f"r.{suffix}", **dict.fromkeys(names, "other"))
    assert sf.verify(path, data=relation)["rows"]["out"] == ROWS


def test_plain_texts_of_a_text_file_are_typed_only_if_nothing_is_lost(tmp_path):
    cells = {
        "whole": ["1", "20", "-3"],
        "code": ["007", "1", "2"],
        "float": ["1.5", "2", "-0.25"],
        "money": ["1.50", "2", "3"],
        "flag": ["true", "false", "true"],
        "day": ["1990-01-02", "2020-02-29", "1990-01-02"],
        "time": ["1990-01-02 10:00:00", "1990-01-02 10:00:01", "1990-01-02 10:00:00"],
        "large": ["9223372036854775808", "1", "2"],
        "text": ["x", "1", "2"],
        "spaced": [" 1", "2", "3"],
        "none": ["", "", ""],
    }
    lines = [",".join(["age", *cells])] + [
        ",".join(["1", *row]) for row in zip(*cells.values(), strict=True)
    ] * 2
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    path = write(tmp_path / "a.csv", tmp_path / "r.parquet", **dict.fromkeys(cells, "other"))
    back = pa.parquet.read_table(path)
    assert {field.name: str(field.type) for field in back.schema} == {
        "age": "int64",
        "whole": "int64",
        "code": "string",
        "float": "double",
        "money": "string",
        "flag": "bool",
        "day": "date32[day]",
        "time": "timestamp[us]",
        "large": "string",
        "text": "string",
        "spaced": "string",
        "none": "string",
    }
    write(tmp_path / "a.csv", tmp_path / "r.csv", **dict.fromkeys(cells, "other"))
    rows = sorted((tmp_path / "r.csv").read_text().splitlines()[1:])
    assert rows == sorted(lines[1:])


def test_a_table_is_written_as_it_is_unless_it_is_a_release(tmp_path):
    table = pa.table({"a": [2.0, 1.0], "b": ["=x", "y"]})
    write_table(table, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "a,b\n2.0,=x\n1.0,y\n"
    write_table(table, tmp_path / "b.csv", leaving=Leaving({}, "sorted", "escape"))
    assert (tmp_path / "b.csv").read_text() == "a,b\n1,y\n2,'=x\n"
