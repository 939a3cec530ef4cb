"""The best node of a lattice for one objective, with its proof.

From the most general node the search goes to the best neighbour as long as one is better: an attribute one
level down or up, or one down and another one up. Then the lattice is split into boxes, the one that may
hold the cheapest node first, until none is left that may hold a better one; see `bounds`.

All nodes of a step are evaluated side by side, and nothing but their numbers decides the
next step, so that the result does not depend on the number of threads.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.search.bounds import Boxes, NodeBounds, NodeBox
from sfumato.search.ledger import Ledger, Run
from sfumato.search.problem import round_costs, violations

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.classes import Statistics
    from sfumato.search.problem import Problem, SearchResult

MISSES = 1e200
"""What a node that misses requirements is worth times how much it misses: worse than any that meets them."""

TRIED = 8
"""How many neighbours are tried at once, the most promising first."""

FAR = 1e300  # what gains are cut off at

LEAST_SPLIT, MOST_SPLIT, SPLIT_WORK = 16, 512, 3_200_000
"""How many boxes are split at once: × distinct tuples so many, within these limits.

The more are, the more tables their nodes share. Once the incumbent is the best node, every box that is open
has to be split anyway; until then few at once go to the better ones first.
"""

NEIGHBOURS = 128
"""How many nodes are at most made from the classes of one below them all; more share tables on a walk."""


def search_optimal(problem: Problem, run: Run | None = None) -> SearchResult:
    """Find the node with the best first objective that meets every requirement."""
    search = LevelSearch(problem, run or Run())
    search.descend(problem.lattice.top)
    while search.boxes.open and not search.watch.stopped:
        search.split()
    return search.found()


class LevelSearch(Ledger):
    """All nodes evaluated so far, what each one is worth, and what is still open."""

    def __init__(self, problem: Problem, run: Run, method: str = "optimal") -> None:
        super().__init__(replace(problem, objectives=problem.objectives[:1]), run, problem.lattice, method)
        self.run, self.objective = run, problem.objectives[0]
        self.bounds = NodeBounds(self.problem, self.batch)
        self.boxes = Boxes(self.bounds, self.lattice)
        self.unsettled: list[NodeBox] = []  # that were taken out, and stay open where they are not evaluated
        self.worth: list[float] = []  # by numbers of nodes: cost, or more where requirements are missed
        self.excess: list[float] = []  # by numbers of nodes: what suppression adds to those below
        self.before = 0  # nodes evaluated before the search was resumed
        self.best = np.inf  # the least cost of a node that meets the requirements
        self.gains = np.zeros(
            (2, len(self.lattice.ladders))
        )  # what a step of each attribute down, up changed
        fitting = np.clip(SPLIT_WORK // max(1, problem.cube.distinct), LEAST_SPLIT, MOST_SPLIT)
        # Where no node rules out others, as many as possible share their tables.
        self.at_once = int(fitting) if self.bounds.prunes_down else MOST_SPLIT

    def note(self, statistics: Statistics, feasible: BoolArray) -> None:
        """Keep what nodes are worth, and what suppression adds to those below."""
        costs = self.objective.cost(statistics)
        worth = round_costs(costs)
        if not feasible.all():
            missed = 1 + violations(self.problem, statistics).sum(axis=1)
            worth = np.where(feasible, worth, MISSES * missed)
        self.worth.extend(worth.tolist())
        self.excess.extend(self.bounds.excess(statistics).tolist())
        self.best = min(self.best, float(costs[feasible].min(initial=np.inf)))

    def compute(self, nodes: LongArray) -> Statistics:
        """Evaluate nodes: neighbours of one, or what is split at once."""
        is_near = len(nodes) <= NEIGHBOURS
        return self.batch.evaluate(nodes, self.tick, bounds=self.bounds.asks_doomed, near=is_near)

    @property
    def evaluated(self) -> int:
        """How many nodes were evaluated."""
        return self.before + len(self.number_of)

    def found(self, reason: str | None = None) -> SearchResult:
        """Return the best node, and what every other one costs at least."""
        self.close()
        bound = min([self.best, self.boxes.least, *(box.bound for box in self.unsettled)])
        is_open = bool(self.boxes.open or self.unsettled)
        return self.run.result(
            self.lattice,
            self.front.nodes,
            self.evaluated,
            complete=not is_open,
            reason=reason,
            bound=self.objective.direction.sign * bound if np.isfinite(bound) else None,
            certificate={"open": len(self.boxes.open), "bound rests on": self.bounds.words}
            if is_open
            else None,
        )

    # --- better and better nodes -----------------------------------------------------

    def descend(self, node: LongArray) -> tuple[LongArray, float]:
        """Go from neighbour to neighbour while it gets better; return where that ends, and its worth."""
        worth = float(self._worth_of(self.evaluate(node[None]))[0])
        while not self.is_over:
            found, value = self._best_of(node, self._steps(node), worth)
            if value >= worth:
                found, value = self._best_of(node, self._swaps(node), worth)
            if value >= worth:
                break
            node, worth = found, value
        return node, worth

    def _worth_of(self, numbers: LongArray) -> FloatArray:
        return np.array([self.worth[number] if number >= 0 else np.inf for number in numbers.tolist()])

    def _best_of(self, node: LongArray, moves: LongArray, limit: float) -> tuple[LongArray, float]:
        """Return a neighbour of a node below a limit, the best of those tried with it; inf if none is."""
        moves = moves[self._least(node, moves) < limit]
        moves = moves[np.argsort(self._expected(node, moves), kind="stable")]
        for start in range(0, len(moves), TRIED):
            tried = moves[start : start + TRIED]
            values = self._worth_of(self.evaluate(tried))
            self._learn(tried - node, values - limit)
            best = int(np.argmin(values))
            if values[best] < limit or self.watch.stopped:
                return tried[best], float(values[best])
        return node, np.inf

    def _expected(self, node: LongArray, moves: LongArray) -> FloatArray:
        """Return what moves may change, by what each of their steps did when last tried alone."""
        return np.asarray((moves < node) @ self.gains[0] + (moves > node) @ self.gains[1])

    def _learn(self, steps: LongArray, changes: FloatArray) -> None:
        """Remember what single steps changed."""
        # Gains are added up, so they have to be finite: from or to what misses the requirements they are not.
        most = min(abs(self.best), FAR)
        for step, change in zip(steps, changes.tolist(), strict=True):
            moved = np.flatnonzero(step)
            if len(moved) == 1:
                gain = max(change, -FAR) if change < most else most
                self.gains[int(step[moved[0]] > 0), moved[0]] = gain

    def _least(self, node: LongArray, moves: LongArray) -> FloatArray:
        """Return what neighbours cost at least: by their cells, and by what is above them and the node."""
        known = (self.number_of.get(above.tobytes(), -1) for above in np.maximum(node, moves))
        added = np.array([self.excess[number] if number >= 0 else 0.0 for number in known])
        return self.bounds.least(moves, added)

    def _steps(self, node: LongArray) -> LongArray:
        """Return the nodes at which one attribute is a level lower or higher."""
        unit = np.eye(len(node), dtype=np.int64)
        return self._within(np.concatenate([node - unit, node + unit]))

    def _swaps(self, node: LongArray) -> LongArray:
        """Return the nodes at which one attribute is a level lower and another one a level higher."""
        unit = np.eye(len(node), dtype=np.int64)
        return self._within((node - unit[:, None] + unit)[unit == 0])

    def _within(self, nodes: LongArray) -> LongArray:
        fits = (nodes >= self.lattice.bottom) & (nodes <= self.lattice.top)
        return np.ascontiguousarray(nodes[fits.all(axis=1)])

    # --- the proof -------------------------------------------------------------------

    def split(self) -> None:
        """Split the boxes that may hold the best nodes, equally good ones included."""
        # By rounding alone a bound may lie above a cost that it bounds.
        limit = self.best + 1e-11 * abs(self.best) if np.isfinite(self.best) else np.inf
        taken = self.boxes.take(self.at_once, limit)
        if not taken:
            return
        self.unsettled = taken
        low, high = self.boxes.split(taken)
        numbers = self.evaluate(high).tolist()
        if min(numbers) >= 0:
            self.boxes.put(low, high, np.array([self.excess[number] for number in numbers]))
            self.unsettled = []
        if np.isfinite(self.best) and self.best > 0:
            self.share = max(self.share, min(1.0, self.boxes.least / self.best))
