"""The examples and figures of Li and Li, Towards optimal k-anonymization, doi:10.1016/j.datak.2007.06.015.

Values are numbered from 1 there and from 0 here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sfumato.schemes import GuidedOrdered, GuidedSets, Ordered, Sets
from tests.schemes.oracle import blocks_of
from tests.schemes.trees import WORK_CLASS, blocks_from, partition_of, scheme_of, tree_of

if TYPE_CHECKING:
    from sfumato.schemes import Scheme
    from tests.schemes.oracle import Blocks


def written(text: str) -> Blocks:
    """Read a partition as the paper writes it, ``1,4|2|3``."""
    return blocks_of(*([int(value) - 1 for value in block.split(",")] for block in text.split("|")))


def children_of(scheme: Scheme, text: str) -> set[Blocks]:
    found = [blocks_from(child) for child in scheme.children(partition_of(written(text)))]
    assert len(set(found)) == len(found)
    return set(found)


@pytest.mark.parametrize(
    ("name", "count", "members"),
    [
        ("levels", 3, 3),
        ("cuts", 17, 9),
        ("ordered", 128, 128),
        ("guided-ordered", 40, 40),
        ("sets", 4140, 4140),
        ("guided-sets", 67, 67),
    ],
)
def test_figure_1_work_class(name: str, count: int, members: int) -> None:
    scheme = scheme_of(name, WORK_CLASS)
    found = list(scheme.partitions())
    assert scheme.count() == count
    assert len(found) == len(set(found)) == members
    assert all(scheme.is_valid(partition) for partition in found)
    assert (found[0], scheme.coarsest in found) == (scheme.finest, True)


def test_section_2_local_gov_with_inc_takes_their_groups_along() -> None:
    guided = scheme_of("guided-sets", WORK_CLASS)
    assert not guided.is_valid(partition_of(written("1|2,5|3|4|6|7|8")))
    assert guided.is_valid(partition_of(written("1,2,3,5,6|4|7|8")))


@pytest.mark.parametrize(
    ("parent", "expected"),
    [
        ("1|2,3|4|5", ["1|2,3,4|5", "1|2,3|4,5", "1|2,3,5|4"]),  # example 1
        ("1,4|2|3|5", ["1,4|2,3|5", "1,4|2|3,5", "1,4|2,5|3", "1,4,5|2|3"]),  # example 2
    ],
)
def test_examples_1_and_2(parent: str, expected: list[str]) -> None:
    assert children_of(Sets(5), parent) == {written(text) for text in expected}


def test_figure_5_tree_of_four_values() -> None:
    edges = {
        "1|2|3|4": ["1,2|3|4", "1|2,3|4", "1,3|2|4", "1|2|3,4", "1|2,4|3", "1,4|2|3"],
        "1,2|3|4": ["1,2,3|4", "1,2|3,4", "1,2,4|3"],
        "1|2,3|4": ["1|2,3,4"],
        "1,3|2|4": ["1,3|2,4", "1,3,4|2"],
        "1,4|2|3": ["1,4|2,3"],
        "1,2,3|4": ["1,2,3,4"],
    }
    scheme = Sets(4)
    found = list(scheme.partitions())
    assert len(found) == len(set(found)) == 15
    by_text = {written(text): {written(child) for child in below} for text, below in edges.items()}
    for partition in found:
        below = {blocks_from(child) for child in scheme.children(partition)}
        assert below == by_text.get(blocks_from(partition), set())


EXAMPLE_4_AND_5 = "1|2,3|4|5,6|7|8"


def test_example_4_one_direct_child_is_valid() -> None:
    direct = children_of(Sets(8), EXAMPLE_4_AND_5)
    guided = GuidedSets(tree_of(WORK_CLASS))
    # The paper says 4: its procedure also makes a partition that another branch has.
    assert len(direct) == 3
    assert [child for child in direct if guided.is_valid(partition_of(child))] == [written("1|2,3|4|5,6|7,8")]


def test_example_5_one_direct_child_is_valid() -> None:
    direct = children_of(Ordered(8), EXAMPLE_4_AND_5)
    guided = GuidedOrdered(tree_of(WORK_CLASS))
    assert len(direct) == 2
    assert [child for child in direct if guided.is_valid(partition_of(child))] == [written("1|2,3|4|5,6|7,8")]


@pytest.mark.parametrize("scheme", [GuidedSets(tree_of(WORK_CLASS)), GuidedOrdered(tree_of(WORK_CLASS))])
def test_nearest_descendants_go_beyond_direct_children(scheme: Scheme) -> None:
    # {5,6} and {7,8} go together only in two steps of the plain trees.
    found = children_of(scheme, EXAMPLE_4_AND_5)
    assert found == {written("1|2,3|4|5,6|7,8"), written("1|2,3|4|5,6,7,8")}


@pytest.mark.parametrize(
    ("around", "guided", "reached", "members"),
    [(Sets(8), GuidedSets, 24, 67), (Ordered(8), GuidedOrdered, 20, 40)],
)
def test_direct_valid_children_alone_miss_members(
    around: Scheme, guided: type[GuidedSets] | type[GuidedOrdered], reached: int, members: int
) -> None:
    scheme = guided(tree_of(WORK_CLASS))
    found, queue = {scheme.finest}, [scheme.finest]
    while queue:
        new = [child for child in around.children(queue.pop()) if scheme.is_valid(child)]
        found.update(new)
        queue.extend(new)
    assert (len(found), scheme.count()) == (reached, members)


def children_as_printed(partition: tuple[frozenset[int], ...]) -> list[tuple[frozenset[int], ...]]:
    """Follow figure 6 by the letter: it looks only at the sets between the two that are merged."""
    found = []
    for i, alone in enumerate(partition):
        if len(alone) > 1:
            continue
        for j in range(i - 1, -1, -1):
            if max(partition[j]) > min(alone):
                break
            merged = partition[j] | alone
            found.append((*partition[:j], merged, *partition[j + 1 : i], *partition[i + 1 :]))
            if len(partition[j]) > 1:
                break
    return found


def test_figure_6_as_printed_repeats_a_partition() -> None:
    queue = [tuple(frozenset([value]) for value in range(1, 5))]
    visited = []
    while queue:
        visited.append(queue.pop())
        queue += children_as_printed(visited[-1])
    twice = {partition for partition in visited if visited.count(partition) > 1}
    assert len(set(visited)) == 15
    assert (frozenset([1, 2]), frozenset([3, 4])) in twice
