"""Custom measures: any property of classes, reduced to one number by an index; and what one step gains.

A property vector has one number for every row. It is given by classes: its value for each class, and the rows
of each class. All rows of a class have the same value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.classes.properties import Property, PropertyKind
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

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), On the identification of property based
    generalizations in microdata anonymization, section 4.1.
    """
    return float((values * rows).sum())


def mean(values: FloatArray, rows: LongArray) -> float:
    """Return the mean over rows."""
    return spread(values, rows) / float(rows.sum())


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
        found = np.full(len(statistics), np.nan)
        for place, classes in enumerate(map(statistics.classes_of, statistics.nodes)):
            values = np.asarray(self._vector(classes), dtype=np.float64)
            if values.shape != classes.rows.shape:
                raise ParameterError(
                    f"the property of {self.name!r} must have one number for each of the {len(classes)} "
                    f"classes; got the shape {values.shape}."
                )
            stays = ~classes.suppressed
            if stays.any():
                found[place] = self._index(values[stays], classes.rows[stays])
        return found


@dataclass(frozen=True, slots=True)
class Step:
    """The step between two recodings, one finer than the other."""

    # what the finer one tells more about an attribute: the difference of its conditional entropies, in bits
    gain: float
    loss: int  # what the finer one protects less: the difference of k

    @property
    def ratio(self) -> float:
        """Gain for each unit of loss; the gain itself where nothing is lost."""
        return self.gain / self.loss if self.loss else self.gain


def gain_per_loss(finer: Classes, coarser: Classes, attribute: int) -> Step:
    """Measure a step by the information it gains for each unit of anonymity that it loses.

    With the entropy H_c of the attribute in a class of n_c of n remaining rows, a recoding leaves
    Σ_c n_c·H_c / n undetermined; the gain is what is less undetermined in the finer one.
    Anonymity is k, the size of the smallest remaining class, in persons where persons are named.
    Missing and unknown values do not count: H_c is the entropy of the known ones, 0 where there are none.

    Fung, B. C. M., Wang, K., Yu, P. S. (2005), Top-down specialization for information and privacy
    preservation, section 3.2, doi:10.1109/ICDE.2005.143; Wang, K., Yu, P. S., Chakraborty, S.
    (2004), Bottom-up generalization, section 3.2, doi:10.1109/ICDM.2004.10110.
    """
    wanted = Property(PropertyKind.ENTROPY, attribute)
    gain = _undetermined(coarser, wanted) - _undetermined(finer, wanted)
    sizes = [int(classes.sizes[~classes.suppressed].min()) for classes in (coarser, finer)]
    return Step(max(gain, 0.0), sizes[0] - sizes[1])


def _undetermined(classes: Classes, wanted: Property) -> float:
    """Return the mean entropy of a row's class, in bits."""
    if wanted not in classes.properties or classes.suppressed.all():
        raise ParameterError("a step needs classes with rows and the entropy of the attribute.")
    stays = ~classes.suppressed
    rows = classes.rows[stays]
    entropies = np.log2(classes.values[classes.properties.index(wanted)][stays])
    return math.fsum(rows * entropies) / int(rows.sum())
