"""Recount a microaggregated file: the sizes of its classes, in every group of columns and in all together."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import VerificationError
from sfumato.verifier import bags
from sfumato.verifier.checks import Check, judged, violations_of
from sfumato.verifier.judging import judge_columns, judge_digest, judge_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckdb import DuckDBPyConnection

    from sfumato.verifier.spark_rows import SparkRows


@dataclass(frozen=True)
class ClusterPromise:
    """What is claimed about a microaggregated file."""

    groups: tuple[tuple[str, ...], ...]  # names of the columns that were microaggregated together
    k: int  # rows that every class of every group has at least
    # the column that clusters do not cross, or None. It counts as known together with every group.
    within: str | None
    columns: tuple[str, ...]  # names of all columns of the file
    rows: int  # rows of the file
    # the size of the smallest class over all groups together, as stated; None where it is only to be counted
    joint: float | None = None
    sha256: str | None = None  # digest of the file, or None
    # for each group the size of the smallest class as stated; None where it is only to be counted
    sizes: tuple[float | None, ...] = ()
    # ordinal column → all labels that it may have
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    dialect: Mapping[str, object] = field(default_factory=dict)  # how a text file is spelt


@dataclass(frozen=True)
class ClusterRecount:
    """What the file itself says."""

    sizes: tuple[int, ...]  # for each group, rows of the smallest class
    joint: int  # rows of the smallest class over all groups together
    classes: int  # number of classes over all groups together
    rows: int  # rows of the file
    columns: tuple[str, ...]  # names of its columns
    sha256: str  # digest of the file
    # ordinal column → rows whose label is not in its order
    strange: Mapping[str, int] = field(default_factory=dict)


def recount_clusters(path: str | Path | SparkRows, promise: ClusterPromise) -> ClusterRecount:
    """Read a microaggregated file again and count its classes with plain SQL."""
    # Rows are in one class if all cells are the same text; missing is a value like any other.
    path = Path(path) if isinstance(path, str) else path
    bags.check_file(path)
    within = () if promise.within is None else (promise.within,)
    names = dict.fromkeys((*chain(*promise.groups), *within))
    place = {name: f"q{number}" for number, name in enumerate(names)}
    strange = {}
    with bags.open_engine() as connection:
        with bags.readable(path):
            sha256 = bags.hash_file(path)
            there = bags.rows_on_spark(path)
            if there is not None:
                bags.check_columns(there.columns, place, path)
                return _recount_on_spark(connection, there, promise, within, sha256)
            assert isinstance(path, Path)
            columns = bags.open_file(connection, path, "released", promise.dialect)
            bags.check_columns(columns, place, path)
            texts = ", ".join(f"{columns[name]} AS {alias}" for name, alias in place.items())
            connection.execute(f"CREATE TEMP TABLE cells AS SELECT {texts} FROM released")
        with bags.enough_room(path):
            rows = bags.ask_number(connection, "SELECT count(*) FROM cells")
            if not rows:
                raise VerificationError("the file has no rows.")
            smallest = [
                _classes(connection, [place[name] for name in (*group, *within)])[0]
                for group in promise.groups
            ]
            all_together = _classes(connection, place.values())
            for name in [name for name in promise.orders if name in place]:
                others = f"SELECT count(*) FROM cells WHERE NOT list_contains($1::VARCHAR[], {place[name]})"
                strange[name] = bags.ask_number(connection, others, [list(promise.orders[name])])
    return ClusterRecount(tuple(smallest), *all_together, rows, tuple(columns), sha256, strange)


def _recount_on_spark(
    connection: DuckDBPyConnection,
    there: SparkRows,
    promise: ClusterPromise,
    within: tuple[str, ...],
    sha256: str,
) -> ClusterRecount:
    """Let Spark count the classes where the rows are; the sizes alone come here."""
    sizes = [there.classes((*group, *within)) for group in promise.groups]
    smallest, classes, rows = there.classes(dict.fromkeys((*chain(*promise.groups), *within)))
    if not rows:
        raise VerificationError("the file has no rows.")
    strange = {}
    for number, (name, labels) in enumerate(promise.orders.items()):
        there.count(connection, [name], f"labels{number}")
        found = f"SELECT coalesce(sum(n), 0) FROM labels{number} WHERE NOT list_contains($1::VARCHAR[], "
        strange[name] = bags.ask_number(connection, f"{found}{there.columns[name]})", [list(labels)])
    least = tuple(size for size, _, _ in sizes)
    return ClusterRecount(least, smallest, classes, rows, there.names, sha256, strange)


def _classes(connection: DuckDBPyConnection, columns: Iterable[str]) -> tuple[int, int]:
    """Return the size of the smallest class, and the number of classes."""
    sizes = f"SELECT count(*) AS n FROM cells GROUP BY {', '.join(columns)}"
    smallest, classes = connection.execute(f"SELECT min(n), count(*) FROM ({sizes})").fetchall()[0]
    return int(smallest), int(classes)


def judge_clusters(recount: ClusterRecount, promise: ClusterPromise) -> list[Check]:
    """List everything that was promised or stated, and whether the file keeps it."""
    rows = f"{promise.rows} stated, {recount.rows} counted."
    found = [
        *judge_digest(recount.sha256, promise.sha256),
        *judge_columns(recount.columns, promise.columns),
        judged("rows out", rows, is_held=recount.rows == promise.rows, of="rows"),
    ]
    stated = promise.sizes or (None,) * len(promise.groups)
    for group, size, said in zip(promise.groups, recount.sizes, stated, strict=True):
        names = ", ".join(group)
        counted = f"at least {promise.k} rows promised, {size} counted."
        of = f"classes of {names}"
        found.append(judged(f"require {of}", counted, is_held=size >= promise.k, of=of))
        if said is not None:
            found.append(judge_number(f"k of {names}", said, size))
    if promise.joint is not None:
        found.append(judge_number("k over all groups", promise.joint, recount.joint))
    for name, strange in recount.strange.items():
        others = f"{strange} rows have a label that is not in its order."
        words = others if strange else "all labels are in its order."
        found.append(judged(f"labels of {name!r}", words, is_held=not strange))
    return found


def broken_clusters(recount: ClusterRecount, promise: ClusterPromise) -> list[str]:
    """List what the file breaks of its promise, one sentence each; empty if it holds."""
    return violations_of(judge_clusters(recount, promise))
