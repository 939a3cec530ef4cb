"""The figure of a front."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sfumato.report import style
from sfumato.report.axes import Axis, other_axes, plane_axes
from sfumato.report.hover import broken, hover_texts, plain
from sfumato.report.parallel import add_parallel
from sfumato.report.words import check_picked, front_sentence, front_title, knee_number, number_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plotly.graph_objects import Figure

    from sfumato.front.front import Front

TITLE_WIDTH = 68
SENTENCE_WIDTH = 100
"""Letters in a line of the title and of the sentence below it: they fit into 700 pixels."""

MANY_OBJECTIVES = 4

TICKS = 16
"""Ticks of a logarithmic axis at most."""

LETTER = 7
"""Pixels that a letter of a tick's number takes."""


def front_figure(
    front: Front, picked: int | None = None, *, labels: Mapping[int, Mapping[str, str]] | None = None
) -> Figure:
    """Draw a front.

    The first objective to maximize, as a rule privacy, runs to the right, the first to minimize
    upwards; an axis is logarithmic if its values are positive and span more than two orders of
    magnitude. With two objectives a step line shows what can be reached; a third one is the
    colour; with four or more each solution is also a line across one axis for each objective.

    Parameters
    ----------
    front
        What to draw. An empty one gives an empty figure that says so.
    picked
        Number of a solution to mark.
    labels
        Solution's number → attribute → label of its level, shown beside the level's number; any
        of them may lack.

    Returns
    -------
    plotly.graph_objects.Figure
        Text is escaped: attribute names and labels may hold anything.

    Raises
    ------
    ParameterError
        If ``picked`` is not the number of a solution.
    """
    import plotly.graph_objects as go

    check_picked(front, picked)
    figure = go.Figure(layout=_layout(front))
    if not len(front):
        figure.update_layout(xaxis_visible=False, yaxis_visible=False)
        return figure
    x, y = plane_axes(front)
    others = other_axes(front)
    texts = hover_texts(front, picked, labels)
    if len(front.objectives) == 2 and len(front) > 1:
        figure.add_trace(_step_line(x, y))
    figure.add_trace(_points(x, y, others[0] if others else None, texts))
    for trace in _marks(front, picked, x, y):
        figure.add_trace(trace)
    figure.update_layout(xaxis=_axis_layout(x), yaxis=_axis_layout(y))
    if x.is_log:
        labels_below = x.tick_labels(TICKS, style.NARROW / LETTER)
        figure.update_xaxes(ticktext=list(labels_below.values()), tickangle=0)
    if len(front.objectives) >= MANY_OBJECTIVES:
        add_parallel(figure, front, [x, *others, y], others[0], picked)
    return figure


def _layout(front: Front) -> dict[str, object]:
    title = broken(front_title(front), TITLE_WIDTH)
    sentence = broken(front_sentence(front), SENTENCE_WIDTH)
    top = 24 * (title.count("<br>") + 1) + 18 * (sentence.count("<br>") + 1) + 68
    bottom = 76
    return {
        "template": "none",
        "title": {
            "text": f"<b>{title}</b><br>{_quiet(sentence)}",
            "font": {"size": style.TITLE_SIZE},
            "x": 0.0,
            "xref": "container",
            "xanchor": "left",
            "y": 1.0,
            "yref": "container",
            "yanchor": "top",
            "pad": {"l": 24, "t": 18},
        },
        "font": {"family": style.FAMILY, "size": style.TEXT_SIZE, "color": style.INK},
        "paper_bgcolor": "#ffffff",
        "plot_bgcolor": "#ffffff",
        "height": top + style.SCATTER + bottom,
        "margin": {"l": 84, "r": 40, "t": top, "b": bottom},
        "legend": {"orientation": "h", "x": 0.0, "xanchor": "left", "y": 1.01, "yanchor": "bottom"},
        "showlegend": True,
        "hovermode": "closest",
        # Travels with the figure, wherever it is shown: the first one would send the data to a server.
        "modebar": {"orientation": "v", "remove": ["sendChartToCloud", "select2d", "lasso2d", "autoScale2d"]},
        "hoverlabel": {
            "align": "left",
            "bgcolor": "#ffffff",
            "bordercolor": style.FAINT,
            "font": {"family": style.FAMILY, "size": style.TEXT_SIZE, "color": style.INK},
        },
    }


def _quiet(text: str) -> str:
    """Return plotly text in a smaller and fainter type."""
    return f'<span style="font-size: {style.TEXT_SIZE}px; color: {style.FAINT}">{text}</span>'


def _axis_layout(axis: Axis) -> dict[str, object]:
    found: dict[str, object] = {
        "title": {
            "text": f"{broken(axis.words, 44)}<br>{_quiet(axis.direction)}",
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


def _points(x: Axis, y: Axis, colour: Axis | None, texts: list[str]) -> dict[str, object]:
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
        "hovertext": texts,
        "hoverinfo": "text",
        "name": "solution",
        # A legend would show the colour of one solution as if it were that of all.
        "showlegend": colour is None,
    }


def _colour_bar(axis: Axis) -> dict[str, object]:
    ticks = axis.ticks(8)
    return {
        "title": {
            "text": f"{broken(axis.words, 48)}<br>{_quiet(axis.direction)}",
            "side": "right",
            "font": {"size": style.TEXT_SIZE},
        },
        "tickvals": axis.scaled(np.array(ticks)).tolist(),
        "ticktext": [number_words(tick) for tick in ticks],
        "thickness": 16,
        "outlinewidth": 0,
    }


def _marks(front: Front, picked: int | None, x: Axis, y: Axis) -> list[dict[str, object]]:
    """Return the rings around the knee and the picked solution; one fits inside the other."""
    looks = (
        ("knee", knee_number(front), {"symbol": "diamond-open", "size": 20, "color": style.KNEE}),
        ("picked", picked, {"symbol": "circle-open", "size": 28, "color": style.PICKED}),
    )
    places = {item.number: place for place, item in enumerate(front)}
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [float(x.values[places[number]])],
            "y": [float(y.values[places[number]])],
            "marker": {**look, "line": {"width": 2.5}},
            "hoverinfo": "skip",
            "legendgroup": name,
            "name": plain(f"{name}: solution {number}"),
        }
        for name, number, look in looks
        if number is not None
    ]


__all__ = ["front_figure"]
