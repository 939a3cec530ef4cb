"""Dominance between vectors of costs; smaller is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import kernel

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray


@kernel
def keep_non_dominated(costs: FloatArray) -> BoolArray:
    """Mark, of lexicographically sorted rows, those that no earlier kept row equals or dominates.

    A row can only be dominated by one that sorts before it, so comparing with
    the kept rows suffices: O(rows × front × objectives). Kept rows stand side
    by side, and one that removed a candidate moves to the front, because
    neighbours are likely to fall to the same row.
    """
    rows, objectives = costs.shape
    keep = np.zeros(rows, dtype=np.bool_)
    front = np.empty((rows, objectives), dtype=np.float64)
    count = 0
    for i in range(rows):
        dominated = False
        for f in range(count):
            dominated = True
            for m in range(objectives):
                if front[f, m] > costs[i, m]:
                    dominated = False
                    break
            if dominated:
                if f > 0:
                    for m in range(objectives):
                        front[f, m], front[f // 2, m] = front[f // 2, m], front[f, m]
                break
        if not dominated:
            # A loop: the compiler takes two seconds for an assignment from row to row.
            for m in range(objectives):
                front[count, m] = costs[i, m]
            count += 1
            keep[i] = True
    return keep
