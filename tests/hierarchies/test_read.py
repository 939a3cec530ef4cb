from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sfumato.errors import HierarchyError
from sfumato.hierarchies.builders import build_leaves
from sfumato.hierarchies.hierarchy_files import parse_leaves, problems, read_leaves
from tests.hierarchies.oracle import numbered, pre_order, read_rows
from tests.hierarchies.shapes import check, make, shown

if TYPE_CHECKING:
    from pathlib import Path

HEIGHTS = {
    "sex": 1,
    "age": 4,
    "race": 1,
    "marital-status": 2,
    "education": 3,
    "native-country": 2,
    "workclass": 2,
    "occupation": 2,
    "salary-class": 1,
}


def rows(text: str) -> list[list[str]]:
    return [list(row) for row in parse_leaves(text, "a", source="a.csv").rows]


@pytest.mark.parametrize("attribute", HEIGHTS)
def test_the_hierarchies_of_adult(data_folder: Path, attribute: str) -> None:
    path = data_folder / "hierarchies_adult" / f"adult_hierarchy_{attribute}.csv"
    leaves = read_leaves(path, attribute)
    assert problems(leaves, []) == []
    made = build_leaves(leaves, has_missing=False)
    check(made)
    assert made.height == HEIGHTS[attribute]
    ordered = pre_order(read_rows(path))
    assert list(made.values) == [row[0] for row in ordered]
    for level in range(made.height + 1):
        column = [row[level] for row in ordered]
        assert shown(made, level) == column
        assert made.levels[level].tolist() == numbered(column)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Male;*\nFemale;*\n", [["Male", "*"], ["Female", "*"]]),
        ("Male;*\r\nFemale;*", [["Male", "*"], ["Female", "*"]]),
        ("Male;*\rFemale;*", [["Male", "*"], ["Female", "*"]]),
        ("a;b;*\nc;*", [["a", "b", "*"], ["c", "*"]]),
        ("a,b;*\nc;*", [["a,b", "*"], ["c", "*"]]),  # one semicolon, and commas are text
        ("a,*\nb,*", [["a", "*"], ["b", "*"]]),
        ("a\t*\nb,c\t*", [["a", "*"], ["b,c", "*"]]),
        ('"a;b",*\nc,*', [["a;b", "*"], ["c", "*"]]),  # the semicolon is quoted
        ('"say ""a""";*', [['say "a"', "*"]]),
        ('"two\nlines";*\nb;*', [["two\nlines", "*"], ["b", "*"]]),
        ("a;*\n\n\n  \n", [["a", "*"]]),
        ("\n\na;*\n", [["a", "*"]]),
        (" a ;*", [[" a ", "*"]]),
        ("", []),
        ("\n\n", []),
    ],
)
def test_what_the_format_allows(text: str, expected: list[list[str]]) -> None:
    assert rows(text) == expected


def test_quotes_do_not_change_what_is_read() -> None:
    plain = "a;x;*\nb;y;*\nc;x;*\n"
    fast, slow = (parse_leaves(text, "a", source="a.csv") for text in (plain, plain.replace("y", '"y"')))
    assert [list(row) for row in fast.rows[1:]] == [list(row) for row in slow.rows[1:]]
    assert fast.columns == slow.columns
    assert [first.tolist() for first in fast.first] == [[0, 1, 0], [0, 0, 0]]


def test_lines_are_counted_through_quoted_fields_and_blank_lines() -> None:
    leaves = parse_leaves('\n"two\nlines";*\n\nb;*', "a", source="a.csv")
    assert leaves.rows == [["two\nlines", "*"], ["b", "*"]]
    assert list(leaves.lines) == [2, 5]
    assert leaves.where(1) == "a.csv:5"


def test_byte_order_mark_and_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("\ufeffKöln;*\nSão Paulo;*\n".encode())
    assert [row[0] for row in read_leaves(path, "city").rows] == ["Köln", "São Paulo"]


def test_a_file_hierarchy_by_its_specification(tmp_path: Path) -> None:
    (tmp_path / "sex.csv").write_text("Male;m;*\nFemale;f;*\n", encoding="utf-8")
    made = make(["Female"], {"file": str(tmp_path / "sex.csv")}, has_missing=True)
    assert made.labels == (("Male", "Female", None), ("m", "f", None), ("*",))
    assert made.definition == {"leaves": {"Male": ["m", "*"], "Female": ["f", "*"]}}


def test_the_root_keeps_the_text_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "sex.csv").write_text("Male;anyone\nFemale;anyone\n", encoding="utf-8")
    made = make([], {"file": str(tmp_path / "sex.csv")}, has_missing=True)
    assert made.labels[-1] == ("anyone",)


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"Bonn;*\nK\xf6ln;*\n")
    with pytest.raises(HierarchyError) as caught:
        read_leaves(path, "city")
    assert str(caught.value) == "a.csv:2: the file is not UTF-8. Save it in that encoding."


def test_an_open_quote_is_refused(tmp_path: Path) -> None:
    for text in ('a;*\n"b;*\n', 'a;*\n"b"c;*\n', 'a;*\n"' + "b" * 200_000):
        with pytest.raises(HierarchyError) as caught:
            parse_leaves(text, "city", source="a.csv")
        assert str(caught.value) == (
            "a.csv:2: a quoted field is not closed, or text follows its closing quote. "
            "Write a quote inside as two."
        )


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError) as caught:
        read_leaves(tmp_path / "none.csv", "city", name="none.csv")
    assert str(caught.value) == "city (none.csv): the hierarchy cannot be read: No such file or directory."
