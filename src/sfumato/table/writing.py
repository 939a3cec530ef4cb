"""Writing a table to a file of any format."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from sfumato.errors import OutputError
from sfumato.table.engine import connect, quote_literal, stream
from sfumato.table.files import format_of as file_format
from sfumato.table.frames import to_arrow

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

_OPTIONS = {
    "csv": "FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR ''",
    "tsv": "FORMAT csv, HEADER true, DELIMITER '\t', QUOTE '\"', ESCAPE '\"', NULLSTR ''",
    "jsonl": "FORMAT json",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}
_FLOATS = ("FLOAT", "DOUBLE")


def is_typed(path: Path) -> bool:
    """Tell by the name of a file whether its format knows numbers from texts.

    Examples
    --------
    >>> from pathlib import Path
    >>> is_typed(Path("a.parquet")), is_typed(Path("a.csv.gz"))
    (True, False)
    """
    return file_format(path) in ("parquet", "arrow", "jsonl")


def write_table(table: object, path: Path, format_of: Path | None = None) -> None:
    """Write a table to a file.

    Relations of DuckDB are streamed. Text files are UTF-8 with a header and lines that end in a
    newline; fields stand in quotes only where they need them, missing is nothing, an empty text a
    pair of quotes, and a number the shortest text that reads back the same.

    Parameters
    ----------
    table
        A relation or a frame of any kind; the index of a pandas frame is not written.
    path
        The file, which is replaced if it exists. Writing aside and renaming is left to the caller.
    format_of
        A path whose suffix says the format, where ``path`` is a temporary name.

    Raises
    ------
    OutputError
        If the format is unknown or the file cannot be written.
    """
    named = format_of or path
    kind = file_format(named)
    if kind is None:
        raise OutputError(
            "the name does not say a format. Let it end in .csv, .csv.gz, .tsv, .parquet, .arrow or .jsonl.",
            where=str(named),
        )
    import duckdb
    import pyarrow as pa

    try:
        relation = _relation_of(table)
        if kind == "arrow":
            _write_arrow(relation, path)
        else:
            _copy(relation, path, kind, compressed=named.suffix.lower() == ".gz")
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        raise _explain(error, path, named) from None


def _relation_of(table: object) -> duckdb.DuckDBPyRelation:
    """Return any table as a relation."""
    import duckdb
    import narwhals as nw

    if isinstance(table, duckdb.DuckDBPyRelation):
        return table
    frame: Any = nw.from_native(table)
    return connect().from_arrow(to_arrow(frame))


def _copy(relation: duckdb.DuckDBPyRelation, path: Path, kind: str, *, compressed: bool) -> None:
    """Let the engine write a file."""
    if kind != "parquet":
        relation = _without_undefined(relation)
    options = _OPTIONS[kind] + (", COMPRESSION gzip" if compressed else "")
    target = f"{quote_literal(str(path.absolute()))} ({options}, USE_TMP_FILE false)"
    relation.query("_sfumato_rows_", f"COPY _sfumato_rows_ TO {target}")


def _without_undefined(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Make undefined numbers missing, which a text file cannot tell apart and JSON does not know."""
    if not any(str(found) in _FLOATS for found in relation.types):
        return relation
    chosen = []
    for name, found in zip(relation.columns, relation.types, strict=True):
        column = '"' + name.replace('"', '""') + '"'
        undefined = f"CASE WHEN NOT isnan({column}) THEN {column} END AS {column}"
        chosen.append(undefined if str(found) in _FLOATS else column)
    return relation.project(", ".join(chosen))


def _write_arrow(relation: duckdb.DuckDBPyRelation, path: Path) -> None:
    """Write an Arrow file batch by batch."""
    import pyarrow as pa
    import pyarrow.ipc

    schema = relation.limit(0).to_arrow_table().schema
    with pa.OSFile(str(path.absolute()), "wb") as file, pyarrow.ipc.new_file(file, schema) as writer:
        for batch in stream(relation):
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


__all__ = ["is_typed", "write_table"]
