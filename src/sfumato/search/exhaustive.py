"""The complete front of a space, by evaluating every recoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.front import non_dominated
from sfumato.monitor import Monitor
from sfumato.search.problem import SearchResult, Status
from sfumato.search.texts import TextOrder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato._typing import FloatArray, LongArray
    from sfumato.classes import Batch
    from sfumato.domains import Lattice
    from sfumato.search.problem import Problem

PIECE = 512
PIECES_AT_ONCE = 64


class Archive:
    """The non-dominated nodes of all that were added."""

    def __init__(self, problem: Problem, lattice: Lattice | None = None) -> None:
        space = problem.lattice if lattice is None else lattice
        self._order = TextOrder(space, problem.describe)
        q = len(space.ladders)
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
        keep = non_dominated(costs, [suppressed, *self._order.keys(nodes)])
        self.nodes, self._costs, self._suppressed = nodes[keep], costs[keep], suppressed[keep]


def search_exhaustive(problem: Problem, batch: Batch, monitor: Monitor | None = None) -> SearchResult:
    """Evaluate every recoding of the space and keep the front."""
    watch = monitor or Monitor()
    lattice = problem.members
    if batch.lattice is not lattice:
        batch = problem.batch(batch.threads, lattice)
    archive = Archive(problem, lattice)
    size, begin = lattice.size, batch.evaluated

    def tick() -> None:
        done = batch.evaluated - begin
        if watch.tick(done / size, done):
            batch.stop()

    for pieces in windows(batch):
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
    reason = None if complete else watch.reason
    return SearchResult(lattice, archive.nodes, status, complete, evaluated, watch.seconds, stopped=reason)


def windows(batch: Batch) -> Iterator[list[LongArray]]:
    """Yield the nodes some pieces at a time, each in walking order.

    The most general ones come first: they meet most requirements, so that a search that is stopped
    has something to show.
    """
    size = batch.lattice.size
    step = PIECE * PIECES_AT_ONCE
    for stop in range(size, 0, -step):
        start = max(0, stop - step)
        yield [
            batch.lattice.nodes(max(start, end - PIECE), end, batch.order)
            for end in range(stop, start, -PIECE)
        ]
