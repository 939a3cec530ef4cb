"""Given partitions: lists, and levels."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.domains import Partition
from sfumato.errors import ParameterError
from sfumato.schemes.base import Scheme

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sfumato._typing import BoolArray
    from sfumato.domains import Ladder


class Admissible(Scheme):
    """The partitions of a list, ordered by refinement, which need not be a chain or graded."""

    # In the enumeration tree a partition is the child of the first one in the list among its direct finer
    # neighbours.
    name: ClassVar[str] = "admissible"

    def __init__(self, partitions: Sequence[Partition]) -> None:
        sizes = {len(partition.block) for partition in partitions}
        if len(sizes) != 1:
            found = "partitions of domains of different sizes" if sizes else "no partition"
            raise ParameterError(f"Admissible partitions must be one or more, of one domain; got {found}.")
        super().__init__(sizes.pop())
        self.members = tuple(partitions)  # the partitions in the order of the list
        self._place = {partition: place for place, partition in enumerate(self.members)}
        if repeated := len(self.members) - len(self._place):
            raise ParameterError(
                f"Admissible partitions must differ; {repeated} of {len(self.members)} are repetitions. "
                "Remove them."
            )
        if self._refines.all(axis=1).sum() != 1 or self._refines.all(axis=0).sum() != 1:
            raise ParameterError(
                "Among admissible partitions one must refine all others and one be refined by all others. "
                "Add a finest and a coarsest one."
            )

    @cached_property
    def _refines(self) -> BoolArray:
        """Whether one member (row) refines another (column)."""
        return np.array([[one.refines(other) for other in self.members] for one in self.members])

    @cached_property
    def _is_step(self) -> BoolArray:
        """Whether one member (row) strictly refines another (column) and none lies between."""
        strictly = self._refines & ~np.eye(len(self.members), dtype=np.bool_)
        return strictly & ~((strictly.astype(np.float64) @ strictly.astype(np.float64)) > 0)

    @cached_property
    def finest(self) -> Partition:
        """The member that refines all others."""
        return self.members[int(self._refines.all(axis=1).argmax())]

    @cached_property
    def coarsest(self) -> Partition:
        """The member that all others refine."""
        return self.members[int(self._refines.all(axis=0).argmax())]

    def is_valid(self, partition: Partition) -> bool:
        """Tell whether the list has a partition."""
        return partition in self._place

    def count(self) -> int:
        """Return the length of the list."""
        return len(self.members)

    def children(self, partition: Partition) -> Iterator[Partition]:
        """Yield the direct coarser neighbours that have no earlier direct finer neighbour."""
        place = self._place[partition]
        for above in np.flatnonzero(self._is_step[place]).tolist():
            if not self._is_step[:place, above].any():
                yield self.members[above]

    def successors(self, partition: Partition) -> Iterator[Partition]:
        """Yield the direct coarser neighbours in the order of the list."""
        for above in np.flatnonzero(self._is_step[self._place[partition]]).tolist():
            yield self.members[above]

    def random(self, rng: np.random.Generator) -> Partition:
        """Draw a member; each one with the same probability."""
        return self.members[int(rng.integers(len(self.members)))]

    def crossover(
        self, first: Partition, second: Partition, rng: np.random.Generator
    ) -> tuple[Partition, Partition]:
        """Draw two members that lie between the parents, the parents included."""
        one, other = self._place[first], self._place[second]
        is_between = (self._refines[one] & self._refines[:, other]) | (
            self._refines[other] & self._refines[:, one]
        )
        is_between[[one, other]] = True
        drawn = rng.choice(np.flatnonzero(is_between), size=2)
        return self.members[int(drawn[0])], self.members[int(drawn[1])]

    def mutate(self, partition: Partition, rng: np.random.Generator) -> Partition:
        """Draw one of the direct neighbours, coarser or finer; a sole member stays."""
        place = self._place[partition]
        neighbours = np.flatnonzero(self._is_step[place] | self._is_step[:, place])
        return self.members[int(rng.choice(neighbours))] if len(neighbours) else partition


class LevelScheme(Admissible):
    """The levels of a ladder that may be used."""

    # Levels that make equal partitions are counted one by one, and are one member. The finest and the
    # coarsest member are those of the lowest and the highest level that may be used, whatever they are.
    # T. Li, N. Li: Towards optimal k-anonymization, section 2.2.1, doi:10.1016/j.datak.2007.06.015.
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
