"""Small functions of this room, each by an example."""

from __future__ import annotations

import numpy as np

from sfumato.domains import Ladder, Lattice, Partition, Tree
from sfumato.domains.lattice import entropy_shares


def test_listed() -> None:
    ladder = Ladder.listed([Partition.of([0, 0, 1]), Partition.of([0, 1, 1])])
    assert (ladder.count, ladder.nested, ladder.base.tolist()) == (2, False, [0, 1, 2])


def test_entropy_shares() -> None:
    assert entropy_shares(np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]], dtype=np.int32)).tolist() == [
        1.0,
        0.5,
        0.0,
    ]


def test_nodes() -> None:
    ladder = Ladder.whole(np.array([[0, 1], [0, 0]], dtype=np.int32))
    assert Lattice((ladder, ladder)).nodes(1, 4).tolist() == [[0, 1], [1, 0], [1, 1]]


def test_of() -> None:
    assert Partition.of([7, 7, 2, 7]).block.tolist() == [0, 0, 1, 0]


def test_refines() -> None:
    assert Partition.of([0, 1, 2]).refines(Partition.of([0, 0, 1]))


def test_from_levels() -> None:
    levels = np.array([[0, 1, 2], [0, 0, 1], [0, 0, 0]], dtype=np.int32)
    assert Tree.from_levels(levels).parent.tolist() == [3, 3, 4, 4, -1]
    assert Tree.from_levels(levels, collapse=False).parent.tolist() == [3, 3, 4, 5, 5, -1]


def test_lowest_common_ancestor() -> None:
    tree = Tree(np.array([3, 3, 4, 4, -1], dtype=np.int32))
    assert (tree.lowest_common_ancestor(0, 1), tree.lowest_common_ancestor(0, 2)) == (3, 4)


def test_levels() -> None:
    assert Tree(np.array([3, 3, 4, 4, -1], dtype=np.int32)).levels().tolist() == [
        [0, 1, 2],
        [0, 0, 1],
        [0, 0, 0],
    ]
