"""Guesses for a first specification: hierarchies."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import re
from typing import TYPE_CHECKING, TypeAlias

from sfumato.errors import HierarchyError
from sfumato.hierarchies import role_words
from sfumato.hierarchies.kinds import is_finite, sorted_numbers, texts_of, unify_dates
from sfumato.hierarchies.role_words import hints_at
from sfumato.hierarchies.text_shapes import band_tree, code_lengths
from sfumato.hierarchies.trees import read_tree
from sfumato.spec.choices import exact

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from sfumato.hierarchies.hierarchy import Hierarchy, Value
    from sfumato.hierarchies.intervals import Number

Definition: TypeAlias = dict[str, object]

FINEST_INTERVALS = 20  # about how many intervals the finest level should have
MOST_WIDTHS = 4
LONGEST_RANGE = 100_000  # integers that span more get a granularity, so that their domain stays small
TAIL = 1000  # one row of so many may lie beyond the bottom, and one beyond the top
DWARFS = 10  # a number so many times as far from the median as all others dwarfs them


def suggest(
    attribute: str, values: Sequence[Value], kind: str, counts: Sequence[int] | None = None
) -> Definition:
    """Guess a hierarchy."""
    texts = texts_of(values) if kind in ("number", "category", "ordinal") else []
    if kind in ("number", "category") and hints_at(attribute, role_words.POSTAL_WORDS):
        lengths = {len(text) for text in texts}
        if len(lengths) == 1 and 3 <= min(lengths) <= 10 and len(texts) > 1:
            return {"mask": min(lengths)}
    if kind == "number":
        return _suggest_intervals(values, [1] * len(values) if counts is None else counts)
    if kind == "date":
        return _suggest_dates(values)
    if kind == "ordinal":
        return {"tree": tree} if (tree := band_tree(texts)) else {}
    return {"prefix": kept} if (kept := code_lengths(texts)) else _suggest_tree(texts)


def _suggest_intervals(values: Sequence[Value], counts: Sequence[int]) -> Definition:
    """Choose widths by nice steps from the range of numbers without what lies far outside."""
    numbers = sorted_numbers(values)
    if len(numbers) < 3:
        return {}
    whole = isinstance(numbers[0], int)
    low, high = map(exact, usual_range(values, counts, all_values=whole and len(numbers) <= FINEST_INTERVALS))
    span = high - low + whole
    if not span:
        low, high = exact(numbers[0]), exact(numbers[-1])
        span = high - low
    step = max(_nice_step(span / FINEST_INTERVALS), exact(2 if whole else 0))
    widths = [step * 2**power for power in range(MOST_WIDTHS) if step * 2**power < span]
    found: Definition = {"intervals": [_plain(width) for width in widths], "origin": 0}
    bottom, top = low // step * step, (high // step + 1) * step
    found |= {"bottom": _plain(bottom), "top": _plain(top)}
    if whole and top - bottom > LONGEST_RANGE:
        found["granularity"] = _plain(step / 5)
    return found


def _nice_step(least: Fraction) -> Fraction:
    """Return the smallest of 1, 2, 5, 10, 20, 50, … and their tenths that is at least this."""
    power = exact(10) ** math.floor(math.log10(least))
    # The logarithm is rounded: one step on either side makes up for it.
    candidates = [power * digit / 10 for digit in (5, 10, 20, 50, 100, 200)]
    return min(candidate for candidate in candidates if candidate >= least)


def usual_range(
    values: Sequence[Value], counts: Sequence[int], *, all_values: bool = False
) -> tuple[Number, Number]:
    """Return the least and the largest number that counts: one row in a thousand may lie beyond either."""
    # With `all_values` none may, but for a single row whose number dwarfs all others.
    found = zip(values, counts, strict=True)
    rows = sorted((value, count) for value, count in found if count and is_finite(value))
    total = sum(count for _, count in rows)
    middle = _reached(rows, total / 2)
    ends = []
    for line, sign in ((rows, -1), (rows[::-1], 1)):
        end = _reached(line, 0 if all_values else total // TAIL)
        (extreme, count), (following, _) = line[0], line[min(1, len(line) - 1)]
        far, near = sign * (extreme - middle), sign * (following - middle)
        ends.append(following if end == extreme and count == 1 and far > DWARFS * near > 0 else end)
    return ends[0], ends[1]


def _reached(rows: Sequence[tuple[Number, int]], passed: float) -> Number:
    """Return the first number with more than so many rows up to it."""
    total = itertools.accumulate(count for _, count in rows)
    return next(value for (value, _), reached in zip(rows, total, strict=True) if reached > passed)


def dwarfing_ends(hierarchy: Hierarchy, counts: Sequence[int]) -> list[str]:
    """Say which ends intervals lack though numbers beyond would dwarf all others: ``bottom``, ``top``."""
    rule, rows = hierarchy.definition, zip(hierarchy.values, counts, strict=True)
    numbers = [value for value, count in rows if count and is_finite(value)]
    if "intervals" not in rule or len(numbers) < 3:
        return []
    low, high = usual_range(hierarchy.values, counts)
    beyond = {"bottom": low - min(numbers), "top": max(numbers) - high}
    return [key for key, far in beyond.items() if far > DWARFS * (high - low) > 0 and key not in rule]


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
