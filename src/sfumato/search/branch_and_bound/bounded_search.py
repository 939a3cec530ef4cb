"""The best recoding of any mix of schemes for one objective, with its proof.

A node stands for all recodings that agree with some decisions: these elements are
joined, those apart, the rest open. It is bounded by both ends of what remains open,
and split by deciding one more element. Nodes are taken in batches of a fixed size and
expanded side by side, each against the best solution at the batch's begin. Two batches are
at work at a time, so that workers have something to do while what the first one gave is taken in. All
this happens in a fixed order: the result does not depend on the number of threads.
"""

from __future__ import annotations

from collections import deque
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.classes import Workers
from sfumato.domains import Partition
from sfumato.errors import ParameterError
from sfumato.kernels import annealing, expanding
from sfumato.kernels import bounding_layout as layout
from sfumato.monitor import Keeper
from sfumato.schemes import Ordered
from sfumato.search.branch_and_bound.bound_arrays import (
    BoundSpace,
    counted_values,
    make_model,
    make_tuples,
    make_work,
)
from sfumato.search.branch_and_bound.incumbents import (
    EPOCHS,
    HEATS,
    STEPS_EACH,
    TRAIL,
    best_levels,
    make_moves,
    narrower,
)
from sfumato.search.branch_and_bound.queue import Open, Queue, Snapshot, as_arrays, load, stack_states
from sfumato.search.checkpoint import fingerprint
from sfumato.search.ledger import Run
from sfumato.search.problem import list_recodings, tiny_problem, unbounded_message
from sfumato.search.techniques import Techniques

if TYPE_CHECKING:
    from concurrent.futures import Future

    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.domains import Lattice
    from sfumato.kernels.scheme_elements import Ends
    from sfumato.measures import RowPenalties
    from sfumato.schemes import Scheme
    from sfumato.search.branch_and_bound.incumbents import Moves
    from sfumato.search.problem import Problem, SearchResult

BATCH = 32
PIECE = 8
AT_WORK = 2
"""Nodes of a batch, how many of them one thread takes at a time, and batches at work at once."""

FIRST_ROUNDS = 4
"""How often boxes with prices are added before the first node is expanded."""

NARROW_SHARE, SEEDING_SHARE, PATIENCE = 0.5, 0.8, 2
"""When annealing ends: of contiguous blocks where there are others too, and at all, as shares of the time
limit; and after how many epochs without a better solution."""

ROUNDING = 1e-11
"""Costs of cells that differ by this share are equal but for rounding."""

COUNTS = (
    "nodes",
    "contradictions",
    "pruned by bound",
    "leaves",
    "branched",
    "again",
    "dropped",
    "solutions",
    *layout.COUNTERS,
)
CONTRADICTIONS, PRUNED, LEAVES, BRANCHED, AGAIN, DROPPED, SOLUTIONS = range(1, 8)


class _WorkerRoom(NamedTuple):
    """What one worker writes to."""

    ends: Ends
    trial: Ends
    works: tuple[layout.Work, layout.Work]


class _Round(NamedTuple):
    """Nodes at work, piece by piece."""

    pieces: list[list[Open]]
    expanded: list[Future[tuple[int, expanding.Left]]]

    @property
    def nodes(self) -> list[Open]:
        return [node for piece in self.pieces for node in piece]


@dataclass
class _Best:
    """The best solution so far."""

    cost: float = np.inf
    block: IntArray | None = None


def search_branch_and_bound(problem: Problem, run: Run | None = None) -> SearchResult:
    """Find the recoding with the best first objective that meets every requirement."""
    return _BoundedSearch(problem, run or Run()).search()


def penalties_of(problem: Problem) -> RowPenalties:
    """Return what rows cost under the first objective, or raise ParameterError."""
    objective = problem.objectives[0]
    penalties = objective.penalties(problem.cube)
    if penalties is None:
        raise ParameterError(unbounded_message(objective))
    return penalties


class _BoundedSearch:
    """State of one search."""

    def __init__(self, problem: Problem, run: Run) -> None:
        assert problem.schemes is not None
        self.problem, self.run, self.watch, self.seed = problem, run, run.monitor, run.seed
        self.techniques = run.parameters_of(Techniques)
        self.objective = problem.objectives[0]
        penalties = penalties_of(problem)
        self.space = BoundSpace.of(problem.schemes)
        self.tuples = make_tuples(problem.cube, self.space, penalties, list(counted_values(problem)))
        self.model = make_model(problem, self.space, penalties)
        self.slack = 0.0 if penalties.by_class else ROUNDING
        # Of several solutions below each other only the cheapest is handed on, so its cost must be exact.
        self.use = self.techniques.for_kernel()._replace(**({} if self.model.exact else {"plunge": 1}))
        self.workers = Workers(run.workers, lambda _: self._allocate())
        self.recodings = problem.recodings(threads=1)
        self.best = _Best()
        self.queue = Queue(best_first=self.techniques.node_rearrangement)
        self.at_work: deque[_Round] = deque()
        self.counts = np.zeros(len(COUNTS), dtype=np.int64)
        self.prices = make_work(self.tuples, self.space, self.workers.control).prices
        self.open_bound = np.inf
        self.keeper = Keeper(None, "")

    def search(self) -> SearchResult:
        path = self.run.checkpoint
        mark = fingerprint(self.problem, self.techniques, self.seed, (*self.space.decisions, *self.model))
        snapshot = None if path is None else load(path, mark)
        self.keeper = Keeper(path, mark)
        if snapshot is None:
            self._begin()
        else:
            self._resume(snapshot)
        try:
            # Beside the clock: on wide tables it takes long.
            list(self.workers.map(lambda memory, _: self._price(memory), [None], self._tick))
            while self.at_work or (len(self.queue) and not self.watch.stopped):
                self._step()
                if self.keeper.is_due:
                    self._keep()
        finally:
            # A kill loses the last interval; an interrupt loses nothing.
            self._keep()
        return self._result()

    def _allocate(self) -> _WorkerRoom:
        work, other = (make_work(self.tuples, self.space, self.workers.control) for _ in range(2))
        return _WorkerRoom(self.space.make_ends(), self.space.make_ends(), (work, other))

    def _begin(self) -> None:
        root = Open(np.zeros(self.space.elements, dtype=np.int8).tobytes(), -np.inf)
        # So that a bound is known even where time is up before the first node is expanded.
        _, left = self.workers.call(partial(self._expand, nodes=[root], limit=np.inf, only_bound=True))
        root = Open(root.states, float(left.out[0, 0]))
        if self.techniques.seeding:
            self._seed()
        self.queue.push(root)

    def _price(self, memory: _WorkerRoom) -> None:
        """Find the prices with which all nodes begin, in a worker."""
        if np.isfinite(self.best.cost):
            arrays = (self.tuples, self.space.decisions, memory.ends, self.model, self.use, self.best.cost)
            states = np.zeros(self.space.elements, dtype=np.int32)
            expanding.price_first(*arrays, FIRST_ROUNDS, states, memory.works)
            self.prices = deepcopy(memory.works[0].prices)

    def _resume(self, snapshot: Snapshot) -> None:
        for node in snapshot.nodes:
            self.queue.push(node)
        self.counts[:] = snapshot.counts
        if len(snapshot.block):
            self.best = _Best(snapshot.cost, snapshot.block)

    def _keep(self) -> None:
        block = np.zeros(0, dtype=np.int32) if self.best.block is None else self.best.block
        # What is at work is still open.
        nodes = [*self.queue.nodes(), *(node for batch in self.at_work for node in batch.nodes)]
        snapshot = Snapshot(nodes, block, self.best.cost, self._all_counts())
        self.keeper.keep(as_arrays(snapshot, self.space.elements))

    def _tick(self) -> None:
        if self.watch.tick(self._progress(), int(self.counts[SOLUTIONS])):
            self.workers.stop()

    def _progress(self) -> float:
        """How much of the gap is closed, as far as that can be known."""
        bound = self.queue.bound if len(self.queue) < BATCH else self.open_bound
        if not np.isfinite(bound) or not np.isfinite(self.best.cost) or self.best.cost == 0:
            return 0.0
        return float(np.clip(bound / self.best.cost, 0.0, 1.0))

    # --- the first solution -----------------------------------------------------

    def _seed(self) -> None:
        """Look for a good solution before the proof begins, among contiguous blocks first."""
        assert self.problem.schemes is not None
        narrow = tuple(map(narrower, self.problem.schemes))
        phases = [(narrow, NARROW_SHARE)] if narrow != self.problem.schemes else []
        for schemes, share in [*phases, (self.problem.schemes, SEEDING_SHARE)]:
            levels = best_levels(replace(self.problem, schemes=schemes), self.watch)
            for start in [tuple(scheme.coarsest for scheme in schemes), *([levels] if levels else [])]:
                self._offer(self._block_of(start))
            self._anneal(schemes, share)

    def _anneal(self, schemes: tuple[Scheme, ...], share: float) -> None:
        """Improve the best by chains of doubled length, until none does or a share of the time is spent."""

        def tick() -> None:
            if self.watch.tick(0.0, int(self.counts[SOLUTIONS])) or self.watch.spent > share:
                self.workers.stop()

        idle = 0
        for epoch in range(EPOCHS):
            before = self.best
            block = before.block
            if block is None:
                block = self._block_of(tuple(scheme.coarsest for scheme in schemes))
            moves = make_moves(self.space, schemes, block, self.seed + epoch)
            chain = partial(self._chain, block, moves, STEPS_EACH * self.space.codes << epoch)
            seeds = [(self.seed, epoch, number) for number in range(len(HEATS))]
            for found, costs in self.workers.map(chain, seeds, tick):
                # The cheapest may miss what the kernel does not see; one that is met costs no second look.
                for number in np.argsort(costs).tolist():
                    if costs[number] < self._limit:
                        self._offer(found[number])
            idle = idle + 1 if self.best is before else 0
            if idle == PATIENCE or self.workers.control[0]:
                break
        self.workers.control[0] = self.watch.stopped

    def _chain(
        self, block: IntArray, moves: Moves, steps: int, memory: _WorkerRoom, seed: tuple[int, ...]
    ) -> tuple[IntArray, FloatArray]:
        """Anneal from a recoding in a worker; return the last improvements and what they cost."""
        draws = np.random.default_rng(seed).random((steps, 4))
        trail = np.zeros((TRAIL, len(block)), dtype=np.int32), np.full(TRAIL, np.inf)
        arrays = (self.tuples, self.space.decisions, memory.ends, self.model, moves, HEATS[seed[-1]])
        annealing.anneal(*arrays, draws, memory.works, block.copy(), trail)
        return trail

    def _block_of(self, recoding: tuple[Partition, ...]) -> IntArray:
        """Return a recoding as blocks of the finest member's blocks."""
        parts = []
        for partition, scheme in zip(recoding, self.space.schemes, strict=True):
            block = np.zeros(scheme.finest.count, dtype=np.int32)
            block[scheme.finest.block] = partition.block
            parts.append(block)
        return np.concatenate(parts)

    # --- the best ----------------------------------------------------------------

    @property
    def _limit(self) -> float:
        """What a node must cost less than to be of interest."""
        return self.best.cost - self.slack * abs(self.best.cost) if np.isfinite(self.best.cost) else np.inf

    def _offer(self, block: IntArray) -> None:
        """Measure a recoding exactly and keep it if it is better."""
        blocks = self.space.blocks(block)
        partitions = [Partition.of(item) for item in blocks]
        if not all(
            scheme.is_valid(item) for scheme, item in zip(self.space.schemes, partitions, strict=True)
        ):
            return
        statistics = self.recodings.evaluate([item.block[None] for item in partitions])
        self.counts[SOLUTIONS] += 1
        if len(statistics) and self.problem.feasible(statistics)[0]:
            cost = float(self.objective.cost(statistics)[0])
            if cost < self._limit:
                self.best = _Best(cost, np.array(block, dtype=np.int32))

    # --- nodes -------------------------------------------------------------------

    def _step(self) -> None:
        """See that enough batches are at work, and take in what the oldest one gives."""
        while len(self.at_work) < AT_WORK and not self.watch.stopped:
            nodes = self._take()
            if not nodes:
                break
            pieces = [nodes[i : i + PIECE] for i in range(0, len(nodes), PIECE)]
            # Bound now: a limit that a worker reads when it runs would depend on the other threads.
            expand = partial(self._expand, limit=self._limit)
            self.at_work.append(_Round(pieces, self.workers.submit(expand, pieces)))
        if not self.at_work:
            return
        self.open_bound = min(node.bound for batch in self.at_work for node in batch.nodes)
        batch = self.at_work[0]
        done = list(self.workers.gather(batch.expanded, self._tick))
        self.at_work.popleft()
        for piece, (count, left) in zip(batch.pieces, done, strict=True):
            self._take_in(left, count)
            for node in piece[count:]:
                self.queue.push(node)

    def _take(self) -> list[Open]:
        """Take a batch of nodes from the queue."""
        taken: list[Open] = []
        limit = self._limit
        while len(self.queue) and len(taken) < BATCH:
            node = self.queue.pop()
            if self.use.prune and node.bound >= limit:
                self.counts[DROPPED] += 1
            else:
                taken.append(node)
        return taken

    def _expand(
        self, memory: _WorkerRoom, nodes: list[Open], limit: float, *, only_bound: bool = False
    ) -> tuple[int, expanding.Left]:
        """Expand nodes in a worker; return how many were done, and what they leave."""
        is_new = [only_bound or (self.techniques.requeue and not node.is_bounded) for node in nodes]
        left = self._make_left(len(nodes))
        left.out[:, 0] = [node.bound for node in nodes]
        done = expanding.expand_many(
            self.tuples,
            self.space.decisions,
            memory.ends,
            memory.trial,
            self.model,
            self.use,
            limit,
            stack_states(nodes),
            np.array(is_new, dtype=np.int64),
            self.prices,
            memory.works,
            left,
        )
        return done, left

    def _make_left(self, n: int) -> expanding.Left:
        most = self.use.plunge + 1
        return expanding.Left(
            np.zeros(n, dtype=np.int64),
            np.empty((n, most, self.space.elements), dtype=np.int32),
            np.empty((n, most)),
            np.zeros((n, most), dtype=np.int32),
            np.full(n, np.inf),
            np.empty((n, self.space.codes), dtype=np.int32),
            np.empty((n, self.space.codes), dtype=np.int32),
            np.empty((n, 4)),
            np.zeros((n, expanding.ENDINGS), dtype=np.int64),
        )

    def _take_in(self, left: expanding.Left, count: int) -> None:
        """Keep the best solution of expanded nodes and put what they leave into the queue."""
        ended = left.ended[:count].sum(axis=0)
        self.counts[0] += ended.sum()
        self.counts[CONTRADICTIONS : CONTRADICTIONS + expanding.ENDINGS] += ended
        for number in range(count):
            if left.cost[number] < self._limit:
                self._offer(left.block[number])
        is_there = np.arange(left.bound.shape[1]) < left.amount[:count, None]
        bounds = left.bound[:count][is_there]
        is_open = bounds < self._limit if self.use.prune else np.ones(len(bounds), dtype=bool)
        self.counts[PRUNED] += len(bounds) - is_open.sum()
        self.queue.extend(
            left.states[:count][is_there][is_open],
            bounds[is_open],
            left.is_bounded[:count][is_there][is_open],
        )

    # --- the result --------------------------------------------------------------

    def _result(self) -> SearchResult:
        complete = not len(self.queue)
        bound = self.best.cost if complete else min(self.best.cost, self.queue.bound)
        lattice, nodes = self._solution()
        return self.run.result(
            lattice,
            nodes,
            min(int(self.counts[SOLUTIONS]), self.problem.space),
            complete=complete,
            bound=self.objective.direction.sign * bound if np.isfinite(bound) else None,
            certificate=self._certificate(bound),
        )

    def _all_counts(self) -> LongArray:
        """Return what was counted here and in the kernels."""
        counts = self.counts.copy()
        for memory in self.workers.memories:
            for work in memory.works:
                counts[len(COUNTS) - len(layout.COUNTERS) :] += work.counters
        return counts

    def _certificate(self, bound: float) -> dict[str, object]:
        """Return what the answer rests on."""
        gap = self.best.cost - bound if np.isfinite(self.best.cost) and np.isfinite(bound) else np.inf
        share = 0.0 if gap == 0 else gap / abs(self.best.cost) if self.best.cost else np.inf
        return {
            "direction": self.techniques.resolved,
            "cost": self.best.cost if np.isfinite(self.best.cost) else None,
            "bound": bound if np.isfinite(bound) else None,
            "gap": share if np.isfinite(share) else None,
            "open": len(self.queue),
            **dict(zip(COUNTS, self._all_counts().tolist(), strict=True)),
        }

    def _solution(self) -> tuple[Lattice, LongArray]:
        """Return the best recoding as the one node of a lattice."""
        found = self.best.block is not None
        if self.best.block is None:
            best = tuple(scheme.coarsest for scheme in self.space.schemes)
        else:
            best = tuple(map(Partition.of, self.space.blocks(self.best.block)))
        lattice, nodes = list_recodings(self.problem, self.space.schemes, [best])
        return lattice, nodes if found else nodes[:0]


def compile_branch_and_bound() -> None:
    """Have the kernels ready, so that no search waits for the compiler: solve a table of two rows."""
    search_branch_and_bound(tiny_problem("loss", 2, (Ordered(2),)), Run(threads=1))
