"""spread_k: class size summed over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.measures.measure import Direction, Measure, Monotone

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics


class SpreadK(Measure):
    """S_k: the size of the row's class, summed over the rows that remain.

    The spread index of the property "class size".

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2011), Exploring privacy versus
    data quality trade-offs in anonymization techniques using multi-objective
    optimization, section on property based generalizations.
    """

    direction = Direction.MAXIMIZE
    monotone = Monotone.IMPROVES

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the summed class size of each node."""
        return statistics.size_sum.astype(np.float64)
