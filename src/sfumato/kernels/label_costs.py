"""What the least label of some tuples costs, attribute by attribute.

In tree order a lowest common ancestor depends on the smallest and the largest leaf alone. So nodes, ranges,
kept and suppressed cells are all a price on two places; sets are words of bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.kernels._groups import by_address
from sfumato.kernels._options import inner, kernel
from sfumato.kernels.uniting import popcount

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, KeyArray, LongArray

TABLE, CLIMB, ENDS = range(3)
"""How two places are priced: from a table, by climbing levels, from prices of the two ends."""
_ONE = np.uint64(1)


@by_address
class LabelCosts(NamedTuple):
    """The tuples and the prices of all labels, weighed by attribute."""

    places: IntArray  # (n, p): where the codes of the p attributes without sets stand in tree order
    kind: LongArray  # (p,)
    size: LongArray  # (p,): places
    steps: LongArray  # (p,): levels to climb
    start: LongArray  # (p,): where its prices begin
    prices: FloatArray  # TABLE (m, m), in either order, CLIMB (steps, m), ENDS (2, m), one after another
    block_start: LongArray  # (p,)
    blocks: IntArray  # CLIMB (steps, m)
    missing: LongArray  # (p,): ENDS: the place that joins others only under *
    star: FloatArray  # (p,): the price of *
    members: IntArray  # (n, s): codes of the s attributes with sets
    word: LongArray  # (s + 1,): the first word of each, and the end
    count_start: LongArray  # (s,): where its prices begin
    count_prices: FloatArray  # by the size of a set
    set_missing: LongArray  # (s,)
    set_star: FloatArray  # (s,)


@by_address
class LabelRows(NamedTuple):
    """Labels, one to a row."""

    low: IntArray  # (rows, p)
    high: IntArray
    mask: KeyArray  # (rows, words)


@kernel
def _span_price(costs: LabelCosts, a: int, first: int, second: int) -> float:
    """Return what the least label over two places costs; infinity where there is none."""
    start, m = costs.start[a], costs.size[a]
    if costs.kind[a] == TABLE:
        return float(costs.prices[start + first * m + second])
    low, high = min(first, second), max(first, second)
    if costs.kind[a] == ENDS:
        if high == costs.missing[a] and low != high:
            return float(costs.star[a])
        return float(min(costs.prices[start + m + high] - costs.prices[start + low], costs.star[a]))
    begin = costs.block_start[a]
    for step in range(costs.steps[a]):
        if costs.blocks[begin + step * m + low] == costs.blocks[begin + step * m + high]:
            return float(costs.prices[start + step * m + low])
    return np.inf


@kernel
def _set_price(costs: LabelCosts, s: int, count: int, has_missing: bool) -> float:
    """Return what a set of so many codes costs."""
    if has_missing and count > 1:
        return float(costs.set_star[s])
    return float(costs.count_prices[costs.count_start[s] + count])


@inner
def pair_price(costs: LabelCosts, t: int, u: int, limit: float) -> float:
    """Return what the label of two tuples costs; some number above ``limit`` where it is above that."""
    total = 0.0
    for a in range(costs.places.shape[1]):
        total += _span_price(costs, a, costs.places[t, a], costs.places[u, a])
        if total > limit:
            return total
    for s in range(costs.members.shape[1]):
        first, second = costs.members[t, s], costs.members[u, s]
        missing = first == costs.set_missing[s] or second == costs.set_missing[s]
        total += _set_price(costs, s, 1 if first == second else 2, missing)
        if total > limit:
            return total
    return total


@inner
def add_pair_prices(
    costs: LabelCosts, t: int, items: IntArray, m: int, factor: float, prices: FloatArray
) -> None:
    """Add to m prices, times a factor, what the label of a tuple and each item costs: its `pair_price`."""
    places, tables, members = costs.places, costs.prices, costs.members
    for a in range(places.shape[1]):
        place, kind = places[t, a], costs.kind[a]
        row = costs.start[a] + place * costs.size[a]
        for i in range(m):
            other = places[items[i], a]
            price = tables[row + other] if kind == TABLE else _span_price(costs, a, place, other)
            prices[i] += factor * price
    for s in range(members.shape[1]):
        first, lost = members[t, s], costs.set_missing[s]
        for i in range(m):
            second = members[items[i], s]
            count, missing = (1 if first == second else 2), first == lost or second == lost
            prices[i] += factor * _set_price(costs, s, count, missing)


@inner
def add_prices(
    costs: LabelCosts,
    labels: LabelRows,
    row: int,
    items: IntArray,
    ends: tuple[int, int, int],
    prices: FloatArray,
) -> None:
    """Add to prices[i] what the label over all items from the first of three ``ends`` to i costs.

    For each i from the second of them to the third; a row of labels is used. Attribute by attribute, so that
    what is covered stays at hand. O(items · attributes).
    """
    places, tables, members, mask = costs.places, costs.prices, costs.members, labels.mask
    begin, wanted, last = ends
    step = 1 if last >= begin else -1
    for a in range(places.shape[1]):
        kind, start, m = costs.kind[a], costs.start[a], costs.size[a]
        low, high = places[items[begin], a], places[items[begin], a]
        for i in range(begin, last + step, step):
            place = places[items[i], a]
            low, high = min(low, place), max(high, place)
            if (i - wanted) * step >= 0:
                if kind == TABLE:
                    prices[i] += tables[start + low * m + high]
                else:
                    prices[i] += _span_price(costs, a, low, high)
    for s in range(members.shape[1]):
        word, lost, count, missing = costs.word[s], costs.set_missing[s], 0, False
        for w in range(word, costs.word[s + 1]):
            mask[row, w] = 0
        for i in range(begin, last + step, step):
            code = members[items[i], s]
            held, bit = mask[row, word + (code >> 6)], _ONE << np.uint64(code & 63)
            if held & bit == 0:
                mask[row, word + (code >> 6)] = held | bit
                count += 1
                missing = missing or code == lost
            if (i - wanted) * step >= 0:
                prices[i] += _set_price(costs, s, count, missing)


@inner
def begin_label(costs: LabelCosts, labels: LabelRows, row: int, t: int) -> None:
    """Make a label that of one tuple."""
    for a in range(costs.places.shape[1]):
        labels.low[row, a] = costs.places[t, a]
        labels.high[row, a] = costs.places[t, a]
    for w in range(labels.mask.shape[1]):
        labels.mask[row, w] = 0
    for s in range(costs.members.shape[1]):
        code = costs.members[t, s]
        labels.mask[row, costs.word[s] + (code >> 6)] = _ONE << np.uint64(code & 63)


@inner
def widen_label(costs: LabelCosts, labels: LabelRows, row: int, t: int) -> None:
    """Make a label cover one more tuple."""
    for a in range(costs.places.shape[1]):
        place = costs.places[t, a]
        labels.low[row, a] = min(labels.low[row, a], place)
        labels.high[row, a] = max(labels.high[row, a], place)
    for s in range(costs.members.shape[1]):
        code = costs.members[t, s]
        labels.mask[row, costs.word[s] + (code >> 6)] |= _ONE << np.uint64(code & 63)


@inner
def unite_labels(costs: LabelCosts, labels: LabelRows, row: int, other: int) -> None:
    """Make a label cover another one."""
    for a in range(costs.places.shape[1]):
        labels.low[row, a] = min(labels.low[row, a], labels.low[other, a])
        labels.high[row, a] = max(labels.high[row, a], labels.high[other, a])
    for w in range(labels.mask.shape[1]):
        labels.mask[row, w] |= labels.mask[other, w]


@inner
def copy_label(labels: LabelRows, source: int, target: int) -> None:
    """Copy one label over another."""
    for a in range(labels.low.shape[1]):
        labels.low[target, a] = labels.low[source, a]
        labels.high[target, a] = labels.high[source, a]
    for w in range(labels.mask.shape[1]):
        labels.mask[target, w] = labels.mask[source, w]


@inner
def label_price(costs: LabelCosts, labels: LabelRows, row: int) -> float:
    """Return what a label costs."""
    total = 0.0
    for a in range(costs.places.shape[1]):
        total += _span_price(costs, a, labels.low[row, a], labels.high[row, a])
    for s in range(costs.members.shape[1]):
        count = 0
        for w in range(costs.word[s], costs.word[s + 1]):
            count += popcount(labels.mask[row, w])
        code = costs.set_missing[s]
        missing = code >= 0 and _has(labels, row, costs.word[s], code)
        total += _set_price(costs, s, count, missing)
    return total


@kernel
def _has(labels: LabelRows, row: int, word: int, code: int) -> bool:
    """Tell whether a set holds a code."""
    return bool((labels.mask[row, word + (code >> 6)] >> np.uint64(code & 63)) & _ONE == _ONE)


@inner
def widened_price(costs: LabelCosts, labels: LabelRows, row: int, t: int, limit: float) -> float:
    """Return what a label would cost if it covered one more tuple; too much where it is above ``limit``."""
    total = 0.0
    for a in range(costs.places.shape[1]):
        place = costs.places[t, a]
        total += _span_price(costs, a, min(labels.low[row, a], place), max(labels.high[row, a], place))
        if total > limit:
            return total
    for s in range(costs.members.shape[1]):
        code, word, lost = costs.members[t, s], costs.word[s], costs.set_missing[s]
        count = 0 if _has(labels, row, word, code) else 1
        for w in range(word, costs.word[s + 1]):
            count += popcount(labels.mask[row, w])
        missing = lost >= 0 and (code == lost or _has(labels, row, word, lost))
        total += _set_price(costs, s, count, missing)
        if total > limit:
            return total
    return total


@inner
def nearest_price(costs: LabelCosts, labels: LabelRows, row: int, t: int, limit: float) -> float:
    """Return what the label of a tuple and any that another label covers costs at least; see `pair_price`."""
    total = 0.0
    for a in range(costs.places.shape[1]):
        place, low, high = costs.places[t, a], labels.low[row, a], labels.high[row, a]
        if place < low:
            total += _span_price(costs, a, place, low)
        elif place > high:
            total += _span_price(costs, a, high, place)
        if total > limit:
            return total
    for s in range(costs.members.shape[1]):
        code = costs.members[t, s]
        if not _has(labels, row, costs.word[s], code):
            total += _set_price(costs, s, 2, False)
    return total
