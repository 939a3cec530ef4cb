"""distinct_l: the fewest different sensitive values in a class."""

from __future__ import annotations

from sfumato.classes.properties import Property, PropertyKind
from sfumato.measures.measure import ClassMeasure, Direction, Union


class DistinctL(ClassMeasure):
    """Distinct ℓ-diversity: the fewest different sensitive values in a remaining class.

    Missing is a value of its own. It does not protect where one value is far
    more frequent in a class than the others, nor where values mean the same.

    Machanavajjhala, A. et al. (2007), ℓ-diversity: privacy beyond
    k-anonymity, doi:10.1145/1217299.1217302.
    """

    direction = Direction.MAXIMIZE
    union = Union.ANY

    def __init__(self, name: str, attribute: int) -> None:
        super().__init__(name)
        self.attribute = attribute

    @property
    def judged(self) -> Property:
        """Different values of the attribute in a class."""
        return Property(PropertyKind.DISTINCT, self.attribute)
