"""A domain with its values and the ladder of levels over it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias, cast

import numpy as np

from sfumato._typing import BoolArray, IntArray
from sfumato.domains import Partition, Tree

Value: TypeAlias = str | int | float | dt.date | None

ROOT = "*"
PARTIAL = "partial"


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The ordered values of one attribute and its levels of generalization."""

    attribute: str  # name of the attribute
    kind: str  # `number`, `category`, `ordinal` or `date`
    # the leaves in the order of their codes. Missing, if it occurs in the data, is `None` and the last one.
    values: tuple[Value, ...]
    # `levels[l, code]` is the block of a code at level l, shape (levels, m), int32. Level 0 is the identity
    # and the last level one single block. Blocks of a level are numbered in the order of their smallest
    # codes, and each level nests in the next.
    levels: IntArray
    labels: tuple[tuple[str | None, ...], ...]  # `labels[l][block]` is the text of a block; `None` is missing
    # the part of the specification that made it (e.g. `{"mask": 5}`), for recipes; for files and trees the
    # key `"leaves"` maps each leaf to its labels by level. With the key `"granularity"`, values are the
    # starts of granules and not the values of the data; with the key `"unknown"`, the leaf before missing
    # stands for all values that a recipe does not know; with the key `"partial"`, the declared domain has
    # blocks that a recipe has no text for; with `"declared"` false, leaves are known from the data alone.
    definition: Mapping[str, object] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of values m of the domain, missing included."""
        return len(self.values)

    @property
    def height(self) -> int:
        """Number of the most general level."""
        return len(self.labels) - 1

    @property
    def has_missing(self) -> bool:
        """Whether missing belongs to the domain."""
        return bool(self.values) and self.values[-1] is None

    @property
    def known(self) -> int:
        """Number of leaves before the one for unknown values and missing."""
        return self.size - self.has_missing - ("unknown" in self.definition)

    @cached_property
    def declared(self) -> BoolArray:
        """Which leaves the specification itself names, whatever the data hold."""
        # Of a file, a tree or an order these are all, of numbers those from bottom to top, where both are
        # given and the domain has steps. Any other domain is what the data hold, so that its size, its ends
        # and its values reveal something about people.
        if PARTIAL in self.definition or self.definition.get("declared") is False:
            return np.zeros(self.size, dtype=np.bool_)
        if "leaves" in self.definition or (self.kind == "ordinal" and "values" in self.definition):
            return np.arange(self.size) < self.known
        bottom, top = self.definition.get("bottom"), self.definition.get("top")
        found = np.zeros(self.size, dtype=np.bool_)
        steps = [value for value in self.values if isinstance(value, int | float)]
        has_steps = "granularity" in self.definition or all(isinstance(value, int) for value in steps)
        if isinstance(bottom, int | float) and isinstance(top, int | float) and has_steps:
            for code, value in enumerate(self.values):
                found[code] = isinstance(value, int | float) and bottom <= value < top
        return found

    @property
    def is_declared(self) -> bool:
        """Whether the specification names the domain."""
        return bool(self.declared.any())

    @property
    def is_unknown(self) -> BoolArray:
        """Which leaf stands for all values that a recipe does not know."""
        found = np.zeros(self.size, dtype=np.bool_)
        found[self.known : self.size - self.has_missing] = True
        return found

    def shown_definition(self, seen: BoolArray) -> Mapping[str, object]:
        """Return the definition; of listed values that nobody declared only those that may be named."""
        if self.definition.get("declared") is False:
            found = dict(self.definition)
            named = {str(value) for value, shown in zip(self.values, seen, strict=True) if shown}
            for key in found.keys() & {"leaves", "depths"}:
                entries = cast("Mapping[str, object]", found[key])
                found[key] = {leaf: entry for leaf, entry in entries.items() if leaf in named}
            return found
        if "values" not in self.definition:
            return self.definition
        recorded = zip(cast("list[object]", self.definition["values"]), seen, strict=False)
        return {"values": [value for value, shown in recorded if shown]}

    def only(self, codes: BoolArray) -> Hierarchy:
        """Return the hierarchy over some of its values; blocks are renumbered on every level."""
        levels, labels = [], []
        for row, names in zip(self.levels, self.labels, strict=True):
            left = row[codes]
            partition = Partition.of(left)
            _, first = np.unique(partition.block, return_index=True)
            levels.append(partition.block)
            labels.append(tuple(names[int(left[code])] for code in first.tolist()))
        values = tuple(value for value, keep in zip(self.values, codes.tolist(), strict=True) if keep)
        return replace(self, values=values, levels=np.stack(levels), labels=tuple(labels))

    def tree(self, *, collapse: bool = True) -> Tree:
        """Return the tree of the hierarchy."""
        depths = np.full(self.size, self.height, dtype=np.int32)
        known = self.definition.get("depths")
        if isinstance(known, Mapping):
            for code, value in enumerate(self.values):
                depths[code] = known.get(value, self.height)
        depths[self.known :] = 1
        return Tree.from_levels(self.levels, collapse=collapse, depths=depths)
