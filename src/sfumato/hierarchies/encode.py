"""From values to the codes of a domain."""

from __future__ import annotations

import bisect
import datetime as dt
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.errors import HierarchyError
from sfumato.hierarchies.kinds import as_time, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.hierarchies.hierarchy import Hierarchy, Value

    Key: TypeAlias = str | int | float | dt.datetime | None

Number: TypeAlias = int | float

_INTEGER_LIMIT = 2**62
# Below this bound the first guess of an interval is wrong by at most one.
_FLOAT_LIMIT = 2**50


@dataclass(frozen=True)
class Grid:
    """The intervals ``[origin + i·width, origin + (i + 1)·width)`` for all integers i.

    Origin and width are the decimals that their texts show, held as integers
    over a common scale. So with a width of 0.1 the number 0.3 begins an interval,
    although in binary 0.3 / 0.1 is less than 3.
    """

    # multiplied by `scale`, integers
    origin: int
    width: int
    scale: int  # a power of ten

    @classmethod
    def of(cls, origin: Number, width: Number) -> Grid:
        """Make a grid from the numbers of a specification."""
        scale = common_scale((origin, width))
        return cls(int(exact(origin) * scale), int(exact(width) * scale), scale)

    def index(self, x: LongArray | FloatArray) -> LongArray:
        """Return the number i of the interval that holds each x."""
        if not len(x):
            return np.zeros(0, dtype=np.int64)
        whole = self.scale == 1 and x.dtype.kind == "i"
        extreme = max(abs(x.min().item()), abs(x.max().item())) * self.scale + abs(self.origin) + self.width
        if extreme > (_INTEGER_LIMIT if whole else _FLOAT_LIMIT):
            raise HierarchyError("The numbers are too large for intervals this fine. Use larger ones.")
        if whole:
            return np.asarray((x.astype(np.int64) - self.origin) // self.width)
        guess = np.floor((x - self.origin / self.scale) / (self.width / self.scale)).astype(np.int64)
        guess -= x < self.start(guess)
        guess += x >= self.start(guess + 1)
        return guess

    def start(self, index: LongArray) -> FloatArray:
        """Return the floats nearest to where the intervals begin."""
        return np.asarray(self.scaled_start(index) / self.scale, dtype=np.float64)

    def scaled_start(self, index: LongArray) -> LongArray:
        """Return where the intervals begin, multiplied by the scale: exact."""
        return self.origin + index * self.width


def exact(number: Number) -> Fraction:
    """Return the decimal that the text of a number shows.

    Examples
    --------
    >>> exact(0.1)
    Fraction(1, 10)
    """
    return Fraction(repr(number))


def common_scale(numbers: Iterable[Number]) -> int:
    """Return the smallest power of ten that makes integers of all the decimals.

    Examples
    --------
    >>> common_scale([5, 0.25])
    100
    """
    scale = 1
    while any((exact(number) * scale).denominator > 1 for number in numbers):
        scale *= 10
    return scale


def is_multiple(number: Number, of: Number) -> bool:
    """Tell whether a decimal is a whole multiple of another one.

    Examples
    --------
    >>> is_multiple(0.3, 0.1), is_multiple(12, 5)
    (True, False)
    """
    return (exact(number) / exact(of)).denominator == 1


def granule_starts(numbers: Sequence[Number], granularity: Number) -> list[Number]:
    """Return for each number where its granule begins; granules are counted from 0.

    Examples
    --------
    >>> granule_starts([171, 174.5, 175], 5), granule_starts([171, 175], 2.5)
    ([170, 170, 175], [170.0, 175.0])
    """
    grid = Grid.of(0, granularity)
    index = grid.index(number_array(numbers))
    return [*(grid.scaled_start(index) if grid.scale == 1 else grid.start(index)).tolist()]


def number_array(numbers: Sequence[Number]) -> LongArray | FloatArray:
    """Return numbers as 64-bit integers if all of them are that, else as floats."""
    if all(isinstance(number, int) and abs(number) < 2**63 for number in numbers):
        return np.array(numbers, dtype=np.int64)
    return np.array(numbers, dtype=np.float64)


UNKNOWN = -1
"""The code of a value that is not in the domain."""


def encode(hierarchy: Hierarchy, values: Sequence[Value], *, reach: bool = False) -> IntArray:
    """Return the code of each value.

    Examples
    --------
    >>> from sfumato.hierarchies.builders import build_plain
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
