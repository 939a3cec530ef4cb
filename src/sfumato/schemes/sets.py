"""Partitions into any sets, free or guided by a hierarchy.

At the root the children are grouped. Children that are grouped with others are one
block with all their values; in a child that stays alone the same happens again. Each
valid partition of ``cuts``, ``guided-ordered`` and ``guided-sets`` comes about in
exactly one such way, if no node has a single child.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np

from sfumato._typing import IntArray
from sfumato.domains import Partition, Tree
from sfumato.errors import ParameterError
from sfumato.schemes.base import Scheme
from sfumato.schemes.partition_counts import count_sets, draw_sets


def inner_nodes(tree: Tree) -> range:
    """Return the nodes that have children, children before their parents."""
    return range(tree.size, len(tree.parent))


def collapsed(tree: Tree) -> Tree:
    """Return the tree without nodes that have a single child."""
    return Tree.from_levels(tree.levels())


def flat(size: int) -> Tree:
    """Return the tree of one root directly above all values."""
    levels = np.zeros((2, size), dtype=np.int32)
    levels[0] = np.arange(size)
    return Tree.from_levels(levels)


def apart(tree: Tree) -> Tree:
    """Return the tree whose root has two children: the last leaf, and a node with all others."""
    missing = tree.size - 1
    if tree.size == 1:
        return collapsed(tree)
    if tree.parent[missing] != tree.root:
        raise ParameterError("Missing must be the last leaf and directly under the root of its tree.")
    levels = tree.levels()
    others = np.zeros((1, tree.size), dtype=np.int32)
    others[0, missing] = 1
    return Tree.from_levels(np.concatenate((levels[:-1], others, levels[-1:])))


def counts_of_nodes(tree: Tree, combine: Callable[[Sequence[int]], int]) -> list[int]:
    """Return a number for every node: 1 for a leaf, else what its children's numbers make."""
    counts = [1] * len(tree.parent)
    for node in inner_nodes(tree):
        counts[node] = combine([counts[child] for child in tree.children(node).tolist()])
    return counts


def assemble(tree: Tree, choose: Callable[[int, IntArray], IntArray]) -> Partition:
    """Make the partition for which each node groups its children."""
    lead = np.arange(tree.size, dtype=np.int32)
    nodes = [tree.root] if tree.size > 1 else []
    while nodes:
        node = nodes.pop()
        children = tree.children(node)
        _, first, group, sizes = np.unique(
            choose(node, children), return_index=True, return_inverse=True, return_counts=True
        )
        is_alone = sizes[group] == 1
        target = tree.spans[children[first[group]], 0]
        for child, code in zip(children[~is_alone].tolist(), target[~is_alone].tolist(), strict=True):
            begin, end = tree.spans[child]
            lead[begin:end] = code
        nodes += children[is_alone & (children >= tree.size)].tolist()
    return partition_of_leads(lead)


def partition_of_leads(lead: IntArray) -> Partition:
    """Return the partition that is known by the smallest code of each code's block."""
    number = np.cumsum(lead == np.arange(len(lead)), dtype=np.int32) - np.int32(1)
    return Partition(number[lead])


class GuidedSets(Scheme):
    """Partitions whose blocks hold whole subtrees."""

    # A block that holds two values holds everything that is closer to one of them than they are to each
    # other, where closer means to have a lower common ancestor. So a block is one value, or some children of
    # one node with all their values. On a tree of one level the scheme is `sets`.
    # T. Li, N. Li: Towards optimal k-anonymization, sections 2.3.2 and 3.3, doi:10.1016/j.datak.2007.06.015.
    name: ClassVar[str] = "guided-sets"

    def __init__(self, tree: Tree, *, missing: bool = False) -> None:
        super().__init__(tree.size)
        # the tree whose children are grouped, without nodes that have a single child
        self.tree = apart(tree) if missing else collapsed(tree)

    def is_valid(self, partition: Partition) -> bool:
        """Tell whether each block is one value, or some whole children of one node."""
        if len(partition.block) != self.size:
            return False
        return self._regroup(partition.block) == partition

    @cached_property
    def _counts(self) -> list[int]:
        """For each node the number of valid partitions of its leaves."""
        return counts_of_nodes(self.tree, count_sets)

    def count(self) -> int:
        """Return the number of members, from the leaves up: no member is made."""
        return self._counts[-1]

    def children(self, partition: Partition) -> Iterator[Partition]:
        """Yield the nearest valid descendants in the tree of all set partitions."""
        # There, a child puts one more value into a block: a value that is alone, and larger than all of the
        # block, if no block to the right (by smallest codes) has two or more values. So a partition's
        # ancestors build its blocks from the left to the right and each from its smallest value on, and the
        # nearest valid one lacks the last of the children that its last block of several values is made of.
        first, last = _ends(partition)
        lead = first[partition.block]
        is_lone = partition.sizes[partition.block] == 1
        start = int(np.flatnonzero(partition.sizes > 1)[-1]) if not is_lone.all() else 0
        for block in range(start, partition.count):
            home = self._home(int(first[block]), int(last[block]), int(partition.sizes[block]))
            # There is nothing beyond everything.
            spans = self.tree.spans[self.tree.children(home)] if home >= 0 else self.tree.spans[:0]
            for begin, end in spans[spans[:, 0] > last[block]].tolist():
                if is_lone[begin:end].all():
                    child = lead.copy()
                    child[begin:end] = first[block]
                    yield partition_of_leads(child)

    def successors(self, partition: Partition) -> Iterator[Partition]:
        """Yield the members that unite two blocks, each of whole children of the same node."""
        first, last = _ends(partition)
        lead = first[partition.block]
        blocks: dict[int, list[int]] = {}
        for block in range(partition.count):
            home = self._home(int(first[block]), int(last[block]), int(partition.sizes[block]))
            blocks.setdefault(home, []).append(block)
        for siblings in blocks.values():
            for one, other in combinations(siblings, 2):
                yield partition_of_leads(np.where(partition.block == other, first[one], lead))

    def random(self, rng: np.random.Generator) -> Partition:
        """Draw a member; each one with the same probability, by the counts."""

        def choose(_: int, children: IntArray) -> IntArray:
            return draw_sets(rng, [self._counts[child] for child in children.tolist()])

        return assemble(self.tree, choose)

    def crossover(
        self, first: Partition, second: Partition, rng: np.random.Generator
    ) -> tuple[Partition, Partition]:
        """Give to each parent some groups of the other, node by node from the root down."""
        return self._mix(first, second, rng), self._mix(second, first, rng)

    def _mix(self, giver: Partition, taker: Partition, rng: np.random.Generator) -> Partition:
        """Take each group of children from the giver with probability ½, the others' from the taker."""

        def choose(_: int, children: IntArray) -> IntArray:
            starts = self.tree.spans[children, 0]
            given = giver.block[starts]
            is_taken = rng.integers(2, size=giver.count).astype(np.bool_)
            left: IntArray = giver.count + taker.block[starts]
            return np.where(is_taken[given], given, left)

        return assemble(self.tree, choose)

    def mutate(self, partition: Partition, rng: np.random.Generator) -> Partition:
        """Join or split, with probability ½ each where both can be done."""
        # To join: unite two random values with all that must then be together. To split: divide the children
        # that one random block is made of into two random parts.
        if self.size == 1:
            return partition
        can_join, can_split = partition.count > 1, partition.count < self.size
        joins = can_join and (not can_split or rng.integers(2) == 1)
        return self._join(partition, rng) if joins else self._split(partition, rng)

    def _join(self, partition: Partition, rng: np.random.Generator) -> Partition:
        """Unite the groups of two random values of different blocks, below their common ancestor."""
        one = int(rng.integers(self.size))
        other = int(rng.choice(np.flatnonzero(partition.block != partition.block[one])))
        node = self.tree.lowest_common_ancestor(one, other)
        starts = self.tree.spans[self.tree.children(node), 0]
        group = partition.block[starts]
        ours, theirs = (group[np.searchsorted(starts, code, side="right") - 1] for code in (one, other))
        return self._regroup(partition.block, node, np.where(group == theirs, ours, group))

    def _split(self, partition: Partition, rng: np.random.Generator) -> Partition:
        """Divide a random block of several values into two parts."""
        first, last = _ends(partition)
        block = int(rng.choice(np.flatnonzero(partition.sizes > 1)))
        node = self.tree.lowest_common_ancestor(int(first[block]), int(last[block]))
        group = partition.block[self.tree.spans[self.tree.children(node), 0]]
        members = rng.permutation(np.flatnonzero(group == block))
        # One child stays and one goes, so that no part is empty; the others choose freely.
        goes = rng.integers(2, size=len(members)).astype(np.bool_)
        goes[0], goes[1] = False, True
        group[members[goes]] = partition.count
        return self._regroup(partition.block, node, group)

    def _regroup(self, block: IntArray, at: int = -1, group: IntArray | None = None) -> Partition:
        """Make the member that groups all children as ``block`` does, save for those of one node."""

        def choose(node: int, children: IntArray) -> IntArray:
            if node == at and group is not None:
                return group
            chosen: IntArray = block[self.tree.spans[children, 0]]
            return chosen

        return assemble(self.tree, choose)

    def _home(self, first: int, last: int, size: int) -> int:
        """Return the node whose children, one or several, a block consists of; −1 for everything."""
        node = first if first == last else self.tree.lowest_common_ancestor(first, last)
        begin, end = self.tree.spans[node]
        return int(self.tree.parent[node]) if end - begin == size else node


def _ends(partition: Partition) -> tuple[IntArray, IntArray]:
    """Return the smallest and the largest code of each block."""
    codes = np.arange(len(partition.block), dtype=np.int32)
    first = np.zeros(partition.count, dtype=np.int32)
    last = np.zeros(partition.count, dtype=np.int32)
    # Of several values for one place, the last one stays.
    first[partition.block[::-1]] = codes[::-1]
    last[partition.block] = codes
    return first, last


class Sets(GuidedSets):
    """Every partition of a domain, which are as many as Bell's number of m."""

    # This is `guided-sets` over a root directly above all values. The children of a partition put a value e
    # that is alone into a block S if e is larger than all of S and no block to the right of S has two or more
    # values.
    # T. Li, N. Li: Towards optimal k-anonymization, sections 2.3.1 and 3.1, doi:10.1016/j.datak.2007.06.015.
    # The procedure printed there makes some partitions twice; it lacks the condition on blocks to the right
    # of S beyond e.
    name: ClassVar[str] = "sets"

    def __init__(self, size: int, *, missing: bool = False) -> None:
        if size < 1:
            raise ParameterError(f"A scheme needs a domain of at least one value; got {size}.")
        super().__init__(flat(size), missing=missing)
