"""Optimal microaggregation of one column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import kernel

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray


@kernel
def cut_optimally(values: FloatArray, k: int) -> IntArray:
    """Cut sorted values (n,) with 1 <= k <= n into runs of at least k with the smallest squared error.

    Some optimum has runs of k to 2k - 1 values only. The best cut that ends at a value is the best one of the
    last runs, each with the best cut before it; of equal ones, that with the shortest last run.
    Squared errors of runs grow value by value from the mean, without cancellation. O(n·k) time, O(n) memory.
    Returns the number of each value's run.
    """
    total = len(values)
    costs = np.full(total + 1, np.inf)
    begins = np.zeros(total + 1, dtype=np.int64)
    costs[0] = 0.0
    for end in range(k, total + 1):
        mean, error = 0.0, 0.0
        for size in range(1, min(2 * k - 1, end) + 1):
            change = values[end - size] - mean
            mean += change / size
            error += change * (values[end - size] - mean)
            if size >= k and costs[end - size] + error < costs[end]:
                costs[end] = costs[end - size] + error
                begins[end] = end - size
    runs = np.zeros(total, dtype=np.int32)
    end, number = total, 0
    while end > 0:
        for place in range(begins[end], end):
            runs[place] = number
        end = begins[end]
        number += 1
    return (number - 1 - runs).astype(np.int32)
