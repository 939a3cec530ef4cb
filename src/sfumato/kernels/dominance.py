"""Which points no other dominates, and archives of boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import kernel

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, LongArray


@kernel
def keep_non_dominated(costs: FloatArray) -> BoolArray:
    """Mark, of lexicographically sorted rows, those that no earlier kept row equals or dominates.

    A row can only be dominated by one that sorts before it, so comparing with
    the kept rows suffices: O(rows × front × objectives). Kept rows stand side
    by side, and one that removed a candidate moves to the front, because
    neighbours are likely to fall to the same row.
    """
    rows, objectives = costs.shape
    keep = np.zeros(rows, dtype=np.bool_)
    front = np.empty((rows, objectives), dtype=np.float64)
    count = 0
    for i in range(rows):
        dominated = False
        for f in range(count):
            dominated = True
            for m in range(objectives):
                if front[f, m] > costs[i, m]:
                    dominated = False
                    break
            if dominated:
                if f > 0:
                    for m in range(objectives):
                        front[f, m], front[f // 2, m] = front[f // 2, m], front[f, m]
                break
        if not dominated:
            # A loop: the compiler takes two seconds for an assignment from row to row.
            for m in range(objectives):
                front[count, m] = costs[i, m]
            count += 1
            keep[i] = True
    return keep


_INCOMPARABLE, _FIRST, _SECOND, _EQUAL = range(4)


@kernel
def _compare(first: FloatArray, second: FloatArray) -> int:
    """Say which of two vectors dominates the other."""
    better = False
    worse = False
    for i in range(len(first)):
        if first[i] > second[i]:
            better = True
        elif first[i] < second[i]:
            worse = True
    if better:
        return _INCOMPARABLE if worse else _FIRST
    return _SECOND if worse else _EQUAL


@kernel
def _compare_boxes(
    box: FloatArray, value: FloatArray, other_box: FloatArray, other: FloatArray
) -> tuple[int, bool]:
    """Say which of two vectors box-dominates the other, and whether they share a box."""
    relation = _compare(box, other_box)
    if relation == _EQUAL:
        return _compare(value, other), True
    return relation, False


@kernel
def update_archive(
    values: FloatArray, boxes: FloatArray, members: LongArray, count: int, candidates: LongArray
) -> int:
    """Offer candidates to an archive one after another (Algorithm 1 of the PBG paper).

    ``values`` and ``boxes`` have a row for every solution; ``members[:count]``
    are the rows in the archive, and is changed in place. Returns the new count.
    O(candidates × archive × indices).
    """
    for c in candidates:
        kept = 0
        refused = False
        for i in range(count):
            member = members[i]
            relation, same_box = _compare_boxes(boxes[c], values[c], boxes[member], values[member])
            if relation == _FIRST:
                continue
            if relation == _SECOND or same_box:
                refused = True
            members[kept] = member
            kept += 1
        count = kept
        if not refused:
            members[count] = c
            count += 1
    return count


@kernel
def dominance_fitness(values: FloatArray) -> LongArray:
    """Return for each row the summed dominance counts of the rows that dominate it; 0 is best.

    The dominance count of a row is the number of rows it dominates. O(rows² × indices).
    """
    n = len(values)
    dominated = np.zeros(n, dtype=np.int64)
    for i in range(n):
        for j in range(i):
            relation = _compare(values[i], values[j])
            if relation == _FIRST:
                dominated[i] += 1
            elif relation == _SECOND:
                dominated[j] += 1
    fitness = np.zeros(n, dtype=np.int64)
    for i in range(n):
        for j in range(i):
            relation = _compare(values[i], values[j])
            if relation == _FIRST:
                fitness[j] += dominated[i]
            elif relation == _SECOND:
                fitness[i] += dominated[j]
    return fitness
