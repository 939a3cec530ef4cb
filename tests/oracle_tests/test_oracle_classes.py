"""The classes of a recoding, counted by hand; and what the oracles may import."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.oracle_tests.hand_table import CITY, PERSONS, RECODING, ROWS, SEX
from tests.oracles.classes import class_size, group, recoding_at

ORACLES = sorted((Path(__file__).parent.parent / "oracles").glob("*.py"))


def test_rows_with_equal_labels_share_a_class() -> None:
    assert group(ROWS, RECODING) == {("ab", "f"): [0, 1, 2], ("cd", "m"): [3, 4], ("cd", "f"): [5]}


def test_everything_general_is_one_class() -> None:
    assert group(ROWS, recoding_at((CITY, SEX), (2, 1))) == {("*", "*"): [0, 1, 2, 3, 4, 5]}


def test_missing_is_a_class_of_its_own_below_the_root() -> None:
    blocks = [{"a": "a", "b": "b", None: None}]
    assert group([("a",), (None,), ("b",), (None,)], blocks) == {("a",): [0], (None,): [1, 3], ("b",): [2]}


def test_size_counts_persons_where_they_are_named() -> None:
    assert class_size([0, 1, 2]) == 3
    assert class_size([0, 1, 2], PERSONS) == 2  # x, x, y


def test_a_value_outside_the_domain_is_an_error() -> None:
    with pytest.raises(KeyError):
        group([("e", "f")], RECODING)


@pytest.mark.parametrize("path", ORACLES, ids=lambda path: path.stem)
def test_oracles_import_the_standard_library_and_each_other_only(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
        else:
            continue
        assert all(name.partition(".")[0] in sys.stdlib_module_names for name in names), names
