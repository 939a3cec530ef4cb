"""Guesses for a first specification: hierarchies, and what the shapes of texts say about a column."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median_low
from typing import TYPE_CHECKING, TypeAlias

from sfumato.errors import HierarchyError
from sfumato.hierarchies import kinds
from sfumato.hierarchies.hierarchy_files import read_tree
from sfumato.hierarchies.role_words import hints_at
from sfumato.spec.choices import exact

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from sfumato.hierarchies.hierarchy import Hierarchy, Value
    from sfumato.hierarchies.intervals import Number

    Band: TypeAlias = tuple[float, float, str]  # first and last number, and the text

Definition: TypeAlias = dict[str, object]

FINEST_INTERVALS = 20  # about how many intervals the finest level should have
MOST_WIDTHS = 4
LONGEST_RANGE = 100_000  # integers that span more get a granularity, so that their domain stays small
KNOWN = 5  # ends and names of groups follow only from what so many rows show: both are published
TAIL = 1000  # one row of so many may lie beyond the bottom, and one beyond the top
DWARFS = 10  # a number so many times as far from the median as all others dwarfs them


def suggest(
    attribute: str, values: Sequence[Value], kind: str, counts: Sequence[int] | None = None
) -> Definition:
    """Guess a hierarchy; without ``counts``, every value is taken for one that many rows have."""
    rows = [KNOWN] * len(values) if counts is None else counts
    texts = kinds.texts_of(values) if kind in ("number", "category", "ordinal") else []
    if kind in ("number", "category") and hints_at(attribute, "postal"):
        lengths = {len(text) for text in texts}
        if len(lengths) == 1 and 3 <= min(lengths) <= 10 and len(texts) > 1:
            return {"mask": min(lengths)}
    if kind == "number":
        return _suggest_intervals(values, rows)
    if kind == "date":
        return _suggest_dates(values, rows)
    if kind == "ordinal":
        return {"tree": tree} if (tree := band_tree(texts)) else {}
    often = kinds.texts_of([value for value, many in zip(values, rows, strict=True) if many >= KNOWN])
    return {"prefix": kept} if (kept := code_lengths(texts)) else _suggest_tree(texts, set(often))


def _suggest_intervals(values: Sequence[Value], counts: Sequence[int]) -> Definition:
    """Choose widths by nice steps from the range of numbers without what lies far outside."""
    numbers = kinds.sorted_numbers(values)
    if len(numbers) < 3:
        return {}
    whole = isinstance(numbers[0], int)
    few = KNOWN - 1
    beyond = few if whole and len(numbers) <= FINEST_INTERVALS else max(few, sum(counts) // TAIL)
    low, high = map(exact, usual_range(values, counts, beyond))
    if low >= high:  # most rows have one number
        low, high = map(exact, usual_range(values, counts, few))
    if low >= high:
        return {}
    span = high - low + whole
    # The step is the smallest of 1, 2, 5, 10, 20, 50, … and their tenths that gives so many intervals. The
    # logarithm is rounded: one more on either side makes up for it.
    least = span / FINEST_INTERVALS
    power = exact(10) ** math.floor(math.log10(least))
    steps = [power * digit / 10 for digit in (5, 10, 20, 50, 100, 200)]
    step = max(min(nice for nice in steps if nice >= least), exact(2 if whole else 0))
    widths = [step * 2**power for power in range(MOST_WIDTHS) if step * 2**power < span]
    found: Definition = {"intervals": [_plain(width) for width in widths], "origin": 0}
    bottom, top = low // step * step, (high // step + 1) * step
    found |= {"bottom": _plain(bottom), "top": _plain(top)}
    if whole and top - bottom > LONGEST_RANGE:
        found["granularity"] = _plain(step / 5)
    return found


def usual_range(values: Sequence[Value], counts: Sequence[int], beyond: int) -> tuple[Number, Number]:
    """Return the least and the largest number that counts: so many rows may lie beyond either.

    A single row whose number dwarfs all others lies beyond in any case.
    """
    found = zip(values, counts, strict=True)
    rows = sorted((value, count) for value, count in found if count and kinds.is_finite(value))
    total = sum(count for _, count in rows)
    middle = _reached(rows, total / 2)
    ends = []
    for line, sign in ((rows, -1), (rows[::-1], 1)):
        end = _reached(line, beyond)
        (extreme, count), (following, _) = line[0], line[min(1, len(line) - 1)]
        far, near = sign * (extreme - middle), sign * (following - middle)
        ends.append(following if end == extreme and count == 1 and far > DWARFS * near > 0 else end)
    return ends[0], ends[1]


def _reached(rows: Sequence[tuple[Number, int]], passed: float) -> Number:
    """Return the first number with more than so many rows up to it; the last one if there is none."""
    total = itertools.accumulate(count for _, count in rows)
    reaching = (value for (value, _), reached in zip(rows, total, strict=True) if reached > passed)
    return next(reaching, rows[-1][0])


def dwarfing_ends(hierarchy: Hierarchy, counts: Sequence[int]) -> list[str]:
    """Say which ends intervals lack though numbers beyond would dwarf all others: ``bottom``, ``top``."""
    rule, rows = hierarchy.definition, zip(hierarchy.values, counts, strict=True)
    numbers = [value for value, count in rows if count and kinds.is_finite(value)]
    if "intervals" not in rule or len(numbers) < 3:
        return []
    low, high = usual_range(hierarchy.values, counts, sum(counts) // TAIL)
    beyond = {"bottom": low - min(numbers), "top": max(numbers) - high}
    return [key for key, far in beyond.items() if far > DWARFS * (high - low) > 0 and key not in rule]


def _plain(number: Fraction) -> Number:
    return int(number) if number.denominator == 1 else float(number)


def _suggest_dates(values: Sequence[Value], counts: Sequence[int]) -> Definition:
    dates = kinds.unify_dates(values)
    if len(dates) < 2:
        return {}
    rows = sorted((date.toordinal(), many) for date, many in zip(dates, counts, strict=True))
    first, last = (dt.date.fromordinal(int(_reached(line, KNOWN - 1))) for line in (rows, rows[::-1]))
    years = last.year - first.year
    units = ["month", "quarter", "year"] if years < 10 else ["month", "year", "decade"]
    units += ["century"] if years >= 100 else []
    return {"dates": ["day", *units] if isinstance(dates[0], dt.datetime) else units}


def _suggest_tree(texts: Sequence[str], often: set[str]) -> Definition:
    """Group a moderate number of categories by their first words, if that groups enough of them.

    Only texts in ``often`` make a group; another joins one that is there.
    """
    if not 4 <= len(texts) <= 60:
        return {}
    groups: dict[str, list[str]] = {}
    for text in sorted(texts):
        groups.setdefault(re.split(r"[\W_]+", text)[0] or text, []).append(text)
    if not 2 <= sum(not often.isdisjoint(group) for group in groups.values()) <= 0.75 * len(often):
        return {}
    tree: dict[str, list[str]] = {}
    for name, group in groups.items():
        is_shared = len(often.intersection(group)) > 1
        tree |= {name: group} if is_shared else {text: [text] for text in group}
    try:
        read_tree(tree, "")
    except HierarchyError:  # a value such as * cannot be the name of a group
        return {}
    return {"tree": tree}


NEARLY_ALL, FEWEST = 0.9, 10
COMMON_SHAPE = 0.95
MOST_BANDS = 200
SHOWN = 5


@dataclass(frozen=True)
class Look:
    """What the texts of a column seem to be."""

    kind: str = "category"  # `number`, `category`, `ordinal` or `date`
    format: str | None = None  # how dates are written, where not in ISO form
    hint: str = ""  # what its owner should know
    odd: tuple[str, ...] = ()  # values that the hint is about, to be shown only where values may be


def look_at(name: str, texts: Sequence[str]) -> Look:
    """Guess the kind of a column from its name and its distinct texts."""
    # After a separator there may be a blank, which numbers may have.
    kind = kinds.infer_kind([text.strip(" ") for text in texts])
    if kind == "date" or not texts or hints_at(name, "postal"):
        return Look(kind)
    if found := kinds.find_format(texts):
        return Look("date", *found)
    is_age = hints_at(name, "age") and all(re.fullmatch("[0-9]{1,3}", text) for text in texts)
    if kind == "number" or is_age:
        is_code = hints_at(name, "code") and code_lengths(texts)
        return Look("category" if is_code else "number")
    if band_tree(texts):
        return Look("ordinal")
    odd = [text for text in texts if not kinds.ANY_DECIMAL.fullmatch(text)]
    numbers = len(texts) - len(odd)
    if numbers < max(FEWEST, NEARLY_ALL * len(texts)) or code_lengths(texts):
        return Look(kind)
    hint = f'{numbers:,} of {len(texts):,} values are numbers. If they measure something, set kind = "number"'
    hint += " and list the rest under missing" if odd else ""
    return Look(kind, None, hint, tuple(sorted(odd)[:SHOWN]))


_YEARS = re.compile(r" ?\b(?:years?|yrs?|jahren?|ans|años)\b(?: old)?")
_RANGE = re.compile(r"([\[(]?)([0-9]+) ?(?:-|–|—|to|bis|à|a|,|;|\.\.) ?([0-9]+)([\])]?)")
_UNDER = re.compile(r"(?:(<=|≤|up to |bis )|<|under |below |unter |less than |moins de |menos de ) ?([0-9]+)")
_OVER = re.compile(
    r"(?:(>|over |more than |older than |über |plus de |más de )|>=|≥|ab |from )? ?([0-9]+)"
    r"( ?\+| ?(?:and|or|und|et|y|&) (?:over|above|older|more|up|älter|mehr|plus|más))?"
)


def _band(text: str) -> Band | None:
    """Read a number, a range of numbers, or everything under or over one; None for any other text."""
    plain = _YEARS.sub("", text.strip().casefold())
    if match := _RANGE.fullmatch(plain):
        return int(match[2]) + (match[1] == "("), int(match[3]) - (match[4] == ")"), text
    if match := _UNDER.fullmatch(plain):
        return 0, int(match[2]) - (match[1] is None), text
    if match := _OVER.fullmatch(plain):
        is_open = match[3] is not None or not plain[0].isdigit()
        low = int(match[2]) + (match[1] is not None)
        return low, math.inf if is_open else low, text
    return None


def band_tree(texts: Sequence[str]) -> dict[str, object]:
    """Join neighbouring bands into wider ones; nothing unless all texts are bands that do not overlap."""
    if not 3 <= len(texts) <= MOST_BANDS:
        return {}
    found = sorted(band for text in texts if (band := _band(text)))
    is_plain = all(text.isdigit() for text in texts)
    if is_plain or len(found) < len(texts) or any(one[1] >= two[0] for one, two in pairwise(found)):
        return {}
    closed = [int(high - low) + 1 for low, high, _ in found[1:-1]]
    width = max(1, median_low(closed))
    widths = [width * times for times in ((5, 10, 20, 40) if width == 1 else (2, 4, 8))]
    counts = [len(found), *(len({band[0] // wide for band in found}) for wide in widths)]
    kept = [wide for wide, (fine, coarse) in zip(widths, pairwise(counts), strict=True) if 2 <= coarse < fine]
    return _joined(found, kept[::-1]) if kept else {}


def _joined(bands: Sequence[Band], widths: Sequence[int]) -> dict[str, object]:
    """Group sorted bands by the widest width, and each group by the others."""
    found: dict[str, object] = {}
    for _, group in groupby(bands, key=lambda band: band[0] // widths[0]):
        members = list(group)
        low, high = int(members[0][0]), members[-1][1]
        name = f"{low}+" if math.isinf(high) else f"{low}-{int(high)}"
        inside = _joined(members, widths[1:]) if widths[1:] else [text for *_, text in members]
        found[members[0][2] if len(members) == 1 else name] = inside
    return found


def code_lengths(texts: Sequence[str]) -> list[int]:
    """Return how many characters of codes are kept to group them, longest first; nothing for other texts."""
    # Codes have one shape of letters and digits, or begin like it. They are cut where the shape changes, and
    # where what is left out begins to say less: after each digit behind a separator or two letters, after the
    # second digit and each further one behind a letter, after each letter behind digits.
    shapes = Counter(re.sub("[0-9]", "9", re.sub(r"[^\W\d_]", "A", text)) for text in texts)
    if len(texts) <= FEWEST or len(shapes) > 50:
        return []
    shared = {shape: sum(n for other, n in shapes.items() if shape.startswith(other)) for shape in shapes}
    shape = max(shared, key=lambda shape: (shared[shape], len(shape)))
    is_plain = set(shape) == {"9"} and (shapes[shape] < len(texts) or not 3 <= len(shape) <= 10)
    if shared[shape] < COMMON_SHAPE * len(texts) or not re.fullmatch("[A./-]*9[A9./-]*", shape) or is_plain:
        return []
    counts, kept = len(texts), list[int]()
    for length in sorted(_cuts(shape), reverse=True):
        groups = len({text[:length] for text in texts})
        if kept and groups == counts:  # the shorter name of the same groups
            kept[-1] = length
        elif 2 <= groups < counts:
            kept.append(length)
            counts = groups
    return kept if counts <= len(texts) / 2 else []


def _cuts(shape: str) -> set[int]:
    """Return the lengths at which codes of a shape are cut."""
    runs = [(match[0][0], match.start(), match.end()) for match in re.finditer(r"A+|9+|[^A9]+", shape)]
    found: set[int] = set()
    for place, (sign, start, end) in enumerate(runs):
        before = runs[place - 1][0] if place else ""
        if sign not in "A9":
            continue
        each = before not in ("", "A", "9") or len(runs) == 1 or (place == 1 and runs[0][2] > 1)
        if each or (sign == "A" and place):
            found |= set(range(start + 1, end + 1))
        elif place == 1:
            found |= set(range(min(start + 2, end), end + 1))
        else:
            found.add(end)
    return found - {len(shape)}
