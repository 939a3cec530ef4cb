"""Drawings of lines, circles and texts that stand in a page: sharp on paper, small, without a script.

Looks are classes that the page's style knows, so that one drawing serves day, night and paper.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Literal, TypeAlias

from sfumato.front.words import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

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
