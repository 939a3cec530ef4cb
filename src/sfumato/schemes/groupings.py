"""Partitions over a tree as groupings of children, from the root down.

At the root the children are grouped. Children that are grouped with others are one
block with all their values; in a child that stays alone the same happens again. Each
valid partition of ``cuts``, ``guided-ordered`` and ``guided-sets`` comes about in
exactly one such way, if no node has a single child.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.domains import Partition, Tree
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sfumato._typing import IntArray


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
