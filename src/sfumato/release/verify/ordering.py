"""Whether the rows of a file are in the order that its recipe states, so that the order tells nothing.

``sorted`` means: by all columns that the recipe lists, in that order, each by the texts that its cells have
in the file. A column in which every cell that is neither missing nor ``*`` reads as a number (as the engine
reads doubles, undefined ones excepted) is sorted by size, equal numbers by their texts, ``*`` after them;
any other column by the bytes of its texts in UTF-8. Missing comes last. The file alone decides, not the
types of its format, so that one table has one order in every format.

Each row is compared with the one before it: nothing is sorted again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sfumato.release.verify.checks import Check, broken, held

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckdb import DuckDBPyConnection

    from sfumato.release.verify.promise import Promise

TITLE = "order of rows"

_FIRST_ROWS = 2048


def check_order(
    connection: DuckDBPyConnection, view: str, columns: Mapping[str, str], promise: Promise
) -> tuple[Check, ...]:
    """Compare each row of a file with the one before it."""
    names = [name for name in promise.columns or columns if name in columns]
    if promise.order != "sorted" or not names:
        return ()
    keys = [
        f"{key}, 'ASC NULLS LAST'"
        for text, by_size in _find_numbers(connection, view, [columns[name] for name in names])
        for key in _keys(text, by_size)
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


def _find_numbers(
    connection: DuckDBPyConnection, view: str, texts: Sequence[str]
) -> list[tuple[str, Literal["no", "doubles", "wide"]]]:
    """Tell which columns are sorted by size, and which of these hold numbers that a double rounds."""
    asked = list(dict.fromkeys(texts))
    # Most texts are told from numbers by the first rows.
    for rows in (f"(FROM {view} LIMIT {_FIRST_ROWS})", view):
        questions = ", ".join(f"{_are_numbers(text)}, {_are_wide(text)}" for text in asked)
        answers = connection.execute(f"SELECT {questions} FROM {rows}").fetchall()[0] if asked else ()
        found = dict(zip(asked, zip(answers[::2], answers[1::2], strict=True), strict=True))
        asked = [text for text in asked if found[text][0]]
    return [(text, "no" if text not in asked else "wide" if found[text][1] else "doubles") for text in texts]


def _are_numbers(text: str) -> str:
    number = f"coalesce({text} = '*' OR NOT isnan(TRY_CAST({text} AS DOUBLE)), {text} IS NULL)"
    return f"coalesce(bool_and({number}), true)"


def _are_wide(text: str) -> str:
    return f"coalesce(max(abs(TRY_CAST({text} AS DOUBLE))) >= {2**53}, false)"


def _keys(text: str, by_size: Literal["no", "doubles", "wide"]) -> list[str]:
    """Return what a column is sorted by; whole numbers of one double are still told apart by size."""
    if by_size == "no":
        return [text]
    wide = [f"TRY_CAST({text} AS HUGEINT)"] if by_size == "wide" else []
    return [f"TRY_CAST({text} AS DOUBLE)", *wide, text]
