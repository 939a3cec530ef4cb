"""Search for local recodings: neighbours, a start, and annealing in regions.

Tuples are cut into regions, anew in every round, and within a round each region is annealed by itself. How
they are cut, and all random numbers, depend on the seed, the round and the region alone; so the result of a
number of proposals is the same on any number of threads.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Workers, ladders, packing
from sfumato.domains import Lattice
from sfumato.errors import InfeasibleError, ParameterError
from sfumato.kernels import class_moves as moves
from sfumato.kernels import layout
from sfumato.kernels import regrouping as kernel
from sfumato.kernels.regrouping import Region
from sfumato.kernels.tuple_neighbours import find_neighbours, refine_neighbours
from sfumato.local.label_arrays import gray_order, make_label_costs, make_solution, no_labels
from sfumato.monitor import Monitor

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato._typing import IntArray, LongArray
    from sfumato.kernels.label_costs import LabelCosts
    from sfumato.local.local_problem import LocalProblem, LocalSolution

ORDERS, WINDOW = 16, 8
REFINED, NEAR = 2, 10
"""Neighbours of tuples: from so many orders, then twice from their ten nearest's ten nearest."""
REGION, MOST_REGIONS = 8000, 64
"""Tuples of a region, and the most regions; there are two where both have a quarter of that."""
CUTS = 5
ROUNDS = 60
COOLED = 0.94
"""The share of all proposals after which the temperature is 0."""
WARM, COLD = 0.6, 0.04
"""First and last temperature over the mean gain of a step downhill."""
PRICED = 6
"""After how many rounds classes that cost something beside their labels are made and priced."""
FEW = 10
"""Steps downhill that say too little of what one gains."""
PATIENT = 150
"""Proposals for each tuple below which the search begins cooler."""


@dataclass(frozen=True, eq=False)
class AnnealingState:
    """Where a search is between two rounds; a search that is given it goes on there."""

    owner: IntArray  # the class of each tuple; n where it is suppressed
    proposals: int = 0  # made so far
    rounds: int = 0
    gain: float = 0.0  # the mean gain of a step downhill
    cost: float = np.inf  # summed, as are all prices inside the search
    best: IntArray | None = None  # the classes that cost least so far
    least: float = np.inf


def search_classes(
    problem: LocalProblem,
    *,
    seed: int = 1,
    proposals: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    monitor: Monitor | None = None,
    state: AnnealingState | LocalSolution | None = None,
    save: Callable[[AnnealingState], None] | None = None,
) -> LocalSolution:
    """Return the best classes found in so many proposals, or seconds.

    With ``proposals`` the result depends on nothing else but the seed; with ``seconds`` on the machine.
    ``monitor`` sees the share of the work done, and may stop it: then the round it is in does not count, but
    for the first one of so many seconds, without which there would be a start alone.
    ``save`` is given the state after every round, with the cost so far; as ``state`` it continues a search
    of the same problem, seed and proposals.
    A solution of the same tuples under other requirements is a start too: its classes, united where they
    fail, with the neighbours that its search found.
    Raises InfeasibleError where no classes meet the requirements within the budget.
    """
    if (proposals is None) == (seconds is None):
        raise ParameterError("give either a number of proposals or seconds.")
    begin, monitor = time.perf_counter(), monitor or Monitor()
    solved = None if isinstance(state, AnnealingState) else state
    session = _Session(problem, seed, threads, None if solved is None else solved.nearest, monitor)
    if isinstance(state, AnnealingState):
        now = state
    else:
        now = session.start(None if state is None else state.classes)
    session.set_up(now.owner)
    speed = 0.0
    while True:
        passed = time.perf_counter() - begin
        done = now.proposals / proposals if proposals else passed / (seconds or 1.0)
        if save:
            save(now)
        if monitor.tick(min(done, 1.0), now.proposals) or done >= 1.0:
            found = make_solution(problem, now.owner if now.best is None else now.best)
            return replace(found, nearest=session.facts.nearest)
        count = len(now.owner) * 2
        if now.rounds:
            count = round(speed * (seconds or 0.0) / ROUNDS) if proposals is None else proposals // ROUNDS
        count = max(count, 100) if proposals is None else min(max(count, 100), proposals - now.proposals)
        share = count / proposals if proposals else 1.0 / ROUNDS
        now = session.round(now, count, (done, min(done + share, 1.0)), counts=proposals is None)
        speed = count / max(time.perf_counter() - begin - passed, 1e-4)


class _Session:
    """The arrays of one search."""

    def __init__(
        self,
        problem: LocalProblem,
        seed: int,
        threads: int | None,
        nearest: IntArray | None,
        monitor: Monitor,
    ) -> None:
        self.problem, self.seed, self.monitor, n = problem, seed, monitor, len(problem.codes)
        self.regions = min(max(n // REGION, min(2, 2 * n // REGION), 1), MOST_REGIONS)
        sets = range(len(problem.plan.set_size))
        owners = [problem.tables.pair_class[0, s, : problem.tables.counts[0, 1 + s]] for s in sets]
        begins = [np.searchsorted(owner, np.arange(n + 1)) for owner in owners]
        self.begins = np.array(begins, np.int64).reshape(len(begins), n + 1)
        self.workers = Workers(threads, self._allocate)
        costs = make_label_costs(problem)
        prices = np.array([problem.suppressed_cost, problem.cell, problem.square, problem.each])
        self.facts = kernel.TupleFacts(
            costs,
            problem.units,
            problem.rows,
            problem.weights,
            self._neighbours(costs) if nearest is None else nearest,
            problem.k,
            prices,
        )
        rows = n + self.regions
        room = rows + self.workers.threads * (kernel.TOUCHED + 2)
        self.classes = kernel.TupleClasses(
            np.full(n, -1, np.int32),
            np.full(n, -1, np.int32),
            np.full(n, -1, np.int32),
            np.full(rows, -1, np.int32),
            np.zeros(rows, np.int64),
            np.zeros(rows, np.int64),
            np.zeros(rows, np.int64),
            np.zeros(rows),
            np.zeros(rows),
            no_labels(costs, room),
        )

    def _allocate(self, worker: int) -> Region:
        """Return the memory of one thread: a region without tuples."""
        n, plan, base = len(self.problem.codes), self.problem.plan, self.problem.tables
        widest = int(plan.set_size.max(initial=0))
        pairs = (1, len(plan.set_size), min(widest, base.pair_class.shape[2]))
        one = layout.Tables(
            np.zeros((1, 1, 1), np.uint64),
            np.zeros((1, 1), np.int64),
            np.zeros((1, base.bits.shape[1], 1), np.uint64),
            np.zeros(pairs, np.int32),
            np.zeros(pairs, np.int32),
            np.zeros(pairs, np.int64),
            np.ones((1, 1 + len(plan.set_size)), np.int64),
        )
        none = np.zeros(0, np.int32)
        return Region(
            0,
            none,
            none,
            n,
            0,
            n + self.regions + worker * (kernel.TOUCHED + 2),
            none,
            np.zeros(4, np.int64),
            np.zeros(1),
            np.zeros(1, np.uint64),
            np.zeros(kernel.TOUCHED, np.int32),
            np.zeros(kernel.TOUCHED, np.int32),
            np.zeros((kernel.TOUCHED, 2)),
            np.zeros((n + kernel.TOUCHED, 2), np.int32),
            np.zeros(n, np.int32),
            np.zeros((3, n)),
            base,
            self.begins,
            one,
            plan,
            packing.make_scratch(one, plan, ladders.make_ladders(self.problem.cube, Lattice(()), (), ()), ()),
            np.zeros((len(plan.set_size), widest), np.int32),
            self.monitor.halt,
        )

    def _neighbours(self, costs: LabelCosts) -> IntArray:
        """Find for every tuple those with which it shares cheap labels."""
        n, q = self.problem.codes.shape
        kept = int(np.clip(4 * self.problem.k + 12, 32, 64))
        rng = np.random.default_rng([self.seed, 0])
        columns = [*costs.places.T, *costs.members.T]
        by_place = np.empty((ORDERS, n), np.int32)
        for order in by_place:
            order[:] = gray_order([columns[a] for a in rng.permutation(q)])
        place_of = np.argsort(by_place, axis=1).astype(np.int32)
        nearest, prices = np.full((n, kept), -1, np.int32), np.full((n, kept), np.inf)
        step = max(1, n // (4 * self.workers.threads))
        parts = [(at, min(at + step, n)) for at in range(0, n, step)]

        def share(work: Callable[[IntArray, tuple[int, int]], None]) -> None:
            for _ in self.workers.map(lambda memory, part: work(memory.items, part), parts):
                pass

        share(
            lambda items, part: find_neighbours(
                costs, (by_place, place_of), part, WINDOW, nearest, prices, items
            )
        )
        known = np.empty_like(nearest)
        for _ in range(REFINED):
            known[:] = nearest
            share(lambda items, part: refine_neighbours(costs, known, part, NEAR, nearest, prices, items))
        return nearest

    def start(self, classes: IntArray | None = None) -> AnnealingState:
        """Return classes that meet the requirements: those given, or single tuples, united if they do not."""
        n, lost = len(self.problem.codes), -1
        single = np.arange(n, dtype=np.int32)
        given = [] if classes is None else [(np.where(classes < 0, n, classes), 1.0)]
        region = self.workers.call(
            lambda memory: self._region(memory, 0, np.zeros(n, np.int32), self.problem.budget, 0)
        )
        # What is suppressed because that is cheap may be missed where something must be.
        for owner, hides in [*given, (single, 1.0), (single, 0.0)] if n else ():
            self.set_up(owner)
            lost = moves.regroup(
                self.facts, self.classes, region, moves.UNITE, (hides, 0.0), np.zeros(n + 1, np.int64)
            )
            if not lost and (self.classes.owner < n).any():
                owner = np.minimum(self.classes.owner, n).astype(np.int32)
                return AnnealingState(owner, cost=self._cost(owner))
        raise InfeasibleError(
            "no local recoding was found that meets the requirements; "
            + (f"rows that fit into no class: {lost}. " if lost else "no row would be left. ")
            + "Lower the requirements, allow more suppression, or more general labels."
        )

    def set_up(self, owner: IntArray) -> None:
        """Make the classes that a state says."""
        self.workers.call(
            lambda memory: moves.regroup(
                self.facts, self.classes, memory, moves.SET_UP, (0.0, 0.0), owner.astype(np.int64)
            )
        )

    def _region(self, memory: Region, number: int, of: IntArray, budget: int, rounds: int) -> Region:
        """Return the memory of a thread as one region, where all classes are in use."""
        own = np.flatnonzero(of == number).astype(np.int32)
        return memory._replace(
            number=number,
            of=of,
            tuples=own,
            suppressed=len(of) + number,
            budget=budget,
            free=np.zeros(len(own), np.int32),
            counts=np.zeros(4, np.int64),
            gain=np.zeros(1),
            random=np.random.SeedSequence([self.seed, rounds, number]).generate_state(1, np.uint64)
            | np.uint64(1),
        )

    def round(
        self, now: AnnealingState, count: int, done: tuple[float, float], *, counts: bool
    ) -> AnnealingState:
        """Anneal every region once; the first round goes downhill, to learn what a step gains.

        It ``counts`` or not if it is the first and somebody stops it; a later one never does.
        """
        self._price(now, done[0])
        of = self._cut(now)
        n, owner = len(of), np.where(now.owner < len(of), now.owner, len(of) + of).astype(np.int32)
        self.set_up(owner)
        warm = WARM * min(1.0, max(0.1, count * ROUNDS / (PATIENT * len(of)))) ** 0.5
        first, last = (warm * now.gain * (COLD / warm) ** (share / COOLED) for share in done)
        heat = (first, last) if now.rounds and done[1] < COOLED else (0.0, 0.0)
        sizes = np.bincount(of, minlength=self.regions)
        used = np.zeros(n, bool)
        used[owner[owner < n]] = True
        free = np.split(np.flatnonzero(~used).astype(np.int32), np.cumsum(self._spare(of, owner, sizes))[:-1])
        hidden = np.bincount(of, np.where(owner >= n, self.problem.rows, 0), self.regions).astype(np.int64)
        budgets = hidden + (self.problem.budget - hidden.sum()) * sizes // n

        unused = np.zeros(0, np.int64)

        def work(memory: Region, number: int) -> Region:
            region = self._region(memory, number, of, int(budgets[number]), now.rounds)
            region.counts[kernel.FREE] = len(free[number])
            region.free[: len(free[number])] = free[number]
            proposals = int(count * len(region.tuples) // n)
            moves.regroup(self.facts, self.classes, region, proposals, heat, unused)
            return region

        made = list(self.workers.map(work, range(self.regions), self.monitor.poll))
        if self.monitor.halt[0] and (now.rounds or not counts):
            return now
        accepted = sum(int(region.counts[kernel.ACCEPTED]) for region in made)
        gain = -sum(float(region.gain[0]) for region in made) / max(accepted, 1)
        if accepted < FEW:
            # They say too little of the others, so that the cost of a tuple counts as some of them.
            gain = (gain * accepted + abs(now.cost) / n * FEW) / (accepted + FEW)
        owner = np.minimum(self.classes.owner, n).astype(np.int32)
        # While it is hot, what takes long to price is priced now and then.
        skips = self.problem.counts_classes and heat[0] > 0.0 and now.rounds % PRICED
        cost = now.cost if skips else self._cost(owner)
        better = cost < now.least
        return replace(
            now,
            owner=owner,
            proposals=now.proposals + count,
            rounds=now.rounds + 1,
            gain=now.gain if now.rounds else gain,
            cost=cost,
            best=owner if better else now.best,
            least=cost if better else now.least,
        )

    def _price(self, now: AnnealingState, done: float) -> None:
        """Price classes for a round where it is they that cost, and not labels alone.

        Labels cost more at first: chance would make them all ``*`` while it weighs classes alone, and what
        shows the same is one class. And to have many classes for the rows that are left is to have many
        beyond so many a row (Dinkelbach 1967), the most a row so far.
        """
        problem, prices = self.problem, self.facts.prices
        if not problem.counts_classes:
            return
        one = problem.square * problem.k**2 + abs(problem.each)
        prices[1] = problem.cell if done >= COOLED else one / (2 * problem.k)
        if problem.each < 0:
            owner = now.owner if now.best is None else now.best
            kept = owner < len(owner)
            prices[0] = problem.each * len(np.unique(owner[kept])) / max(int(problem.rows[kept].sum()), 1)

    def _cost(self, owner: IntArray) -> float:
        """Return what classes cost, summed; where it is they that cost, what shows the same is one."""
        if self.problem.counts_classes:
            return make_solution(self.problem, owner).cost * self.problem.total
        return float(self.classes.cost.sum())

    def _spare(self, of: IntArray, owner: IntArray, sizes: LongArray) -> LongArray:
        """Return how many free classes each region gets: it never needs more than it has tuples."""
        at, first = np.unique(np.where(owner < len(of), owner, -1), return_index=True)
        return sizes - np.bincount(of[first[at >= 0]], minlength=self.regions)

    def _cut(self, now: AnnealingState) -> IntArray:
        """Return a region for each tuple: of some random cuts the one that parts the fewest neighbours."""
        rng = np.random.default_rng([self.seed, 1, now.rounds])
        if self.regions == 1:
            return np.zeros(len(now.owner), np.int32)
        some = rng.integers(0, len(now.owner), 4000)
        near = self.facts.nearest[some, :8]
        n, q = self.problem.codes.shape
        drawn = [(rng.permutation(q), int(rng.integers(n))) for _ in range(CUTS)]
        cuts = self.workers.map(lambda _, by: self._cut_once(now.owner, *by), drawn)
        return min(cuts, key=lambda cut: int((cut[near] != cut[some, None]).sum()))

    def _cut_once(self, owner: IntArray, attributes: LongArray, begin: int) -> IntArray:
        """Return equal parts of the order by some attributes, without cutting classes."""
        n = len(owner)
        place = np.empty(n, np.int64)
        place[self._order(attributes)] = np.roll(np.arange(n), begin)
        first = np.full(n + 1, n)
        np.minimum.at(first, owner, place)
        first = np.where(owner < n, first[owner], place)
        before = np.cumsum(np.bincount(first, minlength=n)) - 1
        return np.asarray(before[first] * self.regions // n, np.int32)

    def _order(self, attributes: LongArray) -> LongArray:
        """Return the tuples by some attributes, the first of them first, as far as one number holds them."""
        key, most = np.zeros(len(self.problem.codes), np.int64), 1
        for a in attributes.tolist():
            size = self.problem.cube.sizes[a]
            if most > np.iinfo(np.int64).max // size:
                break
            key, most = key * size + self.problem.codes[:, a], most * size
        return np.argsort(key, kind="stable")
