"""Grouping the columns of a frame: the one module of this room that knows tables."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import numpy as np

from sfumato._typing import FloatArray
from sfumato.errors import DataError
from sfumato.microaggregation.column_groups.columns import GroupingResult, GroupingSettings, group_columns
from sfumato.table import open_source
from sfumato.table.values import NumberColumn, read_numbers


def group_attributes(
    data: object,
    k: int = 25,
    seed: int = 1,
    *,
    columns: Sequence[str] | None = None,
    dynamic: bool = False,
    settings: GroupingSettings | None = None,
) -> GroupingResult:
    """Search by GOMM for the groups in which columns are best microaggregated.

    Parameters
    ----------
    data
        A frame, a path, or an array of numbers, whose columns are called ``a1``, ``a2`` and so on. Rows
        with a missing value in one of the columns are left out.
    k
        Smallest size of a cluster.
    seed
        Where random choices start. The same seed gives the same groups, unless the run is stopped.
    columns
        Columns to group; all columns of numbers and dates where None.
    dynamic
        D-GOMM: leave group mutations out that have long brought nothing better.
    settings
        See `sfumato.microaggregation.column_groups.GroupingSettings`.

    Returns
    -------
    GroupingResult
        The best grouping of all that were measured; ``groups`` holds the names.

    Raises
    ------
    DataError
        If columns are absent or hold other values, or fewer than k rows are complete.
    """
    names, values = _from_array(data, columns) if isinstance(data, np.ndarray) else _from_table(data, columns)
    complete = values[~np.isnan(values).any(axis=1)]
    if len(complete) < k:
        raise DataError(f"{len(complete)} rows have no missing value, fewer than k = {k}. Lower k.")
    return group_columns(complete, names, k, seed, dynamic, settings=settings)


def _from_array(data: FloatArray, columns: Sequence[str] | None) -> tuple[list[str], FloatArray]:
    values = np.asarray(data, dtype=np.float64)
    if values.ndim != 2:
        raise DataError(f"an array must have rows and columns; got the shape {values.shape}.")
    names = [f"a{place + 1}" for place in range(values.shape[1])]
    chosen = names if columns is None else list(columns)
    if not set(chosen) <= set(names):
        raise DataError(f"the columns of an array are called a1 to a{len(names)}.")
    return chosen, values[:, [names.index(name) for name in chosen]]


def _from_table(data: object, columns: Sequence[str] | None) -> tuple[list[str], FloatArray]:
    source = open_source(data)
    found: list[NumberColumn] = []
    if columns:
        found = read_numbers(source, columns)
    for name in source.columns if columns is None else ():
        with contextlib.suppress(DataError):
            found += read_numbers(source, [name])
    if not found:
        raise DataError("no column holds numbers or dates.", where=source.name)
    return [column.name for column in found], np.column_stack([column.values for column in found])
