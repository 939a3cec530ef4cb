"""What several built-in measures have in common, so that each of them only declares how it differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.classes.properties import Levels, Property, PropertyKind
from sfumato.measures.contract import ClassMeasure, Direction, Measure, Union

if TYPE_CHECKING:
    from fractions import Fraction

    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics


class WorstClass(ClassMeasure):
    """A measure that is one property of each class, of which the worst counts."""

    kind: ClassVar[PropertyKind]
    direction = Direction.MAXIMIZE
    union = Union.SATISFYING

    def __init__(
        self, name: str, attribute: int = -1, *, factor: Fraction | None = None, levels: Levels | None = None
    ) -> None:
        super().__init__(name)
        self._judged = Property(self.kind, attribute, factor, levels)

    @property
    def judged(self) -> Property:
        """The property of a class that is judged."""
        return self._judged


class PropertySum(Measure):
    """A measure that is one property of each class, summed over the classes that remain."""

    kind: ClassVar[PropertyKind]

    def __init__(self, name: str, attribute: int, sentence: int = -1) -> None:
        super().__init__(name)
        self.properties = (Property(self.kind, attribute, sentence=sentence),)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the sum of each node."""
        return statistics.sum_of(self.properties[0]).astype(np.float64)


class Weighted(Measure):
    """A measure of cells that count by the weights of their attributes."""

    def __init__(self, name: str, weights: FloatArray) -> None:
        super().__init__(name)
        self.weights = weights


class Cost(Measure):
    """A measure to minimize that cannot exceed a power of the rows times one of the attributes."""

    direction = Direction.MINIMIZE
    powers: ClassVar[tuple[int, int]] = (1, 0)

    def largest(self, rows: int, attributes: int) -> float:
        """Return the bound of the measure."""
        by_rows, by_attributes = self.powers
        return float(rows) ** by_rows * float(attributes) ** by_attributes
