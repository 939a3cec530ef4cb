"""Hierarchies of numbers: granules and intervals."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import HierarchyError
from sfumato.hierarchies.builders import Level, assemble, starts_of
from sfumato.hierarchies.encode import Grid, Number, common_scale, is_multiple, number_array
from sfumato.hierarchies.kinds import sorted_numbers, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray, LongArray
    from sfumato.hierarchies.hierarchy import Hierarchy, Value

MOST_INTEGERS = 5_000_000
"""The longest range of integers that becomes a domain."""


@dataclass(frozen=True)
class IntervalRule:
    """How numbers are grouped, whatever the numbers are."""

    # the width of the intervals at each level from 1 up, each a multiple of the one before; none: the root
    # follows level 0
    widths: tuple[Number, ...] = ()
    origin: Number = 0  # where intervals are counted from
    # values below bottom, and values from top on, are one block each at every level from 1 up to below the
    # root; intervals that cross them are cut there
    bottom: Number | None = None
    top: Number | None = None
    # the width of the intervals, counted from 0, that replace the values at level 0
    granularity: Number | None = None
    # whether labels are written for integers, `35-39`; None: if all data and all numbers of the rule are
    # whole
    integer: bool | None = None

    @property
    def numbers(self) -> tuple[Number, ...]:
        """All numbers of the rule."""
        bounds = (self.bottom, self.top, self.granularity)
        return (*self.widths, self.origin, *(number for number in bounds if number is not None))

    def declared_range(self, *, whole: bool) -> tuple[int, int] | None:
        """Return the first and the last step of the domain that bottom and top declare, if they do.

        Steps are integers, or granules. Numbers with fractions and without a granularity have no steps.
        """
        if self.bottom is None or self.top is None or not (whole or self.granularity is not None):
            return None
        grid = Grid.of(0, 1 if self.granularity is None else self.granularity)
        bounds = (
            [math.ceil(self.bottom), math.ceil(self.top)]
            if self.granularity is None
            else [self.bottom, self.top]
        )
        first, end = grid.index(number_array(bounds)).tolist()
        return (first, end - 1) if 0 < end - first < MOST_INTEGERS else None

    def definition(self, integer: bool) -> dict[str, object]:
        """Return the rule as recipes hold it."""
        found: dict[str, object] = {}
        if self.widths:
            found |= {"intervals": list(self.widths), "origin": self.origin}
        found |= {"bottom": self.bottom, "top": self.top, "granularity": self.granularity}
        return {key: entry for key, entry in found.items() if entry is not None} | {"integer": integer}


def build_intervals(
    attribute: str,
    values: Sequence[Value],
    rule: IntervalRule,
    *,
    has_missing: bool,
    sparse: bool = False,
) -> Hierarchy:
    """Make the hierarchy of a number attribute."""
    _check_rule(attribute, rule)
    numbers = sorted_numbers(values, where=attribute)
    whole = all(isinstance(number, int) for number in numbers[:1])  # all of them are of one type
    integer = whole and common_scale(rule.numbers) == 1 if rule.integer is None else rule.integer
    try:
        x = _domain(numbers, rule, whole=whole, sparse=sparse)
        between = [_interval_level(x, rule, width, integer) for width in rule.widths]
        leaves = None if rule.granularity is None else _granule_labels(x, rule.granularity, integer)
    except HierarchyError as error:
        raise HierarchyError(error.message, where=attribute) from None
    return assemble(
        attribute,
        "number",
        x.tolist(),
        between,
        has_missing=has_missing,
        definition=rule.definition(integer),
        leaf_labels=leaves,
    )


def _check_rule(attribute: str, rule: IntervalRule) -> None:
    """Raise HierarchyError where the numbers of the rule do not fit each other."""
    if not all(math.isfinite(number) for number in rule.numbers):
        raise HierarchyError("The numbers of a hierarchy must be finite.", where=attribute)
    for width in rule.widths:
        if width <= 0:
            raise HierarchyError(f"intervals must be positive numbers; got {width}.", where=attribute)
    for fine, coarse in itertools.pairwise(rule.widths):
        if not is_multiple(coarse, fine):
            raise HierarchyError(
                f"Each width of intervals must be a multiple of the one before; "
                f"{coarse} is no multiple of {fine}.",
                where=attribute,
            )
    if rule.bottom is not None and rule.top is not None and rule.bottom >= rule.top:
        raise HierarchyError(
            f"bottom must be less than top; got bottom = {rule.bottom} and top = {rule.top}.", where=attribute
        )
    if rule.granularity is not None:
        _check_granularity(attribute, rule, rule.granularity)


def _check_granularity(attribute: str, rule: IntervalRule, granularity: Number) -> None:
    """Raise HierarchyError where a granule would lie in two intervals."""
    if granularity <= 0:
        raise HierarchyError(f"granularity must be a positive number; got {granularity}.", where=attribute)
    parts = [("intervals", width) for width in rule.widths]
    parts += [("origin", rule.origin)]
    parts += [
        (name, number) for name, number in (("bottom", rule.bottom), ("top", rule.top)) if number is not None
    ]
    for name, number in parts:
        if not is_multiple(number, granularity):
            raise HierarchyError(
                f"With granularity = {granularity}, {name} must be a multiple of it; got {number}.",
                where=attribute,
            )


def _domain(
    numbers: list[int] | list[float], rule: IntervalRule, *, whole: bool, sparse: bool
) -> LongArray | FloatArray:
    """Return the sorted values of the domain, or the starts of its granules."""
    grid = Grid.of(0, 1 if rule.granularity is None else rule.granularity)
    x = number_array(numbers)
    declared = rule.declared_range(whole=whole)
    if rule.widths and len(x) and (whole or declared):
        first, last = grid.index(x[[0, -1]]).tolist()
        if declared:
            first, last = min(first, declared[0]), max(last, declared[1])
        if last - first < MOST_INTEGERS:
            return _starts(grid, np.arange(first, last + 1, dtype=np.int64))
        if not sparse:
            raise HierarchyError(
                f"The integers span a range of more than {MOST_INTEGERS:,} values, which intervals would all "
                "make part of the domain. Set granularity (or a larger one) to group them first."
            )
    return x if rule.granularity is None else _starts(grid, np.unique(grid.index(x)))


def _starts(grid: Grid, index: LongArray) -> LongArray | FloatArray:
    """Return where intervals begin, as integers where the grid is whole."""
    return grid.scaled_start(index) if grid.scale == 1 else grid.start(index)


def _interval_level(x: LongArray | FloatArray, rule: IntervalRule, width: Number, integer: bool) -> Level:
    """Group sorted numbers into intervals of one width, cut at bottom and top."""
    if not len(x):
        return Level(np.zeros(0, dtype=np.int64), ())
    grid = Grid.of(rule.origin, width)
    index = grid.index(x)
    zone = np.ones(len(x), dtype=np.int8)  # 0 below bottom, 1 between, 2 from top on
    if rule.bottom is not None:
        zone[x < rule.bottom] = 0
    if rule.top is not None:
        zone[x >= rule.top] = 2
    moves = zone[1:] != zone[:-1]
    starts = starts_of(moves | ((zone[1:] == 1) & (index[1:] != index[:-1])))
    ends = _interval_labels(grid, index[starts], integer, rule)
    below, above = f"<{_bound(rule.bottom)}", f"{_bound(rule.top)}+"
    zones = zone[starts].tolist()
    return Level(starts, [(below, text, above)[at] for at, text in zip(zones, ends, strict=True)])


def _interval_labels(grid: Grid, index: LongArray, integer: bool, rule: IntervalRule) -> list[str]:
    """Write the intervals with these numbers, cut at the bottom and the top of the rule."""
    start = grid.scaled_start if integer else grid.start
    low, high = start(index).tolist(), start(index + 1).tolist()
    number = int if integer else float
    if rule.bottom is not None:
        low = [max(first, number(rule.bottom)) for first in low]
    if rule.top is not None:
        high = [min(end, number(rule.top)) for end in high]
    pairs = zip(low, high, strict=True)
    if not integer:
        return [f"[{first!r}, {end!r})" for first, end in pairs]
    return [f"{first}-{end - 1}" if end - first > 1 else str(first) for first, end in pairs]


def _granule_labels(x: LongArray | FloatArray, granularity: Number, integer: bool) -> list[str]:
    """Write the granules that begin at these numbers."""
    grid = Grid.of(0, granularity)
    return _interval_labels(grid, grid.index(x), integer, IntervalRule())


def _bound(number: Number | None) -> str:
    """Return a bound as labels show it; no label shows one that is not there."""
    return "" if number is None else text_of(number)
