"""How the rows of a solution are spread over classes of different sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import LongArray


@dataclass(frozen=True)
class ClassSizes:
    """The sizes of the classes that remain, and how many rows live in classes of each size."""

    sizes: tuple[int, ...]  # the different sizes, rising: rows, or persons where persons are named
    classes: tuple[int, ...]  # classes of each size
    rows: tuple[int, ...]  # rows in the classes of each size
    suppressed: int = 0  # rows that are suppressed, and in no class

    @classmethod
    def count(cls, sizes: LongArray, rows: LongArray, suppressed: int = 0) -> Self:
        """Count classes and rows by size."""
        different, place = np.unique(sizes, return_inverse=True)
        place = place.reshape(-1)
        classes = np.bincount(place, minlength=len(different))
        summed = np.zeros(len(different), dtype=np.int64)
        np.add.at(summed, place, rows)
        return cls(
            tuple(different.tolist()), tuple(classes.tolist()), tuple(summed.tolist()), int(suppressed)
        )

    @property
    def total(self) -> int:
        """Rows in classes."""
        return sum(self.rows)

    @property
    def cumulative(self) -> tuple[int, ...]:
        """For each size the rows in classes of at most this size."""
        return tuple(np.cumsum(self.rows, dtype=np.int64).tolist())

    def rows_between(self, low: int, high: int) -> int:
        """Return the rows in classes of ``low`` to ``high``, both included."""
        return sum(rows for size, rows in zip(self.sizes, self.rows, strict=True) if low <= size <= high)

    def thinned(self, most: int = 60) -> Self:
        """Return the same with neighbouring sizes joined, so that at most ``most`` are left.

        Joined rows stand at the largest of their sizes, so that every remaining point of the cumulative
        distribution is one of the whole. Smallest and largest size stay.
        """
        if len(self.sizes) <= most:
            return self
        wanted = np.geomspace(self.sizes[0], self.sizes[-1], most)
        last = np.unique(np.searchsorted(np.array(self.sizes), wanted, side="right").clip(1) - 1)
        edges = np.concatenate([[0], last + 1])[:-1]
        return type(self)(
            tuple(np.array(self.sizes)[last].tolist()),
            tuple(np.add.reduceat(np.array(self.classes), edges).tolist()),
            tuple(np.add.reduceat(np.array(self.rows), edges).tolist()),
            self.suppressed,
        )
