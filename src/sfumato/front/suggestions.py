"""A few solutions worth a look, each with the reason why."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic

from sfumato.errors import ParameterError
from sfumato.front.flat_regions import FlatRegion, SolutionT, find_flat_regions
from sfumato.front.knees import find_knee
from sfumato.front.questions import preference
from sfumato.front.scales import is_wide, scaled_costs
from sfumato.front.words import list_words, number_words, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato.front.front import Front, Objective, Solution

CLASS_SIZES = (10.0, 5.0, 3.0, 2.0)
"""Sizes of the smallest class that are commonly asked for, in the order in which they are tried."""

RISKS = ("t", "exposed", "sf")
"""Privacy measures of which less is better: to have little of them is no usefulness."""

DIFFERENT_VALUES = 2.0
"""So many different sensitive values in every class leave at least something open."""


@dataclass(frozen=True)
class Suggestion(Generic[SolutionT]):
    """A solution worth a look."""

    solution: SolutionT  # the solution
    name: str  # in a word or two: `knee`, `flat`, `least loss`, `best k`, `only`
    why: str  # one sentence

    def __str__(self) -> str:
        return f"solution {self.solution.number} ({self.name}): {self.why}"


def make_suggestions(front: Front, count: int = 3) -> list[Suggestion[Solution]]:
    """Return solutions worth a look, the best first."""
    if count < 1:
        raise ParameterError(f"at least one suggestion must be asked for; got {count}.")
    found: dict[int, Suggestion[Solution]] = {}
    for item in _candidates(front):
        found.setdefault(item.solution.number, item)
        if len(found) == count:
            break
    return list(found.values())


def _candidates(front: Front) -> Iterator[Suggestion[Solution]]:
    if len(front) == 1:
        yield Suggestion(front[0], "only", "The only solution.")
    if len(front) > 2:
        yield _knee(front)
    regions = find_flat_regions(front)
    if regions:
        yield _flat_end(regions[0], "the longest")
    yield from _least(front)
    for region in regions[1:]:
        yield _flat_end(region, "a")
    if regions:
        yield _flat_start(regions[0])
    for objective in front.objectives if len(front) else ():
        yield _best(front, objective)


def _knee(front: Front) -> Suggestion[Solution]:
    place = find_knee(front)
    reached = math.floor(100 * (1 - scaled_costs(front)[place].max()))
    wide = [
        printable(item.name)
        for item, costs in zip(front.objectives, front.costs.T, strict=True)
        if is_wide(costs)
    ]
    scale = f" ({list_words(wide)} by logarithms)" if wide else ""
    return Suggestion(
        front[place],
        "knee",
        f"The knee: at least {reached} % of the way from the worst value of the front to the best in every "
        f"objective{scale}, and no other solution gets further in all of them.",
    )


def _flat_end(region: FlatRegion[Solution], which: str) -> Suggestion[Solution]:
    why = f"The end of {which} flat region: {region.text}, compared with solution {region.start.number}."
    return Suggestion(region.end, "flat", why)


def _flat_start(region: FlatRegion[Solution]) -> Suggestion[Solution]:
    why = f"Where the longest flat region starts: from here to solution {region.end.number}, {region.text}."
    return Suggestion(region.start, "flat start", why)


def _least(front: Front) -> Iterator[Suggestion[Solution]]:
    """Give the cheapest solution that keeps what is commonly asked for."""
    losses = [o for o in front.objectives if not o.maximize and o.name.partition("(")[0] not in RISKS]
    conditions = _usual(front)
    if not losses or not conditions:
        return
    name = losses[0].name
    fitting = [item for item in front if all(item.value(name) >= least for name, least in conditions.items())]
    chosen = min(fitting, key=lambda item: (item.value(name), *preference(front, item), item.number))
    asked = list_words([f"{printable(key)} >= {number_words(least)}" for key, least in conditions.items()])
    yield Suggestion(
        chosen,
        f"least {printable(name)}",
        f"The least {printable(name)} ({number_words(chosen.value(name))}) of all solutions with {asked}.",
    )


def _usual(front: Front) -> dict[str, float]:
    """Return what is commonly asked for, as far as some solution of the front has it all at once."""
    fitting, conditions = list(front), {}
    for item in front.objectives:
        bare = item.name.partition("(")[0]
        limits = CLASS_SIZES if item.name == "k" else (DIFFERENT_VALUES,) if bare == "distinct_l" else ()
        for least in limits:
            left = [solution for solution in fitting if solution.value(item.name) >= least]
            if left:
                fitting, conditions[item.name] = left, least
                break
    return conditions


def _best(front: Front, objective: Objective) -> Suggestion[Solution]:
    sign = -1.0 if objective.maximize else 1.0
    name = printable(objective.name)
    chosen = min(
        front,
        key=lambda item: (sign * item.value(objective.name), *preference(front, item), item.number),
    )
    word = "best" if objective.maximize else "least"
    why = f"The {word} {name}: {number_words(chosen.value(objective.name))}."
    return Suggestion(chosen, f"{word} {name}", why)
