"""k: the size of the smallest class."""

from __future__ import annotations

from sfumato.classes.properties import Property, PropertyKind
from sfumato.measures.measure import ClassMeasure, Direction, Union


class K(ClassMeasure):
    """k-anonymity: the size of the smallest class that remains.

    k = min over the remaining classes of their rows, or of their distinct
    persons where persons are named. Missing is a value like any other.
    It bounds the chance of picking the right row of a class by 1/k and does
    not protect the sensitive values that a class has in common.

    Samarati, P. (2001), Protecting respondents' identities in microdata
    release, doi:10.1109/69.971193.
    """

    direction = Direction.MAXIMIZE
    union = Union.ANY

    @property
    def judged(self) -> Property:
        """Class size."""
        return Property(PropertyKind.SIZE)
