"""A tree over a domain, as an array of parents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato._typing import IntArray
from sfumato.errors import ParameterError


@dataclass(frozen=True, eq=False)
class Tree:
    """A rooted tree whose leaves are the codes 0…m−1 of a domain."""

    # Leaves are numbered in pre-order, so that the leaves below every node are contiguous. Inner nodes
    # follow, sorted by their height and then by their first leaf; so children come before their parents, and
    # the root is last. Equal trees are equal arrays. A tree of one node is a leaf and its own root.
    # for every node the number of its parent; −1 for the root. Use :meth:`from_levels` where only the levels
    # are known.
    parent: IntArray

    @classmethod
    def from_levels(cls, levels: IntArray, *, collapse: bool = True, depths: IntArray | None = None) -> Tree:
        """Make the tree whose nodes are the blocks of all levels."""
        _check_ladder(levels)
        m = levels.shape[1]
        # For every leaf the last level at which it is only repeated.
        alone_until = None if collapse else np.zeros(m, dtype=np.int64)
        if not collapse and depths is not None:
            alone_until = (len(levels) - 1) - depths.astype(np.int64)
        parent = np.full(m + int((levels[1:].max(axis=1) + 1).sum()), -1, dtype=np.int32)
        count = m
        # Of every block of the level below: its node, and its first code.
        node, first = np.arange(m, dtype=np.int32), np.arange(m, dtype=np.int32)
        for number, level in enumerate(levels[1:], start=1):
            above = level[first]
            begins = np.flatnonzero(np.diff(above, prepend=-1))
            fresh = np.diff(begins, append=len(above)) > 1
            if alone_until is not None:
                fresh |= number > alone_until[first[begins]]
            node_here = node[begins]
            node_here[fresh] = count + np.arange(fresh.sum())
            moved = node != node_here[above]
            parent[node[moved]] = node_here[above][moved]
            count += int(fresh.sum())
            node, first = node_here, first[begins]
        made = cls(parent[:count])
        # Renumber the inner nodes by height, then by first leaf; leaves keep their numbers.
        order = np.lexsort((made.spans[:, 0], made.heights))
        rank = np.empty(count + 1, dtype=np.int32)
        rank[order] = np.arange(count)
        rank[-1] = -1  # so that the root's parent −1 stays −1
        return cls(np.ascontiguousarray(rank[made.parent[order]], dtype=np.int32))

    @cached_property
    def size(self) -> int:
        """Number of leaves m."""
        inner = np.unique(self.parent[self.parent >= 0])
        return len(self.parent) - len(inner)

    @property
    def root(self) -> int:
        """The number of the root, which is the last node."""
        return len(self.parent) - 1

    @property
    def height(self) -> int:
        """Number of edges from the root to its deepest leaf."""
        return int(self.heights[-1])

    @cached_property
    def heights(self) -> IntArray:
        """For every node the number of edges to its deepest leaf; 0 for a leaf."""
        heights = np.zeros(len(self.parent), dtype=np.int32)
        for depth in range(int(self.depths.max()), 0, -1):
            nodes = np.flatnonzero(self.depths == depth)
            np.maximum.at(heights, self.parent[nodes], heights[nodes] + 1)
        return heights

    @cached_property
    def depths(self) -> IntArray:
        """For every node the number of edges to the root, all nodes climbing together."""
        depths = np.zeros(len(self.parent), dtype=np.int32)
        node = self.parent
        while (node >= 0).any():
            depths += node >= 0
            node = np.where(node >= 0, self.parent[node], -1)
        return depths

    @cached_property
    def spans(self) -> IntArray:
        """For every node its first leaf and the one after its last, shape (nodes, 2)."""
        spans = np.empty((len(self.parent), 2), dtype=np.int32)
        spans[:, 0], spans[:, 1] = self.size, 0
        # All leaves climb together.
        leaf = np.arange(self.size, dtype=np.int32)
        node = leaf
        while len(node):
            np.minimum.at(spans[:, 0], node, leaf)
            np.maximum.at(spans[:, 1], node, leaf + 1)
            climbs = self.parent[node] >= 0
            leaf, node = leaf[climbs], self.parent[node[climbs]]
        return spans

    @cached_property
    def _children(self) -> tuple[IntArray, IntArray]:
        """All nodes but the root, sorted by parent and first leaf, and where each parent's begin."""
        order = np.lexsort((self.spans[:-1, 0], self.parent[:-1])).astype(np.int32)
        begins = np.searchsorted(self.parent[:-1][order], np.arange(len(self.parent) + 1))
        return order, begins.astype(np.int32)

    def children(self, node: int) -> IntArray:
        """Return the children of a node in the order of their leaves; none for a leaf."""
        order, begins = self._children
        return order[begins[node] : begins[node + 1]]

    def lowest_common_ancestor(self, first: int, second: int) -> int:
        """Return the lowest node that has both nodes below it, or is one of them."""
        # A parent has a larger number than its child, so the smaller of two
        # different nodes is no ancestor of the other and can step up.
        while first != second:
            if first < second:
                first = int(self.parent[first])
            else:
                second = int(self.parent[second])
        return first

    def levels(self) -> IntArray:
        """Return the ladder of levels, shape (height + 1, m)."""
        # At level l a leaf shows its ancestor at depth height − l, or itself while it is not that deep.
        # Blocks are numbered in the order of their leaves.
        node = np.arange(self.size, dtype=np.int32)
        levels = np.zeros((self.height + 1, self.size), dtype=np.int32)
        for number in range(self.height + 1):
            deep = self.depths[node] > self.height - number
            node[deep] = self.parent[node[deep]]
            levels[number, 1:] = np.cumsum(node[1:] != node[:-1])
        return levels

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and np.array_equal(self.parent, other.parent)

    def __hash__(self) -> int:
        return hash(self.parent.tobytes())


def _check_ladder(levels: IntArray) -> None:
    """Raise ParameterError unless the levels are contiguous, nested, and end in one block."""
    if levels.ndim != 2 or 0 in levels.shape:
        raise ParameterError(f"levels must be a matrix of levels and codes; got the shape {levels.shape}.")
    steps = np.diff(levels, axis=1)
    if levels[:, 0].any() or ((steps != 0) & (steps != 1)).any():
        raise ParameterError("Every level must number contiguous blocks from 0 in the order of the codes.")
    if (steps[1:] > steps[:-1]).any():
        raise ParameterError("Every level must nest in the next.")
    if (steps[0] != 1).any() or steps[-1].any():
        raise ParameterError("Level 0 must be the identity and the last level one block.")
