"""What kind of values an attribute has, how values and texts match, and dates as people write them."""

from __future__ import annotations

import datetime as dt
import math
import re
from itertools import chain
from typing import TYPE_CHECKING, TypeGuard, cast

from sfumato.errors import DataError, HierarchyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sfumato.hierarchies.hierarchy import Value
    from sfumato.spec.choices import Kind

# What counts as a number without being asked: no plus (telephone numbers), no leading zeros (codes).
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# What may be a number where the specification says that it is one.
_ANY_INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
ANY_DECIMAL = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_LONGEST = 19  # digits of the largest 64-bit integer
_SMALLEST_INTEGER, _LARGEST_INTEGER = -(2**63), 2**63 - 1


def infer_kind(texts: Sequence[str]) -> Kind:
    """Find the kind of an attribute from its distinct texts."""
    if not texts:
        return "category"
    if all(_INTEGER.fullmatch(text) for text in texts):
        return "number" if all(_fits(text) for text in texts) else "category"
    if all(_DECIMAL.fullmatch(text) and math.isfinite(float(text)) for text in texts):
        return "number"
    if all(_to_date(text) is not None for text in texts):
        return "date"
    return "category"


class UnreadableValuesError(DataError):
    """Texts are not of the kind that they should have; ``places`` says which of those that were given."""

    def __init__(self, message: str, places: Sequence[int]) -> None:
        super().__init__(message)
        self.places = places


def parse_values(texts: Sequence[str], kind: str, date_format: str | None = None) -> list[Value]:
    """Turn texts into the values of a kind; dates are in ISO form unless a format says another one."""
    if kind == "number":
        return _parse_numbers(texts)
    if kind == "date":
        dates: Sequence[dt.date | None] = [_to_date(text.strip()) for text in texts]
        like = "are not dates (such as 1987-03-14)"
        if date_format is not None:
            dates, like = read_dates(texts, date_format), f"do not fit format = {date_format!r}"
        wrong = [place for place, date in enumerate(dates) if date is None]
        if wrong:
            raise UnreadableValuesError(
                f'{len(wrong)} of {len(dates)} distinct values {like}. Set kind = "category"'
                f"{', give the right format' if date_format else ' or a format'}, or list them as missing.",
                wrong,
            )
        return list(unify_dates(dates))
    return list(texts)


def typed_values(values: Sequence[Value], kind: str) -> list[Value]:
    """Return values as data of a kind hold them; JSON has dates as texts."""
    if kind == "date":
        is_read = all(isinstance(value, dt.date) for value in values)
        return list(values) if is_read else parse_values(texts_of(values), kind)
    return list(values) if kind == "number" else [text_of(value) for value in values if value is not None]


def kind_of(values: Sequence[Value]) -> Kind:
    """Return the kind that typed values have: ``number``, ``date`` or ``category``."""
    types = set(map(type, values))
    if not types:
        return "category"
    if all(issubclass(found, int | float) and found is not bool for found in types):
        return "number"
    return "date" if all(issubclass(found, dt.date) for found in types) else "category"


def text_of(value: str | int | float | dt.date) -> str:
    """Return the text by which a value matches a hierarchy."""
    # Whole numbers have no point: 39 and 39.0 are both `39`. A time at midnight is its date, truth values are
    # `true` and `false`. Missing has no text.
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if _is_midnight(value) else value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def texts_of(values: Sequence[Value]) -> list[str]:
    """Return the distinct texts of values that are not missing, in their order."""
    if set(map(type, values)) == {str}:
        return list(dict.fromkeys(cast("Sequence[str]", values)))
    return list(dict.fromkeys(text_of(value) for value in values if value is not None))


def unify_dates(values: Sequence[Value], *, where: str | None = None) -> list[dt.date]:
    """Make dates of one type: dates where no time is said, else datetimes."""
    # Of times with a zone only what the clock there showed is kept: it has the day that people mean.
    wrong = [value for value in values if not isinstance(value, dt.date)]
    if wrong:
        raise HierarchyError(
            f"{len(wrong)} of {len(values)} distinct values are not dates. "
            "Use another hierarchy, or list them as missing.",
            where=where,
            values=texts_of(wrong),
        )
    times = [as_time(value) for value in values if isinstance(value, dt.date)]
    if len({time.tzinfo is None for time in times}) > 1:
        raise HierarchyError(
            "some times have a zone and some have none, so they have no common order. Write all with a "
            "zone, or none.",
            where=where,
        )
    times = [time.replace(tzinfo=None) for time in times]
    return [time.date() for time in times] if all(map(_is_midnight, times)) else [*times]


def sorted_numbers(values: Sequence[Value], *, where: str | None = None) -> list[int] | list[float]:
    """Return the distinct numbers by size: integers if all of them are whole, else floats."""
    numbers = set(filter(is_finite, values))
    wrong = [] if len(numbers) == len(values) else [value for value in values if value not in numbers]
    if wrong:
        raise HierarchyError(
            f"{len(wrong)} of {len(values)} distinct values are not finite numbers. "
            "Use another hierarchy, or list them as missing.",
            where=where,
            values=texts_of(wrong),
        )
    if all(isinstance(number, int) or number.is_integer() for number in numbers):
        return sorted(map(int, numbers))
    return sorted(set(map(float, numbers)))


def is_finite(value: Value) -> TypeGuard[int | float]:
    """Tell whether a value is a number, and neither infinite nor undefined."""
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def _parse_numbers(texts: Sequence[str]) -> list[Value]:
    """Read integers if all texts are integers, else floats."""
    if all(_ANY_INTEGER.fullmatch(text) for text in texts):
        found: list[Value] = [int(text) if _fits(text) else None for text in texts]
    else:
        decimals = [float(text) if ANY_DECIMAL.fullmatch(text) else math.nan for text in texts]
        found = [number if math.isfinite(number) else None for number in decimals]
    wrong = [place for place, number in enumerate(found) if number is None]
    if wrong:
        raise UnreadableValuesError(
            f"{len(wrong)} of {len(texts)} distinct values are not numbers (integers of up to "
            '64 bits, or finite decimals). Set kind = "category", or list them as missing.',
            wrong,
        )
    return found


def _fits(text: str) -> bool:
    """Tell whether the text of an integer fits into 64 bits."""
    digits = text.strip().lstrip("+-").lstrip("0")
    return len(digits) <= _LONGEST and _SMALLEST_INTEGER <= int(text) <= _LARGEST_INTEGER


def _to_date(text: str) -> dt.date | None:
    """Read an ISO date, with or without a time; None for any other text."""
    if _DATE.fullmatch(text) is None:
        return None
    try:
        return dt.date.fromisoformat(text) if len(text) == 10 else dt.datetime.fromisoformat(text)
    except ValueError:  # the thirtieth of February
        return None


def as_time(value: dt.date) -> dt.datetime:
    """Return a date as the beginning of its day, a time as it is."""
    return value if isinstance(value, dt.datetime) else dt.datetime(value.year, value.month, value.day)


def _is_midnight(value: dt.datetime) -> bool:
    """Tell whether a time says no more than its date."""
    return value.tzinfo is None and value.time() == dt.time.min


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
_EASTERN = re.compile(r"[0-9]{4}([年년])( ?)[0-9]{1,2}([月월])(?:( ?)[0-9]{1,2}([日일]))?")
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
            second = "" if not time["second"] else ":%S.%f" if time["fraction"] else ":%S"
            half = "" if not time["half"] else " %p" if time["half"].startswith(" ") else "%p"
            zone = "" if not time["zone"] else " %z" if time["zone"].startswith(" ") else "%z"
            clock = f"{time['apart']}{'%I' if half else '%H'}:%M{second}{half}{zone}"
            yield from (date + clock for date in _date_candidates(text[: time.start()]))


def _date_candidates(text: str) -> Iterator[str]:
    if _DIGITS.fullmatch(text):
        yield "%Y%m%d"
    if match := _YEAR_FIRST.fullmatch(text):
        yield f"%Y{match[1]}%m" + (f"{match[1]}%d" if match[2] else "")
    if match := _EASTERN.fullmatch(text):
        yield f"%Y{match[1]}{match[2]}%m{match[3]}" + (f"{match[4]}%d{match[5]}" if match[5] else "")
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
