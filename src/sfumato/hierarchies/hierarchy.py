"""A domain with its values and the ladder of levels over it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.domains import Tree

if TYPE_CHECKING:
    from sfumato._typing import IntArray

Value: TypeAlias = str | int | float | dt.date | None

ROOT = "*"


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The ordered values of one attribute and its levels of generalization.

    Parameters
    ----------
    attribute
        Name of the attribute.
    kind
        ``number``, ``category``, ``ordinal`` or ``date``.
    values
        The leaves in the order of their codes. Missing, if it occurs in the
        data, is ``None`` and the last one.
    levels
        ``levels[l, code]`` is the block of a code at level l, shape (levels, m),
        int32. Level 0 is the identity and the last level one single block. Blocks
        of a level are numbered in the order of their smallest codes, and each
        level nests in the next.
    labels
        ``labels[l][block]`` is the text of a block; ``None`` is missing.
    definition
        The part of the specification that made it (e.g. ``{"mask": 5}``), for recipes;
        for files and trees the key ``"leaves"`` maps each leaf to its labels by level.
        With the key ``"granularity"``, values are the starts of granules and not the
        values of the data; with the key ``"unknown"``, the leaf before missing stands for
        all values that a recipe does not know.
    """

    attribute: str
    kind: str
    values: tuple[Value, ...]
    levels: IntArray
    labels: tuple[tuple[str | None, ...], ...]
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

    def tree(self, *, collapse: bool = True) -> Tree:
        """Return the tree of the hierarchy.

        Parameters
        ----------
        collapse
            Whether a node with a single child is the same node as its child. Otherwise
            every block of every level is a node, as the number of cuts is counted; only
            missing, the leaf for unknown values and leaves that a specification hangs
            less deep than others stay directly under their parents.
        """
        depths = np.full(self.size, self.height, dtype=np.int32)
        known = self.definition.get("depths")
        if isinstance(known, Mapping):
            for code, value in enumerate(self.values):
                depths[code] = known.get(value, self.height)
        extra = self.has_missing + ("unknown" in self.definition)
        depths[self.size - extra :] = 1
        return Tree.from_levels(self.levels, collapse=collapse, depths=depths)


__all__ = ["ROOT", "Hierarchy", "Value"]
