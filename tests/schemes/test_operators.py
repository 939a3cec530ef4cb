"""Random members, crossover and mutation: always valid, and everything can be reached."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.schemes import Admissible, GuidedSets, LevelScheme, Ordered, Sets
from tests.examples import examples
from tests.schemes.trees import (
    NAMES,
    WORK_CLASS,
    blocks_from,
    nested_trees,
    partition_of,
    rng,
    scheme_of,
    tree_of,
)

if TYPE_CHECKING:
    from sfumato.schemes import Scheme
    from tests.schemes.oracle import Nested

names = pytest.mark.parametrize("name", [*NAMES, "admissible"])
seeds = st.integers(0, 2**32)
MISSING_LAST: Nested = ((0, 1, 2), (3, 4), 5)


def make(name: str, tree: Nested) -> Scheme:
    """A scheme over a tree; ``admissible`` has the cuts of the tree in an arbitrary order."""
    if name != "admissible":
        return scheme_of(name, tree)
    members = list(scheme_of("cuts", tree).partitions())
    return Admissible([members[place] for place in rng(1).permutation(len(members))])


@names
@given(nested_trees(8), seeds)
def test_operators_give_members(name: str, tree: Nested, seed: int) -> None:
    scheme, generator = make(name, tree), rng(seed)
    first, second = scheme.random(generator), scheme.random(generator)
    offspring = scheme.crossover(first, second, generator)
    mutants = [scheme.mutate(first, generator) for _ in range(3)]
    for partition in (first, second, *offspring, *mutants):
        assert partition.block.dtype == np.int32
        assert scheme.is_valid(partition)


@names
@given(nested_trees(8), seeds)
def test_equal_parents_give_themselves(name: str, tree: Nested, seed: int) -> None:
    scheme, generator = make(name, tree), rng(seed)
    parent = scheme.random(generator)
    assert scheme.crossover(parent, parent, generator) == (parent, parent)


@names
@given(nested_trees(8), seeds)
def test_mutation_changes_whatever_can_change(name: str, tree: Nested, seed: int) -> None:
    scheme, generator = make(name, tree), rng(seed)
    member = scheme.random(generator)
    sole = scheme.finest == scheme.coarsest
    assert (scheme.mutate(member, generator) == member) == sole


@names
@examples(10)
@given(nested_trees(5))
def test_mutation_reaches_everything(name: str, tree: Nested) -> None:
    scheme, generator = make(name, tree), rng(5)
    member = scheme.coarsest
    seen = {member}
    members = set(scheme.partitions())
    for _ in range(400 * len(members)):
        member = scheme.mutate(member, generator)
        seen.add(member)
        if len(seen) == len(members):
            break
    assert seen == members


@names
def test_same_seed_same_members(name: str) -> None:
    drawn = []
    for _ in range(2):
        scheme, generator = make(name, WORK_CLASS), rng(7)
        first, second = scheme.random(generator), scheme.random(generator)
        children = scheme.crossover(first, second, generator)
        drawn.append((first, second, *children, scheme.mutate(first, generator)))
    assert drawn[0] == drawn[1]


UNIFORM: list[tuple[str, Scheme]] = [
    *((name, make(name, WORK_CLASS)) for name in (*NAMES, "admissible") if name != "sets"),
    ("sets", Sets(5)),
    ("sets, missing", Sets(5, missing=True)),
    ("ordered, missing", Ordered(6, missing=True)),
    ("guided-sets, deep", scheme_of("guided-sets", (((0, 1), 2), (3, 4)))),
    ("guided-sets, missing", GuidedSets(tree_of(MISSING_LAST), missing=True)),
]


@pytest.mark.parametrize("scheme", [scheme for _, scheme in UNIFORM], ids=[name for name, _ in UNIFORM])
def test_every_member_is_drawn_equally_often(scheme: Scheme) -> None:
    members = list(scheme.partitions())
    generator, each = rng(11), 60
    count = Counter(scheme.random(generator) for _ in range(each * len(members)))
    assert set(count) == set(members)
    # Chi-squared: about members − 1 with a deviation of √(2 (members − 1)).
    chi_squared = sum((count[member] - each) ** 2 / each for member in members)
    degrees = len(members) - 1
    assert chi_squared < degrees + 4 * (2 * degrees) ** 0.5


@pytest.mark.parametrize("name", ["cuts", "ordered", "guided-ordered"])
def test_crossover_where_both_parents_separate_takes_blocks_as_they_are(name: str) -> None:
    scheme, generator = scheme_of(name, WORK_CLASS), rng(3)
    for _ in range(10):
        first, second = scheme.random(generator), scheme.random(generator)
        found = {child for _ in range(80) for child in scheme.crossover(first, second, generator)}
        left, right = blocks_from(first), blocks_from(second)
        for place in range(1, 8):
            below = {block for block in left if max(block) < place}
            above = {block for block in right if min(block) >= place}
            if sum(map(len, below | above)) == 8:
                assert partition_of(frozenset(below | above)) in found


def test_crossover_of_levels_stays_between() -> None:
    scheme, generator = scheme_of("levels", ((((0, 1), 2), 3), 4)), rng(2)
    assert isinstance(scheme, LevelScheme)
    members = list(scheme.partitions())
    found = {
        scheme.level(child)
        for _ in range(60)
        for child in scheme.crossover(members[1], members[3], generator)
    }
    assert found == {1, 2, 3}


def test_crossover_of_sets_exchanges_blocks() -> None:
    scheme, generator = Sets(6), rng(4)
    first = scheme.random(generator)
    found = {child for _ in range(200) for child in scheme.crossover(first, scheme.finest, generator)}
    # Against the finest one, each block of a parent is there as a whole or in single values.
    for child in found:
        assert all(len(block) == 1 or block in blocks_from(first) for block in blocks_from(child))
    assert first in found
    assert scheme.finest in found
