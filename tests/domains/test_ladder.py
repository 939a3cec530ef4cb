"""Ladders of levels and of listed partitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.domains import Ladder, Lattice, Partition
from sfumato.errors import ParameterError

LEVELS = np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]], dtype=np.int32)


def listed(*blocks: list[int]) -> Ladder:
    return Ladder.listed([Partition.of(block) for block in blocks])


def test_numbers_of_a_list() -> None:
    ladder = listed([0, 0, 1, 2], [0, 1, 1, 1], [0, 0, 1, 2])
    assert (ladder.lowest, ladder.highest, ladder.count, ladder.size) == (0, 2, 3, 4)
    assert ladder.blocks == (3, 2, 3)
    assert not ladder.nested


def test_the_height_of_a_list_is_that_of_the_hierarchy() -> None:
    """Without one there are values and everything."""
    partitions = [Partition.of([0, 1, 1, 2])]
    assert Ladder.listed(partitions, Ladder.whole(LEVELS)).height == 2
    assert Ladder.listed(partitions).height == 1
    assert Ladder.listed(partitions).heights.tolist() == [[0, 1, 2, 3], [0, 0, 0, 0]]


@given(st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=1, max_size=5))
def test_the_base_is_the_common_refinement(drawn: list[list[int]]) -> None:
    """Two codes share a block of the base exactly if they share one in every partition."""
    ladder = listed(*drawn)
    for one in range(5):
        for other in range(5):
            together = all(level[one] == level[other] for level in ladder.levels)
            assert (ladder.base[one] == ladder.base[other]) == together


def test_finest_and_coarsest_of_a_list() -> None:
    ladder = listed([0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 2, 2])
    assert (ladder.finest, ladder.coarsest) == (2, 1)
    assert Lattice((ladder, Ladder.whole(LEVELS))).bottom.tolist() == [2, 0]
    assert Lattice((ladder, Ladder.whole(LEVELS))).top.tolist() == [1, 2]


def test_a_list_may_have_no_ends() -> None:
    ladder = listed([0, 0, 1, 2], [0, 1, 1, 2])
    with pytest.raises(ParameterError, match="none refines all others"):
        _ = ladder.finest
    with pytest.raises(ParameterError, match="none is refined by all others"):
        _ = ladder.coarsest


def test_steps_of_a_list_go_where_one_refines_the_other() -> None:
    ladder = listed([0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 1, 1])
    assert ladder.step(0, 1).tolist() == [0, 1, 1]
    with pytest.raises(ParameterError, match="partition 0 of the list does not refine partition 2"):
        ladder.step(0, 2)


@pytest.mark.parametrize("ladder", [Ladder.whole(LEVELS), listed([0, 0, 1, 2], [0, 1, 1, 1], [0, 0, 0, 0])])
def test_one_alone_keeps_its_number(ladder: Ladder) -> None:
    alone = ladder.only(1)
    assert (alone.lowest, alone.highest, alone.finest, alone.coarsest, alone.count) == (1, 1, 1, 1, 1)
    assert np.array_equal(alone.base, ladder.levels[1])
    assert alone.height == ladder.height


@pytest.mark.parametrize(
    ("partitions", "message"), [([], "got no partition"), ([[0, 1], [0, 1, 2]], "domains of 2 sizes")]
)
def test_what_is_no_list_of_partitions(partitions: list[list[int]], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        listed(*partitions)


def test_a_hierarchy_of_another_domain_is_refused() -> None:
    with pytest.raises(ParameterError, match="domains of 2 sizes"):
        Ladder.listed([Partition.of([0, 1])], Ladder.whole(LEVELS))
