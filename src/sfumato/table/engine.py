"""The embedded engine: private DuckDB connections that never reach for the network."""

from __future__ import annotations

import atexit
import contextlib
import functools
import itertools
import os
import re
import sys
from typing import cast

from sfumato import monitor
from sfumato.errors import DataError
from sfumato.private import MEMORY, check_memory, process_folder
from sfumato.table.libraries import duckdb, pa

# What the engine may hold before it spills to disk: ten million rows then stay well below 3 GB in all.
MEMORY_LIMIT_BYTES = 1_500_000_000

_BATCH_ROWS = 131_072
_numbers = itertools.count()
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def connect() -> duckdb.DuckDBPyConnection:
    """Open a private in-memory database with modest memory, no network and no extensions from outside."""
    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            # One each: two databases would write to the same files there. Relations may outlive everything
            # else that knows of them, so nothing there is removed before the process ends.
            "temp_directory": str(process_folder() / f"spill-{next(_numbers)}"),
        },
    )
    tidy_at_exit()
    monitor.engines.add(connection)
    connection.execute(f"SET memory_limit = '{_memory_limit(connection)}'")
    with contextlib.suppress(duckdb.InvalidInputException):
        # In a notebook without ipywidgets there is nothing that could draw a bar, and this is refused.
        connection.execute(f"SET enable_progress_bar = {str(monitor.is_followed.is_set()).lower()}")
        connection.execute("SET enable_progress_bar_print = false")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


@functools.cache
def tidy_at_exit() -> None:
    """See to it that the engine's types are let go before the process ends.

    narwhals caches one namespace per engine, and with it the types of DuckDB, whose binding writes a
    complaint to standard error about each one that is still alive at the very end.
    """
    atexit.register(_forget_types)


def _forget_types() -> None:
    for value in vars(sys.modules.get("narwhals._namespace", object)).values():
        if callable(clear := getattr(value, "cache_clear", None)):
            clear()


def _memory_limit(connection: duckdb.DuckDBPyConnection) -> str:
    """Return what a connection may hold: what the user says, else never more than half of the memory."""
    if asked := os.environ.get(MEMORY):
        return check_memory(asked)
    return f"{min(MEMORY_LIMIT_BYTES, _machine_memory(connection) // 2)}B"


def _machine_memory(connection: duckdb.DuckDBPyConnection) -> int:
    """Return the bytes of memory that this machine has, as a new connection sees it."""
    # By default the engine allows itself four fifths of the memory it sees, containers considered.
    default = str(connection.sql("SELECT current_setting('memory_limit')").fetchall()[0][0])
    match = re.fullmatch(r"([0-9.]+) *(\w+)", default)
    if match is None or match.group(2) not in _UNITS:
        return 2 * MEMORY_LIMIT_BYTES
    return int(float(match.group(1)) * _UNITS[match.group(2)] / 0.8)


@functools.cache
def machine_memory() -> int:
    """Return the bytes of memory that this machine has."""
    with duckdb.connect(":memory:") as connection:
        return _machine_memory(connection)


def from_arrow_beside(relation: duckdb.DuckDBPyRelation, table: pa.Table) -> duckdb.DuckDBPyRelation:
    """Return an Arrow table as a relation of the same connection as ``relation``.

    Relations of two connections cannot be joined, and a relation that a user passes does not show its
    connection; but it can run a query there, and a query sees the variables of its caller by name.
    """
    _sfumato_rows_ = table
    try:
        found = relation.query("_sfumato_relation_", "SELECT * FROM _sfumato_rows_")
    except duckdb.CatalogException:
        raise DataError(
            "the relation's connection does not see Python variables. Set python_enable_replacements = true."
        ) from None
    del _sfumato_rows_
    return cast("duckdb.DuckDBPyRelation", found)


def read_batches(relation: duckdb.DuckDBPyRelation) -> pa.RecordBatchReader:
    """Run a relation and return its rows as Arrow batches, so that the whole is never held twice."""
    make = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    return make(_BATCH_ROWS)


def quote_literal(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def quote_name(name: str) -> str:
    """Return the name of a column as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
