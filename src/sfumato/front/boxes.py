"""An archive of bounded size: one solution in every box that no other box dominates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError
from sfumato.kernels.boxes import update_archive

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray


def box_of(values: FloatArray, epsilon: FloatArray) -> FloatArray:
    """Return the boxes of index values: floor(value / ε).

    Examples
    --------
    >>> box_of(np.array([[7.0, 250.0]]), np.array([5.0, 100.0])).tolist()
    [[1.0, 2.0]]
    """
    return np.floor(values / epsilon)


class BoxArchive:
    """Keeps a representative subset of the minimal solutions of all that it was offered.

    Every index is larger-is-better. A solution box-dominates another if its box
    dominates the other's box or, in the same box, if its values dominate. A box
    holds one solution; the first of two incomparable ones in a box stays.

    Offered any sequence, the archive is a subset of the non-dominated solutions of
    everything offered, and its size is at most the product of all but the
    smallest of ⌊K_i / ε_i⌋ + 1, where K_i bounds index i from above and 0 from below.

    Dewri, R., Ray, I., Ray, I., Whitley, D., Exploring disclosure risk and
    data utility by property based generalizations, Algorithm 1, Theorems 1 and 2.
    """

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


def size_bound(largest: FloatArray, epsilon: FloatArray) -> int:
    """Return how many solutions an archive can hold at most (Theorem 2)."""
    boxes = sorted(int(np.floor(k / e)) + 1 for k, e in zip(largest, epsilon, strict=True))
    bound = 1
    for count in boxes[1:]:
        bound *= count
    return bound
