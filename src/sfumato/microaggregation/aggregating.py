"""From numbers to clusters in every group of columns, and to what is released in their place."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from sfumato.errors import DataError, ParameterError, nearest
from sfumato.microaggregation.cluster_search import STEPS, ClusterState, search_clusters, squared_error
from sfumato.microaggregation.partitioning import GAIN, call_in_threads, mdav, univariate, v_mdav

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
    from sfumato.monitor import Monitor


def split_patterns(missing: BoolArray) -> list[LongArray]:
    """Return the rows of each pattern of missing columns, patterns in the order of their first rows."""
    if not missing.any():
        return [np.arange(len(missing), dtype=np.int64)]
    _, first, number = np.unique(missing, axis=0, return_index=True, return_inverse=True)
    number = number.reshape(-1)
    return [np.flatnonzero(number == pattern).astype(np.int64) for pattern in np.argsort(first)]


def blank_rare(values: FloatArray, k: int) -> BoolArray:
    """Return which cells are missing once no pattern of missing columns is rarer than k.

    Which values a record lacks can single it out as well as those it has. So records are only ever compared
    with those that lack the same columns; and where fewer than k records share a pattern, their other
    values are blanked too. If fewer than k records are then blank throughout, others join them: of the
    smallest pattern that can spare them, those farthest from its mean; if none can, the smallest pattern as
    a whole.

    Examples
    --------
    >>> nan = np.nan
    >>> blank_rare(np.array([[1.0, 2.0], [1.0, 3.0], [nan, 1.0], [2.0, nan]]), 2).tolist()
    [[False, False], [False, False], [True, True], [True, True]]
    """
    missing = np.isnan(values)
    while True:
        patterns = split_patterns(missing)
        for rows in patterns:
            if len(rows) < k:
                missing[rows] = True
        blank = np.flatnonzero(missing.all(axis=1))
        if not 0 < len(blank) < k:
            return missing
        others = sorted((rows for rows in split_patterns(missing) if not missing[rows[0]].all()), key=len)
        needed = k - len(blank)
        spare = [rows for rows in others if len(rows) >= k + needed]
        missing[_outermost(values, missing, spare[0])[:needed] if spare else others[0]] = True


def _outermost(values: FloatArray, missing: BoolArray, rows: LongArray) -> LongArray:
    """Return rows of one pattern, those farthest from their mean first."""
    known = values[np.ix_(rows, np.flatnonzero(~missing[rows[0]]))]
    distances = ((known - known.mean(axis=0)) ** 2).sum(axis=1)
    return rows[np.argsort(-distances, kind="stable")]


Method: TypeAlias = Literal["mdav", "v-mdav", "univariate", "annealing", "auto"]
METHODS: tuple[Method, ...] = get_args(Method)
MOST_STEPS = 10**7
ANNEALED: tuple[Method, ...] = ("annealing", "auto")


@dataclass(frozen=True)
class Manner:
    """How records are microaggregated."""

    k: int  # smallest size of a cluster, from 2 on
    method: Method = "mdav"  # `univariate` is the optimum of groups of one column
    gain: float = GAIN  # of V-MDAV
    threads: int | None = None  # threads to use, all cores where None; the result does not depend on it
    seed: int = 1  # of annealing, as the others
    steps: int | None = STEPS  # for each row; None where time decides
    seconds: float | None = None
    cells: int = 0  # of all tasks that run at once on one core, and share its seconds; 0 of a single task
    monitor: Monitor | None = None
    states: Mapping[int, ClusterState] = field(default_factory=dict)  # task → where its search was
    save: Callable[[int, ClusterState], None] | None = None

    def partition(self, values: FloatArray, task: int = 0) -> IntArray:
        """Partition records without missing values; without any column they are one cluster."""
        if not values.shape[1]:
            return np.zeros(len(values), dtype=np.int32)
        if self.method == "mdav":
            return mdav(values, self.k, threads=self.threads)
        if self.method == "v-mdav":
            return v_mdav(values, self.k, gain=self.gain)
        if self.method == "univariate" or (self.method == "auto" and values.shape[1] == 1):
            return univariate(values, self.k)
        return self._anneal(values, task)

    def _anneal(self, values: FloatArray, task: int) -> IntArray:
        """Anneal the clusters of MDAV; ``auto`` those of V-MDAV where they are better."""
        state, save, start = self.states.get(task), self.save, None
        if state is None:
            start = mdav(values, self.k, threads=self.threads)
        if start is not None and self.method == "auto":
            grown = v_mdav(values, self.k, gain=self.gain)
            start = min(start, grown, key=lambda clusters: squared_error(values, clusters))
        found = search_clusters(
            values,
            self.k,
            start=start,
            seed=self.seed,
            proposals=None if self.steps is None else self.steps * len(values),
            seconds=self.seconds * min(1.0, values.size / self.cells)
            if self.seconds is not None and self.cells
            else self.seconds,
            threads=self.threads,
            monitor=self.monitor,
            state=state,
            save=None if save is None else lambda now: save(task, now),
        )
        return found.clusters


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters of one group of columns."""

    columns: tuple[int, ...]  # places of the columns
    labels: IntArray  # the cluster of each row, counted from 0
    # cells that are missing in the release, those that were missing before included; shape (n, columns)
    blank: BoolArray

    @property
    def count(self) -> int:
        """Number of clusters."""
        return int(self.labels.max()) + 1


def make_clusters(
    values: FloatArray,
    groups: Sequence[Sequence[int]],
    manner: Manner,
    *,
    strata: IntArray | None = None,
) -> list[Clusters]:
    """Partition the records in every group of columns.

    Clusters never cross strata, and hold records that lack the same columns of their group
    (see `sfumato.microaggregation.aggregating.blank_rare`).
    """
    if not 2 <= manner.k <= len(values):
        raise ParameterError(
            f"k must be a whole number from 2 to the {len(values)} rows of the table; got {manner.k}."
        )
    pieces = split_strata(strata, len(values), manner.k)
    blanks = [_blank_in_strata(values[:, list(group)], pieces, manner.k) for group in groups]
    tasks: list[tuple[int, LongArray]] = []
    for number, blank in enumerate(blanks):
        tasks += [(number, rows[found]) for rows in pieces for found in split_patterns(blank[rows])]

    # Several tasks run side by side; one alone has all threads to itself.
    alone = manner
    if len(tasks) > 1:
        cells = sum(len(rows) * len(groups[number]) for number, rows in tasks)
        workers = min(manner.threads or os.cpu_count() or 1, len(tasks))
        silent = manner.monitor.silent() if manner.monitor else None
        alone = replace(manner, threads=1, monitor=silent, cells=-(-cells // workers))
        if manner.monitor and manner.method in ANNEALED:
            manner.monitor.tick(0.0, 0)

    parts = []
    for number, rows in tasks:
        known = [column for place, column in enumerate(groups[number]) if not blanks[number][rows[0], place]]
        parts.append(values[rows][:, known])
    labels = [np.full(len(values), -1, dtype=np.int32) for _ in groups]
    counts = [0] * len(groups)
    for (number, rows), found in zip(
        tasks,
        call_in_threads(
            lambda part: alone.partition(part[1], part[0]),
            list(enumerate(parts)),
            manner.threads,
            manner.monitor.poll if manner.monitor else None,
        ),
        strict=True,
    ):
        labels[number][rows] = found + counts[number]
        counts[number] += int(found.max()) + 1
    return [
        Clusters(tuple(group), label, blank)
        for group, label, blank in zip(groups, labels, blanks, strict=True)
    ]


def split_strata(strata: IntArray | None, rows: int, k: int) -> list[LongArray]:
    """Return the rows of each stratum."""
    if strata is None:
        return [np.arange(rows, dtype=np.int64)]
    _, number, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    small = sizes[sizes < k]
    if len(small):
        raise DataError(
            f"{len(small)} of {len(sizes)} strata have fewer than k = {k} rows, {int(small.sum())} in all. "
            "Merge them with others, lower k, or leave out strata."
        )
    order = np.argsort(number.reshape(-1), kind="stable").astype(np.int64)
    return np.split(order, np.cumsum(sizes)[:-1])


def _blank_in_strata(values: FloatArray, pieces: Sequence[LongArray], k: int) -> BoolArray:
    blank = np.isnan(values)
    if blank.any():
        for rows in pieces:
            blank[rows] = blank_rare(values[rows], k)
    return blank


def centres(values: FloatArray, labels: IntArray, *, middle: Literal["mean", "median", "low"]) -> FloatArray:
    """Return, for each row, the centre of its cluster in one column.

    Examples
    --------
    >>> labels = np.array([0, 0, 1, 1])
    >>> centres(np.array([1.0, 2.0, 5.0, 9.0]), labels, middle="low").tolist()
    [1.0, 1.0, 5.0, 5.0]
    """
    sizes = np.bincount(labels)
    order = np.lexsort((values, labels))
    begins = np.cumsum(sizes) - sizes
    ordered = values[order]
    if middle == "mean":
        # Differences from one member, so that the mean of equal values is that value.
        base = ordered[begins]
        means: FloatArray = base + np.bincount(labels, weights=values - base[labels]) / sizes
        return means[labels]
    low = ordered[begins + (sizes - 1) // 2]
    high = low if middle == "low" else ordered[begins + sizes // 2]
    medians: FloatArray = low + (high - low) / 2
    return medians[labels]


def smallest_class(columns: Sequence[FloatArray | IntArray]) -> tuple[int, int]:
    """Return the size of the smallest class of equal rows, and the number of classes; NaN equals NaN.

    Examples
    --------
    >>> smallest_class([np.array([1.0, 1.0, 2.0]), np.array([np.nan, np.nan, 3.0])])
    (1, 2)
    """
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        distinct, codes = np.unique(column, return_inverse=True)
        key = np.unique(key * len(distinct) + codes.reshape(-1), return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(key)
    return int(sizes.min()), len(sizes)


GroupSearch: TypeAlias = Literal["auto", "gomm", "d-gomm"]
GROUP_SEARCHES: tuple[str, ...] = get_args(GroupSearch)
"""How groups are searched for: by GOMM with a descent after it, and as the paper prints GOMM and D-GOMM."""
Groups: TypeAlias = "Sequence[Sequence[str]] | GroupSearch | None"
NamedGroups: TypeAlias = tuple[tuple[str, ...], ...]


def check_columns(
    columns: Sequence[str], within: str | None, keep: Sequence[str], drop: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the columns to microaggregate, each named once and for nothing else."""
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    if not names:
        raise ParameterError("name at least one column to microaggregate.")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"the column {twice!r} is named twice.")
    if within in names:
        raise ParameterError(f"the column {within!r} separates clusters, so it cannot be microaggregated.")
    for name in keep:
        if name in names:
            raise ParameterError(
                f"the column {name!r} is microaggregated, so it cannot be kept unchanged. Name it once."
            )
    for name in drop:
        if name in names or name == within or name in keep:
            raise ParameterError(f"the column {name!r} is needed, so it cannot be dropped.")
    return names


def check_manner(k: int, method: Method, *, gain: float, threads: int | None, steps: int) -> Manner:
    """Return how records are to be microaggregated."""
    whole = isinstance(k, int | np.integer)
    if not whole or k < 2:
        raise ParameterError(f"k must be a whole number from 2 on; got {k!r}.")
    if method not in METHODS:
        raise ParameterError(f"there is no method {method!r}. {nearest(str(method), METHODS)}")
    if threads is not None and threads < 1:
        raise ParameterError(f"threads must be at least 1, or None for all cores; got {threads}.")
    if not 1 <= steps <= MOST_STEPS:
        raise ParameterError(f"steps must be a whole number from 1 to {MOST_STEPS:,}; got {steps}.")
    return Manner(int(k), method, gain, threads, steps=steps)


def check_orders(orders: Iterable[str], names: tuple[str, ...]) -> None:
    """Raise ParameterError if an order is given for a column that is not microaggregated."""
    for name in orders:
        if name not in names:
            raise ParameterError(f"an order is given for {name!r}. {nearest(name, names)}")


def check_groups(groups: Groups, names: tuple[str, ...], method: Method) -> NamedGroups:
    """Return groups that hold each of the columns once."""
    if groups is None or (groups in GROUP_SEARCHES and method == "univariate"):
        return tuple((name,) for name in names) if method == "univariate" else (names,)
    if isinstance(groups, str):
        raise ParameterError(
            f"groups must be lists of columns, 'auto', 'gomm', 'd-gomm' or None; got {groups!r}."
        )
    found = tuple((group,) if isinstance(group, str) else tuple(group) for group in groups)
    listed = [name for group in found for name in group]
    for name in listed:
        if name not in names:
            raise ParameterError(f"the groups name {name!r}, which is not a column to microaggregate.")
    for name in names:
        if listed.count(name) != 1:
            times = "in no group" if name not in listed else "in a group twice"
            raise ParameterError(f"the column {name!r} is {times}. Put each column into one group.")
    if not all(found):
        raise ParameterError("a group is empty. Leave it out.")
    if method == "univariate" and any(len(group) > 1 for group in found):
        raise ParameterError(
            "univariate takes each column by itself: make groups of one column, or name none."
        )
    return found
