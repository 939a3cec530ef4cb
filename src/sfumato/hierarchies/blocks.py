"""Partitions of values as people write them: blocks, ranges, admissible lists."""

from __future__ import annotations

import datetime as dt
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np
from pydantic import Field, TypeAdapter, ValidationError

from sfumato.domains import Partition
from sfumato.errors import DataError, HierarchyError, nearest
from sfumato.hierarchies.encode import UNKNOWN, encode
from sfumato.hierarchies.kinds import parse_values, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sfumato._typing import IntArray
    from sfumato.hierarchies.hierarchy import Hierarchy, Value
    from sfumato.spec.attribute import Blocks, Listed, Scalar

Plain: TypeAlias = str | int | float | None
"""A value as JSON holds it: numbers as numbers, dates as ISO text, missing as null."""

_BLOCKS = TypeAdapter(list[Annotated[list[Plain], Field(min_length=1)]])


def plain_values(hierarchy: Hierarchy) -> list[Plain]:
    """Return the values of a domain as JSON holds them; granules stand by their starts."""
    return [value.isoformat() if isinstance(value, dt.date) else value for value in hierarchy.values]


def write_blocks(values: Sequence[Plain], block: IntArray, *, ranges: bool) -> list[list[Plain]]:
    """Write a partition with the values of its domain."""
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
    try:
        blocks = _BLOCKS.validate_python(entry, strict=True)
    except ValidationError:
        raise DataError("a list of blocks is expected, each a list of values.") from None
    codes = {value: code for code, value in enumerate(values)}
    unknown = sum(value not in codes for block in blocks for value in block)
    if unknown:
        raise DataError(f"{unknown} of the values in its blocks are not in the domain.")
    members = [[codes[value] for value in block] for block in blocks]
    if ranges:
        if any(len(pair) != 2 or pair[0] > pair[1] for pair in members):
            raise DataError("each block is expected as its first and its last value.")
        members = [list(range(first, last + 1)) for first, last in members]
    listed = [code for block in members for code in block]
    if len(set(listed)) < len(listed):
        raise DataError("its blocks overlap: a value is in two of them.")
    if len(listed) < len(values):
        raise DataError(
            f"{len(values) - len(listed)} of the {len(values)} values are missing from its blocks."
        )
    block = np.empty(len(values), dtype=np.int32)
    for number, block_codes in enumerate(members):
        block[block_codes] = number
    return Partition.of(block)


def listed_partitions(
    hierarchy: Hierarchy, listed: Sequence[Listed], where: Callable[..., str]
) -> list[Partition]:
    """Return the partitions of a list, each once, with the finest and the coarsest."""
    finest = Partition(np.arange(hierarchy.size, dtype=np.int32))
    coarsest = Partition(np.zeros(hierarchy.size, dtype=np.int32))
    found = {finest: None}
    for place, entry in enumerate(listed):
        here = partial(where, place)
        if isinstance(entry, int | str):
            partition = Partition.of(hierarchy.levels[_level(hierarchy, entry, here)])
        else:
            partition = _of_blocks(hierarchy, entry, here)
        found[partition] = None
    found[coarsest] = None
    return list(found)


def _level(hierarchy: Hierarchy, entry: int | str, where: Callable[..., str]) -> int:
    """Return the level that a number or a unit of dates means."""
    if isinstance(entry, int):
        if entry > hierarchy.height:
            raise HierarchyError(
                f"there is no level {entry}; the hierarchy has levels 0 to {hierarchy.height}.", where=where()
            )
        return entry
    units = hierarchy.definition.get("dates")
    if not isinstance(units, list):
        raise HierarchyError(
            "a text names a level of dates, but the hierarchy has none. Write the number of a level, or a "
            "list of blocks.",
            where=where(),
        )
    if entry not in units:
        raise HierarchyError(f"the hierarchy has no level {entry!r}. {nearest(entry, units)}", where=where())
    return 1 + units.index(entry)


def _of_blocks(hierarchy: Hierarchy, blocks: Blocks, where: Callable[..., str]) -> Partition:
    known = hierarchy.size - hierarchy.has_missing
    block: IntArray = np.full(hierarchy.size, UNKNOWN, dtype=np.int32)
    is_typed = hierarchy.kind in ("number", "date")
    for number, values in enumerate(blocks):
        codes = encode(hierarchy, [_typed(value, hierarchy.kind) if is_typed else value for value in values])
        for place, code in enumerate(codes.tolist()):
            if code == UNKNOWN or block[code] != UNKNOWN:
                what = "occurs twice in the partition"
                if code == UNKNOWN:
                    what = f"is not among the {known} of the domain"
                at, shown = where(number, place), [str(values[place])]
                raise HierarchyError(f"this value {what}.", where=at, values=shown)
            block[code] = number
    lacking = np.flatnonzero(block[:known] == UNKNOWN).tolist()
    if lacking:
        raise HierarchyError(
            f"{len(lacking)} of the {known} values of the domain are missing from the partition. Add them "
            "to blocks.",
            where=where(),
            values=[text_of(value) for code in lacking if (value := hierarchy.values[code]) is not None],
        )
    # Missing stays by itself, unless everything is one block.
    block[known:] = len(blocks) if len(blocks) > 1 else 0
    return Partition.of(block)


def _typed(value: Scalar, kind: str) -> Value:
    """Return a value of a specification as the domain holds it; what is none stays and is not found."""
    try:
        return parse_values([value], kind)[0] if isinstance(value, str) else value
    except DataError:
        return value
