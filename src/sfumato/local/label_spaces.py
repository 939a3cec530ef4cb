"""What a label of one attribute may be, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray


class LabelKind(Enum):
    """How a label is told: as a node of a tree, as two ends of a range, as a set of codes."""

    TREE = "tree"
    RANGE = "range"
    SET = "set"


@dataclass(frozen=True, eq=False)
class LabelSpace:
    """All labels that one attribute may show, with the cost of each, 0 for a value as it is and 1 for ``*``.

    A class shows the least label that covers its codes. Where none may, it costs infinity, so no search
    ever makes that class. Costs are those of a cell; `LocalProblem` weighs the attributes.
    """

    kind: LabelKind
    size: int  # codes of the domain, m
    # TREE: (levels, m), for every level that may be used the block of each code, each nested in the next
    levels: IntArray
    # TREE: (levels, m), what a block costs; RANGE: (2, m), a label costs [1, high] − [0, low]; SET:
    # (1, m + 1), what a set of so many codes costs
    costs: FloatArray
    lowest: int = 0  # TREE: the number of the first of the levels in its hierarchy
    missing: int = -1  # RANGE, SET: the code that joins others only under *; −1 where there is none

    @classmethod
    def tree(
        cls,
        levels: IntArray,
        lowest: int = 0,
        highest: int | None = None,
        costs: FloatArray | None = None,
    ) -> LabelSpace:
        """Return the labels that are nodes of a hierarchy, from level ``lowest`` to ``highest`` of it.

        Codes may stand in any order. ``costs`` are those of the blocks of all levels, shape (levels, m); by
        default (leaves − 1) / (m − 1).
        """
        count, m = levels.shape
        if costs is None:
            costs = np.zeros((count, m))
            for level in range(count):
                sizes = np.bincount(levels[level], minlength=m)
                costs[level] = np.maximum(sizes - 1, 0) / max(m - 1, 1)
        used = slice(lowest, count if highest is None else highest + 1)
        if not len(levels[used]):
            raise ParameterError(f"levels {lowest} to {highest} are none of the {count} of the hierarchy.")
        return cls(LabelKind.TREE, m, np.asarray(levels[used], dtype=np.int32), costs[used], lowest)

    @classmethod
    def range(
        cls, size: int, missing: int = -1, lower: FloatArray | None = None, upper: FloatArray | None = None
    ) -> LabelSpace:
        """Return the labels that are ranges of ordered codes.

        A label from ``low`` to ``high`` costs upper[high] − lower[low]; by default (high − low) / (m − 1).
        Ends that are moved outwards, to multiples say, are given here; so is the extent on a line.
        """
        at = np.arange(size) / max(size - 1, 1)
        ends = np.stack([at if lower is None else lower, at if upper is None else upper])
        return cls(LabelKind.RANGE, size, _no_levels(size), ends, missing=missing)

    @classmethod
    def set(cls, size: int, missing: int = -1) -> LabelSpace:
        """Return the labels that are sets of codes; c of m cost (c − 1) / (m − 1)."""
        by_count = np.maximum(np.arange(size + 1) - 1, 0)[None] / max(size - 1, 1)
        return cls(LabelKind.SET, size, _no_levels(size), by_count, missing=missing)

    @classmethod
    def suppress(cls, size: int) -> LabelSpace:
        """Return the labels of an attribute whose cells are kept or ``*``."""
        levels = np.stack([np.arange(size), np.zeros(size, dtype=np.int64)]).astype(np.int32)
        return cls.tree(levels)

    @classmethod
    def keep(cls, size: int) -> LabelSpace:
        """Return the labels of an attribute that may not change: its values."""
        return cls.tree(np.arange(size, dtype=np.int32)[None])

    @property
    def widest(self) -> IntArray:
        """The block of each code under the most general labels."""
        return self.levels[-1] if len(self.levels) else np.zeros(self.size, dtype=np.int32)

    @property
    def own_costs(self) -> FloatArray:
        """What the least label over each single code costs."""
        if self.kind is LabelKind.TREE:
            return np.asarray(self.costs[0, self.levels[0]])
        ends = self.costs[1] - self.costs[0] if self.kind is LabelKind.RANGE else self.costs[0, [1]]
        return np.broadcast_to(np.minimum(ends, 1.0), (self.size,))


def _no_levels(size: int) -> IntArray:
    return np.zeros((0, size), dtype=np.int32)
