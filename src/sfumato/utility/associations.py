"""How much attributes tell of each other, before and after."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from sfumato.utility.pooling import indicators, pool
from sfumato.utility.recoded import count_rows
from sfumato.utility.result import Association

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray
    from sfumato.utility.recoded import Recoded

MOST_VALUES = 30
"""Values of larger domains are pooled into so many groups first, the same before and after."""


def compare_associations(table: Recoded) -> tuple[Association, ...]:
    """Compare Cramér's V of every pair of attributes between original and released rows.

    In the released table a row counts in all pairs of values of its two blocks alike, so that what a block
    hides is no association any more. Suppressed rows are left out; missing is a value like any other.
    """
    groups = [
        pool(attribute, table.counts(number), MOST_VALUES)
        for number, attribute in enumerate(table.attributes)
    ]
    inside = [
        attribute.block_means(indicators(group))
        for attribute, group in zip(table.attributes, groups, strict=True)
    ]
    coded = [group[table.codes[:, number]] for number, group in enumerate(groups)]
    blocks = []
    for number, item in enumerate(inside):
        # Blocks of one pooled group are alike: domains of thousands of values make no huge tables.
        inside[number], alike = np.unique(item, axis=0, return_inverse=True)
        blocks.append(alike.reshape(-1)[table.blocks(number)])
    found = []
    for a, b in itertools.combinations(range(len(groups)), 2):
        shape = (inside[a].shape[1], inside[b].shape[1])
        before = _count(coded[a], coded[b], table.rows, shape)
        united = _count(blocks[a], blocks[b], table.released, (len(inside[a]), len(inside[b])))
        after = inside[a].T @ united @ inside[b]
        # Values of one block were not counted apart: they add nothing to what chance makes of the counts.
        told = tuple(int((united.sum(axis=axis) > 0).sum()) for axis in (1, 0))
        names = table.attributes[a].name, table.attributes[b].name
        found.append(Association(*names, cramers_v(before), cramers_v(after, told)))
    return tuple(found)


def _count(first: LongArray, second: LongArray, rows: LongArray, shape: tuple[int, int]) -> FloatArray:
    """Count the rows of each pair."""
    pairs = first * shape[1] + second
    return count_rows(pairs, rows, shape[0] * shape[1]).reshape(shape)


def cramers_v(counts: FloatArray, told: tuple[int, ...] | None = None) -> float:
    """Return Cramér's V with bias correction.

    With n rows, r × c values and φ² = χ²/n: V = sqrt(max(0, φ² − (r−1)(c−1)/(n−1)) / min(r′−1, c′−1)), where
    r′ = r − (r−1)²/(n−1) and c′ likewise. Spreading blocks over their values leaves φ² as it is; so what is
    subtracted, which is what chance alone adds to φ², has the numbers of blocks in the place of r and c where
    they are smaller.

    W. Bergsma, A bias-correction for Cramér's V and Tschuprow's T, Journal of the Korean Statistical Society
    42 (2013), doi:10.1016/j.jkss.2012.10.002.
    """
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    n = float(counts.sum())
    r, c = counts.shape
    if min(r, c) < 2 or n <= 1:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    phi2 = float(((counts - expected) ** 2 / expected).sum()) / n
    free = [min(size, most) - 1 for size, most in zip((r, c), told or (r, c), strict=True)]
    corrected = max(0.0, phi2 - free[0] * free[1] / (n - 1))
    least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    return float(min(np.sqrt(corrected / least), 1.0)) if least > 0 else 0.0
