"""Picking a solution: by number, by comparisons, the knee, the end of a flat region."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from sfumato._typing import FloatArray, LongArray
from sfumato.errors import InfeasibleError, ParameterError, nearest
from sfumato.front.plain import Objective, PlainFront, PlainSolution
from sfumato.words import list_words, pair_words, percent_words, printable

WIDE = 100.0  # objectives whose values span a larger ratio are compared by their logarithms


def is_wide(values: FloatArray) -> bool:
    """Tell whether the finite values have one sign and span more than two orders of magnitude."""
    finite = values[np.isfinite(values)]
    if not len(finite) or not ((finite > 0).all() or (finite < 0).all()):
        return False
    sizes = np.abs(finite)
    return bool(sizes.max() > WIDE * sizes.min())


def scaled_costs(front: PlainFront) -> FloatArray:
    """Return the objectives scaled to 0 (best) … 1 (worst) over the front, shape (solutions, objectives)."""
    # Class sizes span orders of magnitude, so objectives that do are scaled by their logarithms. An objective
    # in which all solutions are equal is 0 throughout; nan and infinitely bad become infinity, infinitely
    # good 0.
    scaled = np.where(front.costs == -np.inf, 0.0, np.inf)
    for costs, column in zip(front.costs.T, scaled.T, strict=True):
        finite = np.isfinite(costs)
        if not finite.any():
            continue
        known = costs[finite]
        if is_wide(known):
            known = np.sign(known) * np.log(np.abs(known) / np.abs(known).min())
        # Halved first: the span of two huge numbers need not be one.
        low, span = known.min(), known.max() / 2 - known.min() / 2
        column[finite] = (known / 2 - low / 2) / span if span > 0 else 0.0
    return scaled


def find_knee(front: PlainFront) -> int:
    """Return the place of the solution where the front bends: the most balanced one."""
    # Every objective is scaled to 0 (best) … 1 (worst) over the front; the knee is the solution whose worst
    # scaled objective is smallest, ties by their sum, then by the lower number. Unlike the distance from the
    # plane through the extremes, this does not count two objectives twice if they say nearly the same. Class
    # sizes span orders of magnitude, so objectives that do are scaled by their logarithms. An objective in
    # which all are equal does not count; a solution without a number in some objective is the knee only if
    # all are without one.
    # With two objectives and three or more solutions, the knee is never an end of the front.
    if not len(front):
        raise InfeasibleError("the front is empty: no recoding meets the requirements.")
    scaled = scaled_costs(front)
    return int(np.lexsort((scaled.sum(axis=1), scaled.max(axis=1, initial=0.0)))[0])


GAIN = 0.05
COST = 0.02
ROUNDING = 1e-12  # differences of scaled objectives that are not differences
SolutionT = TypeVar("SolutionT", bound=PlainSolution)


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
    front: PlainFront, of: str | None = None, *, gain: float = GAIN, cost: float = COST
) -> list[FlatRegion[PlainSolution]]:
    """Return the flat regions of a front, longest first."""
    # A region is a pair of solutions, the end better than the start in the objective by at least `gain` and
    # worse in any other by at most `cost`. All are measured on the scales that also decide about the knee and
    # on which fronts are drawn: ranges over the front, by logarithms where values span more than two orders
    # of magnitude. So a region is flat in the picture too: its slope is at most `cost / gain` of that of a
    # straight front. The pair with the largest gain is taken first (ties: least cost, then lower numbers),
    # then the same is done on either side of it. What lies between start and end may be dearer than either
    # where there are more than two objectives. Solutions without a number in some objective take no part.
    if not 0 < gain <= 1:
        raise ParameterError(f"gain must be a share above 0 and at most 1; got {gain!r}.")
    if not 0 <= cost <= 1:
        raise ParameterError(f"cost must be a share from 0 to 1; got {cost!r}.")
    names = [item.name for item in front.objectives]
    columns = [place for place, item in enumerate(front.objectives) if item.maximize]
    if of is not None:
        if of not in names:
            raise ParameterError(f"the front has no objective {of!r}. {nearest(of, names)}")
        columns = [names.index(of)]
    scaled = scaled_costs(front)
    regions = []
    for column in columns or range(len(names)):
        usable = np.flatnonzero(np.isfinite(scaled).all(axis=1))
        search = _FlatSearch(scaled, column, gain - ROUNDING, cost + ROUNDING)
        regions += [_region(front, search, pair) for pair in search.pairs(usable)]
    return sorted(regions, key=lambda item: (-round(item.gain, 12), item.cost, item.start.number))


class _FlatSearch:
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


FEW = 20  # whole numbers below this are shown as they are: a share of so few says less


def relative_change(start: float, end: float) -> float:
    """Return how far a value moves as a share of where it starts; infinite from 0 to anything else."""
    if start == end:
        return 0.0
    return abs(end - start) / abs(start) if start else math.inf


def worsening(objective: Objective, start: float, end: float) -> float:
    """Return by how much ``end`` is worse than ``start`` in an objective; below 0 where it is better."""
    return start - end if objective.maximize else end - start


def _cost_words(others: Sequence[Objective], start: PlainSolution, end: PlainSolution) -> list[str]:
    """Return the worsened objectives, first those with percentages under one ``costs``."""
    shares, moves = [], []
    for item in others:
        name, old, new = printable(item.name), start.value(item.name), end.value(item.name)
        if not worsening(item, old, new) > 0:
            continue
        share = relative_change(old, new)
        is_few = float(old).is_integer() and float(new).is_integer() and max(abs(old), abs(new)) < FEW
        if is_few or not share <= 1:
            moves.append("takes {} from {} to {}".format(name, *pair_words(old, new)))
        else:
            shares.append(f"{percent_words(share, 'rough')} {'less' if item.maximize else 'more'} {name}")
    return [*([f"costs {list_words(shares)}"] if shares else []), *moves]


def _region(front: PlainFront, search: _FlatSearch, pair: tuple[int, int]) -> FlatRegion[PlainSolution]:
    start, end = front[pair[0]], front[pair[1]]
    objective = front.objectives[search.column]
    values = [(item, start.value(item.name), end.value(item.name)) for item in front.objectives]
    lost = [relative_change(first, last) for item, first, last in values if worsening(item, first, last) > 0]
    old, new = pair_words(start.value(objective.name), end.value(objective.name))
    costs = _cost_words([item for item in front.objectives if item != objective], start, end)
    told = list_words(costs) if costs else "costs nothing"
    text = f"{printable(objective.name)} from {old} to {new} {told}"
    numbers = tuple(front[place].number for place in search.members(*pair).tolist())
    gain = float(search.mine[pair[0]] - search.mine[pair[1]])
    cost = float(search._costs(pair[0], np.array([pair[1]]))[0])
    return FlatRegion(objective, start, end, numbers, gain, cost, max(lost, default=0.0), text)


_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}
_COMPARISON = re.compile(
    r"""\s*(?P<name>[A-Za-z_]\w*(?:\((?:[^()"]|"(?:[^"]|"")*")*\))?)   # a measure, perhaps with an attribute
        \s*(?P<operator>>=|<=|==|>|<)
        \s*(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*""",
    re.VERBOSE,
)
_AND = re.compile(r"and\b")


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a pick."""

    name: str
    sign: str
    number: float

    def holds(self, value: float) -> bool:
        """Tell whether a value fits."""
        return _OPERATORS[self.sign](value, self.number)

    def violation(self, value: float) -> float:
        """Return how far a value is from fitting; 0 where it fits."""
        return 0.0 if self.holds(value) else max(abs(value - self.number), np.finfo(float).tiny)

    def __str__(self) -> str:
        return f"{self.name} {self.sign} {self.number:g}"


def parse_pick(text: str) -> list[Condition]:
    """Read comparisons joined by ``and``."""
    found, at = [], 0
    while True:
        match = _COMPARISON.match(text, at)
        if match is None:
            raise ParameterError(
                f"cannot read the pick {text!r} from character {at + 1} on; write a solution's number, "
                "'knee', 'flat', 'product', or comparisons such as 'k >= 10 and loss <= 0.4'."
            )
        found.append(Condition(match["name"], match["operator"], float(match["number"])))
        at = match.end()
        if at == len(text):
            return found
        joint = _AND.match(text, at)
        if joint is None:
            raise ParameterError(
                f"cannot read the pick {text!r} at character {at + 1}; join comparisons by 'and'."
            )
        at = joint.end()


def pick_solution(front: PlainFront, text: str) -> PlainSolution:
    """Return the solution that a pick means."""
    wanted = text.strip()
    if not len(front):
        raise InfeasibleError("the front is empty: no recoding meets the requirements.")
    if wanted.isascii() and wanted.isdigit():
        if not 1 <= int(wanted) <= len(front):
            raise ParameterError(f"there is no solution {int(wanted)}; the front has 1 to {len(front)}.")
        return front[int(wanted) - 1]
    if wanted == "knee":
        return front[find_knee(front)]
    if wanted == "flat":
        regions = find_flat_regions(front)
        if not regions:
            raise InfeasibleError(
                "the front has no flat region: every gain costs something elsewhere. Try 'knee'."
            )
        return regions[0].end
    if wanted == "product":
        return front[find_product(front)]
    return _pick_by_conditions(front, wanted)


def _pick_by_conditions(front: PlainFront, wanted: str) -> PlainSolution:
    """Return the best of the solutions that fit; where there is none, say which one is nearest."""
    from sfumato.spec import format_measure_name, parse_measure_name

    conditions, names = [], list(dict.fromkeys([*front.measure_names, "suppressed"]))
    for item in parse_pick(wanted):
        name = format_measure_name(*parse_measure_name(item.name))
        if name not in names:
            raise ParameterError(f"the front has no measure {name!r}. {nearest(name, names)}")
        conditions.append(replace(item, name=name))
    fitting = [item for item in front if all(c.holds(item.value(c.name)) for c in conditions)]
    if fitting:
        return min(fitting, key=lambda item: (*preference(front, item), item.number))
    values = {c.name: [item.value(c.name) for item in front] for c in conditions}
    spans = {name: (max(own) - min(own)) or 1.0 for name, own in values.items()}

    def distance(item: PlainSolution) -> float:
        return sum(c.violation(item.value(c.name)) / spans[c.name] for c in conditions)

    closest = min(front, key=distance)
    has = " and ".join(f"{c.name} = {closest.value(c.name):.6g}" for c in conditions)
    raise InfeasibleError(
        f"no solution of the front has {wanted}; the nearest is solution {closest.number} with {has}."
    )


def find_product(front: PlainFront) -> int:
    """Return the place of the solution with the largest product of the objectives; the first of several."""
    if not all(item.maximize for item in front.objectives) or (front.costs > 0).any():
        raise ParameterError("'product' needs objectives that are all maximized and never negative.")
    return int(np.prod(-front.costs, axis=1).argmax())


def preference(front: PlainFront, item: PlainSolution) -> tuple[float, ...]:
    """Return the objectives as costs, those to minimize first: the key by which picks choose the best."""
    ordered = sorted(front.objectives, key=lambda objective: objective.maximize)
    return tuple((-1.0 if o.maximize else 1.0) * item.value(o.name) for o in ordered)
