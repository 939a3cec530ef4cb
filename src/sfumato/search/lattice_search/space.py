"""All recodings in the order of refinement: one partition of each attribute."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.domains import Partition
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sfumato._typing import BoolArray, IntArray, LongArray
    from sfumato.domains import Ladder, Lattice
    from sfumato.schemes import Scheme
    from sfumato.search.problem import Problem

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


@dataclass(frozen=True, eq=False)
class LatticeSpace:
    """The product of the orders of several attributes.

    A recoding is finer than another one if each of its partitions refines the other's. Recodings are
    numbered, the last attribute fastest, and taken many at a time.
    """

    lattice: Lattice  # the partitions of each attribute
    posets: tuple[Poset, ...]  # their orders; place 0 is the first allowed number of a ladder

    @classmethod
    def of(cls, problem: Problem) -> LatticeSpace:
        """Put the whole space of a problem in order."""
        lattice = problem.members
        schemes = problem.schemes or (None,) * len(lattice.ladders)
        posets = tuple(
            Poset.of_ladder(ladder) if scheme is None or ladder.nested else Poset.of_scheme(scheme)
            for scheme, ladder in zip(schemes, lattice.ladders, strict=True)
        )
        return cls(lattice, posets)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """What one step of each attribute adds to a number."""
        counts = [len(poset) for poset in self.posets]
        return tuple(math.prod(counts[a + 1 :]) for a in range(len(counts)))

    @property
    def size(self) -> int:
        """Number of recodings."""
        return math.prod(len(poset) for poset in self.posets)

    @property
    def tops(self) -> tuple[int, ...] | None:
        """The coarsest place of each attribute; None where an attribute has none."""
        found = tuple(poset.top for poset in self.posets)
        return None if None in found else tuple(place for place in found if place is not None)

    def place(self, numbers: LongArray, attribute: int) -> LongArray:
        """Return the place of an attribute in each of several recodings."""
        return np.asarray(numbers // self.strides[attribute] % len(self.posets[attribute]))

    def nodes(self, numbers: LongArray) -> LongArray:
        """Return recodings as nodes of the lattice, shape (n, q)."""
        nodes = np.empty((len(numbers), len(self.posets)), dtype=np.int64)
        for a, ladder in enumerate(self.lattice.ladders):
            nodes[:, a] = self.place(numbers, a) + ladder.lowest
        return nodes

    def heights(self, numbers: LongArray) -> LongArray:
        """Return for each recoding the longest chain that leads up to it.

        It is the sum of those of its partitions; ordered by it, a recoding comes after all finer ones.
        """
        total = np.zeros(len(numbers), dtype=np.int64)
        for a, poset in enumerate(self.posets):
            total += poset.heights[self.place(numbers, a)]
        return total

    def minimal(self) -> LongArray:
        """Return the recodings below which there is none: one, if each attribute has a finest partition."""
        numbers = np.zeros(1, dtype=np.int64)
        for a, poset in enumerate(self.posets):
            ends = np.flatnonzero(poset.reversed.degrees == 0)
            numbers = (numbers[:, None] + ends * self.strides[a]).reshape(-1)
        return numbers

    def successors(self, numbers: LongArray) -> LongArray:
        """Return the direct successors of all the recodings, as often as they are one."""
        return np.concatenate([numbers[:0], *(found for _, found in self._steps(numbers, self.posets))])

    def predecessor_counts(self, numbers: LongArray) -> LongArray:
        """Return how many direct predecessors each recoding has."""
        total = np.zeros(len(numbers), dtype=np.int64)
        for a, poset in enumerate(self.posets):
            total += poset.reversed.degrees[self.place(numbers, a)]
        return total

    def has_predecessor(self, numbers: LongArray, marked: BoolArray) -> BoolArray:
        """Tell which recodings have a direct predecessor that is marked."""
        found = np.zeros(len(numbers), dtype=np.bool_)
        for owner, below in self._steps(numbers, tuple(poset.reversed for poset in self.posets)):
            found[owner[marked[below]]] = True
        return found

    def _steps(self, numbers: LongArray, posets: tuple[Poset, ...]) -> Iterator[tuple[LongArray, LongArray]]:
        """Yield for each attribute the recodings one step on, and the places of those they come from."""
        for a, poset in enumerate(posets):
            places = self.place(numbers, a)
            counts = poset.degrees[places]
            owner = np.repeat(np.arange(len(numbers)), counts)
            # The i-th step of a recoding is the i-th one in its partition's list.
            within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
            reached = poset.items[poset.start[places[owner]] + within]
            yield owner, numbers[owner] + (reached - places[owner]) * self.strides[a]
