"""Open a file in the engine; compare a release, as a bag of rows, with the rows before suppression."""

from __future__ import annotations

import csv
import hashlib
import os
import re
import tempfile
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote
from weakref import WeakSet
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile

from sfumato.errors import DataError, OutputError, SfumatoError, VerificationError, nearest
from sfumato.verifier.spark_rows import SparkRows
from sfumato.verifier.spelling import open_text, plain_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from duckdb import DuckDBPyConnection

_TEXTS = {".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".tab": "tsv"}
_LINES = dict.fromkeys((".json", ".jsonl", ".ndjson"), "json lines")
FORMATS: dict[str, str] = {
    **_TEXTS,
    **_LINES,
    **{f"{suffix}.gz": kind for suffix, kind in (_TEXTS | _LINES).items()},
    **{f"{suffix}.zst": kind for suffix, kind in _TEXTS.items()},
    ".xlsx": "Excel",
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow"),
}

# What a folder of files may consist of, and what stands for missing where a label names a folder of them.
_IN_PARTS = (".parquet", ".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst", ".tsv.zst")
_MISSING = "__HIVE_DEFAULT_PARTITION__"

# Where the engine may spill. The caller of the verifier may name a folder that a later run clears if this one
# is killed; by itself the verifier knows only the system's.
temporary_folder: Callable[[], str | Path] = tempfile.gettempdir

# The engines at work, which another thread may interrupt.
running: WeakSet[DuckDBPyConnection] = WeakSet()

# The engine would allow itself most of the machine's memory; beyond this it spills to disk.
MEMORY_BYTES = 1_500_000_000


def release_suffix(path: Path) -> str:
    """Return the suffix that sets the format of a release, in lower case."""
    for suffix in sorted(FORMATS, key=len, reverse=True):
        if path.name.lower().endswith(suffix) and len(path.name) > len(suffix):
            return suffix
    raise DataError(
        f"files with the suffix {path.suffix!r} are not supported. {nearest(path.suffix, FORMATS)}"
    )


def hash_file(path: Path | SparkRows) -> str:
    """Return the SHA-256 digest of a file, read in pieces; of a folder, that of the list of its parts."""
    if isinstance(path, SparkRows):
        return ""
    if path.is_dir():
        listed = "".join(
            f"{hash_file(part)}  {part.relative_to(path).as_posix()}\n" for part in parts_of(path)
        )
        return hashlib.sha256(listed.encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def parts_of(path: Path) -> list[Path]:
    """Return the files that a release consists of, in their order: itself, or the parts of its folder."""
    if not path.is_dir():
        return [path]
    return sorted(part for part in path.rglob(f"*{release_suffix(path)}") if part.is_file())


def folder_columns(path: Path | SparkRows) -> list[str]:
    """Return the columns whose labels name the folders of a release, as in ``sex=F/part-00000.csv``."""
    if isinstance(path, SparkRows) or not path.is_dir():
        return []
    folders = {part.relative_to(path).parts[:-1] for part in parts_of(path)}
    named = {tuple(unquote(name.partition("=")[0]) for name in found) for found in folders}
    if len(named) != 1 or any("=" not in name for found in folders for name in found):
        raise DataError("the folders in it do not name the same columns.", where=str(path))
    return list(*named)


def rows_on_spark(path: Path | SparkRows) -> SparkRows | None:
    """Return the rows as Spark holds them; None for a file, and where no session of Spark is at work."""
    if isinstance(path, SparkRows):
        return path
    return (
        SparkRows.read(path, FORMATS[release_suffix(path)], folder_columns(path)) if path.is_dir() else None
    )


def is_engine_output_error(error: BaseException) -> bool:
    """Tell whether the engine could not write (disk full, no permission)."""
    import duckdb

    return isinstance(error, duckdb.IOException | duckdb.OutOfMemoryException)


@contextmanager
def open_engine() -> Iterator[DuckDBPyConnection]:
    """Open an engine that asks nothing of the network and spills outside the working folder."""
    import duckdb

    offline = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    try:
        spill_folder = tempfile.TemporaryDirectory(
            prefix="sfumato-", dir=temporary_folder(), ignore_cleanup_errors=True
        )
    except OSError:
        words = "no temporary folder can be made. Set TMPDIR to a folder with free space."
        raise OutputError(words) from None
    with spill_folder as spill:
        connection = duckdb.connect(":memory:", config={**offline, "temp_directory": spill})
        running.add(connection)
        try:
            with suppress(duckdb.InvalidInputException):  # refused where a notebook could not draw one
                connection.execute("SET enable_progress_bar = false")
            connection.execute("SET TimeZone = 'UTC'")
            # The engine's own limit follows the machine or container; it is raised only if asked to.
            asked = os.environ.get("SFUMATO_MEMORY", "")
            if not re.fullmatch(r"[0-9.]+ ?[KMGT]i?B", asked):
                current = connection.execute("SELECT current_setting('memory_limit')").fetchall()[0][0]
                number, unit = current.split()
                many = float(number) * 1024 ** ["bytes", "KiB", "MiB", "GiB", "TiB"].index(unit)
                asked = f"{MEMORY_BYTES}B" if many > MEMORY_BYTES else ""
            if asked:
                connection.execute(f"SET memory_limit = '{asked}'")
            yield connection
        finally:
            connection.close()


def ask_number(connection: DuckDBPyConnection, query: str, parameters: Sequence[object] = ()) -> int:
    """Return the one whole number that a query gives."""
    return int(connection.execute(query, list(parameters)).fetchall()[0][0])


@contextmanager
def enough_room(path: Path | SparkRows) -> Iterator[None]:
    """Turn a lack of memory or disk into one line."""
    import duckdb

    try:
        yield
    except (duckdb.OutOfMemoryException, duckdb.IOException, MemoryError):
        raise DataError("too little memory or temporary disk space to recount it.", where=str(path)) from None


@contextmanager
def readable(path: Path | SparkRows) -> Iterator[None]:
    """Turn what readers raise into one line of our own; their messages may quote cells."""
    import duckdb

    try:
        yield
    except SfumatoError:
        raise
    except (duckdb.OutOfMemoryException, MemoryError):
        raise DataError("too little memory or temporary disk space to recount it.", where=str(path)) from None
    except (duckdb.Error, csv.Error, ValueError, EOFError, zlib.error, OSError, ParseError, BadZipFile):
        kind = "rows" if isinstance(path, SparkRows) else FORMATS[release_suffix(path)]
        raise DataError(
            f"cannot be read as {kind}: it is damaged, truncated or in another format.", where=str(path)
        ) from None


def check_file(path: Path | SparkRows) -> None:
    """Raise DataError unless there is a file, or folder of parts, of a known format with something in it."""
    if isinstance(path, SparkRows):
        return
    if path.is_dir():
        if not path.name.lower().endswith(_IN_PARTS) or not parts_of(path):
            raise DataError("this is a folder; name the released file.", where=str(path))
        parts = parts_of(path)
        if not {entry for part in parts for entry in (part, *part.parents)}.issuperset(path.rglob("*")):
            raise DataError("files in it are no parts of the release. Remove them.", where=str(path))
        return
    release_suffix(path)
    if not path.is_file():
        raise DataError("there is no such file.", where=str(path))
    if str(path.absolute()).encode(errors="replace") != str(path.absolute()).encode(errors="surrogatepass"):
        raise DataError("the name is not valid UTF-8. Rename the file or its folder.", where=str(path))
    if path.stat().st_size == 0:
        raise DataError("the file is empty.", where=str(path))


def open_file(
    connection: DuckDBPyConnection, path: Path, view: str, dialect: Mapping[str, object] | None = None
) -> dict[str, str]:
    """Make a view of the file; return column name → SQL expression of its text in that view."""
    # Columns are addressed by position, because names that differ only in case are one name to the engine. An
    # empty CSV cell is missing; in the other formats only null is.
    kind = FORMATS[release_suffix(path)]
    if kind == "json lines":
        return _open_json(connection, path, view)
    if kind == "parquet":
        names, source = _open_parquet(connection, path)
    elif kind == "arrow":
        from pyarrow import dataset

        held = dataset.dataset(str(path.absolute()), format="ipc")
        names, source = list(held.schema.names), f"arrow_{view}"
        connection.register(source, held)
    else:
        separator = "\t" if kind == "tsv" else ","
        if dialect or kind == "Excel":
            spill = connection.execute("SELECT current_setting('temp_directory')").fetchall()[0][0]
            path = plain_copy(path, {"separator": separator, **(dialect or {})}, Path(spill) / f"{view}.csv")
            separator = ","
        names, source = _open_csv(path, separator)
    said = folder_columns(path)
    names = [*names, *said]
    if len(set(names)) < len(names):
        raise DataError("two columns have the same name.", where=str(path))
    inside = [f"c{number}" for number in range(len(names) - len(said))]
    aliases = ", ".join([*inside, *(["file"] if said else [])])
    texts = [f"{_label(place - len(said) - 1)} AS c{len(inside) + place}" for place in range(len(said))]
    shown = ", ".join([*inside, *texts])
    connection.execute(f"CREATE TEMP VIEW {view} AS SELECT {shown} FROM (FROM {source}) AS t({aliases})")
    return {name: f"CAST(c{number} AS VARCHAR)" for number, name in enumerate(names)}


def _label(place: int) -> str:
    """Write the SQL of the label that the folder at a place in a file's path says, missing as null."""
    folder = f"string_split(file, '/')[{place}]"
    text = f"substr({folder}, strpos({folder}, '=') + 1)"
    return f"CASE WHEN {text} <> '{_MISSING}' THEN url_decode({text}) END"


# Beginnings of formulas; whole texts that look like dates and times, in figures or with the name of a month.
_SIGNS, _FIGURES = r"[=+\-@\t\r]", r"[0-9]{1,4}(?:[-/.:][0-9]{1,4}){1,2}$"
_MONTHS = (
    r"(?:[0-9]{1,4}[ ./-]*)?(?i:jan|january|feb|february|mar|march|apr|april|may|june?|july?|aug|august|"
    r"sept?|september|oct|october|nov|november|dec|december)[ .,/-]*[0-9]{1,4}(?:[ .,/-]+[0-9]{1,4})?$"
)


def unescape(path: Path, columns: dict[str, str]) -> dict[str, str]:
    """Read cells of a CSV or TSV file without the apostrophe that keeps spreadsheets from changing them."""
    if FORMATS[release_suffix(path)] not in ("csv", "tsv"):
        return columns
    escaped = f"^''(''*(?:{_SIGNS}|{_FIGURES}|{_MONTHS}))"
    return {name: f"regexp_replace({text}, '{escaped}', '\\1')" for name, text in columns.items()}


def _open_csv(path: Path, delimiter: str) -> tuple[list[str], str]:
    with open_text(parts_of(path)[0], "utf-8-sig") as file:
        names = next(csv.reader(file, delimiter=delimiter, strict=True), [])
    if not names:
        raise DataError("the first line is not a header.", where=str(path))
    columns = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(len(names)))
    # Nothing is guessed: the engine's detection takes a ragged file for one wide column.
    return names, (
        f"read_csv({_location(path)}, auto_detect=false, header=true, columns={{{columns}}}, "
        f"delim='{delimiter}', "
        "quote='\"', escape='\"', nullstr='', strict_mode=true, null_padding=false, ignore_errors=false, "
        f"hive_partitioning=false, filename={bool(folder_columns(path))}, compression={_compression(path)})"
    )


def _open_parquet(connection: DuckDBPyConnection, path: Path) -> tuple[list[str], str]:
    schema = connection.execute(
        f"SELECT name, num_children FROM parquet_schema({_location(parts_of(path)[0])})"
    ).fetchall()
    names, nested = [], 0
    for name, children in schema[1:]:
        if nested == 0:
            names.append(name)
        nested = max(nested - 1, 0) + (children or 0)
    return (
        names,
        f"read_parquet({_location(path)}, hive_partitioning=false, filename={bool(folder_columns(path))})",
    )


def _open_json(connection: DuckDBPyConnection, path: Path, view: str) -> dict[str, str]:
    source = f"read_ndjson_objects({_location(path)}, compression={_compression(path)})"
    connection.execute(f"CREATE TEMP VIEW {view} AS SELECT json FROM {source}")
    if ask_number(connection, f"SELECT count(*) FROM {view} WHERE json_type(json) <> 'OBJECT'"):
        raise DataError("a line is not a JSON object.", where=str(path))
    names = connection.execute(
        f"SELECT DISTINCT unnest(json_keys(json)) AS name FROM {view} ORDER BY name"
    ).fetchall()
    pointers = {name: "/" + name.replace("~", "~0").replace("/", "~1") for (name,) in names}
    return {name: f"json_extract_string(json, {quote(pointer)})" for name, pointer in pointers.items()}


def _compression(path: Path) -> str:
    return {".gz": "'gzip'", ".zst": "'zstd'"}.get(path.suffix.lower(), "'none'")


def quote(text: str) -> str:
    """Write a text as a SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _location(path: Path) -> str:
    """Write a path as a SQL literal that the engine does not take for a pattern of names."""
    plain = [quote(re.sub(r"([*?\[])", r"[\1]", part.absolute().as_posix())) for part in parts_of(path)]
    return f"[{', '.join(plain)}]" if path.is_dir() else plain[0]


STAR = "*"  # the label of a suppressed cell, and of the most general level
_NUMBER = "^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?$"
_TIME = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9:]{2,6})?)?$"


@dataclass(frozen=True)
class ComparedColumns:
    """The columns that are compared."""

    # their names by role
    quasi_identifiers: Sequence[str]
    sensitive: Sequence[str]
    others: Sequence[str]
    # those that are compared as numbers or times, whose spelling depends on the format of the original. All
    # others must be the same text, to the last character.
    values: frozenset[str] = frozenset()
    # whether suppressed rows stay, with `*` in every quasi-identifier and nothing in sensitive columns
    masked: bool = False
    # whether a class is released as a whole or not at all. Otherwise a column shows all values alike, and
    # suppressed rows may look like published ones.
    is_whole: bool = True
    # other columns of floating-point numbers: a file writes whole ones without a point where all of its rows
    # are whole
    floats: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        """All columns."""
        return (*self.quasi_identifiers, *self.sensitive, *self.others)


@dataclass(frozen=True)
class Difference:
    """What was found."""

    rows: int  # rows before suppression
    kept: int  # those in classes that the release shows
    foreign: int  # rows of the release that are not there before suppression, or not as often
    # rows of classes that the release shows, or of masked ones, that it does not have, or not as often
    lacking: int
    # the classes that the release shows, by the numbers of their blocks; where these were given
    blocks: tuple[tuple[int, ...], ...] = ()

    @property
    def is_none(self) -> bool:
        """Whether both hold the same rows."""
        return not self.foreign and not self.lacking


def compare_bags(
    released: Path,
    before: Path,
    columns: ComparedColumns,
    numbers: Path | None = None,
    dialect: Mapping[str, object] | None = None,
) -> Difference:
    """Compare a release, spelt in some dialect, with the same rows before suppression."""
    # Missing equals missing.
    with open_engine() as connection:
        load_bag(connection, released, columns, "shown", dialect)
        cells = load_bag(connection, before, columns, "made")
        if numbers is not None:
            with readable(before):
                _number_classes(connection, cells, columns, numbers)
        with enough_room(released):
            return _compare(connection, columns)


def hold_same_rows(
    released: Path | SparkRows, before: Path | SparkRows, names: Sequence[str], dialect: Mapping[str, object]
) -> bool:
    """Tell whether two files of one dialect hold the same rows of some columns, in whatever order."""
    columns = ComparedColumns(names, (), ())
    with open_engine() as connection:
        load_bag(connection, released, columns, "shown", dialect)
        load_bag(connection, before, columns, "made", dialect)
        return not any(_count_excess(connection, *pair) for pair in (("shown", "made"), ("made", "shown")))


def differing_columns(
    released: Path, before: Path, names: Sequence[str], dialect: Mapping[str, object]
) -> list[str]:
    """Return which columns of a release, spelt in some dialect, are not the same texts, row by row."""
    columns = ComparedColumns(names, (), ())
    with open_engine() as connection:
        load_bag(connection, released, columns, "shown", dialect, row_by_row=True)
        load_bag(connection, before, columns, "made", row_by_row=True)
        unlike = "SELECT count(*) FROM shown POSITIONAL JOIN made WHERE shown.c{0} IS DISTINCT FROM made.c{0}"
        with enough_room(released):
            return [name for place, name in enumerate(names) if ask_number(connection, unlike.format(place))]


def load_bag(
    connection: DuckDBPyConnection,
    path: Path | SparkRows,
    columns: ComparedColumns,
    table: str,
    dialect: Mapping[str, object] | None = None,
    *,
    row_by_row: bool = False,
) -> str:
    """Make a table of the cells c0, c1, … and n, how often a row occurs; return the SQL of the cells."""
    with readable(path):
        held = None if row_by_row else rows_on_spark(path)
        if held is not None:
            cells = _select(held.columns, columns, path)
            held.count(connection, columns.names, f"{table}_file")
        else:
            assert isinstance(path, Path)
            cells = _select(open_file(connection, path, f"{table}_file", dialect), columns, path)
        rows = f"SELECT {cells} FROM {table}_file"
        if not row_by_row:
            many = "count(*)" if held is None else "sum(n)::BIGINT"
            rows = f"SELECT {cells}, {many} AS n FROM {table}_file GROUP BY ALL"
        connection.execute(f"CREATE TEMP TABLE {table} AS {rows}")
    return cells


def _count_excess(connection: DuckDBPyConnection, one: str, other: str) -> int:
    """Count the rows of one table that another does not have, or not as often."""
    return ask_number(connection, f"SELECT coalesce(sum(n), 0) FROM (FROM {one} EXCEPT FROM {other})")


def check_columns(found: Mapping[str, str], names: Iterable[str], path: Path | SparkRows) -> None:
    """Raise VerificationError unless a file has all of these columns."""
    for name in names:
        if name not in found:
            raise VerificationError(f"the column {name!r} is not in the file.", where=str(path))


def _select(found: Mapping[str, str], columns: ComparedColumns, path: Path | SparkRows) -> str:
    check_columns(found, columns.names, path)
    whole = {name: f"regexp_replace({found[name]}, '^(-?[0-9]+)[.]0$', '\\1')" for name in columns.floats}
    return ", ".join(
        f"{_cell(whole.get(name, found[name]), is_value=name in columns.values)} AS c{place}"
        for place, name in enumerate(columns.names)
    )


def _number_classes(
    connection: DuckDBPyConnection, cells: str, columns: ComparedColumns, numbers: Path
) -> None:
    """Make the table ``numbered``: the classes before suppression with the numbers of their blocks."""
    found = open_file(connection, numbers, "number_file")
    known = range(len(columns.quasi_identifiers))
    blocks = ", ".join(
        f"CAST({found[name]} AS BIGINT) AS b{place}" for place, name in enumerate(columns.quasi_identifiers)
    )
    names = ", ".join([*(f"c{place}" for place in known), *(f"b{place}" for place in known)])
    connection.execute(
        f"CREATE TEMP TABLE numbered AS SELECT DISTINCT {names} FROM "
        f"(SELECT {cells} FROM made_file) POSITIONAL JOIN (SELECT {blocks} FROM number_file)"
    )


def _cell(expression: str, *, is_value: bool) -> str:
    """Write a cell as a text that is never null; a number or time in one spelling, where asked for."""
    # Only spellings that a format forces are made one, such as `25` and `25.0`: `025` and ` 25` are texts of
    # their own.
    if not is_value:
        return f"coalesce('=' || {expression}, '')"
    # A double cannot tell whole numbers of more than 15 digits apart, so that these are compared as texts.
    digits = f"nullif(regexp_extract({expression}, '^(-?[1-9][0-9]{{15,}})([.]0*)?$', 1), '')"
    double = f"TRY_CAST(nullif(regexp_extract({expression}, '{_NUMBER}'), '') AS DOUBLE)"
    large = f"CASE WHEN abs({double}) >= 1e15 THEN CAST(TRY_CAST({double} AS HUGEINT) AS VARCHAR) END"
    # Nor does the engine keep what is finer than a microsecond.
    time = f"CAST(TRY_CAST(nullif(regexp_extract({expression}, '{_TIME}'), '') AS TIMESTAMPTZ) AS VARCHAR)"
    found = (digits, large, f"CAST({double} AS VARCHAR)", time, expression)
    return f"coalesce('=' || coalesce({', '.join(found)}), '')"


def _compare(connection: DuckDBPyConnection, columns: ComparedColumns) -> Difference:
    places = range(len(columns.names))
    known = [f"c{place}" for place in places][: len(columns.quasi_identifiers)]
    secret = [f"c{place}" for place in places][len(known) : len(known) + len(columns.sensitive)]
    by = ", ".join(known)
    # Where all rows are one class none is masked: it would be all of them.
    is_one = ask_number(connection, f"SELECT count(*) FROM (SELECT DISTINCT {by} FROM made)") <= 1
    masked = "false"
    if columns.masked and not is_one:
        stars = [f"{cell} = '={STAR}'" for cell in known]
        masked = " AND ".join([*stars, *(f"{cell} = ''" for cell in secret)])
    connection.execute(f"CREATE TEMP TABLE kept AS SELECT DISTINCT {by} FROM shown WHERE NOT ({masked})")
    rows = ask_number(connection, "SELECT coalesce(sum(n), 0) FROM made")
    join = " AND ".join(f"made.{cell} = kept.{cell}" for cell in known)
    if columns.is_whole:
        whole = f"SELECT made.* FROM made SEMI JOIN kept ON {join}"
        kept = ask_number(connection, f"SELECT coalesce(sum(n), 0) FROM ({whole})")
        if columns.masked:
            hidden = {**dict.fromkeys(known, f"'={STAR}'"), **dict.fromkeys(secret, "''")}
            cells = ", ".join(hidden.get(f"c{place}", f"made.c{place}") for place in places)
            whole = f"{whole} UNION ALL SELECT {cells}, n FROM made ANTI JOIN kept ON {join}"
        every = ", ".join(f"c{place}" for place in places)
        due = f"SELECT {every}, sum(n)::BIGINT AS n FROM ({whole}) GROUP BY ALL"
        connection.execute(f"CREATE TEMP TABLE due AS {due}")
        foreign = _count_excess(connection, "shown", "due")
        lacking = _count_excess(connection, "due", "shown")
    else:
        same = " AND ".join(f"shown.c{place} = made.c{place}" for place in places)
        unmasked = f"(SELECT * FROM shown WHERE NOT ({masked})) AS shown"
        counts = f"SELECT shown.n, coalesce(made.n, 0) AS m FROM {unmasked} LEFT JOIN made ON {same}"
        foreign = ask_number(connection, f"SELECT coalesce(sum(greatest(n - m, 0)), 0) FROM ({counts})")
        kept = ask_number(connection, f"SELECT coalesce(sum(n), 0) FROM ({counts})")
        lacking = 0
    blocks: list[tuple[int, ...]] = []
    if connection.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'numbered'").fetchall():
        shown = ", ".join(f"b{place}" for place in range(len(known)))
        join = join.replace("made.", "numbered.")
        found = f"SELECT DISTINCT {shown} FROM numbered SEMI JOIN kept ON {join}"
        blocks = connection.execute(found).fetchall()
    return Difference(rows, kept, foreign, lacking, tuple(blocks))
