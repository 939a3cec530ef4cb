"""What a measure is and what it declares.

A measure is one number for a recoded table with a direction and a name. It
declares what has to be collected for it and how it moves along generalization,
and searches prune by these declarations alone.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum, Flag, auto
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.classes.properties import CellCost, Levels, Property, PropertyKind, Threshold

if TYPE_CHECKING:
    from fractions import Fraction

    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics
    from sfumato.domains import Cube


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
    """A privacy measure that judges one property of each class: the worst class counts."""

    kind: ClassVar[PropertyKind]
    union: ClassVar[Union] = Union.SATISFYING
    direction = Direction.MAXIMIZE
    monotone = Monotone.IMPROVES

    def __init__(
        self, name: str, attribute: int = -1, *, factor: Fraction | None = None, levels: Levels | None = None
    ) -> None:
        super().__init__(name)
        self.judged = Property(self.kind, attribute, factor, levels)
        self.properties = (self.judged,)

    def threshold(self, limit: float) -> Threshold:
        """Return the requirement that no class is worse than ``limit``."""
        return Threshold(self.judged, limit)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the worst class's number of each node."""
        return statistics.worst_of(self.judged)


# What several built-in measures have in common, so that each of them only declares how it differs.


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


@dataclass(frozen=True, eq=False)
class RowPenalties:
    """What each row of a recoded table costs; the sum over rows is the cost.

    A suppressed row costs ``out``. A kept row costs the rows of its class where
    ``by_class``, else ``offset`` and for each cell
    (slope · mass of its block + start) · weight of its value.
    The two properties that allow to prune hold: a penalty does not fall when blocks grow, since
    slopes, masses and weights are not negative, and none is larger than ``out``.

    T. Li, N. Li: Towards optimal k-anonymization, section 4.3,
    doi:10.1016/j.datak.2007.06.015.
    """

    out: float  # penalty of a suppressed row
    by_class: bool = False  # whether a kept row costs the rows of its class; the rest is then not used
    # for each attribute the mass of each value; a block has the sum of its values
    mass: tuple[FloatArray, ...] = ()
    # one number for each attribute
    slope: FloatArray | None = None
    start: FloatArray | None = None
    offset: float = 0.0  # what each kept row costs besides its cells
    # for each attribute the weight of each value; None where all are 1
    weights: tuple[FloatArray, ...] | None = None


def by_size(cube: Cube, weights: FloatArray, out: float) -> RowPenalties:
    """Return penalties by the share of the domain that a cell's block has besides its value."""
    sizes = np.array(cube.sizes, dtype=np.float64)
    slope = np.where(sizes > 1, weights / np.maximum(sizes - 1, 1), 0.0)
    return RowPenalties(out, mass=tuple(map(np.ones, cube.sizes)), slope=slope, start=-slope)


def by_frequency(cube: Cube, weights: FloatArray, out: float) -> RowPenalties:
    """Return penalties by the rows that a cell's block has besides its value, over all other rows.

    A cell costs w·(N_e − N_v) / (N − N_v) = w − w·(N − N_e) / (N − N_v). Where one value has all
    rows, the attribute costs nothing.
    """
    rows = cube.row_count
    mass = tuple(
        np.bincount(cube.codes[:, a], weights=cube.rows, minlength=size).astype(np.float64)
        for a, size in enumerate(cube.sizes)
    )
    slope = np.array([0.0 if (m == rows).any() else w for m, w in zip(mass, weights, strict=True)])
    share = tuple(1.0 / np.maximum(rows - m, 1.0) for m in mass)
    return RowPenalties(
        out, mass=mass, slope=slope, start=-slope * rows, offset=float(slope.sum()), weights=share
    )
