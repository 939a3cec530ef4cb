"""Partitions, ladders of them, and the lattice of all their combinations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sfumato._typing import FloatArray, IntArray, LongArray
from sfumato.errors import ParameterError

_AT_ONCE = 4_000_000  # cells of counts that are held at once


@dataclass(frozen=True, eq=False)
class Partition:
    """A grouping of the codes 0…m−1 of a domain into blocks."""

    # for every code the number of its block. Blocks are numbered 0…b−1 in the order of their smallest codes,
    # so that equal groupings are equal arrays. Use :meth:`of` where the numbers are arbitrary.
    block: IntArray

    @classmethod
    def of(cls, block: object) -> Partition:
        """Make a partition from arbitrary block numbers."""
        numbers = np.asarray(block)
        _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int32)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
        return cls(np.ascontiguousarray(rank[inverse], dtype=np.int32))

    @cached_property
    def count(self) -> int:
        """The number of blocks."""
        return int(self.block.max()) + 1 if len(self.block) else 0

    @cached_property
    def sizes(self) -> LongArray:
        """The number of codes in each block."""
        return np.bincount(self.block, minlength=self.count).astype(np.int64)

    def refines(self, other: Partition) -> bool:
        """Tell whether every block lies within one block of ``other``."""
        if len(self.block) != len(other.block):
            return False
        pairs = self.block.astype(np.int64) * (other.count + 1) + other.block
        return len(np.unique(pairs)) == self.count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Partition) and np.array_equal(self.block, other.block)

    def __hash__(self) -> int:
        return hash(self.block.tobytes())


@dataclass(frozen=True, eq=False)
class Ladder:
    """Numbered partitions of one domain, and which of them may be used."""

    # Either they are levels, each nested in the next, or they are listed in any order and nested in no way;
    # `listed` makes the second kind.
    # `levels[l, code]` is the block of a code in partition l. Where they are nested, each one nests in the
    # next, and the last one is a single block.
    levels: IntArray
    # the first and the last number that a recoding may use
    lowest: int
    highest: int
    nested: bool = True  # whether each partition nests in the next
    # nested levels over the same domain by which the height of any block is measured, where the partitions
    # are no levels themselves
    hierarchy: IntArray | None = None

    @classmethod
    def whole(cls, levels: IntArray) -> Ladder:
        """Make a ladder on which every level may be used."""
        return cls(levels, 0, len(levels) - 1)

    @classmethod
    def listed(cls, partitions: Sequence[Partition], hierarchy: Ladder | None = None) -> Ladder:
        """Make a ladder of arbitrary partitions of one domain; the number of each is its place."""
        sizes = {len(partition.block) for partition in partitions}
        sizes |= set() if hierarchy is None else {hierarchy.size}
        if not partitions or len(sizes) != 1:
            found = f"domains of {len(sizes)} sizes" if partitions else "no partition"
            raise ParameterError(f"a ladder lists one or more partitions of one domain; got {found}.")
        levels = np.stack([partition.block for partition in partitions]).astype(np.int32, copy=False)
        return cls(levels, 0, len(levels) - 1, False, None if hierarchy is None else hierarchy.heights)

    def only(self, number: int) -> Ladder:
        """Return the same ladder on which one partition alone may be used; it keeps its number."""
        return replace(self, lowest=int(number), highest=int(number))

    @property
    def count(self) -> int:
        """Number of partitions that may be used."""
        return self.highest - self.lowest + 1

    @cached_property
    def heights(self) -> IntArray:
        """The nested levels by which the height of a block is measured; values and everything if unknown."""
        if self.nested:
            return self.levels
        if self.hierarchy is not None:
            return self.hierarchy
        return np.stack([np.arange(self.size, dtype=np.int32), np.zeros(self.size, dtype=np.int32)])

    @property
    def height(self) -> int:
        """Height of the most general block, allowed or not: the number of the hierarchy's last level."""
        return len(self.heights) - 1

    @property
    def size(self) -> int:
        """Number of values of the domain."""
        return int(self.levels.shape[1])

    @cached_property
    def blocks(self) -> tuple[int, ...]:
        """Number of blocks of every partition."""
        return tuple((self.levels.max(axis=1) + 1).tolist()) if self.size else (0,) * len(self.levels)

    @cached_property
    def base(self) -> IntArray:
        """The coarsest partition that refines all that may be used, as the block of each code."""
        # Where it is itself among them, it has that one's block numbers.
        used = self.levels[self.lowest : self.highest + 1]
        widest = self.lowest + int(np.argmax(self.blocks[self.lowest : self.highest + 1]))
        if self.nested or self.blocks[widest] == self.size or len(used) == 1:
            return np.asarray(self.levels[self.lowest if self.nested else widest])
        _, together = np.unique(used, axis=1, return_inverse=True)
        common = Partition.of(together.reshape(-1))
        return np.asarray(self.levels[widest]) if common.count == self.blocks[widest] else common.block

    @cached_property
    def finest(self) -> int:
        """The number of the partition that refines all that may be used."""
        if self.nested:
            return self.lowest
        used = self.blocks[self.lowest : self.highest + 1]
        if max(used) != int(self.base.max(initial=-1)) + 1:
            raise ParameterError("of the listed partitions none refines all others.")
        return self.lowest + int(np.argmax(used))

    @cached_property
    def coarsest(self) -> int:
        """The number of the partition that all refine that may be used."""
        if self.nested:
            return self.highest
        number = self.lowest + int(np.argmin(self.blocks[self.lowest : self.highest + 1]))
        coarse = self.levels[number]
        for other in range(self.lowest, self.highest + 1):
            if self.blocks[number] > 1 and not np.array_equal(
                self._carried(self.levels[other], coarse)[self.levels[other]], coarse
            ):
                raise ParameterError("of the listed partitions none is refined by all others.")
        return number

    def entropies(self, numbers: LongArray) -> FloatArray:
        """Return the entropy of partitions over the values of the domain; see :func:`entropy_shares`."""
        distinct, place = np.unique(numbers, return_inverse=True)
        return np.asarray(entropy_shares(self.levels[distinct])[place.reshape(-1)])

    def step(self, low: int, high: int) -> IntArray:
        """Return for each block of partition ``low`` its block of partition ``high``."""
        block = self._carried(self.levels[low], self.levels[high])
        if not self.nested and not np.array_equal(block[self.levels[low]], self.levels[high]):
            raise ParameterError(f"partition {low} of the list does not refine partition {high}.")
        return block

    @staticmethod
    def _carried(low: IntArray, high: IntArray) -> IntArray:
        """Return for each block of ``low`` the block of ``high`` that holds one of its codes."""
        block = np.zeros(int(low.max(initial=-1)) + 1, dtype=np.int32)
        block[low] = high
        return block


def entropy_shares(partitions: IntArray) -> FloatArray:
    """Return the entropy of partitions of one domain over the largest that there can be."""
    n, m = partitions.shape
    if m < 2:
        return np.ones(n)
    found = np.empty(n)
    step = max(1, _AT_ONCE // m)
    for start in range(0, n, step):
        part = partitions[start : start + step]
        places = part + np.arange(len(part), dtype=np.int64)[:, None] * m
        shares = np.bincount(places.reshape(-1), minlength=len(part) * m).reshape(len(part), m) / m
        logs = np.log(np.where(shares > 0, shares, 1.0))
        # Not the negative sum: nothing lost is 0, and not −0.
        found[start : start + step] = (shares * -logs).sum(axis=1) / np.log(m) + 0.0
    return found


@dataclass(frozen=True, eq=False)
class Lattice:
    """All combinations of the partitions that several ladders allow."""

    # A node is a row of numbers, one for each ladder: a level, or a place in a list. Ladders of levels and of
    # listed partitions may be mixed.
    ladders: tuple[Ladder, ...]

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Number of allowed partitions of each ladder."""
        return tuple(ladder.count for ladder in self.ladders)

    @property
    def size(self) -> int:
        """Number of nodes."""
        return math.prod(self.counts)

    @property
    def nested(self) -> bool:
        """Whether every ladder is one of levels, so that a larger number is always more general."""
        return all(ladder.nested for ladder in self.ladders)

    @cached_property
    def bottom(self) -> LongArray:
        """The most specific node; ParameterError where a list has none."""
        return np.array([ladder.finest for ladder in self.ladders], dtype=np.int64)

    @cached_property
    def top(self) -> LongArray:
        """The most general node; ParameterError where a list has none."""
        return np.array([ladder.coarsest for ladder in self.ladders], dtype=np.int64)

    def nodes(self, start: int, stop: int, order: tuple[int, ...] | None = None) -> LongArray:
        """Return nodes number ``start`` to ``stop``, counted with the last attribute of ``order`` fastest."""
        ranks = np.arange(start, stop, dtype=np.int64)
        nodes = np.empty((len(ranks), len(self.ladders)), dtype=np.int64)
        for a in reversed(order if order is not None else range(len(self.ladders))):
            ranks, level = np.divmod(ranks, self.counts[a])
            nodes[:, a] = level + self.ladders[a].lowest
        return nodes
