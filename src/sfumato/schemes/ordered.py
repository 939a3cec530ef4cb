"""Partitions into contiguous blocks: free, guided by a hierarchy, or cuts through it."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.errors import ParameterError
from sfumato.schemes.contiguous import Contiguous, partition_of_bits
from sfumato.schemes.partition_counts import count_runs, draw_below, draw_runs
from sfumato.schemes.sets import apart, assemble, collapsed, counts_of_nodes, inner_nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import IntArray
    from sfumato.domains import Partition, Tree


class Ordered(Contiguous):
    """Every partition of an ordered domain into contiguous blocks: 2^(m−1) of them."""

    # T. Li, N. Li: Towards optimal k-anonymization, sections 2.2.3 and 3.3, doi:10.1016/j.datak.2007.06.015.
    name: ClassVar[str] = "ordered"

    def __init__(self, size: int, *, missing: bool = False) -> None:
        if size < 1:
            raise ParameterError(f"A scheme needs a domain of at least one value; got {size}.")
        bit = np.arange(size - 1, dtype=np.int32)
        reach = np.column_stack((bit, bit + 1))
        if missing:
            reach[-1:] = 0, size - 1
        super().__init__(reach)
        self._missing = missing and size > 1

    def count(self) -> int:
        """Return 2^(m−1), or 2^(m−2) + 1 where missing stays apart."""
        return (1 << self.size - 2) + 1 if self._missing else 1 << self.size - 1

    def random(self, rng: np.random.Generator) -> Partition:
        """Draw a member; each one with the same probability."""
        if self._missing and draw_below(rng, self.count()) == 0:
            return self.coarsest
        joined = rng.integers(2, size=self.size - 1).astype(np.bool_)
        if self._missing:
            joined[-1] = False
        return partition_of_bits(joined)


class GuidedOrdered(Contiguous):
    """Partitions into contiguous blocks that hold whole subtrees."""

    # A block that holds two values holds everything that is closer to one of them than they are to each
    # other, where closer means to have a lower common ancestor. So a block is one value, or some neighbouring
    # children of one node with all their values. On a tree of one level the scheme is `ordered`.
    # T. Li, N. Li: Towards optimal k-anonymization, sections 2.3.3 and 3.3, doi:10.1016/j.datak.2007.06.015.
    name: ClassVar[str] = "guided-ordered"

    def __init__(self, tree: Tree, *, missing: bool = False) -> None:
        self._tree = apart(tree) if missing else collapsed(tree)
        super().__init__(_reach(self._tree))

    @cached_property
    def _counts(self) -> list[int]:
        """For each node the number of valid partitions of its leaves."""
        return counts_of_nodes(self._tree, count_runs)

    def count(self) -> int:
        """Return the number of members, from the leaves up: no member is made."""
        return self._counts[-1]

    def random(self, rng: np.random.Generator) -> Partition:
        """Draw a member; each one with the same probability, by the counts."""

        def choose(_: int, children: IntArray) -> IntArray:
            return draw_runs(rng, [self._counts[child] for child in children.tolist()])

        return assemble(self._tree, choose)


class Cuts(Contiguous):
    """Partitions whose blocks are nodes of a tree."""

    # T. Li, N. Li: Towards optimal k-anonymization, section 2.2.2, doi:10.1016/j.datak.2007.06.015.
    name: ClassVar[str] = "cuts"

    def __init__(self, tree: Tree) -> None:
        self._whole = tree
        self._tree = collapsed(tree)
        super().__init__(_reach(self._tree, whole=True))

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


def _reach(tree: Tree, *, whole: bool = False) -> IntArray:
    """Return for each bit the bits within the two subtrees that meet there, or within the whole node."""
    reach = np.zeros((tree.size - 1, 2), dtype=np.int32)
    for node in inner_nodes(tree):
        spans = tree.spans[tree.children(node)]
        bits = spans[1:, 0] - 1
        reach[bits, 0] = spans[0, 0] if whole else spans[:-1, 0]
        reach[bits, 1] = (spans[-1, 1] if whole else spans[1:, 1]) - 1
    return reach
