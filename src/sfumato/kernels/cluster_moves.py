"""Clusters of rows that change step by step until their squared error is small.

The squared error of a cluster is the sum of its squared rows less ``|sum of its rows|² / rows``. The first
part is the same for every partition, so a cluster's *worth* is the second, and a step is as good as the worth
that it adds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.kernels._groups import by_address
from sfumato.kernels._options import inner, kernel
from sfumato.kernels.class_moves import sort_by
from sfumato.kernels.regrouping import draw

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, KeyArray, LongArray

SPLITS, DISSOLVES, FOUNDS = 0.3, 0.015, 0.015
"""Shares of the steps that cut two clusters anew, dissolve one, and make a new one; the others move a row."""
REFILLS = 10
"""Where a cluster cannot spare a row: how many rows beside those of its new cluster may take its place."""
BLOCK = 256
"""Rows from which as many steps in a row begin: rows next to each other should be near, and stay at hand."""
SAME = 1e-12
FREE, ACCEPTED = 0, 1


@by_address
class RowClusters(NamedTuple):
    """Clusters as linked lists of rows; those without rows are on the stack ``free``."""

    values: FloatArray  # (n, columns)
    norms: FloatArray  # (n,): squared
    near: IntArray  # (n, kept): the nearest rows, nearest first; −1 where there are no more
    k: int
    owner: IntArray  # (n,)
    after: IntArray
    before: IntArray
    head: IntArray  # (clusters,)
    size: LongArray
    sums: FloatArray  # (clusters, columns)
    worth: FloatArray
    free: IntArray
    counts: LongArray  # how many are free, how many steps were accepted
    random: KeyArray
    items: IntArray  # (n,): rows at work
    begins: IntArray  # (n,): the clusters that they come from
    keys: FloatArray  # (n,)
    part: FloatArray  # (2, columns)
    gain: FloatArray  # worth that steps added
    halt: LongArray  # (1,): 1 where somebody asked to stop


@inner
def _dot(rows: RowClusters, c: int, t: int) -> float:
    total = 0.0
    for a in range(rows.values.shape[1]):
        total += rows.sums[c, a] * rows.values[t, a]
    return total


@inner
def _distance(rows: RowClusters, t: int, s: int) -> float:
    total = 0.0
    for a in range(rows.values.shape[1]):
        total += (rows.values[t, a] - rows.values[s, a]) ** 2
    return total


@inner
def _with(rows: RowClusters, c: int, t: int) -> float:
    """Return what a cluster would be worth with one more row."""
    m = rows.size[c]
    return float((rows.worth[c] * m + 2.0 * _dot(rows, c, t) + rows.norms[t]) / (m + 1))


@inner
def _without(rows: RowClusters, c: int, t: int) -> float:
    """Return what a cluster of at least two rows would be worth without one of them."""
    m = rows.size[c]
    return float((rows.worth[c] * m - 2.0 * _dot(rows, c, t) + rows.norms[t]) / (m - 1))


@inner
def _against(rows: RowClusters, own: int, other: int, t: int, s: int) -> tuple[float, float, float]:
    """Return the products of a row s with the sums of two clusters, and its squared distance from a row t."""
    first = second = square = 0.0
    for a in range(rows.values.shape[1]):
        value = rows.values[s, a]
        first += rows.sums[own, a] * value
        second += rows.sums[other, a] * value
        square += (rows.values[t, a] - value) ** 2
    return first, second, square


@inner
def _count_worth(rows: RowClusters, c: int) -> None:
    total = 0.0
    for a in range(rows.values.shape[1]):
        total += rows.sums[c, a] ** 2
    rows.worth[c] = total / rows.size[c] if rows.size[c] else 0.0


@kernel
def _shift(rows: RowClusters, t: int, c: int) -> float:
    """Move a row to a cluster; return the worth that this adds."""
    old = rows.owner[t]
    if not rows.size[c]:
        _claim(rows, c)
    had = rows.worth[old] + rows.worth[c]
    if rows.before[t] >= 0:
        rows.after[rows.before[t]] = rows.after[t]
    else:
        rows.head[old] = rows.after[t]
    if rows.after[t] >= 0:
        rows.before[rows.after[t]] = rows.before[t]
    _link(rows, t, c)
    for a in range(rows.values.shape[1]):
        rows.sums[old, a] -= rows.values[t, a]
        rows.sums[c, a] += rows.values[t, a]
    rows.size[old] -= 1
    rows.size[c] += 1
    if not rows.size[old]:
        rows.sums[old, :] = 0.0
        rows.free[rows.counts[FREE]] = old
        rows.counts[FREE] += 1
    _count_worth(rows, old)
    _count_worth(rows, c)
    return float(rows.worth[old] + rows.worth[c] - had)


@inner
def _link(rows: RowClusters, t: int, c: int) -> None:
    first = rows.head[c]
    rows.owner[t], rows.before[t], rows.after[t], rows.head[c] = c, -1, first, t
    if first >= 0:
        rows.before[first] = t


@inner
def _some_free(rows: RowClusters) -> int:
    """Return a cluster without rows, or −1."""
    return int(rows.free[rows.counts[FREE] - 1]) if rows.counts[FREE] else -1


@inner
def _claim(rows: RowClusters, c: int) -> None:
    """Take a cluster from the free ones: the last, as a rule."""
    at = rows.counts[FREE] - 1
    while rows.free[at] != c:
        at -= 1
    rows.counts[FREE] -= 1
    rows.free[at] = rows.free[rows.counts[FREE]]


@inner
def _neighbour(rows: RowClusters, t: int) -> int:
    """Draw one of the nearest rows, near ones more often; −1 where the place is empty."""
    u = draw(rows.random)
    return int(rows.near[t, int(u * u * rows.near.shape[1])])


@inner
def _any_of(rows: RowClusters, c: int) -> int:
    t = rows.head[c]
    for _ in range(int(draw(rows.random) * rows.size[c])):
        t = rows.after[t]
    return int(t)


@inner
def _list(rows: RowClusters, c: int, m: int) -> int:
    """Put the rows of a cluster at work, after the first m; return how many there are."""
    t = rows.head[c]
    while t >= 0:
        rows.items[m], rows.begins[m] = t, c
        t = rows.after[t]
        m += 1
    return m


@kernel
def _undo(rows: RowClusters, m: int) -> None:
    """Move m rows at work back to where they were."""
    for i in range(m):
        if rows.owner[rows.items[i]] != rows.begins[i]:
            _shift(rows, rows.items[i], rows.begins[i])


@kernel
def _best_cut(rows: RowClusters, t: int, m: int) -> tuple[int, float]:
    """Order the rows at work along the line from t to the one farthest from it; return the best cut."""
    far, farthest = t, 0.0
    for i in range(m):
        distance = _distance(rows, t, rows.items[i])
        if distance > farthest:
            far, farthest = rows.items[i], distance
    columns = rows.values.shape[1]
    first, second = rows.part[0], rows.part[1]
    first[:] = 0.0
    second[:] = 0.0
    for i in range(m):
        s = rows.items[i]
        key = 0.0
        for a in range(columns):
            key += rows.values[s, a] * (rows.values[far, a] - rows.values[t, a])
            second[a] += rows.values[s, a]
        rows.keys[i] = key
    sort_by(rows.keys, rows.items, m)
    best, most = 0, 0.0
    for i in range(m - rows.k):
        s = rows.items[i]
        low = high = 0.0
        for a in range(columns):
            first[a] += rows.values[s, a]
            second[a] -= rows.values[s, a]
            low += first[a] * first[a]
            high += second[a] * second[a]
        worth = low / (i + 1) + high / (m - i - 1)
        if i + 1 >= rows.k and worth > most:
            best, most = i + 1, worth
    if not best:
        for a in range(columns):
            most += (first[a] + second[a]) ** 2
        most /= m
    return best, most


@kernel
def _split(rows: RowClusters, t: int, other: int, limit: float) -> None:
    """Unite the cluster of t with another, or take it alone where it is large, and cut it anew."""
    own = rows.owner[t]
    m = _list(rows, own, 0)
    if other != own and (m < 2 * rows.k or draw(rows.random) < 0.5):
        m = _list(rows, other, m)
    else:
        other = own
    had = rows.worth[own] + (rows.worth[other] if other != own else 0.0)
    cut, worth = _best_cut(rows, t, m)
    if had - worth > limit or abs(had - worth) <= SAME * had or (other == own and not cut):
        return
    if other == own:
        other = _some_free(rows)
        if other < 0:
            return
    added = 0.0
    for i in range(m):
        s, target = rows.items[i], own if i < cut or not cut else other
        if rows.owner[s] != target:
            added += _shift(rows, s, target)
    _accept(rows, added)


@inner
def _accept(rows: RowClusters, added: float) -> None:
    rows.counts[ACCEPTED] += 1
    rows.gain[0] += added


@inner
def _best_cluster(rows: RowClusters, t: int, without: int) -> int:
    """Return the neighbouring cluster that a row joins with the least error, or −1."""
    best, most = -1, -np.inf
    for i in range(rows.near.shape[1]):
        s = rows.near[t, i]
        c = rows.owner[s] if s >= 0 else without
        if c != without and c != best:
            added = _with(rows, c, t) - rows.worth[c]
            if added > most:
                best, most = c, added
    return best


@kernel
def _dissolve(rows: RowClusters, c: int, limit: float) -> None:
    """Give every row of a cluster to the neighbouring one that suits it."""
    m = _list(rows, c, 0)
    added = 0.0
    for i in range(m):
        target = _best_cluster(rows, rows.items[i], c)
        if target < 0:
            added = -np.inf
            break
        added += _shift(rows, rows.items[i], target)
    if -added > limit:
        _undo(rows, m)
    else:
        _accept(rows, added)


@kernel
def _found(rows: RowClusters, t: int, limit: float) -> None:
    """Make a cluster around a row, of its nearest rows that others can spare."""
    c = _some_free(rows)
    if c < 0:
        return
    m, added = 0, 0.0
    for i in range(-1, rows.near.shape[1]):
        s = t if i < 0 else rows.near[t, i]
        if s >= 0 and rows.size[rows.owner[s]] > rows.k and m < rows.k:
            rows.items[m], rows.begins[m] = s, rows.owner[s]
            added += _shift(rows, s, c)
            m += 1
    if m < rows.k or -added > limit:
        _undo(rows, m)
    else:
        _accept(rows, added)


@kernel
def _refill(rows: RowClusters, t: int, target: int, limit: float) -> None:
    """Move t from a cluster that cannot spare it, and give that one the best row of the target or near it."""
    own, best, most = rows.owner[t], -1, -np.inf
    m, others = rows.size[own], rows.size[target]
    here, there = _dot(rows, own, t), _dot(rows, target, t)
    s = rows.head[target]
    while s >= 0:
        first, second, square = _against(rows, own, target, t, s)
        added = (2.0 * (first - here) + square) / m + (2.0 * (there - second) + square) / others
        if added > most:
            best, most = s, added
        s = rows.after[s]
    joined = _with(rows, target, t) - rows.worth[target] - 2.0 * here / m
    for _ in range(REFILLS):
        member = _any_of(rows, own)
        s = _neighbour(rows, member) if member != t else -1
        c = rows.owner[s] if s >= 0 else own
        size = rows.size[c]
        if c == own or c == target or size <= rows.k:
            continue
        first, second, square = _against(rows, own, c, t, s)
        added = joined + (2.0 * first + square) / m
        added += (rows.worth[c] - 2.0 * second + rows.norms[s]) / (size - 1)
        if added > most:
            best, most = s, added
    if best >= 0 and -most <= limit:
        _shift(rows, t, target)
        _shift(rows, best, own)
        _accept(rows, most)


@inner
def _move(rows: RowClusters, t: int, target: int, limit: float) -> None:
    own = rows.owner[t]
    if rows.size[own] > rows.k:
        added = _with(rows, target, t) - rows.worth[target] + _without(rows, own, t) - rows.worth[own]
        if -added <= limit:
            _accept(rows, _shift(rows, t, target))
    else:
        _refill(rows, t, target, limit)


@kernel
def anneal_clusters(rows: RowClusters, proposals: int, heat: tuple[float, float]) -> None:
    """Try so many steps, at temperatures that fall geometrically from the first to the second.

    A temperature of 0 takes what does not raise the error. O(rows of a cluster · columns) a step. Clusters
    are those of ``owner``; all else is set up here.
    """
    n = len(rows.owner)
    rows.head[:] = -1
    rows.size[:] = 0
    rows.sums[:, :] = 0.0
    for t in range(n):
        c = rows.owner[t]
        _link(rows, t, c)
        rows.size[c] += 1
        for a in range(rows.values.shape[1]):
            rows.sums[c, a] += rows.values[t, a]
    rows.counts[:] = 0
    for c in range(len(rows.head)):
        _count_worth(rows, c)
        if not rows.size[c]:
            rows.free[rows.counts[FREE]] = c
            rows.counts[FREE] += 1
    hot = heat[0] > 0.0
    fall = (heat[1] / heat[0]) ** (1.0 / max(proposals, 1)) if hot else 0.0
    temperature = heat[0]
    block, begin = min(n, BLOCK), int(draw(rows.random) * n)
    for number in range(proposals):
        if rows.halt[0]:
            break
        temperature *= fall
        if number % block == 0:
            begin = (begin + block) % n
        t = (begin + int(draw(rows.random) * block)) % n
        s = _neighbour(rows, t)
        limit = -temperature * math.log(1.0 - draw(rows.random)) if hot else 0.0
        kind = draw(rows.random)
        if s < 0:
            continue
        target = rows.owner[s]
        if kind < SPLITS:
            _split(rows, t, target, limit)
        elif kind < SPLITS + DISSOLVES:
            _dissolve(rows, rows.owner[t], limit)
        elif kind < SPLITS + DISSOLVES + FOUNDS:
            _found(rows, t, limit)
        elif target != rows.owner[t]:
            _move(rows, t, target, limit)
