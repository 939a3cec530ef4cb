"""recursive_l: how many values an attacker must rule out until the most frequent one stands out."""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.classes.properties import Property, PropertyKind
from sfumato.errors import ParameterError
from sfumato.measures.measure import ClassMeasure, Direction, Union

LARGEST_FACTOR = 1000
DECIMALS = 3


class RecursiveL(ClassMeasure):
    """Recursive (c, ℓ)-diversity: the largest ℓ that holds in every remaining class, for a given c.

    With counts r₁ ≥ … ≥ r_m of the values in a class, (c, ℓ)-diversity holds if
    r₁ < c·(r_ℓ + … + r_m): the most frequent value does not stand out too much even when the
    ℓ − 2 next ones are ruled out. The number of a class is the largest ℓ up to m for which it holds,
    0 if there is none (only for c ≤ 1). The comparison is exact. Ties in the order of counts do not
    matter; missing is a value of its own. Unions of classes that satisfy it satisfy it; a union with
    one that does not need not.

    Machanavajjhala, A. et al. (2007), ℓ-diversity: privacy beyond
    k-anonymity, Definition 4.2, doi:10.1145/1217299.1217302.
    """

    direction = Direction.MAXIMIZE
    union = Union.SATISFYING
    limits = (1.0, math.inf)

    def __init__(self, name: str, attribute: int, factor: str) -> None:
        super().__init__(name)
        self.attribute = attribute
        self.factor = _factor(name, factor)

    @property
    def judged(self) -> Property:
        """The largest ℓ of a class."""
        return Property(PropertyKind.RECURSIVE, self.attribute, self.factor)


def _factor(name: str, text: str) -> Fraction:
    """Read c exactly; counts times its parts must fit the kernels' integers."""
    try:
        factor = Fraction(text)
    except (ValueError, ZeroDivisionError):
        factor = Fraction(0)
    if not 0 < factor <= LARGEST_FACTOR or 10**DECIMALS % factor.denominator:
        raise ParameterError(
            f"measure {name!r} needs a number c from 0.001 to {LARGEST_FACTOR} with at most {DECIMALS} "
            "decimals, as in 'recursive_l(diagnosis, 3)'."
        )
    return factor
