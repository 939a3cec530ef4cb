"""Evaluates recodings, each once, and keeps the best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.classes import Batch
from sfumato.monitor import Recall, StoppedError
from sfumato.search.ledger import Archive
from sfumato.search.problem import violations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from sfumato._typing import FloatArray, IntArray
    from sfumato.classes import Recodings
    from sfumato.classes.workers import Tick
    from sfumato.search.problem import Problem
    from sfumato.search.pymoo_adapter.genome import Genome


class Evaluations:
    """Everything evaluated so far."""

    def __init__(self, problem: Problem, genome: Genome, batch: Batch, recall: Recall) -> None:
        self.problem, self.genome, self.recall = problem, genome, recall
        self._recalled = 0  # recodings that a checkpoint knew
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
        return self._evaluator.evaluated - self._begin + self._recalled

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
        held = self.recall.find(X)
        if held is not None:
            self._recalled += len(X)
            self._take(held)
            return list(range(len(X)))
        if isinstance(self._evaluator, Batch):
            statistics = self._evaluator.evaluate(X.astype(np.int64), tick)
            # Where a batch is stopped it tells nodes, not places.
            place_of = {key: place for place, key in enumerate(self.genome.keys(X))}
            done = [place_of[key] for key in self.genome.keys(statistics.nodes.astype(np.int32))]
        else:
            blocks, levels = self.genome.blocks(X), self.genome.levels(X)
            statistics = self._evaluator.evaluate(blocks, levels=levels, tick=tick)
            done = statistics.nodes[:, 0].tolist() if len(statistics) else []
        made: dict[str, NDArray[Any]] = {
            "rows": X[done],
            "costs": self.problem.costs(statistics),
            "violated": violations(self.problem, statistics),
            "suppressed": statistics.suppressed,
            "fits": self.problem.feasible(statistics),
        }
        self._take(made)
        self.recall.add(**made)
        return done

    def _take(self, made: Mapping[str, NDArray[Any]]) -> None:
        self._costs.extend(made["costs"])
        self._violations.extend(made["violated"])
        self._offer(made)

    def _offer(self, made: Mapping[str, NDArray[Any]]) -> None:
        fits = np.flatnonzero(made["fits"])
        self.archive.add(made["rows"][fits], made["costs"][fits], made["suppressed"][fits])

    def close(self) -> None:
        """Take in what a checkpoint knows, however far this run came, and write a new one."""
        if self.recall.held:
            self._offer(self.recall.held)
        self.recall.save()


def constraint_count(problem: Problem) -> int:
    """Return how many columns of violations can be above 0."""
    return 1 + len(problem.of_table) if problem.requirements else 0
