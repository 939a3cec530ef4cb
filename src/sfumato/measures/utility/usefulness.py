"""usefulness: how near to each other the values lie that a row may have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.properties import CellCost
from sfumato.measures.measure import Direction, Measure, Monotone
from sfumato.measures.utility.cells import kept_shares

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics


class Usefulness(Measure):
    """Usefulness: 1 − the mean, over rows, of the diversity of the row's class.

    The diversity of a class in one attribute is, for numbers and dates, the distance between the largest
    and the smallest value of its block over that of the domain; for other attributes
    (|block| − 1) / (|domain| − 1), as in ``loss``. A block that unites missing with other values has the
    diversity 1, a domain of one value 0. The diversity of a class is Σ w·diversity / Σ w over the
    attributes; a suppressed row counts 1. The authors' own number is the mean diversity, of which less
    is better: 1 − ours. What a class may hold is read from its blocks, which the release shows, not from the
    values that happen to be there. Of a number only the first 31 bits of its place in the domain count.

    Loukides, G., Shao, J. (2007), Capturing data usefulness and privacy protection in
    k-anonymisation, doi:10.1145/1244002.1244091.
    """

    direction = Direction.MAXIMIZE
    monotone = Monotone.WORSENS | Monotone.ROW_PENALTIES
    costs = (CellCost.EXTENT,)
    limits = (0.0, 1.0)

    def __init__(self, name: str, weights: FloatArray) -> None:
        super().__init__(name)
        self.weights = weights

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the usefulness of each node."""
        shares = kept_shares(statistics, CellCost.EXTENT) + statistics.suppressed[:, None]
        lost = (shares * self.weights).sum(axis=1)
        return np.asarray(1.0 - lost / (self.weights.sum() * statistics.row_count))
