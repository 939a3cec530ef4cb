"""From values to the codes of a domain."""

from __future__ import annotations

import bisect
import datetime as dt
import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.hierarchies.grid import granule_starts
from sfumato.hierarchies.kinds import as_time, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import IntArray
    from sfumato.hierarchies.hierarchy import Hierarchy, Value

    Key: TypeAlias = str | int | float | dt.datetime | None

UNKNOWN = -1
"""The code of a value that is not in the domain."""


def encode(hierarchy: Hierarchy, values: Sequence[Value], *, reach: bool = False) -> IntArray:
    """Return the code of each value.

    Examples
    --------
    >>> from sfumato.hierarchies.plain import build_plain
    >>> ages = build_plain("age", [17, 39], "number", has_missing=False)
    >>> encode(ages, [39.0, 20]).tolist(), encode(ages, [39.0, 20], reach=True).tolist()
    ([1, -1], [1, 0])
    """
    known = hierarchy.size - hierarchy.has_missing - ("unknown" in hierarchy.definition)
    domain = _keys(hierarchy.kind, hierarchy.values[:known])
    unknown = known if "unknown" in hierarchy.definition else UNKNOWN
    code: dict[Key, int] = {key: number for number, key in enumerate(domain)}
    keys = _keys(hierarchy.kind, values, hierarchy.definition.get("granularity"))
    codes = [code.get(key, UNKNOWN) for key in keys]
    if reach and hierarchy.kind in ("number", "date"):
        codes = [_floor(domain, key) if at == UNKNOWN else at for key, at in zip(keys, codes, strict=True)]
    missing = hierarchy.size - 1 if hierarchy.has_missing else UNKNOWN
    found = [unknown if at == UNKNOWN else at for at in codes]
    found = [missing if is_missing(value) else at for value, at in zip(values, found, strict=True)]
    return np.array(found, dtype=np.int32)


def is_missing(value: Value) -> bool:
    """Tell whether a value is missing: None, or a number that is undefined."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def as_key(kind: str, value: Value) -> Key:
    """Return what values of a kind are compared and sorted by; None for what is none of it."""
    return _keys(kind, [value])[0]


def _keys(kind: str, values: Sequence[Value], granularity: object = None) -> list[Key]:
    """Return what values are compared by; None for what cannot be in the domain."""
    if kind == "number":
        numbers = [_number(value) for value in values]
        if isinstance(granularity, int | float):
            starts = iter(granule_starts([number for number in numbers if number is not None], granularity))
            return [None if number is None else next(starts) for number in numbers]
        return [*numbers]
    if kind == "date":
        return [_time(value) for value in values]
    return [None if value is None else text_of(value) for value in values]


def _number(value: Value) -> int | float | None:
    """Return a finite number, None for anything else."""
    return value if isinstance(value, int | float) and math.isfinite(value) else None


def _time(value: Value) -> dt.datetime | None:
    """Return a date as a time, in UTC if it has a zone; None for anything else."""
    if not isinstance(value, dt.date):
        return None
    time = as_time(value)
    return time if time.tzinfo is None else time.astimezone(dt.UTC).replace(tzinfo=None)


def _floor(domain: Sequence[Key], key: Key) -> int:
    """Return the number of the largest key of a domain that is not above another key."""
    if key is None or not domain or key > domain[-1]:  # type: ignore[operator]
        return UNKNOWN
    return bisect.bisect_right(domain, key) - 1  # type: ignore[type-var]
