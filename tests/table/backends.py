"""The same rows in every form that a table can have, and back."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json
from typing import TYPE_CHECKING, TypeAlias

import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Cell: TypeAlias = "str | int | float | bool | dt.date | None"
Columns: TypeAlias = "Mapping[str, Sequence[Cell]]"

FRAMES = ("pandas", "pandas-nullable", "pandas-arrow", "polars", "polars-lazy", "pyarrow", "duckdb")
TEXT_FILES = ("csv", "csv.gz", "tsv")
TYPED_FILES = ("parquet", "arrow", "jsonl", "folder")
FILES = (*TEXT_FILES, *TYPED_FILES)
ALL = (*FRAMES, *FILES)


def make(backend: str, columns: Columns, folder: Path) -> object:
    """Return a table as a frame of some library, or write it and return its path."""
    if backend in FRAMES:
        return _frame(backend, columns)
    path = folder / ("table" if backend == "folder" else f"table.{backend}")
    if backend in TEXT_FILES:
        _write_text(path, columns, "\t" if backend == "tsv" else ",")
    elif backend == "jsonl":
        _write_json(path, columns)
    elif backend == "arrow":
        pyarrow.feather.write_feather(_arrow(columns), path)
    elif backend == "parquet":
        pyarrow.parquet.write_table(_arrow(columns), path)
    else:
        _write_folder(path, _arrow(columns))
    return path


def _frame(backend: str, columns: Columns) -> object:
    if backend == "pandas":
        return pd.DataFrame(dict(columns))
    if backend == "pandas-nullable":
        return pd.DataFrame(dict(columns)).convert_dtypes()
    if backend == "pandas-arrow":
        return _arrow(columns).to_pandas(types_mapper=pd.ArrowDtype)
    if backend.startswith("polars"):
        frame = pl.DataFrame({name: list(cells) for name, cells in columns.items()}, strict=False)
        return frame.lazy() if backend == "polars-lazy" else frame
    return _arrow(columns) if backend == "pyarrow" else duckdb.connect().from_arrow(_arrow(columns))


def _arrow(columns: Columns) -> pa.Table:
    return pa.table({name: pa.array(list(cells)) for name, cells in columns.items()})


def _write_text(path: Path, columns: Columns, separator: str) -> None:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([text(cell) for cell in row] for row in zip(*columns.values(), strict=True))
    content = file.getvalue().encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def _write_json(path: Path, columns: Columns) -> None:
    rows = zip(*columns.values(), strict=True)
    lines = [json.dumps(dict(zip(columns, row, strict=True)), default=str) for row in rows]
    path.write_text("\n".join(lines) + "\n")


def _write_folder(path: Path, table: pa.Table) -> None:
    path.mkdir()
    half = len(table) // 2
    pyarrow.parquet.write_table(table.slice(0, half), path / "part-0.parquet")
    pyarrow.parquet.write_table(table.slice(half), path / "part-1.parquet")
    (path / "_SUCCESS").write_text("")


def text(cell: object) -> str | None:
    """Return the one text of a cell by which backends are compared; missing is None."""
    if cell is None or cell != cell or cell is pd.NaT or cell is pd.NA:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    if isinstance(cell, dt.datetime) and cell.time() == dt.time.min:
        return cell.date().isoformat()
    return str(cell)


def rows_of(native: object) -> list[tuple[str | None, ...]]:
    """Return the rows of any frame or relation as tuples of texts, in their order."""
    frame = nw.from_native(native)
    if isinstance(native, pd.DataFrame):
        table = pa.Table.from_pandas(native, preserve_index=False)
    else:
        table = (frame.collect("pyarrow") if isinstance(frame, nw.LazyFrame) else frame).to_arrow()
    return [tuple(text(cell) for cell in row.values()) for row in table.to_pylist()]


def columns_of(native: object) -> list[str]:
    """Return the names of the columns of any frame or relation."""
    return nw.from_native(native).collect_schema().names()


def kind_of(native: object) -> str:
    """Name the library of a frame or relation."""
    if isinstance(native, pd.DataFrame):
        return "pandas"
    if isinstance(native, pl.LazyFrame):
        return "polars-lazy"
    if isinstance(native, pl.DataFrame):
        return "polars"
    return "pyarrow" if isinstance(native, pa.Table) else "duckdb"
