"""The kinds of charts that the report has: dots before and after, curves of steps, bars."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sfumato.report.axes import Scale, draw_across, draw_upwards, percent_ticks, plane_axes
from sfumato.report.pieces import LETTER, Drawing
from sfumato.report.words import measure_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.front import Front
    from sfumato.report.axes import Axis
    from sfumato.report.pieces import Anchor

WIDTH = 720.0
"""Pixels across a chart."""

NAMES = 260.0
"""Pixels that names to the left of a chart may take."""

ROW = 30.0


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


def pair_chart(pairs: Sequence[Pair], ticks: dict[float, str], reference: str = "") -> Drawing:
    """Draw for each line where a number was before and where it is after.

    A hollow circle is before, a filled diamond after, a short upright line the reference.
    """
    top, left, right = 34.0, NAMES + 12, WIDTH - 142
    bottom = top + ROW * len(pairs)
    drawing = Drawing(WIDTH, bottom + 28)
    scale = Scale(min(ticks), max(ticks), left, right)
    _legend(drawing, left, reference)
    draw_across(drawing, scale, top, bottom, ticks)
    for place, pair in enumerate(pairs):
        _pair_line(drawing, pair, scale, top + ROW * (place + 0.5))
    return drawing


def _pair_line(drawing: Drawing, pair: Pair, scale: Scale, y: float) -> None:
    drawing.text((NAMES, y + 5), pair.name, "name", anchor="end", room=NAMES)
    before, after, reference = (
        None if value is None else scale.place(min(max(value, scale.low), scale.high))
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
    points: Sequence[tuple[float, float]]


def step_chart(
    curves: Sequence[Curve], across: str, upwards: str, limit: tuple[float, str] | None = None
) -> Drawing:
    """Draw shares in percent that rise by steps over sizes, on a logarithmic scale of sizes."""
    sizes = [x for curve in curves for x, _ in curve.points] + ([limit[0]] if limit else [])
    low, high = min(sizes), max(max(sizes), 10 * min(sizes))
    left, right, top, bottom = 74.0, WIDTH - 16, 44.0, 304.0
    drawing = Drawing(WIDTH, bottom + 44)
    x, y = Scale(low, high, left, right, is_log=True), Scale(0.0, 100.0, bottom, top)
    draw_across(drawing, x, top, bottom, x.ticks)
    draw_upwards(drawing, y, left, right, percent_ticks())
    drawing.text((right, bottom + 38), across, "axis", anchor="end")
    drawing.text((0, 14), upwards, "axis")
    if limit:
        at = x.place(limit[0])
        drawing.line((at, top - 6), (at, bottom), "limit")
        side: Anchor = "start" if at < WIDTH / 2 else "end"
        drawing.text((at + (6 if side == "start" else -6), top - 8), limit[1], "tick", anchor=side)
    for curve in curves:
        drawing.path(_steps(curve.points, x, y), f"curve {curve.look}-line")
    _curve_legend(drawing, curves)
    return drawing


def _steps(points: Sequence[tuple[float, float]], x: Scale, y: Scale) -> list[tuple[float, float]]:
    drawn, level = [(x.start, y.place(0.0))], y.place(0.0)
    for size, share in points:
        drawn += [(x.place(size), level), (x.place(size), y.place(share))]
        level = y.place(share)
    return [*drawn, (x.end, level)]


def _curve_legend(drawing: Drawing, curves: Sequence[Curve]) -> None:
    at = WIDTH - 16 - 110 * len(curves)
    for curve in curves:
        drawing.line((at, 9), (at + 28, 9), f"curve {curve.look}-line")
        drawing.text((at + 35, 14), curve.name, f"{curve.look}-text")
        at += 110


@dataclass(frozen=True)
class Bar:
    """A bar: its name, its number, and the number as people read it."""

    name: str
    value: float
    text: str


def bar_chart(
    bars: Sequence[Bar], *, most: float | None = None, width: float = WIDTH, names: float = 190.0
) -> Drawing:
    """Draw numbers from 0 on as bars, from above."""
    row, left, right = 24.0, names, width - 84
    drawing = Drawing(width, row * len(bars) + 4)
    scale = Scale(0.0, max([1e-12, *(bar.value for bar in bars)]) if most is None else most, left, right)
    for place, bar in enumerate(bars):
        y, end = row * place, max(left + 1, scale.place(bar.value))
        drawing.text((left - 10, y + 17), bar.name, "name", anchor="end", room=left - 10)
        drawing.bar((left, y + 4), (end - left, row - 8), "bar")
        drawing.text((end + 8, y + 17), bar.text, "value")
    return drawing


MANY = 300
"""From so many solutions on, points are small."""


def front_chart(front: Front, picked: int | None) -> Drawing:
    """Draw the solutions in the plane of their two main objectives."""
    across, upwards = plane_axes(front)
    left, right, top, bottom = 74.0, WIDTH - 20, 48.0, 388.0
    drawing = Drawing(WIDTH, bottom + 44)
    x, y = _scale(across, left + 12, right - 12), _scale(upwards, bottom - 12, top + 12)
    draw_across(drawing, x, top, bottom, x.ticks)
    draw_upwards(drawing, y, left, right, y.ticks)
    drawing.text((right, bottom + 38), _words(across), "axis", anchor="end")
    drawing.text((0, 16), _words(upwards, is_upright=True), "axis")
    drawn = np.isfinite(across.values) & np.isfinite(upwards.values)
    if len(front.objectives) == 2:
        drawing.path(_border(across, upwards, x, y), "curve border-line")
    small = len(front) >= MANY
    for place in np.flatnonzero(drawn).tolist():
        drawing.circle(_at(across, upwards, x, y, place), 2.5 if small else 4.5, "point")
    places = [place for place, item in enumerate(front) if item.number == picked and drawn[place]]
    for place in places:
        _mark(drawing, _at(across, upwards, x, y, place), f"released: solution {picked}", (across, upwards))
    return drawing


def _at(across: Axis, upwards: Axis, x: Scale, y: Scale, place: int) -> tuple[float, float]:
    return x.place(float(across.values[place])), y.place(float(upwards.values[place]))


def _mark(drawing: Drawing, at: tuple[float, float], text: str, axes: tuple[Axis, Axis]) -> None:
    """Ring a point and write where everything would be better: there, no other point can be."""
    drawing.diamond(at, 9, "picked")
    room = LETTER * len(text) + 16
    right = at[0] + room < drawing.width if axes[0].maximize is not False else at[0] - room < 0
    drop = 24 if axes[1].maximize is False else -16
    drawing.text(
        (at[0] + (10 if right else -10), at[1] + drop), text, "mark", anchor="start" if right else "end"
    )


def _scale(axis: Axis, start: float, end: float) -> Scale:
    values = axis.values[np.isfinite(axis.values)].tolist()
    return Scale.over(values, start, end)


def _words(axis: Axis, *, is_upright: bool = False) -> str:
    better = {True: "larger is better", False: "smaller is better", None: ""}[axis.maximize]
    arrow = ("↑ " if is_upright else "") if better else ""
    end = "" if is_upright or not better else " →"
    words = measure_words(axis.name)
    return f"{arrow}{words}; {better}{end}" if better else words


def _border(across: Axis, upwards: Axis, x: Scale, y: Scale) -> list[tuple[float, float]]:
    """Return the corners of what can be reached; between two neighbours lies the worse of each."""
    order = [
        place
        for place in across.values.argsort(kind="stable")
        if np.isfinite(across.values[place]) and np.isfinite(upwards.values[place])
    ]
    points = [_at(across, upwards, x, y, place) for place in order]
    corners: list[tuple[float, float]] = []
    for before, after in pairwise(points):
        corners += [before, (before[0], after[1]) if across.maximize else (after[0], before[1])]
    return [*corners, *points[-1:]]
