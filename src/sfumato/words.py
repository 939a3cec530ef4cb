"""Numbers, counts and lists in words: what the terminal, the report and sentences about fronts share."""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from typing import Literal, TypeAlias


def printable(text: str, *, one_line: bool = True) -> str:
    """Return a text without control characters, which could steer a terminal, as a rule on one line."""
    found = " ".join(text.split()) if one_line else text
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in found)


def capital(words: str) -> str:
    """Return words that begin a sentence."""
    return words[:1].upper() + words[1:]


def list_words(texts: Sequence[str], last: str = "and") -> str:
    """Return texts joined by commas and a last word."""
    return f" {last} ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def count_words(count: int, noun: str) -> str:
    """Return a count with its noun."""
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{ending}"


def range_words(low: int, high: int | None) -> str:
    """Return a range of whole numbers, which may have no end."""
    if high is None:
        return f"{low:,} or more"
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def number_words(value: float | None, *, tenths: bool = False, none: str = "") -> str:
    """Return a number as people read it: four digits are enough, thousands are grouped."""
    # From 1,000 on, `tenths` keeps one digit after the point.
    if value is None:
        return none
    if abs(value) >= 1e15 or not math.isfinite(value):
        return f"{value:.4g}"
    if float(value).is_integer():
        return f"{value:,.0f}"
    if tenths and abs(value) >= 1000:
        return f"{value:,.1f}"
    return f"{value:,.0f}" if not tenths and abs(value) >= 1e4 else f"{value:.4g}"


def pair_words(first: float, second: float) -> tuple[str, str]:
    """Return two numbers with as many digits as it takes to tell them apart."""
    texts = number_words(first), number_words(second)
    if texts[0] != texts[1] or first == second:
        return texts
    return next(
        pair
        for digits in range(5, 18)
        if (pair := (f"{first:.{digits}g}", f"{second:.{digits}g}"))[0] != pair[1]
    )


def huge_words(number: int | str, *, times: bool = False) -> str:
    """Return a whole number, or its digits, which may be thousands; ``times`` writes a power of 10."""
    # Python's own conversion refuses numbers of thousands of digits.
    digits = number if isinstance(number, str) else str(decimal.Decimal(number))
    if len(digits) <= 15:
        return f"{int(digits):,}"
    return f"{digits[0]}.{digits[1:3]}{' × 10^' if times else 'e'}{len(digits) - 1}"


PercentStyle: TypeAlias = Literal["exact", "rough", "risk"]


def percent_words(share: float | None, style: PercentStyle = "exact") -> str:
    """Return a share in percent: exact for tables, rough for sentences, never rounded down for risks."""
    if share is None:
        return "not known"
    percent = 100 * share
    if 0 < percent < 0.01:
        return "less than 0.01 %" if style == "rough" else "below 0.01 %"
    if style == "rough":
        form = ",.0f" if percent >= 9.95 else ".2g"
    elif 99.995 <= percent < 100:
        return "above 99.99 %"
    elif percent.is_integer():
        form = ".0f"
    else:
        digits = 2 if abs(percent) < 1 or 99.9 <= percent < 100 else 1
        if style == "risk":
            # What floats add at the end is not to be rounded up.
            percent = math.ceil(percent * 10**digits - 1e-6) / 10**digits
        form = ".0f" if percent.is_integer() and style == "risk" else f".{digits}f"
    return f"{percent:{form}} %"
