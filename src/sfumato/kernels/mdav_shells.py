"""The records that remain in shells around a centre, outermost first, for the farthest from a point.

A record is at most as far from a point as its shell's radius and the point's distance from the centre
together. So the search begins outside and ends as soon as no further shell can hold a farther record. Where
the point is the centroid, and the centre was the centroid a while ago, that is at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.kernels._options import inner, kernel
from sfumato.kernels.mdav import NONE, largest, measure_lanes

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray

LANES = 32
FAN = 16
OCTAVES = 64
"""Doublings of the squared distance that are told apart, from the largest down."""
MARGIN = 1e-9
"""More than rounding can take from the triangle inequality."""


class Shells(NamedTuple):
    """Blocks of records, those of larger radius first; 16 blocks are a group."""

    centre: FloatArray  # (d,)
    cells: FloatArray  # (blocks · d · LANES,)
    rows: LongArray  # (blocks · LANES,)
    counts: LongArray  # (blocks,): records that remain
    places: LongArray  # (n,): block · LANES + lane of each row
    radius: FloatArray  # (blocks,): no record of this or a later block is farther from the centre
    low: FloatArray  # (groups · d · FAN,): boxes of the blocks; records that left are not forgotten
    high: FloatArray
    first: LongArray  # (groups · FAN,): no row of the block is below
    bounds: FloatArray  # (FAN,): scratch
    distances: FloatArray  # (LANES,): scratch
    head: LongArray  # (1,): the first block with a record


@kernel
def _square(values: FloatArray, row: int, point: FloatArray) -> float:
    total = 0.0
    for column in range(len(point)):
        difference = values[row, column] - point[column]
        total += difference * difference
    return total


@kernel
def _sort_roughly(distances: FloatArray) -> LongArray:
    """Return the places of squared distances, the largest first, by their leading bits. O(n)."""
    total = len(distances)
    bits = distances.view(np.int64)
    fine = 4
    while fine < 12 and (1 << (fine + 6)) < total:
        fine += 1
    shift = 52 - fine
    top = bits[0] >> shift
    for i in range(1, total):
        top = max(top, bits[i] >> shift)
    last = (OCTAVES << fine) - 1
    begins = np.zeros(last + 2, dtype=np.int64)
    for i in range(total):
        begins[min(top - (bits[i] >> shift), last) + 1] += 1
    for i in range(last + 1):
        begins[i + 1] += begins[i]
    places = np.empty(total, dtype=np.int64)
    for i in range(total):
        number = min(top - (bits[i] >> shift), last)
        places[begins[number]] = i
        begins[number] += 1
    return places


@kernel
def _allocate(total: int, count: int, centre: FloatArray) -> Shells:
    """Make empty shells for ``count`` of ``total`` rows."""
    width = len(centre)
    blocks = (count + LANES - 1) // LANES
    groups = (blocks + FAN - 1) // FAN
    return Shells(
        centre.copy(),
        np.zeros(blocks * width * LANES, dtype=np.float64),
        np.full(blocks * LANES, NONE, dtype=np.int64),
        np.zeros(blocks, dtype=np.int64),
        np.full(total, -1, dtype=np.int64),
        np.zeros(blocks, dtype=np.float64),
        np.full(groups * width * FAN, np.inf, dtype=np.float64),
        np.full(groups * width * FAN, -np.inf, dtype=np.float64),
        np.full(groups * FAN, NONE, dtype=np.int64),
        np.empty(FAN, dtype=np.float64),
        np.empty(LANES, dtype=np.float64),
        np.zeros(1, dtype=np.int64),
    )


@inner
def build_shells(values: FloatArray, order: LongArray, centre: FloatArray) -> Shells:
    """Make the shells of the rows in ``order`` around a centre. O(m·d).

    Equal records stay side by side where they are in ``order``: then boxes tell ties apart without a look
    inside.
    """
    width = values.shape[1]
    distances = np.empty(len(order), dtype=np.float64)
    for i in range(len(order)):
        distances[i] = _square(values, order[i], centre)
    sorted_places = _sort_roughly(distances)
    shells = _allocate(len(values), len(order), centre)
    for place in range(len(order)):
        row = order[sorted_places[place]]
        block, lane = place // LANES, place % LANES
        box = block // FAN * width * FAN + block % FAN
        for column in range(width):
            value = values[row, column]
            shells.cells[(block * width + column) * LANES + lane] = value
            shells.low[box + column * FAN] = min(shells.low[box + column * FAN], value)
            shells.high[box + column * FAN] = max(shells.high[box + column * FAN], value)
        shells.rows[place] = row
        shells.places[row] = place
        shells.counts[block] += 1
        shells.first[block] = min(shells.first[block], row)
        shells.radius[block] = max(shells.radius[block], distances[sorted_places[place]])
    radius = 0.0
    for block in range(len(shells.radius) - 1, -1, -1):
        radius = max(radius, np.sqrt(shells.radius[block]))
        shells.radius[block] = radius
    return shells


@inner
def remove_from_shells(shells: Shells, rows: LongArray, width: int) -> None:
    """Take rows out. O(k·d)."""
    for row in rows:
        place = shells.places[row]
        block = place // LANES
        shells.counts[block] -= 1
        last = block * LANES + shells.counts[block]
        other = shells.rows[last]
        shells.rows[place] = other
        shells.places[other] = place
        for column in range(width):
            lanes = (block * width + column - block) * LANES
            shells.cells[lanes + place] = shells.cells[lanes + last]


@kernel
def _bound_above(shells: Shells, group: int, fan: int, point: FloatArray) -> None:
    """Write the squared distances of the corners of a group's boxes that are farthest from a point."""
    bounds, low, high = shells.bounds, shells.low, shells.high
    for i in range(fan):
        bounds[i] = 0.0
    at = np.uintp(group * len(point) * fan)
    for column in range(len(point)):
        centre = point[column]
        for i in range(fan):
            under = centre - low[at + np.uintp(i)]
            over = high[at + np.uintp(i)] - centre
            gap = under if under > over else over
            bounds[i] += gap * gap
        at += np.uintp(fan)


@inner
def find_farthest_in_shells(shells: Shells, point: FloatArray, fan: int) -> tuple[int, int]:
    """Return the row farthest from a point, as `find_farthest` does, and how many records were looked at.

    ``fan`` is FAN: known to the compiler, it would keep it from using vectors.
    """
    away = np.sqrt(_square(shells.centre.reshape((1, -1)), 0, point))
    width, blocks = len(point), len(shells.counts)
    best, best_row, seen = -1.0, NONE, 0
    while shells.counts[shells.head[0]] == 0:
        shells.head[0] += 1
    for group in range(shells.head[0] // FAN, (blocks + FAN - 1) // FAN):
        limit = shells.radius[group * FAN] + away
        if limit * limit * (1.0 + MARGIN) + 1e-300 < best:
            break
        _bound_above(shells, group, fan, point)
        for block in range(group * FAN, min(group * FAN + FAN, blocks)):
            bound, count = shells.bounds[block - group * FAN], shells.counts[block]
            if count == 0 or bound < best or (bound == best and shells.first[block] > best_row):
                continue
            seen += count
            measure_lanes(shells.cells, block * width * LANES, LANES, count, point, shells.distances)
            top = largest(shells.distances, count)
            if top < best:
                continue
            for i in range(count):
                row = shells.rows[block * LANES + i]
                if shells.distances[i] == top and (top > best or row < best_row):
                    best, best_row = top, row
    return best_row, seen
