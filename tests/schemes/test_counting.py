"""Exact counts, also of what nobody could enumerate."""

from __future__ import annotations

from itertools import pairwise
from math import comb, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.schemes import GuidedSets, Ordered, Sets
from sfumato.schemes.partition_counts import (
    bell_numbers,
    count_runs,
    count_sets,
    draw_below,
    draw_index,
    without_singletons,
)
from tests.schemes.oracle import all_partitions, is_contiguous
from tests.schemes.trees import rng, scheme_of, tree_of


def bell(n: int) -> list[int]:
    """Bell's numbers by their recursion over the block of one element."""
    numbers = [1]
    for k in range(n):
        numbers.append(sum(comb(k, j) * numbers[j] for j in range(k + 1)))
    return numbers


def test_bell_numbers() -> None:
    assert bell_numbers(60) == bell(60)
    assert bell_numbers(0) == [1]


def test_partitions_without_singletons() -> None:
    counted = [sum(all(len(block) > 1 for block in p) for p in all_partitions(n)) for n in range(9)]
    assert list(without_singletons(8)) == counted


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_weighted_groupings_against_enumeration(weights: list[int]) -> None:
    everything = all_partitions(len(weights))

    def weight(partition: frozenset[frozenset[int]]) -> int:
        return prod(weights[min(block)] for block in partition if len(block) == 1)

    assert count_sets(weights) == sum(map(weight, everything))
    assert count_runs(weights) == sum(weight(p) for p in everything if is_contiguous(p))


def test_a_hundred_values() -> None:
    assert Sets(100).count() == bell(100)[-1]
    assert Ordered(100).count() == 2**99
    assert Sets(100, missing=True).count() == bell(99)[-1] + 1
    assert Ordered(100, missing=True).count() == 2**98 + 1


def test_a_node_with_41_children() -> None:
    countries = tuple(range(41))
    assert scheme_of("guided-sets", countries).count() == bell(41)[-1]
    # 41 groups of 1, 2, 3, 1, 2, 3, … values.
    starts = [0]
    for group in range(41):
        starts.append(starts[-1] + 1 + group % 3)
    tree = tuple(tuple(range(begin, end)) for begin, end in pairwise(starts))
    scheme = GuidedSets(tree_of(tree))
    assert scheme.count() == count_sets([(1, 2, 5)[group % 3] for group in range(41)])
    assert scheme.is_valid(scheme.random(rng()))


def test_large_domains_can_be_drawn_from() -> None:
    for name in ("cuts", "guided-ordered", "ordered"):
        tree = tuple(tuple(range(begin, begin + 5)) for begin in range(0, 2000, 5))
        scheme = scheme_of(name, tree)
        assert scheme.count().bit_length() > 300
        assert scheme.is_valid(scheme.random(rng()))


def test_draws_below_large_bounds_are_below_and_spread() -> None:
    generator, bound = rng(), 3 * 2**100
    drawn = [draw_below(generator, bound) for _ in range(300)]
    assert all(0 <= number < bound for number in drawn)
    thirds = [sum(number // 2**100 == third for number in drawn) for third in range(3)]
    assert min(thirds) > 70


def test_draws_in_proportion() -> None:
    generator = rng()
    drawn = [draw_index(generator, [0, 2**80, 0, 3 * 2**80]) for _ in range(400)]
    assert set(drawn) == {1, 3}
    assert 70 < drawn.count(1) < 130


@pytest.mark.parametrize("scheme", [Ordered, Sets])
def test_an_empty_domain_has_no_scheme(scheme: type[Ordered] | type[Sets]) -> None:
    with pytest.raises(ParameterError, match="at least one value; got 0"):
        scheme(0)
