"""Pooling the values of large domains into few groups, by the original rows alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray
    from sfumato.utility.recoded import RecodedAttribute


def pool(attribute: RecodedAttribute, counts: FloatArray, most: int) -> LongArray:
    """Put the values of a domain into at most so many groups."""
    known = attribute.known
    if known <= most:
        return np.arange(attribute.size, dtype=np.int64)
    first = _neighbours(counts[:known], most) if attribute.is_ordered else _rarest(counts[:known], most)
    after = int(first.max()) + 1 + np.arange(attribute.size - known, dtype=np.int64)
    return np.concatenate([first, after])


def _neighbours(counts: FloatArray, most: int) -> LongArray:
    """Cut the order into runs by the rows that lie before the middle of each value."""
    total = max(float(counts.sum()), 1.0)
    middle = (np.cumsum(counts) - counts / 2) / total
    group = np.minimum((middle * most).astype(np.int64), most - 1)
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def _rarest(counts: FloatArray, most: int) -> LongArray:
    """Give the most frequent values groups of their own, in the order of their codes."""
    frequent = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    group = np.full(len(counts), most - 1, dtype=np.int64)
    group[frequent] = np.arange(most - 1)
    return group


def indicators(groups: LongArray) -> FloatArray:
    """Return one row for each code with a one in the column of its group.

    Examples
    --------
    >>> import numpy as np
    >>> indicators(np.array([0, 1, 1])).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    """
    found = np.zeros((len(groups), int(groups.max(initial=-1)) + 1))
    found[np.arange(len(groups)), groups] = 1.0
    return found
