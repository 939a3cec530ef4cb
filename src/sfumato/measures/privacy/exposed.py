"""exposed: the people about whom a confidential sentence becomes known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.properties import Property, PropertyKind
from sfumato.measures.measure import Direction, Measure, Monotone

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics


class Exposed(Measure):
    """Exposed people: those who hold a sentence that their class discloses.

    Someone about whom several sentences become known counts once. Rows count, or persons where they are
    named; a person with rows in several classes counts in each class that exposes them. Suppressed rows do
    not count.
    """

    direction = Direction.MINIMIZE
    monotone = Monotone.IMPROVES
    least_cost = 0.0

    def __init__(self, name: str, attribute: int, sentence: int = -1) -> None:
        super().__init__(name)
        self.properties = (Property(PropertyKind.EXPOSED, attribute, sentence=sentence),)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the exposed people of each node."""
        return statistics.sum_of(self.properties[0]).astype(np.float64)

    def largest(self, rows: int, attributes: int) -> float:
        """Return the bound of the measure."""
        return float(rows)
