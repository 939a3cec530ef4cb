"""Evaluates recodings, each once, and keeps the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.front import non_dominated
from sfumato.measures import ClassMeasure

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.classes import Batch, Recodings, Statistics
    from sfumato.classes.workers import Tick
    from sfumato.search.problem import Problem
    from sfumato.search.pymoo_adapter.genome import Genome


class Archive:
    """The recodings that no other one added dominates, one for each vector of costs.

    Of equal vectors the one with fewest suppressed rows stays, then the one whose text comes first.
    """

    def __init__(self, genome: Genome, objectives: int) -> None:
        self._genome = genome
        self.X: IntArray = np.zeros((0, genome.width), dtype=np.int32)
        self.costs: FloatArray = np.zeros((0, objectives))
        self._suppressed: LongArray = np.zeros(0, dtype=np.int64)

    def add(self, X: IntArray, costs: FloatArray, suppressed: LongArray) -> None:
        """Unite with more recodings."""
        usable = np.flatnonzero(~np.isnan(costs).any(axis=1))
        usable = usable[~self._is_dominated(costs[usable])]
        X = np.concatenate([self.X, X[usable]])
        # Both zeros are one number, here and in the bytes.
        costs = np.concatenate([self.costs, costs[usable]]) + 0.0
        suppressed = np.concatenate([self._suppressed, suppressed[usable]])
        preferred = self._preferred(X, costs, suppressed)
        keep = preferred[non_dominated(costs[preferred])]
        self.X, self.costs, self._suppressed = X[keep], costs[keep], suppressed[keep]

    def _is_dominated(self, costs: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Tell which vectors one of the archive dominates; most do not get any further."""
        if not len(self.costs):
            return np.zeros(len(costs), dtype=np.bool_)
        no_worse = np.ones((len(self.costs), len(costs)), dtype=np.bool_)
        better = np.zeros_like(no_worse)
        for held, given in zip(self.costs.T, costs.T, strict=True):
            no_worse &= held[:, None] <= given
            better |= held[:, None] < given
        return np.asarray((no_worse & better).any(axis=0))

    def _preferred(self, X: IntArray, costs: FloatArray, suppressed: LongArray) -> LongArray:
        """Return the number of one recoding for each vector of costs."""
        chosen: dict[bytes, int] = {}
        for number, row in enumerate(costs):
            key = row.tobytes()
            rival = chosen.setdefault(key, number)
            if rival != number and self._is_better(X, suppressed, number, rival):
                chosen[key] = number
        return np.fromiter(chosen.values(), dtype=np.int64, count=len(chosen))

    def _is_better(self, X: IntArray, suppressed: LongArray, one: int, other: int) -> bool:
        if suppressed[one] != suppressed[other]:
            return bool(suppressed[one] < suppressed[other])
        return self._genome.reads_before(X[one], X[other])


LEAST_VIOLATION = 1e-9
"""What an infeasible recoding violates at least, however little that is."""


class StoppedError(Exception):
    """The search was told to stop in the midst of an evaluation."""


class Evaluations:
    """Everything evaluated so far."""

    def __init__(self, problem: Problem, genome: Genome, batch: Batch) -> None:
        self.problem, self.genome = problem, genome
        self._batch = batch
        self._recodings: Recodings | None = None
        if problem.schemes is not None:
            self._recodings = problem.recodings(batch.threads)
            self._recodings.compile()
        self._begin = self._counter
        self.archive = Archive(genome, len(problem.objectives))
        self.number_of: dict[bytes, int] = {}
        self._costs: list[FloatArray] = []
        self._violations: list[FloatArray] = []

    @property
    def _counter(self) -> int:
        return self._batch.evaluated if self._recodings is None else self._recodings.evaluated

    @property
    def evaluated(self) -> int:
        """Recodings evaluated so far, running workers included."""
        return self._counter - self._begin

    def stop(self) -> None:
        """Ask running evaluations to end."""
        (self._batch if self._recodings is None else self._recodings).stop()

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
        if self._recodings is None:
            statistics = self._batch.evaluate(X.astype(np.int64), tick)
            # Where a batch is stopped it tells nodes, not places.
            place_of = {key: place for place, key in enumerate(self.genome.keys(X))}
            done = [place_of[key] for key in self.genome.keys(statistics.nodes.astype(np.int32))]
        else:
            blocks, levels = self.genome.blocks(X), self.genome.levels(X)
            statistics = self._recodings.evaluate(blocks, levels=levels, tick=tick)
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
    for item in problem.requirements:
        if isinstance(item.measure, ClassMeasure):
            continue
        value = item.measure.value(statistics)
        distance = np.abs(value - item.limit) / max(abs(item.limit), LEAST_VIOLATION)
        met = np.asarray(item.measure.satisfies(value, item.limit))
        columns.append(np.where(met, 0.0, np.nan_to_num(np.maximum(distance, LEAST_VIOLATION), nan=1.0)))
    return np.column_stack(columns)


def constraint_count(problem: Problem) -> int:
    """Return how many columns of violations can be above 0."""
    tables = sum(not isinstance(item.measure, ClassMeasure) for item in problem.requirements)
    return 1 + tables if problem.requirements else 0
