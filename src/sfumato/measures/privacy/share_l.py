"""share_l: one over the largest share that a sensitive value has in a class."""

from __future__ import annotations

import math

from sfumato.classes.properties import Property, PropertyKind
from sfumato.measures.measure import ClassMeasure, Direction, Union


class ShareL(ClassMeasure):
    """ℓ-diversity by shares: one over the largest share that a value has in a remaining class.

    A class of n rows whose most frequent value has c of them has the number n / c, so nobody is
    linked to a value with a probability above 1/ℓ. Missing is a value of its own. Unions of classes that
    satisfy it satisfy it; a union with one that does not need not. It never exceeds ``entropy_l``.

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), Multi-objective
    evolutionary optimization in statistical disclosure control, eq. 1.1.
    """

    direction = Direction.MAXIMIZE
    union = Union.SATISFYING
    limits = (1.0, math.inf)

    def __init__(self, name: str, attribute: int) -> None:
        super().__init__(name)
        self.attribute = attribute

    @property
    def judged(self) -> Property:
        """Rows of a class over those of its most frequent value."""
        return Property(PropertyKind.SHARE, self.attribute)
