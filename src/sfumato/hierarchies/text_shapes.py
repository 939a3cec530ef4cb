"""What the shapes of texts say about a column: dates in some format, bands of ages, codes."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median_low
from typing import TYPE_CHECKING, TypeAlias

from sfumato.hierarchies.date_formats import find_format
from sfumato.hierarchies.kinds import ANY_DECIMAL, infer_kind
from sfumato.hierarchies.role_words import POSTAL_WORDS, hints_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    Band: TypeAlias = tuple[float, float, str]  # first and last number, and the text

AGE_WORDS = frozenset(["age", "alter", "edad", "idade", "eta", "leeftijd", "alder", "jahre", "years"])
CODE_WORDS = frozenset(["icd", "atc", "nuts", "fips", "nace", "naics", "sic", "isco", "noga"])
"""Words of a name by which numbers are ages, though they begin with zeros, and codes, though they do not."""

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
    kind = infer_kind(texts)
    if kind == "date" or not texts or hints_at(name, POSTAL_WORDS):
        return Look(kind)
    if found := find_format(texts):
        return Look("date", *found)
    is_age = hints_at(name, AGE_WORDS) and all(re.fullmatch("[0-9]{1,3}", text) for text in texts)
    if kind == "number" or is_age:
        is_code = hints_at(name, CODE_WORDS) and code_lengths(texts)
        return Look("category" if is_code else "number")
    if band_tree(texts):
        return Look("ordinal")
    odd = [text for text in texts if not ANY_DECIMAL.fullmatch(text)]
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
