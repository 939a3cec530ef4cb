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
    """Return the place of the solution where the front bends most.

    Notes
    -----
    Every objective is scaled to 0 (best) … 1 (worst); the knee lies farthest
    below the plane through the extremes, that is, it has the smallest sum. Class
    sizes span orders of magnitude, so objectives that do are scaled by their logarithms.
    Ties go to the lower number.
    """
    scaled = [_scaled(column) for column in front.costs.T]
    return int(np.argmin(np.sum(scaled, axis=0)))


def _scaled(costs: FloatArray) -> FloatArray:
    values = np.abs(costs)
    if values.min() > 0 and values.max() / values.min() > WIDE and (costs.min() > 0 or costs.max() < 0):
        costs = np.sign(costs) * np.log(values / values.min())
    span = costs.max() - costs.min()
    return np.asarray((costs - costs.min()) / span) if span else np.zeros(len(costs))


__all__ = ["find_knee"]
