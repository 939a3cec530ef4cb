"""Columns on one scale, so that no unit weighs more than another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import FloatArray


LARGEST = 1e100


def standard_scores(values: FloatArray, like: FloatArray | None = None) -> FloatArray:
    """Return values less their column's mean, over its standard deviation.

    Examples
    --------
    >>> standard_scores(np.array([[1.0, 7.0], [3.0, 7.0], [np.nan, 7.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0], [nan, 0.0]]
    """
    like = values if like is None else like
    scores = np.empty(values.shape, dtype=np.float64)
    for column in range(values.shape[1]):
        known = like[~np.isnan(like[:, column]), column]
        if not len(known) or known.min() == known.max():
            scores[:, column] = values[:, column] - (known[0] if len(known) else 0.0)
            continue
        # The squares of very large numbers would not be numbers any more.
        largest = np.abs(known).max()
        size = largest if largest > LARGEST else 1.0
        known = known / size
        scores[:, column] = (values[:, column] / size - known.mean()) / known.std()
    return scores
