"""Which objectives are drawn where, on what scale, with which ticks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sfumato._typing import FloatArray
from sfumato.errors import ParameterError
from sfumato.front import FAR, non_dominated
from sfumato.front.picks import WIDE
from sfumato.front.plain import Objective, PlainFront
from sfumato.front.questions import RISKS
from sfumato.report.phrases import measure_words
from sfumato.words import number_words

STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, eq=False)
class Axis:
    """One measure of all solutions, ready to be drawn."""

    name: str  # the measure
    maximize: bool | None  # whether larger is better; None if not stated
    values: FloatArray  # one for each solution; what is not finite is not drawn

    @property
    def words(self) -> str:
        """The measure in words."""
        return measure_words(self.name)

    @property
    def better(self) -> str:
        """Which values are better, in words; blank if not stated."""
        return {True: "larger is better", False: "smaller is better", None: ""}[self.maximize]

    @property
    def direction(self) -> str:
        """Where better is; the arrows also hold for text that runs upwards."""
        return {True: f"{self.better} →", False: f"← {self.better}", None: ""}[self.maximize]

    @property
    def span(self) -> str:
        """The measure with its smallest and its largest value, in words."""
        return f"{self.words} from {number_words(self.low)} to {number_words(self.high)}"

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

    @property
    def is_whole(self) -> bool:
        """Whether all finite values are whole numbers."""
        return bool(np.all(self._finite == np.rint(self._finite)))

    @cached_property
    def shares(self) -> FloatArray:
        """Where each value lies between the smallest (0) and the largest (1); 0.5 if all are equal."""
        # nan where it is not finite.
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

    def take(self, places: Sequence[int]) -> Axis:
        """Return the axis of some solutions, given by their places."""
        return replace(self, values=self.values[list(places)])

    def ticks(self, count: int) -> list[float]:
        """Return about ``count`` round values between the smallest and the largest; at least one."""
        # Where all values are whole numbers, so are the ticks.
        if self.low == self.high or count < 1:
            return [self.low]
        low, high = self.low, self.high
        if self.is_log:
            # 1, 2, 5 of each decade if that is not too many, else every n-th power of ten.
            ticks, tens = one_two_five(low, high), one_two_five(low, high, (1,))
            ticks = ticks if len(ticks) <= count else tens[:: math.ceil(len(tens) / count)]
        else:
            raw = (high - low) / count
            power = 10.0 ** math.floor(math.log10(raw))
            step = next(s * power for s in STEPS if s * power >= raw * (1 - 1e-9))
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            rounded = dict.fromkeys(float(f"{i * step:.12g}") for i in range(first, last + 1))
            # Rounding leaves the range where the values differ by less than it.
            ticks = [tick for tick in rounded if low <= tick <= high]
        if self.is_whole:
            ticks = [tick for tick in ticks if tick.is_integer()]
        return ticks or [self.low]

    def tick_labels(self, count: int, room: float) -> dict[float, str]:
        """Return ticks with their numbers, blank where these would touch side by side."""
        labels = {tick: number_words(tick) for tick in self.ticks(count)}
        places = dict(zip(labels, (self.share(np.array(list(labels))) * room).tolist(), strict=True))
        # Half of either number and a blank.
        return without_touching(
            labels, places, lambda text, other: (len(text) + len(other)) / 2 + 1, is_log=self.is_log
        )


def without_touching(
    labels: dict[float, str], places: dict[float, float], room: Callable[[str, str], float], *, is_log: bool
) -> dict[float, str]:
    """Blank the labels of ticks that lie nearer to a shown one than the room that two labels need."""
    # Powers of ten come first on a logarithmic axis.
    shown: list[float] = []
    for tick in sorted(labels, key=lambda tick: (is_log and not f"{tick:e}".startswith("1.000000e"), tick)):
        if all(abs(places[tick] - places[other]) >= room(labels[tick], labels[other]) for other in shown):
            shown.append(tick)
    return {tick: text if tick in shown else "" for tick, text in labels.items()}


def one_two_five(low: float, high: float, steps: Sequence[int] = (1, 2, 5)) -> list[float]:
    """Return 1, 2 and 5 times powers of ten within bounds above 0."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [float(f"{step}e{power}") for power in powers for step in steps]
    return [tick for tick in ticks if low <= tick <= high]


def make_axis(front: PlainFront, objective: Objective) -> Axis:
    """Return the axis of one objective."""
    values = np.array([item.value(objective.name) for item in front], dtype=np.float64)
    return Axis(objective.name, objective.maximize, values)


def plane_axes(front: PlainFront) -> tuple[Axis, Axis]:
    """Return what is drawn to the right and what upwards."""
    # The first objective to maximize against the first to minimize, one of usefulness if there is one; where
    # there is no such pair the first two objectives; where there is one objective, the suppressed rows beside
    # it.
    if not len(front) or not front.objectives:
        raise ParameterError(
            "a front without solutions or objectives cannot be drawn; use one that has both."
        )
    up = [item for item in front.objectives if item.maximize]
    down = [item for item in front.objectives if not item.maximize]
    if up and down:
        useful = [item for item in down if item.name.partition("(")[0] not in RISKS]
        return make_axis(front, up[0]), make_axis(front, (useful or down)[0])
    first, *others = front.objectives
    if others or first.name != "suppressed":
        beside = others[0] if others else Objective("suppressed", maximize=False)
        return make_axis(front, first), make_axis(front, beside)
    other = next((name for name in front.measure_names if name != "suppressed"), "suppressed")
    return make_axis(front, first), replace(make_axis(front, Objective(other, maximize=False)), maximize=None)


@dataclass(frozen=True, eq=False)
class BesideLine:
    """The border of another front in the plane of a front, over the stretch that the front itself covers."""

    # from where x is best on; between two places the y of the first one holds
    x: FloatArray
    y: FloatArray
    numbers: tuple[int | None, ...]  # of the other front's solutions; None at ends that are none


def beside_line(front: PlainFront) -> BesideLine | None:
    """Return what the front beside a front reaches where the front itself is; None without one."""
    if front.beside is None or not len(front.beside):
        return None
    axes = plane_axes(front)
    signs = [-1.0 if axis.maximize else 1.0 for axis in axes]
    own = signs[0] * axes[0].values
    pairs = list(zip(signs, axes, strict=True))
    costs = np.array([[sign * item.value(axis.name) for sign, axis in pairs] for item in front.beside])
    border = non_dominated(costs)
    border = border[np.argsort(costs[border, 0], kind="stable")]
    reached = border[costs[border, 0] <= own.max()]
    places: list[tuple[float, float, int | None]] = []
    for place in reached.tolist():
        x, y = costs[place].tolist()
        is_before = x < own.min()
        places = [(float(own.min()), y, None)] if is_before else [*places, (x, y, front.beside[place].number)]
    if not places:
        return None
    places.append((float(own.max()), places[-1][1], None))
    xs, ys, numbers = zip(*places, strict=True)
    return BesideLine(signs[0] * np.array(xs), signs[1] * np.array(ys), numbers)


def proven_bounds(front: PlainFront) -> FloatArray:
    """Return for each solution the bound on what runs upwards; nan where it has none."""
    _, y = plane_axes(front)
    wanted = next((item.name for item in front.objectives if item.name in ("loss", "dm")), None)
    gaps = np.array([np.nan if item.gap is None else max(item.gap, 0.0) for item in front])
    return np.where(gaps <= FAR, y.values / (1.0 + gaps), np.nan) if y.name == wanted else gaps * np.nan


def plane_scale(front: PlainFront) -> tuple[Axis, Axis]:
    """Return the axes of the plane over everything that is drawn in it."""
    x, y = plane_axes(front)
    line, bounds = beside_line(front), proven_bounds(front)
    more = [] if line is None else [line.y]
    return x, replace(y, values=np.concatenate([y.values, *more, bounds]))


def other_axes(front: PlainFront) -> list[Axis]:
    """Return the axes of the objectives that are not in the plane, in their order."""
    drawn = {axis.name for axis in plane_axes(front)}
    return [make_axis(front, item) for item in front.objectives if item.name not in drawn]
