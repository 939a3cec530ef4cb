"""Questions to a front: what is better, what a gain costs, which solutions deserve a look."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, runtime_checkable

from sfumato.errors import ParameterError, nearest
from sfumato.front import picks
from sfumato.front.plain import Objective, PlainFront, PlainSolution
from sfumato.words import list_words, number_words, printable

TOLERANCE = 1e-9  # relative difference of values that counts as equal: recounting sums in another order
SUPPRESSED = Objective("suppressed", maximize=False)
_AMOUNT = re.compile(r"\s*(?P<number>\d+\.?\d*|\.\d+)\s*(?P<percent>%?)\s*")


@runtime_checkable
class Measured(Protocol):
    """Whatever has measures, such as a release."""

    @property
    def measures(self) -> Mapping[str, float]:
        """Measures by name."""


Point: TypeAlias = "int | str | PlainSolution | Measured | Mapping[str, float]"
"""A solution, its number or a pick; a release; or measures by name."""


def find_better(
    front: PlainFront, point: Point, *, objectives: Sequence[str] | None = None
) -> list[PlainSolution]:
    """Return the solutions that are as good as a point in everything and better in something."""
    if isinstance(objectives, str) or (objectives is not None and not objectives):
        raise ParameterError("objectives must be a list with at least one name.")
    names = [item.name for item in front.objectives] if objectives is None else objectives
    asked = [_objective(front, name) for name in names]
    values = point_values(front, point, asked)

    def dominates(item: PlainSolution) -> bool:
        excess = [(_excess(o, item, values), _slack(values[o.name])) for o in asked]
        return all(more <= slack for more, slack in excess) and any(more < -slack for more, slack in excess)

    found = [item for item in front if dominates(item)]
    return sorted(found, key=lambda item: (*picks.preference(front, item), item.number))


def find_trades(
    front: PlainFront,
    point: Point,
    better: str,
    worse: str | Sequence[str] | None = None,
    *,
    at_most: float | str = 0.0,
) -> list[PlainSolution]:
    """Return the solutions that are better in one objective if others may be at most this much worse."""
    gaining = _objective(front, better)
    others = [item for item in front.objectives if item != gaining]
    named = [worse] if isinstance(worse, str) else worse
    losing = others if named is None else [_objective(front, name) for name in named]
    if gaining in losing:
        raise ParameterError(f"{gaining.name!r} cannot be both better and worse; name another measure.")
    amount, is_share = read_amount(at_most)
    asked = list(dict.fromkeys([gaining, *losing, *others]))
    values = point_values(front, point, asked)
    room = {item: amount * (abs(values[item.name]) if is_share else 1.0) for item in losing}

    def fits(item: PlainSolution) -> bool:
        if not _excess(gaining, item, values) < -_slack(values[gaining.name]):
            return False
        return all(_excess(o, item, values) <= room.get(o, 0.0) + _slack(values[o.name]) for o in asked[1:])

    def rank(item: PlainSolution) -> tuple[float, ...]:
        return (_excess(gaining, item, values), *(_excess(o, item, values) for o in losing), item.number)

    return sorted((item for item in front if fits(item)), key=rank)


def read_amount(amount: float | str) -> tuple[float, bool]:
    """Read how much worse is allowed, and whether it is a share."""
    match = _AMOUNT.fullmatch(amount) if isinstance(amount, str) else None
    if match is not None:
        is_share = bool(match["percent"])
        return float(match["number"]) / (100 if is_share else 1), is_share
    if isinstance(amount, str) or not 0 <= amount < math.inf:
        raise ParameterError(
            f"at_most must be a number such as 0.02 or a share such as '2 %'; got {amount!r}."
        )
    return float(amount), False


def point_values(front: PlainFront, point: Point, objectives: Sequence[Objective]) -> dict[str, float]:
    """Return a point's values in some objectives."""
    if isinstance(point, int | str):
        point = picks.pick_solution(front, str(point))
    if isinstance(point, PlainSolution):
        known: Mapping[str, float] = {**point.measures, "suppressed": point.suppressed}
    else:
        known = point.measures if isinstance(point, Measured) else point
    values = {}
    for item in objectives:
        if item.name not in known:
            raise ParameterError(
                f"the measures do not include {item.name!r}, which is an objective of "
                "the front. Add it, or name the objectives to compare."
            )
        values[item.name] = float(known[item.name])
        if math.isnan(values[item.name]):
            raise ParameterError(f"{item.name!r} of the point is not a number.")
    return values


def _objective(front: PlainFront, name: str) -> Objective:
    known = {item.name: item for item in (SUPPRESSED, *front.objectives)}
    if name not in known:
        raise ParameterError(f"the front has no objective {name!r}. {nearest(name, known)}")
    return known[name]


def _excess(objective: Objective, item: PlainSolution, values: Mapping[str, float]) -> float:
    """Return by how much a solution is worse than the point."""
    return picks.worsening(objective, values[objective.name], item.value(objective.name))


def _slack(value: float) -> float:
    return TOLERANCE * abs(value)


CLASS_SIZES = (10.0, 5.0, 3.0, 2.0)
"""Common requirements on the smallest class, in the order in which they are tried."""

RISKS = ("t", "exposed", "sf")
"""Privacy measures of which less is better: a low value does not mean that data are useful."""

GRANULATION = {"sf", "ql"}
"""The objectives of which the largest product is what a granulation is chosen by."""

DIFFERENT_VALUES = 2.0  # this many different sensitive values in every class leave at least something open


@dataclass(frozen=True)
class Suggestion(Generic[picks.SolutionT]):
    """A solution worth a look."""

    solution: picks.SolutionT  # the solution
    name: str  # in a word or two: `knee`, `flat`, `least loss`, `best k`, `only`
    why: str  # one sentence

    def __str__(self) -> str:
        return f"solution {self.solution.number} ({self.name}): {self.why}"


def make_suggestions(front: PlainFront, count: int = 3) -> list[Suggestion[PlainSolution]]:
    """Return solutions worth a look, the best first."""
    if count < 1:
        raise ParameterError(f"ask for at least one suggestion; got {count}.")
    found: dict[int, Suggestion[PlainSolution]] = {}
    for item in _candidates(front):
        found.setdefault(item.solution.number, item)
        if len(found) == count:
            break
    return list(found.values())


def _candidates(front: PlainFront) -> Iterator[Suggestion[PlainSolution]]:
    if len(front) == 1:
        yield Suggestion(front[0], "only", "The only solution.")
    if len(front) > 1 and {item.name for item in front.objectives} == GRANULATION:
        yield Suggestion(front[picks.find_product(front)], "product", "The largest product of sf and ql.")
    if len(front) > 2:
        place, pairs = picks.find_knee(front), zip(front.objectives, front.costs.T, strict=True)
        reached = math.floor(100 * (1 - picks.scaled_costs(front)[place].max()))
        wide = [printable(item.name) for item, costs in pairs if picks.is_wide(costs)]
        scale = f" ({list_words(wide)} by logarithms)" if wide else ""
        why = (
            f"Best balance: at least {reached} % of the way from the worst value of the front to the best in "
            f"every objective{scale}; no other solution comes closer to the best in all of them."
        )
        yield Suggestion(front[place], "knee", why)
    regions = picks.find_flat_regions(front)
    if regions:
        yield _flat_end(regions[0], "the longest")
    yield from _least(front)
    for region in regions[1:]:
        yield _flat_end(region, "a")
    for region in regions[:1]:
        why = f"Start of the longest flat region: from here to solution {region.end.number}, {region.text}."
        yield Suggestion(region.start, "flat start", why)
    for objective in front.objectives if len(front) else ():
        yield _best(front, objective)


def _flat_end(region: picks.FlatRegion[PlainSolution], which: str) -> Suggestion[PlainSolution]:
    why = f"Good value, {which} flat region: {region.text}, compared with solution {region.start.number}."
    return Suggestion(region.end, "flat", why)


def _least(front: PlainFront) -> Iterator[Suggestion[PlainSolution]]:
    """Give the cheapest solution that meets common requirements."""
    losses = [o for o in front.objectives if not o.maximize and o.name.partition("(")[0] not in RISKS]
    fitting, conditions = list(front), dict[str, float]()
    for item in front.objectives:
        bare = item.name.partition("(")[0]
        limits = CLASS_SIZES if item.name == "k" else (DIFFERENT_VALUES,) if bare == "distinct_l" else ()
        for limit in limits:
            left = [solution for solution in fitting if solution.value(item.name) >= limit]
            if left:
                fitting, conditions[item.name] = left, limit
                break
    if not losses or not conditions:
        return
    name = losses[0].name
    chosen = min(fitting, key=lambda item: (item.value(name), *picks.preference(front, item), item.number))
    asked = list_words([f"{printable(key)} >= {number_words(limit)}" for key, limit in conditions.items()])
    least = f"least {printable(name)}"
    why = f"The {least} ({number_words(chosen.value(name))}) of all solutions with {asked}."
    yield Suggestion(chosen, least, why)


def _best(front: PlainFront, objective: Objective) -> Suggestion[PlainSolution]:
    sign = -1.0 if objective.maximize else 1.0
    name = printable(objective.name)
    chosen = min(
        front,
        key=lambda item: (sign * item.value(objective.name), *picks.preference(front, item), item.number),
    )
    word = "best" if objective.maximize else "least"
    why = f"The {word} {name}: {number_words(chosen.value(objective.name))}."
    return Suggestion(chosen, f"{word} {name}", why)
