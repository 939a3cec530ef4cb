"""NSGA-II over any schemes: the chapter's run, and against the same run with a plain evaluation."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sfumato.preparing import make_problem
from sfumato.search import Run
from sfumato.search.problem import round_costs
from sfumato.search.pymoo_adapter import EvolutionParameters, compile_pymoo, search_pymoo
from sfumato.search.pymoo_adapter.genome import Genome
from sfumato.search.pymoo_adapter.scoring import Evaluations
from studies.nsga2 import paper
from studies.nsga2.census import prepare

if TYPE_CHECKING:
    from sfumato.preparing import Prepared
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
"""So many evaluations are made the plain way, 20 × 5: all of them would take an hour or more."""


@cache
def census() -> Prepared:
    """Adult with nine attributes, five of them free and four constrained by a tree: 6 · 10²² recodings."""
    return prepare(paper.TOLERANT)


@cache
def census_problem() -> Problem:
    """k and GL + SL with 10 % suppression."""
    return make_problem(census(), (paper.TOLERANT.maximize,), paper.TOLERANT.minimize)


class PlainTable:
    """All rows as a pandas frame of values; a recoding maps every column, then groups by all of them."""

    def __init__(self) -> None:
        cube, values = census().cube, census().plain
        codes = np.repeat(cube.codes, cube.rows, axis=0)
        named = zip(cube.quasi_identifiers, values, codes.T, strict=True)
        self.frame = pd.DataFrame({name: [known[code] for code in column] for name, known, column in named})
        self.values = values
        self.budget = census_problem().suppression.budget

    def measure(self, blocks: list[np.ndarray]) -> tuple[float, float]:
        """Return k and GL + SL of one recoding."""
        recoded, costs = self.recode(blocks)
        sizes = recoded.groupby(list(recoded.columns), sort=False)[recoded.columns[0]].transform("size")
        k = self._smallest_kept(sizes.to_numpy())
        kept = (sizes >= k).to_numpy()
        loss = (~kept).sum() * recoded.shape[1] + costs[kept].to_numpy().sum()
        return float(k), float(loss)

    def recode(self, blocks: list[np.ndarray]) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the recoded table, and what each cell costs."""
        recoded, costs = {}, {}
        for name, known, block in zip(self.frame.columns, self.values, blocks, strict=True):
            members = np.bincount(block)
            label = {value: f"group {number}" for value, number in zip(known, block, strict=True)}
            cost = {
                value: (members[number] - 1) / (len(block) - 1)
                for value, number in zip(known, block, strict=True)
            }
            recoded[name], costs[name] = self.frame[name].map(label), self.frame[name].map(cost)
        return pd.DataFrame(recoded), pd.DataFrame(costs)

    def _smallest_kept(self, sizes: np.ndarray) -> int:
        """Suppress whole sizes, smallest first, while the budget lasts; the largest stays."""
        distinct, rows = np.unique(sizes, return_counts=True)
        gone = np.cumsum(rows) <= self.budget
        gone[-1] = False
        return int(distinct[~gone][0])


class CodedTable(PlainTable):
    """The same, but values were replaced by numbers once and for all, which spares all texts."""

    def __init__(self) -> None:
        super().__init__()
        cube = census().cube
        codes = np.repeat(cube.codes, cube.rows, axis=0)
        self.frame = pd.DataFrame(dict(zip(cube.quasi_identifiers, codes.T, strict=True)))

    def recode(self, blocks: list[np.ndarray]) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the recoded table, and what each cell costs."""
        recoded, costs = {}, {}
        for name, block in zip(self.frame.columns, blocks, strict=True):
            column = block[self.frame[name].to_numpy()]
            recoded[name] = column
            costs[name] = (np.bincount(block)[column] - 1) / (len(block) - 1)
        return pd.DataFrame(recoded), pd.DataFrame(costs)


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


def plain_seconds(table: PlainTable) -> float:
    """Return the time of the chapter's run with a plain evaluation, scaled from a short run.

    It is the same algorithm of pymoo with the same operators; only the evaluation is another one. Its
    front must be the same as that of the fast one.
    """
    from sfumato.search.pymoo_adapter import evolving as module

    problem = census_problem()
    batch = problem.batch()
    fast = search_pymoo(problem, Run(seed=1, batch=batch, parameters=SAMPLE))
    _PlainEvaluations.table, _PlainEvaluations.calls = table, 0
    module.Evaluations, kept = _PlainEvaluations, module.Evaluations
    try:
        begin = time.perf_counter()
        slow = search_pymoo(problem, Run(seed=1, batch=batch, parameters=SAMPLE))
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
        result = search_pymoo(self.problem, Run(seed=1, batch=self.batch, parameters=CHAPTER))
        assert result.evaluated == EVALUATIONS
        return time.perf_counter() - begin

    def time_search(self) -> None:
        self.search()

    def track_plain_over_fast(self) -> float:
        """How many times as long it takes with pandas on values; at least 50 is wanted."""
        fast = self.search()
        return plain_seconds(PlainTable()) / fast

    def track_coded_over_fast(self) -> float:
        """How many times as long it takes with pandas on numbers."""
        fast = self.search()
        return plain_seconds(CodedTable()) / fast

    def track_solutions(self) -> int:
        return len(search_pymoo(self.problem, Run(seed=1, batch=self.batch, parameters=CHAPTER)).nodes)


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


__all__ = ["Census", "CodedTable", "PlainTable", "Recodings", "census_problem", "plain_seconds"]
