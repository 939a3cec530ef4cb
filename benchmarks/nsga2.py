"""NSGA-II over any schemes: the chapter's run, and against the same run with a plain evaluation."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sfumato.search.problem import round_costs
from sfumato.search.pymoo_adapter import EvolutionParameters, compile_pymoo, search_pymoo
from sfumato.search.pymoo_adapter.evaluation import Evaluations
from sfumato.search.pymoo_adapter.genome import Genome
from studies.nsga2 import paper
from studies.nsga2.census import make_case

if TYPE_CHECKING:
    from sfumato.search import Problem

CHAPTER = EvolutionParameters(
    paper.POPULATION,
    paper.ITERATIONS,
    paper.CROSSOVER,
    paper.MUTATION,
    constrained_mutation=0.0,
    seeding=False,
)
EVALUATIONS = paper.POPULATION * (paper.ITERATIONS + 1)
SAMPLE = EvolutionParameters(20, 4, seeding=False, constrained_mutation=0.0)
"""So many evaluations are made the plain way, 20 × 5: all of them would take an hour."""


@cache
def census_problem() -> Problem:
    """k and GL + SL with 10 % suppression over nine attributes: 6 · 10²² recodings."""
    return make_case(paper.TOLERANT).problem


class PlainTable:
    """All rows as a pandas frame; evaluates a recoding by one group-by."""

    def __init__(self, problem: Problem) -> None:
        cube = problem.cube
        codes = np.repeat(cube.codes, cube.rows, axis=0)
        self.frame = pd.DataFrame(dict(zip(cube.quasi_identifiers, codes.T, strict=True)))
        self.budget = problem.suppression.budget

    def measure(self, blocks: list[np.ndarray]) -> tuple[float, float]:
        """Return k and GL + SL of one recoding."""
        names = list(self.frame.columns)
        recoded = pd.DataFrame(
            {name: block[self.frame[name].to_numpy()] for name, block in zip(names, blocks, strict=True)}
        )
        sizes = recoded.groupby(names, sort=False)[names[0]].transform("size").to_numpy()
        k = self._smallest_kept(sizes)
        kept = sizes >= k
        loss = float((~kept).sum() * len(names))
        for name, block in zip(names, blocks, strict=True):
            values = np.bincount(block)
            loss += float((values[recoded[name].to_numpy()[kept]] - 1).sum() / (len(block) - 1))
        return float(k), loss

    def _smallest_kept(self, sizes: np.ndarray) -> int:
        """Suppress whole sizes, smallest first, while the budget lasts; the largest stays."""
        distinct, rows = np.unique(sizes, return_counts=True)
        gone = np.cumsum(rows) <= self.budget
        gone[-1] = False
        return int(distinct[~gone][0])


class _PlainEvaluations(Evaluations):
    """Evaluates recodings one after the other by group-by; no number is kept."""

    table: PlainTable
    calls = 0

    def evaluate(self, rows, tick):
        blocks = self.genome.blocks(rows)
        found = [self.table.measure([block[row] for block in blocks]) for row in range(len(rows))]
        type(self).calls += len(rows)
        costs = round_costs(np.array([[-k, loss] for k, loss in found]).reshape(-1, 2))
        self.archive.add(rows, costs, np.zeros(len(rows), dtype=np.int64))
        for key in self.genome.keys(rows):
            self.number_of.setdefault(key, len(self.number_of))
        return costs, np.zeros((len(rows), 1))


def plain_seconds() -> float:
    """Return the time of the chapter's run with the plain evaluation, scaled from a short run.

    It is the same algorithm of pymoo with the same operators; only the evaluation is another one. Its
    fronts must be the same as those of the fast one.
    """
    from sfumato.search.pymoo_adapter import search as module

    problem = census_problem()
    batch = problem.batch()
    fast = search_pymoo(problem, batch, seed=1, parameters=SAMPLE)
    _PlainEvaluations.table, _PlainEvaluations.calls = PlainTable(problem), 0
    module.Evaluations, kept = _PlainEvaluations, module.Evaluations
    try:
        begin = time.perf_counter()
        slow = search_pymoo(problem, batch, seed=1, parameters=SAMPLE)
        seconds = time.perf_counter() - begin
    finally:
        module.Evaluations = kept
    costs = [problem.costs(problem.batch(1, item.lattice).evaluate(item.nodes)) for item in (fast, slow)]
    assert np.array_equal(*costs), "the plain way must give the same front"
    return seconds * EVALUATIONS / _PlainEvaluations.calls


class Census:
    """200 × 250 over nine attributes of Adult."""

    timeout = 600

    def setup(self) -> None:
        self.problem = census_problem()
        self.batch = self.problem.batch()
        self.batch.compile()
        compile_pymoo(self.problem)

    def search(self) -> float:
        begin = time.perf_counter()
        result = search_pymoo(self.problem, self.batch, seed=1, parameters=CHAPTER)
        assert result.evaluated == EVALUATIONS
        return time.perf_counter() - begin

    def time_search(self) -> None:
        self.search()

    def track_plain_over_fast(self) -> float:
        """How many times as long the plain evaluation would take; at least 50 is wanted."""
        fast = self.search()
        return plain_seconds() / fast

    def track_solutions(self) -> int:
        return len(search_pymoo(self.problem, self.batch, seed=1, parameters=CHAPTER).nodes)


class Recodings:
    """A thousand random recodings, evaluated and not searched."""

    def setup(self) -> None:
        self.problem = census_problem()
        self.evaluator = self.problem.recodings()
        self.evaluator.compile()
        genome = Genome(self.problem)
        self.blocks = genome.blocks(genome.draw(1000, np.random.default_rng(1)))

    def time_evaluate(self) -> None:
        self.evaluator.evaluate(self.blocks)


__all__ = ["Census", "PlainTable", "Recodings", "census_problem", "plain_seconds"]
