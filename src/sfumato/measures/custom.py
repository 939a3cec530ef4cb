"""Custom measures: any property of classes, reduced to one number by an index.

A property vector has one number for every row. It is given by classes: its value for each class, and the rows
of each class. All rows of a class have the same value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.errors import ParameterError
from sfumato.measures.contract import Direction, Measure, Monotone

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato._typing import FloatArray, LongArray
    from sfumato.classes import Classes
    from sfumato.classes.statistics import Statistics

    Index: TypeAlias = Callable[[FloatArray, LongArray], float]


def worst(values: FloatArray, rows: LongArray) -> float:
    """Return the smallest value of any row: the conventional way to measure privacy."""
    return float(values.min())


def spread(values: FloatArray, rows: LongArray) -> float:
    """Return the sum over rows, which orders vectors as the binary spread index does.

    That index is how much one vector exceeds another, Σ max(a − b, 0); it is larger than that of b and a
    if and only if Σ a > Σ b, because the difference of the two is Σ a − Σ b.

    Dewri, R., Ray, I., Ray, I., Whitley, D., property based generalizations, section 4.1.
    """
    return float((values * rows).sum())


def mean(values: FloatArray, rows: LongArray) -> float:
    """Return the mean over rows."""
    return spread(values, rows) / float(rows.sum())


def binary_spread(first: FloatArray, second: FloatArray) -> float:
    """Return how much the first vector exceeds the second, row by row: Σ max(first − second, 0).

    See `spread`, which orders vectors as this does.
    """
    return float(np.maximum(first - second, 0.0).sum())


class PropertyMeasure(Measure):
    """A property computed in Python, reduced by an index.

    Parameters
    ----------
    name
        Its name in objectives, requirements and results.
    vector
        From the classes of a recoding to one number for each class.
    index
        `worst`, `spread`, `mean`, or any function of the values and the rows of the remaining classes.
    direction
        ``maximize`` or ``minimize``.

    Notes
    -----
    It judges the table, not each class; suppressed classes do not count. Searches call
    ``vector`` once for every recoding, in Python: expect a tenth of the speed of the built-in measures
    or less. It declares nothing, so nothing is pruned by it.

    Examples
    --------
    >>> from sfumato.measures import mean
    >>> risk = PropertyMeasure("risk", lambda classes: 1 / classes.sizes, index=mean, direction="minimize")
    >>> risk.direction
    <Direction.MINIMIZE: 'minimize'>
    """

    monotone = Monotone.NONE

    def __init__(
        self,
        name: str,
        vector: Callable[[Classes], FloatArray],
        *,
        index: Index = worst,
        direction: str = "maximize",
    ) -> None:
        super().__init__(name)
        if direction not in ("maximize", "minimize"):
            raise ParameterError(f"direction must be 'maximize' or 'minimize'; got {direction!r}.")
        self._vector, self._index = vector, index
        self.direction = Direction(direction)

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the index of each node; nan where no row remains."""
        return np.array(
            [self._of(statistics.classes_of(node)) for node in statistics.nodes], dtype=np.float64
        )

    def _of(self, classes: Classes) -> float:
        values = np.asarray(self._vector(classes), dtype=np.float64)
        if values.shape != classes.rows.shape:
            raise ParameterError(
                f"the property of {self.name!r} must have one number for each of the {len(classes)} classes; "
                f"got the shape {values.shape}."
            )
        stays = ~classes.suppressed
        return self._index(values[stays], classes.rows[stays]) if stays.any() else float("nan")
