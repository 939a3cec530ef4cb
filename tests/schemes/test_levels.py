"""Levels of a ladder as members of a scheme."""

from __future__ import annotations

import numpy as np

from sfumato.domains import Ladder, Partition
from sfumato.schemes import LevelScheme

# Not contiguous, and levels 1 and 2 are equal.
LEVELS = np.array([[0, 1, 2, 3], [0, 1, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0]], dtype=np.int32)


def test_equal_levels_count_and_are_one_member() -> None:
    scheme = LevelScheme(Ladder.whole(LEVELS))
    assert scheme.count() == 4
    members = list(scheme.partitions())
    assert [scheme.level(member) for member in members] == [0, 1, 3]
    assert [member.block.tolist() for member in members] == [LEVELS[level].tolist() for level in (0, 1, 3)]


def test_each_level_leads_to_the_next() -> None:
    scheme = LevelScheme(Ladder.whole(LEVELS))
    members = list(scheme.partitions())
    for step in (scheme.children, scheme.successors):
        assert [list(step(member)) for member in members] == [[members[1]], [members[2]], []]


def test_only_allowed_levels_are_members() -> None:
    scheme = LevelScheme(Ladder(LEVELS, 1, 2))
    assert (scheme.count(), len(list(scheme.partitions()))) == (2, 1)
    assert scheme.finest == scheme.coarsest == Partition.of([0, 1, 0, 1])
    assert not scheme.is_valid(Partition.of([0, 1, 2, 3]))
    assert scheme.mutate(scheme.finest, np.random.default_rng(0)) == scheme.finest
    assert LevelScheme(Ladder(LEVELS, 2, 3)).level(Partition.of([0, 1, 0, 1])) == 2
