"""What a recoding does to one quasi-identifier: its blocks, their labels, and how both are written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import cast

import numpy as np

from sfumato._typing import BoolArray, IntArray, LongArray
from sfumato.domains import Lattice, Partition
from sfumato.errors import SpecError
from sfumato.hierarchies import (
    ROOT,
    RULES,
    Hierarchy,
    Plain,
    block_widths,
    infer_kind,
    parse_values,
    plain_values,
    text_of,
    value_places,
    write_blocks,
)
from sfumato.preparing import RANGES, Prepared
from sfumato.release.recipe import RecipeAttribute
from sfumato.release.reference import kept_attribute, recoded_attribute
from sfumato.schemes import node_labels, partition_labels
from sfumato.table import Recode, block_statistics

NOWHERE = -1  # the slot of a value that is not counted


@dataclass(frozen=True, eq=False)
class Grouping:
    """The partition of one quasi-identifier."""

    hierarchy: Hierarchy  # the domain
    scheme: str  # the scheme that the partition belongs to
    block: IntArray  # the block of each code
    node: int | None = None  # the level that the partition is, under the scheme `levels`
    # which codes some published row has; None where nothing is published yet, and all may be named. Else
    # labels and recipe name these alone, and values that the specification declares: what is made of a
    # partition depends on no other row.
    published: BoolArray | None = None
    hides: bool = False  # whether rows are suppressed
    output: str = "label"  # `label`, or the statistic that stands for a block: `mean`, `median` or `mode`
    # makes a text for each block, None where no row has a value in it; None where labels are written, or the
    # hierarchy has statistics for labels already
    statistics: partial[list[str | None]] | None = None

    @property
    def name(self) -> str:
        """The attribute."""
        return self.hierarchy.attribute

    @cached_property
    def level(self) -> int | None:
        """The level that the partition is; None if it is neither a level, nor the values, nor everything."""
        if self.node is not None:
            return self.node
        if self._is_flat:
            return self.hierarchy.height
        return 0 if len(set(self._seen_block.tolist())) == len(self._seen_block) else None

    @property
    def _is_flat(self) -> bool:
        """Whether all published values are one block."""
        # Where rows are suppressed, only these tell whether it is the whole domain or one value of it, unless
        # that is declared: it is published as the whole.
        if self.hides and not self.hierarchy.is_declared:
            return len(self.shown) == 1
        return self._count == 1 < self.hierarchy.size

    @property
    def keep(self) -> bool:
        """Whether the column is published as it came: every value by itself, not granulated, none unknown."""
        return (
            self.level == 0 and not self.hierarchy.definition.get("granularity") and not self._shows_unknown
        )

    @property
    def _shows_unknown(self) -> bool:
        """Whether a published row has a value that the recipe does not know."""
        unknown = self.hierarchy.is_unknown
        return bool((unknown if self.published is None else unknown & self.published).any())

    @property
    def is_narrowed(self) -> bool:
        """Whether the column is kept though the search united values: only one of each block is published."""
        return self.keep and self._count < self.hierarchy.size

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
        """The name of each block: that of the level, or what `sfumato.schemes.block_labels` makes of it."""
        # A block that nobody sees has the name of the root, which no row ever gets from it.
        if self.node is not None:
            return self.hierarchy.labels[self.node]
        if self._is_flat:
            return self.hierarchy.labels[-1] * self._count
        seen = self.hierarchy if self._is_all_seen else self.hierarchy.only(self._seen)
        written = seen.labels[0] if self.level == 0 else self._write(seen)
        names: list[str | None] = [ROOT] * self._count
        for number, text in zip(dict.fromkeys(self._seen_block.tolist()), written, strict=True):
            names[number] = text
        return tuple(names)

    def _write(self, seen: Hierarchy) -> tuple[str | None, ...]:
        """Name the blocks of the values that may be named; ranges of dates are in ISO form always."""
        texts = seen.labels[0]
        if seen.kind == "date":
            texts = tuple(None if value is None else text_of(value) for value in seen.values)
        return partition_labels(
            Partition.of(self._seen_block),
            texts,
            nodes=node_labels(seen.levels, seen.labels),
            ordered=self.has_ranges,
            kind=seen.kind,
            reach=self.has_reach,
        )

    @property
    def recode(self) -> Recode:
        """What happens to the column."""
        return Recode(self.name, self.block, self.labels, self.keep, self._numbers)

    def refuse_merging(self, where: str) -> None:
        """Raise SpecError if two blocks that the release shows would look alike."""
        shown = [self.labels[number] for number in self.shown]
        if self.statistics is not None and len(set(shown)) < len(shown):
            raise SpecError(
                f"two blocks of {self.name!r} have the same {self.output}, so the release would merge "
                'them. Use output = "label" or another statistic, or pick another solution.',
                where=where,
            )

    @property
    def entry(self) -> int | list[object]:
        """The partition as ``front.csv`` writes it."""
        if self.node is not None:
            return self.node
        blocks = write_blocks(plain_values(self.hierarchy), self.block, ranges=self.has_ranges)
        return [*blocks]

    def recipe(self, weight: float) -> RecipeAttribute:
        """Write down what is done to the column; no value of the data that the release hides."""
        done = RecipeAttribute(
            "quasi-identifier",
            self.hierarchy.kind,
            weight,
            self._shown_definition(),
            self.scheme,
            self.level,
            output=self.output,
            statistics=self._recorded,
        )
        if self.level is not None:
            return done
        values = [value for value, seen in zip(plain_values(self.hierarchy), self._seen, strict=True) if seen]
        found: dict[int, list[Plain]] = {}
        for value, number in zip(values, self._seen_block.tolist(), strict=True):
            found.setdefault(number, []).append(value)
        shown = set(self.shown)
        # Numbers and dates need the ends of their blocks alone; a category has nothing between. What lies
        # before a block that is not shown must not reach into it.
        blocks = [
            ((members[0], members[-1]) if self.has_reach else tuple(members)) if number in shown else ()
            for number, members in found.items()
            if number in shown or self.has_reach
        ]
        labels = [
            self.names[number] if number in shown else None
            for number in found
            if number in shown or self.has_reach
        ]
        return replace(done, blocks=tuple(blocks), labels=tuple(labels))

    def costs(self, weight: float, *, declared: bool = False) -> dict[str, object]:
        """State what the cells of the column cost by the labels that remain."""
        height = self.hierarchy.height
        if self.keep:
            return kept_attribute(height=height, weight=weight)
        slots = self._declared_slots() if declared else np.arange(self.hierarchy.size)
        shown, numbers = self.shown, self._numbers
        labels = self.labels if numbers is None else numbers
        pairs = self._pairs(slots)
        sizes, domain = np.bincount(pairs[:, 0], minlength=self._count), len(_distinct(pairs[:, 1]))
        shows_missing = self.hierarchy.has_missing and slots[-1] != NOWHERE
        extents = self._extents(slots if declared else value_places(self.hierarchy), shows_missing)
        heights = self._heights
        stated = recoded_attribute(
            [labels[number] for number in shown],
            [max(int(sizes[number]), 1) for number in shown],
            domain=domain,
            heights=[int(heights[number]) for number in shown],
            height=height,
            weight=weight,
            extents=extents and ([extents[0][number] for number in shown], extents[1]),
        )
        if declared and self._count == 1 < domain:
            # At the root a cell costs all there is, however large the domain.
            stated |= {key: {"cells": [[labels[0], 1, 1]]} for key in ("loss", "extent") if key in stated}
        return stated

    @property
    def detail(self) -> float:
        """The entropy of the partition of a declared domain over the largest that it could have."""
        pairs = self._pairs(self._declared_slots())
        if len(pairs) < 2:
            return 1.0
        shares = np.unique(pairs[:, 0], return_counts=True)[1] / len(pairs)
        return float(-(shares * np.log(shares)).sum() / np.log(len(pairs)))

    def _pairs(self, slots: LongArray) -> LongArray:
        """Return the distinct pairs of block and slot."""
        is_in, width = slots != NOWHERE, self.hierarchy.size + 1
        keys = _distinct(self.block[is_in].astype(np.int64) * width + slots[is_in])
        return np.column_stack([keys // width, keys % width])

    def _declared_slots(self) -> LongArray:
        """Number the values of the declared domain; below and above it there is one each, if it shows."""
        declared, codes = self.hierarchy.declared, np.arange(self.hierarchy.size)
        first, last = np.flatnonzero(declared)[[0, -1]]
        slots = np.where(declared, codes, NOWHERE)
        known = codes < self.hierarchy.size - self.hierarchy.has_missing
        sides = ((codes < first, first - 1), ((codes > last) & known, last + 1), (~known, len(codes) - 1))
        for beyond, slot in sides:
            if self.published is not None and self._count > 1 and (beyond & self.published).any():
                slots[beyond] = slot
        return slots

    def _extents(self, places: LongArray | None, shows_missing: bool) -> tuple[list[int], int] | None:
        """Return the extents of blocks and of the domain; None where values do not lie on a line."""
        if places is None or self.hierarchy.kind not in ("number", "date") or self.hierarchy.size < 2:
            return None
        apart, whole = block_widths(self.hierarchy, places, self.block, shows_missing=shows_missing)
        return apart.tolist(), whole

    @cached_property
    def shown(self) -> list[int]:
        """The blocks that some published row has."""
        if self.published is None:
            return list(range(self._count))
        # In the order of their first published values: numbers of blocks follow hidden values too.
        return list(dict.fromkeys(self.block[self.published].tolist()))

    @cached_property
    def _seen(self) -> BoolArray:
        """Which codes may be named."""
        if self.published is None:
            return np.ones(self.hierarchy.size, dtype=np.bool_)
        return self.hierarchy.declared | self.published

    @property
    def _seen_block(self) -> IntArray:
        """The block of each code that may be named."""
        return self.block[self._seen]

    @property
    def _is_all_seen(self) -> bool:
        return bool(self._seen.all())

    @property
    def _recorded(self) -> tuple[tuple[str, str], ...] | None:
        """The name of each shown block with its statistic; None where labels are written."""
        if self.statistics is None or self.keep:
            return None
        pairs = [(self.names[number], self.labels[number]) for number in self.shown]
        return tuple((name, text) for name, text in pairs if name is not None and text is not None)

    @property
    def _numbers(self) -> list[int | float | None] | None:
        """The number of each block, where statistics are numbers; None for a block that no row has."""
        is_plain = self.output == "label" or self.hierarchy.kind != "number" or self.keep
        if is_plain or self._shows_unknown:
            return None
        numbers = [_number_of(text) for text in self.labels]
        # A block of which all published values are missing has no statistic, and is published as its name.
        is_all = all(numbers[number] is not None or self.labels[number] is None for number in self.shown)
        return numbers if is_all else None

    @property
    def _count(self) -> int:
        return int(self.block.max(initial=-1)) + 1

    @property
    def _heights(self) -> LongArray:
        """For each block its level; under other schemes than ``levels`` the lowest that covers it."""
        if self.node is not None:
            return np.full(self._count, self.node, dtype=np.int64)
        heights = np.zeros(self._count, dtype=np.int64)
        _, first = np.unique(self.block, return_index=True)
        for level in self.hierarchy.levels[:-1]:
            heights[np.unique(self.block[level != level[first][self.block]])] += 1
        return heights

    def _shown_definition(self) -> Mapping[str, object] | None:
        """Return the definition of a hierarchy without values of the data that the release hides."""
        # At the root any value becomes the root, so none needs to be known. Below it, a domain taken from the
        # data keeps the values that remain; rules, files and trees hold none of the data. Blocks say
        # themselves which values they hold, so that of their hierarchy only rules are kept.
        definition, level = self.hierarchy.definition, self.level
        if "unknown" in definition and not self._shows_unknown:
            definition = {key: value for key, value in definition.items() if key != "unknown"}
        if level is None:
            is_rule = any(key in definition for key in (*RULES, "granularity"))
            return definition if is_rule else None
        if level == self.hierarchy.height:
            return {"root": self.hierarchy.labels[level][0], "height": level}
        if "columns" in definition:
            # Their labels come from the data, so that only published ones are named, and no value below them.
            labels = self.hierarchy.labels[level]
            return {
                **definition,
                "shown": sorted({text for number in self.shown if (text := labels[number]) is not None}),
            }
        return replace(self.hierarchy, definition=definition).shown_definition(self._seen)


def _distinct(numbers: LongArray) -> LongArray:
    """Return the distinct numbers; those of a tree are so, and in their order, most of the time."""
    return numbers if (np.diff(numbers) > 0).all() else np.unique(numbers)


def _number_of(text: str | None) -> int | float | None:
    """Return the number that a text is; None for any other."""
    if text is None or infer_kind([text]) != "number":
        return None
    return cast("int | float", parse_values([text], "number")[0])


def make_groupings(prepared: Prepared, lattice: Lattice, node: LongArray) -> tuple[Grouping, ...]:
    """Return what a node does to each quasi-identifier."""
    found = []
    names = zip(prepared.setting.quasi_identifiers, prepared.scheme_names, strict=True)
    for a, (name, scheme) in enumerate(names):
        hierarchy, block = prepared.table.hierarchies[name], lattice.ladders[a].levels[node[a]]
        output = prepared.spec.attributes[name].output
        statistics = None
        if output != "label":
            statistics = partial(block_statistics, prepared.table, name, statistic=output)
        level = int(node[a]) if scheme == "levels" else None
        found.append(Grouping(hierarchy, scheme, block, level, output=output, statistics=statistics))
    return tuple(found)
