"""Files as relations of the embedded engine, opened so that nothing is read wrongly in silence."""

from __future__ import annotations

import contextlib
import functools
import glob
import gzip
import itertools
import json
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import unquote

from sfumato.errors import DataError, nearest
from sfumato.private import process_folder
from sfumato.table.delimited import COMPRESSED, Layout, explain, lay_out, refuse_repeated
from sfumato.table.dialects import read_decimals
from sfumato.table.engine import connect, quote_literal, quote_name, read_batches
from sfumato.table.libraries import duckdb, pa
from sfumato.table.office import SAVED_ELSEWHERE, text_copy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sfumato.spec import DataSpec

FileFormat: TypeAlias = Literal["csv", "tsv", "parquet", "arrow", "jsonl", "xlsx", "statistics"]

_SUFFIXES: dict[FileFormat, tuple[str, ...]] = {
    "csv": (".csv", ".txt"),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "xlsx": (".xlsx", ".xlsm"),
    "statistics": (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt"),
}
FORMATS = {suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes}
# What is read as text, whatever is in it; and what counts in a folder.
_TEXTS = ("csv", "tsv", "xlsx", "statistics")
_IN_FOLDERS = ("parquet", "csv", "tsv", "xlsx")
STANDARD_INPUT = "standard input"
NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"  # how Hive writes a missing value in the name of a folder
_MAGIC = {
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\xff\xff\xff\xff": ".arrow",  # a stream
    b"PK\x03\x04": ".xlsx",
    b"\x1f\x8b": ".csv.gz",
    b"{": ".jsonl",
}
_RENAMED = re.compile(r"_[0-9]+$")
# JSON knows texts, numbers and truth values. What the engine guesses beyond that is read as the text it is.
_JSON_TYPES = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN", "VARCHAR")


@dataclass(frozen=True, eq=False)
class OpenFile:
    """A file, opened and not yet read."""

    path: Path  # the file, folder or pattern of names
    relation: duckdb.DuckDBPyRelation  # its rows
    stamp: tuple[tuple[str, int, int], ...]  # name, size and time of each file, before it was read
    # how text files are laid out; their columns are all text. None for typed formats.
    layouts: tuple[Layout, ...] = ()

    @property
    def layout(self) -> Layout | None:
        """How the first text file is laid out."""
        return self.layouts[0] if self.layouts else None

    def explain(self, error: Exception) -> DataError:
        """Say why the rows cannot be read, without a word of what is in them."""
        # The engine names the file that it could not write to; what it spills to is in a folder of ours.
        if isinstance(error, duckdb.OutOfMemoryException) or str(process_folder() / "spill-") in str(error):
            return DataError(
                "the rows need more memory than the engine may use, and the disk for temporary files is full "
                "or too small. Raise --memory, or set TMPDIR to a folder with free space.",
                where=str(self.path),
            )
        found = [explain(layout) for layout in self.layouts]
        if found:
            return next((item for item in found if "line" in item.message.split()), found[0])
        kind = type(error).__name__.removesuffix("Exception")
        return DataError(
            f"the rows cannot be read ({kind}). The file is damaged or changed meanwhile; write it again.",
            where=str(self.path),
        )


def format_of(path: Path) -> FileFormat | None:
    """Return the format that the name of a file says, or None; text may be compressed.

    Examples
    --------
    >>> format_of(Path("a.csv.gz")), format_of(Path("a.feather")), format_of(Path("a.xls"))
    ('csv', 'arrow', None)
    """
    suffix = path.suffix.lower()
    if suffix not in COMPRESSED:
        return FORMATS.get(suffix)
    inner = FORMATS.get(Path(path.stem).suffix.lower(), "csv" if suffix == ".zip" else None)
    return inner if inner in ("csv", "tsv") or (inner, suffix) == ("jsonl", ".gz") else None


def open_file(path: Path, asked: DataSpec, *, guess: bool = False) -> OpenFile:
    """Open a file, a folder, all files that fit a pattern, or standard input."""
    if str(path) == "-":
        with _called(Path(STANDARD_INPUT)):
            opened = open_file(_standard_input(), asked, guess=guess)
        layouts = tuple(replace(layout, named=Path(STANDARD_INPUT)) for layout in opened.layouts)
        return replace(opened, path=Path(STANDARD_INPUT), stamp=(), layouts=layouts)
    found = stamp(path)
    files = _find_files(path)
    try:
        # On some systems a file's name may be any bytes.
        str(path.absolute()).encode()
    except UnicodeEncodeError:
        raise DataError(
            "the name is not valid UTF-8. Rename the file or its folder.", where=str(path)
        ) from None
    kinds = {_require_format(file) for file in files}
    if kinds <= set(_TEXTS):
        return _open_texts(path, files, asked, found, guess=guess)
    if len(files) > 1 and kinds != {"parquet"}:
        raise DataError("several files have to be of one format: text, Excel or Parquet.", where=str(path))
    relation = _read_parquet(path, files) if kinds == {"parquet"} else _read_typed(files[0], *kinds)
    refuse_repeated(relation.columns, where=str(path))
    opened = OpenFile(path, relation, found)
    _refuse_empty(opened)
    return opened


def _open_texts(
    path: Path,
    files: Sequence[Path],
    asked: DataSpec,
    found: tuple[tuple[str, int, int], ...],
    *,
    guess: bool,
) -> OpenFile:
    """Open files that are read as text."""
    layouts = tuple(_lay_out(file, asked, guess=guess) for file in files)
    for layout in layouts[1:]:
        _refuse_other_columns(layouts[0].names, layout.names, layout.named, layouts[0].named)
    partitions = _partitions(path, files)
    query = " UNION ALL BY NAME ".join(
        _select_text(layout, asked.missing, partition=partition)
        for layout, partition in zip(layouts, partitions, strict=True)
    )
    opened = OpenFile(path, connect().sql(query), found, layouts)
    try:
        _refuse_empty(opened)
        for layout in layouts:
            _refuse_trailing(layout, asked.missing)
        relation, dialect = read_decimals(opened.relation, layouts[0].dialect, asked.decimal, where=str(path))
    except duckdb.Error as error:
        raise opened.explain(error) from None
    return replace(opened, relation=relation, layouts=(replace(layouts[0], dialect=dialect), *layouts[1:]))


def _lay_out(file: Path, asked: DataSpec, *, guess: bool) -> Layout:
    kind = _require_format(file)
    if kind in ("csv", "tsv"):
        return lay_out(file, asked, file, separator="\t" if kind == "tsv" else None, guess=guess)
    copy = text_copy(file, asked.sheet, asked.labels, stamp(file))
    plain = asked.model_copy(update={"encoding": "utf-8", "separator": ","})
    with _called(file):
        return lay_out(copy, plain, file, guess=guess)


@contextlib.contextmanager
def _called(named: Path) -> Iterator[None]:
    """Let messages speak of a file by the name that the user knows."""
    try:
        yield
    except DataError as error:
        raise DataError(error.message, where=str(named), values=error.values) from None


def _refuse_other_columns(first: Sequence[str], other: Sequence[str], named: Path, model: Path) -> None:
    """Refuse a file whose columns are not those of the first one."""
    lacking = next((name for name in first if name not in other), None)
    more = next((name for name in other if name not in first), None)
    if lacking is not None or more is not None:
        what = f"has no column {lacking!r}" if lacking is not None else f"has a column {more!r}"
        but = "has one" if lacking is not None else "has not"
        raise DataError(
            f"the file {what}, but {model.name!r} {but}. All files need the same columns.", where=str(named)
        )


def _refuse_trailing(layout: Layout, missing: Sequence[str]) -> None:
    """Refuse values after the separator that ends a line."""
    if layout.has_trailing:
        source = _select_text(layout, missing, only_trailing=True)
        if connect().sql(f"SELECT count(*) FROM ({source}) AS t(last) WHERE last <> ''").fetchall()[0][0]:
            raise DataError(
                "the last column has no name, but some rows have a value there. Name it.",
                where=str(layout.named),
            )


@functools.cache
def _standard_input() -> Path:
    """Keep all of standard input in a private file whose name says the format."""
    if sys.stdin is None or sys.stdin.isatty():
        raise DataError("nothing is piped into standard input. Name a file, or pipe one.")
    with tempfile.NamedTemporaryFile(dir=process_folder(), delete=False) as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    path = Path(file.name)
    with path.open("rb") as written:
        first = written.read(8)
    suffix = next((suffix for magic, suffix in _MAGIC.items() if first.startswith(magic)), ".csv")
    return path.rename(path.with_name(path.name + suffix))


def _find_files(path: Path) -> list[Path]:
    """Return the files that a name stands for."""
    if path.is_dir():
        return _find_in_folder(path)
    if path.exists():
        return [path]
    if glob.has_magic(str(path)):
        files = _expand(path)
        if files:
            return files
        raise DataError("no file fits this pattern.", where=str(path))
    raise DataError(f"there is no such file. {_near(path)}".rstrip(), where=str(path))


def _expand(pattern: Path) -> list[Path]:
    return sorted(
        file for found in glob.glob(str(pattern), recursive=True) if (file := Path(found)).is_file()
    )


def _find_in_folder(folder: Path) -> list[Path]:
    """Return the tables below a folder; names that begin with a dot or an underscore do not count."""
    found: dict[FileFormat, list[Path]] = {}
    for file in sorted(folder.rglob("*")):
        kind = format_of(file)
        inside = file.relative_to(folder).parts
        hidden = any(part[0] == "." or (part[0] == "_" and "=" not in part) for part in inside)
        if kind in _IN_FOLDERS and not hidden and file.is_file() and file.suffix.lower() != ".txt":
            found.setdefault(kind, []).append(file)
    if not found:
        raise DataError(
            "the folder holds no Parquet, CSV or Excel files. Name a file, or another folder.",
            where=str(folder),
        )
    if len(found) > 1:
        raise DataError(
            f"the folder holds files of several formats ({', '.join(found)}). Name those you mean, as in "
            "folder/*.csv.",
            where=str(folder),
        )
    return next(iter(found.values()))


def _require_format(path: Path) -> FileFormat:
    """Return the format of a file that is not empty."""
    kind = format_of(path)
    if kind is None and path.suffix.lower() in SAVED_ELSEWHERE:
        raise DataError(f"{SAVED_ELSEWHERE[path.suffix.lower()]}.", where=str(path))
    if kind is None:
        known = ", ".join(FORMATS)
        raise DataError(
            f"this file type is not supported; save it as CSV first. Supported: {known}.", where=str(path)
        )
    if path.stat().st_size == 0:
        raise DataError("the file is empty. Put a header and at least one row into it.", where=str(path))
    return kind


def _read_typed(path: Path, kind: FileFormat) -> duckdb.DuckDBPyRelation:
    return _read_arrow(path) if kind == "arrow" else _read_json(path)


def _partitions(path: Path, files: Sequence[Path]) -> list[dict[str, str | None]]:
    """Return what the folders of each file say of its rows, by names such as ``year=2024`` (Hive)."""
    # Of a pattern, what comes before its first star is the same for all files, and says nothing.
    fixed = len(path.parts) if path.exists() else [*map(glob.has_magic, path.parts)].index(True)
    found = []
    for file in files:
        inner = file.parent.parts[fixed:]
        pairs = [part.partition("=") for part in inner if "=" in part]
        values = {unquote(name): unquote(value) for name, _, value in pairs}
        found.append({name: None if value == NO_PARTITION else value for name, value in values.items()})
    if any(list(values) != list(found[0]) for values in found):
        raise DataError(
            "some files lie in folders of the form name=value, and others in other ones. All need the same.",
            where=str(path),
        )
    return found


def _select_text(
    layout: Layout,
    missing: Sequence[str],
    *,
    only_trailing: bool = False,
    partition: Mapping[str, str | None] | None = None,
) -> str:
    """Write the query of a text file with separators; every column is text."""
    trailing = ["\0"] if layout.has_trailing else []
    columns = ", ".join(f"{quote_literal(name)}: 'VARCHAR'" for name in (*layout.names, *trailing))
    listed = ", ".join(quote_literal(text) for text in missing)
    said = {
        name: "NULL::VARCHAR" if text is None else quote_literal(text)
        for name, text in (partition or {}).items()
    }
    inside = [name for name in layout.names if name not in said]
    shown = ", ".join(map(quote_name, trailing if only_trailing else inside))
    shown += "".join(f", {text} AS {quote_name(name)}" for name, text in said.items())
    # Everything is said, so that the engine guesses nothing; in strict mode it refuses a ragged line.
    return (
        f"SELECT {shown} FROM read_csv({_literal_path(layout.readable)}, "
        f"delim = {quote_literal(layout.separator)}, quote = '\"', escape = '\"', "
        f"header = {str(layout.has_header).lower()}, skip = {layout.skipped}, "
        f"auto_detect = false, strict_mode = true, null_padding = false, columns = {{{columns}}}, "
        f"compression = '{'gzip' if layout.compressed else 'none'}'"
        # An empty list would mean the engine's own default, which is the empty text.
        f", nullstr = [{listed or quote_literal(chr(0))}])"
    )


def _read_parquet(path: Path, files: Sequence[Path]) -> duckdb.DuckDBPyRelation:
    """Open Parquet files of one schema."""
    listed, connection = ", ".join(_literal_path(file) for file in files), connect()
    said = _partitions(path, files)[0]
    # The engine would take folders above the one that is named for columns too.
    named = {part.partition("=")[0] for part in files[0].absolute().parts if "=" in part}
    above = sorted(name for name in named if unquote(name) not in said)
    left_out = f"EXCLUDE ({', '.join(map(quote_name, above))})" if said and above else ""
    # Nor does it read what is escaped in their names.
    other = [
        f"{quote_name(name)} AS {quote_name(unquote(name))}"
        for name in named
        if "%" in name and unquote(name) in said
    ]
    left_out += f" RENAME ({', '.join(other)})" if other else ""
    try:
        relation = connection.sql(
            f"SELECT * {left_out} FROM read_parquet([{listed}], union_by_name = {len(files) > 1}, "
            f"hive_partitioning = {bool(said)}, hive_types_autocast = false)"
        )
    except duckdb.Error:
        damaged = next((file for file in files if not _is_parquet(file, connection)), files[0])
        raise DataError(
            f"the file {damaged.name!r} is not a Parquet file, or it is damaged. Write it again.",
            where=str(path),
        ) from None
    # The engine gives a second column of one name, but for upper and lower case, a name of its own. That a
    # file cannot be read is said when its rows are.
    with contextlib.suppress(duckdb.Error):
        schema = connection.sql(f"SELECT file_name, name, num_children FROM parquet_schema([{listed}])")
        names: list[str] = []
        for file, parts in itertools.groupby(schema.fetchall(), key=lambda part: part[0]):
            found = _top_names([(name, count) for _, name, count in parts])
            refuse_repeated(found, where=str(path))
            _refuse_other_columns(names or found, found, Path(file), files[0])
            names = names or found
    return relation


def _is_parquet(file: Path, connection: duckdb.DuckDBPyConnection) -> bool:
    try:
        return bool(connection.sql(f"FROM parquet_schema({_literal_path(file)})").fetchall())
    except duckdb.Error:
        return False


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
    files = [path] if path.is_file() else _expand(path)
    if path.is_dir():
        files = sorted(entry for entry in path.rglob("*") if entry.is_file())
    return tuple((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files)
