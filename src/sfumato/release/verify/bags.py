"""Compare a release, as a bag of rows, with another file that holds the rows before suppression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.release.verify.reading import enough_room, open_engine, open_file, readable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duckdb import DuckDBPyConnection

ROOT = "*"


@dataclass(frozen=True)
class Columns:
    """The columns that are compared.

    Parameters
    ----------
    quasi_identifiers, sensitive, others
        Their names by role.
    texts
        Those whose texts must be the same; others are the same if they are one number or one time.
    masked
        Whether suppressed rows stay, with ``*`` in every quasi-identifier and nothing in sensitive columns.
    """

    quasi_identifiers: Sequence[str]
    sensitive: Sequence[str]
    others: Sequence[str]
    texts: frozenset[str] = frozenset()
    masked: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All columns."""
        return (*self.quasi_identifiers, *self.sensitive, *self.others)


@dataclass(frozen=True)
class Difference:
    """What was found.

    Parameters
    ----------
    rows
        Rows before suppression.
    kept
        Those in classes that the release shows.
    foreign
        Rows of the release that are not there before suppression, or not as often.
    lacking
        Rows of classes that the release shows, or of masked ones, that it does not have, or not as often.
    """

    rows: int
    kept: int
    foreign: int
    lacking: int

    @property
    def is_none(self) -> bool:
        """Whether both hold the same rows."""
        return not self.foreign and not self.lacking


def compare_bags(released: Path, before: Path, columns: Columns) -> Difference:
    """Compare a release with the same rows before suppression.

    A class of quasi-identifiers is kept as a whole or suppressed as a whole. Missing equals missing.

    Parameters
    ----------
    released
        The release.
    before
        All rows, recoded, none suppressed.
    columns
        What is compared.
    """
    with open_engine() as connection:
        for view, path in (("shown", released), ("made", before)):
            with readable(path):
                found = open_file(connection, path, f"{view}_file")
                cells = ", ".join(
                    f"{_cell(found[name], is_text=name in columns.texts)} AS c{place}"
                    for place, name in enumerate(columns.names)
                )
                connection.execute(
                    f"CREATE TEMP TABLE {view} AS SELECT {cells}, count(*) AS n FROM {view}_file GROUP BY ALL"
                )
        with enough_room(released):
            return _compare(connection, columns)


def _cell(expression: str, *, is_text: bool) -> str:
    """Write a cell as a text that is never null."""
    plain = expression
    if not is_text:
        number, time = (
            f"CAST(TRY_CAST({expression} AS {kind}) AS VARCHAR)" for kind in ("DOUBLE", "TIMESTAMP")
        )
        plain = f"coalesce({number}, {time}, {expression})"
    return f"coalesce('=' || {plain}, '')"


def _compare(connection: DuckDBPyConnection, columns: Columns) -> Difference:
    places = range(len(columns.names))
    known = [f"c{place}" for place in places][: len(columns.quasi_identifiers)]
    secret = [f"c{place}" for place in places][len(known) : len(known) + len(columns.sensitive)]
    by = ", ".join(known)
    # Where all rows are one class none is masked: it would be all of them.
    is_one = _number(connection, f"SELECT count(*) FROM (SELECT DISTINCT {by} FROM made)") <= 1
    masked = "false"
    if columns.masked and not is_one:
        stars = [f"{cell} = '={ROOT}'" for cell in known]
        masked = " AND ".join([*stars, *(f"{cell} = ''" for cell in secret)])
    connection.execute(f"CREATE TEMP TABLE kept AS SELECT DISTINCT {by} FROM shown WHERE NOT ({masked})")
    join = " AND ".join(f"made.{cell} = kept.{cell}" for cell in known)
    whole = f"SELECT made.* FROM made SEMI JOIN kept ON {join}"
    kept = _number(connection, f"SELECT coalesce(sum(n), 0) FROM ({whole})")
    if columns.masked:
        hidden = {**dict.fromkeys(known, f"'={ROOT}'"), **dict.fromkeys(secret, "''")}
        cells = ", ".join(hidden.get(f"c{place}", f"made.c{place}") for place in places)
        whole = f"{whole} UNION ALL SELECT {cells}, n FROM made ANTI JOIN kept ON {join}"
    every = ", ".join(f"c{place}" for place in places)
    connection.execute(
        f"CREATE TEMP TABLE due AS SELECT {every}, sum(n)::BIGINT AS n FROM ({whole}) GROUP BY ALL"
    )
    foreign, lacking = (
        _number(connection, f"SELECT coalesce(sum(n), 0) FROM (FROM {one} EXCEPT FROM {other})")
        for one, other in (("shown", "due"), ("due", "shown"))
    )
    return Difference(_number(connection, "SELECT sum(n) FROM made"), kept, foreign, lacking)


def _number(connection: DuckDBPyConnection, query: str) -> int:
    return int(connection.execute(query).fetchall()[0][0])


__all__ = ["Columns", "Difference", "compare_bags"]
