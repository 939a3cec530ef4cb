"""Indices: a property vector, one number for every row, reduced to one number.

A property vector is given by classes: its value for each class, and the rows
of each class. All rows of a class have the same value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from sfumato._typing import FloatArray, LongArray

    Index: TypeAlias = Callable[[FloatArray, LongArray], float]


def worst(values: FloatArray, rows: LongArray) -> float:
    """Return the smallest value of any row: the conventional way to measure privacy.

    Examples
    --------
    >>> import numpy as np
    >>> worst(np.array([3.0, 2.0]), np.array([3, 2]))
    2.0
    """
    return float(values.min())


def spread(values: FloatArray, rows: LongArray) -> float:
    """Return the sum over rows, which orders vectors as the binary spread index does.

    That index tells how much one vector exceeds another, Σ max(a − b, 0); it is larger than that of b and a
    if and only if Σ a > Σ b, because the difference of the two is Σ a − Σ b.

    Dewri, R., Ray, I., Ray, I., Whitley, D., property based generalizations, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> spread(np.array([3.0, 2.0]), np.array([3, 2]))
    13.0
    """
    return float((values * rows).sum())


def mean(values: FloatArray, rows: LongArray) -> float:
    """Return the mean over rows.

    Examples
    --------
    >>> import numpy as np
    >>> mean(np.array([3.0, 2.0]), np.array([3, 2]))
    2.6
    """
    return spread(values, rows) / float(rows.sum())


def binary_spread(first: FloatArray, second: FloatArray) -> float:
    """Return how much the first vector exceeds the second, row by row: Σ max(first − second, 0).

    binary_spread(a, b) > binary_spread(b, a) if and only if Σ a > Σ b, because
    their difference is Σ a − Σ b. So the unary :func:`spread` serves as well.

    Dewri, R., Ray, I., Ray, I., Whitley, D., property based generalizations, section 4.1.
    """
    return float(np.maximum(first - second, 0.0).sum())
