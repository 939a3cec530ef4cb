"""One HTML file that shows a front, opens without a network and prints."""

from __future__ import annotations

import base64
import gzip
import json
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from sfumato.front import ClassSizes, PlainFront, PlainSolution, number_text
from sfumato.report import phrases, style
from sfumato.report.axes import Axis, beside_line, other_axes, plane_axes, plane_scale, proven_bounds
from sfumato.report.marks import FrontView, add_parallel, broken, make_panels, page_suggestions, total_height
from sfumato.report.pieces import document_html, read_resource, source_hash
from sfumato.report.plane import Plane, add_zoom, axis_layouts, quiet, steepest_part
from sfumato.words import number_words, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plotly.graph_objects import Figure


LIMIT = 500  # rows of the table; ``front.csv`` holds all


def table_sentence(front: PlainFront) -> str:
    """Return the text above the table: how much of the front it shows and how to use it."""
    shown = f"The first {LIMIT:,} of {len(front):,} solutions and the marked ones"
    if len(front) <= LIMIT:
        shown = "1 solution" if len(front) == 1 else f"All {len(front):,} solutions"
    is_level = set() if front.is_local else _level_kinds(front)
    levels = " At level 0 an attribute is released unchanged; the higher the level, the coarser its values."
    blocks = " Values in a block share one label; the fewer the blocks, the coarser the values."
    return (
        f"{shown}, best first by the objectives in their order; click a column heading to sort by it."
        f"{levels if True in is_level else ''}{blocks if False in is_level else ''}"
    )


def _level_kinds(front: PlainFront) -> set[bool]:
    """Return whether attributes have levels (True), blocks (False) or, some of them, either."""
    return {isinstance(partition, int) for partition in front[0].recoding.values()}


class _SolutionTable:
    """The table of solutions, which the page can sort: numbers, measures, suppressed rows, attributes."""

    def __init__(self, view: FrontView) -> None:
        self.view, self.front = view, view.front
        self.suggested = {item.solution.number: item.name for item in view.suggestions}
        self.measures = [name for name in view.front.measure_names if name != "suppressed"]
        self.attributes = list(view.front[0].recoding)

    def html(self) -> str:
        """Return the first solutions, and the marked ones."""
        marked = {self.view.picked, *self.suggested}
        solutions = self.front.solutions
        shown = [*solutions[:LIMIT], *(item for item in solutions[LIMIT:] if item.number in marked)]
        rows = "\n".join(map(self._row, shown))
        return f"<table>\n{self._head()}\n<tbody>\n{rows}\n</tbody>\n</table>"

    def _head(self) -> str:
        names = [*self.measures, "suppressed", *(["proven"] if self.front.is_local else [])]
        better = {item.name: "larger" if item.maximize else "smaller" for item in self.front.objectives}
        kinds = {True: "Level", False: "Blocks"}
        title = " or ".join(kinds[kind] for kind in (True, False) if kind in _level_kinds(self.front))
        title = "Detail lost" if self.front.is_local else title
        # The column of the solutions' numbers stands outside of both groups.
        groups = _group(len(names), "Measures")
        groups += _group(len(self.attributes), f"{title.capitalize()} of each attribute")
        headings = [
            _heading("Solution", "", order="ascending"),
            *(
                _heading(phrases.measure_words(name), _look("measure", place), better=better.get(name))
                for place, name in enumerate(names)
            ),
            *(_heading(printable(name), _look("", place)) for place, name in enumerate(self.attributes)),
        ]
        return f"<thead>\n<tr><td></td>{groups}</tr>\n<tr>{''.join(headings)}</tr>\n</thead>"

    def _row(self, item: PlainSolution) -> str:
        own = {"picked": self.view.picked, "knee": self.view.knee}
        marks = [name for name, number in own.items() if number == item.number]
        name = self.suggested.get(item.number)
        notes = [*marks, *([escape(name)] if name and name not in marks else [])]
        text = " ".join([str(item.number), *notes[:1], *(f"({note})" for note in notes[1:])])
        start = f'<tr class="{" ".join(marks)}">' if marks else "<tr>"
        cells = [f'<th scope="row" data-value="{item.number}">{text}</th>']
        values = [(item.value(name), number_words(item.value(name))) for name in self.measures]
        values.append((item.suppressed, phrases.suppressed_words(self.front, item.suppressed)))
        if self.front.is_local:
            values.append((UNKNOWN if item.gap is None else item.gap, item.certainty))
        cells += [_cell(value, text, _look("measure", place)) for place, (value, text) in enumerate(values)]
        labels = self.view.labels.get(item.number, {})
        for place, attribute in enumerate(self.attributes):
            partition = item.recoding[attribute]
            size = partition if isinstance(partition, int) else phrases.partition_size(partition)
            text = phrases.partition_words(partition, labels.get(attribute)).removeprefix("level ")
            cells.append(_cell(size, text, _look("", place)))
        return f"{start}{''.join(cells)}</tr>"


def _group(size: int, text: str) -> str:
    return f'<th colspan="{size}" scope="colgroup">{text}</th>' if size else ""


def _look(kind: str, place: int) -> str:
    """Return the class attribute of a cell; the first one of a group has a line before it."""
    names = " ".join(name for name in (kind, "" if place else "first") if name)
    return f' class="{names}"' if names else ""


def _heading(text: str, look: str, *, order: str = "none", better: str | None = None) -> str:
    # The page's script reads which of two values is the better one.
    way = f' data-better="{better}"' if better else ""
    button = f'<button type="button">{escape(text)}</button>'
    return f'<th scope="col" aria-sort="{order}"{way}{look}>{button}</th>'


def _cell(value: float, text: str, look: str) -> str:
    # Sorting reads the exact value: the text is rounded.
    return f'<td data-value="{number_text(value)}"{look}>{escape(text)}</td>'


TITLE_WIDTH, SENTENCE_WIDTH = 68, 100  # letters in a line of the title and below it: they fit into 700 pixels
MANY_OBJECTIVES = 3  # from so many objectives on, lines show them all


def front_figure(
    front: PlainFront,
    picked: int | None = None,
    *,
    labels: Mapping[int, Mapping[str, str]] | None = None,
    is_plain: bool = False,
) -> Figure:
    """Draw a front; a plain figure has no panels below the plane, and no title."""
    # The first objective to maximize, as a rule privacy, runs to the right, the first to minimize upwards; an
    # axis is logarithmic if its values are positive and span more than two orders of magnitude. Suggestions
    # are marked. A second panel magnifies the steepest part, where there is one. With two objectives a step
    # line shows what can be reached; a third one is the colour, and each solution is then also a line across
    # one axis for each objective. Values that are not finite are left out.
    return _draw(FrontView(front, picked, labels or {}, page_suggestions(front)), is_plain=is_plain)


def _draw(view: FrontView, *, is_plain: bool = False) -> Figure:
    import plotly.graph_objects as go

    front = view.front
    figure = go.Figure(layout=_layout(front))
    if not len(front):
        figure.update_layout(xaxis_visible=False, yaxis_visible=False)
        return figure
    x, y = plane_axes(front)
    others = other_axes(front)
    texts, numbers = [view.hover_text(item) for item in front], [item.number for item in front]
    # What is the same everywhere needs no colour.
    colour = next((axis for axis in others if axis.low < axis.high), None)
    bounds = proven_bounds(front) if front.is_local else None
    is_bordered, beside = len(front.objectives) == 2, beside_line(front)
    plane = Plane(x, y, colour, texts, view.marks(), is_bordered, numbers, beside, bounds)
    figure.add_traces(plane.traces())
    if is_plain:
        across, upwards = axis_layouts(*plane_scale(front))
        figure.update_layout(xaxis=across, yaxis=upwards, title=None, margin_t=TOP_MARGIN)
        return figure
    _add_panels(figure, front, plane, [x, *others, y])
    return figure


def _add_panels(figure: Figure, front: PlainFront, plane: Plane, axes: Sequence[Axis]) -> None:
    """Put the scatter above what else there is to draw: its steepest part, all objectives as lines."""
    part = steepest_part(plane.x, plane.y)
    has_lines = len(front.objectives) >= MANY_OBJECTIVES
    heights = [style.SCATTER, *([style.ZOOM] if part else []), *([style.LINES] if has_lines else [])]
    panels = make_panels(heights)
    across, upwards = axis_layouts(*plane_scale(front))
    upwards |= {"domain": [panels[0].low, panels[0].high]}
    added = total_height(heights) - style.SCATTER
    figure.update_layout(xaxis=across, yaxis=upwards, height=figure.layout.height + added)
    bar = {"len": panels[0].high - panels[0].low, "y": 1.0, "yanchor": "top"}
    figure.update_traces(marker_colorbar=bar, selector=lambda trace: bool(trace.marker.colorbar.thickness))
    if part is not None:
        add_zoom(figure, plane, part, panels[1])
    if has_lines:
        add_parallel(figure, front, axes, plane.marks, panels[-1])


def _layout(front: PlainFront) -> dict[str, object]:
    title = broken(phrases.front_title(front), TITLE_WIDTH)
    sentence = broken(phrases.front_sentence(front), SENTENCE_WIDTH)
    top = 24 * (title.count("<br>") + 1) + 18 * (sentence.count("<br>") + 1) + 68
    bottom = 76
    return {
        "template": "none",
        "title": {"text": f"<b>{title}</b><br>{quiet(sentence)}", **style.LOOKS["title"]},
        "font": style.FONT,
        "paper_bgcolor": "#ffffff",
        "plot_bgcolor": "#ffffff",
        "height": top + style.SCATTER + bottom,
        "margin": {"l": 84, "r": 40, "t": top, "b": bottom},
        "legend": style.LEGEND,
        "showlegend": True,
        "hovermode": "closest",
        "modebar": style.MODEBAR,
        "hoverlabel": {"align": "left", "bgcolor": "#ffffff", "bordercolor": style.FAINT, "font": style.FONT},
    }


UNKNOWN = 1e9  # where what is not known is sorted
TOP_MARGIN = 48  # pixels above the figure without its title: room for the legend
_SCRIPTS = """
<script type="application/json" id="drawing">{drawing}</script>
<script type="application/gzip" id="library">{library}</script>
<script>{script}</script>"""

_SUGGESTIONS = """<h2>Worth a look</h2>
<ul>
{items}
</ul>
"""


def front_html(
    front: PlainFront,
    picked: int | None = None,
    *,
    labels: Mapping[int, Mapping[str, str]] | None = None,
    sizes: Mapping[int, ClassSizes] | None = None,
) -> str:
    """Return a page with the figure of a front, suggestions, and a table of its solutions."""
    view = FrontView(front, picked, labels or {}, page_suggestions(front), is_explained=True)
    if not len(front):
        return page_html(phrases.front_title(front), phrases.front_sentence(front), "")
    items = [
        f"<li><strong>Solution {item.solution.number}</strong>: {escape(item.why)}</li>"
        for item in view.suggestions
    ]
    x, y = plane_axes(front)
    alternative = [
        f"Scatter plot of {y.span} over {x.span}.",
        *([f"The knee is solution {view.knee}."] if view.knee else []),
        *([f"Solution {view.picked} is picked."] if view.picked else []),
        "The table below holds the numbers.",
    ]
    page = read_resource("front.html").removesuffix("\n")
    content = page.format(
        reading=escape(how_to_read(front)),
        alternative=escape(" ".join(alternative)),
        suggestions=_SUGGESTIONS.format(items="\n".join(items)) if items else "",
        comparison=read_resource("comparison.html") if len(front) > 1 else "",
        above=escape(table_sentence(front)),
        table=_SolutionTable(view).html(),
    )
    # What the script needs to put two solutions side by side: class sizes, and where to begin.
    shares = {}
    for number, item in (sizes or {}).items():
        thin, total = item.thinned(), item.total or 1
        shares[str(number)] = [list(thin.sizes), [round(100 * rows / total, 3) for rows in thin.cumulative]]
    begin = [int(item.solution.number) for item in view.suggestions[:2]]
    drawing = drawing_json(_draw(view), {"begin": begin, "sizes": shares})
    return page_html(phrases.front_title(front), phrases.front_sentence(front), content, drawing)


def page_html(title: str, sentence: str, content: str, drawing: str | None = None) -> str:
    """Return a whole page on which only the scripts for its drawing may run, and nothing may be fetched."""
    allowed = "'none'"
    if drawing is not None:
        (packed, digest), script = _library(), read_resource("page.js")
        content += _SCRIPTS.format(drawing=drawing, library=packed, script=script)
        allowed = f"{digest} {source_hash(script)}"
    rule = f"script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:"
    words = f'<h1>{escape(title)}</h1>\n<p class="quiet">{escape(sentence)}</p>'
    body = f"<main>\n{words}\n{content}\n</main>"
    style_sheet = f"\n{style.palette_css()}{read_resource('page.css')}"
    return document_html(escape(title), style_sheet, rule, body)


@cache
def _library() -> tuple[str, str]:
    """Return plotly's script as pages hold it, and its digest; packing it once takes longer than the rest."""
    from plotly.offline import get_plotlyjs

    # plotly's package ships the full library only: packed, since a page is copied and mailed. The browser
    # unpacks it, and the rule allows what comes out, by its digest.
    library = get_plotlyjs()
    packed = base64.b64encode(gzip.compress(library.encode(), 3, mtime=0)).decode()
    return packed, source_hash(library)


def how_to_read(front: PlainFront) -> str:
    """Return one sentence on how to read the figure of a front that is not empty."""
    x, y = plane_axes(front)
    others = other_axes(front)
    ways = [_better(x, "to the right", "to the left"), _better(y, "above", "below")]
    ways += [_better(axis, "towards yellow", "towards violet") for axis in others[:1]]
    where = ", ".join(way for way in ways if way)
    has_lines = len(front.objectives) >= MANY_OBJECTIVES
    lines = " The lines show the same solutions over all objectives." if has_lines else ""
    lines += f" {phrases.SAID['two_curves']}" if front.is_local and front.beside is not None else ""
    lines += f" {phrases.SAID['bars_end']}" if front.is_local else ""
    return (
        f"Each point is one way to release the table, and better ones lie {where}; point at one to see what "
        f"it does to every attribute, and release the one you choose by its number.{lines}"
    )


def _better(axis: Axis, larger: str, smaller: str) -> str:
    if axis.maximize is None:
        return ""
    return f"{larger if axis.maximize else smaller} ({phrases.measure_words(axis.name, short=False)})"


def drawing_json(figure: Figure, beside: Mapping[str, object] | None = None) -> str:
    """Return the figure as JSON that cannot end the element it stands in; its title is the page's."""
    if figure.layout.title.text:
        height = figure.layout.height - figure.layout.margin.t + TOP_MARGIN
        figure.update_layout(title=None, margin_t=TOP_MARGIN, height=height)
    text = str(figure.to_json())
    if beside:
        text = f"{text[:-1]}, {json.dumps(beside)[1:]}"
    return text.replace("<", "\\u003c")
