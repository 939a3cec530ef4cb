"""usefulness and protection: places on a line, and how the two belong together."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from sfumato.classes import Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.hierarchies import value_places
from sfumato.hierarchies.builders import of_values
from sfumato.measures import Setting, make_measure
from sfumato.search import Problem, Requirement
from tests.examples import examples
from tests.oracles.lattice import Problem as Asked
from tests.package import problem_of
from tests.strategies import Case, cases

AGES = (20, 21, 22, 60)
LEVELS = np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]], dtype=np.int32)


def values_of(problem: Problem, *nodes: tuple[int, ...]) -> list[list[float]]:
    statistics = problem.batch(threads=1).evaluate(np.array(nodes, dtype=np.int64))
    return [item.value(statistics).tolist() for item in problem.objectives]


def ages_and_cities(require: tuple[Requirement, ...] = (), budget: int = 0) -> Problem:
    """Four ages beside four cities, one row each."""
    codes = np.array([[0, 0], [1, 1], [2, 2], [3, 3]], dtype=np.int32)
    cube = Cube.sorted(("age", "city"), (4, 4), codes, rows=np.ones(4, dtype=np.int64))
    places = value_places(of_values("age", AGES, "number", has_missing=False))
    cube = Cube(**{**vars(cube), "places": (places, None)})
    setting = Setting(("age", "city"), (), np.array([1.0, 3.0]))
    objectives = tuple(make_measure(name, setting) for name in ("usefulness", "protection"))
    lattice = Lattice((Ladder.whole(LEVELS),) * 2)
    return Problem(cube, lattice, objectives, require, Suppression(Rule.FAILING, budget))


def test_by_hand() -> None:
    """Ages {20, 21} lie 1/40 apart, {22, 60} 38/40; any two of four cities count 1/3."""
    found = values_of(ages_and_cities(), (0, 0), (1, 0), (1, 1), (2, 2))
    first, second = (
        [Fraction(1, 4) * Fraction(apart, 40) + Fraction(3, 4) * city for apart in (1, 38)]
        for city in (0, Fraction(1, 3))
    )
    assert found[0] == pytest.approx([1, 1 - float(sum(first)) / 2, 1 - float(sum(second)) / 2, 0])
    harmonic = [float(2 / (1 / one + 1 / other)) for one, other in (first, second)]
    assert found[1] == pytest.approx([0, *harmonic, 1])


def test_suppressed_rows_are_useless_and_do_not_protect() -> None:
    """A suppressed row counts as fully diverse for usefulness and not at all for protection."""
    k = make_measure("k", Setting(("age", "city"), (), np.ones(2)))
    problem = ages_and_cities((Requirement(k, 2.0),), budget=4)
    # At (1, 1) both classes have two rows; at (0, 2) all have one.
    useful, protected = values_of(problem, (1, 1), (0, 2))
    assert useful[1] == 0
    assert np.isnan(protected[1])
    assert useful[0] == pytest.approx(values_of(ages_and_cities(), (1, 1))[0][0])


@given(cases())
@examples(60)
def test_together_they_are_at_most_one(case: Case) -> None:
    """The harmonic mean of the diversities never exceeds their mean."""
    problem = problem_of(case, Asked(case.table, maximize=("usefulness", "protection"), rule="none"))
    useful, protected = values_of(problem, *problem.lattice.nodes(0, problem.lattice.size).tolist())
    assert (np.array(useful) + np.array(protected) <= 1 + 1e-12).all()


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([5, 7, 17], "number", [0, 2, 12]),
        ([0.1, 0.3, 1.0], "number", [0, 2, 9]),
        ([-1.25, 0.0, 2.5], "number", [0, 125, 375]),
        ([dt.date(2024, 2, 28), dt.date(2024, 3, 1)], "date", [0, 2]),
        ([dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 0, 1)], "date", [0, 60]),
        ([0, 2**40], "number", [0, 2**31]),
        ([0.0, 1 / 3, 1.0], "number", [0, round(2**31 / 3), 2**31]),
        ([4], "number", [0]),
    ],
)
def test_places(values: list[object], kind: str, expected: list[int]) -> None:
    """Whole steps where there are some; long or irregular lines are rounded."""
    places = value_places(of_values("a", values, kind, has_missing=True))  # type: ignore[arg-type]
    assert places is not None
    assert places.tolist() == [*expected, -1]


def test_categories_have_no_places() -> None:
    """They are counted."""
    assert value_places(of_values("a", ["x", "y"], "category", has_missing=False)) is None
