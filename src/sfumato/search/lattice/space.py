"""All recodings in the order of refinement: one partition of each attribute."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.search.lattice.posets import Poset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato._typing import BoolArray, LongArray
    from sfumato.domains import Lattice
    from sfumato.search.problem import Problem


@dataclass(frozen=True, eq=False)
class Space:
    """The product of the orders of several attributes.

    A recoding is finer than another one if each of its partitions refines the other's. Recodings are
    numbered, the last attribute fastest, and taken many at a time.
    """

    lattice: Lattice  # the partitions of each attribute
    posets: tuple[Poset, ...]  # their orders; place 0 is the first allowed number of a ladder

    @classmethod
    def of(cls, problem: Problem) -> Space:
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

    def predecessors(self, numbers: LongArray) -> Iterator[tuple[LongArray, LongArray]]:
        """Yield attribute by attribute the direct predecessors, and whose they are (places in the list)."""
        return self._steps(numbers, tuple(poset.reversed for poset in self.posets))

    def predecessor_counts(self, numbers: LongArray) -> LongArray:
        """Return how many direct predecessors each recoding has."""
        total = np.zeros(len(numbers), dtype=np.int64)
        for a, poset in enumerate(self.posets):
            total += poset.reversed.degrees[self.place(numbers, a)]
        return total

    def has_predecessor(self, numbers: LongArray, marked: BoolArray) -> BoolArray:
        """Tell which recodings have a direct predecessor that is marked."""
        found = np.zeros(len(numbers), dtype=np.bool_)
        for owner, below in self.predecessors(numbers):
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
