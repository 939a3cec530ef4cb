"""What a recoding does to one quasi-identifier: its blocks, their labels, and how both are written down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from sfumato._typing import IntArray
from sfumato.domains import Partition
from sfumato.errors import SpecError
from sfumato.hierarchies import RULES, infer_kind, parse_values, plain_values, value_places, write_blocks
from sfumato.preparing import RANGES
from sfumato.release.recipe import RecipeAttribute
from sfumato.release.reference import kept_attribute, recoded_attribute
from sfumato.schemes import node_labels, partition_labels
from sfumato.table import Recode, block_statistics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import LongArray
    from sfumato.domains import Lattice
    from sfumato.hierarchies import Hierarchy
    from sfumato.preparing import Prepared

Statistics: TypeAlias = Callable[[IntArray], list[str | None]]
"""From the block of each code to a text for each block, None where no row has a value in it."""


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
    output
        ``label``, or the statistic that stands for a block: ``mean``, ``median`` or ``mode``.
    statistics
        Makes the statistics of blocks; None where labels are written, or the hierarchy has
        statistics for labels already.
    """

    hierarchy: Hierarchy
    scheme: str
    block: IntArray
    level: int | None
    hidden: frozenset[int] = frozenset()
    output: str = "label"
    statistics: Statistics | None = None

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
        """The text of each block in the release: its statistic, or its name."""
        if self.statistics is None or self.keep:
            return self.names
        # A block without rows has no statistic, and is never shown.
        found = zip(self.statistics(self.block), self.names, strict=True)
        return tuple(name if text is None else text for text, name in found)

    @cached_property
    def names(self) -> tuple[str | None, ...]:
        """The name of each block: that of the level, or what `sfumato.schemes.labels` makes of it."""
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
        return Recode(self.name, self.block, self.labels, self.keep, self._numbers)

    def refuse_merging(self, where: str) -> None:
        """Raise SpecError if two blocks that the release shows would look alike.

        Parameters
        ----------
        where
            The place in the specification that asks for statistics.
        """
        shown = [self.labels[number] for number in self._shown]
        if self.statistics is not None and len(set(shown)) < len(shown):
            raise SpecError(
                f"two blocks of {self.name!r} have the same {self.output}, so that the release would merge "
                'them. Use output = "label" or another statistic, or pick another solution.',
                where=where,
            )

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
            return RecipeAttribute(
                "quasi-identifier",
                kind,
                weight,
                shown,
                self.scheme,
                self.level,
                output=self.output,
                statistics=self._recorded,
            )
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
            labels=tuple(None if number in self.hidden else self.names[number] for number in kept),
            output=self.output,
            statistics=self._recorded,
        )

    def costs(self, weight: float) -> dict[str, object]:
        """State what the cells of the column cost by the labels that remain."""
        height = self.hierarchy.height
        if self.keep:
            return kept_attribute(height=height, weight=weight)
        shown, numbers = self._shown, self._numbers
        labels = self.labels if numbers is None else numbers
        sizes = np.bincount(self.block, minlength=self._count)
        heights = self._heights
        return recoded_attribute(
            [labels[number] for number in shown],
            [int(sizes[number]) for number in shown],
            domain=self.hierarchy.size,
            heights=[int(heights[number]) for number in shown],
            height=height,
            weight=weight,
            extents=self._extents(shown),
        )

    def _extents(self, shown: Sequence[int]) -> tuple[list[int], int] | None:
        """Return the extents of blocks and of the domain; None where values do not lie on a line."""
        places = value_places(self.hierarchy)
        if places is None or self.hierarchy.size < 2:
            return None
        whole = max(int(places.max()), 1)
        found = []
        for number in shown:
            inside = places[self.block == number]
            apart = int(inside.max() - inside.min())
            found.append(whole if inside.min() < 0 and len(inside) > 1 else apart)
        return found, whole

    @property
    def _shown(self) -> list[int]:
        """The blocks that some released row has."""
        return [number for number in range(self._count) if number not in self.hidden]

    @property
    def _recorded(self) -> tuple[tuple[str, str], ...] | None:
        """The name of each shown block with its statistic; None where labels are written."""
        if self.statistics is None or self.keep:
            return None
        pairs = [(self.names[number], self.labels[number]) for number in self._shown]
        return tuple((name, text) for name, text in pairs if name is not None and text is not None)

    @property
    def _numbers(self) -> list[int | float | None] | None:
        """The number of each block, where statistics are numbers; None for a block that no row has."""
        is_plain = self.output == "label" or self.hierarchy.kind != "number" or self.keep
        if is_plain or "unknown" in self.hierarchy.definition:
            return None
        return [_number_of(text) for text in self.labels]

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


def _number_of(text: str | None) -> int | float | None:
    """Return the number that a text is; None for any other."""
    if text is None or infer_kind([text]) != "number":
        return None
    return cast("int | float", parse_values([text], "number")[0])


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
        output = prepared.spec.attributes[name].output
        statistics = None
        if output != "label":
            statistics = partial(block_statistics, prepared.table, name, statistic=output)
        found.append(Grouping(hierarchy, scheme, block, level, output=output, statistics=statistics))
    return tuple(found)


def _level(hierarchy: Hierarchy, block: IntArray) -> int | None:
    """Return 0 for the finest partition, the height for the coarsest one, None for others."""
    count = int(block.max(initial=-1)) + 1
    if count == hierarchy.size:
        return 0
    return hierarchy.height if count == 1 else None


__all__ = ["Grouping", "make_groupings"]
