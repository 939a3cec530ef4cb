"""Read a release of any format as text, strictly."""

from __future__ import annotations

import csv
import gzip
import hashlib
import re
import tempfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sfumato.errors import DataError, OutputError, SfumatoError, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from duckdb import DuckDBPyConnection

_TEXTS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json lines",
    ".jsonl": "json lines",
    ".ndjson": "json lines",
}
_TYPED = {".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow"}
FORMATS: dict[str, str] = {**_TEXTS, **{f"{suffix}.gz": kind for suffix, kind in _TEXTS.items()}, **_TYPED}

# Where the engine may spill. Whoever calls the verifier may name a folder that a later run clears if this one
# is killed; by itself the verifier knows only the system's.
temporary_folder: Callable[[], str | Path] = tempfile.gettempdir

# The engine would allow itself most of the machine's memory; beyond this it spills to disk.
MEMORY_BYTES = 1_500_000_000


def release_suffix(path: Path) -> str:
    """Return the suffix that tells the format of a release, in lower case.

    Examples
    --------
    >>> from pathlib import Path
    >>> release_suffix(Path("open.data.CSV.gz"))
    '.csv.gz'
    """
    for suffix in sorted(FORMATS, key=len, reverse=True):
        if path.name.lower().endswith(suffix) and len(path.name) > len(suffix):
            return suffix
    raise DataError(
        f"the suffix tells the format, and {path.suffix!r} tells none. {nearest(path.suffix, FORMATS)}"
    )


def hash_file(path: Path) -> str:
    """Return the SHA-256 digest of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_engine_output_error(error: BaseException) -> bool:
    """Tell whether the engine could not write (disk full, no permission)."""
    import duckdb

    return isinstance(error, duckdb.IOException | duckdb.OutOfMemoryException)


@contextmanager
def open_engine() -> Iterator[DuckDBPyConnection]:
    """Open an engine that asks nothing of the network and spills outside the working folder."""
    import duckdb

    offline = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    with _spill_folder() as spill:
        connection = duckdb.connect(":memory:", config={**offline, "temp_directory": spill})
        try:
            connection.execute("SET enable_progress_bar = false")
            connection.execute("SET TimeZone = 'UTC'")
            _cap_memory(connection)
            yield connection
        finally:
            connection.close()


def _cap_memory(connection: DuckDBPyConnection) -> None:
    """Lower the engine's own limit, which follows the machine or container, never raise it."""
    number, unit = connection.execute("SELECT current_setting('memory_limit')").fetchall()[0][0].split()
    if float(number) * 1024 ** ["bytes", "KiB", "MiB", "GiB", "TiB"].index(unit) > MEMORY_BYTES:
        connection.execute(f"SET memory_limit = '{MEMORY_BYTES}B'")


def _spill_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(
            prefix="sfumato-", dir=temporary_folder(), ignore_cleanup_errors=True
        )
    except OSError:
        raise OutputError(
            "no temporary folder can be made. Set TMPDIR to a folder with free space."
        ) from None


@contextmanager
def enough_room(path: Path) -> Iterator[None]:
    """Turn a lack of memory or disk into one line."""
    import duckdb

    try:
        yield
    except (duckdb.OutOfMemoryException, duckdb.IOException, MemoryError):
        raise DataError("too little memory or temporary disk space to recount it.", where=str(path)) from None


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn what readers raise into one line of our own; their messages may quote cells."""
    import duckdb

    try:
        yield
    except SfumatoError:
        raise
    except (duckdb.OutOfMemoryException, MemoryError):
        raise DataError("too little memory or temporary disk space to recount it.", where=str(path)) from None
    except (duckdb.Error, csv.Error, ValueError, EOFError, zlib.error, OSError):
        kind = FORMATS[release_suffix(path)]
        raise DataError(
            f"cannot be read as {kind}: broken, cut short or another format.", where=str(path)
        ) from None


def check_file(path: Path) -> None:
    """Raise DataError unless there is a file of a known format with something in it."""
    if path.is_dir():
        raise DataError("this is a folder; name the released file.", where=str(path))
    release_suffix(path)
    if not path.is_file():
        raise DataError("there is no such file.", where=str(path))
    if str(path.absolute()).encode(errors="replace") != str(path.absolute()).encode(errors="surrogatepass"):
        raise DataError("the name is not valid UTF-8. Rename the file or its folder.", where=str(path))
    if path.stat().st_size == 0:
        raise DataError("the file is empty.", where=str(path))


def open_file(connection: DuckDBPyConnection, path: Path, view: str) -> dict[str, str]:
    """Make a view of the file; return column name → SQL expression of its text in that view.

    Columns are addressed by position, because names that differ only in case are one name
    to the engine. An empty CSV cell is missing; in the other formats only null is.
    """
    kind = FORMATS[release_suffix(path)]
    if kind == "json lines":
        return _open_json(connection, path, view)
    if kind == "parquet":
        names, source = _open_parquet(connection, path)
    elif kind == "arrow":
        names, source = _open_arrow(connection, path, view)
    else:
        names, source = _open_csv(path, "\t" if kind == "tsv" else ",")
    if len(set(names)) < len(names):
        raise DataError("two columns have the same name.", where=str(path))
    aliases = ", ".join(f"c{number}" for number in range(len(names)))
    connection.execute(f"CREATE TEMP VIEW {view} AS SELECT * FROM (FROM {source}) AS t({aliases})")
    return {name: f"CAST(c{number} AS VARCHAR)" for number, name in enumerate(names)}


def unescape(path: Path, columns: dict[str, str]) -> dict[str, str]:
    """Read cells of a CSV or TSV file without the apostrophe that keeps spreadsheets from running them."""
    if FORMATS[release_suffix(path)] not in ("csv", "tsv"):
        return columns
    return {
        name: f"regexp_replace({text}, '^''(''*[=+\\-@\\t\\r])', '\\1')" for name, text in columns.items()
    }


def _open_csv(path: Path, delimiter: str) -> tuple[list[str], str]:
    with (gzip.open if _is_packed(path) else open)(path, "rt", encoding="utf-8-sig", newline="") as file:
        names = next(csv.reader(file, delimiter=delimiter, strict=True), [])
    if not names:
        raise DataError("the first line is not a header.", where=str(path))
    columns = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(len(names)))
    # Nothing is guessed: the engine's detection takes a ragged file for one wide column.
    return names, (
        f"read_csv({_location(path)}, auto_detect=false, header=true, columns={{{columns}}}, "
        f"delim='{delimiter}', "
        "quote='\"', escape='\"', nullstr='', strict_mode=true, null_padding=false, ignore_errors=false, "
        f"hive_partitioning=false, compression={_compression(path)})"
    )


def _open_parquet(connection: DuckDBPyConnection, path: Path) -> tuple[list[str], str]:
    schema = connection.execute(
        f"SELECT name, num_children FROM parquet_schema({_location(path)})"
    ).fetchall()
    names, nested = [], 0
    for name, children in schema[1:]:
        if nested == 0:
            names.append(name)
        nested = max(nested - 1, 0) + (children or 0)
    return names, f"read_parquet({_location(path)}, hive_partitioning=false)"


def _open_arrow(connection: DuckDBPyConnection, path: Path, view: str) -> tuple[list[str], str]:
    from pyarrow import dataset

    source = dataset.dataset(str(path.absolute()), format="ipc")
    connection.register(f"arrow_{view}", source)
    return list(source.schema.names), f"arrow_{view}"


def _open_json(connection: DuckDBPyConnection, path: Path, view: str) -> dict[str, str]:
    source = f"read_ndjson_objects({_location(path)}, compression={_compression(path)})"
    connection.execute(f"CREATE TEMP VIEW {view} AS SELECT json FROM {source}")
    strange = connection.execute(f"SELECT count(*) FROM {view} WHERE json_type(json) <> 'OBJECT'").fetchall()
    if strange[0][0]:
        raise DataError("a line is not a JSON object.", where=str(path))
    names = connection.execute(
        f"SELECT DISTINCT unnest(json_keys(json)) AS name FROM {view} ORDER BY name"
    ).fetchall()
    pointers = {name: "/" + name.replace("~", "~0").replace("/", "~1") for (name,) in names}
    return {name: f"json_extract_string(json, {_literal(pointer)})" for name, pointer in pointers.items()}


def _is_packed(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def _compression(path: Path) -> str:
    return "'gzip'" if _is_packed(path) else "'none'"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _location(path: Path) -> str:
    """Write a path as a SQL literal that the engine does not take for a pattern of names."""
    return _literal(re.sub(r"([*?\[])", r"[\1]", path.absolute().as_posix()))
