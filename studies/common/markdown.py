"""Tables and numbers in markdown, the same text on every machine."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


WIDTH = 110


def wrap(text: str) -> str:
    """Wrap paragraphs and list items of a markdown text; tables, headings and images stay as they are.

    Examples
    --------
    >>> print(wrap("# Head\\n\\na text\\nin two lines\\n- one\\n- two\\n  and more"))
    # Head
    <BLANKLINE>
    a text in two lines
    - one
    - two and more
    """
    return "\n\n".join(_wrap_block(block) for block in text.strip().split("\n\n"))


def _wrap_block(block: str) -> str:
    block = block.strip("\n")
    if block.startswith(("|", "#", "!")):
        return block
    items: list[list[str]] = []
    for line in block.splitlines():
        if not items or line.startswith("- "):
            items.append([])
        items[-1].append(line.strip())
    return "\n".join(_wrap_item(" ".join(item)) for item in items)


def _wrap_item(item: str) -> str:
    indent = "  " if item.startswith("- ") else ""
    return textwrap.fill(
        item, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """Return a markdown table.

    Parameters
    ----------
    header, rows
        Texts of the cells.
    left
        How many columns are aligned to the left; numbers stand to the right.

    Examples
    --------
    >>> print(table(["what", "n"], [["rows", "3"]]))
    | what | n |
    |---|--:|
    | rows | 3 |
    """
    marks = ["---" if place < left else "--:" for place in range(len(header))]
    lines = [_line(header), "|" + "|".join(marks) + "|", *(_line(row) for row in rows)]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def small(value: float) -> str:
    """Return a number of any size with two significant digits.

    Examples
    --------
    >>> small(0.00037), small(0), small(0.01804)
    ('3.7e-4', '0', '1.8e-2')
    """
    if value == 0:
        return "0"
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def count(value: float) -> str:
    """Return a whole number with separated thousands.

    Examples
    --------
    >>> count(17920.0)
    '17,920'
    """
    return f"{value:,.0f}"


def ratio(value: float) -> str:
    """Return a share in [0, 1] with three digits, never rounded up to 1.

    Examples
    --------
    >>> ratio(0.9999), ratio(1.0), ratio(0.83)
    ('0.999', '1', '0.830')
    """
    if value in (0, 1):
        return f"{value:.0f}"
    return f"{min(value, 0.999) if value < 1 else value:.3f}"


def seconds(value: float) -> str:
    """Return a time in two significant digits.

    Examples
    --------
    >>> seconds(0.3141), seconds(27.18)
    ('0.31 s', '27 s')
    """
    return f"{value:.2f} s" if value < 1 else f"{value:.1f} s" if value < 10 else f"{value:.0f} s"


def mean_variance(summary: dict[str, float], number: object = small) -> str:
    """Return mean and variance, as the papers print them."""
    assert callable(number)
    return f"{number(summary['mean'])} ({small(summary['variance'])})"


__all__ = ["count", "mean_variance", "ratio", "seconds", "small", "table", "wrap"]
