"""One grouping of a domain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato._typing import IntArray, LongArray


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
