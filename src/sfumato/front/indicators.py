"""Dominance, archives of boxes, and indicators of how good a front is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError
from sfumato.kernels.dominance import keep_non_dominated, update_archive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sfumato._typing import FloatArray, LongArray


def non_dominated(costs: FloatArray, ties: Sequence[NDArray[np.generic]] = ()) -> LongArray:
    """Return the numbers of the rows that no other row dominates, best first."""
    usable = np.flatnonzero(~np.isnan(costs).any(axis=1))
    columns = [*costs[usable].T, *(key[usable] for key in ties)]
    order = usable[np.lexsort(columns[::-1])] if columns else usable
    return order[keep_non_dominated(np.ascontiguousarray(costs[order]))]


def box_of(values: FloatArray, epsilon: FloatArray) -> FloatArray:
    """Return the boxes of index values: floor(value / ε)."""
    return np.floor(values / epsilon)


class BoxArchive:
    """Keeps a representative subset of the minimal solutions of all that it was offered."""

    # Every index is larger-is-better. A solution box-dominates another if its box dominates the other's box
    # or, in the same box, if its values dominate. A box holds one solution; the first of two incomparable
    # ones in a box stays.
    # Offered any sequence, the archive is a subset of the non-dominated solutions of everything offered, and
    # its size is at most the product of all but the smallest of ⌊K_i / ε_i⌋ + 1, where K_i bounds index i
    # from above and 0 from below.
    # Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), On the identification of property based generalizations
    # in microdata anonymization, Algorithm 1, Theorems 1 and 2.

    def __init__(self, epsilon: FloatArray) -> None:
        if not (np.isfinite(epsilon).all() and (epsilon > 0).all()):
            raise ParameterError("every box width must be a number above 0.")
        self._epsilon = np.asarray(epsilon, dtype=np.float64)
        self._values = np.zeros((0, len(self._epsilon)))
        self._boxes = np.zeros((0, len(self._epsilon)))
        self._members = np.zeros(1, dtype=np.int64)
        self._count = 0

    @property
    def members(self) -> LongArray:
        """Numbers of the solutions in the archive, in the order in which they were offered."""
        return np.sort(self._members[: self._count])

    @property
    def values(self) -> FloatArray:
        """Index values of the solutions in the archive."""
        return np.asarray(self._values[self.members])

    def offer(self, values: FloatArray) -> None:
        """Offer solutions one after another; they are numbered on from the last one offered."""
        values = np.asarray(values, dtype=np.float64).reshape(-1, len(self._epsilon))
        start = len(self._values)
        self._values = np.concatenate([self._values, values])
        self._boxes = np.concatenate([self._boxes, box_of(values, self._epsilon)])
        room = np.zeros(self._count + len(values) + 1, dtype=np.int64)
        room[: self._count] = self._members[: self._count]
        candidates = np.arange(start, len(self._values), dtype=np.int64)
        self._members = room
        self._count = update_archive(self._values, self._boxes, room, self._count, candidates)


REFERENCE = 1.1


def convergence_error(found: FloatArray, minimal: FloatArray) -> float:
    """Sum over the found solutions the distance to the nearest minimal one."""
    scale = np.where(minimal.max(axis=0) != 0, minimal.max(axis=0), 1.0)
    total = 0.0
    for row in found / scale:
        total += float(np.sqrt(((minimal / scale - row) ** 2).sum(axis=1)).min())
    return total


def representation_ratio(found: FloatArray, minimal: FloatArray, epsilon: FloatArray) -> float:
    """Return the share of the non-dominated boxes of the minimal set that hold a found solution."""
    boxes = box_of(minimal, epsilon)
    wanted = {tuple(row) for row in boxes[non_dominated(-boxes)]}
    occupied = {tuple(row) for row in box_of(found, epsilon)}
    return len(wanted & occupied) / len(wanted)


def scaled_fronts(fronts: Sequence[FloatArray], logarithmic: Sequence[bool] = ()) -> list[FloatArray]:
    """Scale costs to [0, 1] over the union of several fronts, so that they can be compared."""
    if any(logarithmic):
        logs = [np.sign(costs) * np.log(np.maximum(np.abs(costs), 1e-300)) for costs in fronts]
        fronts = [np.where(logarithmic, log, own) for log, own in zip(logs, fronts, strict=True)]
    union = np.concatenate(fronts)
    low, span = union.min(axis=0), np.ptp(union, axis=0)
    return [(costs - low) / np.where(span > 0, span, 1.0) for costs in fronts]


def hypervolume(costs: FloatArray, reference: float = REFERENCE) -> float:
    """Return the volume that scaled costs dominate below a reference point."""
    if not len(costs):
        return 0.0
    import moocore

    return float(moocore.hypervolume(costs, ref=np.full(costs.shape[1], reference)))
