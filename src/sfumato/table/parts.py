"""Files and folders of files, written from batches of one size; folders may be named by labels.

A folder of files is the one file cut into parts. Where columns name the folders, as in
``sex=F/part-00000.csv`` (Hive), the files of a folder are its rows in order, without these columns.
"""

from __future__ import annotations

import itertools
import re
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import OutputError
from sfumato.private import sync_file
from sfumato.table.dialects import Dialect
from sfumato.table.engine import connect, quote_literal, quote_name, read_batches
from sfumato.table.files import NO_PARTITION, format_of
from sfumato.table.libraries import pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sfumato.table.dialects import Leaving
    from sfumato.table.libraries import duckdb

_OPTIONS = {
    "csv": "FORMAT csv, HEADER true, DELIMITER {}, QUOTE '\"', ESCAPE '\"', NULLSTR ''",
    "tsv": "FORMAT csv, HEADER true, DELIMITER {}, QUOTE '\"', ESCAPE '\"', NULLSTR ''",
    "jsonl": "FORMAT json",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}
PACKED = {".gz": "gzip", ".zst": "zstd"}
BATCH_ROWS = 122_880  # those of a row group
MOST_FOLDERS = 10_000
_LONGEST_NAME = 255  # bytes; what file systems allow
_ESCAPED = re.compile(r"[^A-Za-z0-9_.~\u0080-\U0010ffff-]")


def part_suffix(path: Path, divided_by: str) -> str:
    """Return what the names of the files of a folder end in."""
    kind, packed = format_of(path), path.suffix.lower()
    if kind not in ("csv", "tsv", "parquet") or packed in (".txt", ".pq", ".tab"):
        raise OutputError(
            "only Parquet, CSV and TSV are written as several files. Use a name that ends in .parquet, .csv, "
            f".tsv, .csv.gz or .csv.zst, or do without {divided_by}.",
            where=str(path),
        )
    return f".{kind}{packed if packed in PACKED else ''}"


def folder_name(column: str, label: str | None) -> str:
    """Return the name of the folder of a label, as Hive, Spark and the embedded engine read it.

    Examples
    --------
    >>> folder_name("area", "a/b=*"), folder_name("área", "ü"), folder_name(".x", None)
    ('area=a%2Fb%3D%2A', 'área=ü', '%2Ex=__HIVE_DEFAULT_PARTITION__')
    """
    if label in ("", NO_PARTITION):
        raise OutputError(
            f"the column {column!r} has a value that no folder can be named after: an empty text, or the one "
            f"that means missing there ({NO_PARTITION}). Rename it, or divide by another column."
        )
    escaped = [_ESCAPED.sub(_percent, text) for text in (column, NO_PARTITION if label is None else label)]
    # Folders whose names begin with a dot are hidden from readers.
    name = "=".join([re.sub("^[.]", _percent, escaped[0]), escaped[1]])
    if len(name.encode()) > _LONGEST_NAME:
        raise OutputError(
            f"the column {column!r} has texts too long for names of folders. Divide by another."
        )
    return name


def _percent(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"


def write_folder(relation: duckdb.DuckDBPyRelation, path: Path, named: Path, leaving: Leaving) -> None:
    """Write a folder of files, divided by labels and by numbers of rows; its rows are in their order."""
    suffix, most, by = (
        part_suffix(named, leaving.divided_by),
        leaving.rows_per_file,
        list(leaving.partition_by),
    )
    kind = suffix[1:].partition(".")[0]
    path.unlink(missing_ok=True)
    path.mkdir(mode=0o700)
    # What says the folder is text. An empty field of a text file is missing.
    texts = [f"CAST({quote_name(name)} AS VARCHAR)" for name in by]
    texts = texts if kind == "parquet" else [f"nullif({text}, '')" for text in texts]
    chosen = [f"{text} AS {quote_name(name)}" for text, name in zip(texts, by, strict=True)]
    rows = relation.project(", ".join([*chosen, *map(quote_name, relation.columns[len(by) :])]))
    reader = even_batches(rows, lambda part: part.combine_chunks(), min(most or BATCH_ROWS, BATCH_ROWS))
    schema = pa.schema(list(reader.schema)[len(by) :])
    dialect = Dialect("\t" if kind == "tsv" else ",")
    options = options_of(kind, dialect, PACKED.get(named.suffix.lower(), ""))
    writer, folders = connect(), set[tuple[str | None, ...]]()
    pieces = _pieces(reader, by, schema)
    for (labels, number), found in itertools.groupby(_numbered(pieces, most), itemgetter(0)):
        folder = path.joinpath(*map(folder_name, by, labels))
        if labels not in folders:
            folders.add(labels)
            _make(folder, len(folders), by)
        file = folder / f"part-{number:05}{suffix}"
        batches = pa.RecordBatchReader.from_batches(schema, (piece for _, piece in found))
        copy_evenly(batches, file, options, writer)
        sync_file(file)


def _make(folder: Path, number: int, by: list[str]) -> None:
    """Make the folder of a combination of labels, which is not there yet."""
    if number > MOST_FOLDERS:
        raise OutputError(
            f"the columns {', '.join(map(repr, by))} would make more than {MOST_FOLDERS:,} folders. Divide "
            "by columns with fewer labels."
        )
    try:
        folder.mkdir(parents=True, exist_ok=not by)
    except FileExistsError:
        raise OutputError(
            f"two labels of {by[-1]!r} are one name of a folder on this file system, which may not tell "
            "upper from lower case. Divide by another column, or write elsewhere."
        ) from None


def _pieces(
    reader: pa.RecordBatchReader, by: list[str], schema: pa.Schema
) -> Iterator[tuple[tuple[str | None, ...], pa.RecordBatch]]:
    """Cut batches where the labels change; return labels, and the other columns."""
    is_empty = not by
    for batch in reader:
        is_empty, starts = False, {0, batch.num_rows}
        for place in range(len(by)):
            codes = batch.column(place).dictionary_encode().indices.fill_null(-1).to_numpy()
            starts.update((np.flatnonzero(np.diff(codes)) + 1).tolist())
        inside = pa.RecordBatch.from_arrays(batch.columns[len(by) :], schema=schema)
        for begin, end in itertools.pairwise(sorted(starts)):
            labels = tuple(batch.column(place)[begin].as_py() for place in range(len(by)))
            yield labels, inside.slice(begin, end - begin)
    if is_empty:  # without any rows there is still a file, which says what the columns are
        yield (), pa.RecordBatch.from_pylist([], schema)


def _numbered(
    pieces: Iterator[tuple[tuple[str | None, ...], pa.RecordBatch]], most: int
) -> Iterator[tuple[tuple[tuple[str | None, ...], int], pa.RecordBatch]]:
    """Number the files of each folder, which take no more than so many rows."""
    last: tuple[str | None, ...] | None = None
    number = rows = 0
    for labels, piece in pieces:
        if labels != last:
            number = rows = 0
        elif most and rows + piece.num_rows > most:
            number, rows = number + 1, 0
        last, rows = labels, rows + piece.num_rows
        yield (labels, number), piece


def options_of(kind: str, dialect: Dialect, packed: str) -> str:
    """Return the options with which the engine writes a file."""
    options = _OPTIONS[kind].format(quote_literal(dialect.separator))
    return options + (f", COMPRESSION {packed}" if packed else "")


def copy_evenly(
    _sfumato_rows_: pa.RecordBatchReader, path: Path, options: str, writer: duckdb.DuckDBPyConnection
) -> None:
    """Write batches of one size."""
    # Several threads would cut row groups and compressed blocks differently each time. And where a file
    # cannot grow, those of DuckDB 2.0 now and then wait for each other forever.
    writer.execute("SET threads = 1")
    writer.execute(f"COPY (SELECT * FROM _sfumato_rows_) TO {_target(path, options)}")


def _target(path: Path, options: str) -> str:
    return f"{quote_literal(str(path.absolute()))} ({options}, USE_TMP_FILE false)"


def even_batches(
    relation: duckdb.DuckDBPyRelation, copy: Callable[[pa.Table], pa.Table], size: int = BATCH_ROWS
) -> pa.RecordBatchReader:
    """Run a relation; all batches but the last have one size, however many threads made them."""
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
            # Each by itself: a part of a larger batch is not written with the same bytes.
            while waiting.num_rows >= size:
                yield from copy(waiting.slice(0, size)).to_batches()
                waiting = waiting.slice(size)
        yield from copy(waiting).to_batches()

    return pa.RecordBatchReader.from_batches(reader.schema, batches())
