"""The plane of two objectives: points, the border of what can be reached, rings, axes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.front import non_dominated
from sfumato.report import style
from sfumato.report.marks import Mark, Panel, broken, mark_traces, plain, scatter
from sfumato.words import number_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.graph_objects import Figure

    from sfumato._typing import FloatArray
    from sfumato.report.axes import Axis, BesideLine

TICKS = 16  # ticks of a logarithmic axis at most
LETTER = 7  # pixels that a letter of a tick's number takes


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
    beside: BesideLine | None = None  # the border of another front, to compare with
    bounds: FloatArray | None = None  # of local recodings what y cannot be below; nan where nothing is proven

    def traces(self) -> list[dict[str, object]]:
        """Return all that lies in the plane, from below to above."""
        border = [_step_line(self.x, self.y)] if self.bordered and len(self.texts) > 1 else []
        points = _points(self.x, self.y, self.colour, self.texts)
        if self.bounds is not None:
            border = [] if self.beside is None else [_beside_trace(self.beside, self.x, self.y)]
            if self.bordered:
                border.append({**_step_line(self.x, self.y), "opacity": 0.9, "showlegend": False})
            below = np.nan_to_num(self.y.values - self.bounds)
            points |= {"name": LOCAL, "error_y": {**BARS, "arrayminus": below.tolist()}}
        # A click on a point reads its solution's number here.
        points["customdata"] = [int(number) for number in self.numbers]
        return [*border, points, *mark_traces(self.marks, self.x, self.y)]

    def part(self, places: Sequence[int]) -> Plane:
        """Return the plane of some solutions, given by their places."""
        new = {place: number for number, place in enumerate(places)}
        return replace(
            self,
            beside=None,
            bounds=None,
            x=self.x.take(places),
            y=self.y.take(places),
            colour=None if self.colour is None else self.colour.take(places),
            texts=[self.texts[place] for place in places],
            marks=[replace(mark, place=new[mark.place]) for mark in self.marks if mark.place in new],
            numbers=[self.numbers[place] for place in places],
        )


LOCAL = "local recoding: each group of rows has its own labels"
GLOBAL = "best global recoding: one label for each value"
BARS = {"type": "data", "symmetric": False, "array": [], "width": 7, "thickness": 1.5, "color": style.POINT}


def _beside_trace(line: BesideLine, x: Axis, y: Axis) -> dict[str, object]:
    """Return the border of the other front, with its solutions as rings."""
    words = [
        ""
        if number is None
        else f"<b>Global recoding</b>, solution {number} of global.csv<br>"
        f"{plain(x.words)}: {number_words(across)}<br>{plain(y.words)}: {number_words(upwards)}"
        for across, upwards, number in zip(line.x.tolist(), line.y.tolist(), line.numbers, strict=True)
    ]
    sizes = [0 if number is None else 7 for number in line.numbers]
    return scatter(
        "lines+markers",
        line.x.tolist(),
        line.y.tolist(),
        line={"shape": "hv", "color": style.BESIDE, "width": 1.5, "dash": "dot"},
        marker={"symbol": "circle-open", "size": sizes, "color": style.BESIDE, "line": {"width": 1.5}},
        hovertext=words,
        hoverinfo="text",
        name=GLOBAL,
    )


def axis_layouts(x: Axis, y: Axis) -> tuple[dict[str, object], dict[str, object]]:
    """Return the layouts of what runs to the right and upwards."""
    across = _axis_layout(x)
    if x.is_log:
        labels_below = x.tick_labels(TICKS, style.NARROW / LETTER)
        across |= {"ticktext": list(labels_below.values()), "autotickangles": [0, 90]}
    return across, _axis_layout(y)


def quiet(text: str) -> str:
    """Return plotly text in a smaller and fainter type."""
    return f'<span style="font-size: {style.TEXT_SIZE}px; color: {style.FAINT}">{text}</span>'


def _title(axis: Axis, width: int) -> str:
    return f"{broken(axis.words, width)}<br>{quiet(axis.direction)}"


def _axis_layout(axis: Axis) -> dict[str, object]:
    title = {"text": _title(axis, 44), "font": {"size": style.AXIS_SIZE}, "standoff": 12}
    found: dict[str, object] = {"title": title, **style.LOOKS["axis"]}
    if axis.is_log or axis.low == axis.high:
        ticks = axis.ticks(TICKS)
        found |= {"tickvals": ticks, "ticktext": [number_words(tick) for tick in ticks]}
    if axis.is_log:
        pad = 0.04 * math.log10(axis.high / axis.low)
        found |= {"type": "log", "range": [math.log10(axis.low) - pad, math.log10(axis.high) + pad]}
    return found


def _step_line(x: Axis, y: Axis) -> dict[str, object]:
    """Return the border of what can be reached."""
    # Between two neighbours only what is worse than either can be had, so the corner lies at the worse value
    # of each axis: upwards first where larger x is better, else to the right first.
    order = x.values.argsort(kind="stable")
    return scatter(
        "lines",
        x.values[order].tolist(),
        y.values[order].tolist(),
        line={"shape": "vh" if x.maximize else "hv", "color": style.POINT, "width": 1.5},
        opacity=0.55,
        name="best within reach",
        legendrank=1001,
        hoverinfo="skip",
    )


def _points(x: Axis, y: Axis, colour: Axis | None, texts: Sequence[str]) -> dict[str, object]:
    many = len(texts) >= style.MANY
    outline = {"color": style.INK, "width": 0.0 if many else 0.6}
    marker: dict[str, object] = {"size": 5 if many else 10, "color": style.POINT, "line": outline}
    if colour is not None:
        marker |= {"color": colour.scaled(colour.values).tolist(), "colorscale": style.SCALE}
        ticks, title = colour.ticks(8), {"text": _title(colour, 48), "side": "right"}
        marker["colorbar"] = {
            "title": {**title, "font": {"size": style.TEXT_SIZE}},
            "tickvals": colour.scaled(np.array(ticks)).tolist(),
            "ticktext": [number_words(tick) for tick in ticks],
            **{"thickness": 16, "outlinewidth": 0},
        }
    return scatter(
        "markers",
        x.values.tolist(),
        y.values.tolist(),
        marker=marker,
        hovertext=list(texts),
        hoverinfo="text",
        name="solution",
        # A legend would show the colour of one solution as if it were that of all.
        showlegend=colour is None,
    )


HEADLINE = "The steepest part, magnified (the dotted frame above)"
NUMBERED = 40  # up to so many solutions, numbers stand beside them
WIDTH = 0.2  # the part's share of the range to the right, as it is drawn
LEAST_SOLUTIONS = 5
LEAST_RISE = 0.3
"""A part with fewer solutions, or with less of the range upwards, is seen well enough as it is."""

CROWDED = 8  # a front with fewer solutions needs no magnification


APART = (0.035, 0.06)  # shares of the axes that a number beside a point takes


@dataclass(frozen=True)
class Stretch:
    """A part of the plane."""

    # its first and last value on either axis
    x: tuple[float, float]
    y: tuple[float, float]
    places: tuple[int, ...]  # the places of the solutions in it


def steepest_part(x: Axis, y: Axis) -> Stretch | None:
    """Return the stretch of a fifth of the x axis along which the border covers most of the y axis."""
    # The border holds the solutions that no other one beats in these two objectives; where there are no
    # others that is all of them. A stretch begins at a solution. Of equally steep ones the one with more
    # solutions counts, then the leftmost one.
    if x.maximize is None or y.maximize is None:
        return None
    signs = [-1.0 if axis.maximize else 1.0 for axis in (x, y)]
    order = non_dominated(np.column_stack([x.shares * signs[0], y.shares * signs[1]]))
    if len(order) < CROWDED:
        return None
    order = order[np.argsort(x.shares[order], kind="stable")]
    across, upwards = x.shares[order], y.shares[order]
    best: tuple[float, int, int] | None = None
    for begin in range(len(order)):
        end = int(np.searchsorted(across, across[begin] + WIDTH, side="right"))
        rise = float(np.ptp(upwards[begin:end]))
        if end - begin >= LEAST_SOLUTIONS and (best is None or (-round(rise, 9), begin - end, begin) < best):
            best = (-round(rise, 9), begin - end, begin)
    if best is None or -best[0] < LEAST_RISE or -best[1] == len(order):
        return None
    stretch = x.shares[order[best[2] : best[2] - best[1]]]
    inside = (x.shares >= stretch[0]) & (x.shares <= stretch[-1]) & np.isfinite(y.shares)
    ends = [(float(axis.values[inside].min()), float(axis.values[inside].max())) for axis in (x, y)]
    return Stretch(ends[0], ends[1], tuple(np.flatnonzero(inside).tolist()))


def add_zoom(figure: Figure, plane: Plane, part: Stretch, panel: Panel) -> None:
    """Add the magnified part below the scatter, and show in the scatter where it lies."""
    shown = plane.part(part.places)
    own = {"xaxis": "x3", "yaxis": "y3", "showlegend": False}
    traces = [{**trace, **own} for trace in shown.traces()]
    for trace in traces:
        marker = trace.get("marker")
        if isinstance(marker, dict) and "colorscale" in marker and plane.colour is not None:
            # One scale, and one bar beside the scatter, for both.
            span = plane.colour.scaled(np.array([plane.colour.low, plane.colour.high])).tolist()
            trace["marker"] = {**marker, "cmin": span[0], "cmax": span[1], "showscale": False}
    if len(part.places) <= NUMBERED:
        traces.append(_numbers(shown, own))
    figure.add_traces(traces)
    across, upwards = axis_layouts(shown.x, shown.y)
    figure.update_layout(
        xaxis3={**across, "anchor": "y3"},
        yaxis3={**upwards, "anchor": "x3", "domain": [panel.low, panel.high]},
    )
    figure.add_annotation(panel.headline(HEADLINE))
    # The rectangle around the part is a little larger than it.
    (x0, x1), (y0, y1) = _padded(plane.x, part.x), _padded(plane.y, part.y)
    figure.add_shape({**style.LOOKS["frame"], "x0": x0, "x1": x1, "y0": y0, "y1": y1})


def _numbers(shown: Plane, own: dict[str, object]) -> dict[str, object]:
    """Return the solutions' numbers on the side of the points that marks leave free."""
    marked = {mark.number for mark in shown.marks}
    kept: list[tuple[float, float]] = []
    texts = []
    places = zip(shown.x.shares.tolist(), shown.y.shares.tolist(), shown.numbers, strict=True)
    for across, upwards, number in places:
        # Blank where it would stand at a mark or touch another one.
        touches = any(abs(across - a) < APART[0] and abs(upwards - b) < APART[1] for a, b in kept)
        texts.append("" if number in marked or touches else str(number))
        kept += [(across, upwards)] if texts[-1] else []
    side = f"{'bottom' if shown.y.maximize else 'top'} {'left' if shown.x.maximize else 'right'}"
    return scatter(
        "markers+text",
        shown.x.values.tolist(),
        shown.y.values.tolist(),
        # Not seen, but it keeps the number off the point.
        marker={"size": 12, "opacity": 0},
        text=texts,
        textposition=side,
        textfont={"color": style.FAINT, "size": 11},
        hoverinfo="skip",
        **own,
    )


def _padded(axis: Axis, ends: tuple[float, float]) -> tuple[float, float]:
    low, high, first, last = axis.scaled(np.array([axis.low, axis.high, *ends])).tolist()
    pad = 0.015 * (high - low)
    found = (first - pad, last + pad)
    return (10 ** found[0], 10 ** found[1]) if axis.is_log else found
