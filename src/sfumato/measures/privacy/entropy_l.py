"""entropy_l: how well every class mixes its sensitive values."""

from __future__ import annotations

import math

from sfumato.classes.properties import Property, PropertyKind
from sfumato.measures.measure import ClassMeasure, Direction, Union


class EntropyL(ClassMeasure):
    """Entropy ℓ-diversity: the smallest exp(entropy) of the sensitive values of a remaining class.

    With shares p_v of the values in a class its number is exp(−Σ_v p_v·ln p_v): ℓ if ℓ values have
    equal shares, less if some are rarer. Numbers are rounded to 13 digits before they are compared, so
    that equal shares meet their number. Missing is a value of its own. Unions of classes that satisfy it
    satisfy it, because entropy is concave; a union with one that does not need not.
    It never exceeds ``distinct_l`` and does not look at what values mean.

    Machanavajjhala, A. et al. (2007), ℓ-diversity: privacy beyond
    k-anonymity, Definition 4.1, doi:10.1145/1217299.1217302.
    """

    direction = Direction.MAXIMIZE
    union = Union.SATISFYING
    limits = (1.0, math.inf)

    def __init__(self, name: str, attribute: int) -> None:
        super().__init__(name)
        self.attribute = attribute

    @property
    def judged(self) -> Property:
        """Exp of the entropy of a class."""
        return Property(PropertyKind.ENTROPY, self.attribute)
