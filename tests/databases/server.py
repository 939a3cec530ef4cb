"""A PostgreSQL server of the tests' own, on the loopback address, that leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import adbc_driver_postgresql.dbapi
import adbc_driver_sqlite.dbapi
import pyarrow as pa
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

DATABASE = "test"
USER = "tester"
PASSWORD = "pass phrase;'\"@host"


def find_programs() -> Path | None:
    """Return the folder of the newest server that is installed; None if there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    known = shutil.which("initdb")
    return found[-1].parent if found else None if known is None else Path(known).resolve().parent


@dataclass
class Server:
    """A server that can be ended and started again."""

    programs: Path
    folder: Path
    port: int = field(default=0)

    @property
    def address(self) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{DATABASE}"

    @property
    def hidden(self) -> list[str]:
        """What no output may tell. The digits of a port alone may stand in a checksum or a page's library."""
        return [USER, PASSWORD, "127.0.0.1", "localhost:", f":{self.port}/{DATABASE}"]

    def run(self, program: str, *arguments: str) -> None:
        # initdb and the server refuse root.
        as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        done = subprocess.run(
            [*as_user, str(self.programs / program), *arguments],
            capture_output=True,
            text=True,
            cwd=self.folder,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def make(self) -> None:
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        self.run(
            *("initdb", "-D", str(self.folder / "data"), "-U", USER, "--pwfile", str(secret), "-A"),
            *("scram-sha-256", "-E", "UTF8", "--locale", "C.UTF-8", "--no-sync", "--no-instructions"),
        )
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def start(self) -> None:
        options = f"-p {self.port} -h 127.0.0.1 -k {self.folder} -c fsync=off -c shared_buffers=32MB"
        self.run(
            "pg_ctl",
            "-D",
            str(self.folder / "data"),
            "-o",
            options,
            "-w",
            "-l",
            f"{self.folder}/log",
            "start",
        )

    def execute(self, statement: str, database: str = DATABASE) -> None:
        """Run a statement outside of any transaction."""
        address = f"{self.address.removesuffix(DATABASE)}{database}"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PGPASSWORD", PASSWORD)
            with (
                adbc_driver_postgresql.dbapi.connect(address, autocommit=True) as link,
                link.cursor() as cursor,
            ):
                cursor.execute(statement)

    def stop(self) -> None:
        """End the server at once, as if the machine had lost its power."""
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")


@contextlib.contextmanager
def serving() -> Iterator[Server]:
    """Start a server in a private folder, and remove it."""
    programs = find_programs()
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        server = Server(programs, folder)
        server.make()
        server.start()
        try:
            yield server
        finally:
            with contextlib.suppress(AssertionError):
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def connect(address: str) -> Any:
    """Open a transaction in a database, by its own driver."""
    if address.startswith("postgresql"):
        return adbc_driver_postgresql.dbapi.connect(address)
    return adbc_driver_sqlite.dbapi.connect(address.removeprefix("sqlite:///"))


def put(address: str, name: str, table: pa.Table) -> None:
    """Make a table; SQLite has no truth values and no days, so that these are texts there."""
    if address.startswith("sqlite"):
        for place, item in enumerate(table.schema):
            if pa.types.is_boolean(item.type) or pa.types.is_date(item.type):
                table = table.set_column(place, item.name, table.column(place).cast(pa.string()))
    with connect(address) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest(name, table, mode="create")
        connection.commit()


def ask(address: str, query: str) -> pa.Table:
    """Return the rows of a query."""
    with connect(address) as connection, connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetch_arrow_table()


def tables(address: str) -> set[str]:
    """Return the names of all tables."""
    listed = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    found = ask(address, listed if address.startswith("postgresql") else "SELECT name FROM sqlite_master")
    return set(found.column(0).to_pylist())
