"""Choosing one solution of a front by a short text."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import InfeasibleError, ParameterError, nearest
from sfumato.front.flat_regions import find_flat_regions
from sfumato.front.knees import find_knee

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.front.front import Front, Solution

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
    """Read comparisons joined by ``and``.

    Examples
    --------
    >>> [str(item) for item in parse_pick("k >= 10 and loss < 0.5")]
    ['k >= 10', 'loss < 0.5']
    """
    found, at = [], 0
    while True:
        match = _COMPARISON.match(text, at)
        if match is None:
            raise ParameterError(
                f"cannot read the pick {text!r} from character {at + 1} on; write a solution's number, "
                "'knee', 'flat', or comparisons such as 'k >= 10 and loss <= 0.4'."
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


def pick_solution(front: Front, text: str) -> Solution:
    """Return the solution that a pick means."""
    wanted = text.strip()
    if not len(front):
        raise InfeasibleError("the front is empty: no recoding meets what is required.")
    if wanted.isascii() and wanted.isdigit():
        return _by_number(front, int(wanted))
    if wanted == "knee":
        return front[find_knee(front)]
    if wanted == "flat":
        return _flat_end(front)
    comparisons = [_known(item, front) for item in parse_pick(wanted)]
    fitting = [i for i, item in enumerate(front) if all(c.holds(item.value(c.name)) for c in comparisons)]
    if not fitting:
        raise InfeasibleError(_nearest_text(front, comparisons, wanted))
    order = _preference(front)
    return front[min(fitting, key=lambda i: (*front.costs[i, order], i))]


def _by_number(front: Front, number: int) -> Solution:
    if not 1 <= number <= len(front):
        raise ParameterError(f"there is no solution {number}; the front has 1 to {len(front)}.")
    return front[number - 1]


def _flat_end(front: Front) -> Solution:
    regions = find_flat_regions(front)
    if not regions:
        raise InfeasibleError("the front has no flat region: every gain costs its price. Try 'knee'.")
    return regions[0].end


def _known(condition: Condition, front: Front) -> Condition:
    from sfumato.spec import format_measure_name, parse_measure_name

    name = format_measure_name(*parse_measure_name(condition.name))
    names = list(dict.fromkeys([*front.measure_names, "suppressed"]))
    if name not in names:
        raise ParameterError(f"the front has no measure {name!r}. {nearest(name, names)}")
    return Condition(name, condition.sign, condition.number)


def _preference(front: Front) -> list[int]:
    """Return the objectives' numbers, those to minimize first."""
    numbers = range(len(front.objectives))
    return sorted(numbers, key=lambda i: front.objectives[i].maximize)


def _nearest_text(front: Front, comparisons: list[Condition], wanted: str) -> str:
    spans = {c.name: _span(front, c.name) for c in comparisons}
    closest = min(
        front, key=lambda item: sum(c.violation(item.value(c.name)) / spans[c.name] for c in comparisons)
    )
    has = " and ".join(f"{c.name} = {closest.value(c.name):.6g}" for c in comparisons)
    return f"no solution of the front has {wanted}; the nearest is solution {closest.number} with {has}."


def _span(front: Front, name: str) -> float:
    values = [item.value(name) for item in front]
    return (max(values) - min(values)) or 1.0
