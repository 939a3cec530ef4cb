"""What every scheme can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import ClassVar

import numpy as np

from sfumato.domains import Partition
from sfumato.errors import ParameterError


class Scheme(ABC):
    """The space of valid partitions of one domain.

    A scheme knows integers alone. Its members form a tree, the enumeration tree:
    the finest member is its root, and each other member is the child of exactly
    one member, which is finer. Whatever can only become worse under
    generalization can therefore prune whole branches. Methods that take a
    partition expect a member of the scheme and do not check it; ask
    :meth:`is_valid` where that is not known.

    Parameters
    ----------
    size
        Number m of values of the domain, missing included where it occurs.

    Raises
    ------
    ParameterError
        If the domain is empty.
    """

    name: ClassVar[str]

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ParameterError(f"A scheme needs a domain of at least one value; got {size}.")
        self.size = size

    @cached_property
    def finest(self) -> Partition:
        """The member that refines all others."""
        return Partition(np.arange(self.size, dtype=np.int32))

    @cached_property
    def coarsest(self) -> Partition:
        """The member that all others refine."""
        return Partition(np.zeros(self.size, dtype=np.int32))

    @abstractmethod
    def is_valid(self, partition: Partition) -> bool:
        """Tell whether a partition, of whatever domain, is a member."""

    @abstractmethod
    def count(self) -> int:
        """Return the exact size of the space.

        It is the number of members, save for ``levels`` and ``cuts``, which count
        levels and cuts even where two of them make equal partitions.
        """

    @abstractmethod
    def children(self, partition: Partition) -> Iterator[Partition]:
        """Yield the children of a member in the enumeration tree."""

    @abstractmethod
    def successors(self, partition: Partition) -> Iterator[Partition]:
        """Yield the direct coarser neighbours: members with none strictly between, each once."""

    @abstractmethod
    def random(self, rng: np.random.Generator) -> Partition:
        """Draw a member; each one with the same probability."""

    @abstractmethod
    def crossover(
        self, first: Partition, second: Partition, rng: np.random.Generator
    ) -> tuple[Partition, Partition]:
        """Mix two members into two others; equal parents give themselves."""

    @abstractmethod
    def mutate(self, partition: Partition, rng: np.random.Generator) -> Partition:
        """Change a member a little.

        The result is another member wherever there is one, and every member can be
        reached from every other one by repetition.
        """

    def partitions(self) -> Iterator[Partition]:
        """Yield every member once, down the enumeration tree, branch after branch.

        Only the members on the way to the present one are kept.
        """
        branches: list[Iterator[Partition]] = [iter((self.finest,))]
        while branches:
            partition = next(branches[-1], None)
            if partition is None:
                branches.pop()
            else:
                yield partition
                branches.append(self.children(partition))
