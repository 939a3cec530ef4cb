"""hdm: the hierarchical discernibility metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.properties import CellCost
from sfumato.measures.measure import Direction, Measure, Monotone
from sfumato.measures.penalties import RowPenalties, by_frequency

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics
    from sfumato.domains import Cube


class HDM(Measure):
    """Hierarchical discernibility: what each value loses of being told from others, summed over rows.

    With N rows in all, N_v of the value v and N_e of the values in its block e, a cell costs
    (N_e − N_v) / (N − N_v), a cell of a suppressed row 1. All are counted on the whole table before
    suppression: otherwise a generalization could cost less. A row costs Σ w·cell / Σ w, and the
    metric is the sum over rows. In a column of which one value has all rows, a cell that is kept
    costs nothing. Missing is a value like any other. A value that is generalized in two steps costs the
    sum of both: the penalty of e is N_e / (N − N_v) less that of v.

    Li, T., Li, N. (2008), Towards optimal k-anonymization, section 4.1,
    doi:10.1016/j.datak.2007.06.015.
    """

    direction = Direction.MINIMIZE
    monotone = Monotone.WORSENS | Monotone.ROW_PENALTIES
    least_cost = 0.0
    costs = (CellCost.FREQUENCY,)

    def __init__(self, name: str, weights: FloatArray) -> None:
        super().__init__(name)
        self.weights = weights

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the metric of each node."""
        return np.asarray((statistics.penalties * self.weights).sum(axis=1) / self.weights.sum())

    def penalties(self, cube: Cube) -> RowPenalties:
        """Return what each row costs."""
        return by_frequency(cube, self.weights / self.weights.sum(), 1.0)

    def largest(self, rows: int, attributes: int) -> float:
        """Return the bound of the measure."""
        return float(rows)
