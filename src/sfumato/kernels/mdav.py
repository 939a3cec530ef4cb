"""MDAV by plain passes over the records that remain: the definition, compiled.

One rule for all kernels of microaggregation, so that they agree to the last bit:

- The squared distance of two points adds the squared differences of their coordinates in the order of the
  columns. Squared distances are compared as they are; of equal ones, the lower row number wins.
- The centroid of the remaining records is their sum over their number. Sums are kept as pairs of doubles,
  exact to some 100 bits, so that rounding does not show in which order records left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.kernels._options import inner, kernel

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, LongArray

BLOCK = 256
"""Records whose distances are computed together: they stay in the nearest cache."""

NONE = np.iinfo(np.int64).max
"""A row number after all others."""


class Remaining(NamedTuple):
    """The records that are in no cluster yet, without gaps."""

    cells: FloatArray  # (d · n,): column by column
    rows: LongArray  # (n,): row number at each place
    places: LongArray  # (n,): place of each row
    distances: FloatArray  # (BLOCK,): scratch


@inner
def add_to_sum(sums: FloatArray, column: int, value: float) -> None:
    """Add a value to a sum kept as a pair of doubles, ``sums[0, column] + sums[1, column]``."""
    high = sums[0, column]
    total = high + value
    part = total - high
    low = sums[1, column] + ((high - (total - part)) + (value - part))
    sums[0, column] = total + low
    sums[1, column] = low - (sums[0, column] - total)


@kernel
def sum_columns(values: FloatArray) -> FloatArray:
    """Sum the columns of ``values`` (n, d); shape (2, d), see `add_to_sum`. O(n·d)."""
    rows, width = values.shape
    sums = np.zeros((2, width), dtype=np.float64)
    for row in range(rows):
        for column in range(width):
            add_to_sum(sums, column, values[row, column])
    return sums


@kernel
def close_cluster(
    values: FloatArray, rows: LongArray, cluster: int, clusters: IntArray, sums: FloatArray
) -> None:
    """Give the rows the number of their cluster and take them out of the sums."""
    for row in rows:
        clusters[row] = cluster
        for column in range(values.shape[1]):
            add_to_sum(sums, column, -values[row, column])


@inner
def measure_lanes(
    cells: FloatArray, begin: int, stride: int, lanes: int, point: FloatArray, distances: FloatArray
) -> None:
    """Write the squared distances from a point of records that stand side by side.

    Coordinate j of record i is ``cells[begin + j·stride + i]``. Indices without a sign and a number
    of lanes that the compiler does not know let it use vectors.
    """
    for i in range(lanes):
        distances[i] = 0.0
    at = np.uintp(begin)
    for column in range(len(point)):
        centre = point[column]
        for i in range(lanes):
            difference = cells[at + np.uintp(i)] - centre
            distances[i] += difference * difference
        at += np.uintp(stride)


@inner
def insert_nearest(near: FloatArray, near_rows: LongArray, found: float, row: int) -> None:
    """Insert a record into a list sorted by distance, then row; the last falls out, the first stays."""
    at = len(near) - 1
    if found > near[at] or (found == near[at] and row > near_rows[at]):
        return
    while at > 1 and (found < near[at - 1] or (found == near[at - 1] and row < near_rows[at - 1])):
        near[at] = near[at - 1]
        near_rows[at] = near_rows[at - 1]
        at -= 1
    near[at] = found
    near_rows[at] = row


@inner
def largest(distances: FloatArray, count: int) -> float:
    """Return the largest of ``count`` distances; none is below 0, so doubles are ordered as their bits."""
    bits = distances.view(np.int64)
    top = bits[0]
    for i in range(1, count):
        top = max(top, bits[i])
    place = 0
    while bits[place] != top:
        place += 1
    found: float = distances[place]
    return found


@kernel
def find_farthest_between(
    remaining: Remaining, begin: int, end: int, point: FloatArray, distances: FloatArray
) -> tuple[float, int]:
    """Return the largest squared distance from a point, and the lowest row that has it.

    Only places from ``begin`` to ``end`` are looked at; ``distances`` is scratch. O((end − begin)·d).
    """
    best, best_row = -1.0, NONE
    for first in range(begin, end, BLOCK):
        lanes = min(BLOCK, end - first)
        measure_lanes(remaining.cells, first, len(remaining.rows), lanes, point, distances)
        top = largest(distances, lanes)
        if top < best:
            continue
        for i in range(lanes):
            row = remaining.rows[first + i]
            if distances[i] == top and (top > best or row < best_row):
                best, best_row = top, row
    return best, best_row


@kernel
def find_nearest_between(
    remaining: Remaining,
    begin: int,
    end: int,
    seed: int,
    point: FloatArray,
    near: FloatArray,
    near_rows: LongArray,
    distances: FloatArray,
) -> tuple[float, int]:
    """Fill the lists with the row ``seed`` and the rows nearest to it; return the farthest as well.

    One pass over the places from ``begin`` to ``end``, O((end − begin)·d); the farthest is returned as
    by `find_farthest_between`. It may be among the nearest where all are equally far.
    """
    last = len(near) - 1
    near[:] = np.inf
    near_rows[:] = NONE
    near[0], near_rows[0] = -1.0, seed
    best, best_row = -1.0, NONE
    for first in range(begin, end, BLOCK):
        lanes = min(BLOCK, end - first)
        measure_lanes(remaining.cells, first, len(remaining.rows), lanes, point, distances)
        top = largest(distances, lanes)
        for i in range(lanes):
            if distances[i] <= near[last] and remaining.rows[first + i] != seed:
                insert_nearest(near, near_rows, distances[i], remaining.rows[first + i])
        if top < best:
            continue
        for i in range(lanes):
            row = remaining.rows[first + i]
            if distances[i] == top and (top > best or row < best_row):
                best, best_row = top, row
    return best, best_row


@inner
def find_farthest(remaining: Remaining, count: int, point: FloatArray) -> int:
    """Return the row farthest from a point; of equal ones the lowest. O(count·d)."""
    return find_farthest_between(remaining, 0, count, point, remaining.distances)[1]


@inner
def find_nearest(
    remaining: Remaining, count: int, seed: int, point: FloatArray, near: FloatArray, near_rows: LongArray
) -> int:
    """Fill the lists with the row ``seed`` and the rows nearest to it; return the row farthest from it."""
    return find_nearest_between(remaining, 0, count, seed, point, near, near_rows, remaining.distances)[1]


@kernel
def merge_nearest(near: FloatArray, near_rows: LongArray, others: FloatArray, other_rows: LongArray) -> None:
    """Put the nearest rows of another part of the records into the lists."""
    for i in range(1, len(others)):
        if other_rows[i] != NONE:
            insert_nearest(near, near_rows, others[i], other_rows[i])


@kernel
def remove(remaining: Remaining, count: int, width: int, rows: LongArray) -> int:
    """Put the last records into the places of those that leave; return how many remain."""
    stride = len(remaining.rows)
    for row in rows:
        count -= 1
        place, other = remaining.places[row], remaining.rows[count]
        remaining.rows[place] = other
        remaining.places[other] = place
        for column in range(width):
            remaining.cells[column * stride + place] = remaining.cells[column * stride + count]
        remaining.places[row] = -1
    return count


@kernel
def gather(values: FloatArray, rows: LongArray) -> Remaining:
    """Put rows side by side, column by column."""
    count, width = len(rows), values.shape[1]
    cells = np.empty(width * count, dtype=np.float64)
    places = np.full(len(values), -1, dtype=np.int64)
    for place in range(count):
        places[rows[place]] = place
        for column in range(width):
            cells[column * count + place] = values[rows[place], column]
    return Remaining(cells, rows.copy(), places, np.empty(BLOCK, dtype=np.float64))


@kernel
def finish_plain(
    values: FloatArray, rows: LongArray, k: int, sums: FloatArray, clusters: IntArray, cluster: int
) -> None:
    """Partition the rows that remain, whose sums are given, into clusters from the number ``cluster`` on.

    As long as 3k records remain: r, the farthest from their centroid, with the k - 1 nearest to it is a
    cluster; then s, of the others the farthest from r, with the k - 1 nearest to it. Of 2k to 3k - 1
    records that remain, r and its nearest are a cluster, and the rest is one. O(n²·d / k).
    """
    width, count = values.shape[1], len(rows)
    remaining = gather(values, rows)
    near, near_rows = np.empty(k, dtype=np.float64), np.empty(k, dtype=np.int64)
    while count >= 2 * k:
        pair = count >= 3 * k
        seed = find_farthest(remaining, count, sums[0] / count)
        point = values[seed]
        opposite = find_nearest(remaining, count, seed, point, near, near_rows)
        close_cluster(values, near_rows, cluster, clusters, sums)
        count = remove(remaining, count, width, near_rows)
        cluster += 1
        if pair:
            if remaining.places[opposite] < 0:
                opposite = find_farthest(remaining, count, point)
            find_nearest(remaining, count, opposite, values[opposite], near, near_rows)
            close_cluster(values, near_rows, cluster, clusters, sums)
            count = remove(remaining, count, width, near_rows)
            cluster += 1
    for i in range(count):
        clusters[remaining.rows[i]] = cluster


@kernel
def mdav_plain(values: FloatArray, k: int) -> IntArray:
    """Return the number of each row's cluster, for ``values`` (n, d) with 1 <= k <= n; see `finish_plain`."""
    clusters = np.zeros(len(values), dtype=np.int32)
    finish_plain(values, np.arange(len(values)), k, sum_columns(values), clusters, 0)
    return clusters
