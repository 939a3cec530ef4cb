"""Two solutions side by side: measures, what becomes of each attribute, sizes of the classes."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Generic, Literal

import numpy as np

from sfumato.errors import DataError
from sfumato.front.picks import SolutionT
from sfumato.report import style
from sfumato.report.axes import Axis
from sfumato.report.marks import scatter
from sfumato.report.page import drawing_json, page_html
from sfumato.report.phrases import SAID, measure_words, partition_words
from sfumato.report.pieces import Numbers, table_html
from sfumato.report.terminal import cells, pad
from sfumato.words import capital, list_words, pair_words, printable, range_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plotly.graph_objects import Figure

    from sfumato.front import ClassSizes, PlainFront


@dataclass(frozen=True)
class MeasurePair:
    """One measure of two solutions."""

    name: str  # the measure
    # its values
    first: float
    second: float
    maximize: bool | None  # whether larger is better; None where the measure is no objective

    @property
    def better(self) -> Literal["first", "second"] | None:
        """Which value is better; None where they are equal, or the measure is no objective."""
        if self.maximize is None or not (self.first < self.second or self.second < self.first):
            return None
        return "first" if (self.first > self.second) == self.maximize else "second"


@dataclass(frozen=True)
class AttributePair:
    """What two solutions make of one attribute, in words; ``same`` tells whether it is the same."""

    name: str
    first: str
    second: str
    same: bool


@dataclass(frozen=True)
class Comparison(Generic[SolutionT]):
    """Two solutions of a front side by side; print it, `plot` it, or write its `html`."""

    # the solutions
    first: SolutionT
    second: SolutionT
    measures: tuple[MeasurePair, ...]  # objectives and required measures, then suppressed rows
    attributes: tuple[AttributePair, ...]  # the quasi-identifiers
    # the sizes of the classes of both; None for a front that came from files without its data
    sizes: tuple[ClassSizes, ClassSizes] | None = None

    @property
    def numbers(self) -> tuple[int, int]:
        """The numbers of the solutions."""
        return self.first.number, self.second.number

    @property
    def sentence(self) -> str:
        """In which objectives either solution is better, in words."""
        wins: dict[str, list[str]] = {"first": [], "second": []}
        for item in self.measures:
            if item.better is not None:
                mine, other = pair_words(item.first, item.second)[:: 1 if item.better == "first" else -1]
                wins[item.better].append(f"{printable(item.name)} ({mine} instead of {other})")
        told = zip(self.numbers, wins.values(), strict=True)
        parts = [f"solution {number} is better in {list_words(found)}" for number, found in told if found]
        return f"{capital('; '.join(parts))}." if parts else "Both are equal in every objective."

    def __str__(self) -> str:
        return comparison_text(self)

    def plot(self) -> Figure:
        """Return a figure of the cumulative class sizes of both (plotly)."""
        import plotly.graph_objects as go

        if self.sizes is None:
            raise DataError("class sizes need the data; attach them first: front.attach(data, spec).")
        every = [size for item in self.sizes for size in item.sizes]
        axis = Axis("class size", None, np.array(every or [1], dtype=np.float64))
        looks = ({"color": style.POINT}, {"color": style.KNEE, "dash": "dash"})
        first, last = axis.scaled(np.array([axis.low, axis.high])).tolist()
        margin = 0.02 * (last - first) or 0.5
        across: dict[str, object] = {**style.LOOKS["sizes across"], "range": [first - margin, last + margin]}
        if axis.is_log:
            ticks = axis.tick_labels(16, style.NARROW / 7)
            across |= {"type": "log", "tickvals": list(ticks), "ticktext": list(ticks.values())}
            across["tickangle"] = 0
        layout = {
            "template": "none",
            "font": style.FONT,
            "height": 380,
            "margin": {"l": 84, "r": 40, "t": 48, "b": 60},
            "xaxis": across,
            "yaxis": style.LOOKS["sizes upwards"],
            "legend": style.LEGEND,
            "hovermode": "x unified",
            "modebar": style.MODEBAR,
        }
        figure = go.Figure(layout=layout)
        for number, item, look in zip(self.numbers, self.sizes, looks, strict=True):
            # 0 before its smallest size, all from its largest on.
            heights = [100 * rows / (item.total or 1) for rows in item.cumulative]
            trace = scatter(
                "lines",
                [item.sizes[0], *item.sizes, axis.high] if item.sizes else [],
                [0.0, *heights, 100.0] if item.sizes else [],
                line={**look, "shape": "hv", "width": 2.5},
                hovertemplate="%{y:.1f} %",
                name=f"solution {number}",
            )
            figure.add_trace(trace)
        return figure

    def html(self) -> str:
        """Return a page that opens without a network: the tables, and the figure where sizes are known."""
        first, second = self.numbers
        found = _tables(self, measure_words)
        tables = [replace(item, headings=list(map(capital, item.headings))) for item in found]
        wide = [f'<div class="wide">{table_html(item, "pair")}</div>' for item in tables]
        content = [wide[0], "<h2>Attributes</h2>", wide[1]]
        drawing = None
        if self.sizes is not None:
            drawing = drawing_json(self.plot())
            suppressed = " and ".join(f"{item.suppressed:,}" for item in self.sizes)
            content.append(_FIGURE.format(reading=escape(SAID["sizes"].format(suppressed))))
        title = f"Solution {first} next to solution {second}"
        return page_html(title, self.sentence, "\n".join(content), drawing)

    def to_dict(self) -> dict[str, object]:
        """Return all of it as JSON can hold it."""
        sizes = self.sizes and [
            {key: list(value) if isinstance(value, tuple) else value for key, value in vars(item).items()}
            for item in self.sizes
        ]
        return {
            "solutions": list(self.numbers),
            "measures": {item.name: [item.first, item.second] for item in self.measures},
            "better": {
                item.name: self.first.number if item.better == "first" else self.second.number
                for item in self.measures
                if item.better
            },
            "attributes": {item.name: [item.first, item.second] for item in self.attributes},
            "class_sizes": sizes,
        }


def make_comparison(
    front: PlainFront,
    first: SolutionT,
    second: SolutionT,
    *,
    labels: Mapping[int, Mapping[str, str]] | None = None,
    sizes: tuple[ClassSizes, ClassSizes] | None = None,
) -> Comparison[SolutionT]:
    """Put two solutions of a front side by side."""
    up = {item.name: item.maximize for item in front.objectives}
    names = dict.fromkeys([*front.measure_names, "suppressed"])
    measures = tuple(MeasurePair(name, first.value(name), second.value(name), up.get(name)) for name in names)
    looks = [(labels or {}).get(item.number, {}) for item in (first, second)]
    attributes = []
    for name, done in first.recoding.items():
        other = second.recoding[name]
        words = partition_words(done, looks[0].get(name)), partition_words(other, looks[1].get(name))
        attributes.append(AttributePair(name, *words, done == other))
    return Comparison(first, second, measures, tuple(attributes), sizes)


WIDTH = 100
BAR = 20  # letters of the longest bar
GAP = "   "
STEPS = (1, 2, 5)


def comparison_text(comparison: Comparison[SolutionT], width: int = WIDTH, *, unicode: bool = True) -> str:
    """Return two solutions side by side as plain text."""
    measures, attributes = _tables(comparison, printable)
    blocks = [
        textwrap.wrap(comparison.sentence, width, break_on_hyphens=False),
        _table(measures.headings, measures.rows, width, right=(1, 2, 3)),
        _table(attributes.headings, attributes.rows, width),
    ]
    if comparison.sizes is not None:
        rows = _size_rows(comparison.sizes, "█" if unicode else "#")
        blocks.append(_table(["rows in classes of", *attributes.headings[1:]], rows, width))
    text = "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks)
    return text if unicode else text.encode("ascii", "replace").decode()


def _tables(comparison: Comparison[SolutionT], words: Callable[[str], str]) -> tuple[Numbers, Numbers]:
    """Return the measures, named in these words, and the attributes of both solutions."""
    heads = [f"solution {number}" for number in comparison.numbers]
    better = {"first": heads[0], "second": heads[1], None: ""}
    measures = [
        [words(item.name), *pair_words(item.first, item.second), better[item.better]]
        for item in comparison.measures
    ]
    attributes = [
        [printable(item.name), item.first, "the same" if item.same else item.second]
        for item in comparison.attributes
    ]
    return (
        Numbers("", ["measure", *heads, "better"], measures),
        Numbers("", ["attribute", *heads], attributes),
    )


def _size_rows(sizes: tuple[ClassSizes, ClassSizes], letter: str) -> list[list[str]]:
    """Return for ranges of sizes the share of rows in each, with a bar."""
    shares = [
        (words, [item.rows_between(low, high) / item.total if item.total else 0.0 for item in sizes])
        for low, high, words in size_ranges(sizes)
    ]
    most = max((max(pair) for _, pair in shares), default=0.0) or 1.0
    rows = []
    for words, pair in shares:
        bars = [letter * max(round(BAR * share / most), bool(share)) for share in pair]
        rows.append([words, *(f"{100 * share:5.1f} % {bar}" for share, bar in zip(pair, bars, strict=True))])
    if any(item.suppressed for item in sizes):
        rows.append(["suppressed", *(f"{item.suppressed:,} rows" for item in sizes)])
    return rows


def size_ranges(sizes: Sequence[ClassSizes]) -> list[tuple[int, int, str]]:
    """Return ranges of class sizes that together hold all classes: from 1, 2, 5, 10, … up to the next."""
    found = [size for item in sizes for size in item.sizes]
    if not found:
        return []
    edges = [step * 10**power for power in range(len(str(max(found))) + 1) for step in STEPS]
    first = max(place for place, edge in enumerate(edges) if edge <= min(found))
    last = max(place for place, edge in enumerate(edges) if edge <= max(found))
    ranges = [(edges[place], edges[place + 1] - 1) for place in range(first, last + 1)]
    return [(low, high, range_words(low, high)) for low, high in ranges]


def _table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], width: int, right: Sequence[int] = ()
) -> list[str]:
    """Return aligned lines; the columns after the first share what room there is."""
    wanted = [max(cells(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    first = min(wanted[0], max(12, width // 3))
    share = (width - first) // (len(heads) - 1) - len(GAP)
    widths = [first, *(min(column, max(share, 8)) for column in wanted[1:])]
    lines = []
    for row in [heads, *rows]:
        parts = [
            textwrap.wrap(cell, column, break_on_hyphens=False) or [""] if cells(cell) > column else [cell]
            for cell, column in zip(row, widths, strict=True)
        ]
        for number in range(max(map(len, parts))):
            texts = [part[number] if number < len(part) else "" for part in parts]
            padded = [
                pad(text, column, right=place in right)
                for place, (text, column) in enumerate(zip(texts, widths, strict=True))
            ]
            lines.append(GAP.join(padded))
    return lines


_FIGURE = """<h2 id="sizes">Sizes of the classes</h2>
<p id="reading">{reading}</p>
<figure>
<div id="picture" role="img" aria-label="{reading}" aria-describedby="reading"></div>
</figure>"""
