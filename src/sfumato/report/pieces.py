"""What a report says, as data: chapters of paragraphs, lists, facts, tables and charts; and its HTML.

A chapter holds texts as they are. The one renderer below escapes them; only what it returns is HTML.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, TypeAlias

from sfumato.report.phrases import WORDS
from sfumato.words import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sfumato.assess.published import Lack
    from sfumato.report.charts import Drawing


@dataclass(frozen=True)
class Heading:
    """A heading within a chapter."""

    words: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; it may begin with strong words, and end with something that is typed, not read."""

    words: str
    look: str = ""
    lead: str = ""
    code: str = ""


@dataclass(frozen=True)
class Listing:
    """Lines to be typed or read by a machine."""

    lines: Sequence[str]
    name: str = ""  # what it is, where the lines may be wider than the page


@dataclass(frozen=True)
class Bullets:
    """A list; nothing where it is empty."""

    items: Sequence[str]


@dataclass(frozen=True)
class Facts:
    """Names with what is to be said about them."""

    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Headlines:
    """The most telling numbers: what, before (may be blank), after."""

    items: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Numbers:
    """A table; its first column names the rows."""

    caption: str  # what the table holds
    headings: Sequence[str]  # one for each column
    rows: Sequence[Sequence[str]]  # texts of the cells


@dataclass(frozen=True)
class Chart:
    """A picture with one sentence that says how to read it, and the numbers behind it."""

    identity: str  # unique within the page
    title: str  # what it shows
    reading: str  # how to read it
    drawing: Drawing  # the picture
    seen: str  # what can be seen in it, for those who cannot
    numbers: Numbers  # the numbers behind it


@dataclass(frozen=True)
class Box:
    """Pieces that belong together, such as a card."""

    look: str
    pieces: Sequence[Piece | None]
    role: str = ""


Piece: TypeAlias = "Heading | Paragraph | Listing | Bullets | Facts | Headlines | Numbers | Chart | Box"


@dataclass(frozen=True)
class Chapter:
    """A part of the report under its own heading."""

    identity: str  # unique within the page
    short: str  # its words in the contents
    title: str
    pieces: Sequence[Piece | None]  # None for what is not there


def told_chart(
    name: str,
    drawing: Drawing,
    seen: str,
    rows: Sequence[Sequence[str]],
    *,
    headings: Sequence[str] = (),
    place: int | None = None,
    **values: str,
) -> Chart:
    """Return a chart whose words are data, with values filled in; of several alike each has a place."""
    told = WORDS["charts"][name]
    title, reading, caption = (told[key].format(**values) for key in ("title", "reading", "caption"))
    numbers = Numbers(caption, headings or told["headings"], rows)
    return Chart(name if place is None else f"{name}-{place}", title, reading, drawing, seen, numbers)


def not_shown(lack: Lack | None) -> Paragraph | None:
    """Say in the place of a chart why it is not there, and how to get it."""
    return None if lack is None else Paragraph(f"{lack.why} {lack.remedy}", "note", "Not shown:")


def document_html(
    title: str, style: str, rule: str, body: str, *, mark: str = "", is_listed: bool = True
) -> str:
    """Return a whole page that fetches nothing but what the rule allows; everything is HTML already."""
    robots = "" if is_listed else '<meta name="robots" content="noindex">\n'
    policy = f"default-src 'none'; {rule}; base-uri 'none'; form-action 'none'"
    page = read_resource("document.html")
    return page.format(mark=mark, policy=policy, robots=robots, title=title, style=style, body=body)


def source_hash(source: str) -> str:
    """Return what allows this very script or style in the rule of a page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def read_resource(name: str) -> str:
    """Return a style or a script of this package."""
    return files("sfumato.report").joinpath(name).read_text(encoding="utf-8")


def chapter_html(chapter: Chapter) -> str:
    """Return a chapter under a heading of the second order."""
    name, content = chapter.identity, _together(chapter.pieces)
    heading = f'<h2 id="{name}">{text(chapter.title)}</h2>'
    return f'<section aria-labelledby="{name}">\n{heading}\n{content}\n</section>'


def piece_html(piece: Piece | None) -> str:
    """Return the HTML of a piece, every text in it escaped; nothing where there is nothing to say."""
    html = ""
    match piece:
        case Heading(words):
            html = f"<h3>{text(words)}</h3>"
        case Paragraph():
            html = _paragraph(piece)
        case Listing(lines, name):
            code = "\n".join(map(text, lines))
            html = _scrolling(f"<pre><code>{code}</code></pre>", name)
        case Bullets(items):
            html = _element("ul", [f"<li>{text(item)}</li>" for item in items])
        case Facts(pairs):
            html = _element("dl", [f"<dt>{text(name)}</dt><dd>{text(words)}</dd>" for name, words in pairs])
        case Headlines(items):
            html = _element("dl", [_headline(*item) for item in items], "headlines")
        case Numbers(caption):
            html = _scrolling(table_html(piece), caption)
        case Chart():
            html = _chart(piece)
        case Box(look, pieces, role):
            html = _element("div", [_together(pieces)], look, role)
    return html


def text(value: str) -> str:
    """Return a text for a page: printable and escaped, with no line end before a percent sign."""
    return escape(printable(value)).replace(" %", "\u00a0%")


def table_html(numbers: Numbers, look: str = "") -> str:
    """Return a table with its caption, if there is one."""
    caption = f"<caption>{text(numbers.caption)}</caption>\n" if numbers.caption else ""
    head = "".join(f'<th scope="col">{text(item)}</th>' for item in numbers.headings)
    cells = ["".join(f"<td>{text(cell)}</td>" for cell in row[1:]) for row in numbers.rows]
    names = [f'<th scope="row">{text(row[0])}</th>' for row in numbers.rows]
    rows = "\n".join(f"<tr>{name}{own}</tr>" for name, own in zip(names, cells, strict=True))
    parts = f"{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>"
    return f"<table{_class(look)}>\n{parts}\n</table>"


def _together(pieces: Iterable[Piece | None]) -> str:
    return "\n".join(filter(None, map(piece_html, pieces)))


def _element(tag: str, content: Sequence[str], look: str = "", role: str = "") -> str:
    """Return an element around its content, each part on a line; nothing without content."""
    attributes = _class(look) + (f' role="{role}"' if role else "")
    return "\n".join([f"<{tag}{attributes}>", *content, f"</{tag}>"]) if content else ""


def _class(look: str) -> str:
    return f' class="{look}"' if look else ""


def _scrolling(content: str, name: str) -> str:
    """Wrap what has a name and may be wider than the page; the keyboard can scroll it."""
    region = f'<div class="wide" role="region" tabindex="0" aria-label="{text(name)}">\n{content}\n</div>'
    return region if name else content


def _paragraph(piece: Paragraph) -> str:
    parts = [
        f"<strong>{text(piece.lead)}</strong>" if piece.lead else "",
        text(piece.words),
        f'<code class="digest">{text(piece.code)}</code>' if piece.code else "",
    ]
    said = " ".join(part for part in parts if part)
    return f"<p{_class(piece.look)}>{said}</p>" if said else ""


def _headline(words: str, before: str, after: str) -> str:
    was, now = "", text(after)
    if before:
        was = f'<span class="was"><span class="hidden">before </span>{text(before)} →</span> '
        now = f'<span class="hidden">after </span>{now}'
    return f'<div><dt>{text(words)}</dt><dd>{was}<span class="now">{now}</span></dd></div>'


def _chart(chart: Chart) -> str:
    """Return a chart under a heading of the third order."""
    picture = chart.drawing.render(chart.identity, chart.title, chart.seen)
    return (
        f'<figure>\n<h3 id="{chart.identity}">{text(chart.title)}</h3>\n'
        f"<figcaption><strong>How to read it:</strong> {text(chart.reading)}</figcaption>\n"
        f"{_scrolling(picture, chart.title)}\n"
        f"<details>\n<summary>The numbers behind it</summary>\n{piece_html(chart.numbers)}\n</details>\n"
        "</figure>"
    )
