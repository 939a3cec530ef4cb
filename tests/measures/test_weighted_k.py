"""Weighted-k and the suppression tolerance: equations 1.5 and 1.6 on tables worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.classes import Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.measures import Setting, make_measure
from sfumato.search import Problem, choose_rule

NAMES = ("k", "mean_k", "gl", "sl", "glm", "loss")
SIZES = [1, 1, 2, 3, 3, 5]


def measured(sizes: list[int], suppression: Suppression) -> dict[str, float]:
    """Measure a table of two columns, whose classes have these sizes."""
    codes = np.repeat(np.arange(len(sizes), dtype=np.int32)[:, None], 2, axis=1)
    cube = Cube.sorted(("a", "b"), (len(sizes),) * 2, codes, rows=np.array(sizes, dtype=np.int64))
    setting = Setting(("a", "b"), (), np.ones(2))
    # The first column is left as it is, the second one has a single block.
    levels = np.stack([np.arange(len(sizes)), np.zeros(len(sizes))]).astype(np.int32)
    lattice = Lattice((Ladder.whole(levels),) * 2)
    measures = tuple(make_measure(name, setting) for name in NAMES)
    problem = Problem(cube, lattice, measures, (), suppression)
    statistics = problem.batch(threads=1).evaluate(np.array([[0, 1]], dtype=np.int64))
    return {item.name: float(item.value(statistics)[0]) for item in measures}


def test_weighted_k() -> None:
    """|E_1| = 2, |E_2| = 2, |E_3| = 6, |E_5| = 5: (1·2 + 2·2 + 3·6 + 5·5) / 15."""
    found = measured(SIZES, Suppression(Rule.NONE, 0))
    assert (found["k"], found["mean_k"]) == (1, 49 / 15)
    assert (found["gl"], found["sl"]) == (15, 0)


@pytest.mark.parametrize(
    ("tolerance", "d", "gone"),
    [
        (0.0, 0, 0),
        (0.1, 0, 0),  # 1.5 rows: the two classes of one row go together or not at all
        (0.14, 1, 2),  # 2.1 rows
        (0.2, 1, 2),
        (0.26, 1, 2),  # 3.9 rows: less than the four of E_1 and E_2
        (0.27, 2, 4),
        (0.66, 2, 4),  # 9.9 rows
        (0.67, 4, 10),  # 10.05 rows: E_3 too; nobody is in E_4
        (0.99, 4, 10),
        (1.0, 4, 10),  # the largest size stays
    ],
)
def test_suppression_tolerance(tolerance: float, d: int, gone: int) -> None:
    """Σ_{i ≤ d} |E_i| ≤ η·n < Σ_{i ≤ d+1} |E_i|, and k = d + 1."""
    found = measured(SIZES, choose_rule("smallest", tolerance, 15, (), ()))
    assert found["k"] == d + 1
    assert (found["gl"], found["sl"]) == (15 - gone, 2 * gone)
    assert found["sl"] <= tolerance * 15 * 2 + 1e-9
    assert found["glm"] == found["gl"] + found["sl"]
    assert found["loss"] == pytest.approx(found["glm"] / 30)


def test_below_weighted_k() -> None:
    """Classes below 49/15 go: all but the one of five rows. Weighted-k is that before suppression."""
    found = measured(SIZES, choose_rule("below-mean", 0.0, 15, (), ()))
    assert (found["k"], found["mean_k"]) == (5, 49 / 15)
    assert (found["gl"], found["sl"]) == (5, 20)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(0, 100))
def test_tolerance_equals_the_equation(sizes: list[int], percent: int) -> None:
    """Equation 1.6 for any sizes, up to the largest size, which stays."""
    rows = sum(sizes)
    of_size = [sum(size for size in sizes if size == i) for i in range(max(sizes) + 1)]
    d = 0
    while d + 1 < max(sizes) and 100 * sum(of_size[: d + 2]) <= percent * rows:
        d += 1
    found = measured(sizes, choose_rule("smallest", percent / 100, rows, (), ()))
    # k is d + 1 where such a class exists, else the next size.
    assert found["k"] == next(size for size in range(d + 1, max(sizes) + 1) if of_size[size])
    assert found["sl"] == 2 * sum(of_size[: d + 1])
