"""Objectives on one scale, so that a step in one can be held against a step in another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray
    from sfumato.front.front import Front

WIDE = 100.0
"""Objectives whose values span a larger ratio are compared by their logarithms."""


def is_wide(values: FloatArray) -> bool:
    """Tell whether the finite values have one sign and span more than two orders of magnitude."""
    finite = values[np.isfinite(values)]
    if not len(finite) or not ((finite > 0).all() or (finite < 0).all()):
        return False
    sizes = np.abs(finite)
    return bool(sizes.max() > WIDE * sizes.min())


def scaled_costs(front: Front) -> FloatArray:
    """Return the objectives scaled to 0 (best) … 1 (worst) over the front, shape (solutions, objectives).

    Class sizes span orders of magnitude, so objectives that do are scaled by their logarithms. An
    objective in which all solutions are equal is 0 throughout; nan and infinitely bad become
    infinity, infinitely good 0.
    """
    if not front.costs.size:
        return np.zeros(front.costs.shape)
    return np.column_stack([_scaled(column) for column in front.costs.T])


def finite_rows(costs: FloatArray) -> BoolArray:
    """Tell which solutions have a number in every objective."""
    return np.asarray(np.isfinite(costs).all(axis=1))


def _scaled(costs: FloatArray) -> FloatArray:
    finite = np.isfinite(costs)
    scaled = np.where(costs == -np.inf, 0.0, np.inf)
    if not finite.any():
        return scaled
    known = costs[finite]
    if is_wide(known):
        known = np.sign(known) * np.log(np.abs(known) / np.abs(known).min())
    # Halved first: the span of two huge numbers need not be one.
    low, span = known.min(), known.max() / 2 - known.min() / 2
    scaled[finite] = (known / 2 - low / 2) / span if span > 0 else 0.0
    return scaled
