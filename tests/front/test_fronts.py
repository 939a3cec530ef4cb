"""Dominance, picks, knees and files of fronts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import DataError, InfeasibleError, ParameterError
from sfumato.front import (
    Objective,
    PlainFront,
    PlainSolution,
    find_knee,
    front_csv,
    load_front,
    non_dominated,
    number_text,
    parse_pick,
    pick_solution,
    run_json,
)

if TYPE_CHECKING:
    from pathlib import Path


def dominates(first: list[float], second: list[float]) -> bool:
    """As good in everything and better in something."""
    return all(a <= b for a, b in zip(first, second, strict=True)) and first != second


@given(
    st.integers(1, 4).flatmap(
        lambda m: st.lists(st.lists(st.integers(0, 4), min_size=m, max_size=m), max_size=40)
    )
)
def test_non_dominated_equals_the_definition(rows: list[list[int]]) -> None:
    """Each distinct vector that nothing dominates, once, in lexicographic order."""
    costs = np.array(rows, dtype=np.float64).reshape(len(rows), len(rows[0]) if rows else 1)
    kept = non_dominated(costs)
    expected = sorted({tuple(row) for row in rows if not any(dominates(other, row) for other in rows)})
    assert [tuple(costs[number]) for number in kept] == expected


def test_ties_are_decided_by_the_keys_then_the_number() -> None:
    """Of equal rows the one with the smallest keys stays."""
    costs = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    assert non_dominated(costs, [np.array([2, 1, 1])]).tolist() == [1]
    assert non_dominated(costs).tolist() == [0]


def test_rows_without_a_value_are_left_out() -> None:
    """nan neither dominates nor stays."""
    assert non_dominated(np.array([[np.nan, 0.0], [1.0, 1.0]])).tolist() == [1]


@pytest.fixture
def front() -> PlainFront:
    """k against loss, with a measure that is only required."""
    rows = [(100, 0.9, 5.0), (20, 0.5, 4.0), (5, 0.3, 3.0), (2, 0.1, 2.0)]
    solutions = tuple(
        PlainSolution(
            number,
            {"k": float(k), "loss": loss, "distinct_l(a b)": extra},
            3 * number,
            {"a": number, "b,c": 0},
        )
        for number, (k, loss, extra) in enumerate(rows, start=1)
    )
    run = {"complete": True, "objectives": {"maximize": ["k"], "minimize": ["loss"]}, "space": "12"}
    return PlainFront(solutions, (Objective("k", True), Objective("loss", False)), run)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3),
        ("k >= 10", 2),
        ("k>=10 and loss<=.95", 2),
        ("k > 20", 1),
        ("k == 5", 3),
        ("distinct_l(a b) >= 4 and suppressed < 4", 1),
        ('distinct_l("a b") <= 3', 4),
        ("loss < 1", 4),
        ("knee", 2),
    ],
)
def test_picks(front: PlainFront, text: str, number: int) -> None:
    """A number, the knee, or comparisons; of those that fit the one with the least loss."""
    assert pick_solution(front, text).number == number


def test_a_pick_that_nothing_fits_names_the_nearest(front: PlainFront) -> None:
    """Status 1, and what comes closest."""
    with pytest.raises(InfeasibleError, match="the nearest is solution 1 with k = 100") as error:
        pick_solution(front, "k >= 101")
    assert error.value.status == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0", "no solution 0; the front has 1 to 4"),
        ("k", "from character 1"),
        ("k >= ten", "from character 1"),
        ("k >= 3 or loss < 1", "at character 8"),
        ("k >= 3 and", "from character 11"),
        ("kk >= 3", "no measure 'kk'. Did you mean 'k'"),
        ("", "from character 1"),
    ],
)
def test_a_pick_that_cannot_be_read(front: PlainFront, text: str, message: str) -> None:
    """The place, and how to write it."""
    with pytest.raises(ParameterError, match=message):
        pick_solution(front, text)


def test_an_empty_front_has_nothing_to_pick(front: PlainFront) -> None:
    """Also by number or knee."""
    with pytest.raises(InfeasibleError, match="empty"):
        pick_solution(PlainFront((), front.objectives), "knee")


def test_parse_keeps_signs_and_exponents() -> None:
    """Numbers as people write them."""
    assert [(c.name, c.sign, c.number) for c in parse_pick("a <= -1.5e-3 and b == +2.")] == [
        ("a", "<=", -0.0015),
        ("b", "==", 2.0),
    ]


def test_files_round_trip(front: PlainFront, tmp_path: Path) -> None:
    """What is written is read back."""
    (tmp_path / "front.csv").write_text(front_csv(front), encoding="utf-8")
    (tmp_path / "run.json").write_text(run_json(front), encoding="utf-8")
    loaded = load_front(tmp_path)
    assert loaded.objectives == front.objectives
    assert [item.recoding for item in loaded] == [item.recoding for item in front]
    assert [item.value("k") for item in loaded] == [item.value("k") for item in front]
    assert front_csv(loaded) == front_csv(front)
    assert front_csv(front).splitlines()[0] == "solution,k,loss,distinct_l(a b),suppressed,recoding"


def test_equality_is_about_values(front: PlainFront) -> None:
    """Another way to the same front is the same front."""
    other = PlainFront(front.solutions, front.objectives, {"complete": False})
    assert front.equals(other)
    assert not front.equals(PlainFront(front.solutions[:2], front.objectives))
    assert not front.equals(PlainFront(front.solutions, front.objectives[::-1]))


def test_a_folder_without_a_front_says_what_to_do(tmp_path: Path) -> None:
    """A missing and a damaged front."""
    with pytest.raises(DataError, match="Run 'sfumato explore' first"):
        load_front(tmp_path)
    (tmp_path / "run.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be read"):
        load_front(tmp_path)


def test_the_knee_of_one_solution_is_it(front: PlainFront) -> None:
    """No division by an empty range."""
    assert find_knee(PlainFront(front.solutions[:1], front.objectives)) == 0


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(value: float) -> None:
    """The shortest text of a number is the number."""
    assert float(number_text(value)) == value


def test_indicators_by_hand() -> None:
    """Two of three solutions of the reference, one near the third; scaled by k 2 to 10 and loss 0 to 1."""
    objectives = (Objective("k", maximize=True), Objective("loss", maximize=False))

    def front(*points: tuple[float, float]) -> PlainFront:
        made = (
            PlainSolution(n, {"k": k, "loss": loss}, 0, {}) for n, (k, loss) in enumerate(points, start=1)
        )
        return PlainFront(tuple(made), objectives, {})

    exact = front((10, 1.0), (6, 0.5), (2, 0.0))
    found = front((10, 1.0), (5, 0.5), (2, 0.0))
    told = found.indicators(exact)
    assert told["ce"] == pytest.approx(1 / 8)
    assert told["rr"] == pytest.approx(2 / 3)
    # steps of a staircase below (1.1, 1.1): widths in k times heights in loss
    assert told["hypervolume_reference"] == pytest.approx(0.5 * 0.1 + 0.5 * 0.6 + 0.1 * 1.1)
    assert told["hypervolume"] == pytest.approx(0.625 * 0.1 + 0.375 * 0.6 + 0.1 * 1.1)
    # boxes of 4 in k: 10 is in the third, 6 and 5 in the second, 2 in the first
    assert found.indicators(exact, boxes={"k": 4, "loss": 0.5})["rr"] == 1.0
    same = exact.indicators(exact)
    assert (same["ce"], same["rr"], same["hypervolume"]) == (0.0, 1.0, told["hypervolume_reference"])
    with pytest.raises(ParameterError, match="not an objective"):
        found.indicators(exact, boxes={"t": 1})
    with pytest.raises(ParameterError, match="different objectives"):
        found.indicators(PlainFront(exact.solutions, objectives[::-1], {}))
    with pytest.raises(ParameterError, match="without solutions"):
        front().indicators(exact)
