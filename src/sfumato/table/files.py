"""Files as relations of the embedded engine, opened so that nothing is read wrongly in silence."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from sfumato.errors import DataError, nearest
from sfumato.table.delimited import Layout, explain, lay_out, refuse_repeated
from sfumato.table.engine import connect, quote_literal, read_batches
from sfumato.table.libraries import duckdb, pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.spec import DataSpec

FileFormat: TypeAlias = Literal["csv", "tsv", "parquet", "arrow", "jsonl"]

_SUFFIXES: dict[FileFormat, tuple[str, ...]] = {
    "csv": (".csv", ".txt"),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "jsonl": (".jsonl", ".ndjson", ".json"),
}
FORMATS = {suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes}
_COMPRESSIBLE = ("csv", "tsv", "jsonl")
_RENAMED = re.compile(r"_[0-9]+$")
# JSON knows texts, numbers and truth values. What the engine guesses beyond that is read as the text it is.
_JSON_TYPES = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN", "VARCHAR")


@dataclass(frozen=True, eq=False)
class OpenFile:
    """A file, opened and not yet read."""

    path: Path  # the file or folder
    relation: duckdb.DuckDBPyRelation  # its rows
    stamp: tuple[tuple[str, int, int], ...]  # name, size and time of each file, before it was read
    # how a text file is laid out; its columns are all text. None for typed formats.
    layout: Layout | None = None

    def explain(self, error: Exception) -> DataError:
        """Say why the rows cannot be read, without a word of what is in them."""
        if self.layout is not None:
            return explain(self.layout)
        kind = type(error).__name__.removesuffix("Exception")
        return DataError(
            f"the rows cannot be read ({kind}). The file is damaged or changed meanwhile; write it again.",
            where=str(self.path),
        )


def format_of(path: Path) -> FileFormat | None:
    """Return the format that the name of a file says, or None; ``.gz`` is allowed after a text format.

    Examples
    --------
    >>> format_of(Path("a.csv.gz")), format_of(Path("a.feather")), format_of(Path("a.xlsx"))
    ('csv', 'arrow', None)
    """
    found = FORMATS.get(path.suffix.lower())
    if path.suffix.lower() != ".gz":
        return found
    inner = FORMATS.get(Path(path.stem).suffix.lower())
    return inner if inner in _COMPRESSIBLE else None


def open_file(path: Path, asked: DataSpec) -> OpenFile:
    """Open a file, or a folder of Parquet files."""
    if not path.exists():
        raise DataError(f"there is no such file. {_near(path)}".rstrip(), where=str(path))
    try:
        # On some systems a file's name may be any bytes.
        str(path.absolute()).encode()
    except UnicodeEncodeError:
        raise DataError(
            "the name is not valid UTF-8. Rename the file or its folder.", where=str(path)
        ) from None
    found, layout = stamp(path), None
    if path.is_dir():
        relation = _read_folder(path)
    else:
        kind = _require_format(path)
        if kind in ("csv", "tsv"):
            separator = asked.separator or ("\t" if kind == "tsv" else None)
            layout = lay_out(path, separator=separator, encoding=asked.encoding)
        relation = _read_text(layout, asked.missing) if layout else _read_typed(path, kind)
    refuse_repeated(relation.columns, where=str(path))
    opened = OpenFile(path, relation, found, layout)
    _refuse_empty(opened)
    return opened


def _require_format(path: Path) -> FileFormat:
    """Return the format of a file that is not empty."""
    kind = format_of(path)
    if kind is None:
        known = ", ".join(FORMATS)
        raise DataError(
            f"this file type is not supported; save it as CSV first. Supported: {known}.", where=str(path)
        )
    if path.stat().st_size == 0:
        raise DataError("the file is empty. Put a header and at least one row into it.", where=str(path))
    return kind


def _read_typed(path: Path, kind: FileFormat) -> duckdb.DuckDBPyRelation:
    if kind == "parquet":
        return _read_parquet(path, [path])
    return _read_arrow(path) if kind == "arrow" else _read_json(path)


def _read_text(layout: Layout, missing: Sequence[str]) -> duckdb.DuckDBPyRelation:
    """Open a text file with separators; every column is text."""
    columns = ", ".join(f"{quote_literal(name)}: 'VARCHAR'" for name in layout.names)
    listed = ", ".join(quote_literal(text) for text in missing)
    # Everything is said, so that the engine guesses nothing; in strict mode it refuses a ragged line.
    options = (
        f"delim = {quote_literal(layout.separator)}, quote = '\"', escape = '\"', header = true, "
        f"skip = {layout.blank_lines}, "
        f"auto_detect = false, strict_mode = true, null_padding = false, columns = {{{columns}}}, "
        f"compression = '{'gzip' if layout.compressed else 'none'}'"
        # An empty list would mean the engine's own default, which is the empty text.
        f", nullstr = [{listed or quote_literal(chr(0))}]"
    )
    return connect().sql(f"SELECT * FROM read_csv({_literal_path(layout.readable)}, {options})")


def _read_folder(folder: Path) -> duckdb.DuckDBPyRelation:
    """Open all Parquet files below a folder; names that begin with a dot or an underscore do not count."""
    files = [
        file
        for file in sorted(folder.rglob("*"))
        if file.suffix.lower() in (".parquet", ".pq")
        and not any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)
    ]
    if not files:
        raise DataError(
            "the folder holds no Parquet files. Name a file, or another folder.", where=str(folder)
        )
    return _read_parquet(folder, files)


def _read_parquet(path: Path, files: Sequence[Path]) -> duckdb.DuckDBPyRelation:
    """Open Parquet files of one schema."""
    listed, connection = ", ".join(_literal_path(file) for file in files), connect()
    try:
        relation = connection.sql(f"SELECT * FROM read_parquet([{listed}])")
    except duckdb.Error:
        raise DataError(
            f"the file {files[0].name!r} is not a Parquet file, or it is damaged. Write it again.",
            where=str(path),
        ) from None
    # The engine gives a second column of one name, but for upper and lower case, a name of its own. That a
    # file cannot be read is said when its rows are.
    with contextlib.suppress(duckdb.Error):
        schema = connection.sql(f"SELECT file_name, name, num_children FROM parquet_schema([{listed}])")
        for _, parts in itertools.groupby(schema.fetchall(), key=lambda part: part[0]):
            refuse_repeated(_top_names([(name, count) for _, name, count in parts]), where=str(path))
    return relation


def _top_names(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    """Return the names of the columns in a Parquet schema, which lists the parts of nested ones too."""
    names, inside = [], 0
    for name, children in schema[1:]:
        if inside == 0:
            names.append(name)
        inside = max(inside - 1, 0) + (children or 0)
    return names


def _read_arrow(path: Path) -> duckdb.DuckDBPyRelation:
    """Open an Arrow file (also called Feather), or a stream of Arrow batches that was saved as a file."""
    import pyarrow.dataset
    import pyarrow.ipc

    try:
        rows = pyarrow.dataset.dataset(str(path.absolute()), format="ipc")
        rows.head(1)
    except (pa.ArrowException, OSError):
        try:
            with pa.memory_map(str(path.absolute())) as file:
                rows = pyarrow.ipc.open_stream(file).read_all()
        except (pa.ArrowException, OSError):
            raise DataError(
                "the file is not an Arrow file, or it is damaged. Write it again.", where=str(path)
            ) from None
    refuse_repeated(rows.schema.names, where=str(path))
    return connect().from_arrow(rows)


def read_zones(path: Path) -> dict[str, str]:
    """Return the zone of each column of times that a Parquet or Arrow file says."""
    import pyarrow.dataset

    kind = "ipc" if format_of(path) == "arrow" else "parquet"
    try:
        schema = pyarrow.dataset.dataset(str(path.absolute()), format=kind).schema
    except (pa.ArrowException, OSError):  # a stream of Arrow batches, or what the engine alone can read
        return {}
    return {item.name: item.type.tz for item in schema if getattr(item.type, "tz", None)}


def _read_json(path: Path) -> duckdb.DuckDBPyRelation:
    """Open JSON lines, or one array of objects, with the types of JSON; what is mixed is read as text."""
    connection = connect()
    source = _literal_path(path)
    try:
        guessed = connection.sql(f"SELECT * FROM read_json({source}, sample_size = -1, maximum_depth = 2)")
    except duckdb.Error:
        raise DataError(_explain_json(path), where=str(path)) from None
    # Rows that are no objects, and keys that differ in case alone, are read as columns of other names.
    if guessed.columns == ["json"] or any(_RENAMED.search(name) for name in guessed.columns):
        _refuse_odd_json(path, connection)
    types = [str(found) for found in guessed.types]
    columns = ", ".join(
        f"{quote_literal(name)}: '{found if found in _JSON_TYPES else 'VARCHAR'}'"
        for name, found in zip(guessed.columns, types, strict=True)
    )
    return connection.sql(f"SELECT * FROM read_json({source}, columns = {{{columns}}})")


def _refuse_odd_json(path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    """Refuse lines that are no objects, and keys that the engine cannot tell apart."""
    objects = f"read_json_objects({_literal_path(path)})"
    counted = connection.sql(f"SELECT count(*) FROM {objects} WHERE json_type(json) <> 'OBJECT'")
    if counted.fetchall()[0][0]:
        raise DataError("the lines are not JSON objects. Write one object for each row.", where=str(path))
    keys = connection.sql(f"SELECT DISTINCT unnest(json_keys(json)) AS key FROM {objects} ORDER BY key")
    refuse_repeated([key for (key,) in keys.fetchall()], where=str(path))


def _explain_json(path: Path) -> str:
    """Say which line of a file is not JSON."""
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    with opened(path, "rt", encoding="utf-8", errors="replace") as file:
        try:
            for number, line in enumerate(file, start=1):
                if line.strip() and not isinstance(json.loads(line), dict):
                    return f"line {number} is not a JSON object. Write one object for each row."
        except ValueError:
            return f"line {number} is not JSON. Write one object for each row."
    return "the file cannot be read as JSON lines. Write one object for each row."


def _refuse_empty(opened: OpenFile) -> None:
    """Refuse a file without rows; reading one row also finds what is wrong at the beginning."""
    try:
        rows = sum(batch.num_rows for batch in read_batches(opened.relation.limit(1)))
    except duckdb.Error as error:
        raise opened.explain(error) from None
    if not rows:
        what = "a header and no rows" if opened.layout else "no rows"
        raise DataError(f"the file has {what}. Nothing can be released from it.", where=str(opened.path))


def _literal_path(path: Path) -> str:
    """Return a path as an SQL literal in which no character is a wildcard, and ``~`` no home."""
    return quote_literal("".join(f"[{c}]" if c in "*?[" else c for c in str(path.absolute())))


def _near(path: Path) -> str:
    """Return a hint with the file nearby whose name is closest."""
    if not path.parent.is_dir():
        return "Its folder does not exist either."
    hint = nearest(path.name, [entry.name for entry in path.parent.iterdir()])
    return hint if hint.startswith("Did") else ""


def stamp(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Return what tells whether a file is still the one that was opened; nothing where there is none."""
    if not path.exists():
        return ()
    files = sorted(entry for entry in path.rglob("*") if entry.is_file()) if path.is_dir() else [path]
    return tuple((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files)
