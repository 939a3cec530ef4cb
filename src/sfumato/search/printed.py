"""The two searches for the best partitions that the literature prints, as it prints them.

*Bottom-up* goes breadth first down the enumeration tree of partitions, from the finest recoding on, attribute
by attribute in the order of a node's applicators: T. Li, N. Li, Towards optimal k-anonymization, sections 3
and 4, doi:10.1016/j.datak.2007.06.015. *Top-down* goes depth first through the sets of cuts of ordered
domains, from the coarsest recoding on: R. J. Bayardo, R. Agrawal, Data privacy through optimal
k-anonymization, doi:10.1109/ICDE.2005.42. They are here to be compared with; `optimal` proves the same.
"""

from __future__ import annotations

import heapq
import itertools
from abc import ABC, abstractmethod
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.classes import PropertyKind
from sfumato.domains import Partition
from sfumato.errors import ParameterError
from sfumato.schemes import Ordered
from sfumato.search.branch_and_bound.bounded_search import penalties_of
from sfumato.search.problem import list_recodings
from sfumato.search.techniques import PrintedParameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray, LongArray
    from sfumato.search.ledger import Run
    from sfumato.search.problem import Problem, SearchResult

Recoding = tuple[Partition, ...]


class _Waiting(NamedTuple):
    """A recoding, and the attributes that its descendants may generalize, in order."""

    bound: float
    number: int
    recoding: Recoding
    applicators: tuple[int, ...]
    is_second: bool


class _Printed(ABC):
    """What both searches keep: the best so far, and what was counted."""

    def __init__(self, problem: Problem, run: Run) -> None:
        assert problem.schemes is not None
        if run.checkpoint is not None:
            raise ParameterError("the printed searches keep no checkpoint. Use 'optimal' instead.")
        self.problem, self.run, self.schemes = problem, run, problem.schemes
        self.use = run.parameters_of(PrintedParameters)
        self.penalties = penalties_of(problem)
        self.evaluator = problem.recodings(threads=run.workers)
        self.best, self.least = tuple[Partition, ...](), np.inf
        self.nodes = self.expanded = self.pruned = 0

    def measure(self, recodings: Sequence[Recoding]) -> tuple[FloatArray, FloatArray, LongArray]:
        """Return costs, bounds of all that is coarser, and numbers of classes; keep the best."""
        blocks = [np.stack([recoding[a].block for recoding in recodings]) for a in range(len(self.schemes))]
        statistics = self.evaluator.evaluate(blocks)
        self.nodes += len(recodings)
        costs = self.problem.objectives[0].cost(statistics)
        # Kept rows are kept by all that is coarser, and cost no less there; those that go may come to cost
        # nothing.
        kept = statistics.suppressed < self.problem.cube.row_count
        bounds = np.where(kept, costs - statistics.suppressed * self.penalties.out, 0.0)
        usable = np.where(self.problem.feasible(statistics), costs, np.inf)
        at = int(np.argmin(usable))
        if usable[at] < self.least:
            self.best, self.least = recodings[at], float(usable[at])
        return costs, bounds, statistics.classes

    def seed(self) -> None:
        """Draw recodings at random."""
        rng = np.random.default_rng(self.run.seed)
        drawn = [tuple(scheme.random(rng) for scheme in self.schemes) for _ in range(self.use.seeds)]
        if drawn:
            self.measure(drawn)

    @abstractmethod
    def search(self) -> SearchResult:
        """Search until the best is proven, or somebody stops it."""

    def stops(self) -> bool:
        """Tell the monitor, and ask it."""
        return self.run.monitor.tick(0.0, self.nodes)

    def result(self, *, complete: bool, bound: float) -> SearchResult:
        """Return the best with what was counted."""
        best = self.best or tuple(scheme.coarsest for scheme in self.schemes)
        lattice, nodes = list_recodings(self.problem, self.schemes, [best])
        proven = self.least if complete else min(bound, self.least)
        gap = (self.least - proven) / abs(self.least) if np.isfinite(self.least) and self.least else 0.0
        certificate = {
            "cost": self.least if self.best else None,
            "bound": proven if np.isfinite(proven) else None,
            "gap": gap if np.isfinite(gap) else None,
            "nodes": self.nodes,
            "branched": self.expanded,
            "pruned by bound": self.pruned,
        }
        return self.run.result(
            lattice,
            nodes if self.best else nodes[:0],
            self.nodes,
            complete=complete,
            bound=self.problem.objectives[0].direction.sign * proven if np.isfinite(proven) else None,
            certificate=certificate,
        )


class BottomUp(_Printed):
    """From the finest recoding by merges."""

    def search(self) -> SearchResult:
        """Expand nodes until none can lead to something better."""
        self.seed()
        number = itertools.count()
        root = tuple(scheme.finest for scheme in self.schemes)
        bound = float(self.measure([root])[1][0])
        queue: deque[_Waiting] = deque()
        heap: list[_Waiting] = []

        def push(node: _Waiting) -> None:
            if self.use.node_rearrangement:
                heapq.heappush(heap, node)
            else:
                queue.append(node)

        push(_Waiting(bound, next(number), root, tuple(range(len(root))), is_second=False))
        while (heap or queue) and not self.stops():
            node = heapq.heappop(heap) if heap else queue.popleft()
            if node.bound >= self.least:
                self.pruned += 1
            elif self.use.requeue and not self.use.node_rearrangement and not node.is_second:
                push(node._replace(is_second=True, number=next(number)))
            else:
                for bound, recoding, applicators in self._children(node):
                    push(_Waiting(bound, next(number), recoding, applicators, is_second=False))
        left = [node.bound for node in (*heap, *queue)]
        return self.result(complete=not left, bound=min(left, default=np.inf))

    def _children(self, node: _Waiting) -> list[tuple[float, Recoding, tuple[int, ...]]]:
        """Apply every applicator; return the children that may lead to something better."""
        self.expanded += 1
        order = self._arranged(node)
        found: list[tuple[int, Recoding]] = []
        for place, a in enumerate(order):
            before, after = node.recoding[:a], node.recoding[a + 1 :]
            found += [
                (place, (*before, child, *after)) for child in self.schemes[a].children(node.recoding[a])
            ]
        if not found:
            return []
        bounds = self.measure([recoding for _, recoding in found])[1].tolist()
        alive = {order[place] for (place, _), bound in zip(found, bounds, strict=True) if bound < self.least}
        children = []
        for (place, recoding), bound in zip(found, bounds, strict=True):
            if bound >= self.least:
                self.pruned += 1
                continue
            # Those before it were its elder siblings': every recoding is met once.
            kept = [a for a in order[place:] if a in alive or not self.use.useless_applicators]
            children.append((bound, recoding, tuple(kept)))
        return [child for child in children if child[2]]

    def _arranged(self, node: _Waiting) -> tuple[int, ...]:
        """Return the applicators, those first that merge the fewest classes if all values become one."""
        if not self.use.applicator_rearrangement or len(node.applicators) < 2:
            return node.applicators
        merged = [
            (*node.recoding[:a], self.schemes[a].coarsest, *node.recoding[a + 1 :]) for a in node.applicators
        ]
        before = self.nodes
        classes = self.measure(merged)[2].tolist()
        self.nodes = before  # these are looked at to decide, not visited
        return tuple(a for _, a in sorted(zip([-count for count in classes], node.applicators, strict=True)))


class TopDown(_Printed):
    """From the coarsest recoding by cuts, each a place between two values of an ordered domain."""

    def __init__(self, problem: Problem, run: Run) -> None:
        super().__init__(problem, run)
        if not all(isinstance(scheme, Ordered) for scheme in self.schemes):
            raise ParameterError(
                "'top-down' cuts ordered domains: give every attribute the scheme 'ordered'."
            )
        cube, limits = problem.cube, problem.request.thresholds
        if any(item.property.kind is not PropertyKind.SIZE for item in limits):
            raise ParameterError("'top-down' has bounds for k alone. Require nothing else.")
        self.k = max((item.limit for item in limits), default=1)
        self.codes, self.rows = cube.codes, cube.rows.astype(np.float64)
        self.budget = problem.suppression.budget
        self.cuts = [(a, at) for a, size in enumerate(cube.sizes) for at in range(1, size)]

    def search(self) -> SearchResult:
        """Add cuts until none can lead to something better."""
        self.seed()
        self._optimize(frozenset(), tuple(range(len(self.cuts))))
        return self.result(complete=not self.run.monitor.stopped, bound=0.0)

    def _optimize(self, head: frozenset[int], tail: tuple[int, ...]) -> None:
        """Search all sets of cuts that have those of the head, and of others only some of the tail."""
        if self.stops():
            return
        tail = self._useful(head, tail)
        self.measure([self._recoding(head)])
        self.expanded += 1
        order = list(self._arranged(head, tail))
        while order:
            cut = order.pop(0)
            self._optimize(head | {cut}, tuple(order))
            if self.run.monitor.stopped:
                return
            order = list(self._useful(head, tuple(order)))

    def _useful(self, head: frozenset[int], tail: tuple[int, ...]) -> tuple[int, ...]:
        """Return the tail without cuts that no better recoding has; none where the node has none."""
        own = self._classes(head)
        while True:
            costs = self._kept_costs(head | set(tail))
            if self._bound(self._sizes(own), costs) >= self.least:
                self.pruned += 1
                return ()
            if not self.use.useless_applicators:
                return tail
            kept = tuple(cut for cut in tail if self._bound(self._cut_sizes(own, cut), costs) < self.least)
            if len(kept) == len(tail):
                return tail
            tail = kept

    def _bound(self, sizes: FloatArray, costs: FloatArray) -> float:
        """Return what all below cost at least: rows that go by the head's cuts go below it too."""
        gone = sizes < self.k
        if float(self.rows[gone].sum()) > self.budget:
            return np.inf
        return float((self.rows * np.where(gone, self.penalties.out, costs)).sum())

    def _kept_costs(self, cuts: frozenset[int] | set[int]) -> FloatArray:
        """Return the least that a row costs if it is kept: by the classes, or cells, that all cuts leave."""
        rule = self.penalties
        if rule.by_class:
            return np.maximum(self._sizes(self._classes(cuts)), self.k)
        assert rule.slope is not None
        assert rule.start is not None
        costs = np.full(len(self.rows), rule.offset)
        for a, partition in enumerate(self._recoding(cuts)):
            mass = np.bincount(partition.block, weights=rule.mass[a])[partition.block]
            cells = rule.slope[a] * mass + rule.start[a]
            costs += (cells if rule.weights is None else cells * rule.weights[a])[self.codes[:, a]]
        return costs

    def _recoding(self, cuts: frozenset[int] | set[int]) -> Recoding:
        marks = [np.zeros(size, np.int32) for size in self.problem.cube.sizes]
        for cut in cuts:
            a, at = self.cuts[cut]
            marks[a][at] = 1
        return tuple(Partition(np.cumsum(mark, dtype=np.int32)) for mark in marks)

    def _classes(self, cuts: frozenset[int] | set[int]) -> LongArray:
        """Return the number of each tuple's class."""
        classes = np.zeros(len(self.rows), np.int64)
        for a, partition in enumerate(self._recoding(cuts)):
            keys = classes * partition.count + partition.block[self.codes[:, a]]
            classes = np.unique(keys, return_inverse=True)[1]
        return classes

    def _sizes(self, classes: LongArray) -> FloatArray:
        """Return the rows of each tuple's class."""
        return np.asarray(np.bincount(classes, weights=self.rows)[classes], np.float64)

    def _cut_sizes(self, classes: LongArray, cut: int) -> FloatArray:
        """Return the same after one cut more, which is in one block of each class."""
        a, at = self.cuts[cut]
        return self._sizes(2 * classes + (self.codes[:, a] >= at))

    def _arranged(self, head: frozenset[int], tail: tuple[int, ...]) -> tuple[int, ...]:
        """Return the cuts, those first that split the most classes."""
        if not self.use.applicator_rearrangement:
            return tail
        classes = self._classes(head)
        own = self._sizes(classes)

        def split(cut: int) -> int:
            return -int((self._cut_sizes(classes, cut) < own).sum())

        return tuple(sorted(tail, key=split))


SEARCHES: dict[str, type[_Printed]] = {"bottom-up": BottomUp, "top-down": TopDown}
