"""Trees and partitions in the oracle's form and in the package's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from sfumato.domains import Partition, Tree
from sfumato.schemes import make_scheme
from tests.schemes.oracle import height, leaves

if TYPE_CHECKING:
    from sfumato.schemes import Scheme
    from tests.schemes.oracle import Blocks, Nested

# The work-class tree: State-gov, Local-gov, Federal-gov | Private | Inc, Not inc | Without pay, Never worked.
WORK_CLASS: Nested = ((0, 1, 2), (3,), (4, 5), (6, 7))
NAMES = ("levels", "cuts", "ordered", "guided-ordered", "sets", "guided-sets")


def tree_of(nested: Nested) -> Tree:
    """Number the nodes as the package does: leaves first, then by height and first leaf."""
    nodes: list[tuple[int, int, int]] = []  # height, first leaf, place in the order of visiting
    parents: list[int] = []

    def visit(node: Nested, parent: int) -> None:
        place = len(nodes)
        nodes.append((height(node), leaves(node)[0], place))
        parents.append(parent)
        if not isinstance(node, int):
            for child in node:
                visit(child, place)

    visit(nested, -1)
    number = {place: rank for rank, (_, _, place) in enumerate(sorted(nodes))}
    parent = np.full(len(nodes), -1, dtype=np.int32)
    for place, above in enumerate(parents):
        parent[number[place]] = number.get(above, -1)
    return Tree(parent)


def scheme_of(name: str, nested: Nested) -> Scheme:
    return make_scheme(name, tree=tree_of(nested))


def partition_of(blocks: Blocks) -> Partition:
    number = {code: min(block) for block in blocks for code in block}
    return Partition.of([number[code] for code in sorted(number)])


def blocks_from(partition: Partition) -> Blocks:
    found: dict[int, set[int]] = {}
    for code, block in enumerate(partition.block.tolist()):
        found.setdefault(block, set()).add(code)
    return frozenset(map(frozenset, found.values()))


def numbered(shape: object, start: int = 0) -> tuple[Nested, int]:
    """Number the leaves of nested lists from left to right; return the tree and the next number."""
    if not isinstance(shape, list):
        return start, start + 1
    children = []
    for part in shape:
        child, start = numbered(part, start)
        children.append(child)
    return tuple(children), start


def nested_trees(max_leaves: int = 7) -> st.SearchStrategy[Nested]:
    """Draw trees of any depth, with leaves at different depths and nodes with a single child."""
    shapes = st.recursive(st.just(0), lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=12)
    trees = shapes.map(lambda shape: numbered(shape)[0])
    return trees.filter(lambda tree: len(leaves(tree)) <= max_leaves)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)
