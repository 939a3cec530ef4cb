"""Partitions of one domain in the order of refinement, which need be neither a chain nor graded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.domains import Partition
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, IntArray, LongArray
    from sfumato.domains import Ladder
    from sfumato.schemes import Scheme

COMPARED = 5_000
"""How many partitions of a list without a scheme are compared with each other at most."""


@dataclass(frozen=True, eq=False)
class Poset:
    """Places 0…n−1, and which of them are direct successors (coarser neighbours) of which."""

    # the direct successors of place i are `items[start[i]:start[i + 1]]`
    start: LongArray
    items: LongArray

    @classmethod
    def chain(cls, count: int) -> Poset:
        """Make a chain, as levels are.

        Examples
        --------
        >>> Poset.chain(3).heights.tolist()
        [0, 1, 2]
        """
        return cls(np.minimum(np.arange(count + 1), count - 1), np.arange(1, count, dtype=np.int64))

    @classmethod
    def of_steps(cls, steps: Sequence[Sequence[int]]) -> Poset:
        """Make the order that the direct successors of each place describe.

        Examples
        --------
        >>> pentagon = Poset.of_steps([[1, 3], [2], [4], [4], []])
        >>> pentagon.heights.tolist(), pentagon.top
        ([0, 1, 2, 1, 3], 4)
        """
        start = np.cumsum([0, *map(len, steps)], dtype=np.int64)
        return cls(start, np.array([above for places in steps for above in places], dtype=np.int64))

    @classmethod
    def of_scheme(cls, scheme: Scheme) -> Poset:
        """Make the order of a scheme's members; places follow ``scheme.partitions()``."""
        place = {partition: number for number, partition in enumerate(scheme.partitions())}
        return cls.of_steps([[place[above] for above in scheme.successors(item)] for item in place])

    @classmethod
    def of_ladder(cls, ladder: Ladder) -> Poset:
        """Make the order of a ladder's allowed partitions; equal ones keep the order of the list."""
        if ladder.nested:
            return cls.chain(ladder.count)
        if ladder.count > COMPARED:
            raise ParameterError(
                f"{ladder.count:,} partitions of a list cannot be put in order; at most {COMPARED:,} can."
            )
        before = _strictly_before(ladder.levels[ladder.lowest : ladder.highest + 1])
        between = before.astype(np.float32) @ before.astype(np.float32) > 0
        return cls.of_steps([np.flatnonzero(row).tolist() for row in before & ~between])

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def degrees(self) -> LongArray:
        """Number of direct successors of each place."""
        return np.diff(self.start)

    @cached_property
    def reversed(self) -> Poset:
        """The order upside down: its direct successors are the direct predecessors here."""
        owner = np.repeat(np.arange(len(self)), self.degrees)
        order = np.argsort(self.items, kind="stable")
        counts = np.bincount(self.items, minlength=len(self))
        return Poset(np.concatenate(([0], np.cumsum(counts))).astype(np.int64), owner[order])

    @cached_property
    def heights(self) -> LongArray:
        """For each place the length of the longest chain that leads up to it."""
        heights = np.zeros(len(self), dtype=np.int64)
        waiting = self.reversed.degrees.copy()
        ready = np.flatnonzero(waiting == 0).tolist()
        while ready:
            place = ready.pop()
            for above in self.items[self.start[place] : self.start[place + 1]].tolist():
                heights[above] = max(heights[above], heights[place] + 1)
                waiting[above] -= 1
                if not waiting[above]:
                    ready.append(above)
        return heights

    @cached_property
    def top(self) -> int | None:
        """The place above all others; None if there is none."""
        ends = np.flatnonzero(self.degrees == 0)
        # In a finite order a single maximal element is above all others.
        return int(ends[0]) if len(ends) == 1 else None


def _strictly_before(levels: IntArray) -> BoolArray:
    """Tell which partition (row) strictly refines which (column), equal ones in the order of the list."""
    count = len(levels)
    refines = np.zeros((count, count), dtype=np.bool_)
    for number, level in enumerate(levels):
        _, first, block = np.unique(Partition.of(level).block, return_index=True, return_inverse=True)
        refines[number] = (levels == levels[:, first[block.reshape(-1)]]).all(axis=1)
    equal = refines & refines.T
    return (refines & ~equal) | np.triu(equal, 1)
