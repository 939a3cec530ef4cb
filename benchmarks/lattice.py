"""The core: every node of a lattice, and proven optima."""

from __future__ import annotations

import time

from benchmarks import workloads
from sfumato.search import Run, search_exhaustive, search_optimal


class EveryNode:
    """k with 1 % suppression, distinct ℓ and loss for all 12,960 nodes of Adult's lattice."""

    timeout = 300

    def setup(self) -> None:
        self.problem = workloads.front_problem()
        self.batch = self.problem.batch()
        self.batch.compile()

    def time_front(self) -> None:
        search_exhaustive(self.problem, Run(batch=self.batch))

    def track_nodes_per_second(self) -> float:
        begin = time.perf_counter()
        search_exhaustive(self.problem, Run(batch=self.batch))
        return self.problem.lattice.size / (time.perf_counter() - begin)

    def track_front_size(self) -> int:
        return len(search_exhaustive(self.problem, Run(batch=self.batch)).nodes)


class OneThread:
    """The same with one worker: what the second core adds."""

    timeout = 300

    def setup(self) -> None:
        self.problem = workloads.front_problem()
        self.batch = self.problem.batch(threads=1)
        self.batch.compile()

    def time_front(self) -> None:
        search_exhaustive(self.problem, Run(batch=self.batch))


class Optimum:
    """The best full-domain recoding for k = 5, proven, and how good it is."""

    params = (["loss", "dm"], [0.01, 0.1, 1.0])
    param_names = ("minimize", "limit")

    def setup(self, minimize: str, limit: float) -> None:
        self.problem = workloads.optimum_problem(limit, minimize)
        self.batch = self.problem.batch()
        self.batch.compile()

    def time_search(self, minimize: str, limit: float) -> None:
        search_optimal(self.problem, Run(batch=self.batch))

    def track_cost(self, minimize: str, limit: float) -> float:
        result = search_optimal(self.problem, Run(batch=self.batch))
        return float(self.problem.objectives[0].value(self.batch.evaluate(result.nodes))[0])

    def track_evaluated(self, minimize: str, limit: float) -> int:
        return search_optimal(self.problem, Run(batch=self.batch)).evaluated
