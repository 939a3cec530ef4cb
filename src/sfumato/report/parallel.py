"""Four objectives and more: every solution as a line across one axis for each objective.

Drawn with plain lines rather than plotly's own kind of trace, which needs WebGL (often switched
off where data are sensitive), cannot be pointed at and has no logarithmic axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.report import style
from sfumato.report.hover import broken, plain
from sfumato.report.words import knee_number, number_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.graph_objects import Figure

    from sfumato._typing import FloatArray
    from sfumato.front.front import Front
    from sfumato.report.axes import Axis

TOTAL = style.SCATTER + style.GAP + style.LINES
BOTTOM = style.LINES / TOTAL
TOP = 1.0 - style.SCATTER / TOTAL
"""Where the lines end and the scatter begins, as shares of the height without margins."""

COLOURS = 12


def add_parallel(
    figure: Figure, front: Front, axes: Sequence[Axis], colour: Axis, picked: int | None
) -> None:
    """Add the lines of all solutions below the scatter, better values above worse ones.

    Parameters
    ----------
    figure
        Its first pair of axes is the scatter's.
    front
        The solutions.
    axes
        What to draw from left to right.
    colour
        The axis that colours the points colours the lines.
    picked
        Number of the picked solution.
    """
    heights = np.column_stack([_height(axis, axis.values) for axis in axes])
    figure.add_traces([*_lines(front, axes, heights, colour), *_marked(front, heights, picked)])
    across = _across(axes)
    bottom = 40 + 18 * max(text.count("<br>") + 1 for text in across["ticktext"])
    figure.update_layout(
        height=figure.layout.margin.t + TOTAL + bottom,
        margin_b=bottom,
        xaxis_anchor="y",
        yaxis_domain=[TOP, 1.0],
        xaxis2=across,
        yaxis2={
            "domain": [0.0, BOTTOM],
            "anchor": "x2",
            "range": [-0.04, 1.04],
            "visible": False,
            "fixedrange": True,
        },
        annotations=[_headline(), *_ticks(axes)],
    )
    figure.update_traces(
        marker_colorbar={"len": 1.0 - TOP, "y": 1.0, "yanchor": "top"}, selector={"name": "solution"}
    )


def _across(axes: Sequence[Axis]) -> dict[str, Any]:
    """Return the layout of the places of the axes; its grid lines are the axes."""
    return {
        "anchor": "y2",
        "range": [-0.25, len(axes) - 0.75],
        "tickvals": list(range(len(axes))),
        "ticktext": [_heading(axis, max(12, 96 // len(axes))) for axis in axes],
        "tickangle": 0,
        "ticklen": 10,
        "tickcolor": "rgba(0, 0, 0, 0)",
        "gridcolor": style.INK,
        "zeroline": False,
        "fixedrange": True,
    }


def _headline() -> dict[str, object]:
    return {
        "text": "<b>All objectives: one line for each solution, better values further up</b>",
        "showarrow": False,
        "x": 0.0,
        "xref": "paper",
        "xanchor": "left",
        "y": BOTTOM,
        "yref": "paper",
        "yanchor": "bottom",
        "yshift": 14,
        "font": {"size": style.AXIS_SIZE},
    }


def _height(axis: Axis, values: FloatArray) -> FloatArray:
    shares = axis.share(values)
    return 1.0 - shares if axis.maximize is False else shares


def _heading(axis: Axis, width: int) -> str:
    way = "" if axis.maximize is None else "larger is better" if axis.maximize else "smaller is better"
    return f'{broken(axis.words, width)}<br><span style="color: {style.FAINT}">{way}</span>'


def _lines(front: Front, axes: Sequence[Axis], heights: FloatArray, colour: Axis) -> list[dict[str, object]]:
    """Return one trace for each colour: a trace has one colour, and a trace for each line would be slow."""
    from plotly.colors import sample_colorscale

    bins = np.minimum((colour.shares * COLOURS).astype(int), COLOURS - 1)
    traces = []
    for number in np.unique(bins):
        places = np.flatnonzero(bins == number)
        shade = sample_colorscale(style.SCALE, [(int(number) + 0.5) / COLOURS])[0]
        traces.append(
            {
                **_path(heights[places]),
                "line": {"color": shade, "width": 0.7 if len(front) >= style.MANY else 1.3},
                "opacity": 0.75,
                "hovertext": [text for place in places for text in _vertex_texts(front, axes, int(place))],
                "hoverinfo": "text",
                "showlegend": False,
            }
        )
    return traces


def _path(heights: FloatArray) -> dict[str, object]:
    """Return several lines as one trace, with gaps between them."""
    across: list[int | None] = [*range(heights.shape[1]), None]
    upwards = [value for row in heights.tolist() for value in (*row, None)]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": across * len(heights),
        "y": upwards,
        "xaxis": "x2",
        "yaxis": "y2",
    }


def _vertex_texts(front: Front, axes: Sequence[Axis], place: int) -> list[str]:
    head = f"<b>Solution {front[place].number}</b><br>"
    return [*(head + plain(f"{a.words}: {number_words(float(a.values[place]))}") for a in axes), ""]


def _marked(front: Front, heights: FloatArray, picked: int | None) -> list[dict[str, object]]:
    """Return the lines of the knee and the picked solution; they go with their rings in the legend."""
    looks = (
        ("knee", knee_number(front), {"color": style.KNEE, "width": 4}),
        ("picked", picked, {"color": style.PICKED, "width": 3, "dash": "dot"}),
    )
    places = {item.number: place for place, item in enumerate(front)}
    return [
        {
            **_path(heights[[places[number]]]),
            "line": look,
            "hoverinfo": "skip",
            "legendgroup": name,
            "showlegend": False,
        }
        for name, number, look in looks
        if number is not None
    ]


def _ticks(axes: Sequence[Axis]) -> list[dict[str, object]]:
    """Return the numbers beside each axis, on a ground that keeps them readable among the lines."""
    return [
        {
            "text": number_words(tick),
            "x": place,
            "y": float(height),
            "xref": "x2",
            "yref": "y2",
            "xanchor": "right",
            "xshift": -5,
            "showarrow": False,
            "borderpad": 1,
            "bgcolor": "rgba(255, 255, 255, 0.85)",
        }
        for place, axis in enumerate(axes)
        for tick, height in _tick_heights(axis)
    ]


def _tick_heights(axis: Axis) -> list[tuple[float, float]]:
    ticks = axis.ticks(5)
    return list(zip(ticks, _height(axis, np.array(ticks)).tolist(), strict=True))


__all__ = ["add_parallel"]
