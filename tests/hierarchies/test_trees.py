from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError
from sfumato.hierarchies.builders import build_leaves
from sfumato.hierarchies.hierarchy_files import read_tree
from tests.hierarchies.shapes import check, make, shown

if TYPE_CHECKING:
    from sfumato.domains import Tree

WORK_CLASS: dict[str, object] = {
    "Government": ["State-gov", "Local-gov", "Federal-gov"],
    "Private": ["Private"],
    "Self-employed": ["Inc", "Not inc"],
    "Unemployed": ["Without pay", "Never worked"],
}


def cuts(tree: Tree, node: int) -> int:
    children = tree.children(node).tolist()
    return 1 + math.prod(cuts(tree, child) for child in children) if children else 1


def test_work_class() -> None:
    work = make(["Inc"], {"tree": WORK_CLASS}, has_missing=True)
    assert work.values[:4] == ("State-gov", "Local-gov", "Federal-gov", "Private")
    assert work.labels[1] == ("Government", "Private", "Self-employed", "Unemployed", None)
    assert work.labels[2] == ("*",)
    assert work.definition["leaves"]["Inc"] == ["Self-employed", "*"]  # type: ignore[index]


def test_work_class_has_17_cuts_and_missing_adds_none() -> None:
    for has_missing in (False, True):
        tree = make([], {"tree": WORK_CLASS}, has_missing=has_missing).tree(collapse=False)
        assert cuts(tree, tree.root) == 17
        tree = make([], {"tree": WORK_CLASS}, has_missing=has_missing).tree()
        assert cuts(tree, tree.root) == 9


def test_leaves_of_different_depth_show_themselves_until_they_have_an_ancestor() -> None:
    tree = {"Europe": {"North": ["Oslo", "Bergen"], "South": ["Rome"]}, "Asia": ["Seoul"]}
    made = make(["Rome"], {"tree": tree})
    assert shown(made, 0) == ["Oslo", "Bergen", "Rome", "Seoul"]
    assert shown(made, 1) == ["North", "North", "South", "Seoul"]
    assert shown(made, 2) == ["Europe", "Europe", "Europe", "Asia"]
    assert shown(made, 3) == ["*"] * 4
    assert made.definition["depths"] == {"Seoul": 2}
    assert made.tree(collapse=False).depths[:4].tolist() == [3, 3, 3, 2]


def test_a_list_is_a_tree_of_two_levels_and_may_hold_tables() -> None:
    assert make(["x"], {"tree": ["x", "y"]}).labels == (("x", "y"), ("*",))
    mixed = make(["x"], {"tree": ["x", {"G": ["y", "z"]}]})
    assert mixed.labels == (("x", "y", "z"), ("x", "G"), ("*",))


def test_values_match_by_text() -> None:
    made = make([39.0, 40], {"tree": {"old": [39, 40]}})
    assert made.values == ("39", "40")


def test_single_values_are_single_leaves() -> None:
    made = make([], {"tree": {"Private": "Private", "Other": ["x", 1.0]}})
    assert made.definition["leaves"] == {
        "Private": ["Private", "*"],
        "x": ["Other", "*"],
        "1": ["Other", "*"],
    }


@given(st.recursive(st.none(), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=12))
def test_any_tree_agrees_with_its_paths(shape: object) -> None:
    """Name the nodes of a random tree after their places, and follow each leaf up."""

    def named(node: object, place: str) -> object:
        if node is None:
            return place
        return {f"{place}.{number}": named(child, f"{place}.{number}") for number, child in enumerate(node)}

    tree = named([shape], "n")
    leaves, depths = read_tree(tree, "a")
    made = build_leaves(leaves, has_missing=False, depths=depths)
    check(made)
    # A value stands below a node of its own name: a path of d points has d nodes and the leaf.
    depth = {str(leaf): str(leaf).count(".") + 1 for leaf in made.values}
    height = max(depth.values())
    assert made.height == height
    for level in range(1, height):
        for leaf, label in zip(made.values, shown(made, level), strict=True):
            above = height - level  # the depth of the node that is shown
            expected = leaf if above >= depth[str(leaf)] else ".".join(str(leaf).split(".")[: above + 1])
            assert label == expected


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (
            {"A": [{"B": ["x"]}, {"B": ["y"]}]},
            "the node 'A' has 2 groups with the name 'B'. Merge them.",
        ),
        (
            {"A": {"Other": ["x"]}, "B": {"Other": ["y"]}},
            "the node 'B' > 'Other' has the same name as 'A' > 'Other': in a release they could not be told "
            "apart. Rename one of them.",
        ),
        (
            {"A": {"A": ["x"], "B": {"A": ["y"]}}},
            "the node 'A' > 'B' > 'A' has the same name as 'A' > 'A': in a release they could not be told "
            "apart. Rename one of them.",
        ),
        (
            {"A": ["x"], "B": ["A"]},
            "the node 'A' has the name of a leaf that is not below it but under 'B'. Rename the node.",
        ),
        (
            ["A", {"A": ["x"]}],
            "the node 'A' has the name of a leaf that is not below it but under the root. Rename the node.",
        ),
        (
            {"A": ["x", ""]},
            "the node 'A' holds an empty text. Missing values need no leaf: they are placed directly under "
            "the root.",
        ),
        (
            {"": ["x"]},
            "the root holds an empty text. Missing values need no leaf: they are placed directly under the "
            "root.",
        ),
        ({"*": ["x"], "A": ["y"]}, "the node '*' has the label of the root. Rename it."),
    ],
)
def test_trees_that_are_none(tree: object, message: str) -> None:
    with pytest.raises(HierarchyError) as caught:
        read_tree(tree, "work")
    assert str(caught.value) == f"work: {message}"
    assert caught.value.values == ()


def test_nodes_of_one_name_may_lie_below_each_other() -> None:
    made = make(["A"], {"tree": {"A": {"A": ["A", "B"]}}})
    assert made.labels == (("A", "B"), ("A",), ("A",), ("*",))
