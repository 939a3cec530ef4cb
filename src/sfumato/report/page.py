"""One HTML file that shows a front, opens without a network and prints."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from sfumato.front.words import number_words
from sfumato.report.axes import Axis, other_axes, plane_axes
from sfumato.report.figures import MANY_OBJECTIVES, front_figure
from sfumato.report.marks import page_suggestions
from sfumato.report.table import solution_table, table_sentence
from sfumato.report.words import front_sentence, front_title, knee_number, measure_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plotly.graph_objects import Figure

    from sfumato.front import ClassSizes, Front, Solution, Suggestion

TOP_MARGIN = 48
"""Pixels above the figure without its title: room for the legend."""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Sfumato">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="quiet">{sentence}</p>
{content}
</main>
</body>
</html>
"""

_CONTENT = """<p id="reading">{reading}</p>
{suggestions}<figure>
<div id="picture" role="img" aria-label="{alternative}" aria-describedby="reading"></div>
</figure>
<noscript><p>The figure needs JavaScript; the table below holds the same solutions.</p></noscript>
{comparison}<h2 id="solutions">Solutions</h2>
<p>{above}</p>
<div class="wide" role="region" aria-labelledby="solutions" tabindex="0">
{table}
</div>
<script type="application/json" id="drawing">{drawing}</script>
<script>{library}</script>
<script>{script}</script>"""

_SUGGESTIONS = """<h2>Worth a look</h2>
<ul>
{items}
</ul>
"""

_COMPARISON = """<h2 id="comparison">Two solutions side by side</h2>
<p class="choices">Click on two points of the picture, or choose
<label>solution <select id="first"></select></label>
<label>beside solution <select id="second"></select></label>.</p>
<div id="pair" class="wide" aria-live="polite"></div>
<div id="sizes" role="img" aria-label="{sizes}"></div>
"""

_SIZES = "Share of the remaining rows in classes of at most each size, for both solutions."


def front_html(
    front: Front,
    picked: int | None = None,
    *,
    labels: Mapping[int, Mapping[str, str]] | None = None,
    sizes: Mapping[int, ClassSizes] | None = None,
) -> str:
    """Return a page with the figure of a front, suggestions, and a table of its solutions."""
    suggestions = page_suggestions(front)
    # Drawn first: it checks what was picked.
    figure = front_figure(front, picked, labels=labels, suggestions=suggestions)
    scripts = page_scripts() if len(front) else {}
    content = ""
    if len(front):
        content = _CONTENT.format(
            reading=escape(how_to_read(front)),
            alternative=escape(_alternative(front, picked)),
            suggestions=_suggestion_list(suggestions),
            comparison=_COMPARISON.format(sizes=_SIZES) if len(front) > 1 else "",
            above=escape(table_sentence(front)),
            table=solution_table(front, picked, labels=labels, suggestions=suggestions),
            drawing=drawing_json(figure, _comparison_data(suggestions, sizes)),
            **scripts,
        )
    return page_html(front_title(front), front_sentence(front), content, list(scripts.values()))


def page_html(title: str, sentence: str, content: str, scripts: Sequence[str]) -> str:
    """Return a whole page."""
    return _PAGE.format(
        policy=_policy(scripts),
        title=escape(title),
        sentence=escape(sentence),
        style=_resource("page.css"),
        content=content,
    )


def _suggestion_list(suggestions: Sequence[Suggestion[Solution]]) -> str:
    items = [
        f"<li><strong>Solution {item.solution.number}</strong>: {escape(item.why)}</li>"
        for item in suggestions
    ]
    return _SUGGESTIONS.format(items="\n".join(items)) if items else ""


def _comparison_data(
    suggestions: Sequence[Suggestion[Solution]], sizes: Mapping[int, ClassSizes] | None
) -> dict[str, object]:
    """Return what the script needs to put two solutions side by side: where to begin, class sizes."""
    found = {}
    for number, item in (sizes or {}).items():
        thin = item.thinned()
        shares = [round(100 * rows / (item.total or 1), 3) for rows in thin.cumulative]
        found[str(number)] = [list(thin.sizes), shares]
    return {"begin": [int(item.solution.number) for item in suggestions[:2]], "sizes": found}


def how_to_read(front: Front) -> str:
    """Return one sentence that tells how to read the figure of a front that is not empty."""
    x, y = plane_axes(front)
    others = other_axes(front)
    ways = [_better(x, "to the right", "to the left"), _better(y, "above", "below")]
    ways += [_better(axis, "towards yellow", "towards violet") for axis in others[:1]]
    where = ", ".join(way for way in ways if way)
    lines = (
        " The lines show the same solutions over all objectives."
        if len(front.objectives) >= MANY_OBJECTIVES
        else ""
    )
    return (
        f"Each point is one way to release the table, and better ones lie {where}; point at one to see what "
        f"it does to every attribute, and release the one you choose by its number.{lines}"
    )


def _better(axis: Axis, larger: str, smaller: str) -> str:
    if axis.maximize is None:
        return ""
    return f"{larger if axis.maximize else smaller} ({measure_words(axis.name, short=False)})"


def _alternative(front: Front, picked: int | None) -> str:
    """Return what the figure shows, for those who cannot see it."""
    x, y = plane_axes(front)
    knee = knee_number(front)
    parts = [
        f"Scatter plot of {_span(y)} over {_span(x)}.",
        f"The knee is solution {knee}." if knee else "",
        f"Solution {picked} is picked." if picked else "",
        "The table below holds the numbers.",
    ]
    return " ".join(part for part in parts if part)


def _span(axis: Axis) -> str:
    return f"{axis.words} from {number_words(axis.low)} to {number_words(axis.high)}"


def drawing_json(figure: Figure, beside: Mapping[str, object] | None = None) -> str:
    """Return the figure as JSON that cannot end the element it stands in; its title is the page's."""
    if figure.layout.title.text:
        height = figure.layout.height - figure.layout.margin.t + TOP_MARGIN
        figure.update_layout(title=None, margin_t=TOP_MARGIN, height=height)
    text = str(figure.to_json())
    if beside:
        text = f"{text[:-1]}, {json.dumps(beside)[1:]}"
    return text.replace("<", "\\u003c")


def page_scripts() -> dict[str, str]:
    """Return plotly's library and the script of the page, by their names in the templates."""
    from plotly.offline import get_plotlyjs

    # plotly's package ships the full library only.
    return {"library": get_plotlyjs(), "script": _resource("page.js")}


def _policy(scripts: Sequence[str]) -> str:
    """Return the rule that only these scripts may run and nothing may be fetched."""
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    allowed = " ".join(f"'sha256-{text}'" for text in hashes) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _resource(name: str) -> str:
    return files("sfumato.report").joinpath(name).read_text(encoding="utf-8")
