"""mean_k: the mean class size over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.suppression import Rule
from sfumato.measures.measure import Direction, Measure, Monotone

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics


class MeanK(Measure):
    """Weighted-k: the mean, over rows, of the size of the row's class.

    mean_k = Σ rows·size / Σ rows over the remaining classes; under the rule
    ``below-mean``, which it decides itself, over all classes before suppression.

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), Multi-objective
    evolutionary optimization in statistical disclosure control, section on weighted-k anonymity.
    """

    direction = Direction.MAXIMIZE
    monotone = Monotone.IMPROVES

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the mean class size of each node."""
        if statistics.rule is Rule.BELOW_MEAN:
            return np.asarray(statistics.all_size_sum / statistics.row_count)
        with np.errstate(invalid="ignore"):
            return np.asarray(statistics.size_sum / statistics.kept)
