"""Where a front bends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.front.front import Front

WIDE = 100.0
"""Objectives whose values span a larger ratio are compared by their logarithms."""


def find_knee(front: Front) -> int:
    """Return the place of the solution where the front bends: the most balanced one.

    Notes
    -----
    Every objective is scaled to 0 (best) … 1 (worst) over the front; the knee is
    the solution whose worst scaled objective is smallest, ties by their sum, then by the lower
    number. Unlike the distance from the plane through the extremes, this does not
    count two objectives twice that say nearly the same. Class sizes span orders of
    magnitude, so objectives that do are scaled by their logarithms.
    """
    scaled = np.column_stack([_scaled(column) for column in front.costs.T])
    return int(np.lexsort((scaled.sum(axis=1), scaled.max(axis=1)))[0])


def _scaled(costs: FloatArray) -> FloatArray:
    values = np.abs(costs)
    if values.min() > 0 and values.max() / values.min() > WIDE and (costs.min() > 0 or costs.max() < 0):
        costs = np.sign(costs) * np.log(values / values.min())
    span = costs.max() - costs.min()
    return np.asarray((costs - costs.min()) / span) if span else np.zeros(len(costs))


__all__ = ["find_knee"]
