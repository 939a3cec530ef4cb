"""The complete front of a lattice, by evaluating every node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.front import non_dominated
from sfumato.search.monitor import Monitor
from sfumato.search.result import SearchResult, Status
from sfumato.search.texts import text_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato._typing import FloatArray, LongArray
    from sfumato.classes import Batch
    from sfumato.search.problem import Problem

PIECE = 512
PIECES_AT_ONCE = 64


class Archive:
    """The non-dominated nodes of all that were added."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        q = len(problem.lattice.ladders)
        self.nodes: LongArray = np.zeros((0, q), dtype=np.int64)
        self._costs: FloatArray = np.zeros((0, len(problem.objectives)))
        self._suppressed: LongArray = np.zeros(0, dtype=np.int64)

    def add(self, nodes: LongArray, costs: FloatArray, suppressed: LongArray) -> None:
        """Unite with more nodes.

        Of equal cost vectors the one with fewest suppressed rows stays, then the one with the smallest text.
        """
        nodes = np.concatenate([self.nodes, nodes])
        costs = np.concatenate([self._costs, costs])
        suppressed = np.concatenate([self._suppressed, suppressed])
        keep = non_dominated(costs, [suppressed, *text_keys(self._problem.lattice, nodes)])
        self.nodes, self._costs, self._suppressed = nodes[keep], costs[keep], suppressed[keep]


def search_exhaustive(problem: Problem, batch: Batch, monitor: Monitor | None = None) -> SearchResult:
    """Evaluate every node of the lattice and keep the front.

    Parameters
    ----------
    problem
        Space, objectives and requirements.
    batch
        The evaluator of the problem.
    monitor
        Time limit and callback.

    Returns
    -------
    SearchResult
        The front, best first by the objectives in their order; ``complete``
        unless it was stopped.
    """
    watch = monitor or Monitor()
    archive = Archive(problem)
    size, begin = problem.lattice.size, batch.evaluated

    def tick() -> None:
        done = batch.evaluated - begin
        if watch.tick(done / size, done):
            batch.stop()

    for pieces in _windows(problem, batch):
        tick()
        for statistics in batch.walk(pieces, tick):
            fits = np.flatnonzero(problem.feasible(statistics))
            archive.add(statistics.nodes[fits], problem.costs(statistics)[fits], statistics.suppressed[fits])
        if watch.stopped:
            break
    tick()
    evaluated = batch.evaluated - begin
    complete = evaluated == size
    status = (
        Status.LIMIT_REACHED if not complete else Status.OPTIMAL if len(archive.nodes) else Status.INFEASIBLE
    )
    return SearchResult(
        archive.nodes, status, complete, evaluated, watch.seconds, stopped=None if complete else watch.reason
    )


def _windows(problem: Problem, batch: Batch) -> Iterator[list[LongArray]]:
    """Yield the nodes some pieces at a time, each in walking order.

    The most general ones come first: they meet most requirements, so that a search that is stopped
    has something to show.
    """
    size = problem.lattice.size
    step = PIECE * PIECES_AT_ONCE
    for stop in range(size, 0, -step):
        start = max(0, stop - step)
        yield [
            problem.lattice.nodes(max(start, end - PIECE), end, batch.order)
            for end in range(stop, start, -PIECE)
        ]


__all__ = ["Archive", "search_exhaustive"]
