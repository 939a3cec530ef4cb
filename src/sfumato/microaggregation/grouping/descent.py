"""A descent to the nearest grouping that no small change improves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.microaggregation.grouping.chromosome import canonical, object_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sfumato.microaggregation.grouping.chromosome import Grouping
    from sfumato.microaggregation.grouping.evaluation import Evaluator

MORE = 2
"""Groups beyond those of the best grouping that a start may have."""
CHUNK = 64


def neighbours(grouping: Grouping) -> Iterator[Grouping]:
    """Yield what one change makes of a grouping.

    An attribute moves into another group or into one of its own, or two groups unite.

    Examples
    --------
    >>> sorted({canonical(item) for item in neighbours((0b001, 0b110))})
    [(1, 2, 4), (1, 6), (3, 4), (5, 2), (7,)]
    """
    places = object_part(grouping)
    for attribute, home in enumerate(places):
        for target in range(len(grouping) + 1):
            if target != home:
                groups = [*grouping, 0]
                groups[home] ^= 1 << attribute
                groups[target] |= 1 << attribute
                yield tuple(group for group in groups if group)
    for one in range(len(grouping)):
        for other in range(one):
            rest = (group for place, group in enumerate(grouping) if place not in (one, other))
            yield (grouping[one] | grouping[other], *rest)


def polish(evaluator: Evaluator, most: int, stop: Callable[[], bool]) -> None:
    """Descend from the best measured grouping of each number of groups; the evaluator keeps what it sees.

    The genetic search stays with one number of groups once its members have it, though the best
    grouping may have another.
    """
    leaders: dict[int, Grouping] = {}
    for grouping in sorted(evaluator.scores, key=lambda item: (evaluator.scores[item].score, item)):
        leaders.setdefault(len(grouping), grouping)
    best = min(leaders.values(), key=lambda item: evaluator.scores[item].score)
    starts = [item for count, item in sorted(leaders.items()) if count <= len(best) + MORE]
    limit = evaluator.evaluated + most
    # The best comes first, so that it is polished even where the limit is small.
    for start in sorted(starts, key=lambda item: evaluator.scores[item].score):
        _descend(evaluator, start, limit, stop)


def _descend(evaluator: Evaluator, start: Grouping, limit: int, stop: Callable[[], bool]) -> None:
    """Go to the best neighbour as long as it is better."""
    current = canonical(start)
    while True:
        around = list(dict.fromkeys(canonical(item) for item in neighbours(current)))
        for begin in range(0, len(around), CHUNK):
            if evaluator.evaluated >= limit or stop():
                return
            evaluator.evaluate(around[begin : begin + CHUNK])
        nearest = min(around, key=lambda item: (evaluator.scores[item].score, item), default=current)
        if evaluator.scores[nearest].score >= evaluator.scores[current].score:
            return
        current = nearest
