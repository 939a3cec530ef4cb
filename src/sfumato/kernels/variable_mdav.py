"""V-MDAV: clusters that grow beyond k where the next record is close, by plain passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import kernel
from sfumato.kernels.mdav import BLOCK, NONE, Remaining, find_nearest, gather, measure_lanes, sum_columns

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, LongArray


@kernel
def _leave(remaining: Remaining, inside: FloatArray, count: int, row: int) -> int:
    """Take one row out, with what is noted of it; return how many remain."""
    count -= 1
    stride = len(remaining.rows)
    place, other = remaining.places[row], remaining.rows[count]
    remaining.rows[place] = other
    remaining.places[other] = place
    inside[place] = inside[count]
    for at in range(0, len(remaining.cells), stride):
        remaining.cells[at + place] = remaining.cells[at + count]
    remaining.places[row] = -1
    return count


@kernel
def _come_closer(remaining: Remaining, count: int, point: FloatArray, inside: FloatArray) -> None:
    """Note the distance of every remaining record from a new member, if it is the smallest so far."""
    distances = remaining.distances
    for begin in range(0, count, BLOCK):
        lanes = min(BLOCK, count - begin)
        measure_lanes(remaining.cells, begin, len(remaining.rows), lanes, point, distances)
        for i in range(lanes):
            if distances[i] < inside[begin + i]:
                inside[begin + i] = distances[i]


@kernel
def _closest(remaining: Remaining, count: int, inside: FloatArray) -> int:
    """Return the remaining row with the smallest noted distance; of equal ones the lowest."""
    best, best_row = np.inf, NONE
    for place in range(count):
        row = remaining.rows[place]
        if inside[place] < best or (inside[place] == best and row < best_row):
            best, best_row = inside[place], row
    return best_row


@kernel
def _distance_outside(remaining: Remaining, count: int, row: int, point: FloatArray) -> float:
    """Return the squared distance of a remaining row from the nearest other one, or infinity."""
    distances, best = remaining.distances, np.inf
    for begin in range(0, count, BLOCK):
        lanes = min(BLOCK, count - begin)
        measure_lanes(remaining.cells, begin, len(remaining.rows), lanes, point, distances)
        for i in range(lanes):
            if distances[i] < best and remaining.rows[begin + i] != row:
                best = distances[i]
    return best


@kernel
def _join_nearest(values: FloatArray, places: LongArray, clusters: IntArray, cluster: int) -> None:
    """Give each row that has a place left to the cluster with the nearest centroid; ties to the first."""
    width = values.shape[1]
    centroids, sizes = np.zeros((cluster, width)), np.zeros(cluster)
    for row in range(len(values)):
        if places[row] < 0:
            sizes[clusters[row]] += 1
            for column in range(width):
                centroids[clusters[row], column] += values[row, column]
    for row in range(len(values)):
        best = np.inf
        for other in range(cluster if places[row] >= 0 else 0):
            total = 0.0
            for column in range(width):
                difference = values[row, column] - centroids[other, column] / sizes[other]
                total += difference * difference
            if total < best:
                best = total
                clusters[row] = other


@kernel
def measure_from_centre(values: FloatArray) -> FloatArray:
    """Return the squared distance of each row of ``values`` (n, d) from their centroid."""
    centre = sum_columns(values)[0] / len(values)
    distances = np.zeros(len(values), dtype=np.float64)
    for row in range(len(values)):
        for column in range(len(centre)):
            difference = values[row, column] - centre[column]
            distances[row] += difference * difference
    return distances


@kernel
def variable_mdav(values: FloatArray, k: int, gain: float, order: LongArray) -> IntArray:
    """Return the number of each row's cluster, for ``values`` (n, d) with 1 <= k <= n.

    ``order`` are the rows, those farthest from the centroid of the table first. As long as k records
    remain, the first of them makes a cluster with the k - 1 nearest to it. Up to 2k - 1 records, the
    remaining record closest to a member joins if that is below ``gain`` times its distance from the nearest
    other remaining record. Fewer than k records at the end join the nearest clusters. Ties as in
    `mdav_plain`. O(n²·d).
    """
    total = len(values)
    clusters = np.zeros(total, dtype=np.int32)
    remaining = gather(values, np.arange(total))
    near, near_rows = np.empty(k, dtype=np.float64), np.empty(k, dtype=np.int64)
    inside = np.empty(total, dtype=np.float64)
    count, cluster = total, 0
    for at in range(total):
        seed = order[at]
        if count < k:
            break
        if remaining.places[seed] < 0:
            continue
        find_nearest(remaining, count, seed, values[seed], near, near_rows)
        inside[:count] = np.inf
        for i in range(k):
            clusters[near_rows[i]] = cluster
            count = _leave(remaining, inside, count, near_rows[i])
        for i in range(k):
            _come_closer(remaining, count, values[near_rows[i]], inside)
        size = k
        while size < 2 * k - 1 and count > 0:
            row = _closest(remaining, count, inside)
            outside = _distance_outside(remaining, count, row, values[row])
            if not inside[remaining.places[row]] < gain * gain * outside:
                break
            clusters[row] = cluster
            count = _leave(remaining, inside, count, row)
            _come_closer(remaining, count, values[row], inside)
            size += 1
        cluster += 1
    _join_nearest(values, remaining.places, clusters, cluster)
    return clusters
