"""MDAV with a tree for nearest and shells for farthest records: the same clusters as `mdav_plain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import kernel
from sfumato.kernels.mdav import NONE, close_cluster, finish_plain, sum_columns
from sfumato.kernels.mdav_shells import FAN as SHELL_FAN
from sfumato.kernels.mdav_shells import LANES, build_shells, find_farthest_in_shells, remove_from_shells
from sfumato.kernels.mdav_tree import FAN, LEAF, build_tree, find_nearest_in_tree, remove_from_tree

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.kernels.mdav_tree import PointTree

PATIENCE = 4
"""Shells are made anew when searches around the centroid have looked at this many times all records."""
LOOK, ROUND, REMOVAL = 2.5, 3_000, 8 * LEAF
"""What it costs to look at a record through the index, to begin a round, and to take a record out, where a
plain pass pays 1 for a record. Measured; they decide about time alone."""
SIZES = (LEAF, FAN, SHELL_FAN)


@kernel
def _remaining(tree: PointTree, order: LongArray) -> LongArray:
    """Return the rows that are still in the tree, leaf by leaf."""
    count = 0
    for row in tree.rows:
        if row != NONE:
            order[count] = row
            count += 1
    return order[:count]


@kernel
def begin_indexed(
    values: FloatArray, k: int, sizes: tuple[int, int, int], weight: float
) -> tuple[IntArray, LongArray, FloatArray, int]:
    """Make clusters as long as the index pays; plain passes have to finish what it leaves.

    Returns the numbers of clusters, the rows that have none yet, their sums, and the next number.
    """
    total, width = values.shape
    clusters = np.zeros(total, dtype=np.int32)
    near, near_rows = np.empty(k), np.empty(k, dtype=np.int64)
    order = np.arange(total)
    sums = sum_columns(values)
    tree = build_tree(values, order, k)
    shells = build_shells(values, order, sums[0] / total)
    tree_size, shells_size, seen = total, total, 0
    count, cluster = total, 0
    average = 0.0
    while count >= 2 * k and weight * (LOOK * average + ROUND + REMOVAL * k) < 3 * count:
        centre = sums[0] / count
        if 2 * count < tree_size:
            tree = build_tree(values, _remaining(tree, order), k)
            tree_size = count
        if 2 * count < shells_size or seen > PATIENCE * count:
            shells = build_shells(values, _remaining(tree, order), centre)
            shells_size, seen = count, 0
        seed, looked = find_farthest_in_shells(shells, centre, sizes[2])
        seen += max(looked - LANES, 0)
        work = looked
        for part in range(2 if count >= 3 * k else 1):
            point = values[seed]
            work += find_nearest_in_tree(tree, seed, point, near, near_rows, sizes[:2])
            close_cluster(values, near_rows, cluster, clusters, sums)
            remove_from_tree(tree, near_rows, width)
            remove_from_shells(shells, near_rows, width)
            count -= k
            cluster += 1
            if part == 0 and count >= 2 * k:
                seed, looked = find_farthest_in_shells(shells, point, sizes[2])
                work += looked
        average += 0.1 * (work - average)
    return clusters, _remaining(tree, order).copy(), sums, cluster


def mdav_indexed(values: FloatArray, k: int, weight: float = 1.0) -> IntArray:
    """Return the number of each row's cluster, exactly as `mdav_plain` does.

    In few dimensions it takes little more than O(n log n). Where bounds exclude too little to pay, in many
    dimensions or when few records remain, plain passes go on from there; with a
    ``weight`` of 0 for the costs of the index they never do. Memory O(n·d).
    """
    clusters, rows, sums, cluster = begin_indexed(values, k, SIZES, weight)
    finish_plain(values, rows, k, sums, clusters, cluster)
    return clusters
