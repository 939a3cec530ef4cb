"""t: how far a class's distribution is from the table's."""

from __future__ import annotations

from sfumato.classes.properties import Property, PropertyKind
from sfumato.measures.measure import ClassMeasure, Direction, Union


class TEqual(ClassMeasure):
    """t-closeness with equal distance: the largest distance of a remaining class.

    Notes
    -----
    The earth mover's distance with distance 1 between any two values: half of
    Σ_v |share in the class − share in the table|. The table's shares are those
    of all input rows, suppressed ones included. Missing is a value of its own.
    Unions of classes that satisfy it satisfy it; a union with one that does
    not need not.

    References
    ----------
    Li, N., Li, T., Venkatasubramanian, S. (2007), t-closeness: privacy beyond
    k-anonymity and ℓ-diversity, doi:10.1109/ICDE.2007.367856.
    """

    direction = Direction.MINIMIZE
    union = Union.SATISFYING
    limits = (0.0, 1.0)

    def __init__(self, name: str, attribute: int) -> None:
        super().__init__(name)
        self.attribute = attribute

    @property
    def judged(self) -> Property:
        """Distance of a class from the table."""
        return Property(PropertyKind.T_EQUAL, self.attribute)

    def largest(self, rows: int, attributes: int) -> float:
        """Return the bound of the measure."""
        return 1.0


__all__ = ["TEqual"]
