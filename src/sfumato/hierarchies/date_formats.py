"""Dates as people write them: find the one format that reads all texts of a column, read and write by it."""

from __future__ import annotations

import datetime as dt
import re
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

UNDECIDED = (
    "every value reads both as day/month and as month/day; {} was taken to come first. If that is wrong, "
    "swap %d and %m in format"
)
_DIGITS = re.compile("(?:18|19|20)[0-9]{6}")  # other eight digits are numbers
_TIME = re.compile(
    r"(?P<apart>[T ]|, )[0-9]{1,2}:[0-9]{2}(?P<second>:[0-9]{2}(?P<fraction>\.[0-9]{1,6})?)?"
    r"(?P<half> ?[AaPp][Mm])?(?P<zone> ?(?:Z|[+-][0-9]{2}:?[0-9]{2}))?"
)
_NUMBERS = re.compile(r"([0-9]{1,2})([./ -])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})")
_YEAR_FIRST = re.compile(r"[0-9]{4}([./-])[0-9]{1,2}(\1[0-9]{1,2})?")
_MONTH_YEAR = re.compile(r"[0-9]{1,2}([./-])[0-9]{4}")
_NAMED = re.compile(r"[0-9]{1,2}(\.?[ -]?)([^\W\d_]+)(\.?,?[ -]?)([0-9]{4}|[0-9]{2})")
_NAME_FIRST = re.compile(r"[^\W\d_]+(\.? )(?:[0-9]{1,2}(,? ))?[0-9]{4}")


def find_format(texts: Sequence[str]) -> tuple[str, str] | None:
    """Return the one format that reads all texts, and what is doubtful about it; None if there is none."""
    # Where day and month could be swapped in all of them, the day is taken to come first, unless times say AM
    # or PM, or the other reading makes every date the first of a month.
    if not texts:
        return None
    found = {}
    for pattern in _candidates(texts[0].strip()):
        is_plain = pattern == "%Y%m%d" and not all(_DIGITS.fullmatch(text.strip()) for text in texts)
        # Most texts are told from dates by the first ones.
        if not is_plain and None not in read_dates(texts[:20], pattern):
            found[pattern] = read_dates(texts, pattern)
    found = {pattern: dates for pattern, dates in found.items() if None not in dates}
    if len(found) < 2:
        return next(((pattern, "") for pattern in found), None)
    day_first, month_first, *_ = sorted(found, key=lambda pattern: pattern.find("%m"), reverse=True)
    if day_first.find("%m") == month_first.find("%m"):  # a month of three letters is one by either word
        return day_first, ""
    is_monthly = all(date is not None and date.day == 1 for date in found[month_first])
    if "%p" in month_first or (is_monthly and len(texts) > 1):
        return month_first, UNDECIDED.format("the month")
    return day_first, UNDECIDED.format("the day")


def read_dates(texts: Sequence[str], pattern: str) -> list[dt.datetime | None]:
    """Read texts by a format; None for each that does not fit."""
    found: list[dt.datetime | None] = []
    for text in texts:
        try:
            found.append(dt.datetime.strptime(text.strip(), pattern))
        except ValueError:
            found.append(None)
    return found


def _candidates(text: str) -> Iterator[str]:
    """Yield the formats that a text may have."""
    for time in chain(_TIME.finditer(text), [None]):
        if time is None:
            yield from _date_candidates(text)
        elif time.end() == len(text):
            yield from (date + _time_format(time) for date in _date_candidates(text[: time.start()]))


def _time_format(time: re.Match[str]) -> str:
    second = "" if not time["second"] else ":%S.%f" if time["fraction"] else ":%S"
    half = "" if not time["half"] else " %p" if time["half"].startswith(" ") else "%p"
    zone = "" if not time["zone"] else " %z" if time["zone"].startswith(" ") else "%z"
    return f"{time['apart']}{'%I' if half else '%H'}:%M{second}{half}{zone}"


def _date_candidates(text: str) -> Iterator[str]:
    if _DIGITS.fullmatch(text):
        yield "%Y%m%d"
    if match := _YEAR_FIRST.fullmatch(text):
        yield f"%Y{match[1]}%m" + (f"{match[1]}%d" if match[2] else "")
    if match := _MONTH_YEAR.fullmatch(text):
        yield f"%m{match[1]}%Y"
    if match := _NUMBERS.fullmatch(text):
        apart, year = match[2], "%Y" if len(match[4]) == 4 else "%y"
        yield f"%d{apart}%m{apart}{year}"
        if apart != ".":
            yield f"%m{apart}%d{apart}{year}"
    if match := _NAMED.fullmatch(text):
        year = "%Y" if len(match[4]) == 4 else "%y"
        yield from (f"%d{match[1]}{month}{match[3]}{year}" for month in ("%b", "%B"))
    if match := _NAME_FIRST.fullmatch(text):
        day = "" if match[2] is None else f"%d{match[2]}"
        yield from (f"{month}{match[1]}{day}%Y" for month in ("%b", "%B"))
