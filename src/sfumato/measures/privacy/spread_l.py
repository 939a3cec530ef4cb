"""spread_l: how often the row's own sensitive value occurs in its class, summed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.properties import Property, PropertyKind
from sfumato.measures.measure import Direction, Measure, Monotone

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics


class SpreadL(Measure):
    """S_ℓ: the count of the row's own sensitive value in its class, summed over the rows that remain.

    A class with counts c_v contributes Σ c_v². Missing is a value of its own.

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2011), Exploring privacy versus
    data quality trade-offs in anonymization techniques using multi-objective
    optimization, section on property based generalizations.
    """

    direction = Direction.MAXIMIZE
    monotone = Monotone.IMPROVES

    def __init__(self, name: str, attribute: int) -> None:
        super().__init__(name)
        self.properties = (Property(PropertyKind.SQUARES, attribute),)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the summed counts of each node."""
        return statistics.sum_of(self.properties[0]).astype(np.float64)
