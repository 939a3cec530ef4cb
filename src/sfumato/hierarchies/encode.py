"""From values to the codes of a domain, and to their places on a line."""

from __future__ import annotations

import bisect
import datetime as dt
import itertools
import math
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from sfumato.hierarchies.intervals import granule_starts
from sfumato.hierarchies.kinds import as_time, is_finite, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.hierarchies.hierarchy import Hierarchy, Value

    Key: TypeAlias = str | int | float | dt.datetime | None

UNKNOWN = -1  # the code of a value that is not in the domain
LARGEST = 2**31  # the largest place; numbers that would need a longer line are rounded to one of this length
DECIMALS = 6
NOWHERE = -1


def encode(hierarchy: Hierarchy, values: Sequence[Value], *, reach: bool = False) -> IntArray:
    """Return the code of each value."""
    domain = _keys(hierarchy.kind, hierarchy.values[: hierarchy.known])
    code: dict[Key, int] = dict(zip(domain, itertools.count(), strict=False))
    keys = _keys(hierarchy.kind, values, hierarchy.definition.get("granularity"))
    codes = list(map(code.get, keys, itertools.repeat(UNKNOWN)))
    if reach and hierarchy.kind in ("number", "date"):
        codes = [_floor(domain, key) if at == UNKNOWN else at for key, at in zip(keys, codes, strict=True)]
    unknown = hierarchy.known if "unknown" in hierarchy.definition else UNKNOWN
    missing = hierarchy.size - 1 if hierarchy.has_missing else UNKNOWN
    found = np.array(codes, dtype=np.int32)
    found[found == UNKNOWN] = unknown
    if not {str, int}.issuperset(map(type, values)):
        is_missing = [value is None or (isinstance(value, float) and math.isnan(value)) for value in values]
        found[is_missing] = missing
    return found


def as_key(kind: str, value: Value) -> Key:
    """Return what values of a kind are compared and sorted by; None for what is none of it."""
    return _keys(kind, [value])[0]


def _keys(kind: str, values: Sequence[Value], granularity: object = None) -> list[Key]:
    """Return what values are compared by; None for what cannot be in the domain."""
    if kind == "number":
        numbers = [value if is_finite(value) else None for value in values]
        if isinstance(granularity, int | float):
            starts = iter(granule_starts([number for number in numbers if number is not None], granularity))
            return [None if number is None else next(starts) for number in numbers]
        return [*numbers]
    if kind == "date":
        # A date as a time, by the clock of its zone if it has one.
        return [as_time(v).replace(tzinfo=None) if isinstance(v, dt.date) else None for v in values]
    if set(map(type, values)) == {str}:
        return [*cast("Sequence[str]", values)]
    return [None if value is None else text_of(value) for value in values]


def _floor(domain: Sequence[Key], key: Key) -> int:
    """Return the number of the largest key of a domain that is not above another key."""
    if key is None or not domain or key > domain[-1]:  # type: ignore[operator]
        return UNKNOWN
    return bisect.bisect_right(domain, key) - 1  # type: ignore[type-var]


def value_places(hierarchy: Hierarchy) -> LongArray | None:
    """Return the place of each value of a domain on a line, the smallest at 0."""
    if hierarchy.kind not in ("number", "date"):
        return None
    known = [isinstance(value, int | float | dt.date) for value in hierarchy.values]
    places = np.full(hierarchy.size, NOWHERE, dtype=np.int64)
    if not any(known):
        return places
    # What lies beyond bottom and top is put one step outside of them: they are the ends of the domain.
    bottom, top, step = (hierarchy.definition.get(key) for key in ("bottom", "top", "granularity"))
    is_whole = all(isinstance(value, int) for value in hierarchy.values[: hierarchy.known])
    step = step if isinstance(step, int | float) else int(is_whole)
    low = bottom - step if isinstance(bottom, int | float) else -math.inf
    numbers = [_position(value) for value, is_there in zip(hierarchy.values, known, strict=True) if is_there]
    places[known] = _steps(np.clip(numbers, low, top if isinstance(top, int | float) else math.inf))
    return places


def block_widths(
    hierarchy: Hierarchy, places: LongArray, block: IntArray, *, shows_missing: bool
) -> tuple[LongArray, int]:
    """Return how far the values of each block lie apart, given places on a line, and how far all do."""
    known = places != NOWHERE
    known[hierarchy.size - hierarchy.has_missing :] = False
    far = np.iinfo(np.int64).max
    whole = max(int(places[known].max(initial=0) - places[known].min(initial=far)), 1)
    low, high = np.full(int(block.max()) + 1, far), np.full(int(block.max()) + 1, -1)
    np.minimum.at(low, block[known], places[known])
    np.maximum.at(high, block[known], places[known])
    apart = np.where(high >= 0, high - low, 0)
    if shows_missing and high[block[-1]] >= 0:
        apart[block[-1]] = whole  # missing is no place on a line
    return apart, whole


def _position(value: Value) -> float:
    """Return a number as it is, a date as its day, an instant as its second."""
    if isinstance(value, dt.datetime):
        return (value.replace(tzinfo=None) - dt.datetime(1970, 1, 1)).total_seconds()
    return float(value.toordinal() if isinstance(value, dt.date) else value)  # type: ignore[arg-type]


def _steps(numbers: FloatArray) -> LongArray:
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
