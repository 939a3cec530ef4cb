"""glm: the general loss metric as an absolute sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.properties import CellCost
from sfumato.measures.measure import Direction, Measure, Monotone
from sfumato.measures.penalties import RowPenalties, by_size
from sfumato.measures.utility.cells import kept_shares

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics
    from sfumato.domains import Cube


class GLM(Measure):
    """General loss metric, summed over cells.

    A cell costs (|block| − 1) / (|domain| − 1), a cell of a suppressed row 1,
    a cell of a domain with one value 0. Weights are scaled to a mean of 1, so that
    glm = loss × rows × attributes = gl + sl.

    Iyengar, V. S. (2002), Transforming data to satisfy privacy constraints,
    doi:10.1145/775047.775089.
    """

    direction = Direction.MINIMIZE
    monotone = Monotone.WORSENS | Monotone.ROW_PENALTIES
    costs = (CellCost.SIZE,)

    def __init__(self, name: str, weights: FloatArray) -> None:
        super().__init__(name)
        self.weights = weights * (len(weights) / weights.sum())

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the summed loss of each node."""
        kept = (kept_shares(statistics, CellCost.SIZE) * self.weights).sum(axis=1)
        return np.asarray(kept + statistics.suppressed * len(self.weights))

    def penalties(self, cube: Cube) -> RowPenalties:
        """Return what each row costs."""
        return by_size(cube, self.weights, float(len(self.weights)))

    def largest(self, rows: int, attributes: int) -> float:
        """Return the bound of the measure."""
        return float(rows * attributes)
