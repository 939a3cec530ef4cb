"""gl: the general loss metric over the rows that remain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.properties import CellCost
from sfumato.measures.measure import Direction, Measure, Monotone
from sfumato.measures.utility.cells import kept_shares

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics


class GL(Measure):
    """Generalization loss: the general loss metric summed over the cells of the rows that remain.

    A suppressed row costs nothing here; ``sl`` counts it. Weights are scaled to a mean of 1.

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), Multi-objective
    evolutionary optimization in statistical disclosure control, eq. 1.2.
    """

    direction = Direction.MINIMIZE
    monotone = Monotone.WORSENS
    costs = (CellCost.SIZE,)

    def __init__(self, name: str, weights: FloatArray) -> None:
        super().__init__(name)
        self.weights = weights * (len(weights) / weights.sum())

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the summed loss of each node."""
        return np.asarray((kept_shares(statistics, CellCost.SIZE) * self.weights).sum(axis=1))

    def largest(self, rows: int, attributes: int) -> float:
        """Return the bound of the measure."""
        return float(rows * attributes)
