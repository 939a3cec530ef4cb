"""protection: the counterpart of usefulness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.properties import CellCost, Property, PropertyKind
from sfumato.measures.measure import Direction, Measure, Monotone

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics


class Protection(Measure):
    """Protection: one over the mean, over the rows that remain, of one over the diversity of the row's class.

    Diversity is defined with `Usefulness`. The authors' own number is the mean of the inverse
    diversities, of which less is better; its inverse, the harmonic mean of the diversities, is 0
    rather than infinite where a class shows its values as they are, and lies between 0 and 1.
    It never exceeds the mean diversity, so usefulness + protection ≤ 1 where nothing is suppressed.

    Loukides, G., Shao, J. (2007), Capturing data usefulness and privacy protection in
    k-anonymisation, doi:10.1145/1244002.1244091.
    """

    direction = Direction.MAXIMIZE
    monotone = Monotone.IMPROVES
    costs = (CellCost.EXTENT,)
    limits = (0.0, 1.0)

    def __init__(self, name: str, weights: FloatArray) -> None:
        super().__init__(name)
        self.properties = (Property(PropertyKind.DIVERSITY, weights=tuple(weights.tolist())),)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the protection of each node; nan where no row remains."""
        inverse = statistics.worst_of(self.properties[0])
        kept = np.where(statistics.kept > 0, statistics.kept, np.nan)
        return np.asarray(kept / inverse)
