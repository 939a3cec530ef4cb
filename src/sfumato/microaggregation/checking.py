"""What users say about microaggregation, checked at the door."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from sfumato.errors import ParameterError, nearest
from sfumato.microaggregation.aggregating import METHODS, Manner

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sfumato.microaggregation.aggregating import Method

Groups: TypeAlias = "Sequence[Sequence[str]] | Literal['auto'] | None"
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


def check_manner(k: int, method: Method, gain: float, threads: int | None) -> Manner:
    """Return how records are to be microaggregated."""
    whole = isinstance(k, int | np.integer)
    if not whole or k < 2:
        raise ParameterError(f"k must be a whole number from 2 on; got {k!r}.")
    if method not in METHODS:
        raise ParameterError(f"there is no method {method!r}. {nearest(str(method), METHODS)}")
    if threads is not None and threads < 1:
        raise ParameterError(f"threads must be at least 1, or None for all cores; got {threads}.")
    return Manner(int(k), method, gain, threads)


def check_orders(orders: Iterable[str], names: tuple[str, ...]) -> None:
    """Raise ParameterError if an order is given for a column that is not microaggregated."""
    for name in orders:
        if name not in names:
            raise ParameterError(f"an order is given for {name!r}. {nearest(name, names)}")


def check_groups(groups: Groups, names: tuple[str, ...], method: Method) -> NamedGroups:
    """Return groups that hold each of the columns once."""
    if groups is None or (groups == "auto" and method == "univariate"):
        return tuple((name,) for name in names) if method == "univariate" else (names,)
    if isinstance(groups, str):
        raise ParameterError(f"groups must be lists of columns, 'auto' or None; got {groups!r}.")
    found = tuple((group,) if isinstance(group, str) else tuple(group) for group in groups)
    listed = [name for group in found for name in group]
    for name in listed:
        if name not in names:
            raise ParameterError(f"the groups name {name!r}, which is no column to microaggregate.")
    for name in names:
        if listed.count(name) != 1:
            times = "in no group" if name not in listed else "in a group twice"
            raise ParameterError(f"the column {name!r} is {times}. Put each column into one group.")
    if not all(found):
        raise ParameterError("a group is empty. Leave it out.")
    if method == "univariate" and any(len(group) > 1 for group in found):
        raise ParameterError("univariate takes each column alone: make groups of one column, or name none.")
    return found
