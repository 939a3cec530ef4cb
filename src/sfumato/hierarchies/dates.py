"""Hierarchies of dates: months, quarters, years, decades, centuries."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from sfumato.errors import HierarchyError, nearest
from sfumato.hierarchies.assemble import assemble, level_by_labels
from sfumato.hierarchies.kinds import unify_dates

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Sequence

    from sfumato.hierarchies.hierarchy import Hierarchy, Value

UNITS: dict[str, Callable[[dt.date], str]] = {
    "day": lambda date: f"{date.year:04d}-{date.month:02d}-{date.day:02d}",
    "month": lambda date: f"{date.year:04d}-{date.month:02d}",
    "quarter": lambda date: f"{date.year:04d}-Q{(date.month + 2) // 3}",
    "year": lambda date: f"{date.year:04d}",
    "decade": lambda date: f"{date.year // 10:03d}0s",
    "century": lambda date: f"{date.year // 100:02d}00-{date.year // 100:02d}99",
}
"""The label of a date by each unit, from the finest unit to the coarsest."""


def build_dates(
    attribute: str, values: Sequence[Value], units: Sequence[str], *, has_missing: bool
) -> Hierarchy:
    """Make the hierarchy of a date attribute."""
    _check_units(attribute, units)
    dates = sorted(set(unify_dates(values, where=attribute)))
    between = [level_by_labels([UNITS[unit](date) for date in dates]) for unit in units]
    definition = {"dates": list(units)}
    return assemble(attribute, "date", dates, between, has_missing=has_missing, definition=definition)


def _check_units(attribute: str, units: Sequence[str]) -> None:
    """Raise HierarchyError unless the units are known and become coarser."""
    for unit in units:
        if unit not in UNITS:
            hint = nearest(unit, UNITS)
            raise HierarchyError(f"{unit!r} is no unit of dates. {hint}", where=attribute)
    order = list(UNITS)
    for fine, coarse in itertools.pairwise(units):
        if order.index(coarse) <= order.index(fine):
            raise HierarchyError(
                f"Each unit of dates must be coarser than the one before; {coarse!r} follows {fine!r}.",
                where=attribute,
            )
