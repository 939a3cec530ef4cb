"""Which solutions no other one dominates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels.dominance import keep_non_dominated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sfumato._typing import FloatArray, LongArray


def non_dominated(costs: FloatArray, ties: Sequence[NDArray[np.generic]] = ()) -> LongArray:
    """Return the numbers of the rows that no other row dominates, best first.

    Examples
    --------
    >>> non_dominated(np.array([[2.0, 1.0], [1.0, 2.0], [2.0, 2.0], [1.0, 2.0]])).tolist()
    [1, 0]
    """
    usable = np.flatnonzero(~np.isnan(costs).any(axis=1))
    columns = [*costs[usable].T, *(key[usable] for key in ties)]
    order = usable[np.lexsort(columns[::-1])] if columns else usable
    return order[keep_non_dominated(np.ascontiguousarray(costs[order]))]
