"""The pieces that a report is made of: sections, figures with their tables, lists of facts.

Whatever is given as text is escaped here; only what these functions return is HTML.

Looks are classes that the page's style knows, so that one drawing serves day, night and paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Literal, TypeAlias

from sfumato.report.words import measure_words
from sfumato.verifier.checks import split_name
from sfumato.words import number_words, percent_words, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.assess.utility import ModelUtility

Anchor: TypeAlias = Literal["start", "middle", "end"]

LETTER = 7.8
"""Pixels that a letter takes, with some to spare."""


class Drawing:
    """A picture that grows by its parts; later ones lie above earlier ones."""

    def __init__(self, width: float, height: float) -> None:
        self.width = width
        self.height = height
        self._parts: list[str] = []

    def line(self, start: tuple[float, float], end: tuple[float, float], look: str) -> None:
        """Draw a straight line."""
        ends = f'x1="{_n(start[0])}" y1="{_n(start[1])}" x2="{_n(end[0])}" y2="{_n(end[1])}"'
        self._parts.append(f'<line class="{look}" {ends}/>')

    def path(self, points: Sequence[tuple[float, float]], look: str) -> None:
        """Draw a line through points; nothing where there is none."""
        if points:
            text = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
            self._parts.append(f'<polyline class="{look}" points="{text}"/>')

    def circle(self, centre: tuple[float, float], radius: float, look: str) -> None:
        """Draw a circle."""
        place = f'cx="{_n(centre[0])}" cy="{_n(centre[1])}" r="{_n(radius)}"'
        self._parts.append(f'<circle class="{look}" {place}/>')

    def diamond(self, centre: tuple[float, float], radius: float, look: str) -> None:
        """Draw a square on its corner: told from a circle without any colour."""
        x, y = centre
        points = ((x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y))
        text = " ".join(f"{_n(a)},{_n(b)}" for a, b in points)
        self._parts.append(f'<polygon class="{look}" points="{text}"/>')

    def bar(self, corner: tuple[float, float], size: tuple[float, float], look: str) -> None:
        """Draw a filled rectangle from its upper left corner."""
        place = f'x="{_n(corner[0])}" y="{_n(corner[1])}" width="{_n(size[0])}" height="{_n(size[1])}"'
        self._parts.append(f'<rect class="{look}" {place}/>')

    def text(
        self,
        place: tuple[float, float],
        text: str,
        look: str = "",
        *,
        anchor: Anchor = "start",
        room: float = 0,
    ) -> None:
        """Write a line of text."""
        whole = printable(text)
        shown = shorten(whole, room) if room else whole
        more = f"<title>{escape(whole)}</title>" if shown != whole else ""
        looks = f' class="{look}"' if look else ""
        side = "" if anchor == "start" else f' text-anchor="{anchor}"'
        at = f'x="{_n(place[0])}" y="{_n(place[1])}"'
        self._parts.append(f"<text{looks} {at}{side}>{escape(shown)}{more}</text>")

    def render(self, identity: str, title: str, description: str) -> str:
        """Return the picture with its name and what it shows, for those who cannot see it."""
        names = f"{identity}-title {identity}-text"
        size = f'viewBox="0 0 {_n(self.width)} {_n(self.height)}"'
        return (
            f'<svg role="img" aria-labelledby="{names}" {size} width="{_n(self.width)}" '
            f'height="{_n(self.height)}">'
            f'<title id="{identity}-title">{escape(printable(title))}</title>'
            f'<desc id="{identity}-text">{escape(printable(description))}</desc>\n'
            + "\n".join(self._parts)
            + "\n</svg>"
        )


def shorten(text: str, room: float) -> str:
    """Return as much of a text as fits, with dots in place of the rest.

    Examples
    --------
    >>> shorten("never married", 80), shorten("single", 80)
    ('never mar…', 'single')
    """
    most = max(2, int(room // LETTER))
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _n(value: float) -> str:
    """Return a coordinate with at most one digit after the point."""
    return f"{value:.1f}".removesuffix(".0")


@dataclass(frozen=True)
class Numbers:
    """A table of numbers."""

    caption: str  # what the table holds
    headings: Sequence[str]  # one for each column; the first column names the rows
    rows: Sequence[Sequence[str]]  # texts of the cells

    def html(self) -> str:
        """Return the table, every text in it escaped."""
        head = "".join(f'<th scope="col">{text(item)}</th>' for item in self.headings)
        body = "\n".join(
            f'<tr><th scope="row">{text(row[0])}</th>'
            + "".join(f"<td>{text(cell)}</td>" for cell in row[1:])
            + "</tr>"
            for row in self.rows
        )
        return (
            f"<table>\n<caption>{text(self.caption)}</caption>\n<thead><tr>{head}</tr></thead>\n"
            f"<tbody>\n{body}\n</tbody>\n</table>"
        )


@dataclass(frozen=True)
class Figure:
    """A picture with one sentence that says how to read it, and the numbers behind it."""

    identity: str  # unique within the page
    title: str  # what it shows
    reading: str  # how to read it
    drawing: Drawing  # the picture
    seen: str  # what can be seen in it, for those who cannot
    numbers: Numbers  # the numbers behind it

    def html(self) -> str:
        """Return the figure under a heading of the third order."""
        picture = self.drawing.render(self.identity, self.title, self.seen)
        return (
            f'<figure>\n<h3 id="{self.identity}">{text(self.title)}</h3>\n'
            f"<figcaption><strong>How to read it:</strong> {text(self.reading)}</figcaption>\n"
            f"{scrolling(picture, self.title)}\n"
            f"<details>\n<summary>The numbers behind it</summary>\n"
            f"{scrolling(self.numbers.html(), self.numbers.caption)}\n</details>\n</figure>"
        )


def text(value: str) -> str:
    """Return a text for a page: printable and escaped."""
    return escape(printable(value))


def scrolling(content: str, name: str) -> str:
    """Wrap HTML that may be wider than the page; the keyboard can scroll it."""
    return f'<div class="wide" role="region" tabindex="0" aria-label="{text(name)}">\n{content}\n</div>'


def paragraph(words: str, look: str = "") -> str:
    """Return a paragraph; nothing where there are no words."""
    looks = f' class="{look}"' if look else ""
    return f"<p{looks}>{text(words)}</p>" if words else ""


def bullets(items: Sequence[str]) -> str:
    """Return a list; nothing where it is empty."""
    return "<ul>\n" + "\n".join(f"<li>{text(item)}</li>" for item in items) + "\n</ul>" if items else ""


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Return names with what is to be said about them; nothing where there are none."""
    items = "\n".join(f"<dt>{text(name)}</dt><dd>{text(words)}</dd>" for name, words in pairs)
    return f"<dl>\n{items}\n</dl>" if pairs else ""


def section(identity: str, title: str, parts: Sequence[str]) -> str:
    """Return a section under a heading of the second order."""
    content = "\n".join(part for part in parts if part)
    heading = f'<h2 id="{identity}">{text(title)}</h2>'
    return f'<section aria-labelledby="{identity}">\n{heading}\n{content}\n</section>'


def missing(words: str, remedy: str) -> str:
    """Say in the place of a figure why it is not there, and how to get it."""
    return f'<p class="note"><strong>Not shown:</strong> {text(words)} {text(remedy)}</p>'


SCORES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "auc": "area under the curve",
    "r2": "explained variance (R²)",
    "mae": "mean absolute error",
}


def model_sentence(model: ModelUtility) -> str:
    """Return in one sentence what a model trained on the release loses."""
    name = next((score for score in SCORES if score in model.original and score in model.release), None)
    if name is None:
        return ""
    before, after = score_words(name, model.original[name]), score_words(name, model.release[name])
    guess = f"; guessing reaches {score_words(name, model.baseline[name])}" if name in model.baseline else ""
    return (
        f"A model that predicts {printable(model.target)} has {SCORES[name]} {after} "
        f"when it learns from the release, {before} from the original{guess}."
    )


def score_words(name: str, value: float) -> str:
    """Return a score as people read it: shares in percent, errors in their own unit."""
    return number_words(value) if name == "mae" else percent_words(value)


def told_words(name: str) -> str:
    """Return a measure in words, also one that is taken over some columns alone.

    Examples
    --------
    >>> told_words("k"), told_words("k(weight, height)")
    ('smallest class (k)', 'smallest class over weight, height (k)')
    """
    bare, columns = split_name(name)
    return (
        f"smallest class over {printable(', '.join(columns))} (k)"
        if bare == "k" and columns
        else measure_words(name)
    )


def mapping(value: object) -> Mapping[str, object]:
    """Return a mapping of a verdict; an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def texts(value: object) -> list[str]:
    """Return texts of a verdict; none for anything else."""
    return [str(item) for item in value] if isinstance(value, list | tuple) else []
