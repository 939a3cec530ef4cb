"""Microaggregated attribute groups: their sums, and how many protected records can be linked back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import inner, kernel

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, LongArray

EQUAL = 1e-12
"""Relative to the largest value of a column, protected values this close differ by rounding alone."""
TIED = 1e-9
"""Squared distances of this relative difference are tied."""
EDGE = 1.0 + 1e-9
"""A value on the edge of an interval, but for rounding, is inside."""


@kernel
def settle_columns(values: FloatArray) -> None:
    """Make values equal, in place, that differ by rounding alone, column by column.

    Sorted values whose gap is at most ``EQUAL`` times the largest absolute value of the column
    become the smallest of their run. Two clusters of the same mean then have the same bits,
    however many records each has. O(rows log rows) for each column.
    """
    rows, columns = values.shape
    for a in range(columns):
        order = np.argsort(values[:, a])
        limit = EQUAL * max(abs(values[order[0], a]), abs(values[order[rows - 1], a]))
        kept = values[order[0], a]
        last = kept
        for place in range(rows):
            value = values[order[place], a]
            if value - last > limit:
                kept = value
            last = value
            # Adding zero turns -0.0 into 0.0.
            values[order[place], a] = kept + 0.0


@kernel
def centroids_of(values: FloatArray, columns: LongArray, labels: IntArray, clusters: int) -> FloatArray:
    """Return the mean of each cluster in some columns, shape (clusters, columns), settled.

    Means are taken of differences from the cluster's first record, so that a cluster of equal
    values has exactly that value.
    """
    rows, width = len(labels), len(columns)
    first = np.full(clusters, -1, dtype=np.int64)
    sizes = np.zeros(clusters, dtype=np.int64)
    sums = np.zeros((clusters, width), dtype=np.float64)
    for i in range(rows):
        c = labels[i]
        if first[c] < 0:
            first[c] = i
        sizes[c] += 1
        for a in range(width):
            sums[c, a] += values[i, columns[a]] - values[first[c], columns[a]]
    for c in range(clusters):
        for a in range(width):
            sums[c, a] = values[first[c], columns[a]] + sums[c, a] / sizes[c]
    settle_columns(sums)
    return sums


@kernel
def count_losses(
    values: FloatArray, columns: LongArray, labels: IntArray, centroids: FloatArray, share: float
) -> tuple[float, int]:
    """Return the squared error of a group, and how many protected values lie near their originals.

    Near is |protected - original| <= share * |original|.
    """
    error, inside = 0.0, 0
    for i in range(len(labels)):
        for a in range(len(columns)):
            value = values[i, columns[a]]
            apart = abs(centroids[labels[i], a] - value)
            error += apart * apart
            if apart <= share * abs(value) * EDGE:
                inside += 1
    return error, inside


@kernel
def classes_of(labels: IntArray, clusters: int) -> tuple[LongArray, LongArray]:
    """Return row numbers cluster by cluster, ascending within each, and where each begins; then the end."""
    starts = np.zeros(clusters + 1, dtype=np.int64)
    for label in labels:
        starts[label + 1] += 1
    for c in range(clusters):
        starts[c + 1] += starts[c]
    order = np.empty(len(labels), dtype=np.int64)
    free = starts[:-1].copy()
    for i in range(len(labels)):
        order[free[labels[i]]] = i
        free[labels[i]] += 1
    return order, starts


@inner
def measure_groups(
    record: FloatArray, centroids: FloatArray, starts: LongArray, distances: FloatArray, rest: FloatArray
) -> None:
    """Fill in how far a record is from every cluster of every group, and the least that later groups add.

    Parameters
    ----------
    record
        Values of one record, shape (d,), group by group.
    centroids
        Shape (d, clusters).
    starts
        Where the columns of each group begin, and the last ends.
    distances
        Squared distances, shape (groups, clusters); filled.
    rest
        For each group the least distance of it and all later ones, then 0; filled.
    """
    groups, clusters = distances.shape
    rest[groups] = 0.0
    for g in range(groups - 1, -1, -1):
        row = distances[g]
        row[:] = 0.0
        for a in range(starts[g], starts[g + 1]):
            value = record[a]
            for c in range(clusters):
                apart = value - centroids[a, c]
                row[c] += apart * apart
        least = row[0]
        for c in range(1, clusters):
            least = min(least, row[c])
        rest[g] = rest[g + 1] + least


@kernel
def link_groups(
    original: FloatArray, centroids: FloatArray, labels: IntArray, starts: LongArray
) -> tuple[float, int]:
    """Count the records whose nearest protected record is their own, with distances added over groups.

    Parameters
    ----------
    original
        Shape (n, d), the columns group by group.
    centroids
        Protected values of the clusters of each column's group, shape (d, clusters).
    labels
        The cluster of each record in each group, shape (n, groups).
    starts
        Where the columns of each group begin, and the last ends.

    Returns
    -------
    tuple
        Links with 1 / ties for each record, and links where the lowest row number wins a tie.

    Notes
    -----
    A distance is sum over groups of D[group, cluster of the record there]; O(n · clusters · d) for all D.
    Records that share a cluster of the first group are passed over at once when even the least of
    the other groups cannot bring them as near as the own record, and one by one so further on.
    """
    rows, groups = labels.shape
    clusters = centroids.shape[1]
    order, begins = classes_of(labels[:, 0], clusters)
    distances = np.empty((groups, clusters), dtype=np.float64)
    rest = np.empty(groups + 1, dtype=np.float64)
    expected, by_number = 0.0, 0
    for i in range(rows):
        measure_groups(original[i], centroids, starts, distances, rest)
        own = 0.0
        for g in range(groups):
            own += distances[g, labels[i, g]]
        low, high = own * (1.0 - TIED), own * (1.0 + TIED)
        ties, lower = 0, 0
        for c in range(clusters):
            if distances[0, c] + rest[1] > high:
                continue
            for place in range(begins[c], begins[c + 1]):
                j = order[place]
                distance = distances[0, c]
                for g in range(1, groups):
                    distance += distances[g, labels[j, g]]
                    if distance + rest[g + 1] > high:
                        distance = np.inf
                        break
                if distance < low:
                    ties = -1
                    break
                if distance <= high:
                    ties += 1
                    lower += j < i
            if ties < 0:
                break
        if ties > 0:
            expected += 1.0 / ties
            by_number += lower == 0
    return expected, by_number
