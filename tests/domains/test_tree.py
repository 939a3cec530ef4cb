"""Trees as arrays of parents, against plain sets of leaves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.domains import Tree
from sfumato.errors import ParameterError
from tests.strategies import ladders, matrix_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sfumato._typing import IntArray

LeafSet = frozenset[int]

# The work-class tree: groups of 3, 1, 2 and 2 leaves.
WORK_CLASS = [list(range(8)), [0, 0, 0, 1, 2, 2, 3, 3], [0] * 8]


def matrix(rows: Iterable[Iterable[int]]) -> IntArray:
    return np.array([list(row) for row in rows], dtype=np.int32)


def blocks(row: Iterable[int]) -> set[LeafSet]:
    """The blocks of one level as sets of codes."""
    members: dict[int, set[int]] = {}
    for code, block in enumerate(row):
        members.setdefault(block, set()).add(code)
    return {frozenset(block) for block in members.values()}


def contiguous_levels() -> st.SearchStrategy[IntArray]:
    return ladders(contiguous=True, max_domain=9, max_levels=5).map(matrix_of).filter(lambda m: len(m) > 1)


def node_sets(tree: Tree) -> list[LeafSet]:
    """The leaves below each node, by climbing from every leaf."""
    below: list[set[int]] = [set() for _ in tree.parent]
    for leaf in range(tree.size):
        node = leaf
        while node >= 0:
            below[node].add(leaf)
            node = int(tree.parent[node])
    return [frozenset(leaves) for leaves in below]


def cuts(tree: Tree, node: int) -> int:
    """How many cuts a tree has: the node itself, or a cut of each child."""
    children = tree.children(node).tolist()
    return 1 + math.prod(cuts(tree, child) for child in children) if children else 1


@given(contiguous_levels())
def test_nodes_are_the_blocks_of_all_levels(levels: IntArray) -> None:
    tree = Tree.from_levels(levels)
    found = node_sets(tree)
    assert len(set(found)) == len(found)
    assert set(found) == set().union(*(blocks(row.tolist()) for row in levels))


@given(contiguous_levels())
def test_leaves_come_first_and_the_root_last(levels: IntArray) -> None:
    tree = Tree.from_levels(levels)
    m = levels.shape[1]
    assert tree.size == m
    assert node_sets(tree)[:m] == [frozenset({leaf}) for leaf in range(m)]
    assert tree.parent[tree.root] == -1
    assert all(parent > node for node, parent in enumerate(tree.parent.tolist()[:-1]))


@given(contiguous_levels())
def test_children_and_leaves_agree_with_parents(levels: IntArray) -> None:
    tree = Tree.from_levels(levels)
    sets = node_sets(tree)
    for node in range(len(tree.parent)):
        children = tree.children(node).tolist()
        assert sorted(children) == [child for child, up in enumerate(tree.parent.tolist()) if up == node]
        assert [leaf for child in children for leaf in range(*tree.spans[child].tolist())] == (
            [*range(*tree.spans[node].tolist())] if children else []
        )
        assert frozenset([*range(*tree.spans[node].tolist())]) == sets[node]
        assert len(children) != 1


@given(contiguous_levels())
def test_heights_and_depths(levels: IntArray) -> None:
    tree = Tree.from_levels(levels)

    def height(node: int) -> int:
        return max((height(child) + 1 for child in tree.children(node).tolist()), default=0)

    def depth(node: int) -> int:
        return 0 if tree.parent[node] < 0 else depth(int(tree.parent[node])) + 1

    assert tree.heights.tolist() == [height(node) for node in range(len(tree.parent))]
    assert tree.depths.tolist() == [depth(node) for node in range(len(tree.parent))]
    assert tree.height == height(tree.root)


@given(contiguous_levels(), st.data())
def test_lowest_common_ancestor_is_the_smallest_set_with_both(levels: IntArray, data: st.DataObject) -> None:
    tree = Tree.from_levels(levels, collapse=data.draw(st.booleans()))
    nodes = st.integers(0, tree.root)
    first, second = data.draw(nodes), data.draw(nodes)
    sets = node_sets(tree)
    found = tree.lowest_common_ancestor(first, second)
    assert sets[found] >= sets[first] | sets[second]
    smaller = [node for node in range(found) if sets[node] >= sets[first] | sets[second]]
    assert all(node < max(first, second) for node in smaller)  # in a chain, below one of the two


@given(contiguous_levels())
def test_levels_show_each_leaf_its_ancestor_at_that_depth(levels: IntArray) -> None:
    tree = Tree.from_levels(levels)
    made = tree.levels()
    assert made.shape == (tree.height + 1, tree.size)
    for number, row in enumerate(made.tolist()):
        shown = []
        for leaf in range(tree.size):
            node = leaf
            while tree.depths[node] > tree.height - number:
                node = int(tree.parent[node])
            shown.append(node)
        assert blocks(row) == blocks(shown)
        assert row == [sorted(set(shown), key=shown.index).index(node) for node in shown]


@given(contiguous_levels())
def test_levels_lead_back_to_the_tree(levels: IntArray) -> None:
    tree = Tree.from_levels(levels)
    again = Tree.from_levels(tree.levels())
    assert again == tree
    assert hash(again) == hash(tree)


@given(contiguous_levels())
def test_without_collapse_every_block_of_every_level_is_a_node(levels: IntArray) -> None:
    tree = Tree.from_levels(levels, collapse=False)
    assert len(tree.parent) == sum(len(blocks(row)) for row in levels.tolist())
    assert (tree.depths[: tree.size] == len(levels) - 1).all()
    assert tree.levels().tolist() == levels.tolist()


def test_work_class_tree_has_17_cuts_and_9_partitions() -> None:
    whole = Tree.from_levels(matrix(WORK_CLASS), collapse=False)
    assert cuts(whole, whole.root) == 17
    collapsed = Tree.from_levels(matrix(WORK_CLASS))
    assert cuts(collapsed, collapsed.root) == 9
    assert collapsed.parent.tolist() == [8, 8, 8, 11, 9, 9, 10, 10, 11, 11, 11, -1]


def test_leaves_less_deep_than_others_are_no_chains() -> None:
    levels = matrix([[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 1, 2], [0, 0, 0, 0]])
    depths = np.array([3, 3, 2, 1], dtype=np.int32)
    tree = Tree.from_levels(levels, collapse=False, depths=depths)
    assert tree.depths[:4].tolist() == [3, 3, 2, 1]
    assert tree.children(tree.root).tolist() == [6, 5, 3]
    assert tree.height == 3


def test_one_value_is_leaf_and_root() -> None:
    tree = Tree.from_levels(matrix([[0], [0]]))
    assert tree.parent.tolist() == [-1]
    assert (tree.size, tree.root, tree.height) == (1, 0, 0)
    assert tree.levels().tolist() == [[0]]
    assert [*range(*tree.spans[0].tolist())] == [0]
    assert tree.children(0).tolist() == []
    chain = Tree.from_levels(matrix([[0], [0]]), collapse=False)
    assert chain.parent.tolist() == [1, -1]


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (
            np.zeros((0, 3), dtype=np.int32),
            "levels must be a matrix of levels and codes; got the shape (0, 3).",
        ),
        (
            matrix([[0, 1, 2], [0, 1, 0], [0, 0, 0]]),
            "Every level must number contiguous blocks from 0 in the order of the codes.",
        ),
        (matrix([[0, 1, 2], [0, 0, 1], [0, 1, 1], [0, 0, 0]]), "Every level must nest in the next."),
        (matrix([[0, 0], [0, 0]]), "Level 0 must be the identity and the last level one block."),
        (matrix([[0, 1], [0, 1]]), "Level 0 must be the identity and the last level one block."),
    ],
)
def test_what_is_no_ladder_is_refused(levels: IntArray, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Tree.from_levels(levels)
    assert caught.value.message == message
