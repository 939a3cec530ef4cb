"""What a recoding does to one quasi-identifier: its blocks, their labels, and how both are written down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from sfumato.domains import Partition
from sfumato.hierarchies import RULES, plain_values, write_blocks
from sfumato.preparing import RANGES
from sfumato.release.recipe import RecipeAttribute
from sfumato.release.reference import kept_attribute, recoded_attribute
from sfumato.schemes import node_labels, partition_labels
from sfumato.table import Recode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import IntArray, LongArray
    from sfumato.domains import Lattice
    from sfumato.hierarchies import Hierarchy
    from sfumato.preparing import Prepared


@dataclass(frozen=True, eq=False)
class Grouping:
    """The partition of one quasi-identifier.

    Parameters
    ----------
    hierarchy
        The domain.
    scheme
        The scheme that the partition belongs to.
    block
        The block of each code.
    level
        The level that the partition is; None where it is neither a level of the scheme ``levels``
        nor the values themselves nor everything.
    hidden
        Blocks that no released row has.
    """

    hierarchy: Hierarchy
    scheme: str
    block: IntArray
    level: int | None
    hidden: frozenset[int] = frozenset()

    @property
    def name(self) -> str:
        """The attribute."""
        return self.hierarchy.attribute

    @property
    def keep(self) -> bool:
        """Whether the column leaves as it came: every value by itself, not granulated, none unknown."""
        definition = self.hierarchy.definition
        return self.level == 0 and not definition.get("granularity") and "unknown" not in definition

    @property
    def has_ranges(self) -> bool:
        """Whether blocks are contiguous by their scheme."""
        return self.scheme in RANGES

    @property
    def has_reach(self) -> bool:
        """Whether a block takes, of new data, all up to the first value of the next one."""
        return self.has_ranges and self.hierarchy.kind in ("number", "date")

    @cached_property
    def labels(self) -> tuple[str | None, ...]:
        """The label of each block: that of the level, or what `sfumato.schemes.labels` makes of it."""
        hierarchy = self.hierarchy
        if self.level is not None:
            return hierarchy.labels[self.level]
        return partition_labels(
            Partition(self.block),
            hierarchy.labels[0],
            nodes=node_labels(hierarchy.levels, hierarchy.labels),
            ordered=self.has_ranges,
            kind=hierarchy.kind,
            reach=self.has_reach,
            hidden=sorted(self.hidden),
        )

    @property
    def recode(self) -> Recode:
        """What happens to the column."""
        return Recode(self.name, self.block, self.labels, self.keep)

    @property
    def entry(self) -> int | list[object]:
        """The partition as ``front.csv`` writes it."""
        if self.scheme == "levels" and self.level is not None:
            return self.level
        blocks = write_blocks(plain_values(self.hierarchy), self.block, ranges=self.has_ranges)
        return [*blocks]

    def showing(self, shown: Sequence[int]) -> Grouping:
        """Return the same with all other blocks hidden."""
        return replace(self, hidden=frozenset(range(self._count)) - set(shown))

    def recipe(self, weight: float) -> RecipeAttribute:
        """Write down what is done to the column; no value of the data that the release hides."""
        kind, shown = self.hierarchy.kind, self._shown_definition()
        if self.level is not None:
            return RecipeAttribute("quasi-identifier", kind, weight, shown, self.scheme, self.level)
        # Numbers and dates need the ends of their blocks alone; a category has nothing between.
        blocks = write_blocks(plain_values(self.hierarchy), self.block, ranges=self.has_reach)
        if self.has_reach:
            kept = list(range(self._count))
            blocks = [[] if number in self.hidden else blocks[number] for number in kept]
        else:
            kept = [number for number in range(self._count) if number not in self.hidden]
        return RecipeAttribute(
            "quasi-identifier",
            kind,
            weight,
            shown,
            self.scheme,
            blocks=tuple(tuple(blocks[number]) for number in kept),
            labels=tuple(None if number in self.hidden else self.labels[number] for number in kept),
        )

    def costs(self, weight: float) -> dict[str, object]:
        """State what the cells of the column cost by the labels that remain."""
        height = self.hierarchy.height
        if self.keep:
            return kept_attribute(height=height, weight=weight)
        shown = [number for number in range(self._count) if number not in self.hidden]
        sizes = np.bincount(self.block, minlength=self._count)
        heights = self._heights
        return recoded_attribute(
            [self.labels[number] for number in shown],
            [int(sizes[number]) for number in shown],
            domain=self.hierarchy.size,
            heights=[int(heights[number]) for number in shown],
            height=height,
            weight=weight,
        )

    @property
    def _count(self) -> int:
        return int(self.block.max(initial=-1)) + 1

    @property
    def _heights(self) -> LongArray:
        """For each block its level; under other schemes than ``levels`` the lowest that covers it."""
        if self.scheme == "levels":
            return np.full(self._count, self.level, dtype=np.int64)
        heights = np.zeros(self._count, dtype=np.int64)
        _, first = np.unique(self.block, return_index=True)
        for level in self.hierarchy.levels[:-1]:
            heights[np.unique(self.block[level != level[first][self.block]])] += 1
        return heights

    def _shown_definition(self) -> Mapping[str, object] | None:
        """Return the definition of a hierarchy without values of the data that the release hides.

        At the root any value becomes the root, so none needs to be known. Below it, a domain taken from the
        data keeps the values that remain; rules, files and trees hold none of the data. Blocks say
        themselves which values they hold, so that of their hierarchy only rules are kept.
        """
        definition, level = self.hierarchy.definition, self.level
        if level is None:
            is_rule = any(key in definition for key in (*RULES, "granularity"))
            return definition if is_rule else None
        if level == self.hierarchy.height:
            return {"root": self.hierarchy.labels[level][0], "height": level}
        if "values" not in definition:
            return definition
        recorded = cast("list[object]", definition["values"])
        return {
            "values": [
                value for code, value in enumerate(recorded) if int(self.block[code]) not in self.hidden
            ]
        }


def make_groupings(prepared: Prepared, lattice: Lattice, node: LongArray) -> tuple[Grouping, ...]:
    """Return what a node does to each quasi-identifier.

    Parameters
    ----------
    prepared
        The table.
    lattice
        The lattice in whose numbers the node is.
    node
        One number for each quasi-identifier.
    """
    found = []
    names = zip(prepared.setting.quasi_identifiers, prepared.scheme_names, strict=True)
    for a, (name, scheme) in enumerate(names):
        hierarchy, block = prepared.table.hierarchies[name], lattice.ladders[a].levels[node[a]]
        level = int(node[a]) if scheme == "levels" else _level(hierarchy, block)
        found.append(Grouping(hierarchy, scheme, block, level))
    return tuple(found)


def _level(hierarchy: Hierarchy, block: IntArray) -> int | None:
    """Return 0 for the finest partition, the height for the coarsest one, None for others."""
    count = int(block.max(initial=-1)) + 1
    if count == hierarchy.size:
        return 0
    return hierarchy.height if count == 1 else None


__all__ = ["Grouping", "make_groupings"]
