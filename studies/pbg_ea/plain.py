"""Evaluating a recoding the plain way: one grouping of all rows. It is also a recount of our numbers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from sfumato.search import Run, search_exhaustive

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato._typing import IntArray, LongArray
    from sfumato.domains import Ladder
    from studies.common.results import Results
    from studies.pbg_ea.census import Case


@dataclass(frozen=True, eq=False)
class PlainTable:
    """All rows of a coded table, one by one."""

    codes: IntArray
    secret: IntArray
    ladders: tuple[Ladder, ...]
    budget: int

    @classmethod
    def of(cls, case: Case) -> PlainTable:
        """Write the cube of a case out again, row by row."""
        cube = case.problem.cube
        return cls(
            np.repeat(cube.codes, cube.rows, axis=0),
            np.repeat(cube.sensitive_codes[:, 0], cube.rows),
            case.problem.lattice.ladders,
            case.problem.suppression.budget,
        )

    def measure(self, node: LongArray) -> tuple[float, float, float]:
        """Return k, distinct ℓ and GLM of a recoding.

        Recodes every column, joins the columns to one key, sorts it once; whole sizes go,
        smallest first, while the budget lasts.
        """
        key = np.zeros(len(self.codes), dtype=np.int64)
        cost = np.zeros(len(self.codes))
        for column, ladder, level in zip(self.codes.T, self.ladders, node, strict=True):
            block = ladder.levels[level][column]
            key = key * ladder.blocks[level] + block
            cost += (np.bincount(ladder.levels[level])[block] - 1) / (ladder.size - 1)
        _, of_row, sizes = np.unique(key, return_inverse=True, return_counts=True)
        k = self._smallest_kept(sizes)
        kept = sizes[of_row] >= k
        width = int(self.secret.max()) + 1
        pairs = np.unique(of_row[kept] * width + self.secret[kept]) // width
        values = np.unique(pairs, return_counts=True)[1].min()
        glm = cost[kept].sum() + (~kept).sum() * len(node)
        return float(k), float(values), float(glm)

    def _smallest_kept(self, sizes: LongArray) -> int:
        distinct, classes = np.unique(sizes, return_counts=True)
        gone = np.cumsum(distinct * classes) <= self.budget
        gone[-1] = False  # the largest size always stays
        return int(distinct[~gone][0])


def time_plain(case: Case, sample: int, evaluations: int, repeats: int) -> Results:
    """Time a sample of plain evaluations of k, ℓ and GLM, and check that they give our numbers.

    Raises
    ------
    AssertionError
        If the two ways differ on a node.
    """
    table = PlainTable.of(case)
    lattice = case.problem.lattice
    random = np.random.default_rng(0)
    nodes = random.integers(lattice.bottom, lattice.top + 1, (sample, len(lattice.ladders)))
    found = [table.measure(node) for node in nodes]
    assert np.allclose(found, case.values_of(nodes), rtol=1e-9, atol=0), "two ways of counting differ"
    each = best_time(lambda: [table.measure(node) for node in nodes], repeats) / sample
    return {"sample": sample, "evaluations": evaluations, "seconds_each": each, "seconds": each * evaluations}


def time_exhaustive(case: Case, repeats: int) -> Results:
    """Time the exhaustive search on all cores and on one."""
    found = {}
    for name, threads in (("seconds", None), ("seconds_one_thread", 1)):
        batch = case.problem.batch(threads)
        batch.compile()
        found[name] = best_time(partial(search_exhaustive, case.problem, Run(batch=batch)), repeats)
    return found


def best_time(function: Callable[[], object], repeats: int) -> float:
    """Return the shortest time of several calls: the one that others on the machine disturbed least."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return min(times)


__all__ = ["PlainTable", "best_time", "time_exhaustive", "time_plain"]
