"""A server for all tests of a process, and tables in it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from tests.databases import server

if TYPE_CHECKING:
    from collections.abc import Iterator

_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[server.Server]:
    """A server with one empty database."""
    if server.find_programs() is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with server.serving() as found:
        found.execute("CREATE DATABASE test", "postgres")
        yield found


@pytest.fixture(autouse=True)
def password(monkeypatch) -> None:
    """The password, where libpq looks for it."""
    monkeypatch.setenv("PGPASSWORD", server.PASSWORD)


@pytest.fixture
def name() -> str:
    """A name for a table that no other test has."""
    return f"table {next(_numbers)}"
