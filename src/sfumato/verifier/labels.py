"""Which labels a recipe can write, read from its rules without the code that wrote them.

A recipe says what was done to a column by a level of a hierarchy (a mask, units of dates, widths of
intervals, leaves with their labels, plain values), by blocks with their labels, or by the statistic of
each block. For each there is a question here that any text answers with yes or no.

Missing may occur in every column below its most general level, and ``*`` wherever a recipe was applied to
values that it does not know.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from sfumato.verifier.bags import STAR

Accepts: TypeAlias = Callable[[str], bool]  # whether a recipe can write a text
_UNITS = {
    "day": r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])",
    "week": r"\d{4}-W(?:0[1-9]|[1-4]\d|5[0-3])",
    "month": r"\d{4}-(?:0[1-9]|1[0-2])",
    "quarter": r"\d{4}-Q[1-4]",
    "year": r"\d{4}",
    "decade": r"\d{3}0s",
    "century": r"(\d{2})00-\1(?:99)",
}
_NUMBER = r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(r"\[(.+), (.+)[\])]")
_INTEGERS = re.compile(r"(-?\d+)(?:-(-?\d+))?")
_INTERVAL = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\)")


ISO = ""  # the format of dates that have none; None is for what is no date


class UnreadableError(ValueError):
    """What a recipe says about a column is not a rule; used only in this package."""


def _expect(is_rule: bool) -> None:
    if not is_rule:
        raise UnreadableError


def accepted_labels(done: Mapping[str, Any]) -> Accepts:
    """Return the question whether a recipe can write a text."""
    partition: Any = done.get("partition")
    _expect(isinstance(partition, Mapping))
    statistics = partition.get("statistics")
    if statistics is None:
        return _named_labels(done, partition)
    _expect(isinstance(statistics, list))
    _expect(all(isinstance(pair, list) and len(pair) == 2 for pair in statistics))
    # The blocks whose statistics are written are blocks of the recipe.
    named = _named_labels(done, partition)
    _expect(all(isinstance(name, str) and (name == STAR or named(name)) for name, _ in statistics))
    return among([pair[1] for pair in statistics])


def _named_labels(done: Mapping[str, Any], partition: Mapping[str, Any]) -> Accepts:
    """Return the question for labels of a level or of blocks."""
    level, definition = partition.get("level"), done.get("hierarchy") or {}
    _expect(isinstance(definition, Mapping))
    if level is None:
        labels: Any = partition.get("labels")
        _expect(isinstance(labels, list))
        return among([label for label in labels if label is not None])
    _expect(type(level) is int)
    written = done.get("format") or ISO
    _expect(isinstance(written, str))
    return _level_labels(definition, level, written if done.get("kind") == "date" else None)


def _level_labels(definition: Mapping[str, object], level: int, written: str | None) -> Accepts:
    """Return the question for labels of a level, by the first rule that a definition has."""
    rules: dict[str, Callable[[Any], Accepts]] = {
        "root": lambda root: among([root]),
        "leaves": lambda leaves: _labels_of_leaves(leaves, level),
        "values": lambda values: _kept(values, level, written),
        "columns": lambda _: _shown(definition),
        "mask": lambda length: _masked(length, level),
        "prefix": lambda lengths: _shortened(lengths, level),
        "dates": lambda units: _dated(units, level, written or ISO),
        "intervals": lambda widths: _in_intervals(definition, widths, level),
        "granularity": lambda _: _in_intervals(definition, [], level),
    }
    for key, make in rules.items():
        if key in definition:
            return make(definition[key])
    raise UnreadableError


def _kept(values: Sequence[object], level: int, written: str | None) -> Accepts:
    _expect(isinstance(values, list))
    return among([STAR]) if level else among(values, written)


def among(labels: Sequence[object], written: str | None = None) -> Accepts:
    """Ask for one of these texts or numbers, whatever the spelling of a number, or of a date in a format."""
    texts = [str(label).lower() if isinstance(label, bool) else str(label) for label in labels]
    known = {_key(text, written and ISO) for text in texts}
    return lambda text: _key(text, written) in known


def _key(text: str, written: str | None = None) -> str | float:
    """Make spellings of one number the same, and of one date or time."""
    stripped = text.strip()
    if written is not None:
        return moment(stripped, written)
    if re.fullmatch(rf"\+?{_NUMBER}", stripped):
        return float(stripped)
    return text.lower() if text.lower() in ("true", "false") else text


def moment(text: str, written: str = ISO) -> str:
    """Return a date or time in one spelling, without its offset; any other text as it is."""
    try:
        found = dt.datetime.strptime(text, written) if written else dt.datetime.fromisoformat(text)
    except ValueError:
        return moment(text) if written else text
    return found.replace(tzinfo=None).isoformat()


def _labels_of_leaves(leaves: Mapping[str, Any], level: int) -> Accepts:
    _expect(isinstance(leaves, Mapping))
    _expect(all(isinstance(labels, list) and len(labels) >= level for labels in leaves.values()))
    return among([labels[level - 1] if level else leaf for leaf, labels in leaves.items()])


def _shown(definition: Mapping[str, object]) -> Accepts:
    """Ask for one of the labels that a recipe names, where they come from other columns of the data."""
    labels: Any = definition.get("shown")
    _expect(isinstance(labels, list))
    return among(labels)


def _masked(length: int, level: int) -> Accepts:
    """Ask for texts of this length that end in stars; the values themselves may be longer."""
    _expect(type(length) is int and 0 <= level <= length)
    if level == 0:
        return lambda text: len(text) >= length
    return lambda text: len(text) == length and text.endswith(STAR * level)


def _shortened(lengths: Sequence[Any], level: int) -> Accepts:
    """Ask for texts that are no longer than what is kept."""
    _expect(isinstance(lengths, list) and all(type(length) is int and length > 0 for length in lengths))
    _expect(0 <= level <= len(lengths) + 1)
    if level == len(lengths) + 1:
        return among([STAR])
    return lambda text: not level or 0 < len(text) <= lengths[level - 1]


def _dated(units: Sequence[object], level: int, written: str) -> Accepts:
    _expect(isinstance(units, list) and level <= len(units) + 1 and all(unit in _UNITS for unit in units))
    if level == len(units) + 1:
        return among([STAR])
    if level == 0:
        return lambda text: re.match(r"\d{4}-\d{2}-\d{2}", moment(text.strip(), written)) is not None
    pattern = re.compile(_UNITS[str(units[level - 1])])
    return lambda text: pattern.fullmatch(text) is not None


def _in_intervals(definition: Mapping[str, object], widths: Sequence[object], level: int) -> Accepts:
    _expect(isinstance(widths, list) and level <= len(widths) + 1)
    if level == len(widths) + 1:
        return among([STAR])
    step = definition.get("granularity") if level == 0 else widths[level - 1]
    if step is None:
        return lambda text: re.fullmatch(rf"\+?{_NUMBER}", text.strip()) is not None
    origin = _exact(definition.get("origin") or 0) if level else Fraction(0)
    width = _exact(step)
    _expect(width > 0)
    bounds = {
        key: _exact(definition[key]) for key in ("bottom", "top") if level and definition.get(key) is not None
    }
    return lambda text: _is_interval(text, width, origin, bounds)


def _is_interval(text: str, width: Fraction, origin: Fraction, bounds: Mapping[str, Fraction]) -> bool:
    """Tell whether a text is an interval of this width, counted from the origin and cut at the bounds."""
    bottom, top = bounds.get("bottom"), bounds.get("top")
    if text.startswith("<") or text.endswith("+"):
        end = bottom if text.startswith("<") else top
        rest = text[1:] if text.startswith("<") else text[:-1]
        return end is not None and re.fullmatch(_NUMBER, rest) is not None and Fraction(rest) == end
    ends = _ends_of(text)
    if ends is None:
        return False
    number = (ends[0] - origin) // width
    # Ends that are no binary fractions are written a little off, perhaps in the interval before.
    for start in (origin + number * width, origin + (number + 1) * width):
        low, high = max(start, bounds.get("bottom", start)), start + width
        high = min(high, bounds.get("top", high))
        if all(abs(found - due) <= width / 10**6 for found, due in zip(ends, (low, high), strict=True)):
            return True
    return False


def _ends_of(text: str) -> tuple[Fraction, Fraction] | None:
    """Read the begin of an interval, and its end, which is excluded."""
    interval, integers = _INTERVAL.fullmatch(text), _INTEGERS.fullmatch(text)
    if interval is not None:
        return Fraction(interval[1]), Fraction(interval[2])
    if integers is None:
        return None
    return Fraction(integers[1]), Fraction(integers[2] or integers[1]) + 1


def _exact(number: object) -> Fraction:
    if not isinstance(number, int | float) or isinstance(number, bool) or not math.isfinite(number):
        raise UnreadableError
    return Fraction(str(number))


def misfits(done: Mapping[str, object]) -> bool:
    """Tell whether blocks of a recipe overlap, or are not what their labels say."""
    # A label that is a range must reach around the ends of its block, a set in full must list its values, and
    # a value by itself keeps its text. Names of a hierarchy's nodes may be any.
    partition, definition = done.get("partition"), done.get("hierarchy")
    if not isinstance(partition, Mapping) or not isinstance(partition.get("blocks"), list):
        return False
    blocks, labels = partition["blocks"], partition.get("labels") or [None] * len(partition["blocks"])
    values = [value for block in blocks for value in dict.fromkeys(block)]
    if len(set(values)) < len(values):
        return True
    is_plain = done.get("kind") in ("category", "ordinal") and not definition
    return any(
        label is not None and block and not _suits(block, label, is_plain=is_plain)
        for block, label in zip(blocks, labels, strict=True)
    )


def _suits(block: Sequence[object], label: str, *, is_plain: bool) -> bool:
    known = [value for value in block if value is not None]
    if is_plain:
        texts = [str(value) for value in known] + ["(missing)"] * (len(known) < len(block))
        is_set = label.startswith("{") and label.endswith("}") and "…" not in label
        return label == "{" + ", ".join(texts) + "}" if is_set else len(block) > 1 or label == texts[0]
    ends = _ends_of(label) or _closed_ends(label)
    if ends is not None:
        numbers = [Fraction(str(value)) for value in known if isinstance(value, int | float)]
        return all(ends[0] <= number <= ends[1] for number in numbers)
    days = _RANGE.fullmatch(label)
    if days is None:
        return True
    return all(moment(days[1]) <= moment(str(value)) <= moment(days[2]) for value in known)


def _closed_ends(label: str) -> tuple[Fraction, Fraction] | None:
    """Read the ends of ``[1.5, 2.75]``."""
    found = _RANGE.fullmatch(label)
    if found is None or not all(re.fullmatch(_NUMBER, end) for end in found.groups()):
        return None
    return Fraction(found[1]), Fraction(found[2])


def number_or_text(text: str) -> str | float:
    """Return a number as such, and any other text as it is."""
    return float(text) if re.fullmatch(rf"\+?{_NUMBER}", text.strip()) else text


def read_ends(label: str) -> tuple[Fraction, Fraction, bool] | None:
    """Read a range of numbers: its ends, and whether the second one is included."""
    if re.fullmatch(rf"<({_NUMBER})", label):
        return Fraction(-(10**400)), Fraction(label[1:]), False
    if re.fullmatch(rf"({_NUMBER})\+", label):
        return Fraction(label[:-1]), Fraction(10**400), False
    integers, interval = _INTEGERS.fullmatch(label), _INTERVAL.fullmatch(label)
    if integers is not None and integers[2]:
        return Fraction(integers[1]), Fraction(integers[2]), True
    if interval is not None:
        return Fraction(interval[1]), Fraction(interval[2]), False
    closed = _closed_ends(label)
    return None if closed is None or not label.endswith("]") else (*closed, True)


def unit_labels(text: str, units: Sequence[str]) -> list[str]:
    """Return the labels of a day, given in ISO form, in units of time; none of any other text."""
    try:
        day = dt.datetime.fromisoformat(text)
    except ValueError:
        return []
    year, week, _ = day.isocalendar()
    # Coarser units count a week to the year of its Thursday.
    own = year if "week" in units else day.year
    found = {
        "day": f"{day:%Y-%m-%d}",
        "week": f"{year:04}-W{week:02}",
        "month": f"{day:%Y-%m}",
        "quarter": f"{day.year:04}-Q{(day.month + 2) // 3}",
        "year": f"{own:04}",
        "decade": f"{own // 10 * 10:04}s",
        "century": f"{own // 100:02}00-{own // 100:02}99",
    }
    return [found[unit] for unit in units if unit in found]
