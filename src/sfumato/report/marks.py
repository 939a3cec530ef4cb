"""What pictures of a front share: texts and traces, panels, rings; and lines across all its objectives."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from sfumato.front import PlainFront, PlainSolution, Suggestion, make_suggestions
from sfumato.report import phrases, style
from sfumato.words import count_words, number_words, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plotly.graph_objects import Figure

    from sfumato._typing import FloatArray
    from sfumato.report.axes import Axis

WIDTH = 56  # letters in a line; longer ones are broken, so that the box stays inside the figure
NAME_WIDTH = 48  # letters of an attribute's name and of a label; the rest is cut
ATTRIBUTES = 24  # attributes that are listed; with more of them the box would not fit on a screen


def plain(text: str) -> str:
    """Escape a text for plotly, which reads a few tags and entities in every text."""
    # Quotes stay: plotly knows no entity for them.
    return escape(text, quote=False)


def broken(text: str, width: int) -> str:
    """Escape a text and break it into lines of at most ``width`` letters."""
    # Most texts are short, and wrapping is slow.
    lines = [text] if len(text) <= width else textwrap.wrap(text, width)
    return "<br>".join(plain(line) for line in lines)


def scatter(mode: str, x: Sequence[object], y: Sequence[object], **more: object) -> dict[str, object]:
    """Return a trace of points, lines or texts."""
    return {"type": "scatter", "mode": mode, "x": list(x), "y": list(y), **more}


@dataclass(frozen=True, eq=False)
class FrontView:
    """A front with what pictures and tables show besides it."""

    front: PlainFront
    picked: int | None = None  # the number of a solution
    labels: Mapping[int, Mapping[str, str]] = field(default_factory=dict)  # number → attribute → label
    suggestions: Sequence[Suggestion[PlainSolution]] = ()  # what is marked
    is_explained: bool = False  # whether the reasons of suggestions appear too

    def __post_init__(self) -> None:
        phrases.check_picked(self.front, self.picked)

    @cached_property
    def knee(self) -> int | None:
        """The number of the knee, if there is one."""
        return phrases.knee_number(self.front)

    def hover_text(self, item: PlainSolution) -> str:
        """Return number, measures, suppressed rows and recoding of a solution, as plotly text."""
        reasons = {item.solution.number: item.why for item in self.suggestions if self.is_explained}
        why, marks = reasons.get(item.number, ""), {"picked": self.picked, "the knee": self.knee}
        mark = ", ".join(name for name, number in marks.items() if number == item.number)
        head = f"<b>Solution {item.number}</b>" + (f" ({mark})" if mark else "")
        names = [name for name in self.front.measure_names if name != "suppressed"]
        lines = [f"{phrases.measure_words(name)}: {number_words(item.value(name))}" for name in names]
        lines += [f"suppressed rows: {phrases.suppressed_words(self.front, item.suppressed)}", ""]
        labels, more = self.labels.get(item.number, {}), len(item.recoding) - ATTRIBUTES
        for attribute, partition in list(item.recoding.items())[:ATTRIBUTES]:
            width = NAME_WIDTH if isinstance(partition, int) else phrases.BLOCKS_WIDTH
            words = phrases.partition_words(partition, _cut(labels.get(attribute, ""), width))
            lines.append(f"{_cut(printable(attribute))}: {words}")
        lines += [f"and {count_words(more, 'more attribute')}"] if more > 0 else []
        lines += ["", why] if why else []
        return "<br>".join([head, *(broken(line, WIDTH) for line in lines)])

    def marks(self) -> list[Mark]:
        """Return the rings; each fits inside that of the picked solution."""
        places = {item.number: place for place, item in enumerate(self.front)}
        others = iter(style.SUGGESTED)
        marks = []
        for item in self.suggestions[: 1 + len(style.SUGGESTED)] if len(self.front) > 2 else ():
            ring = ("diamond-open", 20, style.KNEE) if item.name == "knee" else next(others)
            marks.append(Mark(places[item.solution.number], item.solution.number, item.name, *ring))
        if self.picked is not None:
            ring = ("circle-open", 28, style.PICKED)
            marks.append(Mark(places[self.picked], self.picked, "picked", *ring))
        return marks


def _cut(text: str, width: int = NAME_WIDTH) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


@dataclass(frozen=True)
class Panel:
    """The lower and upper end of a panel, as shares of the figure's height without its margins."""

    low: float
    high: float

    def headline(self, text: str) -> dict[str, object]:
        """Return a line of bold text above the panel, as an annotation."""
        return {**style.LOOKS["headline"], "text": f"<b>{plain(text)}</b>", "y": self.high}


def total_height(heights: Sequence[int]) -> int:
    """Return the pixels that panels take with the room between them."""
    return sum(heights) + style.GAP * (len(heights) - 1)


def make_panels(heights: Sequence[int]) -> list[Panel]:
    """Return panels of so many pixels each, from top to bottom."""
    total, top, panels = total_height(heights), 0, []
    for height in heights:
        panels.append(Panel(max(0.0, 1.0 - (top + height) / total), 1.0 - top / total))
        top += height + style.GAP
    return panels


SUGGESTIONS = 3  # so many are marked


@dataclass(frozen=True)
class Mark:
    """A ring around a solution, and how it is called in the legend."""

    place: int  # the place of the solution in the front
    number: int  # its number
    name: str  # in a word or two
    # what the ring looks like
    symbol: str
    size: int
    colour: str

    @property
    def group(self) -> str:
        """What belongs to it in all panels goes with it in the legend."""
        return f"{self.name} {self.number}"


def page_suggestions(front: PlainFront) -> list[Suggestion[PlainSolution]]:
    """Return the suggestions that pictures mark and pages list."""
    return make_suggestions(front, SUGGESTIONS) if len(front) else []


def mark_traces(marks: Sequence[Mark], x: Axis, y: Axis) -> list[dict[str, object]]:
    """Return the rings in the plane, each with its solution's number on the side where nothing lies."""
    # Nothing lies beyond a front on its better side.
    side = f"{'top' if y.maximize else 'bottom'} {'right' if x.maximize else 'left'}"
    labelled: set[int] = set()
    traces = []
    for mark in marks:
        is_new = mark.number not in labelled
        labelled.add(mark.number)
        ring = {"symbol": mark.symbol, "size": mark.size, "color": mark.colour, "line": {"width": 2.5}}
        trace = scatter(
            "markers+text" if is_new else "markers",
            [float(x.values[mark.place])],
            [float(y.values[mark.place])],
            text=[f"<b>{mark.number}</b>"],
            textposition=side,
            textfont={"color": mark.colour, "size": style.TEXT_SIZE},
            marker=ring,
            cliponaxis=False,
            hoverinfo="skip",
            legendgroup=mark.group,
            name=plain(f"{mark.name}: solution {mark.number}"),
        )
        traces.append(trace)
    return traces


COLOURS = 12
PICKED, SUGGESTED = {"width": 3, "dash": "dot"}, {"width": 4, "dash": "solid"}
HEADLINE = "All objectives: one line for each solution, better values further up"


# Four objectives and more: every solution is a line across one axis for each objective. Drawn with plain
# lines rather than plotly's own kind of trace, which needs WebGL (often switched off where data are
# sensitive), cannot be pointed at and has no logarithmic axes.


def add_parallel(
    figure: Figure, front: PlainFront, axes: Sequence[Axis], marks: Sequence[Mark], panel: Panel
) -> None:
    """Add the lines of all solutions below the scatter, better values above worse ones."""
    heights = np.column_stack([_height(axis, axis.shares) for axis in axes])
    figure.add_traces(_lines(front, axes, heights, axes[1]))
    for mark in marks:
        line = {"color": mark.colour, **(PICKED if mark.name == "picked" else SUGGESTED)}
        # It goes with its ring in the legend.
        look = {"line": line, "hoverinfo": "skip", "legendgroup": mark.group, "showlegend": False}
        figure.add_trace({**_path(heights[[mark.place]]), **look})
    width = max(12, 96 // len(axes))
    texts = [
        f'{broken(axis.words, width)}<br><span style="color: {style.FAINT}">{axis.better}</span>'
        for axis in axes
    ]
    # Grid lines of the places are the axes.
    places = {"range": [-0.25, len(axes) - 0.75], "tickvals": list(range(len(axes))), "ticktext": texts}
    bottom = 40 + 18 * max(text.count("<br>") + 1 for text in texts)
    figure.update_layout(
        height=figure.layout.height - figure.layout.margin.b + bottom,
        margin_b=bottom,
        xaxis2={**style.LOOKS["parallel axes"], **places},
        yaxis2={**style.LOOKS["parallel heights"], "domain": [panel.low, panel.high]},
    )
    figure.add_annotation(panel.headline(HEADLINE))
    for place, axis in enumerate(axes):
        for tick in axis.ticks(5):
            # On a ground that keeps the number readable among the lines.
            at = {"x": place, "y": float(_height(axis, axis.share(np.array([tick])))[0])}
            figure.add_annotation({**style.LOOKS["parallel tick"], "text": number_words(tick), **at})


def _height(axis: Axis, shares: FloatArray) -> FloatArray:
    return 1.0 - shares if axis.maximize is False else shares


def _lines(
    front: PlainFront, axes: Sequence[Axis], heights: FloatArray, colour: Axis
) -> list[dict[str, object]]:
    """Return one trace for each colour: a trace has one colour, and a trace for each line would be slow."""
    from plotly.colors import sample_colorscale

    def texts(place: int) -> list[str]:
        head = f"<b>Solution {front[place].number}</b><br>"
        told = (f"{axis.words}: {number_words(float(axis.values[place]))}" for axis in axes)
        return [*(head + plain(words) for words in told), ""]

    bins = np.minimum((np.nan_to_num(colour.shares) * COLOURS).astype(int), COLOURS - 1)
    traces = []
    for number in np.unique(bins):
        places = np.flatnonzero(bins == number).tolist()
        shade = sample_colorscale(style.SCALE, [(int(number) + 0.5) / COLOURS])[0]
        traces.append(
            {
                **_path(heights[places]),
                "line": {"color": shade, "width": 0.7 if len(front) >= style.MANY else 1.3},
                "opacity": 0.75,
                "hovertext": [text for place in places for text in texts(place)],
                "hoverinfo": "text",
                "customdata": [front[place].number for place in places for _ in range(len(axes) + 1)],
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
