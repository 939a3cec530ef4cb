"""Where the panels of a figure lie, one below the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.report import style
from sfumato.report.hover import plain

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Panel:
    """The lower and upper end of a panel, as shares of the figure's height without its margins."""

    low: float
    high: float

    def headline(self, text: str) -> dict[str, object]:
        """Return a line of bold text above the panel, as an annotation."""
        return {
            "text": f"<b>{plain(text)}</b>",
            "showarrow": False,
            "x": 0.0,
            "xref": "paper",
            "xanchor": "left",
            "y": self.high,
            "yref": "paper",
            "yanchor": "bottom",
            "yshift": 14,
            "font": {"size": style.AXIS_SIZE},
        }


def total_height(heights: Sequence[int]) -> int:
    """Return the pixels that panels take with the room between them."""
    return sum(heights) + style.GAP * (len(heights) - 1)


def make_panels(heights: Sequence[int]) -> list[Panel]:
    """Return panels of so many pixels each, from top to bottom.

    Examples
    --------
    >>> make_panels([480])
    [Panel(low=0.0, high=1.0)]
    """
    total, top, panels = total_height(heights), 0, []
    for height in heights:
        panels.append(Panel(max(0.0, 1.0 - (top + height) / total), 1.0 - top / total))
        top += height + style.GAP
    return panels
