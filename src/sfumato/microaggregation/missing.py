"""Records that lack values: who is like whom in that, and whom that gives away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, LongArray


def split_patterns(missing: BoolArray) -> list[LongArray]:
    """Return the rows of each pattern of missing columns, patterns in the order of their first rows."""
    if not missing.any():
        return [np.arange(len(missing), dtype=np.int64)]
    _, first, number = np.unique(missing, axis=0, return_index=True, return_inverse=True)
    number = number.reshape(-1)
    return [np.flatnonzero(number == pattern).astype(np.int64) for pattern in np.argsort(first)]


def blank_rare(values: FloatArray, k: int) -> BoolArray:
    """Return which cells are missing once no pattern of missing columns is rarer than k.

    Which values a record lacks can single it out as well as those it has. So records are only ever compared
    with those that lack the same columns; and where fewer than k records share a pattern, their other
    values are blanked too. If fewer than k records are then blank throughout, others join them: of the
    smallest pattern that can spare them, those farthest from its mean; if none can, the smallest pattern as
    a whole.

    Examples
    --------
    >>> nan = np.nan
    >>> blank_rare(np.array([[1.0, 2.0], [1.0, 3.0], [nan, 1.0], [2.0, nan]]), 2).tolist()
    [[False, False], [False, False], [True, True], [True, True]]
    """
    missing = np.isnan(values)
    while True:
        patterns = split_patterns(missing)
        for rows in patterns:
            if len(rows) < k:
                missing[rows] = True
        blank = np.flatnonzero(missing.all(axis=1))
        if not 0 < len(blank) < k:
            return missing
        others = sorted((rows for rows in split_patterns(missing) if not missing[rows[0]].all()), key=len)
        needed = k - len(blank)
        spare = [rows for rows in others if len(rows) >= k + needed]
        missing[_outermost(values, missing, spare[0])[:needed] if spare else others[0]] = True


def _outermost(values: FloatArray, missing: BoolArray, rows: LongArray) -> LongArray:
    """Return rows of one pattern, those farthest from their mean first."""
    known = values[np.ix_(rows, np.flatnonzero(~missing[rows[0]]))]
    distances = ((known - known.mean(axis=0)) ** 2).sum(axis=1)
    return rows[np.argsort(-distances, kind="stable")]
