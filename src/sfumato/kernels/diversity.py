"""How far the values that a class may have lie apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import inner
from sfumato.kernels.rounding import round_off

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray
    from sfumato.kernels.layout import KeyFields, Ladders, Plan, Scratch, Tables

DIVERSITY = 11


@inner
def fill_diversity(
    tables: Tables,
    depth: int,
    fields: KeyFields,
    ladders: Ladders,
    levels: LongArray,
    plan: Plan,
    number: int,
    scratch: Scratch,
) -> None:
    """Write Σ w·extent / Σ w of every class, extents over their limits. O(groups · q)."""
    scale = plan.details.scale[number]
    costs = ladders.costs[plan.details.extent]
    for c in range(tables.counts[depth, 0]):
        total = 0.0
        for a in range(len(levels)):
            code = (tables.keys[depth, fields.word[a], c] >> fields.shift[a]) & fields.mask[a]
            total += scale[a] * costs[ladders.cost_start[a, levels[a]] + np.int64(code)]
        scratch.values[number, c] = total


@inner
def summed_inverse(groups: int, rows: LongArray, values: FloatArray, scratch: Scratch) -> float:
    """Return Σ rows / value over the classes that remain, to 13 digits; infinite where a value is 0.

    What is lost in each addition is summed beside (Neumaier), so that the order of classes does not
    show in the digits that remain.
    """
    total = 0.0
    lost = 0.0
    for c in range(groups):
        if scratch.out[c]:
            continue
        if values[c] <= 0.0:
            return np.inf
        term = rows[c] / values[c]
        after = total + term
        lost += (total - after) + term if total >= term else (term - after) + total
        total = after
    return round_off(total + lost)
