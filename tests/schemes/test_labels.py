"""Names of blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.domains import Partition
from sfumato.schemes import node_labels, partition_labels

AGES = [str(age) for age in range(30, 45)]


def label(
    members: list[int],
    texts: list[str | None],
    kind: str,
    *,
    ordered: bool = True,
    nodes: dict[tuple[int, int], str | None] | None = None,
) -> str | None:
    """Name one block; all other values stay alone."""
    partition = Partition.of([0 if code in members else 1 + code for code in range(len(texts))])
    named = partition_labels(partition, texts, nodes=nodes, ordered=ordered, kind=kind)
    return named[partition.block[members[0]]]


@pytest.mark.parametrize(
    ("members", "texts", "kind", "expected"),
    [
        ([5, 6, 7, 8, 9], AGES, "number", "35-39"),
        ([0, 1], ["17", "25", "90"], "number", "17-25"),
        ([0, 1], ["-5", "-1", "3"], "number", "-5--1"),
        ([0, 1], ["1", "2.5", "3"], "number", "[1, 2.5]"),
        ([0, 1, 2], ["1", "2.5", "3", "4"], "number", "[1, 3]"),  # one notation for all of a domain
        ([1, 2], ["155-159", "160-164", "165-169"], "number", "160-169"),
        ([0, 1], ["[1.0, 1.5)", "[1.5, 2.0)", "[2.0, 2.5)"], "number", "[1.0, 2.0)"),
        ([0, 1], ["2024-01-01", "2024-03-31", "2024-04-01"], "date", "[2024-01-01, 2024-03-31]"),
        ([0, 2], ["1", "2", "3"], "number", "{1, 3}"),
        ([0, 1], ["low", "mid", "high"], "ordinal", "{low, mid}"),
        ([0, 1, 2, 3, 4], list("abcdef"), "category", "{a, b, c, d, e}"),
        ([*range(12)], list("abcdefghijklm"), "category", "{a, b, … (12)}"),
        ([1, 2, 3], ["1", "2", "3", None], "number", "{2-3, (missing)}"),
        ([2, 3], ["1", "2", "3", None], "number", "{3, (missing)}"),
        ([2], ["a", "b", None], "category", None),
        ([1], ["a", "b", None], "category", "b"),
    ],
)
def test_one_block(members: list[int], texts: list[str | None], kind: str, expected: str | None) -> None:
    assert label(members, texts, kind) == expected


def test_no_ranges_where_the_order_does_not_count() -> None:
    assert label([0, 1, 2], AGES, "number", ordered=False) == "{30, 31, 32}"


def test_nodes_and_the_whole_domain() -> None:
    texts = ["a", "b", "c"]
    node = label([0, 1], texts, "category", nodes={(0, 1): "A"})
    whole = label([0, 1, 2], texts, "category", nodes={(0, 2): "everyone"})
    sole = label([0], ["a"], "category", nodes={(0, 0): "*"})
    assert (node, whole, sole) == ("A", "*", "a")


def test_labels_of_nodes_from_levels() -> None:
    levels = np.array([[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 1, 2], [0, 0, 0, 0]], dtype=np.int32)
    labels = (("a", "b", "c", None), ("A", "C", None), ("AA", "CC", None), ("*",))
    nodes = node_labels(levels, labels)
    assert nodes == {
        **{(0, 0): "a", (1, 1): "b", (2, 2): "c", (3, 3): None},
        **{(0, 1): "A", (0, 3): "*"},
    }
    named = partition_labels(
        Partition.of([0, 0, 1, 2]), ["a", "b", "c", None], nodes=nodes, ordered=False, kind="category"
    )
    assert named == ("A", "c", None)
    scattered = np.array([[0, 1, 2], [0, 1, 0], [0, 0, 0]], dtype=np.int32)
    assert (0, 2) in node_labels(scattered, (("a", "b", "c"), ("x", "b"), ("*",)))
    assert node_labels(scattered, (("a", "b", "c"), ("x", "b"), ("*",)))[0, 2] == "*"


def test_shortened_sets_only_where_they_differ() -> None:
    texts = [f"{letter}{number}" for number in range(7) for letter in "ab"]
    apart = partition_labels(Partition.of([0, 1] * 7), texts, ordered=False, kind="category")
    assert apart == ("{a0, a1, … (7)}", "{b0, b1, … (7)}")
    # Two values that share a text are nobody's domain, but they show that labels still differ.
    same = ["x", "x", "y", "y", *texts[4:]]
    labels = partition_labels(Partition.of([0, 1] * 7), same, ordered=False, kind="category")
    assert labels[0] == "{x, y, a2, a3, a4, a5, a6}"
    assert labels[1] == "{x, y, b2, b3, b4, b5, b6}"


def test_equal_names_of_nodes_give_way_to_sets_and_values_keep_theirs() -> None:
    texts = ["a", "b", "c", "d", "Other"]
    nodes = {(0, 1): "Other", (2, 3): "Other"}
    labels = partition_labels(
        Partition.of([0, 0, 1, 1, 2]), texts, nodes=nodes, ordered=False, kind="category"
    )
    assert labels == ("{a, b}", "{c, d}", "Other")


def test_a_value_that_looks_like_a_set() -> None:
    texts = ["a", "b", "{a, b}"]
    labels = partition_labels(Partition.of([0, 0, 1]), texts, ordered=False, kind="category")
    assert labels == ("{a, b} (2)", "{a, b}")


texts_of_domains = st.lists(
    st.one_of(
        st.integers(-20, 99).map(str),
        st.sampled_from(["a", "a, b", "{a, b}", "1-3", "[1, 2]", "*", "(missing)"]),
    ),
    min_size=1,
    max_size=9,
    unique=True,
)


@given(
    texts_of_domains,
    st.lists(st.integers(0, 3), min_size=10, max_size=10),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["number", "category", "ordinal", "date"]),
)
def test_labels_of_a_partition_differ(
    values: list[str], blocks: list[int], missing: bool, ordered: bool, kind: str
) -> None:
    texts: list[str | None] = [*values, None] if missing else [*values]
    partition = Partition.of(blocks[: len(texts)])
    nodes = {(0, 1): "a", (1, 2): "a", (2, 3): "1-3"}
    labels = partition_labels(partition, texts, nodes=nodes, ordered=ordered, kind=kind)
    assert len(labels) == len(set(labels)) == partition.count
    for number, found in enumerate(labels):
        members = np.flatnonzero(partition.block == number)
        if len(members) == 1:
            assert found == texts[members[0]]
        else:
            assert found is not None


def reaching(
    blocks: list[int], texts: list[str | None], kind: str = "number", **more: object
) -> tuple[str | None, ...]:
    return partition_labels(Partition.of(blocks), texts, ordered=True, kind=kind, reach=True, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("blocks", "texts", "kind", "expected"),
    [
        ([0, 0, 1, 1], ["17", "20", "30", "31"], "number", ("17-29", "30-31")),
        ([0, 1, 1, 2, 3], ["17", "20", "30", "31", None], "number", ("17-19", "20-30", "31", None)),
        ([0, 1, 1, 2], ["1", "2.5", "3", "4"], "number", ("[1, 2.5)", "[2.5, 4)", "4")),
        ([0, 1, 1], ["160-164", "170-174", "175-179"], "number", ("160-169", "170-179")),
        ([0, 1, 1], ["[1.0, 1.5)", "[1.5, 2.0)", "[2.5, 3.0)"], "number", ("[1.0, 1.5)", "[1.5, 3.0)")),
        (
            [0, 0, 1],
            ["2024-01-01", "2024-01-09", "2024-02-01"],
            "date",
            ("[2024-01-01, 2024-01-31]", "2024-02-01"),
        ),
        (
            [0, 1, 1],
            ["2024-01-01 10:00:00", "2024-01-09", "2024-02-01"],
            "date",
            ("[2024-01-01 10:00:00, 2024-01-09)", "[2024-01-09, 2024-02-01]"),
        ),
        ([0, 0, 1], ["low", "mid", "high"], "ordinal", ("{low, mid}", "high")),
    ],
)
def test_blocks_that_reach_up_to_the_next(
    blocks: list[int], texts: list[str | None], kind: str, expected: tuple[str | None, ...]
) -> None:
    assert reaching(blocks, texts, kind) == expected


def test_a_node_gives_way_where_it_says_less_than_the_block_takes() -> None:
    nodes = {(0, 1): "early", (2, 3): "late"}
    assert reaching([0, 0, 1, 1], ["10", "11", "12", "13"], nodes=nodes) == ("early", "late")
    assert reaching([0, 0, 1, 1], ["10", "11", "15", "16"], nodes=nodes) == ("10-14", "late")
