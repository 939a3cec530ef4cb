"""suppressed: the rows that go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.measures.measure import Direction, Measure, Monotone
from sfumato.measures.penalties import RowPenalties, by_size

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics
    from sfumato.domains import Cube


class Suppressed(Measure):
    """The number of suppressed rows."""

    direction = Direction.MINIMIZE
    monotone = Monotone.ROW_PENALTIES
    least_cost = 0.0

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the suppressed rows of each node."""
        return statistics.suppressed.astype(np.float64)

    def unsuppressed_cost(self, statistics: Statistics) -> FloatArray:
        """Return the cost of each node if no row were suppressed."""
        return np.zeros(len(statistics))

    def penalties(self, cube: Cube) -> RowPenalties:
        """Return what each row costs."""
        return by_size(cube, np.zeros(len(cube.sizes)), 1.0)

    def largest(self, rows: int, attributes: int) -> float:
        """Return the bound of the measure."""
        return float(rows)
