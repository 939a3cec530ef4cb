"""From numbers to clusters in every group of columns, and to what is released in their place."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from sfumato.errors import DataError, ParameterError
from sfumato.microaggregation.missing import blank_rare, split_patterns
from sfumato.microaggregation.partitioning import GAIN, mdav, univariate, v_mdav

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray

Method: TypeAlias = Literal["mdav", "v-mdav", "univariate"]
METHODS: tuple[Method, ...] = ("mdav", "v-mdav", "univariate")


@dataclass(frozen=True)
class Manner:
    """How records are microaggregated."""

    k: int  # smallest size of a cluster, from 2 on
    method: Method = "mdav"  # `mdav`, `v-mdav`, or `univariate` for the optimum of groups of one column
    gain: float = GAIN  # of V-MDAV
    threads: int | None = None  # threads to use, all cores where None; the result does not depend on it

    def partition(self, values: FloatArray) -> IntArray:
        """Partition records without missing values."""
        if self.method == "mdav":
            return mdav(values, self.k, threads=self.threads)
        return (
            v_mdav(values, self.k, gain=self.gain) if self.method == "v-mdav" else univariate(values, self.k)
        )


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
    (see `sfumato.microaggregation.missing.blank_rare`).
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
    alone = manner if len(tasks) == 1 else replace(manner, threads=1)

    def run(task: tuple[int, LongArray]) -> IntArray:
        number, rows = task
        known = [column for place, column in enumerate(groups[number]) if not blanks[number][rows[0], place]]
        if not known:
            return np.zeros(len(rows), dtype=np.int32)
        return alone.partition(values[rows][:, known])

    labels = [np.full(len(values), -1, dtype=np.int32) for _ in groups]
    counts = [0] * len(groups)
    for (number, rows), found in zip(tasks, _map(run, tasks, manner.threads), strict=True):
        labels[number][rows] = found + counts[number]
        counts[number] += int(found.max()) + 1
    return [
        Clusters(tuple(group), label, blank)
        for group, label, blank in zip(groups, labels, blanks, strict=True)
    ]


def _map(
    run: Callable[[tuple[int, LongArray]], IntArray], tasks: list[tuple[int, LongArray]], threads: int | None
) -> list[IntArray]:
    """Run tasks, side by side where there are several."""
    workers = min(threads or os.cpu_count() or 1, len(tasks))
    if workers < 2:
        return [run(task) for task in tasks]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(run, tasks))


def split_strata(strata: IntArray | None, rows: int, k: int) -> list[LongArray]:
    """Return the rows of each stratum."""
    if strata is None:
        return [np.arange(rows, dtype=np.int64)]
    _, number, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    small = sizes[sizes < k]
    if len(small):
        raise DataError(
            f"{len(small)} of {len(sizes)} strata have fewer than k = {k} rows, {int(small.sum())} in all. "
            "Unite them with others, lower k, or do without strata."
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
