"""The plane of two objectives: points, the border of what can be reached, rings, axes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.front.words import number_words
from sfumato.report import style
from sfumato.report.hover import broken
from sfumato.report.marks import Mark, mark_traces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.report.axes import Axis

TICKS = 16
"""Ticks of a logarithmic axis at most."""

LETTER = 7
"""Pixels that a letter of a tick's number takes."""


@dataclass(frozen=True, eq=False)
class Plane:
    """What is drawn of a front in a plane."""

    # what runs to the right and upwards
    x: Axis
    y: Axis
    colour: Axis | None  # what the colour of a point tells, if anything
    texts: Sequence[str]  # what appears when one points at a solution
    marks: Sequence[Mark]  # rings
    bordered: bool  # whether a line shows what can be reached: only where two objectives are all there are
    numbers: Sequence[int]  # the numbers of the solutions

    def traces(self) -> list[dict[str, object]]:
        """Return all that lies in the plane, from below to above."""
        border = [_step_line(self.x, self.y)] if self.bordered and len(self.texts) > 1 else []
        points = _points(self.x, self.y, self.colour, self.texts)
        # A click on a point reads its solution's number here.
        points["customdata"] = [int(number) for number in self.numbers]
        return [*border, points, *mark_traces(self.marks, self.x, self.y)]

    def part(self, places: Sequence[int]) -> Plane:
        """Return the plane of some solutions, given by their places."""
        new = {place: number for number, place in enumerate(places)}
        chosen = list(places)
        return replace(
            self,
            x=replace(self.x, values=self.x.values[chosen]),
            y=replace(self.y, values=self.y.values[chosen]),
            colour=None if self.colour is None else replace(self.colour, values=self.colour.values[chosen]),
            texts=[self.texts[place] for place in chosen],
            marks=[replace(mark, place=new[mark.place]) for mark in self.marks if mark.place in new],
            numbers=[self.numbers[place] for place in chosen],
        )


def axis_layouts(x: Axis, y: Axis) -> tuple[dict[str, object], dict[str, object]]:
    """Return the layouts of what runs to the right and upwards."""
    across = _axis_layout(x)
    if x.is_log:
        labels_below = x.tick_labels(TICKS, style.NARROW / LETTER)
        across |= {"ticktext": list(labels_below.values()), "tickangle": 0}
    return across, _axis_layout(y)


def quiet(text: str) -> str:
    """Return plotly text in a smaller and fainter type."""
    return f'<span style="font-size: {style.TEXT_SIZE}px; color: {style.FAINT}">{text}</span>'


def _axis_layout(axis: Axis) -> dict[str, object]:
    found: dict[str, object] = {
        "title": {
            "text": f"{broken(axis.words, 44)}<br>{quiet(axis.direction)}",
            "font": {"size": style.AXIS_SIZE},
            "standoff": 12,
        },
        "showline": True,
        "linecolor": style.INK,
        "ticks": "outside",
        "tickcolor": style.INK,
        "gridcolor": style.GRID,
        "zeroline": False,
        "automargin": True,
        "exponentformat": "none",
        "separatethousands": True,
    }
    if axis.is_log or axis.low == axis.high:
        ticks = axis.ticks(TICKS)
        found |= {"tickvals": ticks, "ticktext": [number_words(tick) for tick in ticks]}
    if axis.is_log:
        pad = 0.04 * math.log10(axis.high / axis.low)
        found |= {"type": "log", "range": [math.log10(axis.low) - pad, math.log10(axis.high) + pad]}
    return found


def _step_line(x: Axis, y: Axis) -> dict[str, object]:
    """Return the border of what can be reached.

    Between two neighbours only what is worse than either can be had, so the corner lies at the
    worse value of each axis: upwards first where larger x is better, else to the right first.
    """
    order = x.values.argsort(kind="stable")
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x.values[order].tolist(),
        "y": y.values[order].tolist(),
        "line": {"shape": "vh" if x.maximize else "hv", "color": style.POINT, "width": 1.5},
        "opacity": 0.55,
        "name": "best within reach",
        "legendrank": 1001,
        "hoverinfo": "skip",
    }


def _points(x: Axis, y: Axis, colour: Axis | None, texts: Sequence[str]) -> dict[str, object]:
    many = len(texts) >= style.MANY
    marker: dict[str, object] = {
        "size": 5 if many else 10,
        "color": style.POINT,
        "line": {"color": style.INK, "width": 0.0 if many else 0.6},
    }
    if colour is not None:
        marker |= {
            "color": colour.scaled(colour.values).tolist(),
            "colorscale": style.SCALE,
            "colorbar": _colour_bar(colour),
        }
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x.values.tolist(),
        "y": y.values.tolist(),
        "marker": marker,
        "hovertext": list(texts),
        "hoverinfo": "text",
        "name": "solution",
        # A legend would show the colour of one solution as if it were that of all.
        "showlegend": colour is None,
    }


def _colour_bar(axis: Axis) -> dict[str, object]:
    ticks = axis.ticks(8)
    return {
        "title": {
            "text": f"{broken(axis.words, 48)}<br>{quiet(axis.direction)}",
            "side": "right",
            "font": {"size": style.TEXT_SIZE},
        },
        "tickvals": axis.scaled(np.array(ticks)).tolist(),
        "ticktext": [number_words(tick) for tick in ticks],
        "thickness": 16,
        "outlinewidth": 0,
    }
