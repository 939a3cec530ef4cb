"""Plain-Python twins of the hierarchies: one value at a time, exact fractions, nothing of the package."""

from __future__ import annotations

import csv
import math
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Hashable, Iterable, Sequence
    from pathlib import Path


def exact(number: int | float) -> Fraction:
    """The decimal that the text of a number shows."""
    return Fraction(str(number))


def interval(
    value: int | float,
    width: int | float,
    *,
    origin: int | float = 0,
    bottom: int | float | None = None,
    top: int | float | None = None,
    integer: bool = True,
) -> str:
    """The label of the interval that holds a value."""
    x = exact(value)
    if bottom is not None and x < exact(bottom):
        return f"<{plain(bottom)}"
    if top is not None and x >= exact(top):
        return f"{plain(top)}+"
    place = math.floor((x - exact(origin)) / exact(width))
    low = exact(origin) + place * exact(width)
    high = low + exact(width)
    low = low if bottom is None else max(low, exact(bottom))
    high = high if top is None else min(high, exact(top))
    if not integer:
        return f"[{float(low)}, {float(high)})"
    return f"{low}" if high - low == 1 else f"{low}-{high - 1}"


def plain(number: int | float) -> str:
    """A number as text, whole ones without a point."""
    return str(int(number)) if number == int(number) else str(number)


def masked(text: str, length: int, level: int) -> str:
    """A code with its last characters as stars."""
    return text if level == 0 else text[: length - level] + "*" * level


def unit(date: dt.date, name: str) -> str:
    """The label of a date by one unit of time."""
    century, decade = date.year // 100, date.year // 10
    return {
        "day": date.strftime("%Y-%m-%d").zfill(10),
        "week": date.strftime("%G-W%V").zfill(8),
        "month": date.strftime("%Y-%m").zfill(7),
        "quarter": f"{date.year:04d}-Q{1 + (date.month - 1) // 3}",
        "year": f"{date.year:04d}",
        "decade": f"{decade:03d}0s",
        "century": f"{century:02d}00-{century:02d}99",
    }[name]


def numbered(labels: Iterable[Hashable]) -> list[int]:
    """Number labels in the order in which they first occur."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]


def pre_order(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Order rows by a walk over the tree that they describe, children as they first appear."""

    def walk(members: list[Sequence[str]], level: int) -> list[Sequence[str]]:
        if level == 0:
            return members
        groups: dict[str, list[Sequence[str]]] = {}
        for row in members:
            groups.setdefault(row[level], []).append(row)
        return [row for group in groups.values() for row in walk(group, level - 1)]

    return walk(list(rows), len(rows[0]) - 1) if rows else []


def read_rows(path: Path) -> list[list[str]]:
    """The rows of a hierarchy file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=";"))


def ladder_mistakes(
    levels: Sequence[Sequence[int]], labels: Sequence[Sequence[str | None]], has_missing: bool
) -> list[str]:
    """Say what keeps levels and labels from being a hierarchy in pre-order."""
    found = []
    m = len(levels[0])
    if list(levels[0]) != list(range(m)):
        found.append("level 0 is not the identity")
    if set(levels[-1]) != {0} or len(labels[-1]) != 1 or labels[-1][0] is None:
        found.append("the last level is not one block with a label")
    for number, (row, texts) in enumerate(zip(levels, labels, strict=True)):
        if list(row) != numbered(row) or sorted(row) != list(row):
            found.append(f"the blocks of level {number} are not numbered, or not contiguous")
        if len(texts) != len(set(row)) or len(set(texts)) != len(texts):
            found.append(f"level {number} does not have one label for each block")
        if number and len(set(zip(levels[number - 1], row, strict=True))) != len(set(levels[number - 1])):
            found.append(f"level {number - 1} does not nest")
        if number < len(levels) - 1:
            nameless = [texts[block] is None for block in row]
            if nameless != [False] * (m - has_missing) + [True] * has_missing:
                found.append(f"level {number} does not leave missing, and only missing, alone")
    return found
