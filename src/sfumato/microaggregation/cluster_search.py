"""Clusters with little squared error by annealing, and how small that error can be at all."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sfumato._typing import FloatArray, IntArray, LongArray
from sfumato.kernels import cluster_moves as kernel
from sfumato.kernels.row_neighbours import find_near_rows, refine_near_rows
from sfumato.microaggregation.partitioning import call_in_threads, check_values, mdav
from sfumato.monitor import Monitor

ROUNDS = 60
EXACT = 5000
"""Rows up to which all of the nearest are found."""
ORDERS, WINDOW, REFINED, NEAR = 8, 12, 2, 12
REGION, MOST_REGIONS = 1500, 2
"""Rows of a region, and the most regions: more of them would part most neighbours where columns are many."""
COOLED = 0.94
"""The share of all proposals after which the temperature is 0."""
WARM, COLD = 2.0, 0.1
"""First and last temperature over the mean gain of a step downhill, for `STEPS`; more steps begin warmer."""
STEPS = 300
"""Proposals for each row where neither their number nor the time is given."""

STEPS_OF_CUTS = 0.3 * 0.95 ** np.arange(80)
"""Shares of a square that change hands in each round of the bound."""
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class ClusterSolution:
    """Clusters, their squared error, and how many steps were tried."""

    clusters: IntArray
    error: float
    proposals: int


@dataclass(frozen=True, eq=False)
class ClusterState:
    """Where a search for clusters is between two rounds; a search that is given it goes on there."""

    owner: IntArray
    best: IntArray
    least: float
    proposals: int = 0
    rounds: int = 0
    gain: float = 0.0  # the mean gain of a step downhill


def search_clusters(  # noqa: PLR0913 (keywords alone from the third on)
    values: FloatArray,
    k: int,
    *,
    start: IntArray | None = None,
    seed: int = 1,
    proposals: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    monitor: Monitor | None = None,
    state: ClusterState | None = None,
    save: Callable[[ClusterState], None] | None = None,
) -> ClusterSolution:
    """Return clusters of little squared error, annealed for so many proposals or seconds.

    Rows are moved, swapped and passed on, clusters are cut anew, dissolved and founded, at falling
    temperatures (simulated annealing). The result is never worse than the start.

    Parameters
    ----------
    values
        Numbers, shape (n, d) with d >= 1, neither missing nor infinite.
    k
        Smallest size of a cluster, from 1 to n.
    start
        The clusters to begin with; those of MDAV if None.
    seed
        Seed of all random choices.
    proposals
        Steps to try. With them the result depends on nothing else but the seed; 300 for each row if neither
        they nor seconds are given.
    seconds
        Time to take instead; the result then depends on the machine.
    threads
        Threads to use, all cores if None; the result does not depend on it.
    monitor
        Sees the share of the work done, and may stop it: then the round it is in does not count.
    state
        Where a search of the same values, k, seed and proposals was; None to begin.
    save
        Is given the state after every round.

    Returns
    -------
    ClusterSolution
        The number of each row's cluster, the squared error, and the steps tried.

    Examples
    --------
    >>> values = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0], [9.1]])
    >>> round(search_clusters(values, 2, proposals=1000).error, 3)
    0.03
    """
    values = check_values(values, k)
    begin, monitor = time.perf_counter(), monitor or Monitor()
    if state is None:
        owner = mdav(values, k, threads=threads) if start is None else start
        state = ClusterState(owner, owner, squared_error(values, owner))
    if k == 1 or len(values) < 2 * k:
        return ClusterSolution(state.best, state.least, 0)
    session = _Annealing(values, k, seed, threads, monitor)
    if proposals is None and seconds is None:
        proposals = STEPS * len(values)
    speed, now = 0.0, state
    while True:
        passed = time.perf_counter() - begin
        done = now.proposals / proposals if proposals else passed / (seconds or 1.0)
        if save:
            save(now)
        if done >= 1.0 or monitor.tick(done, now.proposals):
            return ClusterSolution(now.best, now.least, now.proposals)
        count = 2 * len(values)
        if now.rounds:
            count = proposals // ROUNDS if proposals else round(speed * (seconds or 0.0) / ROUNDS)
        count = max(count, 100)
        share = count / proposals if proposals else 1.0 / ROUNDS
        warm = WARM * np.clip(count * ROUNDS / (STEPS * len(values)), 0.1, 30.0) ** 0.45
        first, last = (warm * now.gain * (COLD / warm) ** (at / COOLED) for at in (done, done + share))
        heat = (first, last) if now.rounds and done + share < COOLED else (0.0, 0.0)
        owner, taken = session.round(now.owner, count, heat, now.rounds)
        if monitor.halt[0]:
            continue
        error = squared_error(values, owner)
        # Where nothing was gained at first, the error of a row is what a step is worth.
        gain = now.gain or max(taken, 0.1 * error / len(values))
        best, least = (owner, error) if error < now.least else (now.best, now.least)
        now = ClusterState(owner, best, least, now.proposals + count, now.rounds + 1, gain)
        speed = count / max(time.perf_counter() - begin - passed, 1e-4)


class _Annealing:
    """The rows of one search, near ones next to each other, and their neighbours."""

    def __init__(self, values: FloatArray, k: int, seed: int, threads: int | None, monitor: Monitor) -> None:
        self.values, self.k, self.seed, self.monitor = values - values.mean(axis=0), k, seed, monitor
        self.threads = threads or os.cpu_count() or 1
        n = len(values)
        self.order = _tree_order(self.values, np.random.default_rng([seed, 3]))
        self.values = self.values[self.order]
        kept = min(int(np.clip(3 * k + 8, 16, 64)), n - 1)
        if n <= EXACT:
            self.near = near_rows_exactly(self.values, kept, self.threads)[0]
        else:
            # Many rows have time for few steps each: these go to what is nearest.
            self.near = np.ascontiguousarray(self._near_rows(kept)[:, : k + 4])
        self.norms = (self.values**2).sum(axis=1)
        self.regions = int(np.clip(n // REGION, 1, MOST_REGIONS))

    def _near_rows(self, kept: int) -> IntArray:
        """Find near rows: most of the nearest."""
        n = len(self.values)
        rng = np.random.default_rng([self.seed, 2])
        seeds = rng.spawn(ORDERS)
        made = call_in_threads(lambda one: _tree_order(self.values, one), seeds, self.threads)
        by_place = np.array(made, np.int32)
        orders = by_place, np.argsort(by_place, axis=1).astype(np.int32)
        nearest, squares = np.full((n, kept), -1, np.int32), np.full((n, kept), np.inf)
        ends = [n * part // (4 * self.threads) for part in range(4 * self.threads + 1)]
        parts = list(pairwise(ends))
        call_in_threads(
            lambda part: find_near_rows(self.values, orders, WINDOW, part, nearest, squares),
            parts,
            self.threads,
        )
        known = np.empty_like(nearest)
        for _ in range(REFINED):
            known[:] = nearest
            call_in_threads(
                lambda part: refine_near_rows(self.values, known, NEAR, part, nearest, squares),
                parts,
                self.threads,
            )
        return nearest

    def round(
        self, owner: IntArray, count: int, heat: tuple[float, float], number: int
    ) -> tuple[IntArray, float]:
        """Anneal every region once; return the clusters, and the mean gain of a step that was taken."""
        n = len(owner)
        owner = owner[self.order]
        region_of = self._cut(owner, number)
        jobs = [np.flatnonzero(region_of == region).astype(np.int32) for region in range(self.regions)]

        def work(job: tuple[int, IntArray]) -> tuple[IntArray, int, float]:
            region, own = job
            random = np.random.SeedSequence([self.seed, number, region]).generate_state(1, np.uint64)
            rows = self._rows(own, owner[own], random | np.uint64(1))
            kernel.anneal_clusters(rows, count * len(own) // n, heat)
            return rows.owner, int(rows.counts[kernel.ACCEPTED]), float(rows.gain[0])

        found = owner.copy()
        made, accepted, gain = 0, 0, 0.0
        for own, (part, steps, gained) in zip(
            jobs,
            call_in_threads(work, list(enumerate(jobs)), self.threads, self.monitor.poll),
            strict=True,
        ):
            found[own] = part + made
            made, accepted, gain = made + int(part.max()) + 1, accepted + steps, gain + gained
        result = np.empty_like(found)
        result[self.order] = _number_in_order(found)
        return result, gain / accepted if accepted else 0.0

    def _rows(self, own: IntArray, owner: IntArray, random: np.ndarray) -> kernel.RowClusters:
        """Return the rows of a region as a table of its own."""
        n, columns = len(own), self.values.shape[1]
        place = np.full(len(self.values) + 1, -1, np.int32)
        place[own] = np.arange(n, dtype=np.int32)
        clusters = n // self.k + 1
        return kernel.RowClusters(
            self.values[own],
            self.norms[own],
            place[self.near[own]],
            self.k,
            _number_in_order(owner),
            np.full(n, -1, np.int32),
            np.full(n, -1, np.int32),
            np.full(clusters, -1, np.int32),
            np.zeros(clusters, np.int64),
            np.zeros((clusters, columns)),
            np.zeros(clusters),
            np.zeros(clusters, np.int32),
            np.zeros(2, np.int64),
            random,
            np.zeros(n, np.int32),
            np.zeros(n, np.int32),
            np.zeros(n),
            np.zeros((2, columns)),
            np.zeros(1),
            self.monitor.halt,
        )

    def _cut(self, owner: IntArray, number: int) -> IntArray:
        """Return a region for each row: equal parts of a random line, without cutting clusters."""
        n = len(owner)
        if self.regions == 1:
            return np.zeros(n, np.int32)
        rng = np.random.default_rng([self.seed, 1, number])
        line = self.values @ rng.standard_normal(self.values.shape[1])
        first = np.full(n, np.inf)
        np.minimum.at(first, owner, line)
        at = first[owner]
        place = np.searchsorted(np.sort(at), at)
        return np.asarray(place * self.regions // n, np.int32)


def _number_in_order(owner: IntArray) -> IntArray:
    """Number clusters from 0 on by their first rows, so that clusters of near rows are near in memory."""
    rows = np.arange(len(owner), dtype=np.int32)
    first = np.empty(int(owner.max()) + 1, np.int32)
    first[owner[::-1]] = rows[::-1]
    number = np.cumsum(first[owner] == rows, dtype=np.int32) - 1
    return np.asarray(number[first[owner]], np.int32)


def _tree_order(values: FloatArray, rng: np.random.Generator) -> LongArray:
    """Return an order in which rows next to each other are near: halves of random lines, again and again."""
    n = len(values)
    halvings = max(0, (n // WINDOW).bit_length() - 1)
    order = np.full(-(-n >> halvings) << halvings, n)
    order[:n] = np.arange(n)
    for cells in 1 << np.arange(halvings + 1):
        # What only fills up the last cells stays at their end.
        line = np.append(values @ rng.standard_normal(values.shape[1]), np.inf)[order].reshape(cells, -1)
        order = np.take_along_axis(order.reshape(cells, -1), np.argsort(line, axis=1), axis=1).ravel()
    return order[order < n]


def near_rows_exactly(values: FloatArray, kept: int, threads: int | None) -> tuple[IntArray, FloatArray]:
    """Return the nearest rows of every row, nearest first, and their squared distances."""
    from scipy.spatial import cKDTree

    distances, near = cKDTree(values).query(values, kept + 1, workers=threads or -1)
    # Among equal rows a row need not be its own nearest.
    is_self = near == np.arange(len(values))[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    rows = len(values)
    return near[~is_self].reshape(rows, kept).astype(np.int32), distances[~is_self].reshape(rows, kept) ** 2


def bound_error(values: FloatArray, k: int, threads: int | None = None) -> float:
    """Return a lower bound of the squared error of any clusters of at least k rows.

    A cluster of m rows has the error Σ |x − y|² / m over its pairs. Cut the square of every pair into two
    parts, one for each of its rows: then no cluster costs less than the sum, over its rows, of their m − 1
    smallest parts / m, and the least of these is that of m = k. Any cuts give a bound. The first ones are
    halves; then what a row does not need to be far from a pair is given to the other row, step by step.
    """
    values = check_values(values, k)
    if k == 1:
        return 0.0
    near, squares = near_rows_exactly(values, min(max(3 * k, 16), len(values) - 1), threads)
    wanted, radius = min(k - 1, near.shape[1]), squares[:, -1]
    other = _reverse(near)
    parts = np.where(other >= 0, squares / 2, squares - radius[near] / 2)
    pairs = np.flatnonzero((other >= 0).ravel())
    pairs = pairs[pairs < other.ravel()[pairs]]
    twins, total = other.ravel()[pairs], squares.ravel()[pairs]
    best = 0.0
    for step in STEPS_OF_CUTS:
        # Rows that are not listed have at least half of the farthest listed square.
        limit = np.minimum(np.partition(parts, wanted - 1, axis=1)[:, wanted - 1], radius / 2)
        taken = parts <= limit[:, None]
        sums = np.where(taken, parts, 0.0).sum(axis=1) + (wanted - taken.sum(axis=1)) * limit
        best = max(best, float(sums.sum()) / k)
        change = step * total * (taken.ravel()[pairs].astype(np.float64) - taken.ravel()[twins])
        first = np.clip(parts.ravel()[pairs] + change, 0.0, total)
        parts.ravel()[pairs], parts.ravel()[twins] = first, total - first
    return best * (1.0 - ROUNDING)


def _reverse(near: IntArray) -> LongArray:
    """Return where, in the list of each neighbour, the row itself is: a place in the raveled lists, or −1."""
    rows, kept = near.shape
    own = np.repeat(np.arange(rows, dtype=np.int64), kept)
    keys, wanted = own * rows + near.ravel(), near.ravel() * np.int64(rows) + own
    order = np.argsort(keys)
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    return np.where(keys[order[at]] == wanted, order[at], -1).reshape(rows, kept)


def squared_error(values: FloatArray, owner: IntArray | LongArray) -> float:
    """Return the sum of squared distances between rows and the means of their clusters."""
    sizes = np.bincount(owner)
    total = 0.0
    for column in values.T:
        means = np.bincount(owner, weights=column) / sizes
        total += float(((column - means[owner]) ** 2).sum())
    return total
