"""A front as a still picture, with the released point marked."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sfumato.report.axes import plane_axes
from sfumato.report.charts import WIDTH
from sfumato.report.scales import Scale, draw_across, draw_upwards
from sfumato.report.svg import LETTER, Drawing
from sfumato.report.words import measure_words

if TYPE_CHECKING:
    from sfumato.front import Front
    from sfumato.report.axes import Axis

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
