"""Drawings in SVG, and the charts that the report makes of them: dots, curves of steps, bars, a front.

Looks are classes that the page's style knows, so that one drawing serves day, night and paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from sfumato.report.axes import (
    Axis,
    beside_line,
    one_two_five,
    plane_axes,
    plane_scale,
    proven_bounds,
    without_touching,
)
from sfumato.words import PercentStyle, number_words, percent_words, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sfumato._typing import FloatArray
    from sfumato.front import PlainFront

Anchor: TypeAlias = Literal["start", "middle", "end"]
Place: TypeAlias = tuple[float, float]

LETTER = 7.8  # pixels that a letter takes, with some to spare


class Drawing:
    """A picture that grows by its parts; later ones lie above earlier ones."""

    def __init__(self, width: float, height: float) -> None:
        self.width = width
        self.height = height
        self._parts: list[str] = []

    def line(self, start: Place, end: Place, look: str) -> None:
        """Draw a straight line."""
        self._add("line", look, x1=start[0], y1=start[1], x2=end[0], y2=end[1])

    def circle(self, centre: Place, radius: float, look: str) -> None:
        """Draw a circle."""
        self._add("circle", look, cx=centre[0], cy=centre[1], r=radius)

    def bar(self, corner: Place, size: Place, look: str) -> None:
        """Draw a filled rectangle from its upper left corner."""
        self._add("rect", look, x=corner[0], y=corner[1], width=size[0], height=size[1])

    def path(self, points: Sequence[Place], look: str) -> None:
        """Draw a line through points; nothing where there is none."""
        if points:
            self._add("polyline", look, points=points)

    def diamond(self, centre: Place, radius: float, look: str) -> None:
        """Draw a square on its corner: told from a circle without any colour."""
        x, y = centre
        self._add(
            "polygon", look, points=[(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)]
        )

    def _add(self, tag: str, look: str, **shape: float | Sequence[Place]) -> None:
        self._parts.append(f'<{tag} class="{look}" {_attributes(shape)}/>')

    def text(self, place: Place, text: str, look: str, *, anchor: Anchor = "start", room: float = 0) -> None:
        """Write a line of text."""
        whole = printable(text)
        shown = shorten(whole, room) if room else whole
        more = f"<title>{escape(whole)}</title>" if shown != whole else ""
        side = "" if anchor == "start" else f' text-anchor="{anchor}"'
        at = _attributes({"x": place[0], "y": place[1]})
        self._parts.append(f'<text class="{look}" {at}{side}>{escape(shown)}{more}</text>')

    def render(self, identity: str, title: str, description: str) -> str:
        """Return the picture with its name and what it shows, for those who cannot see it."""
        names = f"{identity}-title {identity}-text"
        width, height, parts = _n(self.width), _n(self.height), "\n".join(self._parts)
        return (
            f'<svg role="img" aria-labelledby="{names}" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}">'
            f'<title id="{identity}-title">{escape(printable(title))}</title>'
            f'<desc id="{identity}-text">{escape(printable(description))}</desc>\n{parts}\n</svg>'
        )


def _attributes(values: dict[str, float | Sequence[Place]]) -> str:
    texts = {
        name: _n(value) if isinstance(value, int | float) else " ".join(f"{_n(x)},{_n(y)}" for x, y in value)
        for name, value in values.items()
    }
    return " ".join(f'{name}="{text}"' for name, text in texts.items())


def _n(value: float) -> str:
    """Return a coordinate with at most one digit after the point."""
    return f"{value:.1f}".removesuffix(".0")


def shorten(text: str, room: float) -> str:
    """Return as much of a text as fits, with dots in place of the rest."""
    most = max(2, int(room // LETTER))
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


@dataclass(frozen=True)
class Ruler:
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
    def over(cls, values: FloatArray, start: float, end: float) -> Ruler:
        """Make the ruler of the finite among numbers, logarithmic where they span two orders of magnitude."""
        axis = Axis("", None, values)
        return cls(axis.low, axis.high, start, end, axis.is_log, axis.is_whole)

    def place(self, value: float) -> float:
        """Return where a number lies; the middle if the ruler knows one number alone."""
        low, high, at = (math.log(x) if self.is_log else x for x in (self.low, self.high, value))
        share = (at - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    @cached_property
    def ticks(self) -> dict[float, str]:
        """Round numbers with their texts, blank where these would touch."""
        if self.is_log:
            ticks = one_two_five(self.low * (1 - 1e-9), self.high * (1 + 1e-9)) or [self.low]
            labels = {tick: number_words(tick) for tick in ticks}
            places = {tick: self.place(tick) for tick in ticks}
            return without_touching(labels, places, lambda text, _: 8.0 * (len(text) + 1), is_log=True)
        # An axis of whole numbers has whole ticks, and what lies between makes it another one.
        between = [] if self.is_whole else [self.low + (self.high - self.low) / 3.7]
        axis = Axis("", None, np.array([self.low, self.high, *between]))
        return {tick: number_words(tick) for tick in axis.ticks(6)}

    def draw_across(self, drawing: Drawing, top: float, bottom: float, ticks: dict[float, str]) -> None:
        """Draw upright lines of a grid with their numbers below."""
        for tick, text in ticks.items():
            x = self.place(tick)
            drawing.line((x, top), (x, bottom), "grid")
            if text:
                drawing.text((x, bottom + 18), text, "tick", anchor="middle")

    def draw_upwards(self, drawing: Drawing, left: float, right: float, ticks: dict[float, str]) -> None:
        """Draw level lines of a grid with their numbers to the left."""
        for tick, text in ticks.items():
            y = self.place(tick)
            drawing.line((left, y), (right, y), "grid")
            if text:
                drawing.text((left - 8, y + 4.5), text, "tick", anchor="end")


WIDTH = 720.0  # pixels across a chart
NAMES = 260.0  # pixels that names to the left of a chart may take
ROW = 30.0
PERCENT = {25.0 * place: f"{25 * place} %" for place in range(5)}  # ticks of a scale of percent


def seen_words(parts: Iterable[str]) -> str:
    """Return what is seen in a chart, one part after the other, for those who cannot see it."""
    return "; ".join(parts) + "."


@dataclass(frozen=True)
class Pair:
    """One line of a chart of dots."""

    name: str  # what it is
    # its numbers; None where there is none
    before: float | None
    after: float | None
    # the numbers as people read them
    before_text: str = ""
    after_text: str = ""
    # a third number to hold them against, such as what guessing reaches; None without one
    reference: float | None = None

    @classmethod
    def of_shares(
        cls,
        name: str,
        before: float | None,
        after: float,
        reference: float | None = None,
        style: PercentStyle = "risk",
    ) -> Pair:
        """Make the line of shares, drawn and told in percent; those of risks are never rounded down."""
        was = None if before is None else 100 * before
        guess = None if reference is None else 100 * reference
        text = "" if before is None else percent_words(before, style)
        return cls(name, was, 100 * after, text, percent_words(after, style), guess)

    @property
    def seen(self) -> str:
        """What the line shows, in words."""
        both = f"{self.before_text} before, {self.after_text} after" if self.before_text else self.after_text
        return f"{self.name}: {both}"


def pair_chart(pairs: Sequence[Pair], ticks: dict[float, str] | None = None, reference: str = "") -> Drawing:
    """Draw for each line where a number was before and where it is after, in percent without other ticks."""
    # A hollow circle is before, a filled diamond after, a short upright line the reference.
    ticks = ticks or PERCENT
    top, left, right = 34.0, NAMES + 12, WIDTH - 142
    bottom = top + ROW * len(pairs)
    drawing = Drawing(WIDTH, bottom + 28)
    ruler = Ruler(min(ticks), max(ticks), left, right)
    _legend(drawing, left, reference)
    ruler.draw_across(drawing, top, bottom, ticks)
    for place, pair in enumerate(pairs):
        y = top + ROW * (place + 0.5)
        drawing.text((NAMES, y + 5), pair.name, "name", anchor="end", room=NAMES)
        before, after, third = (
            None if value is None else ruler.place(min(max(value, ruler.low), ruler.high))
            for value in (pair.before, pair.after, pair.reference)
        )
        if third is not None:
            drawing.line((third, y - 9), (third, y + 9), "reference")
        if before is not None and after is not None:
            drawing.line((before, y), (after, y), "joint")
        if before is not None:
            drawing.circle((before, y), 5.5, "before-mark")
        if after is not None:
            drawing.diamond((after, y), 6.5, "after-mark")
        texts = [text for text in (pair.before_text, pair.after_text) if text]
        drawing.text((drawing.width, y + 5), " → ".join(texts), "value", anchor="end")
    return drawing


def _legend(drawing: Drawing, left: float, reference: str) -> None:
    drawing.circle((left + 6, 12), 5.5, "before-mark")
    drawing.text((left + 18, 17), "before", "before-text")
    drawing.diamond((left + 92, 12), 6.5, "after-mark")
    drawing.text((left + 104, 17), "after", "after-text")
    if reference:
        drawing.line((left + 166, 3), (left + 166, 21), "reference")
        drawing.text((left + 174, 17), reference, "tick", room=drawing.width - left - 174)


@dataclass(frozen=True)
class Curve:
    """A curve of steps: from each place on, this much."""

    name: str  # what it is
    look: str  # `before` or `after`
    # places and numbers, from the left; between two places the number of the left one holds
    points: Sequence[Place]


def step_chart(
    curves: Sequence[Curve], across: str, upwards: str, limit: tuple[float, str] | None = None
) -> Drawing:
    """Draw shares in percent that rise by steps over sizes, on a logarithmic scale of sizes."""
    sizes = [x for curve in curves for x, _ in curve.points] + ([limit[0]] if limit else [])
    low, high = min(sizes), max(max(sizes), 10 * min(sizes))
    left, right, top, bottom = 74.0, WIDTH - 16, 44.0, 304.0
    drawing = Drawing(WIDTH, bottom + 44)
    x, y = Ruler(low, high, left, right, is_log=True), Ruler(0.0, 100.0, bottom, top)
    x.draw_across(drawing, top, bottom, x.ticks)
    y.draw_upwards(drawing, left, right, PERCENT)
    drawing.text((right, bottom + 38), across, "axis", anchor="end")
    drawing.text((0, 14), upwards, "axis")
    if limit:
        at = x.place(limit[0])
        drawing.line((at, top - 6), (at, bottom), "limit")
        side: Anchor = "start" if at < WIDTH / 2 else "end"
        drawing.text((at + (6 if side == "start" else -6), top - 8), limit[1], "tick", anchor=side)
    for curve in curves:
        drawn, level = [(x.start, y.place(0.0))], y.place(0.0)
        for size, share in curve.points:
            drawn += [(x.place(size), level), (x.place(size), y.place(share))]
            level = y.place(share)
        drawing.path([*drawn, (x.end, level)], f"curve {curve.look}-line")
    for place, curve in enumerate(curves):
        begin = WIDTH - 16 - 110 * (len(curves) - place)
        drawing.line((begin, 9), (begin + 28, 9), f"curve {curve.look}-line")
        drawing.text((begin + 35, 14), curve.name, f"{curve.look}-text")
    return drawing


@dataclass(frozen=True)
class Bar:
    """A bar: its name, its number, and the number as people read it."""

    name: str
    value: float
    text: str

    @classmethod
    def of_share(cls, name: str, share: float) -> Bar:
        """Make the bar of a share, drawn and told in percent."""
        return cls(name, 100 * share, percent_words(share))

    @property
    def seen(self) -> str:
        """What the bar shows, in words."""
        return f"{self.name}: {self.text}"


def bar_chart(
    bars: Sequence[Bar], *, most: float | None = None, width: float = WIDTH, names: float = 190.0
) -> Drawing:
    """Draw numbers from 0 on as bars, from above."""
    row, left, right = 24.0, names, width - 84
    drawing = Drawing(width, row * len(bars) + 4)
    ruler = Ruler(0.0, max([1e-12, *(bar.value for bar in bars)]) if most is None else most, left, right)
    for place, bar in enumerate(bars):
        y, end = row * place, max(left + 1, ruler.place(bar.value))
        drawing.text((left - 10, y + 17), bar.name, "name", anchor="end", room=left - 10)
        drawing.bar((left, y + 4), (end - left, row - 8), "bar")
        drawing.text((end + 8, y + 17), bar.text, "value")
    return drawing


MANY = 300  # from so many solutions on, points are small


def front_chart(front: PlainFront, picked: int | None) -> Drawing:
    """Draw the solutions in the plane of their two main objectives."""
    across, upwards = plane_axes(front)
    left, right, top, bottom = 74.0, WIDTH - 20, 48.0, 388.0
    drawing = Drawing(WIDTH, bottom + 44)
    scale = plane_scale(front)
    x = Ruler.over(scale[0].values, left + 12, right - 12)
    y = Ruler.over(scale[1].values, bottom - 12, top + 12)
    x.draw_across(drawing, top, bottom, x.ticks)
    y.draw_upwards(drawing, left, right, y.ticks)
    to_right, up = (f"; {axis.better}" if axis.better else "" for axis in (across, upwards))
    drawing.text(
        (right, bottom + 38), f"{across.words}{to_right}{' →' if to_right else ''}", "axis", anchor="end"
    )
    drawing.text((0, 16), f"{'↑ ' if up else ''}{upwards.words}{up}", "axis")
    order = across.values.argsort(kind="stable").tolist()
    values = zip(across.values.tolist(), upwards.values.tolist(), strict=True)
    points = {
        place: (x.place(first), y.place(second))
        for place, (first, second) in enumerate(values)
        if np.isfinite(first) and np.isfinite(second)
    }
    if front.is_local:
        _draw_local(drawing, front, x, y)
    if len(front.objectives) == 2:
        border = [points[place] for place in order if place in points]
        look = "curve after-line" if front.is_local else "curve border-line"
        drawing.path(_border(border, upwards_first=bool(across.maximize)), look)
    for point in points.values():
        drawing.circle(point, 2.5 if len(front) >= MANY else 4.5, "point")
    marked = next((place for place, item in enumerate(front) if item.number == picked), None)
    if marked in points:
        # The words stand where everything would be better: there, no other point can be.
        at, words = points[marked], f"released: solution {picked}"
        drawing.diamond(at, 9, "picked")
        room = LETTER * len(words) + 16
        is_right = at[0] + room < drawing.width if across.maximize is not False else at[0] - room < 0
        place = (at[0] + (10 if is_right else -10), at[1] + (24 if upwards.maximize is False else -16))
        drawing.text(place, words, "mark", anchor="start" if is_right else "end")
    return drawing


def _draw_local(drawing: Drawing, front: PlainFront, x: Ruler, y: Ruler) -> None:
    """Draw how low local recodings could be, and the best global ones, with what each curve is."""
    across, upwards = plane_axes(front)
    bounds = proven_bounds(front)
    for own, value, bound in zip(across.values, upwards.values, bounds, strict=True):
        if np.isfinite(bound):
            foot = (x.place(own), y.place(bound))
            drawing.line((foot[0], y.place(value)), foot, "curve after-line")
            drawing.line((foot[0] - 4, foot[1]), (foot[0] + 4, foot[1]), "curve after-line")
    begin = drawing.width - 250
    drawing.line((begin, 12), (begin + 28, 12), "curve after-line")
    drawing.text((begin + 35, 16), "local recoding", "after-text")
    line = beside_line(front)
    if line is None:
        return
    drawing.line((begin, 30), (begin + 28, 30), "curve before-line")
    drawing.text((begin + 35, 34), "best global recoding", "before-text")
    points = [(x.place(a), y.place(b)) for a, b in zip(line.x.tolist(), line.y.tolist(), strict=True)]
    drawing.path(_border(points, upwards_first=False), "curve before-line")
    for point, number in zip(points, line.numbers, strict=True):
        if number is not None:
            drawing.circle(point, 3.5, "before-mark")


def _border(points: Sequence[Place], *, upwards_first: bool) -> list[Place]:
    """Return the corners of what can be reached; between two neighbours lies the worse of each."""
    corners: list[Place] = []
    for before, after in pairwise(points):
        corners += [before, (before[0], after[1]) if upwards_first else (after[0], before[1])]
    return [*corners, *points[-1:]]
