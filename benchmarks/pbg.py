"""Property based generalizations: the exact front against the paper's budget, and beyond enumeration."""

from __future__ import annotations

import time

import numpy as np

from sfumato.classes import Rule, Suppression
from sfumato.datasets import adult_spec_path
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.front import hypervolume, scaled_fronts
from sfumato.measures import Setting, make_measure
from sfumato.preparing import load, make_problem
from sfumato.search import Problem, Run, search_exhaustive, search_pbg_ea
from sfumato.spec import Spec

BUDGET = 2_500
"""Evaluations of the paper's evolutionary search: 25 nodes × 100 iterations."""


def census_problem() -> Problem:
    """k, ℓ and GLM over the 17,920 nodes of the embedded table."""
    spec = Spec.load(adult_spec_path())
    return make_problem(load(None, spec), ("k", "distinct_l(occupation)"), ("glm",))


def slow_evaluation(
    rows: np.ndarray, secret: np.ndarray, problem: Problem, node: np.ndarray
) -> tuple[int, int]:
    """Evaluate one node the slow way: one group-by over all rows; return k and distinct ℓ."""
    levels = [ladder.levels[level] for ladder, level in zip(problem.lattice.ladders, node, strict=True)]
    recoded = np.column_stack([level[column] for level, column in zip(levels, rows.T, strict=True)])
    _, number, sizes = np.unique(recoded, axis=0, return_inverse=True, return_counts=True)
    order = np.sort(np.unique(sizes))
    gone, smallest = 0, int(order[-1])
    for size in order:
        gone += int(sizes[sizes == size].sum())
        if gone > problem.suppression.budget:
            smallest = int(size)
            break
    pairs = np.unique(np.column_stack([number.ravel(), secret]), axis=0)
    distinct = np.bincount(pairs[:, 0])[sizes >= smallest]
    return smallest, int(distinct.min())


def slow_budget_seconds(sample: int = 40) -> float:
    """Return the time of the paper's budget done the slow way, scaled from a sample of nodes."""
    problem = census_problem()
    cube = problem.cube
    rows = np.repeat(cube.codes, cube.rows, axis=0)
    secret = np.repeat(cube.sensitive_codes[:, 0], cube.rows)
    nodes = problem.lattice.nodes(0, problem.lattice.size)
    picked = nodes[np.random.default_rng(0).choice(len(nodes), sample, replace=False)]
    begin = time.perf_counter()
    found = [slow_evaluation(rows, secret, problem, node) for node in picked]
    seconds = (time.perf_counter() - begin) * BUDGET / sample
    statistics = problem.batch().evaluate(picked)
    expected = list(zip(*(item.value(statistics).tolist() for item in problem.objectives[:2]), strict=True))
    assert found == expected, "the slow way must give the same numbers"
    return seconds


class ExactFront:
    """The exact front of k, ℓ and GLM over 17,920 nodes."""

    def setup(self) -> None:
        self.problem = census_problem()
        self.batch = self.problem.batch()
        self.batch.compile()

    def time_front(self) -> None:
        search_exhaustive(self.problem, Run(batch=self.batch))

    def track_slow_budget_over_exact_front(self) -> float:
        begin = time.perf_counter()
        search_exhaustive(self.problem, Run(batch=self.batch))
        return slow_budget_seconds() / (time.perf_counter() - begin)


def huge_problem() -> Problem:
    """Eleven quasi-identifiers with seven levels each: 1.98 · 10⁹ nodes over 5,000 rows."""
    random = np.random.default_rng(17)
    q, m = 11, 64
    levels = np.stack([np.arange(m) >> shift for shift in range(7)]).astype(np.int32)
    kinds = random.integers(0, m, (60, q))[random.integers(0, 60, 5000)]
    codes = np.clip(kinds + random.integers(-4, 5, kinds.shape), 0, m - 1).astype(np.int32)
    names = tuple(f"q{a}" for a in range(q))
    cube = Cube.sorted(names, (m,) * q, codes, rows=np.ones(len(codes), dtype=np.int64))
    setting = Setting(names, (), np.ones(q))
    objectives = (make_measure("k", setting), make_measure("loss", setting))
    return Problem(cube, Lattice((Ladder.whole(levels),) * q), objectives, (), Suppression(Rule.SMALLEST, 50))


class BeyondEnumeration:
    """PBG-EA on a lattice of two billion nodes, and how much better it is than chance."""

    timeout = 300

    def setup(self) -> None:
        self.problem = huge_problem()
        self.batch = self.problem.batch()
        self.batch.compile()

    def time_search(self) -> None:
        search_pbg_ea(self.problem, Run(seed=1, batch=self.batch))

    def track_hypervolume_over_random(self) -> float:
        """Hypervolume of PBG-EA over that of a uniform sample of ten times as many nodes."""
        result = search_pbg_ea(self.problem, Run(seed=1, batch=self.batch))
        top = self.problem.lattice.top + 1
        nodes = np.random.default_rng(1).integers(0, top, (10 * result.evaluated, len(top)))
        found = [self.problem.costs(self.batch.evaluate(chosen)) for chosen in (result.nodes, nodes)]
        ours, chance = (hypervolume(costs) for costs in scaled_fronts(found, (True, False)))
        return ours / chance


__all__ = ["BeyondEnumeration", "ExactFront", "census_problem", "huge_problem", "slow_budget_seconds"]
