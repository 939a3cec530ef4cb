"""Small functions of this room, each by an example."""

from __future__ import annotations

import numpy as np

from sfumato.domains import Ladder, Partition, Tree
from sfumato.schemes.admissible import Admissible, LevelScheme
from sfumato.schemes.block_labels import partition_labels
from sfumato.schemes.ordered import Cuts, Ordered
from sfumato.schemes.partition_counts import (
    bell_numbers,
    count_sets,
    runs_before,
    symmetric_sums,
    without_singletons,
)
from sfumato.schemes.sets import Sets


def test_admissible() -> None:
    blocks = ([0, 1, 2, 3], [0, 0, 1, 2], [0, 1, 1, 2], [0, 0, 0, 0])
    scheme = Admissible([Partition.of(block) for block in blocks])
    assert [partition.block.tolist() for partition in scheme.successors(scheme.finest)] == [
        [0, 0, 1, 2],
        [0, 1, 1, 2],
    ]


def test_partition_labels() -> None:
    assert partition_labels(
        Partition.of([0, 1, 0, 2]), ["a", "b", "c", None], ordered=False, kind="category"
    ) == ("{a, c}", "b", None)


def test_level_scheme() -> None:
    levels = np.array([[0, 1, 2], [0, 1, 2], [0, 0, 0]], dtype=np.int32)
    scheme = LevelScheme(Ladder.whole(levels))
    assert (scheme.count(), [scheme.level(partition) for partition in scheme.partitions()]) == (3, [0, 2])


def test_cuts() -> None:
    levels = np.array([[0, 1, 2], [0, 0, 1], [0, 0, 0]], dtype=np.int32)
    cuts = Cuts(Tree.from_levels(levels, collapse=False))
    assert (cuts.count(), [partition.block.tolist() for partition in cuts.partitions()]) == (
        5,
        [[0, 1, 2], [0, 0, 1], [0, 0, 0]],
    )


def test_ordered() -> None:
    assert [partition.block.tolist() for partition in Ordered(3).partitions()] == [
        [0, 1, 2],
        [0, 0, 1],
        [0, 0, 0],
        [0, 1, 1],
    ]


def test_bell_numbers() -> None:
    assert bell_numbers(8) == [1, 1, 2, 5, 15, 52, 203, 877, 4140]


def test_without_singletons() -> None:
    assert without_singletons(6) == (1, 0, 1, 1, 4, 11, 41)


def test_symmetric_sums() -> None:
    assert symmetric_sums([1, 3, 1]) == [[1, 2, 1], [1, 5, 7, 3]]


def test_count_sets() -> None:
    assert (count_sets([1, 1, 1]), count_sets([5, 1, 2, 2])) == (5, 67)


def test_runs_before() -> None:
    assert (runs_before([1, 1, 1]), runs_before([4, 1, 2, 2])) == ([1, 1, 2, 4], [1, 4, 5, 15, 40])


def test_sets() -> None:
    sets = Sets(3)
    assert (sets.count(), [partition.block.tolist() for partition in sets.partitions()]) == (
        5,
        [[0, 1, 2], [0, 0, 1], [0, 0, 0], [0, 1, 0], [0, 1, 1]],
    )
