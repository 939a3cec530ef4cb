"""Rings around solutions worth a look and around the picked one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.front import make_suggestions
from sfumato.report import style
from sfumato.report.hover import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.front import Front, Solution, Suggestion
    from sfumato.report.axes import Axis

SUGGESTIONS = 3
"""So many are marked."""


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


def find_marks(
    front: Front, picked: int | None, suggestions: Sequence[Suggestion[Solution]] | None = None
) -> list[Mark]:
    """Return the rings of a front; each fits inside that of the picked solution."""
    places = {item.number: place for place, item in enumerate(front)}
    if suggestions is None:
        suggestions = page_suggestions(front)
    shown = suggestions if len(front) > 2 else ()
    others = iter(style.SUGGESTED)
    marks = []
    for item in shown[: 1 + len(style.SUGGESTED)]:
        symbol, size, colour = ("diamond-open", 20, style.KNEE) if item.name == "knee" else next(others)
        number = item.solution.number
        marks.append(Mark(places[number], number, item.name, symbol, size, colour))
    if picked is not None:
        marks.append(Mark(places[picked], picked, "picked", "circle-open", 28, style.PICKED))
    return marks


def page_suggestions(front: Front) -> list[Suggestion[Solution]]:
    """Return the suggestions that pictures mark and pages list."""
    return make_suggestions(front, SUGGESTIONS) if len(front) else []


def mark_traces(marks: Sequence[Mark], x: Axis, y: Axis) -> list[dict[str, object]]:
    """Return the rings in the plane, each with its solution's number on the side where nothing lies."""
    # Nothing lies beyond a front on its better side.
    side = f"{'top' if y.maximize else 'bottom'} {'right' if x.maximize else 'left'}"
    labelled: set[int] = set()
    traces: list[dict[str, object]] = []
    for mark in marks:
        is_new = mark.number not in labelled
        labelled.add(mark.number)
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text" if is_new else "markers",
                "x": [float(x.values[mark.place])],
                "y": [float(y.values[mark.place])],
                "text": [f"<b>{mark.number}</b>"],
                "textposition": side,
                "textfont": {"color": mark.colour, "size": style.TEXT_SIZE},
                "marker": {
                    "symbol": mark.symbol,
                    "size": mark.size,
                    "color": mark.colour,
                    "line": {"width": 2.5},
                },
                "cliponaxis": False,
                "hoverinfo": "skip",
                "legendgroup": mark.group,
                "name": plain(f"{mark.name}: solution {mark.number}"),
            }
        )
    return traces
