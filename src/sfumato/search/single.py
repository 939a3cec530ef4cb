"""One table as it is: all measures without a search, and the warm-up of every kernel."""

from __future__ import annotations

import numpy as np

from sfumato.classes import Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.front import non_dominated
from sfumato.measures import Setting, make_measure, measure_names
from sfumato.search.problem import Problem

RELATIVE_TO_ORIGINAL = (
    *("loss", "glm", "gl", "sl", "hdm", "precision", "ql", "usefulness", "suppressed"),
    "protection",
)
"""Measures that compare with the table before it was recoded."""


def measure_cube(cube: Cube) -> dict[str, float]:
    """Return all measures of a table as it is."""
    ladders = tuple(Ladder(np.arange(size, dtype=np.int32)[None], 0, 0) for size in cube.sizes)
    setting = Setting(cube.quasi_identifiers, cube.sensitive, np.ones(len(cube.sizes)), cube.ordered)
    names = [name for name in measure_names(setting) if name not in RELATIVE_TO_ORIGINAL]
    measures = tuple(make_measure(name, setting) for name in names)
    problem = Problem(cube, Lattice(ladders), measures, (), Suppression(Rule.NONE, 0))
    batch = problem.batch(threads=1)
    node = np.zeros(len(ladders), dtype=np.int64)
    statistics = batch.evaluate(node[None])
    uniques = (batch.base_rows == 1).sum()
    counts = {"rows": cube.row_count, "classes": statistics.classes[0], "uniques": uniques}
    found = {name: float(count) for name, count in counts.items()}
    return found | {item.name: float(item.value(statistics)[0]) for item in measures}


def warm_up_kernels() -> None:
    """Call every kernel once on a tiny table, so that later calls find it compiled."""
    levels = np.array([[0, 1], [0, 0]], dtype=np.int32)
    codes = np.array([[0], [1]], dtype=np.int32)
    cube = Cube.sorted(("a",), (2,), codes, rows=np.ones(2, dtype=np.int64))
    lattice = Lattice((Ladder.whole(levels),))
    setting = Setting(("a",), (), np.ones(1))
    problem = Problem(cube, lattice, (make_measure("k", setting),), (), Suppression(Rule.NONE, 0))
    statistics = problem.batch(threads=1).evaluate(lattice.nodes(0, 2))
    problem.recodings(threads=1).compile()
    non_dominated(problem.costs(statistics))
