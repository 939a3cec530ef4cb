"""Compare a release, as a bag of rows, with another file that holds the rows before suppression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.errors import VerificationError
from sfumato.release.verify.reading import enough_room, open_engine, open_file, readable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duckdb import DuckDBPyConnection

ROOT = "*"
_NUMBER = "^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?$"
_TIME = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9:]{2,6})?)?$"


@dataclass(frozen=True)
class Columns:
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


def compare_bags(released: Path, before: Path, columns: Columns, numbers: Path | None = None) -> Difference:
    """Compare a release with the same rows before suppression.

    Missing equals missing.
    """
    with open_engine() as connection:
        for view, path in (("shown", released), ("made", before)):
            with readable(path):
                found = open_file(connection, path, f"{view}_file")
                cells = _select(found, columns, path)
                connection.execute(
                    f"CREATE TEMP TABLE {view} AS SELECT {cells}, count(*) AS n FROM {view}_file GROUP BY ALL"
                )
                if view == "made" and numbers is not None:
                    _number_classes(connection, cells, columns, numbers)
        with enough_room(released):
            return _compare(connection, columns)


def differing_columns(released: Path, before: Path, names: Sequence[str]) -> list[str]:
    """Return which columns of two files are not the same texts, row by row."""
    columns = Columns(names, (), ())
    with open_engine() as connection:
        for view, path in (("shown", released), ("made", before)):
            with readable(path):
                cells = _select(open_file(connection, path, f"{view}_file"), columns, path)
                connection.execute(f"CREATE TEMP TABLE {view} AS SELECT {cells} FROM {view}_file")
        with enough_room(released):
            return [
                name
                for place, name in enumerate(names)
                if _number(
                    connection,
                    f"SELECT count(*) FROM shown POSITIONAL JOIN made AS due "
                    f"WHERE shown.c{place} IS DISTINCT FROM due.c{place}",
                )
            ]


def _select(found: Mapping[str, str], columns: Columns, path: Path) -> str:
    absent = [name for name in columns.names if name not in found]
    if absent:
        raise VerificationError(f"the column {absent[0]!r} is not in the file.", where=str(path))
    whole = {name: f"regexp_replace({found[name]}, '^(-?[0-9]+)[.]0$', '\\1')" for name in columns.floats}
    return ", ".join(
        f"{_cell(whole.get(name, found[name]), is_value=name in columns.values)} AS c{place}"
        for place, name in enumerate(columns.names)
    )


def _number_classes(connection: DuckDBPyConnection, cells: str, columns: Columns, numbers: Path) -> None:
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
    """Write a cell as a text that is never null; a number or time in one spelling, where asked for.

    Only spellings that a format forces are made one, such as ``25`` and ``25.0``: ``025`` and `` 25`` are
    texts of their own.
    """
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
    rows = _number(connection, "SELECT coalesce(sum(n), 0) FROM made")
    if not columns.is_whole:
        same = " AND ".join(f"shown.c{place} = made.c{place}" for place in places)
        unmasked = f"(SELECT * FROM shown WHERE NOT ({masked})) AS shown"
        counts = f"SELECT shown.n, coalesce(made.n, 0) AS m FROM {unmasked} LEFT JOIN made ON {same}"
        foreign = _number(connection, f"SELECT coalesce(sum(greatest(n - m, 0)), 0) FROM ({counts})")
        kept = _number(connection, f"SELECT coalesce(sum(n), 0) FROM ({counts})")
        return Difference(rows, kept, foreign, 0, _shown_blocks(connection, known))
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
    return Difference(rows, kept, foreign, lacking, _shown_blocks(connection, known))


def _shown_blocks(connection: DuckDBPyConnection, known: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Return the blocks of the classes that the release shows; none where they were not numbered."""
    if not connection.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'numbered'").fetchall():
        return ()
    join = " AND ".join(f"numbered.{cell} = kept.{cell}" for cell in known)
    blocks = ", ".join(f"b{place}" for place in range(len(known)))
    return tuple(
        connection.execute(f"SELECT DISTINCT {blocks} FROM numbered SEMI JOIN kept ON {join}").fetchall()
    )


def _number(connection: DuckDBPyConnection, query: str) -> int:
    return int(connection.execute(query).fetchall()[0][0])
