"""A lower bound on what any local recoding costs, certified over all labels.

Every tuple t gets a number a(t) ≥ 0 so that each class pays for its tuples: for every label L, and any tuples
under it that have k units together, and what else is demanded, Σ w(t)·a(t) ≤ Σ w(t)·cost(L). Then no recoding
costs less than Σ w(t)·a(t). :func:`certify` lowers a guess until that holds.

A label that breaks it costs less than a(t) for one of its tuples t. So the labels over t which cost less are
walked, each once: a label is the least over what it covers, tuples are added in their order, and one that
covers a tuple of an earlier place which was left out has been met before (Kuznetsov's close-by-one).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.kernels._groups import by_address
from sfumato.kernels._options import inner, kernel
from sfumato.kernels.class_moves import sort_by
from sfumato.kernels.label_costs import (
    LabelCosts,
    LabelRows,
    begin_label,
    copy_label,
    nearest_price,
    pair_price,
    widen_label,
    widened_price,
)
from sfumato.kernels.uniting import popcount

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, IntArray, KeyArray, LongArray

BOX = 32
"""Tuples that are passed over together where even the nearest would cost too much."""
DEEPEST = 64
"""How many tuples are added to a label one after another, at most."""
TINY = 1e-12
"""Relative slack: sums of rounded numbers may exceed what they should be by no more."""


@by_address
class Demands(NamedTuple):
    """What requirements demand of a class beyond units: some gain from events that its tuples bring."""

    has: KeyArray  # (n, words): the events that each tuple brings
    owed: KeyArray  # (n, words): those that its class must have
    word: LongArray  # (demands + 1,): the first word of each, and the end
    need: FloatArray  # (demands,): the least gain
    gain: FloatArray  # (64 · words,): of each event
    own: FloatArray  # (n, demands + 1): what each tuple gains alone, from the second column on
    least: LongArray  # (n,): the least units of a class with each tuple


@by_address
class Walk(NamedTuple):
    """What a walk over labels reads and writes."""

    costs: LabelCosts
    units: LongArray  # (n,)
    weight: FloatArray  # (n,)
    k: int
    demands: Demands
    alone: BoolArray  # (n,): which tuples need no other
    level: FloatArray  # (n,): a; lowered
    limit: FloatArray  # (n,): the guess: labels over a tuple that cost less are walked
    rank: IntArray  # (n,): the place of each tuple in the order of walks
    broken: IntArray  # (n,): 1 where a label over it breaks the guess, or its walk was given up
    labels: LabelRows  # (DEEPEST + 2,)
    boxes: LabelRows  # the labels of parts of BOX tuples each, in the order of ``parts``
    parts: IntArray  # (n,): the tuples, similar ones side by side
    near: IntArray  # (room,): tuples that a label may still cover, depth by depth
    price: FloatArray  # (room,): what it costs to cover them
    begin: LongArray  # (DEEPEST + 2,): where those of a depth begin
    at: LongArray  # (DEEPEST + 2,): the place where a depth goes on
    own: FloatArray  # (DEEPEST + 2,): what the label of a depth costs
    items: IntArray  # (n,)
    key: FloatArray  # (n,)
    held: KeyArray  # (words,): the events of a class
    others: IntArray  # (n,): tuples in the order in which they meet a demand
    ratio: FloatArray  # (n,): what they cost for each gain; then the share of each that is taken
    counts: LongArray  # labels walked; tuples that a walk may still look at; tuples given up; cuts, their
    # entries; noted for a tuple, wanted, that tuple; whether somebody asked to stop; what a sum was bound by:
    # 0 for units, else the number of a demand from 1 on
    cut_end: LongArray  # where the entries of each label that broke a guess end
    cut_tuple: IntArray
    cut_share: FloatArray  # weights in the sum over its tuples
    cut_cost: FloatArray  # what that sum of a may be


WALKED, ALLOWED, GIVEN_UP, CUTS, ENTRIES, NOTED, WANTED, TUPLE, ENDED, BOUND_BY = range(10)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
WORTH = 0.01
"""By how much of its cost a label must be exceeded to be noted."""


@kernel
def _gain(demands: Demands, word: int, events: np.uint64) -> float:
    """Return what the events in a word gain."""
    total = 0.0
    while events != _ZERO:
        rest = events & (events - _ONE)
        total += demands.gain[64 * word + popcount((events ^ rest) - _ONE)]
        events = rest
    return total


@kernel
def _held_gain(demands: Demands, held: KeyArray, j: int) -> float:
    """Return what the events of a class gain for a demand."""
    total = 0.0
    for w in range(demands.word[j], demands.word[j + 1]):
        total += _gain(demands, w, held[w])
    return total


@kernel
def _is_owed(demands: Demands, held: KeyArray, t: int) -> bool:
    """Tell whether a class does not have what a tuple owes."""
    for w in range(len(held)):
        if demands.owed[t, w] & ~held[w] != _ZERO:
            return True
    return False


@kernel
def _meets_all(demands: Demands, held: KeyArray) -> bool:
    """Tell whether the events of a class gain what is demanded."""
    for j in range(len(demands.need)):
        if _held_gain(demands, held, j) < demands.need[j]:
            return False
    return True


@kernel
def _leave_out(walk: Walk, m: int) -> int:
    """Put what no class of the m tuples at hand can have behind the others; return how many these are.

    The keys of what is put there become infinite. 0 where there is no class of them at all.
    """
    demands, items, keys, held = walk.demands, walk.items, walk.key, walk.held
    before = m + 1
    while m < before and m > 0:
        before, units = m, 0
        for w in range(len(held)):
            held[w] = _ZERO
        for i in range(m):
            units += walk.units[items[i]]
            for w in range(len(held)):
                held[w] |= demands.has[items[i], w]
        i = 0
        while i < m:
            t = items[i]
            if demands.least[t] > units or _is_owed(demands, held, t):
                m -= 1
                items[i], keys[i] = items[m], keys[m]
                items[m], keys[m] = t, np.inf
            else:
                i += 1
    return m if _meets_all(demands, held) else 0


@kernel
def _fill(walk: Walk, m: int, j: int) -> tuple[float, int]:
    """Return the largest sum of the m ordered keys, signs turned, that gains what a demand needs.

    Every tuple with a key below 0 is in it; the others in order of what they cost for a gain, in part too,
    which can only raise it. So many of ``others`` are taken, each to the share in ``ratio``.
    """
    demands, items, keys, held = walk.demands, walk.items, walk.key, walk.held
    first, end = demands.word[j], demands.word[j + 1]
    for w in range(first, end):
        held[w] = _ZERO
    total, count = 0.0, 0
    for i in range(m):
        t = items[i]
        if keys[i] < 0.0:
            total -= keys[i] * walk.units[t]
            for w in range(first, end):
                held[w] |= demands.has[t, w]
        elif demands.own[t, j + 1] > 0.0:
            walk.others[count] = t
            walk.ratio[count] = keys[i] * walk.units[t] / demands.own[t, j + 1]
            count += 1
    missing, taken = demands.need[j] - _held_gain(demands, held, j), 0
    if missing > 0.0:
        sort_by(walk.ratio, walk.others, count)
    while taken < count and missing > 0.0:
        t, gain = walk.others[taken], 0.0
        for w in range(first, end):
            gain += _gain(demands, w, demands.has[t, w] & ~held[w])
            held[w] |= demands.has[t, w]
        gain = min(gain, missing)
        missing -= gain
        total -= walk.ratio[taken] * gain
        walk.ratio[taken] = gain / demands.own[t, j + 1]
        taken += 1
    return total, taken


@kernel
def _most(walk: Walk, m: int) -> float:
    """Return the largest sum of the m keys at hand, signs turned, that takes k units or more.

    No more than any demand allows. The list is then in order, best first. Tuples may be taken in part, which
    can only raise it.
    """
    items, keys, demands = walk.items, walk.key, walk.demands
    if len(walk.held) > 0:
        m = _leave_out(walk, m)
    sort_by(keys, items, m)
    total, units = 0.0, 0
    walk.counts[BOUND_BY] = 0
    for i in range(m):
        if units >= walk.k and keys[i] >= 0.0:
            break
        taken = walk.units[items[i]] if keys[i] < 0.0 else min(walk.units[items[i]], walk.k - units)
        total -= keys[i] * taken
        units += taken
    if units < walk.k:
        return -np.inf
    for j in range(len(demands.need)):
        if total > 0.0 and demands.need[j] > 0.0:
            other, _ = _fill(walk, m, j)
            if other < total:
                total, walk.counts[BOUND_BY] = other, j + 1
    return total


@inner
def excess_of(walk: Walk, m: int, cost: float, water: float) -> float:
    """Return by how much tuples at hand with k units exceed what they pay, with no a above ``water``."""
    for i in range(m):
        t = walk.items[i]
        walk.key[i] = (cost - min(walk.level[t], water)) * walk.weight[t] / walk.units[t]
    return _most(walk, m)


@kernel
def _enter(walk: Walk, t: int, share: float, cost: float) -> float:
    """Write a tuple of a label that is noted; return what that pays for it."""
    at = walk.counts[ENTRIES]
    walk.cut_tuple[at], walk.cut_share[at] = t, share
    walk.counts[ENTRIES] += 1
    return share * cost


@inner
def note(walk: Walk, m: int, cost: float) -> None:
    """Keep a label that breaks the guess, with the tuples that do; the list is in order."""
    number, by = walk.counts[CUTS], walk.counts[BOUND_BY]
    walk.counts[NOTED] += 1
    if walk.counts[NOTED] >= walk.counts[WANTED]:
        walk.counts[ALLOWED] = 0
    if number == len(walk.cut_end) or walk.counts[ENTRIES] + m > len(walk.cut_tuple):
        return
    units, paid = 0, 0.0
    for i in range(m):
        t = walk.items[i]
        if walk.key[i] >= 0.0 and (units >= walk.k or by > 0):
            break
        taken = walk.units[t] if walk.key[i] < 0.0 else min(walk.units[t], walk.k - units)
        units += taken
        paid += _enter(walk, t, walk.weight[t] * taken / walk.units[t], cost)
    if by > 0:
        _, count = _fill(walk, m, by - 1)
        for i in range(count):
            t = walk.others[i]
            paid += _enter(walk, t, walk.weight[t] * walk.ratio[i], cost)
    walk.cut_end[number] = walk.counts[ENTRIES]
    walk.cut_cost[number] = paid
    walk.counts[CUTS] += 1


@inner
def lower(walk: Walk, m: int, cost: float) -> None:
    """Lower the largest a of the tuples at hand to the level at which they pay for no more than a label."""
    most = 0.0
    for i in range(m):
        most = max(most, walk.level[walk.items[i]])
    excess = excess_of(walk, m, cost, most)
    if walk.counts[WANTED] > 0:
        if excess > TINY * cost * walk.k:
            walk.broken[walk.counts[TUPLE]] = 1
            if excess > WORTH * cost:
                note(walk, m, cost)
        return
    if excess <= TINY * cost * walk.k:
        return
    low, high = cost, most
    for _ in range(40):
        middle = 0.5 * (low + high)
        if excess_of(walk, m, cost, middle) <= 0.0:
            low = middle
        else:
            high = middle
    for i in range(m):
        t = walk.items[i]
        # What can be in no class under the label does not pay for it.
        if walk.key[i] < np.inf:
            walk.level[t] = min(walk.level[t], low)


@kernel
def _descend(walk: Walk, depth: int, t: int) -> bool:
    """Collect, from the tuples of the depth above, those that the label of this depth covers or may cover.

    Tells whether it is to be walked: k units may break it or a label above it, it covers no tuple that was
    left out before, and none whose own walk has met it.
    """
    first, last, end = walk.begin[depth - 1], walk.begin[depth], walk.begin[depth]
    cost, limit = walk.own[depth], walk.limit[t]
    left_out = walk.at[depth - 1] - 1
    walk.at[depth] = end
    walk.items[0] = t
    walk.key[0] = (cost - walk.level[t]) * walk.weight[t] / walk.units[t]
    walk.counts[ALLOWED] -= last - first
    m = 1
    for i in range(first, last):
        u = walk.near[i]
        if walk.price[i] >= limit:
            continue
        price = widened_price(walk.costs, walk.labels, depth, u, limit)
        if price >= limit:
            continue
        if price <= cost:
            earlier = i < left_out and walk.price[i] > walk.own[depth - 1]
            if earlier or (walk.rank[u] < walk.rank[t] and walk.limit[u] >= limit):
                return False
        if end == len(walk.near):
            walk.counts[ALLOWED] = 0
            return False
        walk.near[end] = u
        walk.price[end] = price
        end += 1
        if i <= left_out:
            walk.at[depth] = end
        walk.items[m] = u
        walk.key[m] = (max(price, cost) - walk.level[u]) * walk.weight[u] / walk.units[u]
        m += 1
    walk.begin[depth + 1] = end
    # What covers a tuple costs no less than covering it alone.
    return _most(walk, m) > 0.0


@kernel
def _check(walk: Walk, depth: int, t: int) -> None:
    """Certify the label of a depth."""
    walk.items[0] = t
    m, units, cost = 1, walk.units[t], walk.own[depth]
    for i in range(walk.begin[depth], walk.begin[depth + 1]):
        if walk.price[i] <= cost:
            walk.items[m] = walk.near[i]
            units += walk.units[walk.near[i]]
            m += 1
    if units >= walk.k:
        lower(walk, m, cost)


@kernel
def _walk_labels(walk: Walk, t: int) -> None:
    """Certify all labels over a tuple that cost less than its a, given the tuples near it at depth 0."""
    depth = 1
    begin_label(walk.costs, walk.labels, 1, t)
    walk.own[1] = walk.own[0]
    walk.at[0] = 0
    if not _descend(walk, 1, t):
        return
    _check(walk, 1, t)
    while depth > 0:
        i = walk.at[depth]
        if i >= walk.begin[depth + 1] or walk.counts[ALLOWED] <= 0:
            depth -= 1
            continue
        walk.at[depth] += 1
        if walk.price[i] <= walk.own[depth] or walk.price[i] >= walk.limit[t]:
            continue
        if depth == DEEPEST:
            walk.counts[ALLOWED] = 0
            continue
        copy_label(walk.labels, depth, depth + 1)
        widen_label(walk.costs, walk.labels, depth + 1, walk.near[i])
        walk.own[depth + 1] = walk.price[i]
        walk.counts[WALKED] += 1
        if _descend(walk, depth + 1, t):
            depth += 1
            _check(walk, depth, t)


@kernel
def _collect_near(walk: Walk, t: int) -> float:
    """Write the tuples whose label with t costs less than its a; return the price at which classes begin.

    No label over a class with t costs less than this.
    """
    end, limit, held = 0, walk.limit[t], walk.held
    for box in range(len(walk.boxes.low)):
        if nearest_price(walk.costs, walk.boxes, box, t, limit) >= limit:
            continue
        for u in walk.parts[box * BOX : (box + 1) * BOX]:
            price = pair_price(walk.costs, t, u, limit)
            if price < limit and u != t:
                walk.items[end] = u
                walk.key[end] = price
                end += 1
    sort_by(walk.key, walk.items, end)
    units, least = walk.units[t], np.inf
    for w in range(len(held)):
        held[w] = walk.demands.has[t, w]
    for i in range(end):
        u = walk.items[i]
        walk.near[i] = u
        walk.price[i] = walk.key[i]
        units += walk.units[u]
        for w in range(len(held)):
            held[w] |= walk.demands.has[u, w]
        if least == np.inf and units >= walk.demands.least[t]:
            if not _is_owed(walk.demands, held, t) and _meets_all(walk.demands, held):
                least = walk.key[i]
    walk.begin[0] = 0
    walk.begin[1] = end
    return least


@kernel
def certify(walk: Walk, order: IntArray, allowed: int) -> None:
    """Lower a until no label over these tuples breaks it; or only note some that do, if any are wanted.

    What is lowered is marked as broken. A walk looks at ``allowed`` tuples; if that ends it, a becomes what
    the nearest tuples allow, and those near it that come later are broken too, for they counted on this walk.
    Calls go along the order of walks; what is certified stays so. O(n + labels · tuples near) a tuple.
    """
    for t in order:
        walk.own[0] = pair_price(walk.costs, t, t, np.inf)
        if walk.limit[t] <= walk.own[0] or (walk.counts[WANTED] == 0 and not walk.broken[t]):
            continue
        least = _collect_near(walk, t)
        walk.counts[ALLOWED] = 0 if walk.counts[ENDED] else allowed
        walk.counts[NOTED] = 0
        walk.counts[TUPLE] = t
        if walk.counts[ALLOWED] > 0:
            _walk_labels(walk, t)
        if walk.counts[ALLOWED] <= 0:
            walk.broken[t] = 1
            if walk.counts[WANTED] == 0:
                walk.counts[GIVEN_UP] += 1
                walk.level[t] = min(walk.level[t], least)
                walk.limit[t] = walk.level[t]
                for i in range(walk.begin[1]):
                    walk.broken[walk.near[i]] = 1


@kernel
def make_boxes(costs: LabelCosts, parts: IntArray, boxes: LabelRows) -> None:
    """Write the label of every BOX tuples."""
    for i in range(len(parts)):
        if i % BOX == 0:
            begin_label(costs, boxes, i // BOX, parts[i])
        else:
            widen_label(costs, boxes, i // BOX, parts[i])
