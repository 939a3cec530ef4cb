"""The partitions that a specification lists, over the domain of an attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.domains import Partition
from sfumato.errors import DataError, HierarchyError, nearest
from sfumato.hierarchies.encode import UNKNOWN, encode
from sfumato.hierarchies.kinds import parse_values, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sfumato._typing import IntArray
    from sfumato.hierarchies.hierarchy import Hierarchy, Value
    from sfumato.spec.partitions import Blocks, Listed, Scalar


def listed_partitions(
    hierarchy: Hierarchy, listed: Sequence[Listed], where: Callable[..., str]
) -> list[Partition]:
    """Return the partitions of a list, each once, with the finest and the coarsest."""
    finest = Partition(np.arange(hierarchy.size, dtype=np.int32))
    coarsest = Partition(np.zeros(hierarchy.size, dtype=np.int32))
    found = {finest: None}
    for place, entry in enumerate(listed):

        def here(*inside: int, _place: int = place) -> str:
            return where(_place, *inside)

        found[_partition(hierarchy, entry, here)] = None
    found[coarsest] = None
    return list(found)


def _partition(hierarchy: Hierarchy, entry: Listed, where: Callable[..., str]) -> Partition:
    if isinstance(entry, int | str):
        return Partition.of(hierarchy.levels[_level(hierarchy, entry, where)])
    return _of_blocks(hierarchy, entry, where)


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
            "a text names a level of dates, and the hierarchy has none. Write the number of a level, or a "
            "list of blocks.",
            where=where(),
        )
    if entry not in units:
        raise HierarchyError(f"the hierarchy has no level {entry!r}. {nearest(entry, units)}", where=where())
    return 1 + units.index(entry)


def _of_blocks(hierarchy: Hierarchy, blocks: Blocks, where: Callable[..., str]) -> Partition:
    """Return the partition that blocks of values describe."""
    known = hierarchy.size - hierarchy.has_missing
    block: IntArray = np.full(hierarchy.size, UNKNOWN, dtype=np.int32)
    for number, values in enumerate(blocks):
        codes = encode(hierarchy, [_typed(hierarchy, value) for value in values])
        for place, code in enumerate(codes.tolist()):
            if code == UNKNOWN:
                raise HierarchyError(
                    f"this value is not among the {known} of the domain.",
                    where=where(number, place),
                    values=[str(values[place])],
                )
            if block[code] != UNKNOWN:
                raise HierarchyError(
                    "this value stands twice in the partition.",
                    where=where(number, place),
                    values=[str(values[place])],
                )
            block[code] = number
    lacking = np.flatnonzero(block[:known] == UNKNOWN).tolist()
    if lacking:
        raise HierarchyError(
            f"the partition lacks {len(lacking)} of the {known} values of the domain. Add them to blocks.",
            where=where(),
            values=[text_of(value) for code in lacking if (value := hierarchy.values[code]) is not None],
        )
    # Missing stays by itself, unless everything is one block.
    block[known:] = len(blocks) if len(blocks) > 1 else 0
    return Partition.of(block)


def _typed(hierarchy: Hierarchy, value: Scalar) -> Value:
    """Return a value of a specification as the domain holds it; what is none stays and is not found."""
    if hierarchy.kind in ("number", "date") and isinstance(value, str):
        try:
            return parse_values([value], hierarchy.kind)[0]
        except DataError:
            return value
    return value
