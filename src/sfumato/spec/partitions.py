"""The partitions that the scheme ``admissible`` lists."""

from __future__ import annotations

import datetime as dt
from typing import TypeAlias

from sfumato.spec.fields import check_entries, check_number, check_text, check_whole
from sfumato.spec.problems import LocatedError, Problem, found

Scalar: TypeAlias = str | int | float
Blocks: TypeAlias = tuple[tuple[Scalar, ...], ...]
Listed: TypeAlias = int | str | Blocks
"""One partition: the number of a level, the unit of a level of dates, or blocks of values."""


def check_partitions(value: object) -> tuple[Listed, ...]:
    """Accept a list of partitions; whether their values are those of the domain is asked later."""
    listed = check_entries(value, _check_partition)
    if not listed:
        raise ValueError("needs at least one partition.")
    return tuple(listed)  # type: ignore[arg-type]


def _check_partition(value: object) -> Listed:
    """Accept the number or the unit of a level, or a list of blocks in which no value stands twice."""
    if isinstance(value, str):
        return check_text(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return check_whole(value)
    if not isinstance(value, list | tuple):
        raise ValueError(f"must be a list of blocks or the number of a level; found {found(value)}.")
    blocks = tuple(tuple(block) for block in check_entries(value, _check_block) if isinstance(block, tuple))
    if not blocks:
        raise ValueError("needs at least one block.")
    _refuse_twice(blocks)
    return blocks


def _check_block(value: object) -> tuple[Scalar, ...]:
    """Accept a list of values that is not empty."""
    if isinstance(value, str):
        raise ValueError("a block must be a list of values; found text. Write brackets around it.")
    values = check_entries(value, _check_value)
    if not values:
        raise ValueError("a block must hold at least one value.")
    return tuple(entry for entry in values if isinstance(entry, str | int | float))


def _check_value(value: object) -> Scalar:
    """Accept a text, a number, a date or a truth value; the last two are kept as texts."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, str):
        return check_text(value)
    return check_number(value)


def value_text(value: Scalar) -> str:
    """Return the text by which values of blocks are compared: 39, 39.0 and "39" are the same.

    Examples
    --------
    >>> value_text(39.0), value_text("39"), value_text(0.5)
    ('39', '39', '0.5')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else repr(value)


def _refuse_twice(blocks: Blocks) -> None:
    """Report every value that stands earlier in the same partition too."""
    seen: set[str] = set()
    problems: list[Problem] = []
    for place, block in enumerate(blocks):
        for position, value in enumerate(block):
            text = value_text(value)
            if text in seen:
                problems.append(Problem((place, position), "this value stands twice in the partition."))
            seen.add(text)
    if problems:
        raise LocatedError(problems)
