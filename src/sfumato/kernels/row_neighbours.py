"""Near rows of a table of numbers: candidates from several orders, then the neighbours of neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.kernels._options import inner, kernel
from sfumato.kernels.tuple_neighbours import insert_neighbour

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray


@inner
def _consider(values: FloatArray, nearest: IntArray, squares: FloatArray, t: int, u: int) -> None:
    """Take a neighbour if it is nearer than the last of those so far."""
    worst, square = squares[t, nearest.shape[1] - 1], 0.0
    for a in range(values.shape[1]):
        square += (values[t, a] - values[u, a]) ** 2
        if square >= worst:
            return
    if not _is_known(nearest, t, u):
        insert_neighbour(nearest, squares, t, u, square)


@kernel
def find_near_rows(
    values: FloatArray,
    orders: tuple[IntArray, IntArray],
    window: int,
    part: tuple[int, int],
    nearest: IntArray,
    squares: FloatArray,
) -> None:
    """Write, for a part of the rows, the nearest of those that are close to them in some order.

    ``orders`` are rows by place and places by row. ``nearest`` is filled with −1 before, ``squares`` with
    infinity. O(orders · window · (columns + kept)) a row.
    """
    by_place, place_of = orders
    n = len(values)
    for t in range(part[0], part[1]):
        for o in range(len(by_place)):
            place = place_of[o, t]
            for at in range(max(0, place - window), min(n, place + window + 1)):
                u = by_place[o, at]
                if u != t:
                    _consider(values, nearest, squares, t, u)


@kernel
def refine_near_rows(
    values: FloatArray,
    known: IntArray,
    near: int,
    part: tuple[int, int],
    nearest: IntArray,
    squares: FloatArray,
) -> None:
    """Improve the neighbours of some rows by those of their neighbours; see `refine_neighbours`."""
    for t in range(part[0], part[1]):
        for i in range(min(near, known.shape[1])):
            s = known[t, i]
            for j in range(min(near, known.shape[1]) if s >= 0 else 0):
                u = known[s, j]
                if u >= 0 and u != t:
                    _consider(values, nearest, squares, t, u)


@inner
def _is_known(nearest: IntArray, t: int, u: int) -> bool:
    for i in range(nearest.shape[1]):
        if nearest[t, i] == u:
            return True
        if nearest[t, i] < 0:
            return False
    return False
