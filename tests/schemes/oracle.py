"""Schemes by their definitions: sets and loops over all set partitions of a few values.

A partition is a frozenset of frozensets of codes. A tree is nested: a leaf is a code, an
inner node a tuple of subtrees. Nothing here imports the package.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

Blocks: TypeAlias = frozenset[frozenset[int]]
Nested: TypeAlias = "int | tuple[Nested, ...]"


def blocks_of(*groups: Iterable[int]) -> Blocks:
    return frozenset(frozenset(group) for group in groups)


@cache
def all_partitions(m: int) -> frozenset[Blocks]:
    """All set partitions of 0…m−1: the last value alone, or put into each block of the others."""
    if m == 0:
        return frozenset([frozenset()])
    found: set[Blocks] = set()
    for smaller in all_partitions(m - 1):
        found.add(smaller | {frozenset([m - 1])})
        for block in smaller:
            found.add((smaller - {block}) | {block | {m - 1}})
    return frozenset(found)


def leaves(tree: Nested) -> list[int]:
    if isinstance(tree, int):
        return [tree]
    return [leaf for child in tree for leaf in leaves(child)]


def height(tree: Nested) -> int:
    return 0 if isinstance(tree, int) else 1 + max(height(child) for child in tree)


def subtrees(tree: Nested) -> list[Nested]:
    if isinstance(tree, int):
        return [tree]
    return [tree, *(node for child in tree for node in subtrees(child))]


@cache
def distances(tree: Nested) -> dict[tuple[int, int], int]:
    """For any two values the height of their lowest common ancestor."""
    nodes = [(height(node), {*leaves(node)}) for node in subtrees(tree)]
    pairs = product(leaves(tree), leaves(tree))
    return {(x, y): min(high for high, below in nodes if {x, y} <= below) for x, y in pairs}


def is_contiguous(partition: Blocks) -> bool:
    return all(max(block) - min(block) == len(block) - 1 for block in partition)


def is_guided(tree: Nested, partition: Blocks) -> bool:
    """Whether a block that holds x and y holds everything that is closer to x, or to y, than they are."""
    far = distances(tree)
    for block in partition:
        for x, y in product(block, block):
            if any(far[x, z] < far[x, y] and z not in block for z in leaves(tree)):
                return False
    return True


def levels(tree: Nested) -> list[Blocks]:
    """The level partitions from the leaves up: each leaf shows its ancestor at one depth, or itself."""

    def at_depth(node: Nested, depth: int) -> list[list[int]]:
        if isinstance(node, int) or depth == 0:
            return [leaves(node)]
        return [block for child in node for block in at_depth(child, depth - 1)]

    return [blocks_of(*at_depth(tree, depth)) for depth in range(height(tree), -1, -1)]


def cuts(tree: Nested) -> list[Blocks]:
    """The partitions of all cuts; equal ones as often as there are cuts that make them."""
    here = [blocks_of(leaves(tree))]
    if isinstance(tree, int):
        return here
    below = product(*(cuts(child) for child in tree))
    return here + [frozenset().union(*parts) for parts in below]


@cache
def members(name: str, tree: Nested) -> set[Blocks]:
    """All members of a scheme over the values of a tree."""
    everything = all_partitions(len(leaves(tree)))
    if name == "levels":
        return {*levels(tree)}
    if name == "cuts":
        return {*cuts(tree)}
    return {
        partition
        for partition in everything
        if ("ordered" not in name or is_contiguous(partition))
        and ("guided" not in name or is_guided(tree, partition))
    }


def refines(finer: Blocks, coarser: Blocks) -> bool:
    return all(any(block <= other for other in coarser) for block in finer)


def successors(partition: Blocks, among: Collection[Blocks]) -> set[Blocks]:
    """The direct coarser neighbours among some partitions."""
    above = {other for other in among if other != partition and refines(partition, other)}
    return {one for one in above if not any(other != one and refines(other, one) for other in above)}


def parent(partition: Blocks) -> Blocks | None:
    """The parent in the tree of all set partitions.

    By the rule of children, the value that came last is the largest one of the last block,
    by smallest values, that has two or more.
    """
    large = [block for block in partition if len(block) > 1]
    if not large:
        return None
    last = max(large, key=min)
    return (partition - {last}) | {last - {max(last)}, frozenset([max(last)])}


def direct_children(partition: Blocks) -> set[Blocks]:
    """The children in the tree of all set partitions, by the rule itself."""
    ordered = sorted(partition, key=min)
    found = set()
    for j, block in enumerate(ordered):
        if all(len(other) == 1 for other in ordered[j + 1 :]):
            for other in ordered[j + 1 :]:
                if min(other) > max(block):
                    found.add((partition - {block, other}) | {block | other})
    return found


def nearest_children(partition: Blocks, among: Collection[Blocks]) -> set[Blocks]:
    """The members whose nearest ancestor that is a member is this one."""
    found = set()
    for other in among:
        above = parent(other)
        while above is not None and above not in among:
            above = parent(above)
        if above == partition:
            found.add(other)
    return found
