"""What nodes of a lattice cost at least, before they are evaluated.

By what measures declare:

- An objective made of row penalties costs at least what it would cost without
  suppression, and where that needs only cell costs it is known for every node
  beforehand: its floor.
- Where a class that meets the requirements still does so united with any other
  class, the rows that fail at a node fail at all its specializations. So a node
  that would need too much suppression rules them out, and what suppression
  adds to the cost of a node, its excess, it adds at least to each of theirs: let F be the
  rows suppressed at x, p(r) the penalty of row r and P that of a suppressed row; for
  y below x, F(y) ⊇ F(x) and p_y ≤ p_x, so
  cost(y) = Σ p_y + Σ_{F(y)} (P − p_y) ≥ Σ p_y + Σ_{F(x)} (P − p_x).
- Where it does so only united with one that meets them too (t, most ℓ), rows that fail at x may pass below.
  There F(x) are the rows that are doomed, see `kernels.histograms.count_doomed`: of each class at x so many
  go at y.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.classes import CellCost, Rule
from sfumato.measures import Monotone
from sfumato.search.problem import is_of_cells

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray
    from sfumato.classes import Batch, Statistics
    from sfumato.domains import Lattice
    from sfumato.search.problem import Problem


class NodeBounds:
    """Bounds the first objective at the nodes of a lattice."""

    def __init__(self, problem: Problem, batch: Batch) -> None:
        self._problem, self._batch, self._objective = problem, batch, problem.objectives[0]
        # Where rows that fail may be fine below, those that are doomed take their place.
        self.asks_doomed = not problem.prunes_down and problem.suppression.rule in (Rule.FAILING, Rule.NONE)
        self.prunes_down = problem.prunes_down or self.asks_doomed
        # What the doomed rows of a class cost is known where all its rows cost the same.
        is_known = problem.prunes_down or CellCost.FREQUENCY not in self._objective.costs
        self._has_excess = is_known and Monotone.ROW_PENALTIES in self._objective.monotone
        # Known without classes only if the objective looks at nothing but cells.
        self._has_floor = is_of_cells(self._objective)

    @property
    def words(self) -> str:
        """What a bound on all nodes that are still open rests on."""
        if not self._has_floor:
            return "what the objective cannot fall below: nothing more is known before classes are made"
        added = " and what suppression adds at its most general one" if self._has_excess else ""
        return f"the least over all open boxes: its most specific recoding without suppression{added}"

    def floor(self, nodes: LongArray) -> FloatArray:
        """Return what each node costs at least."""
        if self._has_floor:
            return self._objective.cost(self._batch.unsuppressed(nodes))
        return np.full(len(nodes), self._objective.least_cost)

    def least(self, nodes: LongArray, excess: FloatArray) -> FloatArray:
        """Return what each node costs at least below one with such an excess; inf where it is ruled out."""
        # Nothing may be known of what it costs: −inf, and inf may not be added to that.
        return np.where(np.isfinite(excess), self.floor(nodes) + np.nan_to_num(excess, posinf=0.0), np.inf)

    def excess(self, statistics: Statistics) -> FloatArray:
        """Return what suppression adds at least at the specializations of nodes; inf where none is left."""
        added, gone = np.zeros(len(statistics)), statistics.doomed or statistics
        if not self.prunes_down:
            return added
        if self._has_excess:
            plain = self.floor(gone.nodes) if self._has_floor else self._objective.unsuppressed_cost(gone)
            added = self._objective.cost(gone) - plain
        return np.where(gone.failing <= self._problem.suppression.budget, added, np.inf)


class NodeBox(NamedTuple):
    """All nodes from the lowest to the highest one."""

    bound: float  # what each of them costs at least
    order: int  # of equal bounds the youngest is first, so that a search goes down before it goes on
    low: LongArray
    high: LongArray
    excess: float  # of the highest node, and so at least of all


class Boxes:
    """The parts of a lattice that are still open, the least bound first.

    A box costs at least the floor of its lowest node and the excess of its highest one. It is split by an
    attribute: at its highest level, which raises the floor, or below it, which raises the excess.
    """

    def __init__(self, bounds: NodeBounds, lattice: Lattice) -> None:
        self._bounds, self._made = bounds, 0
        self.open: list[NodeBox] = []
        self.put(lattice.bottom[None], lattice.top[None], np.zeros(1))

    @property
    def least(self) -> float:
        """What every node of an open box costs at least; inf where there is none."""
        return self.open[0].bound if self.open else np.inf

    def put(self, low: LongArray, high: LongArray, excess: FloatArray) -> None:
        """Put boxes in whose highest nodes are evaluated."""
        for place, bound in enumerate(self._bounds.least(low, excess).tolist()):
            self._made += 1
            if bound < np.inf:
                box = NodeBox(bound, -self._made, low[place], high[place], float(excess[place]))
                heapq.heappush(self.open, box)

    def take(self, count: int, limit: float) -> list[NodeBox]:
        """Take boxes out that may hold a node within a limit, beside their highest ones; drop others."""
        taken: list[NodeBox] = []
        while self.open and len(taken) < count:
            box = heapq.heappop(self.open)
            if box.bound <= limit and (box.high > box.low).any():
                taken.append(box)
        return taken

    def split(self, boxes: list[NodeBox]) -> tuple[LongArray, LongArray]:
        """Put the upper parts of boxes in, and return the lowest and highest nodes of the lower parts."""
        low, high = np.stack([box.low for box in boxes]), np.stack([box.high for box in boxes])
        rows, at = np.arange(len(boxes)), self._most_raised(low, high)
        upper, lower = low.copy(), high.copy()
        upper[rows, at] = high[rows, at]
        lower[rows, at] -= 1
        self.put(upper, high, np.array([box.excess for box in boxes]))
        return low, lower

    def _most_raised(self, low: LongArray, high: LongArray) -> LongArray:
        """Return the attribute of each box whose highest level raises the floor most."""
        n, q = low.shape
        raised = np.repeat(low[:, None], q, axis=1)
        each = np.arange(q)
        raised[:, each, each] = high
        floor = self._bounds.floor(raised.reshape(n * q, q)).reshape(n, q)
        # Nothing may be known of what nodes cost at least.
        return np.asarray(np.where(high > low, np.maximum(floor, -1e300), -np.inf).argmax(axis=1))
