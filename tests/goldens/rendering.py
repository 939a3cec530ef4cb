"""Files and frames as text: rows, types and what travels beside them."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet

from tests.goldens.pages import page_text

if TYPE_CHECKING:
    from pathlib import Path

BINARY = (".gz", ".parquet", ".arrow", ".feather")


def file_text(path: Path) -> str:
    """Return the text of a file, or a rendering of one that is not text."""
    if path.suffix == ".html":
        return page_text(path.read_text(encoding="utf-8"))
    if path.suffix == ".gz":
        return _gzip_text(path.read_bytes())
    if path.suffix == ".parquet":
        return _parquet_text(path)
    if path.suffix in (".arrow", ".feather"):
        return _arrow_text(feather.read_table(path, memory_map=False))
    return path.read_bytes().decode()


def _gzip_text(packed: bytes) -> str:
    """Say what the header of a gzip file tells, then its text."""
    flags, moment = packed[3], int.from_bytes(packed[4:8], "little")
    return f"gzip: flags {flags}, time {moment}\n{gzip.decompress(packed).decode()}"


def _parquet_text(path: Path) -> str:
    about = parquet.read_metadata(path)
    groups = [about.row_group(number) for number in range(about.num_row_groups)]
    lines = [f"parquet: {about.num_rows} rows in {len(groups)} groups, metadata {about.metadata}"]
    for group in groups:
        for place in range(group.num_columns):
            column = group.column(place)
            told = "with statistics" if column.is_stats_set else "without statistics"
            lines.append(f"{column.path_in_schema}: {column.physical_type}, {column.compression}, {told}")
    return "\n".join(lines) + "\n" + _arrow_text(parquet.read_table(path))


def _arrow_text(table: pa.Table) -> str:
    """Write an Arrow table: its types with all metadata, then its rows."""
    lines = [f"arrow: metadata {table.schema.metadata}"]
    lines += [f"{field.name}: {field.type}, metadata {field.metadata}" for field in table.schema]
    return "\n".join(lines) + "\n" + _row_lines(table.to_pylist())


def _row_lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(list(row.values()), default=str, ensure_ascii=False) + "\n" for row in rows)


def frame_text(frame: object) -> str:
    """Write a frame of any library: its kind, types and rows."""
    if isinstance(frame, pd.DataFrame):
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
        lines = [f"pandas: index {type(frame.index).__name__} {list(frame.index[:3])}, {dict(frame.attrs)}"]
        lines += [f"{name}: {_pandas_type(frame[name])}" for name in frame.columns]
        return "\n".join(lines) + "\n" + _row_lines(rows)
    if isinstance(frame, pl.LazyFrame):
        return f"lazy {frame_text(frame.collect())}"
    if isinstance(frame, pl.DataFrame):
        lines = ["polars", *(f"{name}: {kind!r}" for name, kind in frame.schema.items())]
        return "\n".join(lines) + "\n" + _row_lines(frame.to_dicts())
    if isinstance(frame, duckdb.DuckDBPyRelation):
        types = [f"{name}: {kind}" for name, kind in zip(frame.columns, frame.types, strict=True)]
        rows = [dict(zip(frame.columns, row, strict=True)) for row in frame.fetchall()]
        return "\n".join(["duckdb", *types]) + "\n" + _row_lines(rows)
    assert isinstance(frame, pa.Table), type(frame)
    return _arrow_text(frame)


def _pandas_type(column: pd.Series[object]) -> str:
    """Name the type of a column; texts have had several types over the years."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return f"category of {list(column.dtype.categories)}, ordered {column.dtype.ordered}"
    return "text" if pd.api.types.is_string_dtype(column.dtype) else str(column.dtype)
