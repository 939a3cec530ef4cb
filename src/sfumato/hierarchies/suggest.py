"""Guesses for a first specification: hierarchies."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import TYPE_CHECKING, TypeAlias

from sfumato.errors import HierarchyError
from sfumato.hierarchies import role_words
from sfumato.hierarchies.kinds import sorted_numbers, texts_of, unify_dates
from sfumato.hierarchies.role_words import hints_at
from sfumato.hierarchies.trees import read_tree
from sfumato.spec.choices import exact

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from sfumato.hierarchies.hierarchy import Value
    from sfumato.hierarchies.intervals import Number

Definition: TypeAlias = dict[str, object]

FINEST_INTERVALS = 20
"""About how many intervals the finest level should have."""

MOST_WIDTHS = 4
LONGEST_RANGE = 100_000
"""Integers that span more get a granularity, so that their domain stays small."""

TAIL_SHARE, TAIL_ROWS = 0.005, 5
"""The share and the number of rows that a block at either end should hold."""


def suggest(
    attribute: str, values: Sequence[Value], kind: str, counts: Sequence[int] | None = None
) -> Definition:
    """Guess a hierarchy.

    Examples
    --------
    >>> suggest("age", list(range(17, 91)), "number")
    {'intervals': [5, 10, 20, 40], 'origin': 0}
    >>> suggest("zip", ["24126", "24127"], "category")
    {'mask': 5}
    """
    if kind in ("number", "category") and (length := _code_length(attribute, texts_of(values), kind)):
        return {"mask": length}
    if kind == "number":
        return _suggest_intervals(values, counts)
    if kind == "date":
        return _suggest_dates(values)
    return _suggest_tree(texts_of(values)) if kind == "category" else {}


def _code_length(attribute: str, texts: Sequence[str], kind: str) -> int:
    """Return the common length of codes that a mask would suit; 0 if they are none."""
    postal = hints_at(attribute, role_words.POSTAL_WORDS)
    lengths = {len(text) for text in texts}
    if len(lengths) != 1 or not 3 <= min(lengths) <= 10 or len(texts) < 2:
        return 0
    if postal:
        return min(lengths)
    digits = all(text.isascii() and text.isdigit() for text in texts)
    return min(lengths) if kind == "category" and digits and len(texts) > 10 else 0


def _suggest_intervals(values: Sequence[Value], counts: Sequence[int] | None) -> Definition:
    """Choose widths by nice steps from the range of numbers."""
    numbers = sorted_numbers(values)
    if len(numbers) < 3:
        return {}
    whole = isinstance(numbers[0], int)
    span = exact(numbers[-1]) - exact(numbers[0]) + whole
    step = max(_nice_step(span / FINEST_INTERVALS), exact(2 if whole else 0))
    widths = [step * 2**power for power in range(MOST_WIDTHS) if step * 2**power < span]
    found: Definition = {"intervals": [_plain(width) for width in widths], "origin": 0}
    if counts is not None:
        found |= _ends(values, counts, step)
    if whole and span > LONGEST_RANGE:
        found["granularity"] = _plain(step / 5)
    return found


def _nice_step(least: Fraction) -> Fraction:
    """Return the smallest of 1, 2, 5, 10, 20, 50, … and their tenths that is at least this."""
    power = exact(10) ** math.floor(math.log10(least))
    # The logarithm is rounded: one step on either side makes up for it.
    candidates = [power * digit / 10 for digit in (5, 10, 20, 50, 100, 200)]
    return min(candidate for candidate in candidates if candidate >= least)


def _ends(values: Sequence[Value], counts: Sequence[int], step: Fraction) -> Definition:
    """Choose a bottom and a top where the outermost intervals hold too few rows."""
    rows = sorted(
        (exact(value), count)
        for value, count in zip(values, counts, strict=True)
        if isinstance(value, int | float)
    )
    needed = max(TAIL_ROWS, math.ceil(TAIL_SHARE * sum(count for _, count in rows)))
    low, high = _reached(rows, needed), _reached(rows[::-1], needed)
    found: Definition = {}
    if low is None or high is None:
        return found
    bottom, top = (low // step + 1) * step, (high // step) * step
    if bottom >= top:
        return found
    if bottom - step > rows[0][0]:
        found["bottom"] = _plain(bottom)
    if top + step <= rows[-1][0]:
        found["top"] = _plain(top)
    return found


def _reached(rows: Sequence[tuple[Fraction, int]], needed: int) -> Fraction | None:
    """Return the value at which so many rows are reached."""
    total = 0
    for value, count in rows:
        total += count
        if total >= needed:
            return value
    return None


def _plain(number: Fraction) -> Number:
    return int(number) if number.denominator == 1 else float(number)


def _suggest_dates(values: Sequence[Value]) -> Definition:
    dates = sorted(unify_dates(values))
    if len(dates) < 2:
        return {}
    years = dates[-1].year - dates[0].year
    units = ["month", "quarter", "year"] if years < 10 else ["month", "year", "decade"]
    units += ["century"] if years >= 100 else []
    return {"dates": ["day", *units] if isinstance(dates[0], dt.datetime) else units}


def _suggest_tree(texts: Sequence[str]) -> Definition:
    """Group a moderate number of categories by their first words, if that groups enough of them."""
    if not 4 <= len(texts) <= 60:
        return {}
    groups: dict[str, list[str]] = {}
    for text in sorted(texts):
        groups.setdefault(re.split(r"[\W_]+", text)[0] or text, []).append(text)
    if not 2 <= len(groups) <= 0.75 * len(texts):
        return {}
    tree = {name if len(group) > 1 else group[0]: group for name, group in groups.items()}
    try:
        read_tree(tree, "")
    except HierarchyError:  # a value such as * cannot be the name of a group
        return {}
    return {"tree": tree}
