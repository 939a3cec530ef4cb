from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.front import Objective, PlainFront, PlainSolution
from sfumato.report.terminal import front_text
from tests.report.fronts import FOUR, TWO, make_front

LOGARITHMIC = """\
share of detail lost (loss): smaller is better
    │                                          •
0.8 ┤
0.6 ┤
    │
0.4 ┤                          ◆
0.2 ┤        ★         •
    │
  0 ┤•
    └┬──────┬────┬─────┬─────┬─────┬────┬──────┬
     2      5   10    20    50    100  200   500
smallest class (k): logarithmic
• 5 solutions   ◆ knee: solution 2
★ picked: solution 4   complete"""

ONE = """\
share of detail lost (loss)
    │
0.9 ┤                 •
    │
    │
    └─────────────────┬─────────────────
                     500
smallest class (k): larger is better
• 1 solution   complete"""

PLAIN = """\
largest distance of a class from all rows in illness (t)
    |o
0.8 +
0.6 +
0.4 +            o     K
0.2 +                        o
    |                                                      o
    ++-----------+-----------+-----------+-----------+------
     0          0.2         0.4         0.6         0.8
share of detail lost (loss): smaller is better
o 5 solutions   K knee: solution 3   not complete"""


def columns(line: str) -> int:
    """Count the columns of a line, East Asian wide letters twice."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


def front_of(points: list[tuple[float, float]], name: str = "loss") -> PlainFront:
    objectives = (Objective("k", maximize=True), Objective(name, maximize=False))
    solutions = tuple(
        PlainSolution(i, {"k": x, name: y}, 0, {"a": 1}) for i, (x, y) in enumerate(points, start=1)
    )
    return PlainFront(solutions, objectives, {})


def test_golden_logarithmic_axis_and_marks() -> None:
    assert front_text(make_front(TWO), 48, 14, picked=4) == LOGARITHMIC


def test_golden_one_solution() -> None:
    assert front_text(make_front(TWO, 1), 40, 9) == ONE


def test_golden_in_ascii_with_two_objectives_to_minimize() -> None:
    front = make_front(FOUR[2:], complete=False)
    assert front_text(front, 60, 11, unicode=False) == PLAIN


def test_first_to_maximize_is_drawn_against_first_to_minimize() -> None:
    lines = front_text(make_front(FOUR), 100, 20).splitlines()
    assert lines[0].startswith("share of detail lost (loss)")
    assert lines[-2].startswith("smallest class (k)")
    assert lines[-1].endswith("2 of 4 objectives drawn")


def test_picked_knee_has_one_mark() -> None:
    text = front_text(make_front(TWO), 80, 14, picked=2)
    assert "★ picked: solution 2, the knee" in text
    assert "◆" not in text


def test_equal_values_lie_in_the_middle() -> None:
    lines = front_text(front_of([(5.0, 0.5), (5.0, 0.5), (5.0, 0.5)]), 30, 10, unicode=False).splitlines()
    (drawn,) = [line for line in lines if line.startswith("0.5 +")]
    assert drawn == "0.5 +            K"


def test_empty_front_says_so() -> None:
    assert front_text(make_front(TWO, 0), 80, 20) == "No solution: no recoding meets the requirements"
    assert front_text(make_front(TWO, 0), 10, 20) == "No solutio"


def test_name_cannot_steer_the_terminal() -> None:
    text = front_text(front_of([(5.0, 0.5), (2.0, 0.1)], "t(a\x1b[2J\nb)"), 100, 12)
    assert "\x1b" not in text
    assert all(letter.isprintable() for letter in text.replace("\n", ""))


def test_ascii_means_ascii() -> None:
    assert front_text(front_of([(5.0, 0.5), (2.0, 0.1)], "t(Größe 年齢)"), 60, 12, unicode=False).isascii()


def test_unknown_pick_is_refused() -> None:
    with pytest.raises(ParameterError, match="picked"):
        front_text(make_front(TWO), 60, 12, picked=6)


finite = st.floats(min_value=-1e9, max_value=1e9).map(lambda value: round(value, 6))


@given(
    st.lists(st.tuples(finite, finite), min_size=1, max_size=12),
    st.integers(1, 90),
    st.integers(1, 30),
    st.booleans(),
    st.sampled_from(["loss", "t(年齢の分布)", "dm"]),
)
def test_text_never_exceeds_its_room(
    points: list[tuple[float, float]], width: int, height: int, unicode: bool, name: str
) -> None:
    text = front_text(front_of(points, name), width, height, picked=1, unicode=unicode)
    lines = text.split("\n")
    assert max(columns(line) for line in lines) <= width
    assert all(line == line.rstrip() for line in lines)
    assert len(lines) <= height or height < 12
    letter = "★" if unicode else "P"
    assert letter in text or width < 30
