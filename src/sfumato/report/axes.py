"""Which objectives are drawn where, on what scale, with which ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError
from sfumato.front.front import Objective
from sfumato.front.picks import WIDE
from sfumato.front.questions import RISKS
from sfumato.report.words import measure_words
from sfumato.words import number_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray
    from sfumato.front.front import Front
    from sfumato.report.pieces import Drawing

STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, eq=False)
class Axis:
    """One measure of all solutions, ready to be drawn."""

    name: str  # the measure
    maximize: bool | None  # whether larger is better; None where nobody said so
    values: FloatArray  # one for each solution; what is not finite is not drawn

    @property
    def words(self) -> str:
        """The measure in words."""
        return measure_words(self.name)

    @property
    def direction(self) -> str:
        """Where better is; the arrows also hold for text that runs upwards."""
        if self.maximize is None:
            return ""
        return "larger is better →" if self.maximize else "← smaller is better"

    @property
    def low(self) -> float:
        """Smallest finite value; 0 where there is none."""
        return float(self._finite.min()) if len(self._finite) else 0.0

    @property
    def high(self) -> float:
        """Largest finite value; 0 where there is none."""
        return float(self._finite.max()) if len(self._finite) else 0.0

    @cached_property
    def _finite(self) -> FloatArray:
        return np.asarray(self.values[np.isfinite(self.values)])

    @property
    def is_log(self) -> bool:
        """Whether the values are positive and span more than two orders of magnitude."""
        return self.low > 0 and self.high > WIDE * self.low

    @cached_property
    def shares(self) -> FloatArray:
        """Where each value lies between the smallest (0) and the largest (1); 0.5 if all are equal.

        nan where it is not finite.
        """
        shares = np.full(len(self.values), np.nan)
        finite = np.isfinite(self.values)
        shares[finite] = self.share(self.values[finite])
        return shares

    def share(self, values: FloatArray) -> FloatArray:
        """Return where other values lie between the smallest and the largest of this axis."""
        low, span = self.scaled(np.array([self.low]))[0], np.ptp(self.scaled(np.array([self.low, self.high])))
        return np.asarray((self.scaled(values) - low) / span) if span > 0 else np.full(len(values), 0.5)

    def scaled(self, values: FloatArray) -> FloatArray:
        """Return values as they are drawn: decimal logarithms on a logarithmic axis."""
        return np.log10(values) if self.is_log else values

    def ticks(self, count: int) -> list[float]:
        """Return about ``count`` round values between the smallest and the largest; at least one.

        Where all values are whole numbers, so are the ticks.
        """
        if self.low == self.high or count < 1:
            return [self.low]
        make = _log_ticks if self.is_log else _linear_ticks
        ticks = make(self.low, self.high, count)
        if np.all(self._finite == np.rint(self._finite)):
            ticks = [tick for tick in ticks if tick.is_integer()]
        return ticks or [self.low]

    def tick_labels(self, count: int, room: float) -> dict[float, str]:
        """Return ticks with their numbers, blank where these would touch side by side."""
        labels = {tick: number_words(tick) for tick in self.ticks(count)}
        places = dict(zip(labels, (self.share(np.array(list(labels))) * room).tolist(), strict=True))
        shown: list[float] = []
        for tick in sorted(labels, key=lambda tick: (self.is_log and not _is_power_of_ten(tick), tick)):
            # Half of either number and a blank.
            needs = ((len(labels[tick]) + len(labels[other])) / 2 + 1 for other in shown)
            away = (abs(places[tick] - places[other]) for other in shown)
            if all(far >= need for far, need in zip(away, needs, strict=True)):
                shown.append(tick)
        return {tick: text if tick in shown else "" for tick, text in labels.items()}


def _linear_ticks(low: float, high: float, count: int) -> list[float]:
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(s * power for s in STEPS if s * power >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    rounded = dict.fromkeys(float(f"{i * step:.12g}") for i in range(first, last + 1))
    # Rounding leaves the range where the values differ by less than it.
    return [tick for tick in rounded if low <= tick <= high]


def _log_ticks(low: float, high: float, count: int) -> list[float]:
    """Return 1, 2, 5 of each decade if that is not too many, else every n-th power of ten."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    fine = [float(f"{s}e{p}") for p in range(first, last + 1) for s in (1, 2, 5)]
    fine = [tick for tick in fine if low <= tick <= high]
    if len(fine) <= count:
        return fine
    tens = [float(f"1e{p}") for p in range(first, last + 1) if low <= float(f"1e{p}") <= high]
    return tens[:: math.ceil(len(tens) / count)]


def _is_power_of_ten(value: float) -> bool:
    return f"{value:e}".startswith("1.000000e")


def make_axis(front: Front, objective: Objective) -> Axis:
    """Return the axis of one objective."""
    values = np.array([item.value(objective.name) for item in front], dtype=np.float64)
    return Axis(objective.name, objective.maximize, values)


def plane_axes(front: Front) -> tuple[Axis, Axis]:
    """Return what is drawn to the right and what upwards.

    The first objective to maximize against the first to minimize, one of usefulness if there is
    one; where there is no such pair the first two objectives; where there is one objective, the
    suppressed rows beside it.
    """
    if not len(front) or not front.objectives:
        raise ParameterError("a front without solutions or objectives has no axes; draw one that has both.")
    up = [item for item in front.objectives if item.maximize]
    down = [item for item in front.objectives if not item.maximize]
    if up and down:
        useful = [item for item in down if item.name.partition("(")[0] not in RISKS]
        pair = (up[0], (useful or down)[0])
    elif len(front.objectives) > 1:
        pair = (front.objectives[0], front.objectives[1])
    else:
        return make_axis(front, front.objectives[0]), _beside(front)
    return make_axis(front, pair[0]), make_axis(front, pair[1])


def _beside(front: Front) -> Axis:
    """Return the axis that stands beside an only objective."""
    only = front.objectives[0].name
    if only != "suppressed":
        return make_axis(front, Objective("suppressed", maximize=False))
    other = next((name for name in front.measure_names if name != only), only)
    return Axis(other, None, np.array([item.value(other) for item in front], dtype=np.float64))


def other_axes(front: Front) -> list[Axis]:
    """Return the axes of the objectives that are not in the plane, in their order."""
    drawn = {axis.name for axis in plane_axes(front)}
    return [make_axis(front, item) for item in front.objectives if item.name not in drawn]


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
