"""The steepest part of a front, magnified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.front import non_dominated
from sfumato.report import style
from sfumato.report.plane import axis_layouts

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from sfumato._typing import LongArray
    from sfumato.report.axes import Axis
    from sfumato.report.panels import Panel
    from sfumato.report.plane import Plane

HEADLINE = "The steepest part, magnified (the dotted frame above)"
NUMBERED = 40
"""Up to so many solutions, numbers stand beside them."""

WIDTH = 0.2
"""The part's share of the range to the right, as it is drawn."""

LEAST_SOLUTIONS = 5
LEAST_RISE = 0.3
"""A part with fewer solutions, or with less of the range upwards, is seen well enough as it is."""

CROWDED = 8
"""A front with fewer solutions needs no magnification."""


APART = (0.035, 0.06)
"""Shares of the axes that a number beside a point takes."""


@dataclass(frozen=True)
class Part:
    """A part of the plane."""

    # its first and last value on either axis
    x: tuple[float, float]
    y: tuple[float, float]
    places: tuple[int, ...]  # the places of the solutions in it


def steepest_part(x: Axis, y: Axis) -> Part | None:
    """Return the stretch of a fifth of the x axis along which the border covers most of the y axis.

    The border holds the solutions that no other one beats in these two objectives; where there are no
    others that is all of them. A stretch begins at a solution. Of equally steep ones the one with more
    solutions counts, then the leftmost one.
    """
    order = _border(x, y)
    if len(order) < CROWDED:
        return None
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
    return _part(x, y, np.flatnonzero(inside))


def _border(x: Axis, y: Axis) -> LongArray:
    """Return the places of the solutions that no other one beats in the plane, from left to right."""
    if x.maximize is None or y.maximize is None:
        return np.zeros(0, dtype=np.int64)
    signs = [-1.0 if axis.maximize else 1.0 for axis in (x, y)]
    border = non_dominated(np.column_stack([x.shares * signs[0], y.shares * signs[1]]))
    return border[np.argsort(x.shares[border], kind="stable")]


def _part(x: Axis, y: Axis, places: LongArray) -> Part:
    return Part(
        (float(x.values[places].min()), float(x.values[places].max())),
        (float(y.values[places].min()), float(y.values[places].max())),
        tuple(places.tolist()),
    )


def add_zoom(figure: Figure, plane: Plane, part: Part, panel: Panel) -> None:
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
    figure.add_shape(_frame(plane, part))


def _numbers(shown: Plane, own: dict[str, object]) -> dict[str, object]:
    """Return the solutions' numbers on the side of the points that marks leave free."""
    marked = {mark.number for mark in shown.marks}
    side = f"{'bottom' if shown.y.maximize else 'top'} {'left' if shown.x.maximize else 'right'}"
    return {
        "type": "scatter",
        "mode": "markers+text",
        # Not seen, but it keeps the number off the point.
        "marker": {"size": 12, "opacity": 0},
        "x": shown.x.values.tolist(),
        "y": shown.y.values.tolist(),
        "text": _apart(shown, marked),
        "textposition": side,
        "textfont": {"color": style.FAINT, "size": 11},
        "hoverinfo": "skip",
        **own,
    }


def _apart(shown: Plane, marked: set[int]) -> list[str]:
    """Return the numbers that neither stand at a mark nor touch one another; blank for others."""
    kept: list[tuple[float, float]] = []
    texts = []
    places = zip(shown.x.shares.tolist(), shown.y.shares.tolist(), shown.numbers, strict=True)
    for across, upwards, number in places:
        touches = any(abs(across - a) < APART[0] and abs(upwards - b) < APART[1] for a, b in kept)
        texts.append("" if number in marked or touches else str(number))
        kept += [(across, upwards)] if texts[-1] else []
    return texts


def _frame(plane: Plane, part: Part) -> dict[str, object]:
    """Return the rectangle around the part, a little larger than it."""
    (x0, x1), (y0, y1) = _padded(plane.x, part.x), _padded(plane.y, part.y)
    return {
        "type": "rect",
        "xref": "x",
        "yref": "y",
        "x0": x0,
        "x1": x1,
        "y0": y0,
        "y1": y1,
        "line": {"color": style.FAINT, "width": 1, "dash": "dot"},
        "fillcolor": "rgba(0, 0, 0, 0.03)",
        "layer": "below",
    }


def _padded(axis: Axis, ends: tuple[float, float]) -> tuple[float, float]:
    low, high, first, last = axis.scaled(np.array([axis.low, axis.high, *ends])).tolist()
    pad = 0.015 * (high - low)
    found = (first - pad, last + pad)
    return (10 ** found[0], 10 ** found[1]) if axis.is_log else found
