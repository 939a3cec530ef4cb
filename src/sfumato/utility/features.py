"""Values and blocks as points of one space, so that what is learned from blocks applies to values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.utility.pooling import indicators, pool

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray
    from sfumato.utility.recoded import RecodedAttribute

MOST_GROUPS = 20
MOST_BINS = 10


def encode_attribute(attribute: RecodedAttribute, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the point of each code and of each block."""
    most = MOST_BINS if attribute.is_ordered else MOST_GROUPS
    points = indicators(pool(attribute, counts, most))
    inside = attribute.block_means(points)
    if attribute.numbers is None or attribute.block_numbers is None:
        return points, inside
    has = ~np.isnan(attribute.numbers)
    weights = np.where(has, counts, 0.0)
    values = np.where(has, attribute.numbers, 0.0)
    total = max(float(weights.sum()), 1.0)
    mean = float((values * weights).sum()) / total
    deviation = float(np.sqrt((weights * (values - mean) ** 2).sum() / total)) or 1.0
    scores = [
        np.nan_to_num((numbers - mean) / deviation, nan=0.0)
        for numbers in (attribute.numbers, attribute.block_numbers)
    ]
    return np.column_stack([points, scores[0]]), np.column_stack([inside, scores[1]])


def number_patterns(columns: list[LongArray], length: int) -> tuple[LongArray, LongArray]:
    """Number the distinct rows of some columns."""
    numbers = np.zeros(length, dtype=np.int64)
    first = np.zeros(min(length, 1), dtype=np.int64)
    for column in columns:
        keys = numbers * (int(column.max(initial=0)) + 1) + column
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        numbers = inverse.reshape(-1)
    return numbers, first
