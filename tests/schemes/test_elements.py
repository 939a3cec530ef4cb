"""The decisions of a scheme make exactly its members, each once."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.kernels.scheme_elements import APART, JOINED, OPEN, settle
from sfumato.schemes import Admissible, GuidedOrdered, GuidedSets, Ordered, Sets, elements_of
from sfumato.search.branch_and_bound.bound_arrays import BoundSpace
from tests.examples import examples
from tests.schemes import oracle
from tests.schemes.trees import NAMES, WORK_CLASS, blocks_from, nested_trees, partition_of, scheme_of, tree_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sfumato.schemes import Elements, Scheme
    from tests.schemes.oracle import Blocks, Nested

names = pytest.mark.parametrize("name", NAMES)
DEEP: oracle.Nested = (((0, 1), (2,)), 3, (4,))


def joined_by(elements: Elements, chosen: frozenset[int], size: int) -> Blocks:
    """Connect values by the edges of the chosen elements, by plain relabelling."""
    label = list(range(size))
    for (one, other), owner in zip(elements.edges.tolist(), elements.owner.tolist(), strict=True):
        if owner in chosen:
            old, new = label[other], label[one]
            label = [new if item == old else item for item in label]
    return oracle.blocks_of(*([x for x in range(size) if label[x] == item] for item in set(label)))


def is_consistent(elements: Elements, chosen: frozenset[int], blocks: Blocks) -> bool:
    """Whether a set of joins holds what its joins imply and all that its blocks join anyway."""
    home = {code: number for number, block in enumerate(blocks) for code in block}
    start = elements.implied_start
    if any(not chosen.issuperset(elements.implied[start[e] : start[e + 1]].tolist()) for e in chosen):
        return False
    within = {
        e
        for e in range(elements.count)
        if all(home[one] == home[other] for one, other in elements.edges[elements.owner == e].tolist())
    }
    return within == chosen


def made_by_sets(scheme: Scheme) -> list[Blocks]:
    """Make a partition of every consistent set of joins, of all sets that there are."""
    elements = elements_of(scheme)
    found = []
    for count in range(elements.count + 1):
        for chosen in map(frozenset, combinations(range(elements.count), count)):
            blocks = joined_by(elements, chosen, scheme.size)
            if is_consistent(elements, chosen, blocks):
                found.append(blocks)
    return found


def made_by_decisions(scheme: Scheme) -> Iterator[Blocks]:
    """Decide the elements one after another, as a search does, and yield what is left in the end."""
    space = BoundSpace.of((scheme,))
    ends = space.make_ends()
    open_ones = [np.zeros(space.elements, dtype=np.int32)]
    while open_ones:
        states = open_ones.pop()
        if not settle(space.decisions, 0, states, ends):
            continue
        undecided = np.flatnonzero(states == OPEN)
        if len(undecided) == 0:
            (block,) = space.blocks(ends.fine)
            yield blocks_from(partition_of(oracle.blocks_of(*_groups(block.tolist()))))
            continue
        for state in (JOINED, APART):
            child = states.copy()
            child[undecided[len(undecided) // 2]] = state
            open_ones.append(child)


def _groups(block: list[int]) -> list[list[int]]:
    return [[code for code, number in enumerate(block) if number == item] for item in set(block)]


@names
@examples(30)
@example(DEEP)
@given(nested_trees(5))
def test_consistent_sets_are_the_members(name: str, tree: Nested) -> None:
    """Over all sets of elements, by brute force."""
    scheme = scheme_of(name, tree)
    found = made_by_sets(scheme)
    assert len(set(found)) == len(found)
    assert set(found) == {blocks_from(partition) for partition in scheme.partitions()}


@names
@examples(50)
@example(WORK_CLASS)
@given(nested_trees(6))
def test_decisions_one_by_one_lead_to_every_member_once(name: str, tree: Nested) -> None:
    """What a search decides, with all that follows, leaves each member exactly once."""
    if name == "sets" and tree == WORK_CLASS:
        tree = tree[:3]  # 203 members in place of 4,140
    scheme = scheme_of(name, tree)
    found = list(made_by_decisions(scheme))
    assert len(set(found)) == len(found)
    assert set(found) == {blocks_from(partition) for partition in scheme.partitions()}


MISSING: list[tuple[str, Callable[[Nested], Scheme]]] = [
    ("ordered", lambda tree: Ordered(len(oracle.leaves(tree)), missing=True)),
    ("guided-ordered", lambda tree: GuidedOrdered(tree_of(tree), missing=True)),
    ("sets", lambda tree: Sets(len(oracle.leaves(tree)), missing=True)),
    ("guided-sets", lambda tree: GuidedSets(tree_of(tree), missing=True)),
]


@pytest.mark.parametrize(("name", "make"), MISSING, ids=[name for name, _ in MISSING])
@examples(25)
@given(nested_trees(4))
def test_missing_is_with_everything_or_nothing(
    name: str, make: Callable[[Nested], Scheme], values: Nested
) -> None:
    below = values if isinstance(values, tuple) else (values,)
    scheme = make((*below, len(oracle.leaves(values))))
    members = {blocks_from(partition) for partition in scheme.partitions()}
    for found in (made_by_sets(scheme), list(made_by_decisions(scheme))):
        assert len(set(found)) == len(found)
        assert set(found) == members


@st.composite
def admissible(draw: st.DrawFn) -> Admissible:
    """Draw any partitions of a few values, with the finest and the coarsest."""
    size = draw(st.integers(1, 5))
    everything = sorted(oracle.all_partitions(size), key=lambda blocks: sorted(map(sorted, blocks)))
    drawn = draw(st.lists(st.sampled_from(everything), max_size=5, unique=True))
    ends = [oracle.blocks_of(*([code] for code in range(size))), oracle.blocks_of(range(size))]
    return Admissible([partition_of(blocks) for blocks in dict.fromkeys([*drawn, *ends])])


@examples(60)
@given(admissible())
def test_a_list_needs_to_be_asked_for_members(scheme: Admissible) -> None:
    """What listed partitions join need not be listed; each listed one still comes."""
    members = {blocks_from(partition) for partition in scheme.partitions()}
    by_sets = [blocks for blocks in made_by_sets(scheme) if scheme.is_valid(partition_of(blocks))]
    assert len(set(by_sets)) == len(by_sets)
    assert set(by_sets) == members
    # Decisions may reach one twice: it is refined by two others that join to it.
    by_decisions = {blocks for blocks in made_by_decisions(scheme) if scheme.is_valid(partition_of(blocks))}
    assert by_decisions == members


@names
def test_ends_enclose_what_agrees_with_the_decisions(name: str) -> None:
    """The fine end refines, and the coarse end is refined by, every member that agrees with decisions."""
    scheme = scheme_of(name, (((0, 1), 2), (3, 4)))
    space, elements = BoundSpace.of((scheme,)), elements_of(scheme)
    members = [blocks_from(partition) for partition in scheme.partitions()]
    rng = np.random.default_rng(5)
    for _ in range(60):
        states = rng.integers(0, 3, space.elements).astype(np.int32)
        asked = states.copy()
        ends = space.make_ends()
        agreeing = [blocks for blocks in members if _agrees(elements, asked, blocks)]
        if not settle(space.decisions, 0, states, ends):
            assert not agreeing
            continue
        assert agreeing
        fine, coarse = (oracle.blocks_of(*_groups(block.tolist())) for block in (ends.fine, ends.coarse))
        for blocks in agreeing:
            assert oracle.refines(fine, blocks)
            assert oracle.refines(blocks, coarse)


def _agrees(elements: Elements, states: np.ndarray, blocks: Blocks) -> bool:
    home = {code: number for number, block in enumerate(blocks) for code in block}
    for e, state in enumerate(states.tolist()):
        edges = elements.edges[elements.owner == e].tolist()
        is_joined = all(home[one] == home[other] for one, other in edges)
        if state != OPEN and is_joined != (state == JOINED):
            return False
    return True
