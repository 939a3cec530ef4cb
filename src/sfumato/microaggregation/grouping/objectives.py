"""Groupings as a front: information loss against the two disclosures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.front import Front, Objective, Solution, non_dominated
from sfumato.microaggregation.grouping.chromosome import object_part
from sfumato.microaggregation.grouping.selection import costs_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.microaggregation.grouping.chromosome import Grouping
    from sfumato.microaggregation.measures import Scores

OBJECTIVES = tuple(Objective(name, maximize=False) for name in ("il", "id", "dld"))


def front_of(
    scores: Mapping[Grouping, Scores], names: Sequence[str], run: Mapping[str, object] | None = None
) -> Front:
    """Return the groupings that no other measured one dominates in il, id and dld."""
    groupings = sorted(scores, key=lambda item: (len(item), item))
    reached = [scores[grouping] for grouping in groupings]
    keep = non_dominated(np.round(costs_of(reached), 9), [np.array([len(item) for item in groupings])])
    solutions = tuple(
        _solution(number, groupings[place], reached[place], names)
        for number, place in enumerate(keep.tolist(), start=1)
    )
    complete = len(scores) == count_groupings(len(names))
    return Front(solutions, OBJECTIVES, {**(run or {}), "complete": complete})


def _solution(number: int, grouping: Grouping, scores: Scores, names: Sequence[str]) -> Solution:
    measures = {"il": scores.il, "id": scores.id, "dld": scores.dld, "score": scores.score}
    places = object_part(grouping)
    return Solution(number, measures, 0, {name: place + 1 for name, place in zip(names, places, strict=True)})


def count_groupings(attributes: int) -> int:
    """Return in how many ways attributes can be grouped (Bell's number).

    Examples
    --------
    >>> count_groupings(12)
    4213597
    """
    row = [1]
    for _ in range(attributes - 1):
        following = [row[-1]]
        for number in row:
            following.append(following[-1] + number)
        row = following
    return row[-1]
