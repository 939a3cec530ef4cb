"""What all searches share: how one is run, what it evaluated, the best of that, and its result."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.front import non_dominated
from sfumato.monitor import Monitor, Recall
from sfumato.search.checkpoint import run_mark
from sfumato.search.problem import SearchResult, Status
from sfumato.search.texts import TextOrder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.classes import Batch, Statistics
    from sfumato.domains import Lattice
    from sfumato.search.problem import Problem

Parameters = TypeVar("Parameters")
Recoded: TypeAlias = NDArray[Any]
"""Recodings as rows of numbers, whatever these number."""
TextKeys: TypeAlias = "Callable[[Recoded], list[LongArray]]"
"""From recodings to the sort keys that order them by their texts, most important first."""


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a search: who watches it, where chance begins, who evaluates."""

    monitor: Monitor = field(default_factory=Monitor)
    seed: int = 1
    threads: int | None = None  # workers; all cores where None
    checkpoint: Path | None = None  # a file in which a search that can be resumed keeps how far it came
    parameters: object = None  # the method's own; its defaults where None
    batch: Batch | None = None  # the evaluator of the problem's lattice, where it was made before

    def parameters_of(self, kind: type[Parameters]) -> Parameters:
        """Return the parameters of a method, which are all of one kind."""
        given = kind() if self.parameters is None else self.parameters
        assert isinstance(given, kind)
        return given

    @property
    def workers(self) -> int | None:
        """How many threads evaluate: those of the batch, where there is one."""
        return self.threads if self.batch is None else self.batch.threads

    def batch_of(self, problem: Problem, lattice: Lattice | None = None) -> Batch:
        """Return the evaluator of a problem's lattice, or of another one over its cube."""
        space = problem.lattice if lattice is None else lattice
        if self.batch is not None and self.batch.lattice is space:
            return self.batch
        return problem.batch(self.workers, space)

    def result(
        self,
        lattice: Lattice,
        nodes: LongArray,
        evaluated: int,
        *,
        complete: bool,
        reason: str | None = None,
        bound: float | None = None,
        certificate: Mapping[str, object] | None = None,
    ) -> SearchResult:
        """Return what was found; ``reason`` says why it ended where nobody stopped it."""
        if complete:
            status = Status.OPTIMAL if len(nodes) else Status.INFEASIBLE
        else:
            is_done = len(nodes) and not self.monitor.stopped
            status = Status.FEASIBLE if is_done else Status.LIMIT_REACHED
        stopped = None if complete else self.monitor.reason or reason
        seconds = self.monitor.seconds
        return SearchResult(lattice, nodes, status, complete, evaluated, seconds, bound, stopped, certificate)


def check_parameters(
    parameters: object, least: Mapping[str, int], probabilities: Sequence[str] = ("crossover", "mutation")
) -> None:
    """Raise ParameterError where a parameter that is given is too small, or no probability."""
    for name, bound in least.items():
        value = getattr(parameters, name)
        if value is not None and value < bound:
            raise ParameterError(f"{name} must be at least {bound}; got {value}.")
    for name in probabilities:
        value = getattr(parameters, name)
        if value is not None and not 0 <= value <= 1:
            raise ParameterError(f"{name} must be a probability from 0 to 1; got {value}.")


class Archive:
    """The recodings that no other one added dominates, one for each vector of costs.

    Of equal vectors the one with fewest suppressed rows stays, then the one whose text comes first.
    """

    def __init__(self, none: Recoded, objectives: int, text_keys: TextKeys) -> None:
        self.nodes = none
        self.costs: FloatArray = np.zeros((0, objectives))
        self.suppressed: LongArray = np.zeros(0, dtype=np.int64)
        self._text_keys = text_keys

    @classmethod
    def of_nodes(cls, problem: Problem, lattice: Lattice) -> Archive:
        """Make an archive of the nodes of a lattice."""
        none = np.zeros((0, len(lattice.ladders)), dtype=np.int64)
        return cls(none, len(problem.objectives), TextOrder(lattice, problem.describe).keys)

    def add(self, nodes: Recoded, costs: FloatArray, suppressed: LongArray) -> None:
        """Unite with more recodings."""
        if not len(nodes):
            return
        nodes = np.concatenate([self.nodes, nodes])
        costs = np.concatenate([self.costs, costs])
        suppressed = np.concatenate([self.suppressed, suppressed])
        keep = non_dominated(costs, [suppressed, *self._tie_keys(nodes, costs)])
        self.nodes, self.costs, self.suppressed = nodes[keep], costs[keep], suppressed[keep]

    def _tie_keys(self, nodes: Recoded, costs: FloatArray) -> list[LongArray]:
        """Return keys by which texts decide between equal costs; only of these are texts written."""
        order = np.lexsort(costs.T)
        same = (costs[order[1:]] == costs[order[:-1]]).all(axis=1)
        tied = np.union1d(order[1:][same], order[:-1][same])
        keys = []
        for found in self._text_keys(nodes[tied]) if len(tied) else ():
            keys.append(np.zeros(len(nodes), dtype=np.int64))
            keys[-1][tied] = found
        return keys


class Ledger:
    """The nodes of a lattice that a search evaluated, each one once, and the front among them."""

    def __init__(self, problem: Problem, run: Run, lattice: Lattice, method: str) -> None:
        self.problem, self.lattice, self.watch = problem, lattice, run.monitor
        self.random = np.random.default_rng(run.seed)
        self.batch = run.batch_of(problem, lattice)
        self.front = Archive.of_nodes(problem, lattice)
        self.number_of: dict[bytes, int] = {}
        self.share = 0.0  # how much of the search is done
        path = None if method == "descent" else run.checkpoint  # which keeps one of its own
        self.recall = Recall(path, run_mark(problem, method, run.parameters, run.seed))

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to evaluate."""
        return len(self.number_of) == self.lattice.size

    @property
    def is_over(self) -> bool:
        """Whether the search was stopped, or nothing is left to evaluate."""
        return self.watch.stopped or self.is_complete

    def tick(self) -> None:
        """Look at the clock, and stop what is being evaluated if it is time."""
        self.watch.costs = self.front.costs
        if self.watch.tick(self.share, len(self.number_of)):
            self.batch.stop()

    def evaluate(self, nodes: LongArray) -> LongArray:
        """Evaluate the nodes that are new; return the numbers of all, −1 for those that were not reached."""
        self.tick()
        keys = [node.tobytes() for node in nodes]
        new = list(dict.fromkeys(key for key in keys if key not in self.number_of))
        if new:
            fresh = np.frombuffer(b"".join(new), dtype=np.int64).reshape(-1, nodes.shape[1])
            self.enter(self._look_up(fresh) or self.compute(fresh))
        return np.array([self.number_of.get(key, -1) for key in keys], dtype=np.int64)

    def enter(self, statistics: Statistics) -> None:
        """Take in what was found of new nodes."""
        self._keep(statistics)
        for node in statistics.nodes:
            self.number_of[node.tobytes()] = len(self.number_of)
        feasible = self.problem.feasible(statistics)
        costs = self.problem.costs(statistics)
        fits = np.flatnonzero(feasible & self._may_stay(costs))
        self.front.add(statistics.nodes[fits], costs[fits], statistics.suppressed[fits])
        self.note(statistics, feasible)

    def _may_stay(self, costs: FloatArray) -> BoolArray:
        """Tell which nodes are not worse than the best one, where one objective says that at once."""
        if costs.shape[1] > 1 or not len(self.front.costs):
            return np.ones(len(costs), dtype=bool)
        return np.asarray(costs[:, 0] <= self.front.costs[0, 0])

    def _look_up(self, nodes: LongArray) -> Statistics | None:
        """Return what a checkpoint knows of nodes, if it knows all of them."""
        held = self.recall.find(nodes)
        if held is None:
            return None
        found: dict[str, Any] = held
        doomed, found["nodes"] = found.pop("doomed"), found.pop("rows")
        none = self.batch.evaluate(nodes[:0], bounds=bool(doomed.shape[1]))
        more = None if none.doomed is None else replace(none.doomed, **{**found, "sums": doomed})
        return replace(none, **found, doomed=more)

    def _keep(self, made: Statistics) -> None:
        doomed = made.sums[:, :0] if made.doomed is None else made.doomed.sums
        if self.recall.find(made.nodes) is None:
            self.recall.add(
                rows=made.nodes, sums=made.sums, worst=made.worst, penalties=made.penalties, doomed=doomed
            )

    def close(self) -> None:
        """Take in what a checkpoint knows and no step came to, and write a new one."""
        if self.watch.stopped and "rows" in self.recall.held:
            self.evaluate(self.recall.held["rows"])
        self.tick()
        self.recall.save()

    def compute(self, nodes: LongArray) -> Statistics:
        """Evaluate new nodes, in any order."""
        return self.batch.evaluate(nodes, self.tick)

    def note(self, statistics: Statistics, feasible: BoolArray) -> None:
        """Keep what a search needs to know of new nodes; they are numbered in their order."""

    def numbers(self, nodes: LongArray) -> LongArray:
        """Return the numbers of nodes that were evaluated."""
        return np.array([self.number_of[node.tobytes()] for node in nodes], dtype=np.int64)
