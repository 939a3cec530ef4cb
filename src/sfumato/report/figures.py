"""The figure of a front."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.report import style
from sfumato.report.axes import other_axes, plane_axes
from sfumato.report.hover import broken, hover_texts
from sfumato.report.marks import find_marks
from sfumato.report.panels import make_panels, total_height
from sfumato.report.parallel import add_parallel
from sfumato.report.plane import Plane, axis_layouts, quiet
from sfumato.report.words import check_picked, front_sentence, front_title
from sfumato.report.zoom import add_zoom, steepest_part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plotly.graph_objects import Figure

    from sfumato.front import Front, Solution, Suggestion
    from sfumato.report.axes import Axis

TITLE_WIDTH = 68
SENTENCE_WIDTH = 100
"""Letters in a line of the title and of the sentence below it: they fit into 700 pixels."""

MANY_OBJECTIVES = 3
"""From so many objectives on, lines show them all."""


def front_figure(
    front: Front,
    picked: int | None = None,
    *,
    labels: Mapping[int, Mapping[str, str]] | None = None,
    suggestions: Sequence[Suggestion[Solution]] | None = None,
) -> Figure:
    """Draw a front.

    The first objective to maximize, as a rule privacy, runs to the right, the first to minimize
    upwards; an axis is logarithmic if its values are positive and span more than two orders of
    magnitude. Suggestions are marked. A second panel magnifies the steepest part, where there is one.
    With two objectives a step line shows what can be reached; a third one is the colour, and each
    solution is then also a line across one axis for each objective. Values that are not finite are
    left out.
    """
    import plotly.graph_objects as go

    check_picked(front, picked)
    figure = go.Figure(layout=_layout(front))
    if not len(front):
        figure.update_layout(xaxis_visible=False, yaxis_visible=False)
        return figure
    x, y = plane_axes(front)
    others = other_axes(front)
    plane = Plane(
        x,
        y,
        others[0] if others else None,
        hover_texts(front, picked, labels, suggestions),
        find_marks(front, picked, suggestions),
        len(front.objectives) == 2,
        [item.number for item in front],
    )
    figure.add_traces(plane.traces())
    _add_panels(figure, front, plane, [x, *others, y])
    return figure


def _add_panels(figure: Figure, front: Front, plane: Plane, axes: Sequence[Axis]) -> None:
    """Put the scatter above what else there is to draw: its steepest part, all objectives as lines."""
    part = steepest_part(plane.x, plane.y)
    has_lines = len(front.objectives) >= MANY_OBJECTIVES
    heights = [style.SCATTER, *([style.ZOOM] if part else []), *([style.LINES] if has_lines else [])]
    panels = make_panels(heights)
    across, upwards = axis_layouts(plane.x, plane.y)
    upwards |= {"domain": [panels[0].low, panels[0].high]}
    added = total_height(heights) - style.SCATTER
    figure.update_layout(xaxis=across, yaxis=upwards, height=figure.layout.height + added)
    bar = {"len": panels[0].high - panels[0].low, "y": 1.0, "yanchor": "top"}
    figure.update_traces(marker_colorbar=bar, selector=lambda trace: bool(trace.marker.colorbar.thickness))
    if part is not None:
        add_zoom(figure, plane, part, panels[1])
    if has_lines:
        add_parallel(figure, front, axes, plane.marks, panels[-1])


def _layout(front: Front) -> dict[str, object]:
    title = broken(front_title(front), TITLE_WIDTH)
    sentence = broken(front_sentence(front), SENTENCE_WIDTH)
    top = 24 * (title.count("<br>") + 1) + 18 * (sentence.count("<br>") + 1) + 68
    bottom = 76
    return {
        "template": "none",
        "title": {
            "text": f"<b>{title}</b><br>{quiet(sentence)}",
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
