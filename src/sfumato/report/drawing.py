"""A picture in SVG that grows by its parts, and the rulers that say where numbers lie in it.

Looks are classes that the page's style knows, so that one drawing serves day, night and paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from sfumato.report.axes import Axis, one_two_five, without_touching
from sfumato.words import number_words, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray

Anchor: TypeAlias = Literal["start", "middle", "end"]
Place: TypeAlias = tuple[float, float]

LETTER = 7.8  # pixels that a letter takes, with some to spare


class Drawing:
    """A picture that grows by its parts; later ones lie above earlier ones."""

    def __init__(self, width: float, height: float) -> None:
        self.width = width
        self.height = height
        self._parts: list[str] = []

    def line(self, start: Place, end: Place, look: str) -> None:
        """Draw a straight line."""
        self._add("line", look, x1=start[0], y1=start[1], x2=end[0], y2=end[1])

    def circle(self, centre: Place, radius: float, look: str) -> None:
        """Draw a circle."""
        self._add("circle", look, cx=centre[0], cy=centre[1], r=radius)

    def bar(self, corner: Place, size: Place, look: str) -> None:
        """Draw a filled rectangle from its upper left corner."""
        self._add("rect", look, x=corner[0], y=corner[1], width=size[0], height=size[1])

    def path(self, points: Sequence[Place], look: str) -> None:
        """Draw a line through points; nothing where there is none."""
        if points:
            self._add("polyline", look, points=points)

    def diamond(self, centre: Place, radius: float, look: str) -> None:
        """Draw a square on its corner: told from a circle without any colour."""
        x, y = centre
        self._add(
            "polygon", look, points=[(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)]
        )

    def _add(self, tag: str, look: str, **shape: float | Sequence[Place]) -> None:
        self._parts.append(f'<{tag} class="{look}" {_attributes(shape)}/>')

    def text(self, place: Place, text: str, look: str, *, anchor: Anchor = "start", room: float = 0) -> None:
        """Write a line of text."""
        whole = printable(text)
        shown = shorten(whole, room) if room else whole
        more = f"<title>{escape(whole)}</title>" if shown != whole else ""
        side = "" if anchor == "start" else f' text-anchor="{anchor}"'
        at = _attributes({"x": place[0], "y": place[1]})
        self._parts.append(f'<text class="{look}" {at}{side}>{escape(shown)}{more}</text>')

    def render(self, identity: str, title: str, description: str) -> str:
        """Return the picture with its name and what it shows, for those who cannot see it."""
        names = f"{identity}-title {identity}-text"
        width, height, parts = _n(self.width), _n(self.height), "\n".join(self._parts)
        return (
            f'<svg role="img" aria-labelledby="{names}" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}">'
            f'<title id="{identity}-title">{escape(printable(title))}</title>'
            f'<desc id="{identity}-text">{escape(printable(description))}</desc>\n{parts}\n</svg>'
        )


def _attributes(values: dict[str, float | Sequence[Place]]) -> str:
    texts = {
        name: _n(value) if isinstance(value, int | float) else " ".join(f"{_n(x)},{_n(y)}" for x, y in value)
        for name, value in values.items()
    }
    return " ".join(f'{name}="{text}"' for name, text in texts.items())


def _n(value: float) -> str:
    """Return a coordinate with at most one digit after the point."""
    return f"{value:.1f}".removesuffix(".0")


def shorten(text: str, room: float) -> str:
    """Return as much of a text as fits, with dots in place of the rest.

    Examples
    --------
    >>> shorten("never married", 80), shorten("single", 80)
    ('never mar…', 'single')
    """
    most = max(2, int(room // LETTER))
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


@dataclass(frozen=True)
class Ruler:
    """Where numbers lie between two places."""

    # the smallest and the largest number
    low: float
    high: float
    # where these two lie
    start: float
    end: float
    is_log: bool = False  # whether equal factors lie equally far apart; then `low` is above 0
    is_whole: bool = False  # whether ticks are whole numbers

    @classmethod
    def over(cls, values: FloatArray, start: float, end: float) -> Ruler:
        """Make the ruler of the finite among numbers, logarithmic where they span two orders of magnitude."""
        axis = Axis("", None, values)
        return cls(axis.low, axis.high, start, end, axis.is_log, axis.is_whole)

    def place(self, value: float) -> float:
        """Return where a number lies; the middle if the ruler knows one number alone."""
        low, high, at = (math.log(x) if self.is_log else x for x in (self.low, self.high, value))
        share = (at - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    @cached_property
    def ticks(self) -> dict[float, str]:
        """Round numbers with their texts, blank where these would touch."""
        if self.is_log:
            ticks = one_two_five(self.low * (1 - 1e-9), self.high * (1 + 1e-9)) or [self.low]
            labels = {tick: number_words(tick) for tick in ticks}
            places = {tick: self.place(tick) for tick in ticks}
            return without_touching(labels, places, lambda text, _: 8.0 * (len(text) + 1), is_log=True)
        # An axis of whole numbers has whole ticks, and what lies between makes it another one.
        between = [] if self.is_whole else [self.low + (self.high - self.low) / 3.7]
        axis = Axis("", None, np.array([self.low, self.high, *between]))
        return {tick: number_words(tick) for tick in axis.ticks(6)}

    def draw_across(self, drawing: Drawing, top: float, bottom: float, ticks: dict[float, str]) -> None:
        """Draw upright lines of a grid with their numbers below."""
        for tick, text in ticks.items():
            x = self.place(tick)
            drawing.line((x, top), (x, bottom), "grid")
            if text:
                drawing.text((x, bottom + 18), text, "tick", anchor="middle")

    def draw_upwards(self, drawing: Drawing, left: float, right: float, ticks: dict[float, str]) -> None:
        """Draw level lines of a grid with their numbers to the left."""
        for tick, text in ticks.items():
            y = self.place(tick)
            drawing.line((left, y), (right, y), "grid")
            if text:
                drawing.text((left - 8, y + 4.5), text, "tick", anchor="end")
