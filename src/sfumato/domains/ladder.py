"""Levels of one domain, and the lattice that several domains span."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import IntArray, LongArray


@dataclass(frozen=True, eq=False)
class Ladder:
    """Nested partitions of one domain, and which of them may be used.

    Parameters
    ----------
    levels
        ``levels[l, code]`` is the block of a code at level l; each level nests
        in the next, the last one is a single block.
    lowest, highest
        The first and the last level that a recoding may use.
    """

    levels: IntArray
    lowest: int
    highest: int

    @classmethod
    def whole(cls, levels: IntArray) -> Ladder:
        """Make a ladder on which every level may be used."""
        return cls(levels, 0, len(levels) - 1)

    @property
    def count(self) -> int:
        """Number of levels that may be used."""
        return self.highest - self.lowest + 1

    @property
    def height(self) -> int:
        """Number of the most general level, allowed or not."""
        return len(self.levels) - 1

    @property
    def size(self) -> int:
        """Number of values of the domain."""
        return int(self.levels.shape[1])

    @cached_property
    def blocks(self) -> tuple[int, ...]:
        """Number of blocks at every level."""
        return tuple(int(level.max()) + 1 if self.size else 0 for level in self.levels)

    def block_sizes(self, level: int) -> LongArray:
        """Return how many values each block of a level holds."""
        return np.bincount(self.levels[level], minlength=self.blocks[level]).astype(np.int64)

    def step(self, low: int, high: int) -> IntArray:
        """Return for each block of level ``low`` its block of level ``high``."""
        block = np.zeros(self.blocks[low], dtype=np.int32)
        block[self.levels[low]] = self.levels[high]
        return block


@dataclass(frozen=True, eq=False)
class Lattice:
    """All combinations of the allowed levels of several ladders.

    A node is a row of level numbers, one for each ladder.
    """

    ladders: tuple[Ladder, ...]

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Number of allowed levels of each ladder."""
        return tuple(ladder.count for ladder in self.ladders)

    @property
    def size(self) -> int:
        """Number of nodes."""
        return math.prod(self.counts)

    @cached_property
    def bottom(self) -> LongArray:
        """The most specific node."""
        return np.array([ladder.lowest for ladder in self.ladders], dtype=np.int64)

    @cached_property
    def top(self) -> LongArray:
        """The most general node."""
        return np.array([ladder.highest for ladder in self.ladders], dtype=np.int64)

    def nodes(self, start: int, stop: int, order: tuple[int, ...] | None = None) -> LongArray:
        """Return nodes number ``start`` to ``stop``, counted with the last attribute of ``order`` fastest.

        Examples
        --------
        >>> import numpy as np
        >>> ladder = Ladder.whole(np.array([[0, 1], [0, 0]], dtype=np.int32))
        >>> Lattice((ladder, ladder)).nodes(1, 4).tolist()
        [[0, 1], [1, 0], [1, 1]]
        """
        ranks = np.arange(start, stop, dtype=np.int64)
        nodes = np.empty((len(ranks), len(self.ladders)), dtype=np.int64)
        for a in reversed(order if order is not None else range(len(self.ladders))):
            ranks, level = np.divmod(ranks, self.counts[a])
            nodes[:, a] = level + self.ladders[a].lowest
        return nodes


__all__ = ["Ladder", "Lattice"]
