"""Measures of one's own: any property of classes with any index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError
from sfumato.measures.indices import worst
from sfumato.measures.measure import Direction, Measure, Monotone

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato._typing import FloatArray
    from sfumato.classes import Classes
    from sfumato.classes.statistics import Statistics
    from sfumato.measures.indices import Index


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
    >>> from sfumato.measures.indices import mean
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
