"""Where the values of a domain lie on a line."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import LongArray
    from sfumato.hierarchies.hierarchy import Hierarchy, Value

LARGEST = 2**31
"""The largest place; numbers that would need a longer line are rounded to one of this length."""

DECIMALS = 6
NOWHERE = -1


def value_places(hierarchy: Hierarchy) -> LongArray | None:
    """Return the place of each value of a domain on a line, the smallest at 0.

    Examples
    --------
    >>> from sfumato.hierarchies.plain import build_plain
    >>> value_places(build_plain("age", [20, 21, 30], "number", has_missing=True)).tolist()
    [0, 1, 10, -1]
    """
    if hierarchy.kind not in ("number", "date"):
        return None
    known = [
        place for place, value in enumerate(hierarchy.values) if isinstance(value, int | float | dt.date)
    ]
    places = np.full(hierarchy.size, NOWHERE, dtype=np.int64)
    if known:
        places[known] = _steps(np.array([_number(hierarchy.values[place]) for place in known]))
    return places


def _number(value: Value) -> float:
    """Return a number as it is, a date as its day, an instant as its second."""
    if isinstance(value, dt.datetime):
        return (value.replace(tzinfo=None) - dt.datetime(1970, 1, 1)).total_seconds()
    return float(value.toordinal() if isinstance(value, dt.date) else value)  # type: ignore[arg-type]


def _steps(numbers: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> LongArray:
    """Return distances from the smallest number in whole steps."""
    offsets = numbers - numbers.min()
    for decimals in range(DECIMALS + 1):
        scaled = offsets * 10.0**decimals
        whole = np.rint(scaled)
        if whole.max() > LARGEST:
            break
        # The difference of two decimals is off by a few units of their last binary place.
        if np.allclose(scaled, whole, rtol=0, atol=1e-6):
            return np.asarray(whole, dtype=np.int64)
    return np.asarray(np.rint(offsets * (LARGEST / offsets.max())), dtype=np.int64)
