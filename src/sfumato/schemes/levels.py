"""Partitions along a hierarchy: whole levels, and cuts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np

from sfumato._typing import BoolArray, IntArray
from sfumato.domains import Ladder, Partition, Tree
from sfumato.schemes.admissible import Admissible
from sfumato.schemes.contiguous import Contiguous
from sfumato.schemes.partition_counts import draw_below
from sfumato.schemes.sets import assemble, collapsed, counts_of_nodes, inner_nodes


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


class Cuts(Contiguous):
    """Partitions whose blocks are nodes of a tree."""

    # T. Li, N. Li: Towards optimal k-anonymization, section 2.2.2, doi:10.1016/j.datak.2007.06.015.
    name: ClassVar[str] = "cuts"

    def __init__(self, tree: Tree) -> None:
        self._whole = tree
        self._tree = collapsed(tree)
        super().__init__(_reach(self._tree))

    @cached_property
    def _counts(self) -> list[int]:
        """For each node the number of distinct partitions of its leaves."""
        return counts_of_nodes(self._tree, _count_cuts)

    def count(self) -> int:
        """Return the number of cuts of the tree as it was given."""
        return counts_of_nodes(self._whole, _count_cuts)[-1]

    def random(self, rng: np.random.Generator) -> Partition:
        """Draw a distinct partition; each one with the same probability, by the counts."""

        def choose(node: int, children: IntArray) -> IntArray:
            is_whole = draw_below(rng, self._counts[node]) == 0
            return np.zeros_like(children) if is_whole else np.arange(len(children), dtype=np.int32)

        return assemble(self._tree, choose)


def _count_cuts(counts: Sequence[int]) -> int:
    """Count the cuts of a node from those of its children: the node itself, or one cut below each."""
    return 1 + math.prod(counts)


def _reach(tree: Tree) -> IntArray:
    """Return for each bit the bits within the lowest node that holds both sides."""
    reach = np.zeros((tree.size - 1, 2), dtype=np.int32)
    for node in inner_nodes(tree):
        bits = tree.spans[tree.children(node)[1:], 0] - 1
        reach[bits, 0] = tree.spans[node, 0]
        reach[bits, 1] = tree.spans[node, 1] - 1
    return reach
