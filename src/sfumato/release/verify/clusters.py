"""Recount a microaggregated file: the sizes of its classes, in every group of columns and in all together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import VerificationError
from sfumato.release.verify.reading import (
    check_file,
    enough_room,
    hash_file,
    open_engine,
    open_file,
    readable,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckdb import DuckDBPyConnection


@dataclass(frozen=True)
class ClusterPromise:
    """What a microaggregated file is said to be.

    Parameters
    ----------
    groups
        Names of the columns that were microaggregated together.
    k
        Rows that every class of every group has at least.
    within
        The column that clusters do not cross, or None. It counts as known together with every group.
    columns
        Names of all columns of the file.
    rows
        Rows of the file.
    joint
        The size of the smallest class over all groups together, as stated; None where it is only to be
        counted.
    sha256
        Digest of the file, or None.
    """

    groups: tuple[tuple[str, ...], ...]
    k: int
    within: str | None
    columns: tuple[str, ...]
    rows: int
    joint: int | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class ClusterRecount:
    """What the file itself says.

    Parameters
    ----------
    sizes
        For each group, rows of the smallest class.
    joint
        Rows of the smallest class over all groups together.
    classes
        Number of classes over all groups together.
    rows
        Rows of the file.
    columns
        Names of its columns.
    sha256
        Digest of the file.
    """

    sizes: tuple[int, ...]
    joint: int
    classes: int
    rows: int
    columns: tuple[str, ...]
    sha256: str


def recount_clusters(path: str | Path, promise: ClusterPromise) -> ClusterRecount:
    """Read a microaggregated file again and count its classes with plain SQL.

    Rows are in one class if all cells are the same text; missing is a value like any other.

    Parameters
    ----------
    path
        The file; its suffix tells the format.
    promise
        The groups of columns.

    Raises
    ------
    DataError
        If the file cannot be read.
    VerificationError
        If a promised column is absent or there is no row.
    """
    path = Path(path)
    check_file(path)
    with open_engine() as connection:
        with readable(path):
            sha256 = hash_file(path)
            columns = open_file(connection, path, "released")
            known = [*(name for group in promise.groups for name in group)]
            known += [] if promise.within is None else [promise.within]
            for name in known:
                if name not in columns:
                    raise VerificationError(f"the column {name!r} is not in the file.", where=str(path))
            texts = ", ".join(f"{columns[name]} AS q{place}" for place, name in enumerate(known))
            connection.execute(f"CREATE TEMP TABLE cells AS SELECT {texts} FROM released")
        with enough_room(path):
            return _count(connection, promise, known, tuple(columns), sha256)


def _count(
    connection: DuckDBPyConnection,
    promise: ClusterPromise,
    known: Sequence[str],
    columns: tuple[str, ...],
    sha256: str,
) -> ClusterRecount:
    place = {name: f"q{number}" for number, name in enumerate(known)}
    within = [] if promise.within is None else [place[promise.within]]
    rows = int(connection.execute("SELECT count(*) FROM cells").fetchall()[0][0])
    if not rows:
        raise VerificationError("the file has no rows.")
    sizes = tuple(
        _classes(connection, [*(place[name] for name in group), *within])[0] for group in promise.groups
    )
    joint, classes = _classes(connection, list(dict.fromkeys(place.values())))
    return ClusterRecount(sizes, joint, classes, rows, columns, sha256)


def _classes(connection: DuckDBPyConnection, columns: Sequence[str]) -> tuple[int, int]:
    """Return the size of the smallest class, and the number of classes."""
    by = ", ".join(columns)
    found = connection.execute(
        f"SELECT min(n), count(*) FROM (SELECT count(*) AS n FROM cells GROUP BY {by})"
    ).fetchall()
    return int(found[0][0]), int(found[0][1])


def broken_clusters(recount: ClusterRecount, promise: ClusterPromise) -> list[str]:
    """List what the file breaks of its promise, one sentence each; empty if it holds."""
    found = []
    if promise.sha256 is not None and promise.sha256.lower() != recount.sha256:
        found.append("the file is not the one that was released: its sha256 differs from the manifest's.")
    for name in sorted(set(recount.columns) - set(promise.columns)):
        found.append(f"the column {name!r} is in the file and should not be.")
    for name in sorted(set(promise.columns) - set(recount.columns)):
        found.append(f"the column {name!r} should be in the file and is not.")
    if recount.rows != promise.rows:
        found.append(f"rows: {promise.rows} stated, {recount.rows} counted.")
    for group, size in zip(promise.groups, recount.sizes, strict=True):
        if size < promise.k:
            found.append(
                f"classes of {', '.join(group)}: at least {promise.k} rows promised, {size} counted."
            )
    if promise.joint is not None and promise.joint != recount.joint:
        found.append(f"k over all groups: {promise.joint} stated, {recount.joint} counted.")
    return found


__all__ = ["ClusterPromise", "ClusterRecount", "broken_clusters", "recount_clusters"]
