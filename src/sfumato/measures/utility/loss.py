"""loss: the general loss metric per cell."""

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


class Loss(Measure):
    """General loss metric per cell, between 0 and 1, with weights.

    A cell costs (|block| − 1) / (|domain| − 1), a cell of a suppressed row 1,
    a cell of a domain with one value 0. A row costs Σ w·cell / Σ w; the loss is the mean over all rows.
    With weights it is the weighted certainty penalty, over rows × Σ w: the sum over cells of w·penalty
    is loss × rows × Σ w. (Xu et al. take |block| / |domain| for a generalized category, which we do not: a
    value that is left as it is costs nothing either way, and everything costs 1.)

    Iyengar, V. S. (2002), Transforming data to satisfy privacy constraints,
    doi:10.1145/775047.775089; Xu, J. et al. (2006), Utility-based anonymization using local
    recoding, doi:10.1145/1150402.1150504.
    """

    direction = Direction.MINIMIZE
    monotone = Monotone.WORSENS | Monotone.ROW_PENALTIES
    costs = (CellCost.SIZE,)
    limits = (0.0, 1.0)

    def __init__(self, name: str, weights: FloatArray) -> None:
        super().__init__(name)
        self.weights = weights

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the loss of each node."""
        shares = kept_shares(statistics, CellCost.SIZE) + statistics.suppressed[:, None]
        return np.asarray((shares * self.weights).sum(axis=1) / (self.weights.sum() * statistics.row_count))

    def penalties(self, cube: Cube) -> RowPenalties:
        """Return what each row costs."""
        return by_size(cube, self.weights / (self.weights.sum() * cube.row_count), 1.0 / cube.row_count)

    def largest(self, rows: int, attributes: int) -> float:
        """Return the bound of the measure."""
        return 1.0
