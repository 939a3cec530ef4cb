"""What each genetic operator did for the search, generation by generation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.microaggregation.grouping.gomm import FIRST, OPERATORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.microaggregation.grouping.gomm import Evolution, Member


@dataclass(frozen=True, slots=True)
class OperatorRecord:
    """What one operator did in one generation."""

    operator: str  # `crossover`, `create`, `eliminate`, `split`, `swap` or `move`
    generation: int  # from 1
    made: int  # children
    # utilization: percentage of the children that were discarded without having been a parent
    discarded: float
    # mean number of selections that the children survived; those that live at the end have survived all to
    # the end
    life_time: float
    # efficacy: children of a better and of a worse score than expected, i.e. than the parent's or the mean of
    # both parents'. The others have the same score.
    improved: int
    worsened: int
    # efficiency: mean percentage of those that improved (positive) and that worsened (negative); 0 for none
    improvement: float
    worsening: float
    # largest and smallest efficiency of a child
    best: float
    worst: float


def efficiency(ratio: float) -> float:
    """Return the percentage of improvement of a child, negative where it is worse.

    Equation 9 for mutations too: (1 - r) · 100 if r <= 1, else (1 / r - 1) · 100. No change is 0.

    Examples
    --------
    >>> efficiency(0.5), efficiency(1.0), efficiency(2.0)
    (50.0, 0.0, -50.0)
    """
    return (1.0 - ratio) * 100.0 if ratio <= 1.0 else (1.0 / ratio - 1.0) * 100.0


def analyse_operators(evolution: Evolution) -> list[OperatorRecord]:
    """Return a record for each generation and operator that made children, in this order."""
    made: dict[tuple[int, str], list[Member]] = {}
    for member in evolution.members:
        if member.operator != FIRST:
            made.setdefault((member.born, member.operator), []).append(member)
    last = len(evolution.generations) - 1
    places = {name: place for place, name in enumerate(OPERATORS)}
    keys = sorted(made, key=lambda key: (key[0], places[key[1]]))
    return [_record(key[1], key[0], made[key], last) for key in keys]


def _record(operator: str, generation: int, children: Sequence[Member], last: int) -> OperatorRecord:
    ratios = [child.ratio for child in children]
    better = [efficiency(ratio) for ratio in ratios if ratio < 1]
    worse = [efficiency(ratio) for ratio in ratios if ratio > 1]
    unused = sum(child.gone is not None and not child.used for child in children)
    lives = [_life_time(child, last) for child in children]
    efficiencies = [efficiency(ratio) for ratio in ratios]
    return OperatorRecord(
        operator,
        generation,
        len(children),
        100.0 * unused / len(children),
        sum(lives) / len(lives),
        len(better),
        len(worse),
        sum(better) / len(better) if better else 0.0,
        sum(worse) / len(worse) if worse else 0.0,
        max(efficiencies),
        min(efficiencies),
    )


def _life_time(child: Member, last: int) -> int:
    """Count the selections survived; one that is gone at its birth's selection has survived none."""
    return (last + 1 if child.gone is None else child.gone) - child.born
