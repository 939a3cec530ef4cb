"""What a measure is and what it declares.

A measure is one number for a recoded table with a direction and a name. It
declares what has to be collected for it and how it moves along generalization,
and searches prune by these declarations alone.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from enum import Enum, Flag, auto
from typing import TYPE_CHECKING, ClassVar

from sfumato.classes.properties import CellCost, Property, Threshold

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics
    from sfumato.domains import Cube
    from sfumato.measures.penalties import RowPenalties


class Direction(Enum):
    """Which way a measure is better."""

    MAXIMIZE = "maximize"
    MINIMIZE = "minimize"

    @property
    def sign(self) -> int:
        """1 where smaller is better, −1 where larger is."""
        return 1 if self is Direction.MINIMIZE else -1


class Monotone(Flag):
    """How a measure moves.

    ``IMPROVES`` and ``WORSENS``: when a recoding is generalized and nothing is
    suppressed, it never gets worse (privacy) or never gets better (utility).
    ``ROW_PENALTIES``: it is a sum of penalties of rows that do not fall under
    generalization and are largest for a suppressed row. Then the value without
    suppression bounds the value of every generalization, and what suppression
    costs in excess of that bounds the excess of every specialization whose
    suppressed rows include these.
    """

    NONE = 0
    IMPROVES = auto()
    WORSENS = auto()
    ROW_PENALTIES = auto()


class Union(Enum):
    """When a class that satisfies a requirement still does so united with another.

    ``ANY``: with any class (k, distinct ℓ); then a recoding that needs too much
    suppression rules out all its specializations. ``SATISFYING``: only with a class that
    satisfies it too (t); then this holds only where nothing may be suppressed.
    """

    ANY = "any"
    SATISFYING = "satisfying"


class Measure(ABC):
    """One number for a recoded table.

    Parameters
    ----------
    name
        The full name, such as ``distinct_l(occupation)``.

    Attributes
    ----------
    least_cost
        What :meth:`cost` can never fall below.
    limits
        Smallest and largest number that a requirement may name.
    """

    direction: Direction
    monotone: ClassVar[Monotone] = Monotone.NONE
    least_cost: ClassVar[float] = -math.inf
    limits: ClassVar[tuple[float, float]] = (0.0, math.inf)
    properties: tuple[Property, ...] = ()
    costs: tuple[CellCost, ...] = ()

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<measure {self.name}>"

    @abstractmethod
    def value(self, statistics: Statistics) -> FloatArray:
        """Return the measure of each node; nan where no row remains."""

    def cost(self, statistics: Statistics) -> FloatArray:
        """Return the measure so that smaller is better."""
        return self.direction.sign * self.value(statistics)

    def unsuppressed_cost(self, statistics: Statistics) -> FloatArray:
        """Return what each evaluated node would cost if no row were suppressed.

        Measures made of row penalties that do not come from cells alone define it.
        """
        raise NotImplementedError(f"{self.name} has no value without suppression")

    def penalties(self, cube: Cube) -> RowPenalties | None:
        """Return what each row of a table costs, so that the sum is :meth:`cost`; None where that is unknown.

        Measures made of row penalties define it to be searched for under any scheme.
        """
        return None

    def largest(self, rows: int, attributes: int) -> float:
        """Return what a measure to minimize cannot exceed; 0 where nothing is known.

        Indices of property based generalizations are all maximized: such a
        measure enters them as this bound less its value.
        """
        return 0.0

    def satisfies(self, values: FloatArray, limit: float) -> object:
        """Tell where a value meets a requirement."""
        return self.direction.sign * (values - limit) <= 0


class ClassMeasure(Measure):
    """A privacy measure that judges each class: the worst class counts."""

    union: ClassVar[Union]
    monotone = Monotone.IMPROVES

    @property
    @abstractmethod
    def judged(self) -> Property:
        """The property of a class that is judged."""

    @property
    def properties(self) -> tuple[Property, ...]:  # type: ignore[override]
        """The judged property."""
        return (self.judged,)

    def threshold(self, limit: float) -> Threshold:
        """Return the requirement that no class is worse than ``limit``."""
        return Threshold(self.judged, limit)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the worst class's number of each node."""
        return statistics.worst_of(self.judged)
