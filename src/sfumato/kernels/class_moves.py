"""Local recodings by simulated annealing: steps between neighbouring classes of tuples."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import kernel
from sfumato.kernels.label_costs import (
    add_pair_prices,
    add_prices,
    begin_label,
    label_price,
    widen_label,
    widened_price,
)
from sfumato.kernels.regrouping import (
    FREE,
    TOUCHED,
    draw,
    finish,
    is_met,
    label_class,
    link,
    price_class,
    priced,
    rise,
    shift,
    union_rise,
)

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.kernels.regrouping import Region, TupleClasses, TupleFacts

# Shares of the steps; the rest moves single tuples.
SPLITS, DISSOLVES, FOUNDS = 0.5, 0.02, 0.01
HIDES = 0.98
"""From here on a tuple is suppressed."""
SHOWS = 0.75
"""Up to here a new class is made around a tuple that is suppressed; beyond, it joins another."""
CHAINS = 0.8
"""How often a class that would become too small is refilled; otherwise it swaps a tuple."""
SCATTERS, SCATTERED = 0.3, 24
"""How often chance decides where more than k is required, and for how many tuples at most."""
REDRAWS = 6
SHOWN = 20
"""How many tuples may come out of suppression for a class that is suppressed."""
TRIED = 10
"""Tuples that are looked at to refill a class, and neighbours to find another one for a tuple."""


@kernel
def sort_by(keys: FloatArray, items: IntArray, m: int) -> None:
    """Sort the first m items by their keys, by insertion at falling gaps (Ciura)."""
    for gap in (1750, 701, 301, 132, 57, 23, 10, 4, 1):
        for i in range(gap, m):
            key, item = keys[i], items[i]
            place = i
            while place >= gap and keys[place - gap] > key:
                keys[place] = keys[place - gap]
                items[place] = items[place - gap]
                place -= gap
            keys[place] = key
            items[place] = item


@kernel
def _list_class(classes: TupleClasses, c: int, items: IntArray, m: int) -> int:
    """Write the tuples of a class behind m others; return how many there are then."""
    t = classes.head[c]
    while t >= 0:
        items[m] = t
        m += 1
        t = classes.after[t]
    return m


@kernel
def _neighbour(facts: TupleFacts, region: Region, t: int) -> int:
    """Draw a neighbour of a tuple in the region, near ones more often; −1 where that is none."""
    u = draw(region.random)
    s = facts.nearest[t, int(u * u * facts.nearest.shape[1])]
    return int(s) if s >= 0 and region.of[s] == region.number else -1


@kernel
def _any_of(classes: TupleClasses, region: Region, c: int) -> int:
    """Draw a tuple of a class."""
    t = classes.head[c]
    for _ in range(int(draw(region.random) * classes.length[c])):
        t = classes.after[t]
    return int(t)


@kernel
def _can_spare(facts: TupleFacts, classes: TupleClasses, t: int, more: int) -> bool:
    """Tell whether the class of a tuple has enough units without it, and with some more."""
    c = classes.owner[t]
    return bool(c >= len(facts.units) or classes.units[c] + more - facts.units[t] >= facts.k)


@kernel
def _order_members(facts: TupleFacts, region: Region, m: int, t: int) -> None:
    """Order the tuples at hand from those near t to those near the one farthest from it."""
    items, keys = region.items, region.key[0]
    for i in range(m):
        keys[i] = 0.0
    add_pair_prices(facts.costs, t, items, m, 1.0, keys)
    far, most = t, -1.0
    for i in range(m):
        if keys[i] > most:
            far, most = items[i], keys[i]
    add_pair_prices(facts.costs, far, items, m, -1.0, keys)
    sort_by(keys, items, m)


@kernel
def _best_cut(
    facts: TupleFacts, classes: TupleClasses, region: Region, m: int, whole: bool
) -> tuple[int, float]:
    """Return how many of the ordered tuples go into the first of two classes, and what both cost.

    All m where one class is best, if ``whole`` allows it.
    """
    items, front, back = region.items, region.key[1], region.key[2]
    total, units, rows, weight = 0, 0, 0, 0.0
    for i in range(m):
        total += facts.units[items[i]]
        rows += facts.rows[items[i]]
        weight += facts.weight[items[i]]
        front[i] = back[i] = 0.0
    first, last = m, 0
    for i in range(1, m):
        units += facts.units[items[i - 1]]
        if units >= facts.k and total - units >= facts.k:
            first, last = min(first, i), i
    if first <= last:
        add_prices(facts.costs, classes.labels, region.room, items, (m - 1, last, first), back)
    elif not whole:
        return m, np.inf
    end = m - 1 if whole else last - 1
    add_prices(facts.costs, classes.labels, region.room, items, (0, min(first, m) - 1, end), front)
    at, best = m, priced(facts, weight, rows, front[m - 1]) if whole else np.inf
    rest_rows, rest = rows, weight
    for i in range(1, last + 1):
        rest_rows -= facts.rows[items[i - 1]]
        rest -= facts.weight[items[i - 1]]
        if i >= first:
            both = priced(facts, rest, rest_rows, back[i])
            both += priced(facts, weight - rest, rows - rest_rows, front[i - 1])
            if both < best:
                at, best = i, both
    return at, best


@kernel
def _is_cut_so(classes: TupleClasses, region: Region, at: int, m: int) -> bool:
    """Tell whether the first tuples at hand are a class already, and the others too."""
    c = classes.owner[region.items[0]]
    for i in range(at):
        if classes.owner[region.items[i]] != c:
            return False
    return bool(at == classes.length[c] and at < m)


@kernel
def _split(
    facts: TupleFacts, classes: TupleClasses, region: Region, t: int, other: int, limit: float
) -> bool:
    """Unite the class of a tuple with another, or take it alone, and cut it in two where that is best."""
    c = classes.owner[t]
    n = len(facts.units)
    if c >= n or other >= n:
        return False
    m = _list_class(classes, c, region.items, 0)
    old = classes.cost[c]
    if other != c:
        m = _list_class(classes, other, region.items, m)
        old += classes.cost[other]
    elif classes.units[c] < 2 * facts.k or region.counts[FREE] == 0:
        return False
    _order_members(facts, region, m, t)
    at, best = _best_cut(facts, classes, region, m, other != c)
    if len(region.plan.kind) > 0 and draw(region.random) < 0.5:
        # The cheapest cut may fail what else is required.
        at, best = 1 + int(draw(region.random) * m), old
    if not best - old <= limit or _is_cut_so(classes, region, at, m):
        return False
    second = other if other != c else region.free[region.counts[FREE] - 1]
    for i in range(m):
        target = c if i < at else second
        if classes.owner[region.items[i]] != target:
            shift(facts, classes, region, region.items[i], target)
    return True


@kernel
def _scatter(facts: TupleFacts, classes: TupleClasses, region: Region, t: int, other: int) -> bool:
    """Let chance part the tuples of two small classes, and one that is suppressed, anew."""
    c, n, m = classes.owner[t], len(facts.units), 0
    if classes.length[c] + classes.length[other] > SCATTERED:
        return False
    if c < n:
        m = _list_class(classes, c, region.items, m)
    if other < n and other != c:
        m = _list_class(classes, other, region.items, m)
    if classes.length[region.suppressed] > 0:
        region.items[m] = _any_of(classes, region, region.suppressed)
        m += 1
    for i in range(m):
        u, target = draw(region.random) * 8.0, classes.owner[region.items[i]]
        if u < 1.5:
            target = c
        elif u < 3.0:
            target = other
        elif u < 3.5 and region.counts[FREE] > 0:
            target = region.free[region.counts[FREE] - 1]
        elif u > 7.5 and region.budget > 0:
            target = region.suppressed
        if target != classes.owner[region.items[i]]:
            shift(facts, classes, region, region.items[i], target)
    return True


@kernel
def _best_class(facts: TupleFacts, classes: TupleClasses, region: Region, t: int, without: int) -> int:
    """Return the class of a near tuple that a tuple joins at the least cost; −1 where there is none."""
    best, least = -1, np.inf
    if without != region.suppressed and classes.rows[region.suppressed] + facts.rows[t] <= region.budget:
        best, least = region.suppressed, rise(facts, classes, region.suppressed, t)
    last = -1
    for i in range(min(TRIED, facts.nearest.shape[1])):
        s = facts.nearest[t, i]
        if s < 0:
            break
        c = classes.owner[s]
        if region.of[s] != region.number or c == without or c == last or c >= len(facts.units):
            continue
        last = c
        cost = rise(facts, classes, c, t)
        if cost < least:
            best, least = c, cost
    return best


@kernel
def _found(facts: TupleFacts, classes: TupleClasses, region: Region, t: int) -> bool:
    """Make a new class around a tuple from tuples that their classes can spare."""
    if region.counts[FREE] == 0 or not _can_spare(facts, classes, t, 0):
        return False
    c = region.free[region.counts[FREE] - 1]
    if classes.length[c] > 0:
        # A step makes one new class.
        return False
    shift(facts, classes, region, t, c)
    # What else is required may need more than k units.
    wanted = facts.k + (int(draw(region.random) * 4.0) if len(region.plan.kind) > 0 else 0)
    for i in range(min(facts.nearest.shape[1], TOUCHED - 3)):
        s = facts.nearest[t, i]
        if s < 0 or classes.units[c] >= wanted:
            break
        if region.of[s] == region.number and _can_spare(facts, classes, s, 0):
            shift(facts, classes, region, s, c)
    return True


@kernel
def _show(facts: TupleFacts, classes: TupleClasses, region: Region, t: int) -> None:
    """Take a tuple out of suppression: into a near class, or with others into a new one."""
    target = -1
    if draw(region.random) < 0.5:
        target = _best_class(facts, classes, region, t, region.suppressed)
    if target >= 0:
        shift(facts, classes, region, t, target)
    else:
        _found(facts, classes, region, t)


@kernel
def _dissolve(facts: TupleFacts, classes: TupleClasses, region: Region, c: int) -> bool:
    """Let every tuple of a class join another one, or suppress the whole class."""
    if c >= len(facts.units) or classes.length[c] > TOUCHED - 2:
        return False
    m = _list_class(classes, c, region.items, 0)
    hides = classes.rows[c] <= region.budget and draw(region.random) < 0.5
    for i in range(m):
        t = region.items[i]
        target = region.suppressed if hides else _best_class(facts, classes, region, t, c)
        if target < 0:
            break
        shift(facts, classes, region, t, target)
    for _ in range(SHOWN if hides else 0):
        if classes.rows[region.suppressed] <= region.budget:
            break
        _show(facts, classes, region, _any_of(classes, region, region.suppressed))
    return True


@kernel
def _refill(facts: TupleFacts, classes: TupleClasses, region: Region, gone: int, target: int) -> int:
    """Return the tuple that costs least in the class that one leaves, of some near ones; −1 if none can go.

    The label without that one is at hand; ``target`` is the class that it joins.
    """
    best, least, c = -1, np.inf, classes.owner[gone]
    for _ in range(TRIED):
        member = _any_of(classes, region, c)
        t = -1 if member == gone else _neighbour(facts, region, member)
        old = classes.owner[t] if t >= 0 else c
        more = facts.units[gone] if old == target else 0
        if old == c or not _can_spare(facts, classes, t, more):
            continue
        saved = classes.cost[old] * facts.weight[t] / classes.weight[old]
        cost = _exchanged(facts, classes, c, gone, t, region.room) - saved
        if cost < least:
            best, least = t, cost
    return best


@kernel
def _without(facts: TupleFacts, classes: TupleClasses, c: int, t: int, row: int) -> float:
    """Return what a class costs without one of its tuples, and write its label to a row."""
    if c >= len(facts.units):
        return float((classes.weight[c] - facts.weight[t]) * facts.prices[0])
    begins = True
    u = classes.head[c]
    while u >= 0:
        if u != t:
            if begins:
                begin_label(facts.costs, classes.labels, row, u)
            else:
                widen_label(facts.costs, classes.labels, row, u)
            begins = False
        u = classes.after[u]
    if begins:
        return 0.0
    label = label_price(facts.costs, classes.labels, row)
    return priced(facts, classes.weight[c] - facts.weight[t], classes.rows[c] - facts.rows[t], label)


@kernel
def _exchanged(facts: TupleFacts, classes: TupleClasses, c: int, t: int, new: int, row: int) -> float:
    """Return what a class costs that has a new tuple in place of one; the label without it is in a row."""
    label = widened_price(facts.costs, classes.labels, row, new, np.inf)
    rows = classes.rows[c] - facts.rows[t] + facts.rows[new]
    return priced(facts, classes.weight[c] - facts.weight[t] + facts.weight[new], rows, label)


@kernel
def _move(
    facts: TupleFacts, classes: TupleClasses, region: Region, t: int, target: int, limit: float
) -> bool:
    """Move a tuple to another class and refill the one that it leaves, if this may raise the cost so much.

    Most steps raise it more, so they are priced before anything is shifted.
    """
    c, n = classes.owner[t], len(facts.units)
    if c == target:
        return False
    change = _without(facts, classes, c, t, region.room) - classes.cost[c]
    needs = classes.units[c] - facts.units[t] < facts.k or (
        len(region.plan.kind) > 0 and draw(region.random) < 0.5
    )
    s = -1
    if needs and c < n and classes.length[c] > 1:
        if target < n and draw(region.random) >= CHAINS:
            s = _any_of(classes, region, target)
        else:
            s = _refill(facts, classes, region, t, target)
        other = classes.owner[s] if s >= 0 else c
        if other == c or (other < n and classes.length[other] == 1):
            return False
        change = _exchanged(facts, classes, c, t, s, region.room) - classes.cost[c] - classes.cost[other]
        change += _without(facts, classes, other, s, region.room + 1)
        if other == target and target < n:
            change = _exchanged(facts, classes, c, t, s, region.room) - classes.cost[c]
            change += _exchanged(facts, classes, target, s, t, region.room + 1) - classes.cost[target]
    if s < 0 or classes.owner[s] != target:
        change += rise(facts, classes, target, t)
    hides = target >= n and classes.rows[target] + facts.rows[t] > region.budget
    if change > limit and not hides:
        return False
    shift(facts, classes, region, t, target)
    if s >= 0:
        shift(facts, classes, region, s, c)
    if hides:
        s = _any_of(classes, region, target)
        other = _best_class(facts, classes, region, s, target)
        if s != t and other >= 0:
            shift(facts, classes, region, s, other)
    return True


@kernel
def _anneal(
    facts: TupleFacts, classes: TupleClasses, region: Region, proposals: int, heat: tuple[float, float]
) -> None:
    """Try so many steps, at temperatures that fall geometrically from the first to the second.

    A temperature of 0 takes what does not raise the cost. O(tuples of a class · attributes) a step.
    """
    hot = heat[0] > 0.0
    fall = (heat[1] / heat[0]) ** (1.0 / max(proposals, 1)) if hot else 0.0
    temperature = heat[0]
    for _ in range(proposals):
        if region.halt[0]:
            break
        temperature *= fall
        t = region.tuples[int(draw(region.random) * len(region.tuples))]
        for _ in range(REDRAWS):
            # A class that costs nothing has nothing to gain, but as another's neighbour. What is suppressed
            # at no cost may come out, so that others may go.
            c = classes.owner[t]
            if classes.cost[c] != 0.0 or (c == region.suppressed and draw(region.random) < 0.5):
                break
            t = region.tuples[int(draw(region.random) * len(region.tuples))]
        s = _neighbour(facts, region, t)
        if s >= 0 and draw(region.random) < 0.1:
            s = _neighbour(facts, region, s)
        limit = -temperature * math.log(1.0 - draw(region.random)) if hot else 0.0
        kind = draw(region.random)
        target = classes.owner[s] if s >= 0 else -1
        if region.budget > 0:
            # Even what has no neighbour may be suppressed, or come out of it.
            target = region.suppressed if kind > HIDES else target if s >= 0 else classes.owner[t]
        if target < 0:
            continue
        if len(region.plan.kind) > 0 and draw(region.random) < SCATTERS:
            shifts = _scatter(facts, classes, region, t, target)
        elif kind < SHOWS and classes.owner[t] == region.suppressed:
            shifts = _found(facts, classes, region, t)
        elif kind < SPLITS:
            shifts = _split(facts, classes, region, t, target, limit)
        elif kind < SPLITS + DISSOLVES:
            shifts = _dissolve(facts, classes, region, classes.owner[t])
        elif kind < SPLITS + DISSOLVES + FOUNDS:
            shifts = _found(facts, classes, region, t)
        else:
            shifts = _move(facts, classes, region, t, target, limit)
        if shifts:
            finish(facts, classes, region, limit)


@kernel
def _partner(
    facts: TupleFacts, classes: TupleClasses, region: Region, c: int, seen: LongArray
) -> tuple[int, float]:
    """Return the class that one unites with at the least cost: a neighbouring one, else any, else −1."""
    n = len(facts.units)
    best, least = -1, np.inf
    seen[n] += 1
    t = classes.head[c]
    while t >= 0:
        for i in range(facts.nearest.shape[1]):
            s = facts.nearest[t, i]
            d = classes.owner[s] if s >= 0 else n
            if d != c and d < n and seen[d] < seen[n]:
                seen[d] = seen[n]
                cost = union_rise(facts, classes, c, d, region.room)
                if cost < least:
                    best, least = d, cost
        t = classes.after[t]
    for d in range(n if best < 0 else 0):
        if d != c and classes.length[d] > 0:
            cost = union_rise(facts, classes, c, d, region.room)
            if cost < least:
                best, least = d, cost
    return best, least


@kernel
def _shed(facts: TupleFacts, classes: TupleClasses, region: Region, c: int) -> bool:
    """Suppress some tuples of a class, drawn again and again, until the others meet the requirements."""
    spare = min(region.budget - classes.rows[region.suppressed], classes.length[c] - 1)
    for _ in range(100 if spare > 0 else 0):
        for _ in range(1 + int(draw(region.random) * spare)):
            shift(facts, classes, region, _any_of(classes, region, c), region.suppressed)
        if finish(facts, classes, region, np.inf):
            return True
    return False


@kernel
def _place(
    facts: TupleFacts, classes: TupleClasses, region: Region, c: int, seen: LongArray, hides: bool
) -> bool:
    """Unite a class with another, or suppress it: where it must, or it ``hides`` because that costs less."""
    d, cost = _partner(facts, classes, region, c, seen)
    hidden = classes.weight[c] * facts.prices[0] - classes.cost[c]
    fits = classes.rows[region.suppressed] + classes.rows[c] <= region.budget
    if fits and (d < 0 or (hides and hidden < cost)):
        d = region.suppressed
    if d < 0:
        return _shed(facts, classes, region, c)
    while classes.head[c] >= 0:
        link(facts, classes, classes.head[c], d)
    label_class(facts, classes, d)
    classes.cost[d] = price_class(facts, classes, d)
    classes.cost[c] = 0.0
    return True


@kernel
def _more_units(classes: TupleClasses, n: int, units: int) -> int:
    """Return the least number of units above a given one that a class has; a huge one where none has."""
    least = np.iinfo(np.int64).max
    for c in range(n):
        if units < classes.units[c] < least:
            least = classes.units[c]
    return int(least)


@kernel
def _merge_failing(
    facts: TupleFacts, classes: TupleClasses, region: Region, seen: LongArray, hides: bool
) -> int:
    """Unite classes until all meet the requirements; return the rows of those that cannot.

    Those of fewest units come first, then those that fail what else is required.
    """
    n = len(facts.units)
    units = _more_units(classes, n, 0)
    while units < facts.k:
        for c in range(n):
            if classes.length[c] > 0 and classes.units[c] == units:
                _place(facts, classes, region, c, seen, hides)
        units = _more_units(classes, n, units)
    lost = -1
    while lost != 0:
        changes, lost = False, 0
        for c in range(n):
            if classes.units[c] < facts.k or not is_met(classes, region, c):
                rows = classes.rows[c]
                placed = rows > 0 and _place(facts, classes, region, c, seen, hides)
                changes = changes or placed
                lost += rows
        if not changes:
            return int(lost)
    return 0


@kernel
def _set_up(facts: TupleFacts, classes: TupleClasses, owner: LongArray) -> None:
    """Link all tuples into the classes given, label and price these."""
    for c in range(len(classes.head)):
        classes.head[c] = -1
        classes.length[c] = classes.units[c] = classes.rows[c] = 0
        classes.weight[c] = 0.0
    for t in range(len(owner)):
        classes.owner[t] = -1
        link(facts, classes, t, owner[t])
    for c in range(len(classes.head)):
        if c < len(owner) and classes.length[c] > 0:
            label_class(facts, classes, c)
        classes.cost[c] = price_class(facts, classes, c)


SET_UP, UNITE = -2, -1
"""In place of a number of proposals."""


@kernel
def regroup(
    facts: TupleFacts,
    classes: TupleClasses,
    region: Region,
    proposals: int,
    heat: tuple[float, float],
    memory: LongArray,
) -> int:
    """Anneal a region, set up all classes as ``memory`` (n,) says, or unite those that fail a requirement.

    One kernel for all of it, so that what labels and judges classes is compiled once. ``heat`` are the first
    and the last temperature; where classes are united, the first is above 0 if a class may be suppressed
    because that costs less, and ``memory`` (n + 1,) is zeros. Returns the rows of classes that fail for good.
    """
    if proposals == SET_UP:
        _set_up(facts, classes, memory)
    elif proposals == UNITE:
        return _merge_failing(facts, classes, region, memory, heat[0] > 0.0)
    else:
        _anneal(facts, classes, region, proposals, heat)
    return 0
