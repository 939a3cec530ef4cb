"""Local search over the levels of a lattice for one objective, for spaces too large for a proof.

From the most general node it goes to the best neighbour as long as one is better: an attribute one level
up or down, or one down and another one up. Where none is, the best node so far is changed
at random in a few attributes and the search goes on from there.

Neighbours that cannot be better are not evaluated; see :class:`NodeBounds`. All nodes of a step are
evaluated side by side, and nothing but what they are decides the next step: the result of a number of
starts is the same for any number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.search.bounds import NodeBounds
from sfumato.search.ledger import Ledger, Run, check_parameters
from sfumato.search.problem import round_costs
from sfumato.search.pymoo_adapter.scoring import violations

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.classes import Statistics
    from sfumato.search.problem import Problem, SearchResult

INFEASIBLE = 1e200
"""A node that misses requirements costs so much times what it misses: more than any that meets them."""


@dataclass(frozen=True)
class DescentParameters:
    """When a local search ends, beside its time limit."""

    iterations: int | None = None  # new starts; as many as time allows where None
    patience: int = 500  # it ends after so many starts in a row that find nothing better

    def __post_init__(self) -> None:
        check_parameters(self, {"iterations": 0, "patience": 1}, ())


def search_descent(problem: Problem, run: Run | None = None) -> SearchResult:
    """Search the levels of a lattice for the best first objective by local search."""
    return _Descent(problem, run or Run()).search()


class _Descent(Ledger):
    """All nodes evaluated so far, what each is worth, and where the search is."""

    def __init__(self, problem: Problem, run: Run) -> None:
        super().__init__(problem, run, problem.lattice)
        self.run, self.parameters = run, run.parameters_of(DescentParameters)
        self.bounds = NodeBounds(problem, self.batch)
        self.worth: list[float] = []  # of the nodes by their numbers: cost, or how infeasible they are
        self.excess: list[float] = []
        self.centre: LongArray | None = None

    def search(self) -> SearchResult:
        best, worth = self._descend(self.lattice.top)
        idle = done = 0
        while not self.is_over and done != self.parameters.iterations and idle < self.parameters.patience:
            found, value = self._descend(self._kick(best, idle))
            idle = 0 if value < worth else idle + 1
            if value <= worth:
                best, worth = found, value
            done += 1
        self.tick()
        return self.run.result(self.lattice, self.front.nodes, len(self.number_of), complete=self.is_complete)

    def note(self, statistics: Statistics, feasible: BoolArray) -> None:
        """Keep what nodes are worth, and what suppression adds at least below them."""
        cost = round_costs(self.problem.objectives[0].cost(statistics))
        missed = 1 + violations(self.problem, statistics).sum(axis=1)
        self.worth.extend(np.where(feasible, cost, INFEASIBLE * missed).tolist())
        self.excess.extend(self.bounds.excess(statistics).tolist())

    def compute(self, nodes: LongArray) -> Statistics:
        """Evaluate the neighbours of a node from as few tables as there are attributes that go down."""
        if self.centre is None:
            return super().compute(nodes)
        falls = nodes < self.centre
        lowered = np.where(falls.any(axis=1), falls.argmax(axis=1), -1)
        return self.batch.evaluate_near([nodes[lowered == a] for a in np.unique(lowered)], self.tick)

    def _descend(self, node: LongArray) -> tuple[LongArray, float]:
        """Go from neighbour to neighbour while it gets better; return where that ends, and its worth."""
        number = int(self.evaluate(node[None])[0])
        worth = self.worth[number] if number >= 0 else np.inf
        while not self.is_over:
            for moves in (self._steps(node), self._swaps(node)):
                found, value = self._best_of(node, moves, worth)
                if value < worth:
                    break
            else:
                break
            node, worth = found, value
        return node, worth

    def _best_of(self, node: LongArray, moves: LongArray, limit: float) -> tuple[LongArray, float]:
        """Return the best of a node's neighbours, the first one of equals; inf where none may be better."""
        moves = moves[self._reach(node, moves) < limit]
        self.centre = node
        numbers = self.evaluate(moves) if len(moves) else np.zeros(0, dtype=np.int64)
        self.centre = None
        values = np.array([self.worth[number] if number >= 0 else np.inf for number in numbers.tolist()])
        if not len(values):
            return node, np.inf
        best = int(np.argmin(values))
        return moves[best], float(values[best])

    def _reach(self, node: LongArray, moves: LongArray) -> FloatArray:
        """Return what neighbours cost at least, by their cells and by what lies above them and the node."""
        above = np.maximum(node, moves)
        known = [self.number_of.get(key.tobytes(), -1) for key in above]
        added = np.array([self.excess[number] if number >= 0 else 0.0 for number in known])
        return self.bounds.floor(moves) + added

    def _steps(self, node: LongArray) -> LongArray:
        """Return the nodes that differ by one level."""
        q = len(node)
        moves = np.concatenate([node - np.eye(q, dtype=np.int64), node + np.eye(q, dtype=np.int64)])
        return self._within(moves)

    def _swaps(self, node: LongArray) -> LongArray:
        """Return the nodes at which one attribute is a level lower and another one a level higher."""
        q = len(node)
        unit = np.eye(q, dtype=np.int64)
        moves = (node - unit[:, None] + unit[None])[~np.eye(q, dtype=bool)]
        return self._within(moves)

    def _within(self, moves: LongArray) -> LongArray:
        fits = (moves >= self.lattice.bottom) & (moves <= self.lattice.top)
        return np.ascontiguousarray(moves[fits.all(axis=1)])

    def _kick(self, node: LongArray, idle: int) -> LongArray:
        """Return a node that differs in a few attributes, drawn at random: more, the longer nothing helped."""
        free = np.flatnonzero(self.lattice.top > self.lattice.bottom)
        count = min(len(free), 2 + int(self.random.integers(0, 2 + min(idle // 20, 6))))
        chosen = self.random.choice(free, count, replace=False)
        kicked = node.copy()
        kicked[chosen] = self.random.integers(self.lattice.bottom[chosen], self.lattice.top[chosen] + 1)
        return kicked
