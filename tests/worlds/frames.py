"""A world as a frame of any library or a file of any format, and what a released frame says of itself."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.worlds.flavours import Cell
    from tests.worlds.tables import Case, World

_engine = duckdb.connect(":memory:", config={"threads": "1"})


def plain_columns(case: Case, world: World) -> dict[str, list[Cell]]:
    """Return the columns in the order of the data, each of one type as far as its values allow."""
    return {column.name: _unify(world.rows(column.name)) for column in case.columns}


def _unify(values: list[Cell]) -> list[Cell]:
    known = {type(value) for value in values if value is not None}
    if str in known and len(known) > 1:
        return [None if value is None else text(value) for value in values]
    if float in known and len(known) > 1:
        return [None if value is None else float(value) for value in values]  # type: ignore[arg-type]
    if dt.datetime in known and len(known) > 1:
        return [_as_time(value) for value in values]
    return values


def _as_time(value: Cell) -> Cell:
    is_date = isinstance(value, dt.date) and not isinstance(value, dt.datetime)
    return dt.datetime(value.year, value.month, value.day) if is_date else value  # type: ignore[union-attr]


def text(value: Cell) -> str:
    """Return a cell as a text file holds it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def make_data(case: Case, world: World, folder: Path) -> object:
    """Return what is handed to the library: a frame, or the path of a file in this folder."""
    columns = plain_columns(case, world)
    if case.is_file:
        home = folder / world.place
        home.mkdir(exist_ok=True)
        path = home / f"{world.place}.{case.engine}"
        _FILES[case.engine](columns, path, world)
        return path
    return _MAKERS[case.engine](columns, world)


def _write_csv(columns: dict[str, list[Cell]], path: Path, _world: World) -> None:
    buffer = io.StringIO(newline="")
    rows = csv.writer(buffer, lineterminator="\n")
    rows.writerow(columns)
    rows.writerows([text(cell) for cell in row] for row in zip(*columns.values(), strict=True))
    content = buffer.getvalue().encode()
    path.write_bytes(gzip.compress(content, mtime=0) if path.name.endswith(".gz") else content)


def _write_german(columns: dict[str, list[Cell]], path: Path, _world: World) -> None:
    """Write a file as offices there export it: semicolons, decimal commas, cp1252 and its line ends."""
    buffer = io.StringIO(newline="")
    rows = csv.writer(buffer, delimiter=";", lineterminator="\r\n")
    rows.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        rows.writerow(
            [text(cell).replace(".", ",") if isinstance(cell, float) else text(cell) for cell in row]
        )
    path.write_bytes(buffer.getvalue().encode("cp1252"))


def _write_jsonl(columns: dict[str, list[Cell]], path: Path, _world: World) -> None:
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    path.write_text("".join(json.dumps(row, default=text) + "\n" for row in rows), encoding="utf-8")


def _write_parquet(columns: dict[str, list[Cell]], path: Path, world: World) -> None:
    pq.write_table(_dictionaries(columns, world), path)


def _write_arrow(columns: dict[str, list[Cell]], path: Path, world: World) -> None:
    table = _dictionaries(columns, world)
    with pa.OSFile(str(path), "wb") as sink, pyarrow.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def _is_text(values: Sequence[Cell]) -> bool:
    return any(isinstance(value, str) for value in values)


def _categories(values: Sequence[Cell]) -> list[str]:
    return sorted({value for value in values if isinstance(value, str)})


def _arrow(columns: dict[str, list[Cell]]) -> pa.Table:
    return pa.table({name: _array(values) for name, values in columns.items()})


def _array(values: list[Cell]) -> pa.Array:
    is_time = any(isinstance(value, dt.datetime) for value in values)
    if all(value is None for value in values):
        return pa.array(values, pa.string())
    return pa.array(values, pa.timestamp("us")) if is_time else pa.array(values)


def _dictionaries(columns: dict[str, list[Cell]], world: World) -> pa.Table:
    """Return an Arrow table whose texts are dictionaries, and whose schema says where it comes from."""
    table, fields, arrays = _arrow(columns), [], []
    for name, values in columns.items():
        array = table.column(name).combine_chunks()
        array = array.dictionary_encode() if _is_text(values) else array
        fields.append(pa.field(name, array.type, metadata={"origin": world.place}))
        arrays.append(array)
    return pa.table(arrays, schema=pa.schema(fields, metadata={"origin": world.place}))


def _pandas(columns: dict[str, list[Cell]], _world: World) -> pd.DataFrame:
    frame = pd.DataFrame(columns)
    for name, values in columns.items():
        if any(isinstance(value, dt.date) for value in values):
            frame[name] = pd.to_datetime(frame[name])
    return frame


def _pandas_category(columns: dict[str, list[Cell]], world: World) -> pd.DataFrame:
    """Return a frame whose index names people and whose attributes say where it comes from."""
    frame = _pandas(columns, world)
    for name, values in columns.items():
        if _is_text(values):
            frame[name] = pd.Categorical(values, categories=_categories(values))
    frame.index = pd.Index([f"{world.place}{number}" for number in range(len(frame))], name="who")
    frame.attrs = {"origin": world.place}
    return frame


def _pandas_arrow(columns: dict[str, list[Cell]], _world: World) -> pd.DataFrame:
    return _arrow(columns).to_pandas(types_mapper=pd.ArrowDtype)


def _polars(columns: dict[str, list[Cell]], _world: World) -> pl.DataFrame:
    frame = pl.from_arrow(_arrow(columns))
    assert isinstance(frame, pl.DataFrame)
    return frame


def _polars_cast(
    columns: dict[str, list[Cell]], world: World, cast: Callable[[list[str]], Any]
) -> pl.DataFrame:
    texts = [name for name, values in columns.items() if _is_text(values)]
    return _polars(columns, world).with_columns(
        pl.col(name).cast(cast(_categories(columns[name]))) for name in texts
    )


def _relation(columns: dict[str, list[Cell]], _world: World) -> duckdb.DuckDBPyRelation:
    return _engine.from_arrow(_arrow(columns))


def _relation_enum(columns: dict[str, list[Cell]], world: World) -> duckdb.DuckDBPyRelation:
    chosen = []
    for name, values in columns.items():
        quoted = ", ".join("'" + value.replace("'", "''") + "'" for value in _categories(values))
        chosen.append(f'CAST("{name}" AS ENUM ({quoted})) AS "{name}"' if _is_text(values) else f'"{name}"')
    return _relation(columns, world).project(", ".join(chosen))


_MAKERS: dict[str, Callable[[dict[str, list[Cell]], World], object]] = {
    "pandas": _pandas,
    "pandas-category": _pandas_category,
    "pandas-arrow": _pandas_arrow,
    "polars": _polars,
    "polars-lazy": lambda columns, world: _polars(columns, world).lazy(),
    "polars-enum": lambda columns, world: _polars_cast(columns, world, pl.Enum),
    "polars-categorical": lambda columns, world: _polars_cast(columns, world, lambda _: pl.Categorical),
    "pyarrow": lambda columns, world: _arrow(columns),
    "pyarrow-dictionary": _dictionaries,
    "duckdb": _relation,
    "duckdb-enum": _relation_enum,
}
_FILES: dict[str, Callable[[dict[str, list[Cell]], Path, World], None]] = {
    "csv": _write_csv,
    "german.csv": _write_german,
    "csv.gz": _write_csv,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}


def describe_frame(frame: object) -> dict[str, str]:
    """Return what can be read of a frame: its rows, and all that it says beside them."""
    if isinstance(frame, pd.DataFrame):
        types = {str(name): _pandas_type(frame[name].dtype) for name in frame}
        index = {"index": repr(list(frame.index)), "index name": repr(frame.index.name)}
        rows = _rows(zip(*(frame[name].tolist() for name in frame), strict=True))
        return {"types": repr(types), "rows": rows, "attrs": repr(frame.attrs), **index}
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pl.DataFrame):
        return {"types": repr(dict(frame.schema)), "rows": _rows(frame.rows()), **_carried(frame.to_arrow())}
    if isinstance(frame, duckdb.DuckDBPyRelation):
        types = repr(dict(zip(frame.columns, map(str, frame.types), strict=True)))
        return {"types": types, "rows": _rows(frame.fetchall())}
    assert isinstance(frame, pa.Table)
    types = repr([(field.name, str(field.type)) for field in frame.schema])
    rows = _rows(zip(*(column.to_pylist() for column in frame.columns), strict=True))
    return {"types": types, "rows": rows, **_carried(frame)}


def _pandas_type(kind: Any) -> str:
    categories = list(kind.categories) if isinstance(kind, pd.CategoricalDtype) else ""
    return f"{kind} {categories}"


def _rows(rows: Any) -> str:
    return "\n".join(repr(tuple(row)) for row in rows)


def _carried(table: pa.Table) -> dict[str, str]:
    """Return the dictionaries and the metadata of an Arrow table."""
    found = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        if pa.types.is_dictionary(field.type):
            held = [chunk.dictionary.to_pylist() for chunk in column.chunks]
            found[field.name] = held
    fields = [(field.name, field.metadata) for field in table.schema]
    return {"dictionaries": repr(found), "metadata": repr((table.schema.metadata, fields))}


def serialised(frame: object) -> bytes:
    """Return a frame as the bytes in which its own library hands it on."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    buffer = io.BytesIO()
    if isinstance(frame, pl.DataFrame):
        frame.write_ipc(buffer)
        return buffer.getvalue()
    if isinstance(frame, pd.DataFrame):
        frame = pa.Table.from_pandas(frame, preserve_index=True)
    if isinstance(frame, duckdb.DuckDBPyRelation):
        frame = frame.to_arrow_table()
    assert isinstance(frame, pa.Table)
    with pyarrow.ipc.new_stream(buffer, frame.schema) as writer:
        writer.write_table(frame)
    return buffer.getvalue()
