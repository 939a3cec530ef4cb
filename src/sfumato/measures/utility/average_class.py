"""average_class: remaining rows by remaining class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.measures.measure import Direction, Measure, Monotone

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics


class AverageClass(Measure):
    """Remaining rows over remaining classes; not defined where no row remains.

    LeFevre, K., DeWitt, D. J., Ramakrishnan, R. (2006), Mondrian
    multidimensional k-anonymity, doi:10.1109/ICDE.2006.101.
    """

    direction = Direction.MINIMIZE
    monotone = Monotone.WORSENS

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the average of each node."""
        with np.errstate(invalid="ignore"):
            return np.asarray(statistics.kept / statistics.classes)

    def largest(self, rows: int, attributes: int) -> float:
        """Return the bound of the measure."""
        return float(rows)
