"""Partitions written with the values of their domain, and read back."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

import numpy as np

from sfumato.domains import Partition
from sfumato.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import IntArray
    from sfumato.hierarchies.hierarchy import Hierarchy, Value

Plain: TypeAlias = str | int | float | None
"""A value as JSON holds it: numbers as numbers, dates as ISO text, missing as null."""


def plain_value(value: Value) -> Plain:
    """Return a value as JSON holds it.

    Examples
    --------
    >>> plain_value(39), plain_value(dt.date(1987, 3, 14)), plain_value(None)
    (39, '1987-03-14', None)
    """
    return value.isoformat() if isinstance(value, dt.date) else value


def plain_values(hierarchy: Hierarchy) -> list[Plain]:
    """Return the values of a domain as JSON holds them; granules stand by their starts."""
    return [plain_value(value) for value in hierarchy.values]


def write_blocks(values: Sequence[Plain], block: IntArray, *, ranges: bool) -> list[list[Plain]]:
    """Write a partition with the values of its domain.

    Examples
    --------
    >>> block = Partition.of([0, 0, 1]).block
    >>> write_blocks([17, 18, 19], block, ranges=True), write_blocks(list("abc"), block, ranges=False)
    ([[17, 18], [19, 19]], [['a', 'b'], ['c']])
    """
    if ranges:
        begins = np.flatnonzero(np.diff(block, prepend=-1)).tolist()
        ends = [*begins[1:], len(block)]
        return [[values[begin], values[end - 1]] for begin, end in zip(begins, ends, strict=True)]
    found: list[list[Plain]] = [[] for _ in range(int(block.max(initial=-1)) + 1)]
    for value, number in zip(values, block.tolist(), strict=True):
        found[number].append(value)
    return found


def read_blocks(values: Sequence[Plain], entry: object, *, ranges: bool) -> Partition:
    """Read what :func:`write_blocks` wrote."""
    if not _is_blocks(entry):
        raise DataError("a list of blocks is expected, each a list of values.")
    codes = {value: code for code, value in enumerate(values)}
    unknown = sum(value not in codes for block in entry for value in block)
    if unknown:
        raise DataError(f"{unknown} of the values in its blocks are not in the domain.")
    members = [[codes[value] for value in block] for block in entry]
    if ranges:
        members = [_between(pair) for pair in members]
    listed = [code for block in members for code in block]
    if len(set(listed)) < len(listed):
        raise DataError("its blocks overlap: a value stands in two of them.")
    if len(listed) < len(values):
        raise DataError(f"its blocks lack {len(values) - len(listed)} of the {len(values)} values.")
    block = np.empty(len(values), dtype=np.int32)
    for number, block_codes in enumerate(members):
        block[block_codes] = number
    return Partition.of(block)


def _between(pair: Sequence[int]) -> list[int]:
    """Return all codes from the first to the last."""
    if len(pair) != 2 or pair[0] > pair[1]:
        raise DataError("each block is expected as its first and its last value.")
    return list(range(pair[0], pair[1] + 1))


def _is_blocks(entry: object) -> TypeGuard[list[list[Plain]]]:
    """Tell whether something is a list of lists of values, none of them empty."""
    if not isinstance(entry, list) or not all(isinstance(block, list) and block for block in entry):
        return False
    values = (value for block in entry for value in block)
    return all(
        value is None or (isinstance(value, str | int | float) and not isinstance(value, bool))
        for value in values
    )
