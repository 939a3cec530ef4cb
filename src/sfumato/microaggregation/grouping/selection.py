"""Which members survive: those of the best score, or those that no other dominates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.front import non_dominated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray
    from sfumato.microaggregation.measures import Scores


def keep_best(scores: Sequence[Scores], count: int) -> list[int]:
    """Return the places of the smallest scores, best first; of equal ones the earlier."""
    order = np.argsort([item.score for item in scores], kind="stable")
    return [int(place) for place in order[:count]]


def costs_of(scores: Sequence[Scores]) -> FloatArray:
    """Return the three objectives, one row for each."""
    return np.array([[item.il, item.id, item.dld] for item in scores], dtype=np.float64).reshape(-1, 3)


def keep_front(scores: Sequence[Scores], count: int) -> list[int]:
    """Return the places of members layer by layer: what no other dominates, then what only these do.

    Of the layer that does not fit whole, those stay that are farthest from their neighbours. Of equal members
    the later ones belong to later layers.
    """
    costs = costs_of(scores)
    left = np.arange(len(costs))
    kept: list[int] = []
    while len(kept) < count and len(left):
        layer = left[np.sort(non_dominated(costs[left]))]
        room = count - len(kept)
        if len(layer) > room:
            layer = np.sort(layer[np.argsort(-crowding(costs[layer]), kind="stable")[:room]])
        kept += layer.tolist()
        left = np.setdiff1d(left, layer)
    return kept


def crowding(costs: FloatArray) -> FloatArray:
    """Return how far each row is from its neighbours, scaled and summed; at the ends infinitely far."""
    found = np.zeros(len(costs))
    for column in costs.T:
        order = np.argsort(column, kind="stable")
        span = column[order[-1]] - column[order[0]]
        found[order[[0, -1]]] = np.inf
        if span > 0:
            found[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / span
    return found
