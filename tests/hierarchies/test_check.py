from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sfumato.errors import HierarchyError
from sfumato.hierarchies.hierarchy_files import LeafRows, parse_leaves, problems
from tests.hierarchies.shapes import make

if TYPE_CHECKING:
    from pathlib import Path


def found(text: str, *values: str) -> list[str]:
    return [str(problem) for problem in problems(parse_leaves(text, "age", source="age.csv"), values)]


def test_a_sound_file_has_no_problems() -> None:
    assert found("a;x;*\nb;x;*\nc;y;*\n", "a", "c") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "age.csv: the hierarchy has no rows."),
        ("\n\n", "age.csv: the hierarchy has no rows."),
        (
            "a\nb\n",
            "age.csv:1: the hierarchy has a single column. It needs the values and at least one level above "
            "them, separated by a semicolon, a comma or a tab.",
        ),
        (
            "a;x;*\nb;*\n",
            "age.csv:2: line 2 has 2 columns, line 1 has 3. Every line needs one entry for each level.",
        ),
        (
            "\na;*\n\nb;y;*\nc;x;*\n",
            "age.csv:2: line 2 has 2 columns, line 4 has 3. Every line needs one entry for each level.",
        ),
        (
            "a;x;*\nb\nc;x;*\nd;*\n",
            "age.csv:2: line 2 has 1 column, line 1 has 3 (1 more line likewise). "
            "Every line needs one entry for each level.",
        ),
        (
            "a;x;*\nb;;*\n",
            "age.csv:2: line 2 is empty in column 2. "
            "Missing values need no line: they are placed directly under the root.",
        ),
        (
            ";x;*\nb;x;*\nc;x;\n",
            "age.csv:1: line 1 is empty in column 1 (1 more line likewise). "
            "Missing values need no line: they are placed directly under the root.",
        ),
        ("a;x;*\nb;x;*\na;x;*\n", "age.csv:3: line 3 repeats line 1. Each value needs exactly one line."),
        (
            "a;x;*\nb;x;*\na;y;*\nb;x;*\n",
            "age.csv:3: line 3 repeats the value of line 1 with other labels (1 more line likewise). "
            "Each value needs exactly one line.",
        ),
        (
            "a;x;p;*\nb;y;q;*\nc;x;q;*\nd;y;p;*\n",
            "age.csv:3: level 1 does not nest in level 2: lines 1 and 3 have one label at level 1 and two at "
            "level 2 (1 more label likewise).",
        ),
        (
            "a;x;*\nb;x;*\nc;y;all\nd;z;any\n",
            "age.csv:3: the last column has 3 different texts. It must have one, the root (such as *).",
        ),
    ],
)
def test_each_mistake_by_itself(text: str, message: str) -> None:
    assert found(text) == [message]


def test_values_that_the_hierarchy_lacks() -> None:
    leaves = parse_leaves("a;*\n", "age", source="age.csv")
    (problem,) = problems(leaves, ["a", *"bcdefg"])
    assert str(problem) == (
        "age: 6 of 7 distinct values of the data are missing from the hierarchy. Add them, or list them as "
        "missing."
    )
    assert problem.values == tuple("bcdef")
    assert "'b'" not in str(problem)
    assert problem.text(show_values=True).endswith("First: 'b', 'c', 'd', 'e', 'f'")


def test_a_doubled_value_is_named_apart_from_the_message() -> None:
    (problem,) = problems(parse_leaves("a;*\na;*\n", "age", source="age.csv"), [])
    assert problem.values == ("a",)


def test_all_mistakes_are_found_at_once() -> None:
    text = "a;x;p;*\nb;x;q;*\nc;;p;*\nd;x\na;x;p;*\ne;y;p;all\n"
    listed = problems(parse_leaves(text, "age", source="age.csv"), ["a", "z"])
    assert [(problem.where, " ".join(problem.message.split()[:4])) for problem in listed] == [
        ("age.csv:4", "line 4 has 2"),
        ("age.csv:3", "line 3 is empty"),
        ("age.csv:5", "line 5 repeats line"),
        ("age.csv:2", "level 1 does not"),
        ("age.csv:6", "level 2 does not"),
        ("age.csv:6", "the last column has"),
        ("age", "1 of 2 distinct"),
    ]


def test_rows_without_a_file_are_placed_by_their_attribute() -> None:
    (problem,) = problems(LeafRows("age", [("a", "*"), ("a", "*")]), [])
    assert str(problem) == "age: line 2 repeats line 1. Each value needs exactly one line."


def test_build_raises_the_first_problem_and_tells_all(tmp_path: Path) -> None:
    path = tmp_path / "age.csv"
    path.write_text("a;x;*\na;x;*\nb;y;all\n", encoding="utf-8")
    with pytest.raises(HierarchyError) as caught:
        make(["a", "z"], {"file": str(path)})
    assert caught.value.message == "line 2 repeats line 1. Each value needs exactly one line."
    assert caught.value.where == f"{path}:2"
    listed = caught.value.problems  # type: ignore[attr-defined]
    assert [problem.where for problem in listed] == [f"{path}:2", f"{path}:3", "a"]


def test_a_tree_that_lacks_values() -> None:
    with pytest.raises(HierarchyError) as caught:
        make(["x", "z", "y"], {"tree": {"A": ["x"]}})
    assert str(caught.value) == (
        "a: 2 of 3 distinct values of the data are missing from the hierarchy. Add them, or list them as "
        "missing."
    )
    assert caught.value.values == ("y", "z")
