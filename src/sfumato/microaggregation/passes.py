"""MDAV by plain passes that several threads share: the same clusters as one thread finds.

Every pass over the remaining records is cut into as many parts as there are threads. What the parts find,
nearest and farthest records, is compared by distance, then by row number, so it does not matter who found
it. Handing a part to a thread costs some 50 µs: only wide or long tables are worth it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels import mdav as kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato._typing import FloatArray, IntArray, LongArray

SHARED_CELLS = 1_000_000
"""Remaining records × columns from which on a pass takes long enough to be shared."""


class _Passes:
    """The remaining records, and the threads that look through them."""

    def __init__(self, values: FloatArray, k: int, pool: ThreadPoolExecutor, threads: int) -> None:
        self.values, self.k, self.pool, self.threads = values, k, pool, threads
        self.remaining = kernels.gather(values, np.arange(len(values)))
        self.count = len(values)
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


def mdav_shared(values: FloatArray, k: int, threads: int, shared_cells: int = SHARED_CELLS) -> IntArray:
    """Return the number of each row's cluster, exactly as `sfumato.kernels.mdav.mdav_plain` does.

    Parameters
    ----------
    values
        Numbers (n, d).
    k
        Records of a cluster.
    threads
        How many share a pass, at least 2.
    shared_cells
        When fewer cells than these remain, one thread goes on alone.
    """
    clusters = np.zeros(len(values), dtype=np.int32)
    sums = kernels.sum_columns(values)
    cluster = 0
    with ThreadPoolExecutor(threads - 1, thread_name_prefix="sfumato") as pool:
        passes = _Passes(values, k, pool, threads)
        while passes.count >= 3 * k and passes.count * values.shape[1] >= shared_cells:
            seed = passes.farthest(sums[0] / passes.count)
            for is_second in (False, True):
                rows, opposite = passes.nearest(seed)
                kernels.close_cluster(values, rows, cluster, clusters, sums)
                passes.remove(rows)
                cluster += 1
                if is_second:
                    break
                is_taken = passes.remaining.places[opposite] < 0
                seed = passes.farthest(values[seed]) if is_taken else opposite
    left = passes.remaining.rows[: passes.count].copy()
    kernels.finish_plain(values, left, k, sums, clusters, cluster)
    return clusters


__all__ = ["SHARED_CELLS", "mdav_shared"]
