"""Which rows go: the rules and their budget."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

from sfumato.kernels import lattice as codes


class Rule(IntEnum):
    """How rows are chosen for suppression.

    ``FAILING`` takes every class that misses a requirement; ``SMALLEST`` takes
    whole class sizes, smallest first, within the budget, and leaves the largest;
    ``FAILING_THEN_SMALLEST`` does both with one budget; ``BELOW_MEAN`` takes
    every class smaller than the mean class size over rows, without a budget.
    """

    NONE = codes.NONE
    FAILING = codes.FAILING
    SMALLEST = codes.SMALLEST
    FAILING_THEN_SMALLEST = codes.FAILING_THEN_SMALLEST
    BELOW_MEAN = codes.BELOW_MEAN


@dataclass(frozen=True, slots=True)
class Suppression:
    """A rule and the number of rows it may take."""

    rule: Rule
    budget: int


def budget_of(limit: float, rows: int) -> int:
    """Return floor(limit × rows), exactly for the limit as it is written in decimals.

    Examples
    --------
    >>> budget_of(0.29, 100), budget_of(0.01, 30162)
    (29, 301)
    """
    share = Fraction(str(limit)) * rows
    return share.numerator // share.denominator
