"""Evaluates recodings, each once, and keeps the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Batch
from sfumato.search.ledger import Archive

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray
    from sfumato.classes import Recodings, Statistics
    from sfumato.classes.workers import Tick
    from sfumato.search.problem import Problem
    from sfumato.search.pymoo_adapter.genome import Genome


LEAST_VIOLATION = 1e-9
"""What an infeasible recoding violates at least, however little that is."""


class StoppedError(Exception):
    """The search was told to stop in the midst of an evaluation."""


class Evaluations:
    """Everything evaluated so far."""

    def __init__(self, problem: Problem, genome: Genome, batch: Batch) -> None:
        self.problem, self.genome = problem, genome
        self._evaluator: Batch | Recodings = batch
        if problem.schemes is not None:
            self._evaluator = problem.recodings(batch.threads)
            self._evaluator.compile()
        self._begin = self._evaluator.evaluated
        self.archive = Archive(genome.ends[:0], len(problem.objectives), genome.text_keys)
        self.number_of: dict[bytes, int] = {}
        self._costs: list[FloatArray] = []
        self._violations: list[FloatArray] = []

    @property
    def evaluated(self) -> int:
        """Recodings evaluated so far, running workers included."""
        return self._evaluator.evaluated - self._begin

    def stop(self) -> None:
        """Ask running evaluations to end."""
        self._evaluator.stop()

    def evaluate(self, X: IntArray, tick: Tick) -> tuple[FloatArray, FloatArray]:
        """Return costs, smaller is better, and by how much each requirement is missed, 0 where it is met.

        What was evaluated before is looked up.
        """
        keys = self.genome.keys(X)
        places = {key: place for place, key in enumerate(keys) if key not in self.number_of}
        fresh = np.sort(np.fromiter(places.values(), dtype=np.int64, count=len(places)))
        if len(fresh):
            done = self._add(X[fresh], tick)
            for key in (keys[place] for place in fresh[done].tolist()):
                self.number_of[key] = len(self.number_of)
            if len(done) < len(fresh):
                raise StoppedError
        numbers = [self.number_of[key] for key in keys]
        return np.array([self._costs[i] for i in numbers]), np.array([self._violations[i] for i in numbers])

    def _add(self, X: IntArray, tick: Tick) -> list[int]:
        """Evaluate recodings, keep the best, and return the places of those that were done."""
        if isinstance(self._evaluator, Batch):
            statistics = self._evaluator.evaluate(X.astype(np.int64), tick)
            # Where a batch is stopped it tells nodes, not places.
            place_of = {key: place for place, key in enumerate(self.genome.keys(X))}
            done = [place_of[key] for key in self.genome.keys(statistics.nodes.astype(np.int32))]
        else:
            blocks, levels = self.genome.blocks(X), self.genome.levels(X)
            statistics = self._evaluator.evaluate(blocks, levels=levels, tick=tick)
            done = statistics.nodes[:, 0].tolist() if len(statistics) else []
        costs = self.problem.costs(statistics)
        fits = np.flatnonzero(self.problem.feasible(statistics))
        self.archive.add(X[done][fits], costs[fits], statistics.suppressed[fits])
        self._costs.extend(costs)
        self._violations.extend(violations(self.problem, statistics))
        return done


def violations(problem: Problem, statistics: Statistics) -> FloatArray:
    """Return by how much recodings miss the requirements, one column for each kind.

    The first is about all that judge classes: the share of rows that would have to be suppressed beyond
    the budget. The others are about measures of the whole table: the distance from the limit, as a share
    of it. A requirement that is met counts 0.
    """
    beyond = (statistics.failing - problem.suppression.budget) / max(1, problem.cube.row_count)
    columns = [np.where(statistics.feasible, 0.0, np.maximum(beyond, LEAST_VIOLATION))]
    for item in problem.of_table:
        value = item.measure.value(statistics)
        distance = np.abs(value - item.limit) / max(abs(item.limit), LEAST_VIOLATION)
        met = np.asarray(item.measure.satisfies(value, item.limit))
        columns.append(np.where(met, 0.0, np.nan_to_num(np.maximum(distance, LEAST_VIOLATION), nan=1.0)))
    return np.column_stack(columns)


def constraint_count(problem: Problem) -> int:
    """Return how many columns of violations can be above 0."""
    return 1 + len(problem.of_table) if problem.requirements else 0
