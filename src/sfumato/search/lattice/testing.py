"""Testing recodings, each at most once, and counting the tests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.search.lattice.pruning import Pruning

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, LongArray
    from sfumato.monitor import Monitor
    from sfumato.search.lattice.space import Space
    from sfumato.search.problem import Problem

WINDOW = 32_768
"""Recodings tested at once."""


class Tester:
    """Tests recodings of a space against the requirements.

    Classes are rolled up from those of finer recodings, many recodings at a time.
    """

    def __init__(self, problem: Problem, space: Space, monitor: Monitor, threads: int | None) -> None:
        alone = replace(problem, objectives=(), extra=())
        self.pruning = Pruning.of(problem)
        self._problem, self._space, self._watch = alone, space, monitor
        self._batch = alone.batch(threads, space.lattice)
        self._batch.compile()
        self.settled = 0

    @property
    def tests(self) -> int:
        """Recodings tested so far."""
        return self._batch.evaluated

    @property
    def stopped(self) -> bool:
        """Whether the search has to end."""
        return self._watch.stopped

    def settle(self, count: int) -> None:
        """Note that so many recodings more need no test, and look at the clock."""
        self.settled += count
        self._tick()

    def test(self, numbers: LongArray) -> BoolArray:
        """Tell which recodings meet what is handed on to coarser ones.

        If it is stopped, the result is shorter: it tells about the first ones alone.
        """
        return self._judge(numbers, strictly=False)

    def test_all(self, numbers: LongArray) -> BoolArray:
        """Tell which recodings meet every requirement; shorter if it is stopped."""
        return self._judge(numbers, strictly=True)

    def remaining(self, numbers: LongArray) -> LongArray:
        """Return those recodings that also meet what is handed down to finer ones; no further tests."""
        if not self.pruning.downward or not len(numbers):
            return numbers
        fresh = self._problem.batch(1, self._space.lattice)
        return numbers[self.pruning.remains(fresh.evaluate(self._space.nodes(numbers)))]

    def _judge(self, numbers: LongArray, *, strictly: bool) -> BoolArray:
        verdicts = [np.zeros(0, dtype=np.bool_)]
        for begin in range(0, len(numbers), WINDOW):
            part = numbers[begin : begin + WINDOW]
            self._tick()
            if self.stopped:
                break
            statistics = self._batch.evaluate(self._space.nodes(part), self._tick)
            if len(statistics) < len(part):
                # Some were not done, and which ones is of no use to a search that ends.
                break
            verdict = self._problem.feasible(statistics) if strictly else self.pruning.passes(statistics)
            verdicts.append(verdict)
            self.settled += len(part)
        return np.concatenate(verdicts)

    def _tick(self) -> None:
        share = self.settled / self._space.size
        if self._watch.tick(share, self.tests):
            self._batch.stop()
