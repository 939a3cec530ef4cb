"""The best node of a lattice for one objective, with its proof.

The lattice is searched from the most general node down, layer by layer. Two
bounds prune, both from what measures declare:

- An objective made of row penalties costs at least what it would cost without
  suppression, and where that needs only cell costs it is known for every node
  beforehand.
- Where a class that meets the requirements still does so united with any other
  class, the rows that fail at a node fail at all its specializations. So a node
  that would need too much suppression rules them out, and what suppression
  adds to the cost of a node, it adds at least to each of theirs: let F be the
  rows suppressed at x, p(r) the penalty of row r and P that of a suppressed row; for
  y below x, F(y) ⊇ F(x) and p_y ≤ p_x, so
  cost(y) = Σ p_y + Σ_{F(y)} (P − p_y) ≥ Σ p_y + Σ_{F(x)} (P − p_x).
- Where it does so only united with one that meets them too (t, most ℓ), rows that fail at x may pass below.
  There F(x) are the rows that are doomed, see `histograms.count_doomed`: of each class at x so many go at y.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import CellCost, Rule
from sfumato.domains import Ladder, Lattice
from sfumato.measures import Monotone
from sfumato.search.ledger import Run
from sfumato.search.problem import is_of_cells, round_costs
from sfumato.search.texts import text_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.classes import Statistics
    from sfumato.search.problem import Problem, SearchResult

WINDOW = 500_000
"""Nodes whose bounds are held at once; a larger lattice is searched part by part."""


def search_optimal(problem: Problem, run: Run | None = None) -> SearchResult:
    """Find the node with the best first objective that meets every requirement."""
    return _TopDown(problem, run or Run()).search()


class _TopDown:
    """State of one search: the best so far and what is known of the rest."""

    def __init__(self, problem: Problem, run: Run) -> None:
        self.problem, self.run, self.watch = problem, run, run.monitor
        self.batch = run.batch_of(problem)
        self.objective = problem.objectives[0]
        self.best: LongArray | None = None
        self.best_cost = np.inf
        self.best_suppressed = 0
        self.open_bound = np.inf
        self.settled = 0
        self.known: set[bytes] = set()
        penalties = Monotone.ROW_PENALTIES in self.objective.monotone
        # Where rows that fail may be fine below, those that are doomed take their place.
        self.is_doomed = not problem.prunes_down and problem.suppression.rule in (Rule.FAILING, Rule.NONE)
        self.prunes_down = problem.prunes_down or self.is_doomed
        # What the doomed rows of a class cost is known where all its rows cost the same.
        is_even = CellCost.FREQUENCY not in self.objective.costs
        self.has_excess = penalties and (problem.prunes_down or (self.is_doomed and is_even))
        # Known without classes only if the objective looks at nothing but cells.
        self.has_floor = is_of_cells(self.objective)

    def search(self) -> SearchResult:
        self._dive()
        for part in _parts(self.problem.lattice):
            if self.watch.stopped:
                # What was not looked at costs at least what the most special node does.
                self.open_bound = min(
                    self.open_bound, float(self._floor(self.problem.lattice.bottom[None])[0])
                )
                break
            self._search_part(part)
        nodes = self.problem.lattice.top[None][:0] if self.best is None else self.best[None]
        bound = min(self.best_cost, self.open_bound)
        return self.run.result(
            self.problem.lattice,
            nodes,
            len(self.known),
            complete=not self.watch.stopped,
            bound=self.objective.direction.sign * bound if np.isfinite(bound) else None,
        )

    def _tick(self) -> None:
        if self.watch.tick(self.settled / self.problem.lattice.size, len(self.known)):
            self.batch.stop()

    def _evaluate(self, nodes: LongArray) -> Statistics:
        """Evaluate nodes and keep the best."""
        self._tick()
        statistics = self.batch.evaluate(nodes, self._tick, bounds=self.is_doomed)
        self.known.update(node.tobytes() for node in statistics.nodes)
        fits = np.flatnonzero(self.problem.feasible(statistics))
        if len(fits):
            self._keep(
                statistics.nodes[fits], self.objective.cost(statistics)[fits], statistics.suppressed[fits]
            )
        return statistics

    def _keep(self, nodes: LongArray, costs: FloatArray, suppressed: LongArray) -> None:
        if self.best is not None:
            nodes = np.concatenate([self.best[None], nodes])
            costs = np.append(self.best_cost, costs)
            suppressed = np.append(self.best_suppressed, suppressed)
        keys = [round_costs(costs), suppressed, *text_keys(self.problem.lattice, nodes)]
        first = np.lexsort(keys[::-1])[0]
        self.best, self.best_cost = nodes[first], float(costs[first])
        self.best_suppressed = int(suppressed[first])

    def _dive(self) -> None:
        """Walk greedily from the top to a good first solution."""
        node = self.problem.lattice.top
        self._evaluate(node[None])
        while self.best is not None and not self.watch.stopped:
            below = _specializations(node, self.problem.lattice)
            if not len(below):
                return
            statistics = self._evaluate(below)
            cost = np.where(self.problem.feasible(statistics), self.objective.cost(statistics), np.inf)
            if not len(cost) or not np.isfinite(cost.min()):
                return
            node = statistics.nodes[int(np.argmin(cost))]

    def _search_part(self, part: Lattice) -> None:
        """Settle every node of a part of the lattice, most general layers first."""
        nodes = part.nodes(0, part.size)
        floor = self._floor(nodes)
        excess = np.zeros(len(nodes))
        for layer in _layers(nodes):
            if self.prunes_down:
                excess[layer] = _inherited(excess, layer, nodes, part)
            reachable = layer[np.isfinite(excess[layer])]
            bound = floor[reachable] + excess[reachable]
            wanted = reachable[bound <= self.best_cost + _slack(self.best_cost)]
            done = self._settle(nodes, wanted, floor, excess)
            self.settled += len(layer)
            if self.watch.stopped:
                # Every node from here down, and those of this layer that were not reached, stay open.
                lower = nodes.sum(axis=1) < nodes[layer[0]].sum()
                reach = np.concatenate([floor[lower], floor[wanted[~np.isin(wanted, done)]]])
                self.open_bound = min(self.open_bound, float(reach.min(initial=np.inf)))
                return

    def _settle(
        self, nodes: LongArray, wanted: LongArray, floor: FloatArray, excess: FloatArray
    ) -> LongArray:
        """Evaluate the wanted nodes and note what suppression adds; return those that were done."""
        if not len(wanted):
            return wanted
        statistics = self._evaluate(nodes[wanted])
        if len(statistics) < len(wanted):
            return wanted[:0]
        gone = statistics.doomed or statistics
        if self.prunes_down:
            added = np.zeros(len(wanted))
            if self.has_excess:
                added = self.objective.cost(gone) - self._unsuppressed(gone, floor[wanted])
            excess[wanted] = np.where(self._within_budget(gone), np.maximum(excess[wanted], added), np.inf)
        return wanted

    def _within_budget(self, statistics: Statistics) -> BoolArray:
        return statistics.failing <= self.problem.suppression.budget

    def _unsuppressed(self, statistics: Statistics, floor: FloatArray) -> FloatArray:
        return floor if self.has_floor else self.objective.unsuppressed_cost(statistics)

    def _floor(self, nodes: LongArray) -> FloatArray:
        """Return what each node costs at least."""
        if self.has_floor:
            return self.objective.cost(self.batch.unsuppressed(nodes))
        return np.full(len(nodes), self.objective.least_cost)


def _slack(cost: float) -> float:
    """Return how far a bound may lie above the cost by rounding alone."""
    return 1e-11 * abs(cost) if np.isfinite(cost) else 0.0


def _parts(lattice: Lattice) -> Iterator[Lattice]:
    """Split a lattice into parts small enough to hold, general ones first, by fixing leading levels."""
    if lattice.size <= WINDOW:
        yield lattice
        return
    widest = next(a for a, count in enumerate(lattice.counts) if count > 1)
    ladder = lattice.ladders[widest]
    for level in range(ladder.highest, ladder.lowest - 1, -1):
        fixed = Ladder(ladder.levels, level, level)
        yield from _parts(Lattice((*lattice.ladders[:widest], fixed, *lattice.ladders[widest + 1 :])))


def _layers(nodes: LongArray) -> Iterator[LongArray]:
    """Yield node numbers by the sum of their levels, largest first."""
    total = nodes.sum(axis=1)
    order = np.argsort(-total, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(-total[order])) + 1)


def _inherited(excess: FloatArray, layer: LongArray, nodes: LongArray, part: Lattice) -> FloatArray:
    """Return the largest excess of the direct generalizations of a layer's nodes."""
    found = np.zeros(len(layer))
    stride = 1
    for a in range(len(part.ladders) - 1, -1, -1):
        raised = nodes[layer, a] < part.ladders[a].highest
        found[raised] = np.maximum(found[raised], excess[layer[raised] + stride])
        stride *= part.counts[a]
    return found


def _specializations(node: LongArray, lattice: Lattice) -> LongArray:
    """Return the nodes directly below a node."""
    lower = np.flatnonzero(node > lattice.bottom)
    below = np.repeat(node[None], len(lower), axis=0)
    below[np.arange(len(lower)), lower] -= 1
    return below
