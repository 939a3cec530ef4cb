"""Two solutions side by side, for a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from sfumato.front.words import pair_words, printable
from sfumato.report.terminal import cells, pad

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.front import ClassSizes
    from sfumato.front.flat_regions import SolutionT
    from sfumato.report.comparison import Comparison

WIDTH = 100
BAR = 20
"""Letters of the longest bar."""

GAP = "   "
STEPS = (1, 2, 5)


def comparison_text(comparison: Comparison[SolutionT], width: int = WIDTH, *, unicode: bool = True) -> str:
    """Return two solutions side by side as plain text."""
    heads = [f"solution {number}" for number in comparison.numbers]
    blocks = [
        textwrap.wrap(comparison.sentence, width, break_on_hyphens=False),
        _table(["measure", *heads, "better"], _measure_rows(comparison), width, right=(1, 2, 3)),
        _table(["attribute", *heads], _attribute_rows(comparison), width),
    ]
    if comparison.sizes is not None:
        rows = _size_rows(comparison.sizes, "█" if unicode else "#")
        blocks.append(_table(["rows in classes of", *heads], rows, width))
    text = "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks)
    return text if unicode else text.encode("ascii", "replace").decode()


def _measure_rows(comparison: Comparison[SolutionT]) -> list[list[str]]:
    better = dict(zip(("first", "second"), comparison.numbers, strict=True))
    return [
        [
            printable(item.name),
            *pair_words(item.first, item.second),
            f"solution {better[item.better]}" if item.better else "",
        ]
        for item in comparison.measures
    ]


def _attribute_rows(comparison: Comparison[SolutionT]) -> list[list[str]]:
    return [
        [printable(item.name), item.first, "the same" if item.same else item.second]
        for item in comparison.attributes
    ]


def _size_rows(sizes: tuple[ClassSizes, ClassSizes], letter: str) -> list[list[str]]:
    """Return for ranges of sizes the share of rows in each, with a bar."""
    shares = [
        (words, [item.rows_between(low, high) / item.total if item.total else 0.0 for item in sizes])
        for low, high, words in size_ranges(sizes)
    ]
    most = max((max(pair) for _, pair in shares), default=0.0) or 1.0
    rows = []
    for words, pair in shares:
        bars = [
            f"{100 * share:5.1f} % {letter * max(round(BAR * share / most), bool(share))}" for share in pair
        ]
        rows.append([words, *bars])
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
    return [(low, high, f"{low:,}" if low == high else f"{low:,} to {high:,}") for low, high in ranges]


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
