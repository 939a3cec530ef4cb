"""precision: how low in their hierarchies the cells stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.properties import CellCost
from sfumato.measures.measure import Direction, Measure, Monotone
from sfumato.measures.utility.cells import kept_shares

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics


class Precision(Measure):
    """Precision: 1 − the mean over cells of the cell's level over the height of its hierarchy.

    A cell of a suppressed row counts as fully generalized. Weights are not used.

    Sweeney, L. (2002), Achieving k-anonymity privacy protection using
    generalization and suppression, doi:10.1142/S021848850200165X.
    """

    direction = Direction.MAXIMIZE
    monotone = Monotone.WORSENS | Monotone.ROW_PENALTIES
    costs = (CellCost.HEIGHT,)
    limits = (0.0, 1.0)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the precision of each node."""
        shares = kept_shares(statistics, CellCost.HEIGHT)
        lost = shares.sum(axis=1) + statistics.suppressed * shares.shape[1]
        return np.asarray(1.0 - lost / (statistics.row_count * max(1, shares.shape[1])))
