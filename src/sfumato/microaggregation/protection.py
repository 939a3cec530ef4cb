"""What microaggregation loses, and what it leaves to be disclosed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from sfumato._typing import FloatArray, LongArray
from sfumato.errors import ParameterError
from sfumato.kernels.linkage_tree import build_boxes, link_rows
from sfumato.kernels.nearest_rows import EDGE, settle_columns
from sfumato.microaggregation.partitioning import call_in_threads

SHARE = 0.1
"""A protected value within this share of the original discloses it."""
PIECE = 4096
"""Rows that one task links. Sums are taken piece by piece, so that they do not depend on the threads."""

LARGEST_SQUARED = 1e100
"""The squares of larger numbers would not be numbers any more."""


@dataclass(frozen=True, slots=True)
class Links:
    """How many records an intruder links who takes the nearest protected record for the own.

    Parameters
    ----------
    expected
        With one of the nearest chosen by chance: each record counts 1 / number of tied ones, if its own is
        among them.
    by_number
        With the lowest row number winning every tie, for comparison: it depends on the order of the rows.
    rows
        Records of the table.
    """

    expected: float
    by_number: int
    rows: int

    @property
    def dld(self) -> float:
        """Distance linkage disclosure, in percent."""
        return 100.0 * self.expected / self.rows

    @property
    def dld_by_number(self) -> float:
        """The same where the lowest row number wins every tie."""
        return 100.0 * self.by_number / self.rows


@dataclass(frozen=True, slots=True)
class Scores:
    """The measures of a protected table, all in percent and smaller better.

    Parameters
    ----------
    il
        Information loss: squared error over squared total.
    id
        Interval disclosure: share of protected values near their original.
    dld
        Distance linkage disclosure: share of records that are linked to their own.
    loss_weight
        What information loss counts in the score, and what is left counts disclosure risk.
    """

    il: float
    id: float
    dld: float
    loss_weight: float = 0.5

    @property
    def dr(self) -> float:
        """Disclosure risk: the mean of the two disclosures."""
        return 0.5 * self.id + 0.5 * self.dld

    @property
    def score(self) -> float:
        """The weighted mean of information loss and disclosure risk."""
        return self.loss_weight * self.il + (1 - self.loss_weight) * self.dr


def standard_scores(values: FloatArray, like: FloatArray | None = None) -> FloatArray:
    """Return values less their column's mean, over its standard deviation.

    Examples
    --------
    >>> standard_scores(np.array([[1.0, 7.0], [3.0, 7.0], [np.nan, 7.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0], [nan, 0.0]]
    """
    like = values if like is None else like
    scores = np.empty(values.shape, dtype=np.float64)
    for column in range(values.shape[1]):
        known = like[~np.isnan(like[:, column]), column]
        if not len(known) or known.min() == known.max():
            scores[:, column] = values[:, column] - (known[0] if len(known) else 0.0)
            continue
        largest = np.abs(known).max()
        size = largest if largest > LARGEST_SQUARED else 1.0
        known = known / size
        # Exact sums: the same wherever the rows are, and in whatever order.
        mean = math.fsum(known.tolist()) / len(known)
        spread = math.sqrt(math.fsum(((known - mean) ** 2).tolist()) / len(known))
        scores[:, column] = (values[:, column] / size - mean) / spread
    return scores


def information_loss(original: FloatArray, protected: FloatArray) -> float:
    """Return 100 · SSE / SST, the squared error over the squares about the mean.

    0 for a table without any variation.

    Examples
    --------
    >>> information_loss(np.array([[0.0], [2.0], [4.0]]), np.array([[1.0], [1.0], [4.0]]))
    25.0
    """
    original, protected = _checked(original, protected)
    total = total_squares(original)
    return 100.0 * float(((original - protected) ** 2).sum()) / total if total else 0.0


def total_squares(original: FloatArray) -> float:
    """Return SST, the squared distances of all records from their mean."""
    return float(((original - original.mean(axis=0)) ** 2).sum())


def interval_disclosure(original: FloatArray, protected: FloatArray, *, share: float = SHARE) -> float:
    """Return the percentage of protected values within ± share · |original| of their original.

    A value on the edge, but for rounding, is inside. Of an original 0 only 0 is inside, so the
    measure depends on where the values have their zero: of z-scores, at the mean.

    Examples
    --------
    >>> interval_disclosure(
    ...     np.array([[10.0], [-10.0], [10.0], [0.0]]), np.array([[11.0], [-9.0], [8.9], [0.1]])
    ... )
    50.0
    """
    original, protected = _checked(original, protected)
    inside = np.abs(protected - original) <= share * np.abs(original) * EDGE
    return 100.0 * float(np.count_nonzero(inside)) / inside.size


def link_records(original: FloatArray, protected: FloatArray, *, threads: int | None = None) -> Links:
    """Count the records whose nearest protected record, by Euclidean distance, is their own.

    Parameters
    ----------
    original, protected
        Shape (n, d), the same records in the same order.
    threads
        Threads to use, all cores where None; the result does not depend on it.

    Returns
    -------
    Links
        With ties shared, and with ties won by the lowest row number.

    Notes
    -----
    Ties are exact: protected values of a column that differ by rounding alone (by 1e-12 of the largest) are
    made equal first, so that records with the same centroids are the same point; and squared
    distances within 1e-9 of each other are tied. The search goes through a tree of boxes and
    leaves it as soon as a record nearer than the own one is found.

    Examples
    --------
    >>> links = link_records(np.array([[0.0], [1.0], [5.0]]), np.array([[0.5], [0.5], [5.0]]))
    >>> links.expected, links.by_number
    (2.0, 2)
    """
    original, protected = _checked(original, protected)
    link_some, rows = linker(original, protected), len(original)

    def link(begin: int) -> tuple[float, int]:
        return link_some(begin, min(begin + PIECE, rows))

    found = call_in_threads(link, range(0, len(original), PIECE), threads)
    return Links(sum(item[0] for item in found), sum(item[1] for item in found), len(original))


def linker(original: FloatArray, protected: FloatArray) -> Callable[[int, int], tuple[float, int]]:
    """Return what links the records from one to another, with exact ties; see `link_rows`."""
    settled = protected.copy()
    settle_columns(settled)
    points, weights, first = distinct_rows(settled)
    return partial(link_rows, original, settled, weights, first, *build_boxes(points))


def distinct_rows(values: FloatArray) -> tuple[FloatArray, LongArray, LongArray]:
    """Return the distinct rows, how often each occurs, and where first."""
    order = np.lexsort(values.T[::-1])
    ordered = values[order]
    new = np.ones(len(values), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.flatnonzero(new)
    counts = np.diff(np.append(starts, len(values)))
    # lexsort keeps the order of equal rows, so that the first of each run has the lowest number.
    return np.ascontiguousarray(ordered[starts]), counts.astype(np.int64), order[starts].astype(np.int64)


def measure_protection(
    original: FloatArray, protected: FloatArray, *, share: float = SHARE, threads: int | None = None
) -> Scores:
    """Measure a protected table against the original.

    Parameters
    ----------
    original, protected
        Shape (n, d), the same records in the same order; usually z-scores, by the original's mean
        and deviation both.
    share
        What counts as near for interval disclosure.
    threads
        Threads to use for linking, all cores where None.

    Returns
    -------
    Scores
        Information loss, interval disclosure, distance linkage disclosure; missing values are not allowed.
    """
    return Scores(
        information_loss(original, protected),
        interval_disclosure(original, protected, share=share),
        link_records(original, protected, threads=threads).dld,
    )


def _checked(original: FloatArray, protected: FloatArray) -> tuple[FloatArray, FloatArray]:
    original = np.ascontiguousarray(original, dtype=np.float64)
    protected = np.ascontiguousarray(protected, dtype=np.float64)
    if original.ndim != 2 or original.shape != protected.shape or not original.size:
        raise ParameterError(
            "original and protected must have the same shape (rows, columns), at least one of each; "
            f"got {original.shape} and {protected.shape}."
        )
    if not (np.isfinite(original).all() and np.isfinite(protected).all()):
        raise ParameterError("values must be finite numbers; some are missing or infinite.")
    return original, protected
