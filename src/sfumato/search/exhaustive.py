"""The complete front of a space, by evaluating every recoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.search.ledger import Archive, Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato._typing import LongArray
    from sfumato.classes import Batch
    from sfumato.search.problem import Problem, SearchResult

PIECE = 512
PIECES_AT_ONCE = 64


def search_exhaustive(problem: Problem, run: Run | None = None) -> SearchResult:
    """Evaluate every recoding of the space and keep the front."""
    run = run or Run()
    watch, lattice = run.monitor, problem.members
    batch, archive = run.batch_of(problem, lattice), Archive.of_nodes(problem, lattice)
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
    return run.result(lattice, archive.nodes, evaluated, complete=evaluated == size)


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
