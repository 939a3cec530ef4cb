"""Local search over levels for one objective, for spaces too large for a proof.

After the first descent, which is that of `optimal`, the best node is changed at random in a few attributes,
and the search descends from there: iterated local search. Beside it boxes are split, which raises the bound
on what is possible, and sometimes proves the optimum after all.

The n-th start depends on the seed, on n and on the best node alone: a given number of starts gives the
same result for any number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.monitor import Keeper, load_arrays
from sfumato.search.checkpoint import fingerprint
from sfumato.search.ledger import Run, check_parameters
from sfumato.search.optimal import LevelSearch

if TYPE_CHECKING:
    from sfumato._typing import LongArray
    from sfumato.search.problem import Problem, SearchResult

PROVING, PROVING_LATE, LATE = 0.2, 0.6, 100
"""The share of evaluations that goes into the bound, at first and after so many starts that found nothing."""

FIELDS = ("best", "low", "high", "excess", "counts")


@dataclass(frozen=True)
class DescentParameters:
    """When a local search ends before its time limit."""

    iterations: int | None = None  # new starts after the first one
    patience: int = 1_000  # it ends after so many starts in a row that find nothing better

    def __post_init__(self) -> None:
        check_parameters(self, {"iterations": 0, "patience": 1}, ())


def search_descent(problem: Problem, run: Run | None = None) -> SearchResult:
    """Search for the node with the best first objective from many starts."""
    return _Descent(problem, run or Run()).search()


class _Descent(LevelSearch):
    """Where a local search is: its best node, and how often it started."""

    def __init__(self, problem: Problem, run: Run) -> None:
        super().__init__(problem, run, "descent")
        self.parameters = run.parameters_of(DescentParameters)
        self.node = self.lattice.top
        self.starts = self.idle = self.proving = 0

    def search(self) -> SearchResult:
        levels = [(ladder.levels, ladder.lowest, ladder.highest) for ladder in self.lattice.ladders]
        weighed = self.bounds.floor(self._steps(self.lattice.top))
        arrays = (weighed, *(part for parts in levels for part in parts))
        mark = fingerprint(self.problem, "descent", self.run.seed, arrays)
        held = None if self.run.checkpoint is None else load_arrays(self.run.checkpoint, mark, FIELDS)
        if held is not None:
            self.node = held["best"]
            # However little time there is, the best node so far is not lost.
            self.enter(self.batch.evaluate(self.node[None], bounds=self.bounds.asks_doomed))
            self.starts, self.idle, self.proving, self.before = held["counts"].tolist()
            self.boxes.open.clear()
            self.boxes.put(held["low"], held["high"], held["excess"])
        keeper = Keeper(self.run.checkpoint, mark)
        try:
            self.node, worth = self.descend(self.node)
            while not self._is_done:
                worth = self._start(worth)
                if keeper.is_due:
                    keeper.keep(self._state())
        finally:
            keeper.keep(self._state())
        return self.found("no better recoding in many starts")

    @property
    def _is_done(self) -> bool:
        is_used = self.starts == self.parameters.iterations or self.idle >= self.parameters.patience
        return is_used or self.is_over or not self.boxes.open

    def _state(self) -> dict[str, object]:
        """Return what a checkpoint holds."""
        boxes = [*self.boxes.open, *self.unsettled]
        q = len(self.node)
        counts = (self.starts, self.idle, self.proving, self.evaluated)
        return {
            "best": self.node,
            "low": np.array([box.low for box in boxes], dtype=np.int64).reshape(-1, q),
            "high": np.array([box.high for box in boxes], dtype=np.int64).reshape(-1, q),
            "excess": np.array([box.excess for box in boxes], dtype=np.float64),
            "counts": np.array(counts, dtype=np.int64),
        }

    def _start(self, worth: float) -> float:
        """Descend from a new start, and split boxes in due proportion; return what the best node is worth."""
        found, value = self.descend(self._changed(self.node))
        if not self.watch.stopped:
            self.idle = 0 if value < worth else self.idle + 1
            self.starts += 1
            share = PROVING if self.idle < LATE else PROVING_LATE
            while self.proving < share * self.evaluated and self.boxes.open and not self.watch.stopped:
                before = len(self.number_of)
                self.split()
                self.proving += max(1, len(self.number_of) - before)
        if value < worth or (value == worth and not self.watch.stopped):
            self.node, worth = found, value
        done = self.idle / self.parameters.patience
        if self.parameters.iterations:
            done = max(done, self.starts / self.parameters.iterations)
        self.share = max(self.share, min(1.0, done))
        return worth

    def _changed(self, node: LongArray) -> LongArray:
        """Return a node with a few attributes at levels drawn at random: more, the longer nothing helped."""
        random = np.random.default_rng((self.run.seed, self.starts))
        free = np.flatnonzero(self.lattice.top > self.lattice.bottom)
        count = min(len(free), 2 + int(random.integers(2 + min(self.idle // 20, 6))))
        chosen = random.choice(free, count, replace=False)
        changed = node.copy()
        changed[chosen] = random.integers(self.lattice.bottom[chosen], self.lattice.top[chosen] + 1)
        return changed
