"""Every scheme against its definition, on trees of any depth with up to seven values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.schemes import GuidedOrdered, GuidedSets, Ordered, Sets
from tests.examples import examples
from tests.schemes import oracle
from tests.schemes.trees import (
    NAMES,
    WORK_CLASS,
    blocks_from,
    nested_trees,
    partition_of,
    scheme_of,
    tree_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.schemes import Scheme
    from tests.schemes.oracle import Nested

names = pytest.mark.parametrize("name", NAMES)
DEEP: oracle.Nested = (((0, 1), (2,)), 3, ((4, 5), 6))
DEEP_LEFT: oracle.Nested = ((((0, 1), 2), 3), (4, 5))


@names
@examples(50)
@example(DEEP)
@example(DEEP_LEFT)
@given(nested_trees())
def test_members_are_those_of_the_definition(name: str, tree: Nested) -> None:
    scheme = scheme_of(name, tree)
    found = [blocks_from(partition) for partition in scheme.partitions()]
    assert len(set(found)) == len(found)
    assert set(found) == oracle.members(name, tree)


@names
@examples(50)
@example(DEEP)
@example(DEEP_LEFT)
@given(nested_trees())
def test_count_is_exact(name: str, tree: Nested) -> None:
    counted = {"levels": oracle.levels, "cuts": oracle.cuts}.get(name)
    expected = len(counted(tree)) if counted else len(oracle.members(name, tree))
    assert scheme_of(name, tree).count() == expected


@names
@examples(25)
@example(DEEP)
@example(DEEP_LEFT)
@given(nested_trees())
def test_validity_of_every_partition(name: str, tree: Nested) -> None:
    scheme, valid = scheme_of(name, tree), oracle.members(name, tree)
    for partition in oracle.all_partitions(len(oracle.leaves(tree))):
        assert scheme.is_valid(partition_of(partition)) == (partition in valid)


@names
@examples(30)
@example(DEEP_LEFT)
@given(nested_trees(6))
def test_successors_are_the_direct_coarser_neighbours(name: str, tree: Nested) -> None:
    scheme, valid = scheme_of(name, tree), oracle.members(name, tree)
    for partition in valid:
        found = [blocks_from(coarser) for coarser in scheme.successors(partition_of(partition))]
        assert len(set(found)) == len(found)
        assert set(found) == oracle.successors(partition, valid)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "levels"])
@examples(30)
@example(DEEP_LEFT)
@given(nested_trees(6))
def test_children_are_the_nearest_valid_descendants(name: str, tree: Nested) -> None:
    scheme, valid = scheme_of(name, tree), oracle.members(name, tree)
    for partition in valid:
        found = [blocks_from(child) for child in scheme.children(partition_of(partition))]
        assert len(set(found)) == len(found)
        assert set(found) == oracle.nearest_children(partition, valid)


@pytest.mark.parametrize("m", range(1, 7))
def test_the_rule_of_children_leads_to_every_set_partition_once(m: int) -> None:
    scheme = Sets(m)
    for partition in oracle.all_partitions(m):
        found = {blocks_from(child) for child in scheme.children(partition_of(partition))}
        assert found == oracle.direct_children(partition)


@names
@examples(50)
@given(nested_trees(6))
def test_finest_and_coarsest(name: str, tree: Nested) -> None:
    scheme, valid = scheme_of(name, tree), oracle.members(name, tree)
    finest, coarsest = blocks_from(scheme.finest), blocks_from(scheme.coarsest)
    assert {finest, coarsest} <= valid
    assert all(oracle.refines(finest, member) and oracle.refines(member, coarsest) for member in valid)
    assert scheme.finest.refines(scheme.coarsest)


@names
def test_partitions_of_other_domains_are_no_members(name: str) -> None:
    assert not scheme_of(name, WORK_CLASS).is_valid(partition_of(oracle.blocks_of([0], [1])))


INCLUSIONS = [
    ("levels", "cuts"),
    ("cuts", "guided-ordered"),
    ("guided-ordered", "ordered"),
    ("ordered", "sets"),
    ("guided-ordered", "guided-sets"),
    ("guided-sets", "sets"),
]


@pytest.mark.parametrize(("smaller", "larger"), INCLUSIONS)
@examples(50)
@given(nested_trees())
def test_inclusions(smaller: str, larger: str, tree: Nested) -> None:
    around = scheme_of(larger, tree)
    assert all(around.is_valid(partition) for partition in scheme_of(smaller, tree).partitions())


@pytest.mark.parametrize(("smaller", "larger"), INCLUSIONS)
def test_inclusions_are_proper_for_work_class(smaller: str, larger: str) -> None:
    within, around = (set(scheme_of(name, WORK_CLASS).partitions()) for name in (smaller, larger))
    assert within < around


def test_ordered_and_guided_sets_cannot_be_compared() -> None:
    ordered, guided = (set(scheme_of(name, WORK_CLASS).partitions()) for name in ("ordered", "guided-sets"))
    assert ordered - guided
    assert guided - ordered


@given(st.integers(1, 7))
def test_guided_schemes_over_one_level_are_the_plain_ones(m: int) -> None:
    tree = tree_of(tuple(range(m)))
    assert set(GuidedSets(tree).partitions()) == set(Sets(m).partitions())
    assert set(GuidedOrdered(tree).partitions()) == set(Ordered(m).partitions())


MISSING: list[tuple[str, Callable[[Nested], Scheme]]] = [
    ("ordered", lambda tree: Ordered(len(oracle.leaves(tree)), missing=True)),
    ("guided-ordered", lambda tree: GuidedOrdered(tree_of(tree), missing=True)),
    ("sets", lambda tree: Sets(len(oracle.leaves(tree)), missing=True)),
    ("guided-sets", lambda tree: GuidedSets(tree_of(tree), missing=True)),
]


@pytest.mark.parametrize(("name", "make"), MISSING, ids=[name for name, _ in MISSING])
@given(nested_trees(5))
def test_missing_is_with_everything_or_nothing(
    name: str, make: Callable[[Nested], Scheme], values: Nested
) -> None:
    m = len(oracle.leaves(values))
    below = values if isinstance(values, tuple) else (values,)
    scheme = make((*below, m))
    alone = {member | {frozenset([m])} for member in oracle.members(name, values)}
    expected = alone | {oracle.blocks_of(range(m + 1))}
    found = [blocks_from(partition) for partition in scheme.partitions()]
    assert len(found) == len(set(found)) == scheme.count()
    assert set(found) == expected
    for partition in oracle.all_partitions(m + 1):
        assert scheme.is_valid(partition_of(partition)) == (partition in expected)
