"""Two solutions side by side: the figure of their class sizes, and a page that opens offline."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import DataError
from sfumato.front.words import pair_words, printable
from sfumato.report import style
from sfumato.report.axes import Axis
from sfumato.report.page import drawing_json, page_html, page_scripts
from sfumato.report.words import measure_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotly.graph_objects import Figure

    from sfumato.front import ClassSizes
    from sfumato.front.flat_regions import SolutionT
    from sfumato.report.comparison import Comparison

_FIGURE = """<h2 id="sizes">Sizes of the classes</h2>
<p id="reading">{reading}</p>
<figure>
<div id="picture" role="img" aria-label="{reading}" aria-describedby="reading"></div>
</figure>
<script type="application/json" id="drawing">{drawing}</script>
<script>{library}</script>
<script>{script}</script>"""


def comparison_figure(comparison: Comparison[SolutionT]) -> Figure:
    """Draw for two solutions the share of rows in classes of at most each size."""
    import plotly.graph_objects as go

    if comparison.sizes is None:
        raise DataError("the class sizes need the data; give the front its data: front.attach(data, spec).")
    every = [size for item in comparison.sizes for size in item.sizes]
    axis = Axis("class size", None, np.array(every or [1], dtype=np.float64))
    looks = ({"color": style.POINT}, {"color": style.KNEE, "dash": "dash"})
    figure = go.Figure(layout=_layout(axis))
    for number, item, look in zip(comparison.numbers, comparison.sizes, looks, strict=True):
        figure.add_trace(_steps(item, f"solution {number}", look, axis))
    return figure


def _layout(axis: Axis) -> dict[str, object]:
    first, last = axis.scaled(np.array([axis.low, axis.high])).tolist()
    pad = 0.02 * (last - first) or 0.5
    across: dict[str, object] = {
        "title": {"text": "class size"},
        "range": [first - pad, last + pad],
        "gridcolor": style.GRID,
        "zeroline": False,
        "separatethousands": True,
    }
    if axis.is_log:
        ticks = axis.tick_labels(16, style.NARROW / 7)
        across |= {"type": "log", "tickvals": list(ticks), "ticktext": list(ticks.values()), "tickangle": 0}
    return {
        "template": "none",
        "font": {"family": style.FAMILY, "size": style.TEXT_SIZE, "color": style.INK},
        "height": 380,
        "margin": {"l": 84, "r": 40, "t": 48, "b": 60},
        "xaxis": across,
        "yaxis": {
            "title": {"text": "rows in classes<br>up to this size"},
            "ticksuffix": " %",
            "range": [-3, 103],
            "gridcolor": style.GRID,
            "zeroline": False,
        },
        "legend": {"orientation": "h", "x": 0.0, "xanchor": "left", "y": 1.01, "yanchor": "bottom"},
        "hovermode": "x unified",
        "modebar": {"orientation": "v", "remove": ["sendChartToCloud", "select2d", "lasso2d", "autoScale2d"]},
    }


def _steps(item: ClassSizes, name: str, look: dict[str, str], axis: Axis) -> dict[str, object]:
    """Return one cumulative distribution: 0 before its smallest size, all from its largest on."""
    total = item.total or 1
    heights = [100 * rows / total for rows in item.cumulative]
    ends = [item.sizes[0], *item.sizes, axis.high] if item.sizes else []
    return {
        "type": "scatter",
        "mode": "lines",
        "x": ends,
        "y": [0.0, *heights, 100.0] if item.sizes else [],
        "line": {**look, "shape": "hv", "width": 2.5},
        "hovertemplate": "%{y:.1f} %",
        "name": name,
    }


def comparison_html(comparison: Comparison[SolutionT]) -> str:
    """Return a page with two solutions side by side."""
    first, second = comparison.numbers
    heads = [f"Solution {first}", f"Solution {second}"]
    content = [
        _table(["Measure", *heads, "Better"], _measure_rows(comparison)),
        "<h2>Attributes</h2>",
        _table(["Attribute", *heads], _attribute_rows(comparison)),
    ]
    scripts: dict[str, str] = {}
    if comparison.sizes is not None:
        scripts = page_scripts()
        reading = _reading(comparison)
        drawing = drawing_json(comparison_figure(comparison))
        content.append(_FIGURE.format(reading=escape(reading), drawing=drawing, **scripts))
    title = f"Solution {first} beside solution {second}"
    return page_html(title, comparison.sentence, "\n".join(content), list(scripts.values()))


def _reading(comparison: Comparison[SolutionT]) -> str:
    suppressed = [f"{item.suppressed:,}" for item in comparison.sizes or ()]
    return (
        "For each class size the share of the remaining rows that live in classes of at most this size: "
        "the further to the right a line rises, the larger the classes. Suppressed rows are in no class "
        f"({' and '.join(suppressed)})."
    )


def _measure_rows(comparison: Comparison[SolutionT]) -> list[list[str]]:
    better = dict(zip(("first", "second"), comparison.numbers, strict=True))
    return [
        [
            measure_words(item.name),
            *pair_words(item.first, item.second),
            f"solution {better[item.better]}" if item.better else "",
        ]
        for item in comparison.measures
    ]


def _attribute_rows(comparison: Comparison[SolutionT]) -> list[list[str]]:
    return [
        [printable(item.name), item.first, "the same" if item.same else item.second]
        for item in comparison.attributes
    ]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "\n".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(text)}</td>" for text in row[1:])
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="wide"><table class="pair">\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )
