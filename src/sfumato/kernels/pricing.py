"""A bound that sees joins as shared by all rows: prices on boxes that are too small.

Take a class that fails, and a box of runs around it with too few rows. In every recoding the class is
suppressed, or its run leaves the box in some attribute. With a price on each such box, every attribute can be
looked at alone: a run costs what it costs all its rows, less the prices of the classes that it takes out of
their boxes, and the best runs are found exactly, block after block. The prices and what is left bound all
recodings. A price rises where nothing leaves its box, and falls where several attributes do. Then further
boxes are made that hold as many of the best runs so far as they can.

A class that may be suppressed costs no less than a share of its cells' rise and the price together, if these
stay below the cost of suppression. Attributes with other elements than joins of neighbours cost nothing here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import inner, kernel
from sfumato.kernels.bounding import weight_of
from sfumato.kernels.scheme_elements import OPEN

if TYPE_CHECKING:
    from sfumato._typing import IntArray
    from sfumato.kernels.bounding_layout import BoundModel, Prices, Work
    from sfumato.kernels.scheme_elements import Decisions, Ends

ASCENTS, PATIENCE = 20, 4
"""Steps in which prices change between two sets of boxes, and after how many without a better bound they
become shorter."""
SHORTER, KEPT, FIRST_PRICE = 0.7, 0.3, 0.01
"""By how much they do, the part of the last step that is taken again, and first prices as a share of what
suppression costs."""
UNUSED = 1e9
"""How much less a side counts that no best run has led to."""
ENOUGH, ROUNDING = 1e-4, 1e-9
"""A rise that counts as a better bound, and what rounding may add to one, as shares of the cost to beat."""


@kernel
def _find_limits(decisions: Decisions, ends: Ends, a: int, work: Work) -> None:
    """Note the coarse run of each fine block of an attribute, and running masses."""
    prices = work.prices
    begin, count = decisions.code_start[a], ends.fine_count[a]
    first = 0
    prices.first[begin] = 0
    for code in range(begin + 1, decisions.code_start[a + 1]):
        if ends.coarse[code] != ends.coarse[code - 1]:
            first = ends.fine[code]
        prices.first[begin + ends.fine[code]] = first
    for b in range(count - 1, -1, -1):
        is_end = b == count - 1 or prices.first[begin + b + 1] == b + 1
        prices.last[begin + b] = b if is_end else prices.last[begin + b + 1]
    prices.running[begin + a] = 0.0
    for b in range(count):
        prices.running[begin + a + b + 1] = prices.running[begin + a + b] + work.block_mass[begin + b]
        prices.solid[begin + b] = 0.0


@kernel
def _sort_classes(decisions: Decisions, ends: Ends, model: BoundModel, a: int, work: Work) -> None:
    """Order classes by their blocks of an attribute, and add up the weights of those that need nothing."""
    fine, prices = work.fine, work.prices
    begin, count = decisions.code_start[a], ends.fine_count[a]
    for b in range(count + 1):
        prices.order_start[a, b] = 0
    for c in range(fine.amount[0]):
        b = ends.fine[begin + fine.codes[a, c]]
        prices.block[a, c] = b
        prices.order_start[a, b] += 1
        if not work.is_lost[c] and fine.rows[c] >= model.least_rows:
            prices.solid[begin + b] += weight_of(fine, a, c)
    for b in range(count):
        prices.order_start[a, b + 1] += prices.order_start[a, b]
    for c in range(fine.amount[0] - 1, -1, -1):
        b = prices.block[a, c]
        prices.order_start[a, b] -= 1
        prices.order[a, prices.order_start[a, b]] = c


@inner
def _span(decisions: Decisions, model: BoundModel, a: int, low: int, high: int, work: Work) -> float:
    """Return what a cell costs in a run of fine blocks, for each unit of weight and but for a constant."""
    at = decisions.code_start[a] + a
    return float(model.slope[a] * (work.prices.running[at + high + 1] - work.prices.running[at + low]))


@kernel
def _set_up(decisions: Decisions, ends: Ends, model: BoundModel, work: Work) -> float:
    """Prepare what depends on the ends alone; return what classes cost at the fine end or if lost."""
    fine, prices = work.fine, work.prices
    for a in range(len(decisions.is_plain)):
        _find_limits(decisions, ends, a, work)
        _sort_classes(decisions, ends, model, a, work)
        for one in range(ends.fine_count[a]):
            for other in range(ends.fine_count[a]):
                prices.habit[a, one, other] = 0.0
    base = 0.0
    for c in range(fine.amount[0]):
        prices.limit[c] = prices.most[c] = most = 0.0
        base += fine.rows[c] * model.out_cost if work.is_lost[c] else work.cost[c]
        if work.is_lost[c] or fine.rows[c] >= model.least_rows:
            continue
        for a in range(len(decisions.is_plain)):
            if decisions.is_plain[a]:
                b = prices.block[a, c]
                block = decisions.code_start[a] + b
                rise = _span(decisions, model, a, prices.first[block], prices.last[block], work)
                most += (rise - _span(decisions, model, a, b, b, work)) * weight_of(fine, a, c)
        prices.limit[c] = max(fine.rows[c] * model.out_cost - work.cost[c], 0.0)
        prices.most[c] = min(most, prices.limit[c])
    prices.amount[0] = 0
    return base


@kernel
def _inherit(decisions: Decisions, ends: Ends, parent: Prices, work: Work) -> None:
    """Take over the boxes that the node above has paid for, where the class still lies within."""
    prices = work.prices
    for i in range(parent.amount[0]):
        c, m = prices.kin[parent.owner[i]], prices.amount[0]
        fits = parent.price[i] > 0 and prices.limit[c] > 0
        for a in range(len(decisions.is_plain)):
            if not fits:
                break
            begin, end = decisions.code_start[a], decisions.code_start[a + 1]
            low, high = parent.low[a, i], parent.high[a, i]
            prices.low[a, m] = ends.fine[low] + (low > begin and ends.fine[low - 1] == ends.fine[low])
            prices.high[a, m] = ends.fine[high] - (high < end - 1 and ends.fine[high + 1] == ends.fine[high])
            if not decisions.is_plain[a]:
                prices.low[a, m], prices.high[a, m] = 0, ends.fine_count[a] - 1
            fits = prices.low[a, m] <= prices.block[a, c] <= prices.high[a, m]
        if fits:
            prices.owner[m], prices.price[m], prices.step[m] = c, parent.price[i], 0.0
            prices.amount[0] += 1


@kernel
def _rows_beside(decisions: Decisions, a: int, b: int, m: int, enough: int, work: Work) -> int:
    """Return the rows that a box has more if it grows by a block of an attribute, or enough of them."""
    fine, prices = work.fine, work.prices
    rows = 0
    for i in range(prices.order_start[a, b], prices.order_start[a, b + 1]):
        c = prices.order[a, i]
        inside = True
        for other in range(len(decisions.is_plain)):
            block = prices.block[other, c]
            if other != a and not prices.low[other, m] <= block <= prices.high[other, m]:
                inside = False
                break
        if inside:
            rows += fine.rows[c]
            if rows >= enough:
                break
    return rows


@kernel
def _best_side(decisions: Decisions, model: BoundModel, m: int, work: Work) -> int:
    """Return the side to which a box should grow: where best runs lead, else where leaving it costs least."""
    prices = work.prices
    way, best = -1, -1.0
    for side in range(len(prices.is_shut)):
        if prices.is_shut[side]:
            continue
        a = side // 2
        b = prices.block[a, prices.owner[m]]
        low, high = prices.low[a, m] - (side % 2 == 0), prices.high[a, m] + side % 2
        block = decisions.code_start[a] + b
        if low < prices.first[block] or high > prices.last[block]:
            prices.is_shut[side] = 1
            continue
        found = model.out_cost / (model.out_cost + _span(decisions, model, a, low, high, work)) / UNUSED
        if side % 2:
            for one in range(low, b + 1):
                found += prices.habit[a, one, high]
        else:
            for other in range(b, high + 1):
                found += prices.habit[a, low, other]
        if found > best:
            way, best = side, found
    return way


@kernel
def _grow(decisions: Decisions, ends: Ends, model: BoundModel, m: int, work: Work) -> bool:
    """Grow a box around a class as far as it stays too small; False where there is none."""
    prices = work.prices
    c = prices.owner[m]
    for a in range(len(decisions.is_plain)):
        plain = decisions.is_plain[a]
        prices.low[a, m] = prices.block[a, c] if plain else 0
        prices.high[a, m] = prices.block[a, c] if plain else ends.fine_count[a] - 1
        prices.is_shut[2 * a] = prices.is_shut[2 * a + 1] = 0 if plain else 1
    rows = 0
    for b in range(prices.low[0, m], prices.high[0, m] + 1):
        rows += _rows_beside(decisions, 0, b, m, model.least_rows - rows, work)
        if rows >= model.least_rows:
            return False
    while True:
        way = _best_side(decisions, model, m, work)
        if way < 0:
            return True
        a, up = way // 2, way % 2
        b = prices.high[a, m] + 1 if up else prices.low[a, m] - 1
        more = _rows_beside(decisions, a, b, m, model.least_rows - rows, work)
        if rows + more >= model.least_rows:
            prices.is_shut[way] = 1
            continue
        rows += more
        if up:
            prices.high[a, m] = b
        else:
            prices.low[a, m] = b


@kernel
def _add_boxes(decisions: Decisions, ends: Ends, model: BoundModel, first_price: float, work: Work) -> None:
    """Forget boxes without a price, and make one more for each class that may fail, as far as there is room.

    A box gets ``first_price``, a share of what the suppression of its class costs.
    """
    prices = work.prices
    kept = 0
    for m in range(prices.amount[0]):
        if prices.price[m] == 0.0:
            continue
        prices.owner[kept], prices.price[kept], prices.step[kept] = prices.owner[m], prices.price[m], 0.0
        for a in range(len(decisions.is_plain)):
            prices.low[a, kept], prices.high[a, kept] = prices.low[a, m], prices.high[a, m]
        kept += 1
    for c in range(work.fine.amount[0]):
        if kept == len(prices.owner) or prices.limit[c] == 0.0 or work.control[0]:
            continue
        prices.owner[kept], prices.step[kept] = c, 0.0
        prices.price[kept] = first_price * prices.limit[c]
        kept += _grow(decisions, ends, model, kept, work)
    prices.amount[0] = kept


@kernel
def _fill_table(decisions: Decisions, ends: Ends, a: int, work: Work) -> None:
    """Fill weights, and what each run of one attribute earns: first blocks in rows, last ones in columns."""
    fine, prices, table = work.fine, work.prices, work.prices.table
    begin, count = decisions.code_start[a], ends.fine_count[a]
    for b in range(count):
        prices.weight[b] = prices.solid[begin + b]
    for c in range(fine.amount[0]):
        if prices.limit[c] > 0:
            prices.weight[prices.block[a, c]] += prices.share[c] * weight_of(fine, a, c)
    for one in range(count + 1):
        for other in range(count + 1):
            table[one, other] = 0.0
    for m in range(prices.amount[0]):
        price, low, high = prices.price[m], prices.low[a, m], prices.high[a, m] + 1
        b = prices.block[a, prices.owner[m]]
        if low > 0:
            table[0, b] += price
            table[low, b] -= price
        if high < count:
            table[low, high] += price
            table[b + 1, high] -= price
    for one in range(count):
        earned = 0.0
        for other in range(count):
            earned += table[one, other]
            table[one, other] = earned + (table[one - 1, other] if one else 0.0)


@kernel
def _best_runs(decisions: Decisions, ends: Ends, model: BoundModel, a: int, work: Work) -> float:
    """Return what the best runs of one attribute cost, and note them; the table then holds what runs cost."""
    prices, table = work.prices, work.prices.table
    begin, count = decisions.code_start[a], ends.fine_count[a]
    ahead = prices.ahead
    for b in range(count + 1):
        ahead[b] = np.inf if b else 0.0
    for one in range(count):
        weight, own = 0.0, 0.0
        for other in range(one, prices.last[begin + one] + 1):
            weight += prices.weight[other]
            own += prices.weight[other] * _span(decisions, model, a, other, other, work)
            table[one, other] = (
                weight * _span(decisions, model, a, one, other, work) - own - table[one, other]
            )
            if ahead[one] + table[one, other] < ahead[other + 1]:
                ahead[other + 1] = ahead[one] + table[one, other]
                prices.start[other + 1] = one
    end = count
    while end > 0:
        one = prices.start[end]
        prices.habit[a, one, end - 1] += 1.0
        for b in range(one, end):
            prices.run[0, begin + b] = one
            prices.run[1, begin + b] = end - 1
        end = one
    return float(ahead[count])


@kernel
def _evaluate(decisions: Decisions, ends: Ends, model: BoundModel, work: Work) -> float:
    """Return the prices and what the best runs of all attributes cost at these."""
    prices = work.prices
    total = 0.0
    for c in range(work.fine.amount[0]):
        prices.total[c] = 0.0
    for m in range(prices.amount[0]):
        total += prices.price[m]
        prices.total[prices.owner[m]] += prices.price[m]
    for c in range(work.fine.amount[0]):
        over = prices.total[c] - (prices.limit[c] - prices.most[c])
        prices.share[c] = max(1.0 - over / prices.most[c], 0.0) if over > 0 and prices.most[c] > 0 else 1.0
    for a in range(len(decisions.is_plain)):
        if decisions.is_plain[a]:
            _fill_table(decisions, ends, a, work)
            total += _best_runs(decisions, ends, model, a, work)
    return total


@kernel
def _find_steps(decisions: Decisions, model: BoundModel, work: Work) -> float:
    """Find how prices should change; return the sum of squares."""
    fine, prices = work.fine, work.prices
    for c in range(fine.amount[0]):
        prices.rise[c] = 0.0
        if prices.total[c] <= prices.limit[c] - prices.most[c] or prices.most[c] == 0.0:
            continue
        for a in range(len(decisions.is_plain)):
            b = prices.block[a, c]
            block = decisions.code_start[a] + b
            if decisions.is_plain[a] and prices.run[0, block] < prices.run[1, block]:
                span = _span(decisions, model, a, prices.run[0, block], prices.run[1, block], work)
                span -= _span(decisions, model, a, b, b, work)
                prices.rise[c] += span * weight_of(fine, a, c) / prices.most[c]
    total = 0.0
    for m in range(prices.amount[0]):
        c = prices.owner[m]
        left = 1.0 - prices.rise[c]
        for a in range(len(decisions.is_plain)):
            block = decisions.code_start[a] + prices.block[a, c]
            if decisions.is_plain[a] and (
                prices.run[0, block] < prices.low[a, m] or prices.run[1, block] > prices.high[a, m]
            ):
                left -= 1.0
        prices.step[m] = KEPT * prices.step[m] + (1.0 - KEPT) * left * prices.limit[c]
        total += prices.step[m] ** 2
    return total


@kernel
def _take_step(length: float, work: Work) -> None:
    """Change prices; all of a class together are no more than what its suppression costs."""
    prices = work.prices
    for c in range(work.fine.amount[0]):
        prices.total[c] = 0.0
    for m in range(prices.amount[0]):
        c = prices.owner[m]
        prices.price[m] = max(prices.price[m] + length * prices.step[m] * prices.limit[c], 0.0)
        prices.total[c] += prices.price[m]
    for m in range(prices.amount[0]):
        c = prices.owner[m]
        if prices.total[c] > prices.limit[c]:
            prices.price[m] *= prices.limit[c] / prices.total[c]


@kernel
def _ascend(
    decisions: Decisions, ends: Ends, model: BoundModel, base: float, best: float, work: Work
) -> float:
    """Change prices in so many steps; return the best bound, at whose prices they are left."""
    prices = work.prices
    _take_step(0.0, work)
    bound, pace, idle = -np.inf, 1.0, 0
    for _ in range(ASCENTS):
        found = base + _evaluate(decisions, ends, model, work)
        idle = 0 if found > bound + ENOUGH * abs(best) else idle + 1
        if found > bound:
            bound = found
            for m in range(prices.amount[0]):
                prices.best[m] = prices.price[m]
        if idle == PATIENCE:
            pace, idle = pace * SHORTER, 0
        squares = _find_steps(decisions, model, work)
        if bound >= best or squares == 0.0 or work.control[0]:
            break
        _take_step(pace * (best - found) / squares, work)
    for m in range(prices.amount[0]):
        prices.price[m] = prices.best[m]
    return bound


@kernel
def _decide_by_prices(
    decisions: Decisions, ends: Ends, model: BoundModel, a: int, rest: float, states: IntArray, work: Work
) -> None:
    """Raise the bounds of both ways to decide each open element of one attribute."""
    prices, table = work.prices, work.prices.table
    begin, count, first = decisions.code_start[a], ends.fine_count[a], decisions.element_start[a]
    ahead, after, joined = prices.ahead, prices.after, prices.weight
    after[count] = 0.0
    for b in range(count):
        joined[b] = np.inf
    for one in range(count - 1, -1, -1):
        # The cheapest of the runs from here on that end at a block or behind it.
        beyond = np.inf
        for other in range(prices.last[begin + one], one - 1, -1):
            beyond = min(beyond, table[one, other] + after[other + 1])
            if other > one:
                joined[other] = min(joined[other], ahead[one] + beyond)
        after[one] = beyond
    for e in range(first, decisions.element_start[a + 1]):
        if states[e] == OPEN:
            b = ends.fine[begin + e - first + 1]
            work.joined_bound[e] = max(work.joined_bound[e], rest + joined[b])
            work.apart_bound[e] = max(work.apart_bound[e], rest + ahead[b] + after[b])


@kernel
def _keep_codes(decisions: Decisions, ends: Ends, work: Work) -> None:
    """Turn the fine blocks of boxes into first and last codes, which the nodes below understand."""
    prices = work.prices
    for a in range(len(decisions.is_plain)):
        begin = decisions.code_start[a]
        for code in range(decisions.code_start[a + 1] - 1, begin - 1, -1):
            prices.start[ends.fine[code]] = code
        prices.start[ends.fine_count[a]] = decisions.code_start[a + 1]
        for m in range(prices.amount[0] if decisions.is_plain[a] else 0):
            prices.low[a, m] = prices.start[prices.low[a, m]]
            prices.high[a, m] = prices.start[prices.high[a, m] + 1] - 1


@inner
def price_boxes(
    decisions: Decisions,
    ends: Ends,
    model: BoundModel,
    best: float,
    rounds: int,
    states: IntArray,
    parent: Prices,
    work: Work,
) -> float:
    """Bound all recodings between the ends, and both ways to decide each open element of plain attributes.

    Bounds of elements are raised, never lowered. ``best`` is the cost to beat; boxes are added ``rounds``
    times. ``parent`` has the boxes of the node above, those of a class i for the class ``kin[i]`` here.
    """
    prices = work.prices
    base = _set_up(decisions, ends, model, work) - ROUNDING * abs(best)
    _inherit(decisions, ends, parent, work)
    if not prices.amount[0]:
        _add_boxes(decisions, ends, model, FIRST_PRICE, work)
    bound = _ascend(decisions, ends, model, base, best, work)
    for _ in range(rounds):
        if bound < best:
            _add_boxes(decisions, ends, model, 0.0, work)
            bound = _ascend(decisions, ends, model, base, best, work)
    if bound < best:
        bound = base + _evaluate(decisions, ends, model, work)
        for a in range(len(decisions.is_plain)):
            if decisions.is_plain[a]:
                _fill_table(decisions, ends, a, work)
                rest = bound - _best_runs(decisions, ends, model, a, work)
                _decide_by_prices(decisions, ends, model, a, rest, states, work)
        _keep_codes(decisions, ends, work)
    else:
        prices.amount[0] = 0
    return bound
