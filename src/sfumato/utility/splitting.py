"""Which rows a model learns from, and which it is tested on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import IntArray, LongArray

TEST_SHARE = 0.3
MOST_TEST_ROWS = 20_000
MOST_TRAIN_ROWS = 40_000


@dataclass(frozen=True, eq=False)
class Split:
    """Rows of each cell that are trained on and rows that are tested."""

    # number of rows of each cell. Together they are never more than the cell has.
    train: LongArray
    test: LongArray


def split_rows(rows: LongArray, persons: IntArray | None, rng: np.random.Generator) -> Split:
    """Put three tenths of the rows into the test and the others into training, at random."""
    cells = np.repeat(np.arange(len(rows)), rows)
    if persons is None:
        units = np.arange(len(cells))
    else:
        units = np.unique(persons[cells], return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(units)
    order = rng.permutation(len(sizes))
    ends = np.empty(len(sizes), dtype=np.int64)
    ends[order] = np.cumsum(sizes[order])
    test_rows = min(TEST_SHARE * len(cells), MOST_TEST_ROWS)
    is_test = ends <= max(test_rows, sizes[order[0]] if len(order) else 0)
    is_train = ~is_test & (ends <= ends[is_test].max(initial=0) + MOST_TRAIN_ROWS)

    def count(chosen: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> LongArray:
        return np.bincount(cells[chosen[units]], minlength=len(rows)).astype(np.int64)

    return Split(count(is_train), count(is_test))
