"""A tree of boxes over protected records, to find out whether one is nearer than the own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import kernel
from sfumato.kernels.nearest_rows import TIED

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray

LEAF = 16
"""Points below which a box is not cut any more."""
DEPTH = 64
"""Boxes that wait at once: each cut halves the points, so that twice the logarithm suffices."""


@kernel
def build_boxes(points: FloatArray) -> tuple[FloatArray, LongArray, LongArray, FloatArray, FloatArray]:
    """Cut m distinct points, shape (m, d), into halves across the widest side, until few are left.

    Returns the points box by box, column by column, so that the distances of all points of a box are summed
    side by side; their numbers; for each box its first place, its end and its first child (0: none; the
    second is the next), shape (boxes, 3); the boxes' lower and upper corners. O(m log² m).
    """
    count, columns = points.shape
    most = 4 * (count // LEAF + 1)
    order = np.arange(count)
    boxes = np.zeros((most, 3), dtype=np.int64)
    low = np.empty((most, columns), dtype=np.float64)
    high = np.empty((most, columns), dtype=np.float64)
    boxes[0, 1] = count
    made, box = 1, 0
    while box < made:
        begin, end = boxes[box, 0], boxes[box, 1]
        widest, span = 0, -1.0
        for a in range(columns):
            low[box, a] = high[box, a] = points[order[begin], a]
            for place in range(begin, end):
                value = points[order[place], a]
                low[box, a] = min(low[box, a], value)
                high[box, a] = max(high[box, a], value)
            if high[box, a] - low[box, a] > span:
                widest, span = a, high[box, a] - low[box, a]
        if end - begin > LEAF:
            inside = order[begin:end].copy()
            side = points[:, widest][inside]
            order[begin:end] = inside[np.argsort(side)]
            middle = (begin + end) // 2
            boxes[box, 2] = made
            boxes[made, 0], boxes[made, 1] = begin, middle
            boxes[made + 1, 0], boxes[made + 1, 1] = middle, end
            made += 2
        box += 1
    cells = np.empty((columns, count), dtype=np.float64)
    for place in range(count):
        for a in range(columns):
            cells[a, place] = points[order[place], a]
    return cells, order, boxes[:made].copy(), low[:made].copy(), high[:made].copy()


@kernel
def _apart(point: FloatArray, low: FloatArray, high: FloatArray) -> float:
    """Return the squared distance of a point from a box."""
    distance = 0.0
    for a in range(len(point)):
        distance += max(low[a] - point[a], point[a] - high[a], 0.0) ** 2
    return distance


@kernel
def link_rows(
    original: FloatArray,
    protected: FloatArray,
    weights: LongArray,
    first: LongArray,
    cells: FloatArray,
    order: LongArray,
    boxes: LongArray,
    low: FloatArray,
    high: FloatArray,
    begin: int,
    end: int,
) -> tuple[float, int]:
    """Count the rows from ``begin`` to ``end`` whose nearest protected record is their own.

    Of each distinct protected record ``weights`` is how many rows have it, ``first`` the first of these; then
    come the arrays of `build_boxes`. Returns links with 1 / ties for each record, and links where the lowest
    row number wins a tie.
    """
    columns = original.shape[1]
    waiting = np.empty(2 * DEPTH, dtype=np.int64)
    distances = np.empty(LEAF, dtype=np.float64)
    expected, by_number = 0.0, 0
    for i in range(begin, end):
        own = 0.0
        for a in range(columns):
            own += (original[i, a] - protected[i, a]) ** 2
        near, far = own * (1.0 - TIED), own * (1.0 + TIED)
        ties, lowest = 0, i
        waiting[0], left = 0, 1
        while left > 0:
            left -= 1
            box = waiting[left]
            child = boxes[box, 2]
            if child > 0:
                one = _apart(original[i], low[child], high[child])
                two = _apart(original[i], low[child + 1], high[child + 1])
                # The nearer child goes on top: what is nearer than the own record ends the search.
                nearer, other = (child + 1, child) if one > two else (child, child + 1)
                if max(one, two) <= far:
                    waiting[left] = other
                    left += 1
                if min(one, two) <= far:
                    waiting[left] = nearer
                    left += 1
                continue
            start, count = boxes[box, 0], boxes[box, 1] - boxes[box, 0]
            for place in range(count):
                distances[place] = 0.0
            for a in range(columns):
                value = original[i, a]
                for place in range(count):
                    distances[place] += (value - cells[a, start + place]) ** 2
            for place in range(count):
                if distances[place] < near:
                    ties, left = -1, 0
                    break
                if distances[place] <= far:
                    j = order[start + place]
                    ties += weights[j]
                    lowest = min(lowest, first[j])
            if ties < 0:
                break
        if ties > 0:
            expected += 1.0 / ties
            if lowest == i:
                by_number += 1
    return expected, by_number
