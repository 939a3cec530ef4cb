"""The lattice that the ladders of several domains span."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import LongArray
    from sfumato.domains.ladder import Ladder


@dataclass(frozen=True, eq=False)
class Lattice:
    """All combinations of the partitions that several ladders allow.

    A node is a row of numbers, one for each ladder: a level, or a place in a list. Ladders of levels
    and of listed partitions may stand beside each other.
    """

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
        """Return nodes number ``start`` to ``stop``, counted with the last attribute of ``order`` fastest.

        Examples
        --------
        >>> import numpy as np
        >>> from sfumato.domains.ladder import Ladder
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
