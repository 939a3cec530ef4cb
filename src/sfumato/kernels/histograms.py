"""Properties of a class that its whole histogram of sensitive values decides.

The pairs (class, value, rows) of a set are brought into the order of classes and values first, so
that the histogram of a class is one run. Sums of floating-point numbers then follow the order of
the values, whatever way the classes were rolled up.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.kernels._options import inner, kernel
from sfumato.kernels.rounding import round_off

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
    from sfumato.kernels.layout import Plan, Scratch, Tables

    Runs: TypeAlias = tuple[IntArray, LongArray, IntArray, LongArray]

# What a property of a class is; lower numbers do not need the pairs in order.
ENTROPY, RECURSIVE, T_ORDERED, T_HIERARCHICAL = range(7, 11)
# Numbers of `lattice_classes`, which imports this module.
SIZE, DISTINCT_BITS, DISTINCT_PAIRS, T_EQUAL, SHARE = 0, 1, 2, 4, 6
TANGENTS, SLACK = 3, 1e-9


@inner
def sort_pairs(tables: Tables, depth: int, source: int, values: int, scratch: Scratch) -> None:
    """Order the pairs of a set by class, and by value within a class. O(pairs + groups + values).

    ``scratch.sorted[1]`` receives their numbers; those of class c end before ``scratch.ends[c]``.
    """
    pairs = tables.counts[depth, 1 + source]
    groups = tables.counts[depth, 0]
    by_value, by_class = scratch.sorted[0], scratch.sorted[1]
    value = tables.pair_value[depth, source]
    owner = tables.pair_class[depth, source]
    begins = scratch.ends
    # Two counting sorts: a pair goes to the next free place of its key, so a key's place ends as its end.
    _count_keys(value, pairs, values, begins)
    for i in range(pairs):
        key = np.uint32(value[i])
        by_value[np.uint64(begins[key])] = i
        begins[key] += 1
    _count_keys(owner, pairs, groups, begins)
    for at in range(pairs):
        i = by_value[at]
        key = np.uint32(owner[np.uint32(i)])
        by_class[np.uint64(begins[key])] = i
        begins[key] += 1


@kernel
def _count_keys(keys: IntArray, count: int, size: int, begins: LongArray) -> None:
    """Write where each of the keys below ``size`` begins in the order of keys."""
    begins[:size] = 0
    for i in range(count):
        begins[np.uint32(keys[i])] += 1
    begin = 0
    for key in range(size):
        here = begins[key]
        begins[key] = begin
        begin += here


@kernel
def _fill_entropy(runs: Runs, found: FloatArray) -> None:
    """Write exp(−Σ p·ln p) = exp(ln n − Σ c·ln c / n) of every class, to 13 digits; 1 where n is 0.

    So values with equal shares give their number exactly, and a requirement can be met by them.
    """
    order, ends, _, counts = runs
    at = 0
    for c in range(len(ends)):
        total = 0.0
        known = 0
        while at < ends[c]:
            count = counts[order[at]]
            known += count
            total += count * math.log(count)
            at += 1
        found[c] = round_off(math.exp(math.log(known) - total / known)) if known else 1.0


@kernel
def _sort(values: LongArray, m: int) -> None:
    """Sort the first m numbers: by insertion, at gaps that fall to 1, so that many numbers do not take long.

    The gaps are those of Ciura. NumPy's sort would take the compiler longer than all else here.
    """
    for gap in (1750, 701, 301, 132, 57, 23, 10, 4, 1):
        for i in range(gap, m):
            value = values[i]
            place = i
            while place >= gap and values[place - gap] > value:
                values[place] = values[place - gap]
                place -= gap
            values[place] = value


@kernel
def _fill_recursive(runs: Runs, factor: LongArray, held: LongArray, found: FloatArray) -> None:
    """Write the largest ℓ with r₁ < c·(r_ℓ + … + r_m) of every class, counts falling; 0 if there is none.

    A class without any count has 1.
    """
    order, ends, _, counts = runs
    at = 0
    for c in range(len(ends)):
        m = ends[c] - at
        for place in range(m):
            held[place] = counts[order[at + place]]
        at = ends[c]
        _sort(held, m)
        least = held[m - 1] * factor[1] if m else 0
        tail = 0
        reached = 0 if m else 1
        for place in range(m):
            tail += held[place]
            if least < tail * factor[0]:
                reached = m - place
                break
        held[:m] = 0
        found[c] = reached


@kernel
def _gap(
    held: float, rows: float, first: np.int64, last: np.int64, reach: FloatArray, area: FloatArray
) -> float:
    """Return Σ |held − rows·reach[v]| over the values from ``first`` on before ``last``.

    ``reach`` does not fall, so the terms change their sign once; that place is searched by halving.
    """
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        if rows * reach[middle] > held:
            high = middle
        else:
            low = middle + 1
    below = (low - first) * held - rows * (area[low] - area[first])
    above = rows * (area[last] - area[low]) - (last - low) * held
    return float(below + above)


@kernel
def _fill_ordered(
    runs: Runs,
    rows: LongArray,
    reach: FloatArray,
    area: FloatArray,
    row_count: int,
    m: int,
    found: FloatArray,
) -> None:
    """Write the mean over the gaps between neighbouring values of what has to cross them.

    With C_v rows of the class and R_v of the table up to value v this is
    Σ_v |C_v / n − R_v / N| / (m − 1). Between two values of the class C_v stays: O(d log m) for d
    values of m. All numbers are whole, and exact below 2**53.
    """
    order, ends, values, counts = runs
    at = 0
    for c in range(len(ends)):
        moved = 0.0
        held = 0.0
        first = np.int64(0)  # all places are 64-bit, or the compiler makes _gap three times
        while at < ends[c]:
            i = order[at]
            place = np.int64(values[i])
            moved += _gap(held * row_count, rows[c], first, place, reach, area)
            held += counts[i]
            first = place
            at += 1
        moved += _gap(held * row_count, rows[c], first, np.int64(m), reach, area)
        found[c] = moved / (float(rows[c]) * row_count * max(m - 1, 1))


@kernel
def _settle(heap: LongArray, size: np.int64, value: np.int64) -> np.int64:
    """Put a value into a heap, largest first, and lower the largest to it; return by how much.

    Summed over a sequence, this is the least that makes it nowhere fall.
    """
    place = int(size)
    while place > 0 and heap[(place - 1) // 2] < value:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = value
    lowered: np.int64 = heap[0] - value
    place, child = 0, 1
    while lowered and child <= size:
        if child < size and heap[child + 1] > heap[child]:
            child += 1
        heap[place] = max(heap[child], value)
        if heap[child] <= value:
            return lowered
        place, child = child, 2 * child + 1
    heap[place] = value if lowered else heap[place]
    return lowered


@kernel
def _fill_ordered_apart(
    runs: Runs, rows: LongArray, overall: LongArray, apart: BoolArray, held: LongArray, found: FloatArray
) -> None:
    """Do what :func:`_fill_ordered` does where some values are 1 apart from every other. O(m log m) a class.

    What the others together have too much, b, goes to values apart, at 1 wherever it leaves. With F_v too
    much up to value v, and ρ_v of it gone by then, they carry Σ_v |F_v − ρ_v| over gaps, ρ not falling from
    0 to b. So F is cut to that span, then made nowhere fall. Where they have too little, signs are turned.
    """
    order, ends, values, counts = runs
    row_count = overall.sum()
    at = 0
    for c in range(len(ends)):
        for v in range(len(overall)):
            held[v] = -overall[v] * rows[c]
        while at < ends[c]:
            held[values[order[at]]] += counts[order[at]] * row_count
            at += 1
        beside, moved = 0.0, 0.0
        excess, carried, size = np.int64(0), np.int64(0), np.int64(0)  # else _settle is compiled twice
        for v in range(len(overall)):
            beside += abs(held[v]) if apart[v] else 0
            excess += 0 if apart[v] else held[v]
        for v in range(len(overall)):
            if not apart[v]:
                # The heap grows where excesses were read before.
                carried += held[v] if excess > 0 else -held[v]
                target = np.int64(min(max(carried, 0), abs(excess)))
                moved += abs(carried - target) + _settle(held, size, target)
                size += 1
        held[: len(overall)] = 0
        exchanged = (beside + abs(excess)) / 2.0
        found[c] = (exchanged + moved / max(float(size) - 1.0, 1.0)) / (float(rows[c]) * row_count)


@kernel
def _add_level(
    runs: Runs,
    rows: LongArray,
    block: IntArray,
    overall: LongArray,
    row_count: int,
    held: LongArray,
    sums: LongArray,
) -> None:
    """Add to every class the summed distance of its shares in the blocks of one level, times n·N."""
    order, ends, values, counts = runs
    first = 0
    for c in range(len(ends)):
        for at in range(first, ends[c]):
            held[block[values[order[at]]]] += counts[order[at]]
        total = rows[c] * row_count
        for at in range(first, ends[c]):
            b = block[values[order[at]]]
            if held[b]:
                share = overall[b] * rows[c]
                total += abs(held[b] * row_count - share) - share
                held[b] = 0
        sums[c] += total
        first = ends[c]


@kernel
def _fill_hierarchical(
    runs: Runs,
    rows: LongArray,
    plan: Plan,
    number: int,
    held: LongArray,
    sums: LongArray,
    found: FloatArray,
) -> None:
    """Write the mean over the levels below the root of the equal distance between their blocks.

    Two values whose first common block is at level h are h/H apart, and this is the length of the
    way between them in the tree if every edge is 1/(2H) long. What crosses the edge above
    a block is the difference of its shares.
    """
    m = plan.set_size[plan.source[number]]
    begin, levels = plan.details.tree[number]
    groups = len(runs[1])
    sums[:groups] = 0
    for level in range(levels):
        block = plan.details.tree_blocks[begin + level * m : begin + (level + 1) * m]
        overall = plan.details.tree_rows[begin + level * m : begin + (level + 1) * m]
        _add_level(runs, rows, block, overall, plan.row_count, held, sums)
    for c in range(groups):
        found[c] = sums[c] / (2.0 * rows[c] * plan.row_count * max(levels, 1))


@inner
def measure_histograms(tables: Tables, depth: int, plan: Plan, number: int, scratch: Scratch) -> None:
    """Fill one property of every class after :func:`sort_pairs` of its set."""
    source, kind = plan.source[number], plan.kind[number]
    # Which pairs are in order, where each class ends among them, and their values and rows.
    runs = (
        scratch.sorted[1],
        scratch.ends[: tables.counts[depth, 0]],
        tables.pair_value[depth, source],
        tables.pair_rows[depth, source],
    )
    rows, found = tables.rows[depth], scratch.values[number]
    if kind == ENTROPY:
        _fill_entropy(runs, found)
    elif kind == RECURSIVE:
        _fill_recursive(runs, plan.details.factor[number], scratch.held, found)
    elif kind == T_ORDERED:
        m = plan.set_size[source]
        apart = plan.details.apart[source, :m]
        if apart.any():
            overall = plan.overall[source, :m]
            _fill_ordered_apart(runs, rows, overall, apart, scratch.held, found)
        else:
            reach, area = plan.details.reach[source], plan.details.area[source]
            _fill_ordered(runs, rows, reach, area, plan.row_count, m, found)
    else:
        _fill_hierarchical(runs, rows, plan, number, scratch.held, scratch.squares[number], found)


@kernel
def _bound_equal(tables: Tables, depth: int, plan: Plan, number: int, scratch: Scratch) -> None:
    """Let x of n rows stay where Σ_v min(c_v, x·P_v) ≥ (1 − t)·x, for a distance of 1 between any two values.

    The difference of both sides is concave in x and 0 at 0: from n on, each tangent meets 0 nearer to where
    the difference last does, and never below.
    """
    source, groups = plan.source[number], tables.counts[depth, 0]
    classes, counts = tables.pair_class[depth, source], tables.pair_rows[depth, source]
    values, parts = tables.pair_value[depth, source], scratch.most[3]
    most, full, share = scratch.most[0], scratch.most[1], scratch.most[2]
    least = 1.0 - plan.required[number] - SLACK
    for v in range(plan.set_size[source]):
        parts[v] = plan.overall[source, v] / plan.row_count
    for c in range(groups):
        full[c] = 0.0
        share[c] = 0.0
    for _ in range(TANGENTS):
        for i in range(tables.counts[depth, 1 + source]):
            at, part = np.uint32(classes[i]), parts[np.uint32(values[i])]
            is_full = counts[i] < most[at] * part
            full[at] += counts[i] if is_full else 0.0
            share[at] += 0.0 if is_full else part
        for c in range(groups):
            if share[c] < least:
                most[c] = min(most[c], full[c] / (least - share[c]))
            full[c] = 0.0
            share[c] = 0.0


@kernel
def _rest(kind: int, value: float, far: float) -> float:
    """Return what is concave in shares and not negative: entropy, one less the largest share, far less t."""
    if kind == ENTROPY:
        return math.log(max(value, 1.0))
    return 1.0 - 1.0 / max(value, 1.0) if kind == SHARE else far - value


@kernel
def _bound_mixed(tables: Tables, depth: int, plan: Plan, number: int, scratch: Scratch) -> None:
    """Let x of n rows stay where x · u(limit) ≤ n · u(class), u being concave in the shares of values.

    For parts that stay have the limit's u or more, and the mean u of all parts is not above the class's.
    """
    most, kind, sign = scratch.most[0], plan.kind[number], plan.sign[number]
    if kind < T_ORDERED and (plan.person_set >= 0 or plan.details.apart[plan.source[number]].any()):
        return  # votes of persons count there, or rows with a known value alone
    far, limit = plan.details.farthest[number] + 2 * SLACK, plan.required[number] - sign * SLACK
    for c in range(tables.counts[depth, 0]):
        found = scratch.values[number, c]
        if sign * (found - limit) < 0:
            share = _rest(kind, found, far) / _rest(kind, limit, far)
            most[c] = min(most[c], tables.rows[depth, c] * max(share, 0.0))


@inner
def count_doomed(tables: Tables, depth: int, plan: Plan, scratch: Scratch) -> tuple[int, int]:
    """Write to ``scratch.doomed`` the rows of each class that go at every specialization. O(pairs).

    Classes that meet a requirement meet it united too (see `sfumato.measures.Union`). So what stays of a
    class when it is split is a part that meets the requirement, and the histogram of the class bounds how
    many rows such a part can have. All others are doomed. Rounding favours what stays. Return how many are
    doomed, and the sum over all others of the rows of their class.
    """
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
                most[c] = most[c] if scratch.values[p, c] >= limit else 0.0
        elif kind == T_EQUAL:
            _bound_equal(tables, depth, plan, p, scratch)
        elif kind == SHARE or kind == ENTROPY or kind == T_ORDERED or kind == T_HIERARCHICAL:
            _bound_mixed(tables, depth, plan, p, scratch)
    gone, squares = 0, 0
    for c in range(groups):
        stays = np.int64(most[c] + 1e-6)
        # Where persons are counted, they are never more than rows.
        scratch.doomed[c] = rows[c] - (stays if stays >= least else 0)
        gone += scratch.doomed[c]
        squares += (rows[c] - scratch.doomed[c]) * rows[c]
    return gone, squares
