"""Tables of databases: counted where they are, read once, and written in one transaction.

Rows travel as Arrow, by ADBC: a driver fills and reads columns, PostgreSQL's by its binary COPY, and no cell
becomes a Python object. Distinct tuples are counted inside the database. What needs the rows themselves
reads all of them once, into the embedded engine, which spills to a private folder. PostgreSQL is read in one
read-only transaction, so that all of this sees one state; an SQLite file is refused if it changes meanwhile.

Texts are compared by their bytes whatever collation a column has. A type that Arrow has no equal for is read
as the text that the database writes for it.

No message holds the address, the query, or what the database says about them: only how it numbers the error.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import re
import secrets
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sfumato.errors import DataError, OutputError, ParameterError, SfumatoError
from sfumato.spec.choices import database_address, refuse_password
from sfumato.table.delimited import refuse_repeated
from sfumato.table.engine import connect, quote_literal, quote_name, read_batches
from sfumato.table.files import stamp
from sfumato.table.libraries import duckdb, pa

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

COUNT = "sfumato: rows of the tuple"
"""The column of a count; no table has one of this name."""

_PART = r'"(?:[^"]|"")+"|[^".]+'
_TABLE = re.compile(rf"(?:{_PART})(?:\.(?:{_PART}))*")
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
_READS = re.compile(r"[\s(]*(?:select|with|values|table)\b", re.IGNORECASE)
_SESSION = (
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "SET LOCAL TimeZone = 'UTC'",
    "SET LOCAL DateStyle = 'ISO'",
)
# Names alone do not tell whether two tables are one: `visits` may be `public.visits`, and a query or a view
# reads tables that it does not name. What a transaction has read, it holds locks on.
_READ_IN_POSTGRES = """
SELECT DISTINCT system_identifier || '/' || database || '/' || relation FROM pg_locks, pg_control_system()
WHERE pid = pg_backend_pid() AND locktype = 'relation'
"""
# A table goes with its partitions: dropping one drops the others, or rows of them.
_STANDS_IN_POSTGRES = """
WITH RECURSIVE family(own) AS (
    SELECT to_regclass({})::oid
    UNION SELECT CASE own WHEN inhrelid THEN inhparent ELSE inhrelid END
    FROM family JOIN pg_inherits ON own IN (inhrelid, inhparent)
)
SELECT system_identifier || '/' || found.oid || '/' || own
FROM family, pg_control_system(), pg_database AS found
WHERE datname = current_database() AND own IS NOT NULL
"""
_REFUSED = "it refused the user or the password. Set PGUSER, and PGPASSWORD, ~/.pgpass or a service file."
_FORBIDDEN = "the user may not do this. Ask for the right, or use another user."
_NO_TABLE = "this name stands for something that is no table, such as a view. Choose another name."
_UNCLEAR = "it does not understand the query. Try the query in its own client first."
_LOST = "it cannot be reached, or the connection was lost. Check that it runs, and start again."
# What a failure means, by the first letters of its number, and by words of messages that have none.
_REASONS = {
    "28": _REFUSED,
    "authentication failed": _REFUSED,
    "no password supplied": _REFUSED,
    "fatal:  database": "there is no such database. Check its name.",
    "42P01": "there is no such table. Check its name and schema.",
    "no such table": "there is no such table. Check its name.",
    "42P07": "a table of this name exists already. Use --force to replace it.",
    "42809": _NO_TABLE,
    "use drop ": _NO_TABLE,
    "42501": _FORBIDDEN,
    "permission denied": _FORBIDDEN,
    "25006": "the query does not only read. Remove what it writes.",
    "2BP01": "other objects, such as views, depend on the table. Choose another name.",
    "42": _UNCLEAR,
    "syntax error": _UNCLEAR,
    "definition of service": "there is no such service. Check PGSERVICEFILE and ~/.pg_service.conf.",
    'schema "': "there is no such schema. Check its name.",
    "invalid unicode": "it holds a text that is not UTF-8. Correct it, or leave its column out by a query.",
    "53": "it has no disk or memory left. Free some, or write elsewhere.",
    "disk is full": "the disk is full. Free some space, or write elsewhere.",
    "is locked": "another program is writing to it. Try again.",
    "not a database": "the file is not an SQLite database.",
    "readonly": "it cannot be written to. Change its rights, or write elsewhere.",
    # Also said as "failed to open …: failed to allocate memory".
    "to open": "the file cannot be opened. Check its folder and its rights; whole paths have four slashes: "
    "sqlite:////folder/file.db.",
}


@contextlib.contextmanager
def _explained(name: str, kind: type[SfumatoError] = DataError) -> Iterator[None]:
    """Say why a database does not do what is asked, without a word of where it is or what is in it."""
    failures = importlib.import_module("adbc_driver_manager.dbapi").Error
    try:
        yield
    except (failures, duckdb.Error, pa.ArrowException, OSError) as error:
        if isinstance(error, SfumatoError):
            raise
        text = str(error).lower()
        found = re.search(r"sqlstate:? *([0-9a-z]{5})", text)
        number = str(getattr(error, "sqlstate", None) or (found[1].upper() if found else ""))
        matches = (number.startswith(key) if key[0].isdigit() else key in text for key in _REASONS)
        reason = next(itertools.compress(_REASONS.values(), matches), "")
        if not reason and number and number[:2] not in ("08", "57"):
            reason = f"it reports the error {number}."
        if not reason:
            reason = _LOST if number or "connect" in text else "it gives no reason. Its log may say more."
        raise kind(f"the database failed: {reason}", where=name) from None


def _file_of(address: str) -> Path | None:
    """Return the file of an SQLite database; None for a server."""
    return Path(address.removeprefix("sqlite:///")).resolve() if address.startswith("sqlite:") else None


def _dial(address: str, name: str, mode: Literal["ro", "rwc"]) -> Any:
    """Connect to a database; nothing is written unless somebody commits it."""
    try:
        refuse_password(address)
    except ValueError as error:
        raise ParameterError(f"the database: {error}") from None
    file = _file_of(address)
    if file is not None and mode == "ro" and not file.is_file():
        raise DataError("there is no such file.", where=str(file))
    try:
        driver = importlib.import_module(f"adbc_driver_{'sqlite' if file else 'postgresql'}.dbapi")
    except ImportError:
        raise ParameterError('databases need a driver. Run: pip install "sfumato[postgres]"') from None
    with _explained(name, DataError if mode == "ro" else OutputError):
        where = f"{file.as_uri()}?mode={mode}" if file else address
        return driver.connect(where, autocommit=file is not None and mode == "ro")


def _parts(table: str) -> tuple[str, ...]:
    """Return the parts of the name of a table, the last one its own, without quotes."""
    if _TABLE.fullmatch(table) is None:
        raise ParameterError(
            "this is not the name of a table. Write name or schema.name; a name with a dot in double quotes.",
            where=table,
        )
    found = re.findall(_PART, table)
    return tuple(part[1:-1].replace('""', '"') if part[0] == '"' else part for part in found)


def quote_table(table: str) -> str:
    """Return the name of a table, with those of schema and database before it, as SQL writes it."""
    return ".".join(map(quote_name, _parts(table)))


def _check_query(query: str) -> str:
    """Return a query without the semicolon that ends it, if it is one and begins like one that reads."""
    plain = query.strip().removesuffix(";")
    if ";" in _QUOTED.sub("", plain) or not _READS.match(_QUOTED.sub(" ", plain)):
        raise ParameterError("query must be one statement that only reads: select ... or with ...")
    return plain


@dataclass(frozen=True, eq=False)
class OpenTable:
    """A table or query of a database, opened and not yet read."""

    name: str  # how messages call it
    address: str
    connection: Any  # that of the driver
    rows: str  # what stands after FROM
    shown: Mapping[str, str]  # column → the SQL of its value
    # column → a value of its type. The driver of SQLite finds types by the first rows alone, in which
    # everything may be missing, so that a row of these goes before them, and is left out here
    first: Mapping[str, str]
    store: duckdb.DuckDBPyConnection  # the connection of the embedded engine that keeps what was read
    tables: frozenset[str]  # the tables that rows come from, through views too, as `_ask_names` gives them
    stamp: object = None  # what tells whether an SQLite file is still the one that was opened
    loaded: list[bool] = field(default_factory=list)  # holds something if all rows were read

    @property
    def is_loaded(self) -> bool:
        """Whether the rows are here."""
        return bool(self.loaded)

    @property
    def relation(self) -> duckdb.DuckDBPyRelation:
        """The rows, once they are read; before that, none of them."""
        return self.store.table("sfumato_rows")

    def count(self, names: Sequence[str]) -> duckdb.DuckDBPyRelation:
        """Count the distinct tuples of some columns inside the database."""
        kept = f"sfumato_{secrets.token_hex(8)}"
        grouped = f" GROUP BY {', '.join(self.shown[name] for name in names)}" if names else ""
        counts = {**{name: self.shown[name] for name in names}, COUNT: "count(*)"}
        first = {**{name: self.first[name] for name in names}, COUNT: "0"} if self.first else {}
        self._keep(f"CREATE TEMP TABLE {kept} AS", f"{_select(counts)} FROM {self.rows}{grouped}", first)
        return self.store.table(kept)

    def load(self) -> None:
        """Read all rows, once, and let the database go."""
        if not self.loaded:
            self._keep("INSERT INTO sfumato_rows", f"{_select(self.shown)} FROM {self.rows}", self.first)
            self.loaded.append(True)
            self.connection.close()

    def _keep(self, into: str, query: str, first: Mapping[str, str]) -> None:
        """Bring the rows of a query into the embedded engine."""
        if (file := _file_of(self.address)) is not None and stamp(file) != self.stamp:
            raise DataError("the data changed while they were worked on. Start again.", where=self.name)
        with _explained(self.name), _read(self.connection, query, first) as rows:
            _fill(self.store, into, rows)


def _fill(store: duckdb.DuckDBPyConnection, into: str, _sfumato_rows_: pa.RecordBatchReader) -> None:
    """Put rows into a table of the embedded engine, which sees them by the name that they have here."""
    store.execute(f"{into} SELECT * FROM _sfumato_rows_")


def _select(columns: Mapping[str, str]) -> str:
    return "SELECT " + ", ".join(f"{value} AS {quote_name(name)}" for name, value in columns.items())


@contextlib.contextmanager
def _read(connection: Any, query: str, first: Mapping[str, str]) -> Iterator[pa.RecordBatchReader]:
    """Run a query, and give its rows without the one that shows their types."""

    def batches(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        for number, batch in enumerate(reader):
            yield batch if number else batch.slice(1)

    with connection.cursor() as cursor:
        cursor.execute(f"{_select(first)} UNION ALL {query}" if first else query)
        reader = cursor.fetch_record_batch()
        yield pa.RecordBatchReader.from_batches(reader.schema, batches(reader)) if first else reader


def open_table(address: str, table: str | None, query: str | None) -> OpenTable:
    """Open a table or query: find its columns and their types, and read nothing else."""
    if (table is None) == (query is None):
        raise ParameterError("a database needs a table or a query in [data], one of both.")
    if table is not None:
        name, rows = f"the table {table!r} of the database", quote_table(table)
        alone = f"SELECT * FROM {rows}"
    else:
        # A query is tried as it is first: then it is one statement, and no bracket in it closes ours.
        name, alone = "the query of the database", _check_query(str(query))
        rows = f"(\n{alone}\n) AS sfumato_query"
    file = _file_of(address)
    found = None if file is None else stamp(file)
    connection = _dial(address, name, "ro")
    try:
        with _explained(name):
            for statement in () if file else _SESSION:
                with connection.cursor() as cursor:
                    cursor.execute(statement)
            shown, first = (_types_of_sqlite if file else _types_of_postgres)(connection, name, alone, rows)
            store = connect()
            with _read(connection, f"{_select(shown)} FROM {rows} WHERE false", first) as none:
                _fill(store, "CREATE TEMP TABLE sfumato_rows AS", none)
            is_read = _READ_IN_POSTGRES if file is None else _reading_in_sqlite(connection, alone)
            tables = _ask_names(connection, is_read, file)
    except BaseException:
        connection.close()
        raise
    opened = OpenTable(name, address, connection, rows, shown, first, store, tables, found)
    weakref.finalize(opened, connection.close)
    return opened


def _ask_names(connection: Any, query: str, file: Path | None) -> frozenset[str]:
    """Return names of tables that tell each from any other one, wherever it is."""
    with connection.cursor() as cursor:
        cursor.execute(query)
        return frozenset("/".join((str(file or ""), found)) for (found,) in cursor.fetchall())


def _reading_in_sqlite(connection: Any, alone: str) -> str:
    """Write the query of the names of all tables that a query reads, by the pages that it opens."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {alone}")
        pages = [str(step[3]) for step in cursor.fetchall() if step[1] == "OpenRead"]
    return f"SELECT DISTINCT lower(tbl_name) FROM sqlite_master WHERE rootpage IN ({', '.join(pages)})"


def _types_of_postgres(
    connection: Any, name: str, alone: str, _rows: str
) -> tuple[dict[str, str], dict[str, str]]:
    """Return how each column is read: what Arrow knows as it is, all else as text."""
    with connection.cursor() as cursor:
        schema = cursor.adbc_execute_schema(alone)
    _refuse_columns(schema.names, name)
    shown = {}
    for item in schema:
        # Numbers of objects have the width of an integer, but no sign.
        is_number = (item.metadata or {}).get(b"POSTGRESQL:type") != b"oid"
        kind, column = item.type, quote_name(item.name)
        is_plain = pa.types.is_boolean(kind)
        is_plain |= is_number and (pa.types.is_signed_integer(kind) or pa.types.is_floating(kind))
        if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
            # An infinite time is no time of Arrow, which would make one of long ago of it.
            shown[item.name] = f"CASE WHEN isfinite({column}) THEN {column} END"
        else:
            # Texts that differ in a byte are two values, whatever the collation of the column says.
            shown[item.name] = column if is_plain else f'CAST({column} AS text) COLLATE "C"'
    return shown, {}


def _types_of_sqlite(
    connection: Any, name: str, alone: str, rows: str
) -> tuple[dict[str, str], dict[str, str]]:
    """Return how each column is read: its cells, not its declaration, say what it holds."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM ({alone}) LIMIT 0")
        names = [str(item[0]) for item in cursor.description]
        _refuse_columns(names, name)
        asked = [
            f"coalesce(max(typeof({quote_name(column)}) IN ({kinds})), 0)"
            for column in names
            for kinds in ("'text', 'blob'", "'real'", "'integer'")
        ]
        cursor.execute(f"SELECT {', '.join(asked)} FROM {rows}")
        found = iter(cursor.fetchall()[0])
    shown, first = {}, {}
    for name in names:
        column = quote_name(name)
        is_text, has_real, has_whole = (bool(next(found)) for _ in range(3))
        if is_text or not (has_real or has_whole):
            # Bytes are spelt as PostgreSQL does: they need not be text.
            spelt = f"CASE typeof({column}) WHEN 'blob' THEN '\\x' || lower(hex({column})) ELSE {column} END"
            shown[name], first[name] = f"CAST({spelt} AS TEXT) COLLATE BINARY", "''"
        elif has_real:
            shown[name], first[name] = f"CAST({column} AS REAL)", "0.5"
        else:
            shown[name], first[name] = column, "0"
    return shown, first


def _refuse_columns(names: Sequence[str], where: str) -> None:
    if not names:
        raise DataError("it has no columns.", where=where)
    refuse_repeated(names, where=where)


@dataclass(frozen=True)
class DatabaseTable:
    """A table of a database that a release is written to, and the file of its manifest."""

    address: str
    table: str
    manifest: Path

    def __str__(self) -> str:
        return f"the table {self.table!r} of the database"

    @classmethod
    def named(cls, place: object, table: str | None, manifest: object = None) -> DatabaseTable | None:
        """Return the table that an output means; None if it is a file."""
        address = database_address(place)
        if address is None and (table is not None or manifest is not None):
            raise ParameterError("a table and a manifest are for releases that go to a database.")
        if address is None:
            return None
        if table is None:
            raise ParameterError("a release in a database needs the name of a table: --table NAME.")
        *schema, name = _parts(table)
        if schema and _file_of(address) is not None:
            raise ParameterError("a database of SQLite has no schemas: write the name alone.", where=table)
        if manifest is None and re.search(r"[^\w -]", name):
            raise ParameterError("this cannot be the name of a file: name the manifest too.", where=table)
        return cls(address, table, Path(str(manifest or f"{name}.json")))

    def exists(self) -> bool:
        """Tell whether the database has this table, or anything else of its name."""
        return bool(self._standing())

    def _standing(self) -> frozenset[str]:
        """Return what has this name, or would go with it."""
        name, whole = (quote_literal(text) for text in (_parts(self.table)[-1], quote_table(self.table)))
        query, file = _STANDS_IN_POSTGRES.format(whole), _file_of(self.address)
        if file is not None:
            query = f"SELECT lower(name) FROM sqlite_master WHERE lower(name) = lower({name})"
            if not file.exists():
                return frozenset()
        connection = _dial(self.address, str(self), "rwc")
        with contextlib.closing(connection), _explained(str(self), OutputError):
            return _ask_names(connection, query, file)

    def spare(self, read: OpenTable | None) -> None:
        """Refuse to replace a table that a release is made from."""
        if read is not None and read.tables & self._standing():
            raise OutputError(
                "this is an input, which is never replaced. Choose another name.", where=str(self)
            )


_EVERYWHERE = ("BIGINT", "DOUBLE", "VARCHAR")
_IN_POSTGRES = (*_EVERYWHERE, "BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "BLOB")


@dataclass(frozen=True, eq=False)
class StagedTable:
    """Rows in a transaction that is not committed: nobody else sees them."""

    target: DatabaseTable
    connection: Any
    name: str  # of the table until it gets its own

    @property
    def _staging(self) -> str:
        return ".".join(map(quote_name, (*_parts(self.target.table)[:-1], self.name)))

    def fill(self, file: Path) -> None:
        """Put the rows of a Parquet file into the table; types that the database has not become text."""
        connection = connect()
        rows = f"read_parquet({quote_literal(str(file))})"
        relation = connection.sql(f"SELECT * FROM {rows}")
        held = _EVERYWHERE if _file_of(self.target.address) else _IN_POSTGRES
        shown = {
            name: quote_name(name) if str(kind) in held else f"CAST({quote_name(name)} AS VARCHAR)"
            for name, kind in zip(relation.columns, relation.types, strict=True)
        }
        reader = read_batches(connection.sql(f"{_select(shown)} FROM {rows}"))
        with _explained(str(self.target), OutputError), self.connection.cursor() as cursor:
            schema = next(iter(_parts(self.target.table)[-2:-1]), None)
            cursor.adbc_ingest(self.name, reader, mode="create", db_schema_name=schema)

    def rows(self) -> duckdb.DuckDBPyRelation:
        """Read back what the database holds now."""
        own = self._staging
        with _explained(str(self.target), OutputError):
            types = _types_of_sqlite if _file_of(self.target.address) else _types_of_postgres
            shown, first = types(self.connection, str(self.target), f"SELECT * FROM {own}", own)
            store = connect()
            with _read(self.connection, f"{_select(shown)} FROM {own}", first) as held:
                _fill(store, "CREATE TEMP TABLE sfumato_staged AS", held)
        return store.table("sfumato_staged")

    def publish(self, *, force: bool) -> None:
        """Give the table its name, and commit."""
        name = _parts(self.target.table)[-1]
        with _explained(str(self.target), OutputError), self.connection.cursor() as cursor:
            if force:
                cursor.execute(f"DROP TABLE IF EXISTS {quote_table(self.target.table)}")
            cursor.execute(f"ALTER TABLE {self._staging} RENAME TO {quote_name(name)}")
            self.connection.commit()


@contextlib.contextmanager
def staged_table(target: DatabaseTable) -> Iterator[StagedTable]:
    """Begin a transaction that ends without a trace unless the table in it is published."""
    file = _file_of(target.address)
    is_new = file is not None and not file.exists()
    connection = _dial(target.address, str(target), "rwc")
    try:
        yield StagedTable(target, connection, f"sfumato_{secrets.token_hex(8)}")
    finally:
        with contextlib.suppress(Exception):
            connection.rollback()
        connection.close()
        if file is not None and is_new and file.exists() and not file.stat().st_size:
            file.unlink()  # the driver makes an empty file
