"""The knee is balanced, whatever the objectives are called and wherever better is."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings

from sfumato.errors import InfeasibleError
from sfumato.front import Objective, PlainFront, PlainSolution, find_knee
from tests.front.drawn_fronts import front_of, fronts
from tests.front.test_flat_regions import scaled


def worst_and_sum(front: PlainFront) -> list[tuple[float, float]]:
    columns = [[1 - share for share in scaled(front, item.name)] for item in front.objectives]
    # Where all are equal, nobody is worse.
    columns = [column if len(set(column)) > 1 else [0.0] * len(column) for column in columns]
    return [(max(row), sum(row)) for row in zip(*columns, strict=True)]


@settings(deadline=None)
@given(fronts(least=1))
def test_the_knee_is_the_least_bad_in_its_worst_objective(front: PlainFront) -> None:
    assume(len(front))
    ranks = worst_and_sum(front)
    assert ranks[find_knee(front)] == pytest.approx(min(ranks))


@settings(deadline=None)
@given(fronts(least=3, objectives=(2, 2)))
def test_two_objectives_have_their_knee_between_the_ends(front: PlainFront) -> None:
    assume(len(front) > 2)
    values = [item.value("k") for item in front]
    assert min(values) < values[find_knee(front)] < max(values)


@settings(deadline=None)
@given(fronts(least=1, objectives=(2, 3)))
def test_directions_and_names_do_not_matter(front: PlainFront) -> None:
    """The negative of a measure to maximize, minimized, is the same objective; so is its tenfold."""
    assume(len(front))
    turned = PlainFront(
        tuple(
            PlainSolution(
                item.number,
                {name: -10 * value if name == "k" else value for name, value in item.measures.items()},
                0,
                {},
            )
            for item in front
        ),
        (Objective("k", not front.objectives[0].maximize), *front.objectives[1:]),
    )
    knees = find_knee(front), find_knee(turned)
    ranks = worst_and_sum(front)
    assert ranks[knees[0]] == pytest.approx(ranks[knees[1]])


def test_a_bend_is_found_in_every_direction() -> None:
    bend = [(0.0, 1.0), (0.05, 0.1), (0.5, 0.05), (1.0, 0.0)]
    assert find_knee(front_of(bend, (False, False))) == 1
    assert find_knee(front_of([(1 - x, y) for x, y in bend], (True, False))) == 1
    assert find_knee(front_of([(1 - x, 1 - y) for x, y in bend], (True, True))) == 1
    assert find_knee(front_of([(x, x, y, 7) for x, y in bend], (False, False, False, True))) == 1


def test_no_number_is_no_knee() -> None:
    rows = [(0.1, math.nan), (0.5, 0.5), (math.inf, 0.1), (0.2, 0.9), (1.0, 0.0)]
    assert find_knee(front_of(rows, (False, False))) == 1
    assert find_knee(front_of([(math.nan, math.nan)] * 2, (False, False))) == 0


def test_an_empty_front_has_no_knee() -> None:
    with pytest.raises(InfeasibleError, match="empty"):
        find_knee(front_of([], (True, False)))
