"""Sources: files and frames seen in one way."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato.errors import DataError
from sfumato.spec import DataSpec
from sfumato.table import open_source, write_table
from sfumato.table.tally import tally
from tests.table import backends


def test_every_form_is_a_source(data, backend, columns):
    source = open_source(data)
    expected = "file" if backend in backends.FILES else backend.replace("-nullable", "").replace("-arrow", "")
    assert source.kind == expected
    assert source.columns == tuple(columns)
    assert tally(source, []).rows.tolist() == [12]
    assert source.is_text == (backend in backends.TEXT_FILES)
    assert open_source(source) is source


def test_a_path_may_be_a_text_and_the_specification_says_how_to_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("name;b\nMüller;?\n".encode("latin-1"))
    source = open_source(str(path), DataSpec(separator=";", encoding="latin-1", missing=["?"]))
    assert backends.rows_of(source.native) == [("Müller", None)]
    assert source.name == str(path)


@pytest.mark.parametrize("data", [3, [1, 2], {"a": [1]}, pd.Series([1]), None])
def test_what_is_no_table(data):
    with pytest.raises(DataError) as caught:
        open_source(data)
    assert caught.value.message == (
        f"a {type(data).__name__} is not a table. Pass a path, a pandas, Polars or Spark frame, a PyArrow "
        "table or a DuckDB relation."
    )


def test_repeated_column_names_of_a_frame():
    with pytest.raises(DataError, match=r"a column name occurs twice\. Rename one of the columns\."):
        open_source(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(DataError, match="a column name occurs twice"):
        open_source(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]))


def test_column_names_that_are_no_texts():
    with pytest.raises(DataError, match=r"column names must be texts\. Rename the columns\."):
        open_source(pd.DataFrame({1: [1], "a": [2]}))


def test_columns_that_differ_in_case_are_refused_in_a_frame_too():
    with pytest.raises(DataError, match="in upper and lower case alone"):
        open_source(pl.DataFrame({"a": [1, 1], "A": [1, 2]}))


def test_a_ragged_line_far_down_is_found_when_the_rows_are_counted(tmp_path):
    path = tmp_path / "a.csv"
    lines = ["a,b"] + ["1,2"] * 70_000 + ["secret"] + ["1,2"] * 10
    path.write_text("\n".join(lines) + "\n")
    source = open_source(path)
    with pytest.raises(DataError) as caught:
        tally(source, ["a"])
    assert caught.value.message == (
        "line 70002 has 1 field where the header has 2. Repair the line, or set separator in [data]."
    )
    with pytest.raises(DataError, match="line 70002"):
        tally(source, [])


def test_a_letter_of_another_encoding_far_down_is_found_too(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 70_000 + b"\xe4,2\n")
    with pytest.raises(DataError, match="not text in the encoding 'utf-8'"):
        tally(open_source(path), ["a"])


def test_a_parquet_file_that_breaks_meanwhile(tmp_path):
    path = tmp_path / "a.parquet"
    write_table(pa.table({"a": list(range(1000))}), path)
    source = open_source(path)
    path.write_bytes(b"PAR1" + b"\0" * (path.stat().st_size - 8) + b"PAR1")
    with pytest.raises(DataError, match=r"the rows cannot be read \(\w+\)"):
        tally(source, ["a"])
