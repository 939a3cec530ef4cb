"""Rows of a class that go at every specialization.

Classes that meet a requirement meet it united too (see `sfumato.measures.Union`). So what stays of a class
when it is split is a part of it that meets the requirement, and the histogram of the class bounds how many
rows such a part can have. All others are doomed. Rounding favours what stays.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import inner, kernel
from sfumato.kernels.histograms import ENTROPY, T_HIERARCHICAL, T_ORDERED

if TYPE_CHECKING:
    from sfumato.kernels.layout import Plan, Scratch, Tables

# As in `lattice_classes`, which imports this.
SIZE, DISTINCT_BITS, DISTINCT_PAIRS, T_EQUAL, SHARE = 0, 1, 2, 4, 6
TANGENTS = 3
SLACK = 1e-9


@kernel
def _bound_equal(tables: Tables, depth: int, plan: Plan, number: int, scratch: Scratch) -> None:
    """Let x of n rows stay where Σ_v min(c_v, x·P_v) ≥ (1 − t)·x, for a distance of 1 between any two values.

    The difference of both sides is concave in x and 0 at 0: from n on, each tangent meets 0 nearer to where
    the difference last does, and never below.
    """
    source, groups = plan.source[number], tables.counts[depth, 0]
    classes, counts = tables.pair_class[depth, source], tables.pair_rows[depth, source]
    values, rows = tables.pair_value[depth, source], tables.rows[depth]
    most, full, share = scratch.most[0], scratch.most[1], scratch.most[2]
    least = 1.0 - plan.required[number] - SLACK
    for c in range(groups):
        full[c] = 0.0
        share[c] = 0.0
    for _ in range(TANGENTS):
        for i in range(tables.counts[depth, 1 + source]):
            c = classes[i]
            part = plan.overall[source, values[i]] / plan.row_count
            is_full = counts[i] < min(most[c], float(rows[c])) * part
            full[c] += counts[i] if is_full else 0.0
            share[c] += 0.0 if is_full else part
        for c in range(groups):
            if share[c] < least:
                most[c] = min(most[c], full[c] / (least - share[c]))
            full[c] = 0.0
            share[c] = 0.0


@kernel
def _bound_known(tables: Tables, depth: int, plan: Plan, number: int, scratch: Scratch) -> None:
    """Bound what stays by how far the number of a class, over its rows with a known value, misses ℓ.

    Entropy is concave: the parts that stay have an entropy of ln ℓ or more, and weighted by their rows not
    more than the class has. A share: of its most frequent value a part of x rows has at most x / ℓ.
    """
    source, groups, limit = plan.source[number], tables.counts[depth, 0], plan.required[number] - SLACK
    classes, counts = tables.pair_class[depth, source], tables.pair_rows[depth, source]
    most, known, found = scratch.most[0], scratch.most[1], scratch.values[number]
    for c in range(groups):
        known[c] = 0.0
    for i in range(tables.counts[depth, 1 + source]):
        known[classes[i]] += counts[i]
    for c in range(groups):
        if found[c] < limit and found[c] >= 1.0:
            if plan.kind[number] == ENTROPY:
                stays = known[c] * math.log(found[c]) / math.log(limit)
            else:
                stays = known[c] * (1.0 - 1.0 / found[c]) / (1.0 - 1.0 / limit)
            most[c] = min(most[c], stays + tables.rows[depth, c] - known[c])


@kernel
def _bound_distance(tables: Tables, depth: int, plan: Plan, number: int, scratch: Scratch) -> None:
    """Bound what stays by convexity: n · t(class) is t or less for each row that stays, else M or less.

    M is what a single value has at most.
    """
    limit, far = plan.required[number] + SLACK, plan.details.farthest[number] + 2 * SLACK
    most = scratch.most[0]
    for c in range(tables.counts[depth, 0]):
        found = scratch.values[number, c]
        if limit < found:
            most[c] = min(most[c], tables.rows[depth, c] * max(far - found, 0.0) / (far - limit))


@inner
def count_doomed(tables: Tables, depth: int, plan: Plan, scratch: Scratch) -> None:
    """Write to ``scratch.doomed`` the rows of each class that go at every specialization. O(pairs)."""
    groups, rows, most = tables.counts[depth, 0], tables.rows[depth], scratch.most[0]
    for c in range(groups):
        most[c] = rows[c]
    least = 0.0
    for p in range(len(plan.kind)):
        kind, limit = plan.kind[p], plan.required[p]
        if np.isnan(limit):
            continue
        if kind == SIZE or kind == DISTINCT_BITS or kind == DISTINCT_PAIRS:
            least = limit if kind == SIZE else least
            for c in range(groups):
                if scratch.values[p, c] < limit:
                    most[c] = 0.0
        elif kind == T_EQUAL:
            _bound_equal(tables, depth, plan, p, scratch)
        elif kind == ENTROPY or kind == SHARE:
            _bound_known(tables, depth, plan, p, scratch)
        elif kind == T_ORDERED or kind == T_HIERARCHICAL:
            _bound_distance(tables, depth, plan, p, scratch)
    for c in range(groups):
        stays = np.int64(most[c] + 1e-6)
        # Where persons are counted, they are never more than rows.
        scratch.doomed[c] = rows[c] - (stays if stays >= least else 0)
