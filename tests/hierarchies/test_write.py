from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError, OutputError
from sfumato.hierarchies import Hierarchy, problems, to_arx, write_arx
from sfumato.hierarchies.builders import build_leaves
from sfumato.hierarchies.files import parse_leaves, read_leaves
from tests.hierarchies.shapes import make, shown
from tests.hierarchies.test_build import leaf_rows

if TYPE_CHECKING:
    from pathlib import Path


def assert_same_levels(text: str, hierarchy: Hierarchy) -> None:
    """Read a text back and compare all but missing, which has no line."""
    leaves = parse_leaves(text, "a", source="a.csv")
    assert problems(leaves, []) == []
    copy = build_leaves(leaves, has_missing=hierarchy.has_missing)
    assert copy.levels.tolist() == hierarchy.levels.tolist()
    for level in range(hierarchy.height + 1):
        assert shown(copy, level) == shown(hierarchy, level)


def test_one_line_per_leaf_and_none_for_missing() -> None:
    ages = make([18, 21], {"intervals": [5]}, has_missing=True)
    assert to_arx(ages) == "18;15-19;*\n19;15-19;*\n20;20-24;*\n21;20-24;*\n"


def test_cells_are_quoted_where_they_need_it() -> None:
    texts = make(["a;b", 'say "c"', "two\nlines", " blank", "ä", "\ufeffmark"])
    assert to_arx(texts).split(";*\n") == [
        '" blank"', '"a;b"', '"say ""c"""', '"two\nlines"', "ä", '"\ufeffmark"', "",
    ]  # fmt: skip


@given(st.lists(st.text(min_size=1), min_size=1), st.booleans())
def test_any_texts_come_back(values: list[str], has_missing: bool) -> None:
    hierarchy = make(list(values), has_missing=has_missing)
    assert_same_levels(to_arx(hierarchy), hierarchy)


@given(leaf_rows(), st.booleans())
def test_any_leaves_come_back(rows: list[tuple[str, ...]], has_missing: bool) -> None:
    text = "".join(";".join(row) + "\n" for row in rows)
    hierarchy = build_leaves(parse_leaves(text, "a", source="a.csv"), has_missing=has_missing)
    assert_same_levels(to_arx(hierarchy), hierarchy)


@pytest.mark.parametrize(
    "hierarchy",
    [
        make([1.5, 20], {"intervals": [0.5, 5], "bottom": 3, "top": 10}),
        make([1, 20], {"intervals": [10]}, granularity=5),
        make(["24126", "24127", "2413012"], {"mask": 5}, has_missing=True),
        make([dt.date(1987, 3, 14)], {"dates": ["month", "year"]}),
        make([], {"tree": {"A": {"B": ["x", "y"]}, "C": ["z"]}}),
    ],
)
def test_every_kind_comes_back(hierarchy: Hierarchy, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_arx(hierarchy, path)
    assert_same_levels(path.read_text(encoding="utf-8"), hierarchy)
    assert [len(row) for row in read_leaves(path, "a").rows] == [hierarchy.height + 1] * (
        hierarchy.size - hierarchy.has_missing
    )


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old", encoding="utf-8")
    write_arx(make(["x"]), str(path))
    assert path.read_bytes() == b"x;*\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "none" / "a.csv"
    with pytest.raises(OutputError) as caught:
        write_arx(make(["x"]), path)
    assert str(caught.value) == f"{path}: The hierarchy cannot be written: No such file or directory."


def test_the_empty_text_has_no_place_in_a_file() -> None:
    with pytest.raises(HierarchyError) as caught:
        to_arx(make(["", "x"]))
    assert str(caught.value) == "a: The empty text is a value, and no hierarchy file can hold it."
