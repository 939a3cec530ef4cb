"""The complete front of a space, by evaluating every recoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.monitor import Keeper, load_arrays
from sfumato.search.checkpoint import run_mark
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
    size, begin, left = lattice.size, batch.evaluated, lattice.size
    mark = run_mark(problem, "exhaustive", run.parameters, run.seed)
    held = None if run.checkpoint is None else load_arrays(run.checkpoint, mark)
    keeper = Keeper(run.checkpoint, mark)
    if held is not None:
        left = int(held["left"])
        begin -= size - left
        archive.add(held["nodes"], held["costs"], held["suppressed"])

    def keep() -> None:
        found = {"nodes": archive.nodes, "costs": archive.costs, "suppressed": archive.suppressed}
        keeper.keep({"left": left, **found})

    def tick() -> None:
        done = batch.evaluated - begin
        watch.costs = archive.costs
        if watch.tick(done / size, done):
            batch.stop()

    for pieces in windows(batch, left):
        tick()
        for statistics in batch.walk(pieces, tick):
            fits = np.flatnonzero(problem.feasible(statistics))
            archive.add(statistics.nodes[fits], problem.costs(statistics)[fits], statistics.suppressed[fits])
        if watch.stopped:
            break
        left -= sum(map(len, pieces))
        if keeper.is_due:
            keep()
    tick()
    keep()
    evaluated = batch.evaluated - begin
    return run.result(lattice, archive.nodes, evaluated, complete=evaluated == size)


def windows(batch: Batch, size: int) -> Iterator[list[LongArray]]:
    """Yield the first nodes some pieces at a time, each in walking order.

    The most general ones come first: they meet most requirements, so that a search that is stopped
    has something to show.
    """
    step = PIECE * PIECES_AT_ONCE
    for stop in range(size, 0, -step):
        start = max(0, stop - step)
        yield [
            batch.lattice.nodes(max(start, end - PIECE), end, batch.order)
            for end in range(stop, start, -PIECE)
        ]
