"""Writing a table to a file of any format."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import OutputError
from sfumato.table.arrow import copy_rows
from sfumato.table.engine import connect, from_arrow_beside, quote_literal, quote_name, read_batches
from sfumato.table.files import format_of as file_format
from sfumato.table.leaving import ZONED, leave
from sfumato.table.sources import to_arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import duckdb
    import narwhals as nw
    import pyarrow as pa

    from sfumato._typing import LongArray
    from sfumato.table.leaving import Leaving
    from sfumato.table.sources import Source


def replace_columns(
    source: Source, columns: Mapping[str, pa.Array], keep: Sequence[str], *, sort: bool = False
) -> object:
    """Return some columns of a table, with new values in some of them."""
    import narwhals as nw
    import pyarrow as pa

    source.refuse_changed()
    chosen: Any = source.frame.select(list(keep))
    order = row_order(source, columns, keep) if sort else None
    if source.is_relation:
        table = _replaced(source, columns, keep)
        native: Any = source.native
        return from_arrow_beside(native, table if order is None else table.take(order))
    if source.is_lazy:
        chosen = chosen.collect()
    if columns:
        new: Any = nw.from_arrow(pa.table(dict(columns)), backend=chosen.implementation)
        chosen = nw.maybe_align_index(chosen.with_columns(*new.iter_columns()), chosen)
    if order is not None:
        chosen = nw.maybe_reset_index(chosen[order])
    return chosen.lazy().to_native() if source.is_lazy else chosen.to_native()


def _plain(source: Source, names: Sequence[str]) -> list[nw.Expr]:
    """Return columns as they are, categories as texts."""
    import narwhals as nw

    kinds = source.frame.collect_schema()
    return [
        nw.col(name).cast(nw.String) if kinds[name] in (nw.Categorical, nw.Enum) else nw.col(name)
        for name in names
    ]


def _replaced(source: Source, columns: Mapping[str, pa.Array], keep: Sequence[str]) -> pa.Table:
    table = source.collect(source.frame.select(_plain(source, keep)))
    for name, values in columns.items():
        table = table.set_column(keep.index(name), name, values)
    return table


def row_order(source: Source, columns: Mapping[str, pa.Array], keep: Sequence[str]) -> LongArray:
    """Return the places of the rows, sorted by all columns that are kept, one after another.

    Numbers and times go by size, texts by their UTF-8 bytes, missing comes last. Columns of lists and the
    like cannot be sorted by, and are passed over.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    table = _replaced(source, columns, keep)
    keys = [field.name for field in table.schema if not pa.types.is_nested(field.type)]
    places = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in keys])
    return np.asarray(places.to_numpy(), dtype=np.int64)


def find_unique(source: Source, names: Sequence[str]) -> list[str]:
    """Return the columns whose values differ in every row: they name the rows."""
    import narwhals as nw

    if not names:
        return []
    counts = source.collect(source.frame.select(*(nw.col(name).n_unique() for name in names)))
    rows = source.row_count()
    return [name for name in names if rows > 1 and counts.column(name)[0].as_py() == rows]


_OPTIONS = {
    "csv": "FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR ''",
    "tsv": "FORMAT csv, HEADER true, DELIMITER '\t', QUOTE '\"', ESCAPE '\"', NULLSTR ''",
    "jsonl": "FORMAT json",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}
_BATCH_ROWS = 122_880  # those of a row group
_FLOATS = ("FLOAT", "DOUBLE")


def write_table(
    table: object, path: Path, format_of: Path | None = None, *, leaving: Leaving | None = None
) -> None:
    """Write a table to a file.

    Relations of DuckDB are streamed. Text files are UTF-8 with a header and lines that end in a
    newline; fields stand in quotes only where they need them, missing is nothing, an empty text a
    pair of quotes, and a number the shortest text that reads back the same. No file has metadata, categories
    or statistics of anything but the rows in it.
    """
    named = format_of or path
    kind = file_format(named)
    if kind is None:
        raise OutputError(
            "this file type is not supported. Use a name that ends in .csv, .csv.gz, .tsv, .parquet, .arrow "
            "or .jsonl.",
            where=str(named),
        )
    import duckdb
    import pyarrow as pa

    try:
        relation = _relation_of(table) if leaving is None else leave(_held(table), leaving, kind)
        if kind == "arrow":
            _write_arrow(relation, path)
        else:
            _copy(relation, path, kind, compressed=named.suffix.lower() == ".gz")
    except OutputError as error:
        raise OutputError(error.message, where=str(named)) from None
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        raise _explain(error, path, named) from None


def _relation_of(table: object) -> duckdb.DuckDBPyRelation:
    """Return any table as a relation."""
    import duckdb
    import narwhals as nw

    if isinstance(table, duckdb.DuckDBPyRelation):
        return table
    frame: Any = nw.from_native(table)
    found = to_arrow(frame)
    relation = connect().from_arrow(found)
    _refuse_finer(found, relation)
    return relation


def _refuse_finer(table: pa.Table, relation: duckdb.DuckDBPyRelation) -> None:
    """Refuse times with a zone finer than a microsecond where the engine is too old to know them."""
    import pyarrow as pa

    for place, (field, known) in enumerate(zip(table.schema, relation.types, strict=True)):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns" and str(known) == ZONED:
            try:
                table.column(place).cast(pa.timestamp("us", field.type.tz))
            except pa.ArrowInvalid:
                raise OutputError(
                    f"the column {field.name!r} holds times with a zone that are finer than a microsecond. "
                    "Round them, or install DuckDB 2."
                ) from None


def _held(table: object) -> duckdb.DuckDBPyRelation:
    """Return any table as a relation of our own engine that can be read more than once at no cost."""
    import duckdb

    if not isinstance(table, duckdb.DuckDBPyRelation):
        return _relation_of(table)
    # The owner's engine may know other settings, and what it has to compute it would compute each time.
    connection = connect()
    _sfumato_rows_ = read_batches(table)
    connection.execute("CREATE TEMP TABLE sfumato_released AS SELECT * FROM _sfumato_rows_")
    del _sfumato_rows_
    return connection.table("sfumato_released")


def _copy(relation: duckdb.DuckDBPyRelation, path: Path, kind: str, *, compressed: bool) -> None:
    """Let the engine write a file."""
    if kind != "parquet":
        relation = _without_undefined(relation)
    options = _OPTIONS[kind] + (", COMPRESSION gzip" if compressed else "")
    target = f"{quote_literal(str(path.absolute()))} ({options}, USE_TMP_FILE false)"
    if kind != "parquet" and not compressed:
        relation.query("_sfumato_rows_", f"COPY _sfumato_rows_ TO {target}")
        return
    # Several threads would cut row groups and compressed blocks differently each time.
    writer = connect()
    writer.execute("SET threads = 1")
    _sfumato_rows_ = _even_batches(relation, lambda rows: rows.combine_chunks())
    writer.execute(f"COPY (SELECT * FROM _sfumato_rows_) TO {target}")
    del _sfumato_rows_


def _without_undefined(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Make undefined numbers missing, which a text file cannot tell apart and JSON does not know."""
    if not any(str(found) in _FLOATS for found in relation.types):
        return relation
    chosen = []
    for name, found in zip(relation.columns, relation.types, strict=True):
        column = quote_name(name)
        undefined = f"CASE WHEN NOT isnan({column}) THEN {column} END AS {column}"
        chosen.append(undefined if str(found) in _FLOATS else column)
    return relation.project(", ".join(chosen))


def _even_batches(
    relation: duckdb.DuckDBPyRelation, copy: Callable[[pa.Table], pa.Table]
) -> pa.RecordBatchReader:
    """Run a relation; all batches but the last have one size, however many threads made them."""
    import pyarrow as pa

    # A list of categories would name those that no row has.
    shown = [
        f"CAST({name} AS VARCHAR) AS {name}" if str(found).startswith("ENUM") else name
        for name, found in zip(map(quote_name, relation.columns), relation.types, strict=True)
    ]
    reader = read_batches(relation.project(", ".join(shown)))

    def batches() -> Iterator[pa.RecordBatch]:
        waiting = pa.Table.from_batches([], reader.schema)
        for batch in reader:
            waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch])])
            full = waiting.num_rows - waiting.num_rows % _BATCH_ROWS
            yield from copy(waiting.slice(0, full)).to_batches(_BATCH_ROWS)
            waiting = waiting.slice(full)
        yield from copy(waiting).to_batches()

    return pa.RecordBatchReader.from_batches(reader.schema, batches())


def _write_arrow(relation: duckdb.DuckDBPyRelation, path: Path) -> None:
    """Write an Arrow file batch by batch."""
    import pyarrow as pa
    import pyarrow.ipc

    reader = _even_batches(relation, copy_rows)
    with pa.OSFile(str(path.absolute()), "wb") as file, pyarrow.ipc.new_file(file, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _explain(error: Exception, path: Path, named: Path) -> OutputError:
    """Say why a file cannot be written, without a word of what was to be written."""
    text = str(error)
    folder = path.parent
    if "No space left" in text or "not enough space" in text:
        reason = "the disk is full. Free some space, or write elsewhere."
    elif path.is_dir():
        reason = "a folder has this name. Choose another name."
    elif not folder.is_dir():
        reason = "its folder does not exist. Make the folder first."
    elif not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        reason = "this is not allowed here. Choose another folder, or change its rights."
    else:
        kind = type(error).__name__.removesuffix("Exception")
        reason = f"the engine failed ({kind}). Check the disk, or write another format."
    return OutputError(f"the file cannot be written: {reason}", where=str(named))
