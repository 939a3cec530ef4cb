"""What appears when one points at a solution."""

from __future__ import annotations

import textwrap
from html import escape
from typing import TYPE_CHECKING

from sfumato.front.words import number_words, printable
from sfumato.report.words import (
    BLOCKS_WIDTH,
    check_picked,
    count_words,
    knee_number,
    measure_words,
    partition_words,
    suppressed_words,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.front import Front, Solution, Suggestion

WIDTH = 56
"""Letters in a line; longer ones are broken, so that the box stays inside the figure."""

NAME_WIDTH = 48
"""Letters of an attribute's name and of a label; the rest is cut."""

ATTRIBUTES = 24
"""Attributes that are listed; with more of them the box would not fit on a screen."""


def plain(text: str) -> str:
    """Escape a text for plotly, which reads a few tags and entities in every text.

    Quotes stay: plotly knows no entity for them.
    """
    return escape(text, quote=False)


def broken(text: str, width: int) -> str:
    """Escape a text and break it into lines of at most ``width`` letters."""
    # Most texts are short, and wrapping is slow.
    lines = [text] if len(text) <= width else textwrap.wrap(text, width)
    return "<br>".join(plain(line) for line in lines)


def hover_texts(
    front: Front,
    picked: int | None,
    labels: Mapping[int, Mapping[str, str]] | None,
    suggestions: Sequence[Suggestion[Solution]] | None = None,
) -> list[str]:
    """Return for each solution its number, measures, suppressed rows and recoding, as plotly text."""
    check_picked(front, picked)
    reasons = {item.solution.number: item.why for item in suggestions or ()}
    marks = {knee_number(front): "the knee", picked: "picked"}
    if picked is not None and picked == knee_number(front):
        marks[picked] = "picked, the knee"
    return [
        _hover_text(
            front,
            item,
            marks.get(item.number),
            (labels or {}).get(item.number, {}),
            reasons.get(item.number, ""),
        )
        for item in front
    ]


def _hover_text(front: Front, item: Solution, mark: str | None, labels: Mapping[str, str], why: str) -> str:
    head = f"<b>Solution {item.number}</b>" + (f" ({mark})" if mark else "")
    measures = [
        f"{measure_words(name)}: {number_words(item.value(name))}"
        for name in front.measure_names
        if name != "suppressed"
    ]
    suppressed = f"suppressed rows: {suppressed_words(front, item.suppressed)}"
    lines = [*measures, suppressed, "", *_recoding(item, labels), *(["", why] if why else [])]
    return "<br>".join([head, *(broken(line, WIDTH) for line in lines)])


def _recoding(item: Solution, labels: Mapping[str, str]) -> list[str]:
    lines = []
    for attribute, partition in item.recoding.items():
        width = NAME_WIDTH if isinstance(partition, int) else BLOCKS_WIDTH
        words = partition_words(partition, _cut(labels.get(attribute, ""), width))
        lines.append(f"{_cut(printable(attribute))}: {words}")
    more = len(lines) - ATTRIBUTES
    return lines if more <= 0 else [*lines[:ATTRIBUTES], f"and {count_words(more, 'more attribute')}"]


def _cut(text: str, width: int = NAME_WIDTH) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
