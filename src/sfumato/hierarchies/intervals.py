"""Hierarchies of numbers: granules and intervals, on a grid of exact decimals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.errors import HierarchyError
from sfumato.hierarchies.builders import Definition, Level, assemble
from sfumato.hierarchies.hierarchy_files import starts_of
from sfumato.hierarchies.kinds import sorted_numbers, text_of
from sfumato.spec.choices import exact, is_multiple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray, LongArray
    from sfumato.hierarchies.hierarchy import Hierarchy, Value

Number: TypeAlias = int | float

MOST_INTEGERS = 5_000_000  # the longest range of integers that becomes a domain
_INTEGER_LIMIT = 2**62
# Below this bound the first guess of an interval is wrong by at most one.
_FLOAT_LIMIT = 2**50


@dataclass(frozen=True)
class Grid:
    """The intervals ``[origin + i·width, origin + (i + 1)·width)`` for all integers i."""

    # Origin and width are the decimals that their texts show, held as integers over a common scale. So with a
    # width of 0.1 the number 0.3 begins an interval, although in binary 0.3 / 0.1 is less than 3.
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
            raise HierarchyError("the numbers are too large for intervals this fine. Use larger ones.")
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

    def plain_start(self, index: LongArray) -> LongArray | FloatArray:
        """Return where the intervals begin, as integers where the grid is whole."""
        return self.scaled_start(index) if self.scale == 1 else self.start(index)


def common_scale(numbers: Sequence[Number]) -> int:
    """Return the smallest power of ten that makes integers of all the decimals."""
    scale = 1
    while any((exact(number) * scale).denominator > 1 for number in numbers):
        scale *= 10
    return scale


def granule_starts(numbers: Sequence[Number], granularity: Number) -> list[Number]:
    """Return for each number where its granule begins; granules are counted from 0."""
    grid = Grid.of(0, granularity)
    return [*grid.plain_start(grid.index(number_array(numbers))).tolist()]


def number_array(numbers: Sequence[Number]) -> LongArray | FloatArray:
    """Return numbers as 64-bit integers if all of them are that, else as floats."""
    if all(isinstance(number, int) and abs(number) < 2**63 for number in numbers):
        return np.array(numbers, dtype=np.int64)
    return np.array(numbers, dtype=np.float64)


def build_intervals(
    attribute: str, values: Sequence[Value], rule: Definition, *, has_missing: bool
) -> Hierarchy:
    """Make the hierarchy of a number attribute."""
    step = rule.granularity
    for key, number in _numbers(rule):
        if step is not None and not is_multiple(number, step):
            message = f"With granularity = {step}, {key} must be a multiple of it; got {number}."
            raise HierarchyError(message, where=attribute)
    numbers = sorted_numbers(values, where=attribute)
    whole = all(isinstance(number, int) for number in numbers[:1])  # all of them are of one type
    integer = rule.integer
    if integer is None:
        integer = whole and common_scale([number for _, number in _numbers(rule)]) == 1
    try:
        x = _domain(numbers, rule, whole=whole)
        between = [_interval_level(x, rule, width, integer) for width in rule.intervals or ()]
        grid = None if rule.granularity is None else Grid.of(0, rule.granularity)
        leaves = None if grid is None else _interval_labels(grid, grid.index(x), integer)
    except HierarchyError as error:
        raise HierarchyError(error.message, where=attribute) from None
    recorded: dict[str, object] = {"granularity": rule.granularity}
    if rule.intervals:
        recorded = {**dict(_numbers(rule)), "intervals": [*rule.intervals]}
    recorded["integer"] = integer
    domain = x.tolist()
    return assemble(
        attribute, "number", domain, between, recorded, has_missing=has_missing, leaf_labels=leaves
    )


def _numbers(rule: Definition) -> list[tuple[str, Number]]:
    """Return all numbers of a rule with their keys."""
    bounds = [("origin", rule.origin or 0), ("bottom", rule.bottom), ("top", rule.top)]
    found = [("intervals", width) for width in rule.intervals or ()]
    found += [(key, number) for key, number in bounds if number is not None]
    return found if rule.granularity is None else [*found, ("granularity", rule.granularity)]


def _domain(numbers: list[int] | list[float], rule: Definition, *, whole: bool) -> LongArray | FloatArray:
    """Return the sorted values of the domain, or the starts of its granules."""
    grid = Grid.of(0, 1 if rule.granularity is None else rule.granularity)
    x = number_array(numbers)
    # The first and the last step, integer or granule, that bottom and top declare.
    declared = None
    if (whole or rule.granularity is not None) and rule.bottom is not None and rule.top is not None:
        first, last = _bounds(rule, grid)
        declared = (first, last) if 0 <= last - first < MOST_INTEGERS - 1 else None
    if rule.intervals and len(x) and (whole or declared):
        index = grid.index(x)
        low, high = _bounds(rule, grid)
        first, last = declared or (max(low, int(index[0])), min(high, int(index[-1])))
        if last - first < MOST_INTEGERS:
            # Beyond bottom and top there is only what occurs: one odd number must not stretch the domain.
            return grid.plain_start(np.union1d(np.arange(first, last + 1, dtype=np.int64), index))
        # Only recipes say whether labels are for integers, and new data may be further apart than the old.
        if rule.integer is None:
            raise HierarchyError(
                f"the integers span a range of more than {MOST_INTEGERS:,} values, all of which would belong "
                "to the domain of the intervals. Set granularity (or a larger one) to group them first."
            )
    return x if rule.granularity is None else grid.plain_start(np.unique(grid.index(x)))


def _bounds(rule: Definition, grid: Grid) -> tuple[int, int]:
    """Return the first step from bottom on, and the last one before top; far away where there is no end."""
    steps = []
    for bound in (rule.bottom, rule.top):
        number = math.ceil(bound) if bound is not None and rule.granularity is None else bound
        steps.append(None if number is None else int(grid.index(number_array([number]))[0]))
    low, end = steps
    return -_INTEGER_LIMIT if low is None else low, _INTEGER_LIMIT if end is None else end - 1


def _interval_level(x: LongArray | FloatArray, rule: Definition, width: Number, integer: bool) -> Level:
    """Group sorted numbers into intervals of one width, cut at bottom and top."""
    if not len(x):
        return Level(np.zeros(0, dtype=np.int64), ())
    grid = Grid.of(rule.origin or 0, width)
    index = grid.index(x)
    zone = np.ones(len(x), dtype=np.int8)  # 0 below bottom, 1 between, 2 from top on
    below, above = "", ""
    if rule.bottom is not None:
        zone[x < rule.bottom] = 0
        below = f"<{text_of(rule.bottom)}"
    if rule.top is not None:
        zone[x >= rule.top] = 2
        above = f"{text_of(rule.top)}+"
    moves = zone[1:] != zone[:-1]
    starts = starts_of(moves | ((zone[1:] == 1) & (index[1:] != index[:-1])))
    between = _interval_labels(grid, index[starts], integer, rule.bottom, rule.top)
    zones = zone[starts].tolist()
    return Level(starts, [(below, text, above)[at] for at, text in zip(zones, between, strict=True)])


def _interval_labels(
    grid: Grid, index: LongArray, integer: bool, bottom: Number | None = None, top: Number | None = None
) -> list[str]:
    """Write the intervals with these numbers, cut at bottom and top."""
    start = grid.scaled_start if integer else grid.start
    low, high = start(index).tolist(), start(index + 1).tolist()
    number = int if integer else float
    if bottom is not None:
        low = [max(first, number(bottom)) for first in low]
    if top is not None:
        high = [min(end, number(top)) for end in high]
    pairs = zip(low, high, strict=True)
    if not integer:
        return [f"[{first!r}, {end!r})" for first, end in pairs]
    return [f"{first}-{end - 1}" if end - first > 1 else str(first) for first, end in pairs]
