"""Writing tables to files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from sfumato.errors import OutputError
from sfumato.table import make_frame, open_source, write_table, writing
from tests.table import backends

TABLE = pa.table(
    {
        "n": pa.array([3, None, 1]),
        "f": pa.array([0.1, 1e22, float("nan")]),
        "s": pa.array(['say "hi", he', "", None]),
        "z": pa.array(["007", "a\nb", "é"]),
        "b": pa.array([True, None, False]),
    }
)
CSV = 'n,f,s,z,b\n3,0.1,"say ""hi"", he",007,true\n,1e+22,"","a\nb",\n1,,,é,false\n'


@pytest.fixture(params=["pyarrow", "polars", "polars-lazy", "pandas", "duckdb"])
def native(request):
    frame = pl.from_arrow(TABLE)
    return {
        "pyarrow": TABLE,
        "polars": frame,
        "polars-lazy": frame.lazy(),
        "pandas": TABLE.to_pandas(types_mapper=pd.ArrowDtype).set_index(pd.Index([7, 7, 8])),
        "duckdb": duckdb.connect().from_arrow(TABLE),
    }[request.param]


def test_csv_is_plain(native, tmp_path):
    path = tmp_path / "a.csv"
    write_table(native, path)
    assert path.read_bytes() == CSV.encode()


def test_compressed_and_tabulated(native, tmp_path):
    write_table(native, tmp_path / "a.csv.gz")
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()) == CSV.encode()
    write_table(native, tmp_path / "a.tsv")
    assert (tmp_path / "a.tsv").read_text().splitlines()[0] == "n\tf\ts\tz\tb"


def test_json_lines(native, tmp_path):
    path = tmp_path / "a.jsonl"
    write_table(native, path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0] == {"n": 3, "f": 0.1, "s": 'say "hi", he', "z": "007", "b": True}
    assert lines[2] == {"n": 1, "f": None, "s": None, "z": "é", "b": False}


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "feather"])
def test_typed_formats_come_back_as_they_were(native, suffix, tmp_path):
    path = tmp_path / f"a.{suffix}"
    write_table(native, path)
    back = pa.parquet.read_table(path) if suffix == "parquet" else pa.feather.read_table(path)
    assert back.column_names == TABLE.column_names
    assert [str(field.type).removeprefix("large_") for field in back.schema] == [
        "int64",
        "double",
        "string",
        "string",
        "bool",
    ]
    assert backends.rows_of(back) == backends.rows_of(TABLE)


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "parquet", "arrow", "jsonl"])
def test_what_is_written_can_be_opened_again(suffix, tmp_path):
    path = tmp_path / f"a.{suffix}"
    write_table(TABLE.select(["n", "z", "b"]), path)
    assert backends.rows_of(open_source(path).native) == backends.rows_of(TABLE.select(["n", "z", "b"]))


def test_the_format_may_be_that_of_another_name(tmp_path):
    path = tmp_path / "tmp-1"
    write_table(pa.table({"a": [1]}), path, Path("out.csv.gz"))
    assert gzip.decompress(path.read_bytes()) == b"a\n1\n"


def test_a_file_is_replaced_and_no_other_is_left(tmp_path):
    path = tmp_path / "it's [1].csv"
    path.write_text("old")
    write_table(pa.table({"a": [1]}), path)
    assert path.read_text() == "a\n1\n"
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_floats_are_shortest(tmp_path):
    numbers = [0.1, 1 / 3, 1e-7, 123456789.125, 5e-324, 1.7976931348623157e308, -2.0]
    path = tmp_path / "a.csv"
    write_table(pa.table({"f": numbers}), path)
    texts = path.read_text().splitlines()[1:]
    assert [float(text) for text in texts] == numbers
    assert texts[:2] == ["0.1", "0.3333333333333333"]


def test_no_rows_are_a_header(tmp_path):
    path = tmp_path / "a.csv"
    write_table(pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())}), path)
    assert path.read_text() == "a,b\n"
    write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "a.arrow")
    assert pa.feather.read_table(tmp_path / "a.arrow").num_rows == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "a.sav",
            "this file type is not supported. Use a name that ends in .csv, .csv.gz, .csv.zst, .tsv, .xlsx, "
            ".parquet, .arrow or .jsonl.",
        ),
        ("none/a.csv", "the file cannot be written: its folder does not exist. Make the folder first."),
        ("none/a.arrow", "the file cannot be written: its folder does not exist. Make the folder first."),
        ("folder.parquet", "the file cannot be written: a folder has this name. Choose another name."),
    ],
)
def test_what_cannot_be_written(name, message, tmp_path):
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(OutputError) as caught:
        write_table(TABLE, tmp_path / name)
    assert caught.value.message == message
    assert caught.value.where == str(tmp_path / name)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow", "jsonl"])
def test_a_full_disk(suffix):
    with pytest.raises(OutputError) as caught:
        write_table(TABLE, Path("/dev/full"), Path(f"a.{suffix}"))
    assert caught.value.message == (
        "the file cannot be written: the disk is full. Free some space, or write elsewhere."
    )


@pytest.mark.parametrize("kind", ["pandas", "polars", "polars-lazy", "pyarrow", "duckdb", "file"])
def test_small_frames_of_any_kind(kind):
    frame = make_frame({"solution": [1, 2], "k": [5.0, 2.5], "recoding": ["a", None]}, kind)
    assert backends.kind_of(frame) == ("pyarrow" if kind == "file" else kind)
    assert backends.rows_of(frame) == [("1", "5", "a"), ("2", "2.5", None)]


def test_a_sorted_file_is_the_same_bytes_every_time(tmp_path):
    generator = np.random.default_rng(1)
    table = pa.table({"a": generator.integers(0, 50, 20_000), "b": generator.integers(0, 9, 20_000)})
    write_table(table, tmp_path / "in.parquet")
    contents = set()
    for number in range(3):
        source = open_source(tmp_path / "in.parquet")
        write_table(source.native.order("a, b"), tmp_path / f"{number}.parquet")
        contents.add((tmp_path / f"{number}.parquet").read_bytes())
    assert len(contents) == 1


def test_too_little_memory_is_said_as_such(tmp_path, monkeypatch):
    def fail(*_: object) -> None:
        raise duckdb.OutOfMemoryException("Out of Memory Error: a cell")

    monkeypatch.setattr(writing, "_copy", fail)
    with pytest.raises(OutputError, match="Raise --memory") as told:
        writing.write_table(pa.table({"a": [1]}), tmp_path / "r.csv")
    assert "a cell" not in str(told.value)
