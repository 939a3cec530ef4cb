"""t: how far a class's distribution is from the table's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.classes.properties import Property, PropertyKind
from sfumato.measures.measure import ClassMeasure, Direction, Union

if TYPE_CHECKING:
    from sfumato.classes.properties import Levels


class TEqual(ClassMeasure):
    """t-closeness with equal distance: the largest distance of a remaining class.

    The earth mover's distance with distance 1 between any two values: half of
    Σ_v |share in the class − share in the table|. The table's shares are those
    of all input rows, suppressed ones included. Missing is a value of its own.
    Unions of classes that satisfy it satisfy it; a union with one that does
    not need not.

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


class TOrdered(TEqual):
    """t-closeness with ordered distance: the largest distance of a remaining class.

    The earth mover's distance where values i and j of a domain of m are |i − j| / (m − 1) apart:
    Σ_i |share in the class of the values up to i − their share in the table| / (m − 1). Values
    count by their place in the order of the domain: numbers and dates by size, ordinals by their
    ``order``, categories by the leaves of their hierarchy; those without a row count too. Missing is last.
    Otherwise as `TEqual`, which it never exceeds.

    Li, N., Li, T., Venkatasubramanian, S. (2007), t-closeness: privacy beyond
    k-anonymity and ℓ-diversity, section 5.1, doi:10.1109/ICDE.2007.367856.
    """

    @property
    def judged(self) -> Property:
        """Distance of a class from the table."""
        return Property(PropertyKind.T_ORDERED, self.attribute)


class THierarchical(TEqual):
    """t-closeness with hierarchical distance: the largest distance of a remaining class.

    The earth mover's distance where two values are h / H apart, h being the first level of the
    hierarchy at which they have one block and H its last level. It equals the mean, over the levels
    below the last, of the equal distance between their blocks. Missing stands directly
    under the root, 1 apart from everything. Otherwise as `TEqual`, which it never exceeds.

    Li, N., Li, T., Venkatasubramanian, S. (2007), t-closeness: privacy beyond
    k-anonymity and ℓ-diversity, section 5.2, doi:10.1109/ICDE.2007.367856.
    """

    def __init__(self, name: str, attribute: int, levels: Levels) -> None:
        super().__init__(name, attribute)
        self.levels = levels

    @property
    def judged(self) -> Property:
        """Distance of a class from the table."""
        return Property(PropertyKind.T_HIERARCHICAL, self.attribute, levels=self.levels)
