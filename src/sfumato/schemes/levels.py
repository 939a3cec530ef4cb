"""``levels``: all values on the same level (BHS)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.domains import Partition
from sfumato.schemes.admissible import Admissible

if TYPE_CHECKING:
    from sfumato._typing import BoolArray
    from sfumato.domains import Ladder


class Levels(Admissible):
    """The levels of a ladder that may be used.

    Levels that make equal partitions are counted one by one, and are one member. The
    finest and the coarsest member are those of the lowest and the highest level that
    may be used, whatever they are.

    T. Li, N. Li: Towards optimal k-anonymization, section 2.2.1,
    doi:10.1016/j.datak.2007.06.015.

    Examples
    --------
    >>> from sfumato.domains import Ladder
    >>> levels = np.array([[0, 1, 2], [0, 1, 2], [0, 0, 0]], dtype=np.int32)
    >>> scheme = Levels(Ladder.whole(levels))
    >>> scheme.count(), [scheme.level(partition) for partition in scheme.partitions()]
    (3, [0, 2])
    """

    name: ClassVar[str] = "levels"

    def __init__(self, ladder: Ladder) -> None:
        self._ladder = ladder
        numbers = range(ladder.lowest, ladder.highest + 1)
        # Levels nest, so that equal ones have equally many blocks.
        self._numbers = [
            number
            for number in numbers
            if number == ladder.lowest or ladder.blocks[number] < ladder.blocks[number - 1]
        ]
        super().__init__([Partition.of(ladder.levels[number]) for number in self._numbers])

    @cached_property
    def _refines(self) -> BoolArray:
        """Whether one member (row) refines another (column): levels are a chain."""
        return np.triu(np.ones((len(self._numbers), len(self._numbers)), dtype=np.bool_))

    def count(self) -> int:
        """Return the number of levels that may be used."""
        return self._ladder.count

    def level(self, partition: Partition) -> int:
        """Return the lowest level that makes a member."""
        return self._numbers[self._place[partition]]
