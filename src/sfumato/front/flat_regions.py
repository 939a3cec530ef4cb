"""Where a front is flat: much of one objective for little of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from sfumato.errors import ParameterError, nearest
from sfumato.front.front import Solution
from sfumato.front.scales import finite_rows, scaled_costs
from sfumato.front.words import relative_change, step_words, worsening

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray
    from sfumato.front.front import Front, Objective

GAIN = 0.05
COST = 0.02
ROUNDING = 1e-12
"""Differences of scaled objectives that are not differences."""

SolutionT = TypeVar("SolutionT", bound=Solution)


@dataclass(frozen=True)
class FlatRegion(Generic[SolutionT]):
    """A stretch of a front along which one objective gains much and no other loses much."""

    objective: Objective  # what gets better from start to end
    # the solutions at its ends
    start: SolutionT
    end: SolutionT
    # the solutions in it, from start to end: between them in the objective, and in no other one further from
    # the start than the region's cost allows
    numbers: tuple[int, ...]
    gain: float  # how much the objective gains, as a share of its range over the front
    cost: float  # how much the others lose at most, as a share of their ranges; 0 if none loses
    # the same as a share of the value at the start: 0.004 is "0.4 % more loss". Infinite where that value is
    # 0.
    relative_cost: float
    text: str  # the region in words

    def __str__(self) -> str:
        return self.text


def find_flat_regions(
    front: Front, of: str | None = None, *, gain: float = GAIN, cost: float = COST
) -> list[FlatRegion[Solution]]:
    """Return the flat regions of a front, longest first.

    A region is a pair of solutions, the end better than the start in the objective by at least
    ``gain`` and worse in any other by at most ``cost``. All are measured on the scales that
    also decide about the knee and on which fronts are drawn: ranges over the front, by logarithms where
    values span more than two orders of magnitude. So a region is flat in the picture too: its slope
    is at most ``cost / gain`` of that of a straight front. The pair with the largest gain is
    taken first (ties: least cost, then lower numbers), then the same is done on either side of it. What
    lies between start and end may be dearer than either where there are more than two objectives.
    Solutions without a number in some objective take no part.
    """
    if not 0 < gain <= 1:
        raise ParameterError(f"gain must be a share above 0 and at most 1; got {gain!r}.")
    if not 0 <= cost <= 1:
        raise ParameterError(f"cost must be a share from 0 to 1; got {cost!r}.")
    scaled = scaled_costs(front)
    regions = []
    for column in _columns(front, of):
        usable = np.flatnonzero(finite_rows(scaled))
        search = _Search(scaled, column, gain - ROUNDING, cost + ROUNDING)
        regions += [_region(front, search, pair) for pair in search.pairs(usable)]
    return sorted(regions, key=lambda item: (-round(item.gain, 12), item.cost, item.start.number))


def _columns(front: Front, of: str | None) -> list[int]:
    """Return the objectives that shall gain."""
    numbers = list(range(len(front.objectives)))
    if of is None:
        return [i for i in numbers if front.objectives[i].maximize] or numbers
    names = [item.name for item in front.objectives]
    if of not in names:
        raise ParameterError(f"the front has no objective {of!r}. {nearest(of, names)}")
    return [names.index(of)]


class _Search:
    """Looks for the pair of solutions with the largest gain, and again on either side of it."""

    def __init__(self, scaled: FloatArray, column: int, gain: float, cost: float) -> None:
        self.mine = scaled[:, column]
        self.others = np.delete(scaled, column, axis=1)
        self.column, self.gain, self.cost = column, gain, cost

    def pairs(self, places: LongArray) -> list[tuple[int, int]]:
        """Return the pairs among some solutions, as places in the front."""
        found, open_segments = [], [places]
        while open_segments:
            segment = open_segments.pop()
            pair = self._best(segment)
            if pair is not None:
                found.append(pair)
                start, end = self.mine[pair[0]], self.mine[pair[1]]
                open_segments += [segment[self.mine[segment] >= start], segment[self.mine[segment] <= end]]
        return found

    def _best(self, places: LongArray) -> tuple[int, int] | None:
        """Return the pair with the largest gain; ties by least cost, then lower places."""
        if not len(places) or np.ptp(self.mine[places]) < self.gain:
            return None
        best: tuple[float, float, int, int] | None = None
        for start in places.tolist():
            ends = places[self.mine[places] <= self.mine[start] - max(self.gain, ROUNDING)]
            costs = self._costs(start, ends)
            ends, costs = ends[costs <= self.cost], costs[costs <= self.cost]
            if len(ends):
                at = int(np.lexsort((ends, costs, self.mine[ends]))[0])
                gain = round(float(self.mine[start] - self.mine[ends[at]]), 12)
                candidate = (-gain, float(costs[at]), start, int(ends[at]))
                best = candidate if best is None else min(best, candidate)
        return None if best is None else best[2:]

    def members(self, start: int, end: int) -> LongArray:
        """Return the solutions of a region, from its start to its end."""
        between = np.flatnonzero((self.mine < self.mine[start]) & (self.mine > self.mine[end]))
        between = between[self._costs(start, between) <= self.cost]
        ordered = between[np.lexsort((between, -self.mine[between]))]
        return np.concatenate([[start], ordered, [end]]).astype(np.int64)

    def _costs(self, start: int, ends: LongArray) -> FloatArray:
        """Return how much each end loses in its worst other objective."""
        return np.asarray((self.others[ends] - self.others[start]).max(axis=1, initial=0.0))


def _region(front: Front, search: _Search, pair: tuple[int, int]) -> FlatRegion[Solution]:
    start, end = front[pair[0]], front[pair[1]]
    objective = front.objectives[search.column]
    lost = [
        relative_change(old, new)
        for item in front.objectives
        if worsening(item, old := start.value(item.name), new := end.value(item.name)) > 0
    ]
    return FlatRegion(
        objective,
        start,
        end,
        tuple(front[place].number for place in search.members(*pair).tolist()),
        float(search.mine[pair[0]] - search.mine[pair[1]]),
        float(search._costs(pair[0], np.array([pair[1]]))[0]),
        max(lost, default=0.0),
        step_words(objective, front.objectives, start, end),
    )
