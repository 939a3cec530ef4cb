"""The distribution of each attribute, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.utility.recoded import count_rows
from sfumato.utility.result import AttributeUtility

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.utility.recoded import Recoded


def compare_distribution(table: Recoded, number: int) -> AttributeUtility:
    """Compare the distribution of an attribute among original and released rows.

    A released row counts in every value of its block alike, with one over the size of the block. Suppressed
    rows are left out of ``after``; in ``after_spread`` they count in every value of the domain alike. Missing
    is a value like any other.
    """
    attribute = table.attributes[number]
    before = table.counts(number)
    blocks = count_rows(table.blocks(number), table.released, len(attribute.sizes))
    after = (blocks / attribute.sizes)[attribute.block]
    lost = table.row_count - table.kept_count
    shares = [share(counts) for counts in (before, after, after + lost / attribute.size)]
    moments = [_moments(attribute.numbers, counts) for counts in (before, after)]
    return AttributeUtility(
        attribute.name,
        attribute.role,
        attribute.kind,
        attribute.size,
        int((blocks > 0).sum()),
        total_variation(shares[0], shares[1]),
        total_variation(shares[0], shares[2]),
        attribute.labels,
        tuple(shares[0].tolist()),
        tuple(shares[1].tolist()),
        tuple(shares[2].tolist()),
        moments[0][0],
        moments[1][0],
        moments[0][1],
        moments[1][1],
        attribute.is_ordered,
    )


def share(counts: FloatArray) -> FloatArray:
    """Return counts as shares; all zero where nothing was counted."""
    total = float(counts.sum())
    return counts / total if total else np.zeros(len(counts))


def total_variation(before: FloatArray, after: FloatArray) -> float:
    """Return half the sum of the absolute differences; 1 where one of the two has no rows.

    Examples
    --------
    >>> import numpy as np
    >>> total_variation(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    0.5
    """
    if not before.any() or not after.any():
        return float(before.any() != after.any())
    return float(min(np.abs(before - after).sum() / 2, 1.0))


def _moments(numbers: FloatArray | None, counts: FloatArray) -> tuple[float | None, float | None]:
    """Return mean and standard deviation over the rows that have a number."""
    if numbers is None:
        return None, None
    has = ~np.isnan(numbers)
    values, weights = numbers[has], counts[has]
    total = float(weights.sum())
    if not total:
        return None, None
    mean = float((values * weights).sum() / total)
    return mean, float(np.sqrt((weights * (values - mean) ** 2).sum() / total))
