"""Lists of partitions that are no chain and not graded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.domains import Partition
from sfumato.errors import ParameterError
from sfumato.schemes import Admissible
from tests.schemes import oracle
from tests.schemes.trees import blocks_from, partition_of


def scheme_of(*rows: list[int]) -> Admissible:
    return Admissible([Partition.of(row) for row in rows])


@st.composite
def lists(draw: st.DrawFn) -> list[oracle.Blocks]:
    m = draw(st.integers(1, 5))
    everything = sorted(oracle.all_partitions(m), key=lambda p: sorted(map(sorted, p)))
    some = draw(st.lists(st.sampled_from(everything), max_size=12))
    ends = [oracle.blocks_of(range(m)), oracle.blocks_of(*([code] for code in range(m)))]
    return draw(st.permutations(list(dict.fromkeys([*some, *ends]))))


@given(lists())
def test_order_and_tree(members: list[oracle.Blocks]) -> None:
    scheme = Admissible([partition_of(member) for member in members])
    assert scheme.count() == len(members)
    found = [blocks_from(partition) for partition in scheme.partitions()]
    assert sorted(map(members.index, found)) == list(range(len(members)))
    for member in members:
        partition = partition_of(member)
        assert {blocks_from(p) for p in scheme.successors(partition)} == oracle.successors(member, members)
        assert all(partition.refines(child) for child in scheme.children(partition))


def test_a_poset_that_is_not_graded() -> None:
    scheme = scheme_of([0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 1, 0], [0, 0, 0, 0])
    steps = [[p.block.tolist() for p in scheme.successors(member)] for member in scheme.partitions()]
    assert steps == [
        [[0, 0, 1, 2], [0, 1, 1, 0]],
        [[0, 0, 1, 1]],
        [[0, 0, 0, 0]],
        [],
        [[0, 0, 0, 0]],
    ]


def test_the_finest_member_need_not_be_the_identity() -> None:
    scheme = scheme_of([0, 0, 0], [0, 0, 1])
    assert scheme.finest.block.tolist() == [0, 0, 1]
    assert scheme.coarsest.block.tolist() == [0, 0, 0]
    assert not scheme.is_valid(Partition.of([0, 1, 2]))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "must be one or more, of one domain; got no partition"),
        ([[0, 0], [0, 0, 0]], "got partitions of domains of different sizes"),
        ([[0, 1], [0, 0], [0, 1]], "must differ; 1 of 3 are repetitions"),
        ([[0, 0, 1], [0, 1, 1], [0, 0, 0]], "Add a finest and a coarsest one"),
        ([[0, 1, 2], [0, 0, 1], [0, 1, 1]], "Add a finest and a coarsest one"),
    ],
)
def test_what_is_no_such_list_is_refused(rows: list[list[int]], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        scheme_of(*rows)
