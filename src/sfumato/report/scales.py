"""From numbers to places in a drawing, with round ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.front.words import number_words
from sfumato.report.axes import Axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.report.svg import Drawing


@dataclass(frozen=True)
class Scale:
    """Where numbers lie between two places."""

    # the smallest and the largest number
    low: float
    high: float
    # where these two lie
    start: float
    end: float
    is_log: bool = False  # whether equal factors lie equally far apart; then `low` is above 0
    is_whole: bool = False  # whether ticks are whole numbers

    @classmethod
    def over(cls, values: Sequence[float], start: float, end: float) -> Scale:
        """Make the scale of finite numbers, logarithmic where they span two orders of magnitude."""
        axis = Axis("", None, np.array(values, dtype=np.float64))
        is_whole = all(float(value).is_integer() for value in values)
        return cls(axis.low, axis.high, start, end, axis.is_log, is_whole)

    def place(self, value: float) -> float:
        """Return where a number lies; the middle if the scale knows one number alone."""
        low, high, at = (math.log(x) if self.is_log else x for x in (self.low, self.high, value))
        share = (at - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    @cached_property
    def ticks(self) -> dict[float, str]:
        """Round numbers with their texts, blank where these would touch."""
        if not self.is_log:
            # An axis of whole numbers has whole ticks, and what lies between makes it another one.
            values = [
                self.low,
                self.high,
                *(() if self.is_whole else (self.low + (self.high - self.low) / 3.7,)),
            ]
            return {tick: number_words(tick) for tick in Axis("", None, np.array(values)).ticks(6)}
        ticks = _round_numbers(self.low, self.high)
        shown: list[float] = []
        for tick in sorted(ticks, key=lambda tick: (not math.log10(tick).is_integer(), tick)):
            room = 8.0 * (len(number_words(tick)) + 1)
            if all(abs(self.place(tick) - self.place(other)) >= room for other in shown):
                shown.append(tick)
        return {tick: number_words(tick) if tick in shown else "" for tick in ticks}


def _round_numbers(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times powers of ten within bounds; the lower bound where there is none."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**power for power in powers for step in (1, 2, 5)]
    return [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)] or [low]


def percent_ticks(low: float = 0.0, high: float = 100.0) -> dict[float, str]:
    """Return ticks of a scale of percent.

    Examples
    --------
    >>> percent_ticks(0.0, 100.0)
    {0.0: '0 %', 25.0: '25 %', 50.0: '50 %', 75.0: '75 %', 100.0: '100 %'}
    """
    step = (high - low) / 4
    return {low + step * place: f"{low + step * place:g} %" for place in range(5)}


def draw_across(drawing: Drawing, scale: Scale, top: float, bottom: float, ticks: dict[float, str]) -> None:
    """Draw upright lines of a grid with their numbers below."""
    for tick, text in ticks.items():
        x = scale.place(tick)
        drawing.line((x, top), (x, bottom), "grid")
        if text:
            drawing.text((x, bottom + 18), text, "tick", anchor="middle")


def draw_upwards(drawing: Drawing, scale: Scale, left: float, right: float, ticks: dict[float, str]) -> None:
    """Draw level lines of a grid with their numbers to the left."""
    for tick, text in ticks.items():
        y = scale.place(tick)
        drawing.line((left, y), (right, y), "grid")
        if text:
            drawing.text((left - 8, y + 4.5), text, "tick", anchor="end")
