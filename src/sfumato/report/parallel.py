"""Four objectives and more: every solution as a line across one axis for each objective.

Drawn with plain lines rather than plotly's own kind of trace, which needs WebGL (often switched
off where data are sensitive), cannot be pointed at and has no logarithmic axes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.report import style
from sfumato.report.marks import Mark, Panel, broken, plain, scatter
from sfumato.words import number_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.graph_objects import Figure

    from sfumato._typing import FloatArray
    from sfumato.front.plain import PlainFront
    from sfumato.report.axes import Axis

COLOURS = 12
PICKED, SUGGESTED = {"width": 3, "dash": "dot"}, {"width": 4, "dash": "solid"}
HEADLINE = "All objectives: one line for each solution, better values further up"


def add_parallel(
    figure: Figure, front: PlainFront, axes: Sequence[Axis], marks: Sequence[Mark], panel: Panel
) -> None:
    """Add the lines of all solutions below the scatter, better values above worse ones."""
    heights = np.column_stack([_height(axis, axis.shares) for axis in axes])
    figure.add_traces([*_lines(front, axes, heights, axes[1]), *_marked(heights, marks)])
    across = _across(axes)
    bottom = 40 + 18 * max(text.count("<br>") + 1 for text in across["ticktext"])
    figure.update_layout(
        height=figure.layout.height - figure.layout.margin.b + bottom,
        margin_b=bottom,
        xaxis2=across,
        yaxis2={
            "domain": [panel.low, panel.high],
            "anchor": "x2",
            "range": [-0.04, 1.04],
            "visible": False,
            "fixedrange": True,
        },
    )
    for note in (panel.headline(HEADLINE), *_ticks(axes)):
        figure.add_annotation(note)


def _across(axes: Sequence[Axis]) -> dict[str, Any]:
    """Return the layout of the places of the axes; its grid lines are the axes."""
    width = max(12, 96 // len(axes))
    return {
        "anchor": "y2",
        "range": [-0.25, len(axes) - 0.75],
        "tickvals": list(range(len(axes))),
        "ticktext": [
            f'{broken(axis.words, width)}<br><span style="color: {style.FAINT}">{axis.better}</span>'
            for axis in axes
        ],
        "tickangle": 0,
        "ticklen": 10,
        "tickcolor": "rgba(0, 0, 0, 0)",
        "gridcolor": style.INK,
        "zeroline": False,
        "fixedrange": True,
    }


def _height(axis: Axis, shares: FloatArray) -> FloatArray:
    return 1.0 - shares if axis.maximize is False else shares


def _lines(
    front: PlainFront, axes: Sequence[Axis], heights: FloatArray, colour: Axis
) -> list[dict[str, object]]:
    """Return one trace for each colour: a trace has one colour, and a trace for each line would be slow."""
    from plotly.colors import sample_colorscale

    bins = np.minimum((np.nan_to_num(colour.shares) * COLOURS).astype(int), COLOURS - 1)
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
                "customdata": [front[int(place)].number for place in places for _ in range(len(axes) + 1)],
                "showlegend": False,
            }
        )
    return traces


def _path(heights: FloatArray) -> dict[str, object]:
    """Return several lines as one trace, with gaps between them."""
    across: list[int | None] = [*range(heights.shape[1]), None]
    upwards = [
        value if value is not None and math.isfinite(value) else None
        for row in heights.tolist()
        for value in (*row, None)
    ]
    return scatter("lines", across * len(heights), upwards, xaxis="x2", yaxis="y2")


def _vertex_texts(front: PlainFront, axes: Sequence[Axis], place: int) -> list[str]:
    head = f"<b>Solution {front[place].number}</b><br>"
    return [*(head + plain(f"{a.words}: {number_words(float(a.values[place]))}") for a in axes), ""]


def _marked(heights: FloatArray, marks: Sequence[Mark]) -> list[dict[str, object]]:
    """Return the lines of marked solutions; they go with their rings in the legend."""
    return [
        {
            **_path(heights[[mark.place]]),
            "line": {"color": mark.colour, **(PICKED if mark.name == "picked" else SUGGESTED)},
            "hoverinfo": "skip",
            "legendgroup": mark.group,
            "showlegend": False,
        }
        for mark in marks
    ]


def _ticks(axes: Sequence[Axis]) -> list[dict[str, object]]:
    """Return the numbers beside each axis, on a ground that keeps them readable among the lines."""
    return [
        {
            "text": number_words(tick),
            "x": place,
            "y": float(_height(axis, axis.share(np.array([tick])))[0]),
            "xref": "x2",
            "yref": "y2",
            "xanchor": "right",
            "xshift": -5,
            "showarrow": False,
            "borderpad": 1,
            "bgcolor": "rgba(255, 255, 255, 0.85)",
        }
        for place, axis in enumerate(axes)
        for tick in axis.ticks(5)
    ]
