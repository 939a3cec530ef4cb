"""What a local release must keep, asked of plain rows: nothing of the package is used here.

Labels are read as ``docs/local.md`` describes them. A row is a dict of texts, None where a cell is missing.
"""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Attribute:
    """A quasi-identifier: its kind, and for a hierarchy the names above each value."""

    name: str
    kind: str  # number, date, category
    above: dict[str, list[str]] = field(default_factory=dict)


def read_set(label: str) -> list[str] | None:
    """Return the members of ``{a, "b, c"}``; None if the label is no set."""
    if not (label.startswith("{") and label.endswith("}")):
        return None
    members, rest = [], label[1:-1]
    while rest:
        if rest.startswith('"'):
            member, place = "", 1
            while rest[place] != '"' or rest[place + 1 : place + 2] == '"':
                member += rest[place]
                place += 2 if rest[place] == '"' else 1
            rest = rest[place + 1 :]
        else:
            member, comma, rest = rest.partition(",")
            rest = comma + rest
        members.append(member)
        if not rest:
            break
        assert rest.startswith(", "), label
        rest = rest[2:]
    return members


def place_of(text: str, kind: str) -> object:
    """Return a number or a day that can be compared; None for other texts."""
    try:
        return Fraction(text) if kind == "number" else dt.date.fromisoformat(text)
    except ValueError:
        return None


def read_range(label: str, kind: str) -> tuple[object, object, bool] | None:
    """Return the ends of a range, and whether the last one belongs to it."""
    if label.startswith("[") and label[-1] in "])" and ", " in label:
        first, last = label[1:-1].split(", ")
        return place_of(first, kind), place_of(last, kind), label.endswith("]")
    first, dash, last = label[1:].partition("-")
    if kind == "number" and dash and last:
        return place_of(label[0] + first, kind), place_of(last, kind), True
    return None


def covers(attribute: Attribute, label: str | None, value: str | None) -> bool:
    """Tell whether a label stands for a value among others, or alone."""
    if label is None or value is None:
        return label == "*" or (label is None and value is None)
    if label in ("*", value) or label in attribute.above.get(value, []):
        return True
    members = read_set(label)
    if members is not None:
        place = place_of(value, "number")
        return value in members or (place is not None and place in [place_of(m, "number") for m in members])
    if attribute.kind == "category":
        return False
    place, ends = place_of(value, attribute.kind), read_range(label, attribute.kind)
    if ends is None:
        return place == place_of(label, attribute.kind)
    return ends[0] <= place and (place <= ends[1] if ends[2] else place < ends[1])  # type: ignore[operator]


SENTENCE = "illness", "hiv"
"""Confidential where ``secure`` is required: that the column has this value."""
ORDER = ("flu", "cold", "hiv", "cut")
"""What the ordered distance goes along; the hierarchical one knows the first two and the last two."""


def distance(gaps: dict[str | None, Fraction], way: str) -> Fraction:
    """Return how much has to be moved how far to close gaps: between equals, in an order, or in a tree."""
    apart = sum((abs(gap) for gap in gaps.values()), Fraction(0)) / 2
    line = [gaps.get(value, Fraction(0)) for value in ORDER]
    if way == "ordered":
        carried = [abs(sum(line[: place + 1], Fraction(0))) for place in range(len(line))]
        return sum(carried, Fraction(0)) / (len(line) - 1)
    if way == "hierarchical":
        # Half of the way up and down is within a pair.
        pairs = abs(line[0] + line[1]) + abs(line[2] + line[3])
        return (apart + pairs / 2) / 2
    return apart


def value_of(
    measure: str, rows: list[dict], whole: Counter, attribute: str | None, rows_of: Counter, way: str = ""
) -> float:
    """Return a measure of one class by its definition; ``rows_of`` counts the rows of every person."""
    if measure in ("k", "secure"):
        is_disclosed = all(row[SENTENCE[0]] == SENTENCE[1] for row in rows)
        units = {row.get("person", number) for number, row in enumerate(rows)}
        return len(units) if measure == "k" else float(not is_disclosed)
    counts = Counter(row.get(attribute) for row in rows)
    known: dict[str, Fraction] = {}
    for row in rows:
        if attribute is not None and row[attribute] is not None:
            # Each person has one vote, of which all its rows have an equal part.
            vote = Fraction(1, rows_of[row["person"]]) if "person" in row else Fraction(1)
            known[row[attribute]] = known.get(row[attribute], Fraction(0)) + vote
    total = sum(known.values(), Fraction(0))
    if measure == "distinct_l":
        return max(len(known), 1)
    if measure == "recursive_l":
        votes = sorted(known.values(), reverse=True)
        held = [ell for ell in range(1, len(votes) + 1) if votes[0] < 3 * sum(votes[ell - 1 :])]
        return max(held, default=1)
    if measure == "entropy_l":
        return math.exp(-sum(c / total * math.log(c / total) for c in known.values())) if known else 1.0
    if measure == "share_l":
        return float(total / max(known.values())) if known else 1.0
    if measure == "t":
        share = {value: Fraction(counts[value], len(rows)) for value in whole}
        gaps = {v: share[v] - Fraction(whole[v], sum(whole.values())) for v in whole}
        return float(distance(gaps, way))
    raise ValueError(measure)


def find_faults(
    attributes: list[Attribute],
    original: dict[str, dict],
    released: list[dict],
    require: dict[str, float],
    *,
    unchanged: list[str],
    sensitive: list[str],
    masked: bool,
    budget: int,
) -> list[str]:
    """List what a release breaks; rows of both are known by the column ``id``."""
    faults, names = [], [item.name for item in attributes]
    classes: dict[tuple, list[dict]] = defaultdict(list)
    unsure: list[dict] = []
    hidden = len(original) - len(released)
    for row in released:
        before = original[row["id"]]
        if (
            masked
            and all(row[name] == "*" for name in names)
            and all(row[name] is None for name in sensitive)
        ):
            # Where sensitive cells were missing before, nobody can tell such a row from a published one.
            if any(before[name] is not None for name in sensitive):
                hidden += 1
            else:
                unsure.append(before)
            continue
        for item in attributes:
            if not covers(item, row[item.name], before[item.name]):
                faults.append(f"{row[item.name]!r} does not cover {before[item.name]!r} of {item.name}")
        faults += [f"{name} changed" for name in (*unchanged, *sensitive) if row[name] != before[name]]
        classes[tuple(row[name] for name in names)].append(before)
    if hidden > budget:
        faults.append(f"{hidden} rows suppressed, {budget} allowed")
    shown = classes.get(("*",) * len(names))
    with_unsure = {**classes, ("*",) * len(names): shown + unsure} if shown else classes
    return faults + min((find_broken(way, original, require) for way in (classes, with_unsure)), key=len)


def find_broken(
    classes: dict[tuple, list[dict]], original: dict[str, dict], require: dict[str, float]
) -> list[str]:
    """List which classes do not meet which requirement."""
    faults = []
    rows_of = Counter(row.get("person") for row in original.values())
    for text, limit in require.items():
        measure, _, inside = text.partition("(")
        name, _, way = inside.rstrip(")").partition(", ")
        whole = Counter(row[name] for row in original.values()) if name else Counter()
        for rows in classes.values():
            found = value_of(measure, rows, whole, name or None, rows_of, way)
            worse = found > limit + 1e-9 if measure == "t" else found < limit - 1e-9
            if worse:
                faults.append(f"{text} is {found} in a class of {len(rows)} rows; {limit} is required")
    return faults
