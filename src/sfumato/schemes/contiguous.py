"""What the schemes with contiguous blocks have in common.

A partition with contiguous blocks is a string of m − 1 bits: bit i says whether
the codes i and i + 1 are joined. The schemes differ only in what must be joined
together with i: nothing (``ordered``), the two subtrees that meet there
(``guided-ordered``), or the whole node in which they meet (``cuts``). This is the
reach of a bit. A string is valid if it is joined throughout the reach of each
joined bit. Reaches nest: a bit within the reach of another has its own reach there.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato._typing import BoolArray, IntArray, LongArray
from sfumato.domains import Partition
from sfumato.schemes.base import Scheme


class Contiguous(Scheme):
    """A scheme whose members are closed strings of bits."""

    def __init__(self, reach: IntArray) -> None:
        super().__init__(len(reach) + 1)
        self.reach = reach  # for each bit the first one that is joined with it and the one after the last
        self._first = np.ascontiguousarray(reach[:, 0])
        self._end = np.ascontiguousarray(reach[:, 1])

    def is_valid(self, partition: Partition) -> bool:
        """Tell whether the blocks are contiguous and hold all that they must."""
        if len(partition.block) != self.size or (np.diff(partition.block) < 0).any():
            return False
        joined = joined_bits(partition)
        return np.array_equal(self._close(joined), joined)

    def children(self, partition: Partition) -> Iterator[Partition]:
        """Yield the nearest valid descendants in the tree of all contiguous partitions."""
        # There, a child joins one more bit, to the right of all that are joined. So a string's ancestors are
        # what remains of it when joined bits are dropped from the right, and its nearest valid ancestor has
        # all but the rightmost reach.
        joined = joined_bits(partition)
        before = _running_count(joined)
        start = int(np.flatnonzero(joined)[-1]) + 1 if joined.any() else 0
        later = np.arange(start, self.size - 1)
        first = self._first[start:]
        # What lies to the left in the reach of the new bit cannot be joined any more.
        for bit in later[before[later] - before[first] == later - first].tolist():
            child = joined.copy()
            child[bit : self._end[bit]] = True
            yield partition_of_bits(child)

    def successors(self, partition: Partition) -> Iterator[Partition]:
        """Yield the members that join one more reach, and no smaller one within it."""
        joined = joined_bits(partition)
        # One separated bit for each reach that holds no smaller reach of a separated bit.
        free = np.flatnonzero(~joined)
        key = self._first[free].astype(np.int64) * self.size + self._end[free]
        _, lead, alike = np.unique(key, return_index=True, return_counts=True)
        order = np.argsort(free[lead])
        bits, alike = free[lead][order], alike[order]
        before = _running_count(~joined)
        for bit in bits[before[self._end[bits]] - before[self._first[bits]] == alike].tolist():
            coarser = joined.copy()
            coarser[self._first[bit] : self._end[bit]] = True
            yield partition_of_bits(coarser)

    def crossover(
        self, first: Partition, second: Partition, rng: np.random.Generator
    ) -> tuple[Partition, Partition]:
        """Exchange the bits behind one random place, then join what must be joined."""
        # Where both parents separate the values at that place, nothing has to be joined.
        bits = self.size - 1
        if bits < 2:
            return first, second
        one, other = joined_bits(first), joined_bits(second)
        place = int(rng.integers(1, bits))
        return (
            partition_of_bits(self._close(np.concatenate((one[:place], other[place:])))),
            partition_of_bits(self._close(np.concatenate((other[:place], one[place:])))),
        )

    def mutate(self, partition: Partition, rng: np.random.Generator) -> Partition:
        """Flip one random bit and go to the nearest member."""
        # That is the finest coarser one if the bit was separated, and the coarsest finer one if it was
        # joined.
        if self.size == 1:
            return partition
        joined = joined_bits(partition)
        bit = int(rng.integers(self.size - 1))
        if joined[bit]:
            return partition_of_bits(joined & ~((self._first <= bit) & (bit < self._end)))
        joined[bit] = True
        return partition_of_bits(self._close(joined))

    def _close(self, joined: BoolArray) -> BoolArray:
        """Join everything within the reach of a joined bit."""
        # Reaches nest, so that one round is enough.
        begin = np.bincount(self._first[joined], minlength=self.size)
        end = np.bincount(self._end[joined], minlength=self.size)
        return np.cumsum(begin - end)[:-1] > 0


def joined_bits(partition: Partition) -> BoolArray:
    """Return for each code but the last whether its block holds the next code."""
    joined: BoolArray = partition.block[1:] == partition.block[:-1]
    return joined


def partition_of_bits(joined: BoolArray) -> Partition:
    """Return the partition that joins neighbours where the bits say so."""
    block = np.zeros(len(joined) + 1, dtype=np.int32)
    np.cumsum(~joined, out=block[1:])
    return Partition(block)


def _running_count(bits: BoolArray) -> LongArray:
    """Return how many bits are set before each place, and in all."""
    counts = np.zeros(len(bits) + 1, dtype=np.int64)
    np.cumsum(bits, out=counts[1:])
    return counts
