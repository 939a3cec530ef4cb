"""ℓ-diversity in its forms, by hand and at the borders of their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.classes import Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.measures import Setting, make_measure
from sfumato.search import Problem, Requirement


def problem_of(*counts: tuple[int, ...], names: tuple[str, ...], **require: float) -> Problem:
    """Make the problem of a table with one class for each histogram."""
    histograms = np.array(counts)
    owner, value = np.nonzero(histograms)
    cube = Cube.sorted(
        ("q",),
        (len(counts),),
        owner[:, None].astype(np.int32),
        rows=histograms[owner, value].astype(np.int64),
        sensitive=("s",),
        sensitive_sizes=(histograms.shape[1],),
        sensitive_codes=value[:, None].astype(np.int32),
    )
    setting = Setting(("q",), ("s",), np.ones(1))
    lattice = Lattice((Ladder.whole(np.arange(len(counts), dtype=np.int32)[None]),))
    measures = tuple(make_measure(name, setting) for name in names)
    required = tuple(Requirement(measures[0], limit) for limit in require.values())
    return Problem(cube, lattice, measures, required, Suppression(Rule.NONE, 0))


def values_of(problem: Problem) -> list[float]:
    statistics = problem.batch(threads=1).evaluate(np.zeros((1, 1), dtype=np.int64))
    return [float(item.value(statistics)[0]) for item in problem.measures]


@pytest.mark.parametrize(
    ("counts", "entropy", "share"),
    [
        ((4, 4, 4), 3, 3),
        ((7,), 1, 1),
        ((3, 1), 4 / 27**0.25, 4 / 3),
        ((8, 2, 2, 2, 2), 4, 2),  # entropy ½·1 + 4·⅛·3 = 2 bits
        ((1, 0, 1, 0, 1, 1, 1), 5, 5),
    ],
)
def test_entropy_and_share(counts: tuple[int, ...], entropy: float, share: float) -> None:
    """Equal shares give their number exactly, so that it can be required."""
    found = values_of(problem_of(counts, names=("entropy_l(s)", "share_l(s)")))
    assert found == [pytest.approx(entropy, rel=1e-12), share]
    if entropy == int(entropy):
        assert found[0] == entropy


@pytest.mark.parametrize("values", [2, 3, 5, 6, 7, 10, 11, 13, 49, 64])
@pytest.mark.parametrize("rows", [1, 3, 10_007])
def test_equal_shares_meet_their_number(values: int, rows: int) -> None:
    """exp(ln n − Σ c·ln c / n) is rarely whole in floating point; the requirement holds all the same."""
    problem = problem_of((rows,) * values, names=("entropy_l(s)",), limit=float(values))
    statistics = problem.batch(threads=1).evaluate(np.zeros((1, 1), dtype=np.int64))
    assert problem.feasible(statistics).tolist() == [True]
    tighter = problem_of((rows,) * values, names=("entropy_l(s)",), limit=values + 1e-9)
    statistics = tighter.batch(threads=1).evaluate(np.zeros((1, 1), dtype=np.int64))
    assert tighter.feasible(statistics).tolist() == [False]


@pytest.mark.parametrize(
    ("counts", "factor", "expected"),
    [
        ((5, 3, 2, 1), "3", 3),  # 5 < 3·(2 + 1), and 5 < 3·1 fails
        ((5, 3, 2, 1), "5", 3),  # strict: 5 < 5·1 fails
        ((5, 3, 2, 1), "5.001", 4),
        ((5, 3, 2, 1), "1", 2),  # 5 < 6
        ((5, 3, 2, 1), "0.5", 1),  # 5 < 5.5
        ((5, 3, 2, 1), "0.45", 0),  # 5 < 4.95 fails
        ((7,), "3", 1),
        ((2, 2, 2), "1.5", 3),
        ((2, 0, 2, 2), "1", 2),  # 2 < 2 fails, 2 < 4
    ],
)
def test_recursive(counts: tuple[int, ...], factor: str, expected: int) -> None:
    """The largest ℓ with r₁ < c·(r_ℓ + … + r_m)."""
    assert values_of(problem_of(counts, names=(f"recursive_l(s, {factor})",))) == [expected]


def test_the_worst_class_counts() -> None:
    """Each class is judged by itself."""
    names = ("entropy_l(s)", "recursive_l(s, 3)", "share_l(s)")
    assert values_of(problem_of((1, 1, 1), (2, 2, 0), (9, 1, 0), names=names)) == [
        pytest.approx(10 / 9**0.9),
        1,
        10 / 9,
    ]


def test_forms_are_ordered() -> None:
    """share_l ≤ entropy_l ≤ distinct_l, in every class."""
    random = np.random.default_rng(1)
    for _ in range(50):
        counts = tuple(random.integers(0, 6, 5))
        if sum(counts):
            found = values_of(problem_of(counts, names=("share_l(s)", "entropy_l(s)", "distinct_l(s)")))
            assert found == sorted(found)
