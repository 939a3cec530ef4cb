from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError
from sfumato.hierarchies import build
from sfumato.hierarchies.builders import build_leaves
from sfumato.hierarchies.hierarchy_files import LeafRows, problems
from tests.hierarchies.oracle import numbered, pre_order
from tests.hierarchies.shapes import attribute, check, make, shown

TREE: dict[str, object] = {"G": ["b", "a"], "H": ["c"]}


@st.composite
def leaf_rows(draw: st.DrawFn) -> list[tuple[str, ...]]:
    """Rows of a sound hierarchy in any order: labels name their parents."""
    heights = draw(st.integers(0, 3))
    paths = draw(
        st.lists(st.tuples(*[st.integers(0, 2)] * heights, st.integers(0, 20)), min_size=1, unique=True)
    )
    rows = []
    for path in paths:
        names = ["*"]
        for place in path:
            names.append(f"{names[-1]}{place}.")
        rows.append(tuple(reversed(names)))
    return rows


@given(leaf_rows(), st.booleans())
def test_leaves_come_in_pre_order(rows: list[tuple[str, ...]], has_missing: bool) -> None:
    leaves = LeafRows("a", rows)
    assert problems(leaves, []) == []
    made = build_leaves(leaves, has_missing=has_missing)
    check(made)
    ordered = pre_order(rows)
    for level in range(len(rows[0])):
        column = [row[level] for row in ordered]
        assert shown(made, level)[: len(rows)] == column
        assert made.levels[level].tolist()[: len(rows)] == numbered(column)


def test_an_order_of_the_leaves_may_turn_the_tree() -> None:
    made = make(["a"], {"tree": TREE}, kind="ordinal", order=["c", "a", "b"])
    assert made.values == ("c", "a", "b")
    assert made.labels[1] == ("H", "G")
    assert made.kind == "ordinal"


def test_an_order_may_not_tear_groups_apart() -> None:
    with pytest.raises(HierarchyError) as caught:
        make(["a"], {"tree": TREE}, kind="ordinal", order=["a", "c", "b"])
    assert str(caught.value) == (
        "a: the order splits groups of the hierarchy. The values of a group must follow each other."
    )


def test_an_order_names_exactly_the_leaves() -> None:
    with pytest.raises(HierarchyError) as caught:
        make(["a"], {"tree": TREE}, kind="ordinal", order=["a", "b", "d"])
    assert str(caught.value) == (
        "a: 1 of the 3 leaves of the hierarchy are missing from the order, which names 1 others."
    )
    assert caught.value.values == ("c",)


def test_an_ordinal_attribute_needs_an_order_or_leaves() -> None:
    with pytest.raises(HierarchyError) as caught:
        make(["a"], kind="ordinal")
    assert str(caught.value) == 'a: kind = "ordinal" needs an order, a tree or a file.'
    assert make(["a"], {"tree": TREE}, kind="ordinal").kind == "ordinal"


@pytest.mark.parametrize(
    ("hierarchy", "keys", "pair"),
    [
        ({"mask": 3}, {"granularity": 5}, "mask and granularity"),
        ({"dates": ["year"]}, {"granularity": 5}, "dates and granularity"),
        ({"mask": 1}, {"kind": "ordinal", "order": ["a"]}, "mask and order"),
    ],
)
def test_keys_that_exclude_each_other(
    hierarchy: dict[str, object], keys: dict[str, object], pair: str
) -> None:
    with pytest.raises(HierarchyError) as caught:
        make(["a"], hierarchy, **keys)
    assert str(caught.value) == f"a: {pair} cannot be combined. Remove one of them."


def test_a_column_without_values_is_refused() -> None:
    for hierarchy in (None, {"mask": 3}, {"intervals": [5]}, {"dates": ["year"]}):
        with pytest.raises(HierarchyError) as caught:
            make([], hierarchy)
        assert str(caught.value) == "a: the column has no values."


def test_leaves_are_a_domain_even_without_data() -> None:
    assert make([], {"tree": TREE}).values == ("b", "a", "c")


@pytest.mark.parametrize(
    ("values", "said", "kind"),
    [([1], None, "number"), (["1"], None, "category"), ([dt.date(2000, 1, 1)], None, "date")],
)
def test_kind_is_what_is_said_else_what_the_values_are(
    values: list[str | int | float | dt.date | None], said: str | None, kind: str
) -> None:
    assert build("a", attribute(), values, has_missing=False, kind=said, resolve=Path).kind == kind
    assert (
        build("a", attribute(), values, has_missing=False, kind="category", resolve=Path).kind == "category"
    )


def test_missing_among_the_values_is_passed_over() -> None:
    assert make([None, "x"]).values == ("x",)


@pytest.mark.slow
def test_a_million_integers() -> None:
    spec = attribute({"intervals": [5, 10, 20, 40]})
    made = build("a", spec, range(1_000_000), has_missing=True, kind="number", resolve=Path)
    assert (made.size, made.height) == (1_000_001, 5)
    assert made.labels[4][-2:] == ("999960-999999", None)
