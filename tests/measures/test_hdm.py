"""hdm: the paper's numbers, its addition property, and its accuracy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.classes import Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.measures import Setting, make_measure
from sfumato.search import Problem, Requirement
from tests.oracles.measures import column_penalties

# Values, pairs of them, fours, everything.
LEVELS = np.stack([np.arange(8) // width for width in (1, 2, 4, 8)]).astype(np.int32)
WORK = ["inc"] * 50 + ["not-inc"] * 200 + ["private"] * 750
JOINED = {"inc": "self-employed", "not-inc": "self-employed", "private": "private"}


def problem_of(
    counts: list[int], levels: np.ndarray, *, k: int = 1, budget: int = 0, weights: tuple[float, ...] = (1.0,)
) -> Problem:
    """Make the problem of a table whose columns are all alike, with so many rows of each value."""
    q = len(weights)
    codes = np.repeat(np.arange(len(counts), dtype=np.int32)[:, None], q, axis=1)
    names = tuple(f"q{number}" for number in range(q))
    cube = Cube.sorted(names, (len(counts),) * q, codes, rows=np.array(counts, dtype=np.int64))
    setting = Setting(names, (), np.array(weights))
    require = (Requirement(make_measure("k", setting), float(k)),)
    lattice = Lattice((Ladder.whole(levels),) * q)
    return Problem(cube, lattice, (make_measure("hdm", setting),), require, Suppression(Rule.FAILING, budget))


def values_of(problem: Problem, *nodes: tuple[int, ...]) -> list[float]:
    statistics = problem.batch(threads=1).evaluate(np.array(nodes, dtype=np.int64))
    return [float(value) for value in problem.objectives[0].value(statistics)]


def test_the_numbers_of_the_paper() -> None:
    """Of 1,000 rows, 50 and 200 become one block: 4/19 for each of the first, 1/16 for the others."""
    penalties = dict(zip(WORK, column_penalties(WORK, JOINED), strict=True))
    assert penalties == {"inc": Fraction(4, 19), "not-inc": Fraction(1, 16), "private": 0}
    levels = np.array([[0, 1, 2], [0, 0, 1], [0, 0, 0]], dtype=np.int32)
    found = values_of(problem_of([50, 200, 750], levels), (0,), (1,), (2,))
    assert found == pytest.approx([0, float(50 * Fraction(4, 19) + 200 * Fraction(1, 16)), 1000], rel=1e-14)


@given(
    st.lists(st.integers(0, 50), min_size=8, max_size=8).filter(lambda counts: sum(c > 0 for c in counts) > 1)
)
def test_two_steps_cost_what_one_does(counts: list[int]) -> None:
    """The addition property: from block e to e' a row loses (N_e' − N_e) / (N − N_v) more."""
    whole = sum(counts)
    found = values_of(problem_of(counts, LEVELS), *((level,) for level in range(4)))
    for level in range(3):
        step = Fraction(0)
        for value, count in enumerate(counts):
            low, high = (
                sum(c for v, c in enumerate(counts) if row[v] == row[value])
                for row in LEVELS[level : level + 2]
            )
            step += count * Fraction(high - low, whole - count)
        assert found[level + 1] - found[level] == pytest.approx(float(step), rel=1e-12, abs=1e-11)
    assert found[0] == 0
    assert found[3] == pytest.approx(whole, rel=1e-14)


def test_a_column_with_one_value_costs_nothing_but_by_suppression() -> None:
    """One value has all rows: 0/0 counts 0; a suppressed row costs 1 all the same."""
    levels = np.array([[0, 1], [0, 0]], dtype=np.int32)
    assert values_of(problem_of([7, 0], levels), (0,), (1,)) == [0, 0]
    codes = np.array([[0, 0], [0, 1]], dtype=np.int32)
    cube = Cube.sorted(("a", "b"), (1, 2), codes, rows=np.array([5, 1], dtype=np.int64))
    setting = Setting(("a", "b"), (), np.array([1.0, 3.0]))
    require = (Requirement(make_measure("k", setting), 2.0),)
    lattice = Lattice((Ladder.whole(levels[1:, :1]), Ladder.whole(levels)))
    measure = make_measure("hdm", setting)
    problem = Problem(cube, lattice, (measure,), require, Suppression(Rule.FAILING, 1))
    assert values_of(problem, (0, 0), (0, 1)) == [1, pytest.approx(6 * 3 / 4)]


def test_frequent_values_do_not_drown_rare_ones() -> None:
    """Exact to the last digits for a table of which one value has nearly all of ten million rows."""
    counts = [9_999_990, 1, 2, 3, 1, 1, 1, 1]
    whole = sum(counts)
    found = values_of(problem_of(counts, LEVELS, k=5, budget=10), *((level,) for level in range(4)))
    for level, value in zip(LEVELS, found, strict=True):
        expected = Fraction(0)
        for v, count in enumerate(counts):
            block = sum(c for u, c in enumerate(counts) if level[u] == level[v])
            penalty = Fraction(block - count, whole - count)
            expected += count * (penalty if block >= 5 else 1)
        assert value == pytest.approx(float(expected), rel=1e-14)


def test_weights_are_shares() -> None:
    """Doubling all weights changes nothing; the bound is the number of rows."""
    counts = [3, 1, 4, 1, 5, 9, 2, 6]
    one = values_of(problem_of(counts, LEVELS, weights=(1.0, 3.0)), (1, 2), (3, 3))
    two = values_of(problem_of(counts, LEVELS, weights=(2.0, 6.0)), (1, 2), (3, 3))
    assert one == pytest.approx(two, rel=1e-14)
    assert (
        one[1]
        == pytest.approx(sum(counts))
        == make_measure("hdm", Setting(("a",), (), np.ones(1))).largest(sum(counts), 2)
    )
