"""The best recodings of all that were evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.front import non_dominated

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.search.pymoo_adapter.genome import Genome


class Archive:
    """The recodings that no other one added dominates, one for each vector of costs.

    Of equal vectors the one with fewest suppressed rows stays, then the one whose text comes first.
    """

    def __init__(self, genome: Genome, objectives: int) -> None:
        self._genome = genome
        self.X: IntArray = np.zeros((0, genome.width), dtype=np.int32)
        self.costs: FloatArray = np.zeros((0, objectives))
        self._suppressed: LongArray = np.zeros(0, dtype=np.int64)

    def add(self, X: IntArray, costs: FloatArray, suppressed: LongArray) -> None:
        """Unite with more recodings."""
        usable = np.flatnonzero(~np.isnan(costs).any(axis=1))
        usable = usable[~self._is_dominated(costs[usable])]
        X = np.concatenate([self.X, X[usable]])
        # Both zeros are one number, here and in the bytes.
        costs = np.concatenate([self.costs, costs[usable]]) + 0.0
        suppressed = np.concatenate([self._suppressed, suppressed[usable]])
        preferred = self._preferred(X, costs, suppressed)
        keep = preferred[non_dominated(costs[preferred])]
        self.X, self.costs, self._suppressed = X[keep], costs[keep], suppressed[keep]

    def _is_dominated(self, costs: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Tell which vectors one of the archive dominates; most do not get any further."""
        if not len(self.costs):
            return np.zeros(len(costs), dtype=np.bool_)
        no_worse = np.ones((len(self.costs), len(costs)), dtype=np.bool_)
        better = np.zeros_like(no_worse)
        for held, given in zip(self.costs.T, costs.T, strict=True):
            no_worse &= held[:, None] <= given
            better |= held[:, None] < given
        return np.asarray((no_worse & better).any(axis=0))

    def _preferred(self, X: IntArray, costs: FloatArray, suppressed: LongArray) -> LongArray:
        """Return the number of one recoding for each vector of costs."""
        chosen: dict[bytes, int] = {}
        for number, row in enumerate(costs):
            key = row.tobytes()
            rival = chosen.setdefault(key, number)
            if rival != number and self._is_better(X, suppressed, number, rival):
                chosen[key] = number
        return np.fromiter(chosen.values(), dtype=np.int64, count=len(chosen))

    def _is_better(self, X: IntArray, suppressed: LongArray, one: int, other: int) -> bool:
        if suppressed[one] != suppressed[other]:
            return bool(suppressed[one] < suppressed[other])
        return self._genome.reads_before(X[one], X[other])
