"""Clusters of at least k records, as similar as can be: the public functions over the kernels.

Every pass over the remaining records is cut into as many parts as there are threads. What the parts find,
nearest and farthest records, is compared by distance, then by row number, so it does not matter who found
it. Handing a part to a thread costs some 50 µs, and reading records from memory bounds what more threads
can save: 100,000 × 20 records for k = 5 take 8.3 s on one core and 7.2 s on two
(``python -m benchmarks.microaggregation``).
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from sfumato.classes import Workers
from sfumato.errors import ParameterError
from sfumato.kernels import mdav as kernels
from sfumato.kernels.mdav import mdav_plain
from sfumato.kernels.mdav_indexed import SIZES, begin_indexed, mdav_indexed
from sfumato.kernels.univariate import cut_optimally
from sfumato.kernels.variable_mdav import measure_from_centre, variable_mdav

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sfumato._typing import FloatArray, IntArray, LongArray

    Item = TypeVar("Item")
    Found = TypeVar("Found")

SHARED_CELLS = 1_000_000
"""Remaining records × columns from which on a pass takes long enough to be shared."""


def call_in_threads(
    function: Callable[[Item], Found],
    items: Sequence[Item],
    threads: int | None,
    tick: Callable[[], None] | None = None,
) -> list[Found]:
    """Call a function for every item, on all cores where ``threads`` is None; results keep their order.

    The main thread only waits, and so does one that has a ``tick`` to call: a signal is seen at once.
    """
    workers = min(threads or os.cpu_count() or 1, len(items))
    if workers < 2 and tick is None and threading.current_thread() is not threading.main_thread():
        return [function(item) for item in items]
    made: Workers[None] = Workers(workers, lambda _: None)
    return list(made.map(lambda _, item: function(item), items, tick))


class _Passes:
    """The remaining records, and the threads that look through them."""

    def __init__(
        self, values: FloatArray, rows: LongArray, k: int, pool: ThreadPoolExecutor, threads: int
    ) -> None:
        self.values, self.pool, self.threads = values, pool, threads
        self.remaining = kernels.gather(values, rows)
        self.count = len(rows)
        self.scratch = np.empty((threads, kernels.BLOCK))
        self.near = np.empty((threads, k))
        self.near_rows = np.empty((threads, k), dtype=np.int64)

    def farthest(self, point: FloatArray) -> int:
        """Return the row farthest from a point."""

        def look(part: int, begin: int, end: int) -> tuple[float, int]:
            return kernels.find_farthest_between(self.remaining, begin, end, point, self.scratch[part])

        return _best(self._share(look))

    def nearest(self, seed: int) -> tuple[LongArray, int]:
        """Return the row ``seed`` with the k − 1 rows nearest to it, and the row farthest from it."""
        point = self.values[seed]

        def look(part: int, begin: int, end: int) -> tuple[float, int]:
            lists = self.near[part], self.near_rows[part]
            return kernels.find_nearest_between(
                self.remaining, begin, end, seed, point, *lists, self.scratch[part]
            )

        farthest = _best(self._share(look))
        for part in range(1, self.threads):
            kernels.merge_nearest(self.near[0], self.near_rows[0], self.near[part], self.near_rows[part])
        return self.near_rows[0], farthest

    def remove(self, rows: LongArray) -> None:
        """Take records out that have their cluster."""
        self.count = kernels.remove(self.remaining, self.count, self.values.shape[1], rows)

    def _share(self, look: Callable[[int, int, int], tuple[float, int]]) -> list[tuple[float, int]]:
        """Look through all records, each thread through its part; the first part is this thread's."""
        ends = [self.count * part // self.threads for part in range(self.threads + 1)]
        others = [self.pool.submit(look, part, ends[part], ends[part + 1]) for part in range(1, self.threads)]
        return [look(0, 0, ends[1]), *(other.result() for other in others)]


def _best(found: list[tuple[float, int]]) -> int:
    """Return the row that is farthest; of equally far ones the lowest."""
    return min(found, key=lambda item: (-item[0], item[1]))[1]


@dataclass(frozen=True, eq=False)
class Begun:
    """Clusters that were made so far."""

    clusters: IntArray  # the number of each row's cluster, as far as it has one
    rows: LongArray  # the rows that have none
    sums: FloatArray  # their sums, see `sfumato.kernels.mdav.add_to_sum`
    cluster: int = 0  # the number of the next cluster

    @classmethod
    def of(cls, values: FloatArray) -> Begun:
        """Return what there is at the begin: no cluster."""
        return cls(np.zeros(len(values), dtype=np.int32), np.arange(len(values)), kernels.sum_columns(values))


def finish(
    values: FloatArray, k: int, begun: Begun, threads: int, shared_cells: int = SHARED_CELLS
) -> IntArray:
    """Make all other clusters by plain passes; return the number of each row's cluster."""
    clusters, rows, cluster = begun.clusters, begun.rows, begun.cluster
    if threads > 1 and len(rows) * values.shape[1] >= shared_cells:
        rows, cluster = _share_passes(values, k, begun, threads, shared_cells)
    kernels.finish_plain(values, rows, k, begun.sums, clusters, cluster)
    return clusters


def _share_passes(
    values: FloatArray, k: int, begun: Begun, threads: int, shared_cells: int
) -> tuple[LongArray, int]:
    """Make clusters by shared passes while that pays; return what rows remain and the next number."""
    sums, cluster = begun.sums, begun.cluster
    with ThreadPoolExecutor(threads - 1, thread_name_prefix="sfumato") as pool:
        passes = _Passes(values, begun.rows, k, pool, threads)
        while passes.count >= 3 * k and passes.count * values.shape[1] >= shared_cells:
            seed = passes.farthest(sums[0] / passes.count)
            for is_second in (False, True):
                rows, opposite = passes.nearest(seed)
                kernels.close_cluster(values, rows, cluster, begun.clusters, sums)
                passes.remove(rows)
                cluster += 1
                if is_second:
                    break
                is_taken = passes.remaining.places[opposite] < 0
                seed = passes.farthest(values[seed]) if is_taken else opposite
    return passes.remaining.rows[: passes.count].copy(), cluster


LARGEST = 1e150
"""Beyond this a squared difference may not be a number any more."""
INDEXED, INDEXED_WIDTH = 1500, 16
"""An index pays from this many rows for each column on, up to this many columns."""
GAIN = 0.2
"""How much closer than to others a record has to be to a cluster of V-MDAV to join it."""


def mdav(values: FloatArray, k: int, *, threads: int | None = None) -> IntArray:
    """Partition records into clusters of k by MDAV (maximum distance to average vector).

    As long as 3k records remain, the record farthest from their centroid makes a cluster with the k - 1
    nearest to it, and of the others the one farthest from it does too. Of 2k to 3k - 1 records that remain,
    the farthest from the centroid and its nearest are a cluster; what is left, k to 2k - 1 records, is the
    last. Of equal distances, the lower row number wins.

    Parameters
    ----------
    values
        Numbers, shape (n, d) with d >= 1, neither missing nor infinite.
    k
        Records of a cluster, from 1 to n.
    threads
        Threads that share passes over many records, all cores where None; clusters do not depend on
        it. Where an index finds them, that takes less time than handing work to a thread. No lock is
        held: several tables can be partitioned at once.

    Returns
    -------
    IntArray
        The number of each row's cluster, counted from 0 in the order in which clusters are made.

    Raises
    ------
    ParameterError
        If k is out of its range, or values are missing, infinite or beyond ±1e150.

    Notes
    -----
    Small tables are passed over record by record; larger ones go through an index as long as it pays, which
    in many dimensions is not long. All compute the same distances in the same way, so the clusters are
    the same, ties included.

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation, doi:10.1109/69.979982;
    Domingo-Ferrer and Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation, doi:10.1007/s10618-005-0007-5.

    Examples
    --------
    >>> mdav(np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]]), 2).tolist()
    [0, 0, 2, 2, 1, 1]
    """
    values = check_values(values, k)
    if k == 1:
        return np.arange(len(values), dtype=np.int32)
    begun = Begun.of(values)
    if len(values) >= INDEXED * min(values.shape[1], INDEXED_WIDTH):
        begun = Begun(*begin_indexed(values, k, SIZES, 1.0))
    return finish(values, k, begun, threads or os.cpu_count() or 1, SHARED_CELLS)


def v_mdav(values: FloatArray, k: int, *, gain: float = GAIN) -> IntArray:
    """Partition records by V-MDAV into clusters of k to 2k - 1, which grow where data are dense.

    The record farthest from the centroid of the whole table makes a cluster with the k - 1 nearest to it. The
    record closest to a member joins as long as that distance is below ``gain`` times its distance from the
    nearest record that is in no cluster. Fewer than k records at the end join the clusters with the
    nearest centroids, which may become larger than 2k - 1. Of equal distances, the lower row number wins.

    Parameters
    ----------
    values
        Numbers, shape (n, d) with d >= 1, neither missing nor infinite.
    k
        Smallest size of a cluster, from 1 to n.
    gain
        From 0 on; 0 never lets a cluster grow. Around 0.2 suits scattered data, around 1.1 data in clumps.

    Returns
    -------
    IntArray
        The number of each row's cluster, counted from 0 in the order in which clusters are made.

    Raises
    ------
    ParameterError
        If k or the gain is out of its range, or values are missing, infinite or beyond ±1e150.

    References
    ----------
    Solanas and Martínez-Ballesté (2006), V-MDAV: a multivariate microaggregation with variable group size.

    Examples
    --------
    >>> v_mdav(np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0], [9.1]]), 2, gain=1.1).tolist()
    [1, 1, 1, 2, 2, 0, 0]
    """
    values = check_values(values, k)
    if not 0 <= gain < np.inf:
        raise ParameterError(f"gain must be a number from 0 on; got {gain}.")
    # A stable sort keeps the lower of equally far rows in front.
    order = np.argsort(-measure_from_centre(values), kind="stable")
    return variable_mdav(values, k, float(gain), order)


def univariate(values: FloatArray, k: int) -> IntArray:
    """Partition the values of one column into clusters of at least k with the least squared error.

    The optimum over all partitions, by dynamic programming over the sorted values. Of equal values the
    lower row number comes first; of equally good partitions, the last cluster is the smallest.

    Parameters
    ----------
    values
        Numbers, shape (n,) or (n, 1), neither missing nor infinite.
    k
        Smallest size of a cluster, from 1 to n.

    Returns
    -------
    IntArray
        The number of each row's cluster, counted from 0 for the smallest values.

    Raises
    ------
    ParameterError
        If k is out of its range, or values are missing, infinite or beyond ±1e150.

    References
    ----------
    Hansen and Mukherjee (2003), A polynomial algorithm for optimal univariate microaggregation,
    doi:10.1109/TKDE.2003.1209020.

    Examples
    --------
    >>> univariate(np.array([9.0, 1.0, 2.0, 8.0, 1.5]), 2).tolist()
    [1, 0, 0, 1, 0]
    """
    column = np.asarray(values, dtype=np.float64)
    checked = check_values(column[:, None] if column.ndim == 1 else column, k)
    if checked.shape[1] != 1:
        raise ParameterError(f"one column is partitioned at a time; got {checked.shape[1]}.")
    order = np.argsort(checked[:, 0], kind="stable")
    clusters = np.empty(len(order), dtype=np.int32)
    clusters[order] = cut_optimally(checked[order, 0], k)
    return clusters


def warm_up_kernels() -> None:
    """Partition tiny tables in every way, so that all kernels are compiled."""
    values = np.arange(8.0)[:, None]
    mdav_plain(values, 2)
    mdav_indexed(values, 2)
    v_mdav(values, 2)
    univariate(values, 2)


def check_values(values: FloatArray, k: int) -> FloatArray:
    """Return values as the kernels need them."""
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.ndim != 2 or not values.shape[1]:
        raise ParameterError(f"values must have the shape (rows, columns); got {values.shape}.")
    if not 1 <= k <= len(values):
        raise ParameterError(f"k must be from 1 to the {len(values)} rows; got {k}.")
    # A comparison with a missing value is false, so this finds it too.
    if not (np.abs(values) <= LARGEST).all():
        raise ParameterError("values must be numbers within ±1e150; some are missing, infinite or beyond.")
    return values
