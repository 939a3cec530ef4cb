"""The pieces that a report is made of: sections, figures with their tables, lists of facts.

Whatever is given as text is escaped here; only what these functions return is HTML.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from sfumato.front.words import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.report.svg import Drawing


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


def capital(words: str) -> str:
    """Return words that begin a sentence."""
    return words[:1].upper() + words[1:]


def share_words(share: float | None) -> str:
    """Return a share in percent, with more digits the smaller it is.

    Examples
    --------
    >>> share_words(0.37316), share_words(0.0041), share_words(0.00002), share_words(0.0), share_words(1.0)
    ('37.3 %', '0.41 %', 'below 0.01 %', '0 %', '100 %')
    """
    if share is None:
        return "not known"
    if 0 < share < 0.0001:
        return "below 0.01 %"
    percent = 100 * share
    if percent.is_integer():
        return f"{percent:.0f} %"
    if 99.9 <= percent < 100:
        return f"{percent:.2f} %" if percent < 99.995 else "above 99.99 %"
    return f"{percent:.2f} %" if abs(percent) < 1 else f"{percent:.1f} %"
