"""Clusters of at least k records, as similar as can be: the public functions over the kernels."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError
from sfumato.kernels.mdav import mdav_plain
from sfumato.kernels.mdav_indexed import SIZES, begin_indexed, mdav_indexed
from sfumato.kernels.univariate import cut_optimally
from sfumato.kernels.variable_mdav import measure_from_centre, variable_mdav
from sfumato.microaggregation.passes import SHARED_CELLS, Begun, finish

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray

LARGEST = 1e150
"""Beyond this a squared difference may not be a number any more."""
INDEXED, INDEXED_WIDTH = 1500, 16
"""An index pays from this many rows for each column on, up to this many columns."""
GAIN = 0.2
"""How much closer than to others a record has to be to a cluster of V-MDAV to join it."""


def mdav(values: FloatArray, k: int, *, threads: int | None = None) -> IntArray:
    """Partition records into clusters of k by MDAV (maximum distance to average vector).

    As long as 3k records remain, the record farthest from their centroid makes a cluster with the k - 1
    nearest to it, and of the others the one farthest from it does too. Of 2k to 3k - 1 records that remain,
    the farthest from the centroid and its nearest are a cluster; what is left, k to 2k - 1 records, is the
    last. Of equal distances, the lower row number wins.

    Parameters
    ----------
    values
        Numbers, shape (n, d) with d >= 1, neither missing nor infinite.
    k
        Records of a cluster, from 1 to n.
    threads
        Threads that share passes over many records, all cores where None; clusters do not depend on
        it. Where an index finds them, that takes less time than handing work to a thread. No lock is
        held: several tables can be partitioned at once.

    Returns
    -------
    IntArray
        The number of each row's cluster, counted from 0 in the order in which clusters are made.

    Raises
    ------
    ParameterError
        If k is out of its range, or values are missing, infinite or beyond ±1e150.

    Notes
    -----
    Small tables are passed over record by record; larger ones go through an index as long as it pays, which
    in many dimensions is not long. All compute the same distances in the same way, so the clusters are
    the same, ties included.

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation, doi:10.1109/69.979982;
    Domingo-Ferrer and Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation, doi:10.1007/s10618-005-0007-5.

    Examples
    --------
    >>> mdav(np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]]), 2).tolist()
    [0, 0, 2, 2, 1, 1]
    """
    values = _checked(values, k)
    if k == 1:
        return np.arange(len(values), dtype=np.int32)
    begun = Begun.of(values)
    if len(values) >= INDEXED * min(values.shape[1], INDEXED_WIDTH):
        begun = Begun(*begin_indexed(values, k, SIZES, 1.0))
    return finish(values, k, begun, threads or os.cpu_count() or 1, SHARED_CELLS)


def v_mdav(values: FloatArray, k: int, *, gain: float = GAIN) -> IntArray:
    """Partition records by V-MDAV into clusters of k to 2k - 1, which grow where data are dense.

    The record farthest from the centroid of the whole table makes a cluster with the k - 1 nearest to it. The
    record closest to a member joins as long as that distance is below ``gain`` times its distance from the
    nearest record that is in no cluster. Fewer than k records at the end join the clusters with the
    nearest centroids, which may become larger than 2k - 1. Of equal distances, the lower row number wins.

    Parameters
    ----------
    values
        Numbers, shape (n, d) with d >= 1, neither missing nor infinite.
    k
        Smallest size of a cluster, from 1 to n.
    gain
        From 0 on; 0 never lets a cluster grow. Around 0.2 suits scattered data, around 1.1 data in clumps.

    Returns
    -------
    IntArray
        The number of each row's cluster, counted from 0 in the order in which clusters are made.

    Raises
    ------
    ParameterError
        If k or the gain is out of its range, or values are missing, infinite or beyond ±1e150.

    References
    ----------
    Solanas and Martínez-Ballesté (2006), V-MDAV: a multivariate microaggregation with variable group size.

    Examples
    --------
    >>> v_mdav(np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0], [9.1]]), 2, gain=1.1).tolist()
    [1, 1, 1, 2, 2, 0, 0]
    """
    values = _checked(values, k)
    if not 0 <= gain < np.inf:
        raise ParameterError(f"gain must be a number from 0 on; got {gain}.")
    # A stable sort keeps the lower of equally far rows in front.
    order = np.argsort(-measure_from_centre(values), kind="stable")
    return variable_mdav(values, k, float(gain), order)


def univariate(values: FloatArray, k: int) -> IntArray:
    """Partition the values of one column into clusters of at least k with the least squared error.

    The optimum over all partitions, by dynamic programming over the sorted values. Of equal values the
    lower row number comes first; of equally good partitions, the last cluster is the smallest.

    Parameters
    ----------
    values
        Numbers, shape (n,) or (n, 1), neither missing nor infinite.
    k
        Smallest size of a cluster, from 1 to n.

    Returns
    -------
    IntArray
        The number of each row's cluster, counted from 0 for the smallest values.

    Raises
    ------
    ParameterError
        If k is out of its range, or values are missing, infinite or beyond ±1e150.

    References
    ----------
    Hansen and Mukherjee (2003), A polynomial algorithm for optimal univariate microaggregation,
    doi:10.1109/TKDE.2003.1209020.

    Examples
    --------
    >>> univariate(np.array([9.0, 1.0, 2.0, 8.0, 1.5]), 2).tolist()
    [1, 0, 0, 1, 0]
    """
    column = np.asarray(values, dtype=np.float64)
    checked = _checked(column[:, None] if column.ndim == 1 else column, k)
    if checked.shape[1] != 1:
        raise ParameterError(f"one column is partitioned at a time; got {checked.shape[1]}.")
    order = np.argsort(checked[:, 0], kind="stable")
    clusters = np.empty(len(order), dtype=np.int32)
    clusters[order] = cut_optimally(checked[order, 0], k)
    return clusters


def warm_up_kernels() -> None:
    """Partition tiny tables in every way, so that all kernels are compiled."""
    values = np.arange(8.0)[:, None]
    mdav_plain(values, 2)
    mdav_indexed(values, 2)
    v_mdav(values, 2)
    univariate(values, 2)


def _checked(values: FloatArray, k: int) -> FloatArray:
    """Return values as the kernels need them."""
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.ndim != 2 or not values.shape[1]:
        raise ParameterError(f"values must have the shape (rows, columns); got {values.shape}.")
    if not 1 <= k <= len(values):
        raise ParameterError(f"k must be from 1 to the {len(values)} rows; got {k}.")
    # A comparison with a missing value is false, so this finds it too.
    if not (np.abs(values) <= LARGEST).all():
        raise ParameterError("values must be numbers within ±1e150; some are missing, infinite or beyond.")
    return values
