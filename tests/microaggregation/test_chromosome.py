"""Chromosomes: the paper's crossover, and operators that always give valid groupings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.microaggregation.column_groups.chromosome import (
    MUTATIONS,
    attributes_of,
    canonical,
    create_group,
    cross,
    draw_grouping,
    draw_site,
    eliminate_group,
    is_valid,
    make_grouping,
    move_element,
    object_part,
    split_group,
    swap_elements,
)


def read(text):
    """Read a chromosome as the paper prints it: object part | group part."""
    objects, groups = text.split("|")
    return make_grouping([[place for place, name in enumerate(objects) if name == group] for group in groups])


@st.composite
def groupings(draw, largest=12):
    """Draw a chromosome with its groups in any order."""
    objects = draw(st.lists(st.integers(0, largest), min_size=1, max_size=largest))
    names = draw(st.permutations(sorted(set(objects))))
    return make_grouping([[place for place, name in enumerate(objects) if name == group] for group in names])


seeds = st.integers(0, 2**32 - 1)


def test_crossover_of_figure_4() -> None:
    """Groups with their attributes, in the order of the group part."""
    first, second = read("ABCAB|ABC"), read("DDDEE|DE")
    assert cross(first, second, ((1, 3), (0, 1))) == (read("DBCEB|BCDE"), read("DDDAB|DAB"))


def test_the_chromosome_of_figure_3_and_its_clone() -> None:
    """Attributes 1, 2 and 5 together, 3 and 4 together, however the groups are called."""
    one, clone = read("AABBA|AB"), read("DDCCD|CD")
    assert one != clone
    assert canonical(one) == canonical(clone)
    assert object_part(one) == [0, 0, 1, 1, 0]
    assert [attributes_of(group) for group in one] == [[0, 1, 4], [2, 3]]


@given(groupings(), seeds)
def test_mutations_give_valid_chromosomes(grouping, seed) -> None:
    attributes = len(object_part(grouping))
    for name, mutate in MUTATIONS.items():
        child = mutate(grouping, np.random.default_rng(seed))
        assert is_valid(child, attributes), name
        assert child == mutate(grouping, np.random.default_rng(seed))


@given(st.data(), st.integers(1, 12), seeds)
def test_crossover_gives_valid_chromosomes_with_the_groups_injected(data, attributes, seed) -> None:
    random = np.random.default_rng(seed)
    first, second = draw_grouping(attributes, random), draw_grouping(attributes, random)
    sites = draw_site(first, random), draw_site(second, random)
    for child, parent, (begin, end) in zip(cross(first, second, sites), (first, second), sites, strict=True):
        assert is_valid(child, attributes)
        assert begin < end
        assert child[: end - begin] == parent[begin:end]


@given(groupings(), seeds)
def test_what_each_mutation_does(grouping, seed) -> None:
    """As the paper describes them, clones where it says so."""
    children = {name: mutate(grouping, np.random.default_rng(seed)) for name, mutate in MUTATIONS.items()}
    count = len(grouping)
    assert len(children["eliminate"]) == max(1, count - 1)
    assert len(children["split"]) in (count, count + 1)
    if len(children["split"]) == count:
        assert children["split"] == grouping
    else:
        halves = sorted(group.bit_count() for group in set(children["split"]) - set(grouping))
        assert halves[-1] - halves[0] <= 1
    assert [group.bit_count() for group in children["swap"]] == [group.bit_count() for group in grouping]
    assert len(children["move"]) in (count, count - 1)
    moved = sum(group.bit_count() for group in set(children["move"]) - set(grouping))
    assert (children["move"] == grouping) == (count == 1)
    assert moved >= (count > 1)


def test_extreme_parents() -> None:
    """One group, one attribute: clones; a created group may be everything."""
    random = np.random.default_rng(5)
    one, alone = (0b11111,), (1,)
    assert eliminate_group(one, random) == one
    assert move_element(one, random) == one
    assert swap_elements(one, random) == one
    for mutate in MUTATIONS.values():
        assert mutate(alone, random) == alone
    singles = make_grouping([[0], [1], [2]])
    assert split_group(singles, random) == singles
    assert any(create_group(singles, random) == (0b111,) for _ in range(50))


def test_the_first_population_never_holds_everything_in_one_group() -> None:
    random = np.random.default_rng(1)
    drawn = [draw_grouping(2, random) for _ in range(50)]
    assert {canonical(item) for item in drawn} == {(1, 2)}
    assert draw_grouping(1, random) == (1,)


@pytest.mark.parametrize("grouping", [(), (3, 1), (1, 0, 2), (1, 2), (1, 2, 4, 8), (-1,)])
def test_what_is_no_grouping_of_three_attributes(grouping) -> None:
    assert not is_valid(grouping, 3)
