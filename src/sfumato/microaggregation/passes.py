"""MDAV by plain passes that several threads share: the same clusters as one thread finds.

Every pass over the remaining records is cut into as many parts as there are threads. What the parts find,
nearest and farthest records, is compared by distance, then by row number, so it does not matter who found
it. Handing a part to a thread costs some 50 µs, and reading records from memory bounds what more threads
can save: 100,000 × 20 records for k = 5 take 8.3 s on one core and 7.2 s on two
(``python -m benchmarks.microaggregation``).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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
