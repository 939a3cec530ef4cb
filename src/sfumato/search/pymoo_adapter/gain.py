"""How much of the space of costs a search has come to dominate, and whether that still grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.front import hypervolume

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray

WIDE = 100.0
"""Costs that span a larger ratio are compared by their logarithms, as class sizes are."""

LEAST_GAIN = 1e-4
"""The relative growth of the hypervolume that counts as one."""

MANY = 4
MOST_POINTS = 300
"""With so many objectives, so many evenly chosen points stand for the rest: time grows with both."""


class Scale:
    """Maps costs to [0, 1] over those that it was made from."""

    def __init__(self, costs: FloatArray) -> None:
        least, most = np.abs(costs).min(axis=0), np.abs(costs).max(axis=0)
        one_sign = (costs > 0).all(axis=0) | (costs < 0).all(axis=0)
        self._logarithmic: BoolArray = one_sign & (most > WIDE * least)
        logged = self._logged(costs)
        self._low, span = logged.min(axis=0), np.ptp(logged, axis=0)
        self._span = np.where(span > 0, span, 1.0)

    def __call__(self, costs: FloatArray) -> FloatArray:
        """Return scaled costs; those beyond what the scale was made from lie outside [0, 1]."""
        return np.asarray((self._logged(costs) - self._low) / self._span)

    def _logged(self, costs: FloatArray) -> FloatArray:
        logarithms = np.sign(costs) * np.log(np.maximum(np.abs(costs), 1e-300))
        return np.where(self._logarithmic, logarithms, costs)


class Gain:
    """Follows the hypervolume of a growing archive.

    The scale comes from the first solutions and then stays, so that the number never falls, but where
    there are so many objectives that a part of the archive stands for all.
    """

    def __init__(self, patience: int | None) -> None:
        self._patience = patience
        self._scale: Scale | None = None
        self._reached = 0.0
        self._idle = 0
        self.hypervolume: float | None = None

    @property
    def stalled(self) -> bool:
        """Whether it did not grow for as long as patience lasts."""
        return self._patience is not None and self._idle >= self._patience

    def follow(self, costs: FloatArray) -> None:
        """Look at the archive of another generation."""
        self._idle += 1
        if not len(costs):
            return
        if self._scale is None:
            self._scale = Scale(costs)
        if costs.shape[1] >= MANY and len(costs) > MOST_POINTS:
            costs = costs[np.linspace(0, len(costs) - 1, MOST_POINTS).astype(np.int64)]
        self.hypervolume = hypervolume(self._scale(costs))
        if self.hypervolume > self._reached * (1 + LEAST_GAIN):
            self._reached, self._idle = self.hypervolume, 0
