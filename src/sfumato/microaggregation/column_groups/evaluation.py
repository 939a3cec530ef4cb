"""The scores of attribute groupings, nothing computed twice.

The clusters of an attribute group do not depend on the other groups, so each group is microaggregated once.
Squared errors, near values and squared distances add over groups.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato._typing import FloatArray, IntArray
from sfumato.errors import ParameterError
from sfumato.front import Objective, PlainFront, PlainSolution, non_dominated
from sfumato.kernels.nearest_rows import centroids_of, count_losses, link_groups
from sfumato.microaggregation.column_groups.chromosome import (
    Grouping,
    attributes_of,
    canonical,
    make_grouping,
    object_part,
)
from sfumato.microaggregation.partitioning import call_in_threads, mdav
from sfumato.microaggregation.protection import SHARE, Scores, link_records, total_squares
from sfumato.monitor import Recall


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


OBJECTIVES = tuple(Objective(name, maximize=False) for name in ("il", "id", "dld"))


def front_of(
    scores: Mapping[Grouping, Scores], names: Sequence[str], run: Mapping[str, object] | None = None
) -> PlainFront:
    """Return the groupings that no other measured one dominates in il, id and dld."""
    groupings = sorted(scores, key=lambda item: (len(item), item))
    reached = [scores[grouping] for grouping in groupings]
    keep = non_dominated(np.round(costs_of(reached), 9), [np.array([len(item) for item in groupings])])
    solutions = tuple(
        _solution(number, groupings[place], reached[place], names)
        for number, place in enumerate(keep.tolist(), start=1)
    )
    complete = len(scores) == count_groupings(len(names))
    return PlainFront(solutions, OBJECTIVES, {**(run or {}), "complete": complete})


def _solution(number: int, grouping: Grouping, scores: Scores, names: Sequence[str]) -> PlainSolution:
    measures = {"il": scores.il, "id": scores.id, "dld": scores.dld, "score": scores.score}
    places = object_part(grouping)
    return PlainSolution(
        number, measures, 0, {name: place + 1 for name, place in zip(names, places, strict=True)}
    )


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


LARGEST_MEMORY = 512 * 2**20
"""Bytes of clusters that are remembered; the groups used longest ago are forgotten first."""
MANY_PAIRS = 10_000_000
"""From so many pairs of a record and a cluster on, records are linked through a tree."""


@dataclass(frozen=True, eq=False, slots=True)
class ColumnGroup:
    """One attribute group, microaggregated."""

    labels: IntArray  # the cluster of each record
    centroids: FloatArray  # the protected values of each cluster, shape (clusters, attributes of the group)
    error: float  # SSE of the group
    inside: int  # how many protected values lie near their original

    @property
    def protected(self) -> FloatArray:
        """The protected values of every record."""
        return self.centroids[self.labels]

    @property
    def size(self) -> int:
        """Bytes of the arrays."""
        return self.labels.nbytes + self.centroids.nbytes


class Evaluator:
    """Microaggregates and measures attribute groupings of one table."""

    def __init__(
        self,
        values: FloatArray,
        k: int,
        *,
        share: float = SHARE,
        loss_weight: float = 0.5,
        threads: int | None = None,
        memory: int = LARGEST_MEMORY,
        recall: Recall | None = None,
    ) -> None:
        self.values = np.ascontiguousarray(values, dtype=np.float64)
        if self.values.ndim != 2 or not self.values.size or not np.isfinite(self.values).all():
            raise ParameterError("values must be finite numbers of the shape (rows, columns), one at least.")
        if not 1 <= k <= len(self.values):
            raise ParameterError(f"k must be from 1 to the {len(self.values)} rows; got {k}.")
        if not 0 <= loss_weight <= 1:
            raise ParameterError(f"the weight of the loss must be from 0 to 1; got {loss_weight:g}.")
        self.k, self.share, self.loss_weight = k, share, loss_weight
        self._threads = threads
        self._memory, self._used = memory, 0
        self._total = total_squares(self.values)
        self._groups: OrderedDict[int, ColumnGroup] = OrderedDict()
        self.scores: dict[Grouping, Scores] = {}
        self.microaggregated = 0
        self.recall = recall or Recall(None, "")
        self.tick: Callable[[], None] | None = None  # called while waiting; may raise StoppedError

    @property
    def attributes(self) -> int:
        """Columns of the table."""
        return int(self.values.shape[1])

    @property
    def evaluated(self) -> int:
        """Groupings measured so far, each once."""
        return len(self.scores)

    def evaluate(self, groupings: Sequence[Grouping]) -> list[Scores]:
        """Return the scores of groupings, in their order; clones and known ones cost nothing."""
        keys = [canonical(grouping) for grouping in groupings]
        new = list(dict.fromkeys(key for key in keys if key not in self.scores))
        rows = np.array([object_part(key) for key in new], dtype=np.int64)
        held = self.recall.find(rows)
        if held is not None:
            self.scores |= zip(new, self._scored(held["scores"]), strict=True)
        elif new:
            self._remember(group for key in new for group in key)
            measured = call_in_threads(self.measure, new, self._threads, self.tick)
            self.scores |= zip(new, measured, strict=True)
            self.recall.add(rows=rows, scores=costs_of(measured))
            self._forget()
        return [self.scores[key] for key in keys]

    def close(self) -> None:
        """Take in all that a checkpoint knows, and write a new one."""
        if self.recall.held:
            for row, scores in zip(
                self.recall.held["rows"].tolist(), self._scored(self.recall.held["scores"]), strict=True
            ):
                groups = [[a for a, at in enumerate(row) if at == g] for g in range(max(row) + 1)]
                self.scores.setdefault(canonical(make_grouping(groups)), scores)
        self.recall.save()

    def _scored(self, rows: FloatArray) -> list[Scores]:
        return [Scores(il, near, linked, self.loss_weight) for il, near, linked in rows.tolist()]

    def measure(self, grouping: Grouping) -> Scores:
        """Measure one grouping from what is known of its groups."""
        groups = [self._groups.get(group) or self._make(group) for group in grouping]
        error = sum(item.error for item in groups)
        return Scores(
            100.0 * error / self._total if self._total else 0.0,
            100.0 * sum(item.inside for item in groups) / self.values.size,
            100.0 * self._links(grouping, groups) / len(self.values),
            self.loss_weight,
        )

    def protect(self, grouping: Grouping) -> FloatArray:
        """Return the protected table of a grouping."""
        protected = np.empty_like(self.values)
        for group in grouping:
            protected[:, attributes_of(group)] = (self._groups.get(group) or self._make(group)).protected
        return protected

    def _links(self, grouping: Grouping, groups: Sequence[ColumnGroup]) -> float:
        if len(self.values) * len(groups[0].centroids) >= MANY_PAIRS:
            return link_records(self.values, self.protect(grouping), threads=1).expected
        # The group with most attributes comes first: it rules out most at once.
        places = sorted(range(len(groups)), key=lambda place: -groups[place].centroids.shape[1])
        members = [attributes_of(grouping[place]) for place in places]
        original = np.ascontiguousarray(self.values[:, [column for group in members for column in group]])
        centroids = np.concatenate([groups[place].centroids.T for place in places])
        labels = np.column_stack([groups[place].labels for place in places])
        starts = np.cumsum([0, *(len(group) for group in members)])
        return link_groups(original, centroids, labels, starts)[0]

    def _remember(self, wanted: Iterable[int]) -> None:
        """Microaggregate the groups that are not known, and mark all as used."""
        distinct = list(dict.fromkeys(wanted))
        new = [group for group in distinct if group not in self._groups]
        found = call_in_threads(self._make, new, self._threads, self.tick)
        for group, made in zip(new, found, strict=True):
            self._groups[group] = made
            self._used += made.size
        self.microaggregated += len(new)
        for group in distinct:
            self._groups.move_to_end(group)

    def _forget(self) -> None:
        while self._used > self._memory and self._groups:
            self._used -= self._groups.popitem(last=False)[1].size

    def _make(self, group: int) -> ColumnGroup:
        columns = np.array(attributes_of(group), dtype=np.int64)
        labels = mdav(self.values[:, columns], self.k, threads=1)
        centroids = centroids_of(self.values, columns, labels, int(labels.max()) + 1)
        error, inside = count_losses(self.values, columns, labels, centroids, self.share)
        return ColumnGroup(labels, centroids, error, inside)
