"""Tuples that share cheap labels: candidates from many orders in which neighbours differ little."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import inner, kernel
from sfumato.kernels.label_costs import pair_price

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray
    from sfumato.kernels.label_costs import LabelCosts


@kernel
def find_neighbours(
    costs: LabelCosts,
    orders: tuple[IntArray, IntArray],
    part: tuple[int, int],
    window: int,
    nearest: IntArray,
    prices: FloatArray,
    met: IntArray,
) -> None:
    """Write, for the tuples from ``part[0]`` on before ``part[1]``, those with which they share cheap labels.

    ``orders`` are tuples by place and places by tuple, both (orders, n). ``nearest`` (n, kept) receives the
    cheapest found, best first, then by number; ``prices`` what each pair costs. Both are filled with −1 and
    infinity before; ``met`` (n,) is overwritten. O(orders · window · (attributes + kept)) a tuple.
    """
    by_place, place_of = orders
    n = len(nearest)
    for t in range(n):
        met[t] = -1
    for t in range(part[0], part[1]):
        met[t] = t
        for o in range(len(by_place)):
            place = place_of[o, t]
            for at in range(max(0, place - window), min(n, place + window + 1)):
                u = by_place[o, at]
                if met[u] == t:
                    continue
                met[u] = t
                _consider(costs, nearest, prices, t, u)


@kernel
def refine_neighbours(
    costs: LabelCosts,
    known: IntArray,
    part: tuple[int, int],
    near: int,
    nearest: IntArray,
    prices: FloatArray,
    met: IntArray,
) -> None:
    """Improve the neighbours of some tuples by the neighbours of these.

    ``known`` are the neighbours so far, a copy, so that it does not matter who is improved first; of each
    tuple the first ``near`` are asked for as many. O(near² · (attributes + kept)) a tuple.
    """
    for t in range(len(met)):
        met[t] = -1
    for t in range(part[0], part[1]):
        met[t] = t
        for s in known[t]:
            if s >= 0:
                met[s] = t
        for i in range(min(near, known.shape[1])):
            s = known[t, i]
            for j in range(min(near, known.shape[1]) if s >= 0 else 0):
                u = known[s, j]
                if u >= 0 and met[u] != t:
                    met[u] = t
                    _consider(costs, nearest, prices, t, u)


@inner
def _consider(costs: LabelCosts, nearest: IntArray, prices: FloatArray, t: int, u: int) -> None:
    """Take a neighbour if it is cheaper than the last of those so far."""
    kept = nearest.shape[1]
    worst = prices[t, kept - 1]
    price = pair_price(costs, t, u, worst)
    if price < worst or (price == worst and price < np.inf and u < nearest[t, kept - 1]):
        insert_neighbour(nearest, prices, t, u, price)


@kernel
def insert_neighbour(nearest: IntArray, prices: FloatArray, t: int, u: int, price: float) -> None:
    """Put a neighbour into its place and drop the last one."""
    slot = nearest.shape[1] - 1
    while slot > 0 and (
        nearest[t, slot - 1] < 0
        or prices[t, slot - 1] > price
        or (prices[t, slot - 1] == price and nearest[t, slot - 1] > u)
    ):
        nearest[t, slot] = nearest[t, slot - 1]
        prices[t, slot] = prices[t, slot - 1]
        slot -= 1
    nearest[t, slot] = u
    prices[t, slot] = price
