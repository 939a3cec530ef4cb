"""The kinds of charts that the report has: dots before and after, curves of steps, bars, a front."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sfumato.report.axes import Axis, plane_axes
from sfumato.report.drawing import LETTER, Drawing, Ruler
from sfumato.words import percent_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sfumato.front import Front
    from sfumato.report.drawing import Anchor, Place

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
    def of_shares(cls, name: str, before: float | None, after: float, reference: float | None = None) -> Pair:
        """Make the line of shares, drawn and told in percent."""
        was = None if before is None else 100 * before
        guess = None if reference is None else 100 * reference
        text = "" if before is None else percent_words(before)
        return cls(name, was, 100 * after, text, percent_words(after), guess)

    @property
    def seen(self) -> str:
        """What the line shows, in words."""
        both = f"{self.before_text} before, {self.after_text} after" if self.before_text else self.after_text
        return f"{self.name}: {both}"


def pair_chart(pairs: Sequence[Pair], ticks: dict[float, str] | None = None, reference: str = "") -> Drawing:
    """Draw for each line where a number was before and where it is after, in percent without other ticks.

    A hollow circle is before, a filled diamond after, a short upright line the reference.
    """
    ticks = ticks or PERCENT
    top, left, right = 34.0, NAMES + 12, WIDTH - 142
    bottom = top + ROW * len(pairs)
    drawing = Drawing(WIDTH, bottom + 28)
    ruler = Ruler(min(ticks), max(ticks), left, right)
    _legend(drawing, left, reference)
    ruler.draw_across(drawing, top, bottom, ticks)
    for place, pair in enumerate(pairs):
        _pair_line(drawing, pair, ruler, top + ROW * (place + 0.5))
    return drawing


def _pair_line(drawing: Drawing, pair: Pair, ruler: Ruler, y: float) -> None:
    drawing.text((NAMES, y + 5), pair.name, "name", anchor="end", room=NAMES)
    before, after, reference = (
        None if value is None else ruler.place(min(max(value, ruler.low), ruler.high))
        for value in (pair.before, pair.after, pair.reference)
    )
    if reference is not None:
        drawing.line((reference, y - 9), (reference, y + 9), "reference")
    if before is not None and after is not None:
        drawing.line((before, y), (after, y), "joint")
    if before is not None:
        drawing.circle((before, y), 5.5, "before-mark")
    if after is not None:
        drawing.diamond((after, y), 6.5, "after-mark")
    texts = [text for text in (pair.before_text, pair.after_text) if text]
    drawing.text((drawing.width, y + 5), " → ".join(texts), "value", anchor="end")


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
        drawing.path(_steps(curve.points, x, y), f"curve {curve.look}-line")
    for place, curve in enumerate(curves):
        begin = WIDTH - 16 - 110 * (len(curves) - place)
        drawing.line((begin, 9), (begin + 28, 9), f"curve {curve.look}-line")
        drawing.text((begin + 35, 14), curve.name, f"{curve.look}-text")
    return drawing


def _steps(points: Sequence[Place], x: Ruler, y: Ruler) -> list[Place]:
    drawn, level = [(x.start, y.place(0.0))], y.place(0.0)
    for size, share in points:
        drawn += [(x.place(size), level), (x.place(size), y.place(share))]
        level = y.place(share)
    return [*drawn, (x.end, level)]


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


def front_chart(front: Front, picked: int | None) -> Drawing:
    """Draw the solutions in the plane of their two main objectives."""
    across, upwards = plane_axes(front)
    left, right, top, bottom = 74.0, WIDTH - 20, 48.0, 388.0
    drawing = Drawing(WIDTH, bottom + 44)
    x = Ruler.over(across.values, left + 12, right - 12)
    y = Ruler.over(upwards.values, bottom - 12, top + 12)
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
    if len(front.objectives) == 2:
        border = [points[place] for place in order if place in points]
        drawing.path(_border(border, upwards_first=bool(across.maximize)), "curve border-line")
    for point in points.values():
        drawing.circle(point, 2.5 if len(front) >= MANY else 4.5, "point")
    for place, item in enumerate(front):
        if item.number == picked and place in points:
            _mark(drawing, points[place], f"released: solution {picked}", (across, upwards))
    return drawing


def _border(points: Sequence[Place], *, upwards_first: bool) -> list[Place]:
    """Return the corners of what can be reached; between two neighbours lies the worse of each."""
    corners: list[Place] = []
    for before, after in pairwise(points):
        corners += [before, (before[0], after[1]) if upwards_first else (after[0], before[1])]
    return [*corners, *points[-1:]]


def _mark(drawing: Drawing, at: Place, text: str, axes: tuple[Axis, Axis]) -> None:
    """Ring a point and write where everything would be better: there, no other point can be."""
    drawing.diamond(at, 9, "picked")
    room = LETTER * len(text) + 16
    right = at[0] + room < drawing.width if axes[0].maximize is not False else at[0] - room < 0
    drop = 24 if axes[1].maximize is False else -16
    drawing.text(
        (at[0] + (10 if right else -10), at[1] + drop), text, "mark", anchor="start" if right else "end"
    )
