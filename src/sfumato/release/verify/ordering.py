"""Whether the rows of a file are in the order that its recipe states, so that the order tells nothing.

``sorted`` means: by all columns that the recipe lists, in that order, each by the texts that its cells have in
the file. A column in which every cell that is neither missing nor ``*`` reads as a number (as the engine reads
doubles, undefined ones excepted) is sorted by size, equal numbers by their texts, ``*`` after them; any other
column by the bytes of its texts in UTF-8. Missing comes last. The file alone decides, not the types of its
format, so that one table has one order in every format.

Each row is compared with the one before it: nothing is sorted again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.release.verify.checks import Check, broken, held

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckdb import DuckDBPyConnection

    from sfumato.release.verify.promise import Promise

TITLE = "order of rows"


def check_order(
    connection: DuckDBPyConnection, view: str, columns: Mapping[str, str], promise: Promise
) -> tuple[Check, ...]:
    """Compare each row of a file with the one before it.

    Parameters
    ----------
    connection
        The engine.
    view
        The rows as they are in the file.
    columns
        Column name → SQL expression of its text.
    promise
        The columns in their order, and whether sorted rows are promised.

    Returns
    -------
    tuple of Check
        One check; none where no order is promised.
    """
    names = [name for name in promise.columns or columns if name in columns]
    if promise.order != "sorted" or not names:
        return ()
    numbers = ", ".join(
        f"coalesce(bool_and({_is_number(columns[name])}), true) AS n{place}"
        for place, name in enumerate(names)
    )
    are_numbers = connection.execute(f"SELECT {numbers} FROM {view}").fetchall()[0]
    keys = [
        f"{key}, 'ASC NULLS LAST'"
        for name, is_number in zip(names, are_numbers, strict=True)
        for key in _keys(columns[name], is_number)
    ]
    # Without an order of its own a window sees the rows one after the other, as they are read.
    found = connection.execute(
        f"SELECT count(*) FROM (SELECT key, lag(key) OVER () AS last FROM "
        f"(SELECT create_sort_key({', '.join(keys)}) AS key FROM {view})) WHERE last > key"
    ).fetchall()
    if found[0][0]:
        detail = f"the rows are not sorted by all columns: {found[0][0]} stand before one that comes first."
        return (broken(TITLE, detail),)
    return (held(TITLE, f"sorted by all {len(names)} columns, so that it tells nothing."),)


def _is_number(text: str) -> str:
    return f"coalesce({text} = '*' OR NOT isnan(TRY_CAST({text} AS DOUBLE)), {text} IS NULL)"


def _keys(text: str, is_number: bool) -> list[str]:
    """Return what a column is sorted by; large whole numbers of one double are still told apart by size."""
    return [f"TRY_CAST({text} AS DOUBLE)", f"TRY_CAST({text} AS HUGEINT)", text] if is_number else [text]


__all__ = ["check_order"]
