"""dm: the discernibility metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.measures.measure import Direction, Measure, Monotone
from sfumato.measures.penalties import RowPenalties

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics
    from sfumato.domains import Cube


class DM(Measure):
    """Discernibility: every row costs the rows it cannot be told from, a suppressed one all rows.

    dm = Σ rows² over the remaining classes + suppressed × all rows. It counts
    rows even where persons are named.

    Bayardo, R. J., Agrawal, R. (2005), Data privacy through optimal
    k-anonymization, doi:10.1109/ICDE.2005.42.
    """

    direction = Direction.MINIMIZE
    monotone = Monotone.WORSENS | Monotone.ROW_PENALTIES
    least_cost = 0.0

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the metric of each node."""
        return (statistics.rows_squared + statistics.suppressed * statistics.row_count).astype(np.float64)

    def unsuppressed_cost(self, statistics: Statistics) -> FloatArray:
        """Return the cost of each node if no row were suppressed."""
        return statistics.all_rows_squared.astype(np.float64)

    def penalties(self, cube: Cube) -> RowPenalties:
        """Return what each row costs."""
        return RowPenalties(float(cube.row_count), by_class=True)

    def largest(self, rows: int, attributes: int) -> float:
        """Return the bound of the measure."""
        return float(rows) ** 2
