"""cm: rows whose class speaks for another label."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.properties import Property, PropertyKind
from sfumato.measures.measure import Direction, Measure, Monotone

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics


class CM(Measure):
    """Classification metric: the number of penalized rows.

    A row is penalized if it is suppressed, or if its label is not the most
    frequent one of its class. Of several most frequent labels one is spared, so
    a class of n rows with largest count c has n − c penalized rows. Missing is a label of its own.

    Iyengar, V. S. (2002), Transforming data to satisfy privacy constraints,
    doi:10.1145/775047.775089.
    """

    direction = Direction.MINIMIZE
    monotone = Monotone.WORSENS
    least_cost = 0.0

    def __init__(self, name: str, attribute: int) -> None:
        super().__init__(name)
        self.properties = (Property(PropertyKind.MAJORITY, attribute),)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the penalized rows of each node."""
        spared = statistics.sum_of(self.properties[0])
        return np.asarray(statistics.row_count - spared, dtype=np.float64)

    def largest(self, rows: int, attributes: int) -> float:
        """Return the bound of the measure."""
        return float(rows)
