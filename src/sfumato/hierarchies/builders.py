"""Hierarchies from their levels: single values, masked and shortened codes, dates, listed leaves."""

from __future__ import annotations

import datetime as dt
import itertools
import operator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import HierarchyError
from sfumato.hierarchies.hierarchy import ROOT, Hierarchy, Value
from sfumato.hierarchies.hierarchy_files import LeafRows
from sfumato.hierarchies.kinds import sorted_numbers, text_of, texts_of, unify_dates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sfumato._typing import BoolArray, IntArray, LongArray
    from sfumato.hierarchies.definition import Definition


@dataclass(frozen=True, eq=False)
class Level:
    """One level between level 0 and the root, over the values that are not missing."""

    starts: LongArray  # where each block begins, ascending, the first at 0; blocks are contiguous
    labels: Sequence[str | None]  # one text for each block


def starts_of(changes: BoolArray) -> LongArray:
    """Return where blocks begin, given for each value but the first if it differs from the one before."""
    return np.concatenate(([0], np.flatnonzero(changes) + 1))


def level_by_labels(labels: Sequence[str]) -> Level:
    """Make a level whose blocks are the runs of equal labels."""
    if not labels:
        return Level(np.zeros(0, dtype=np.int64), ())
    changes = map(operator.ne, labels[1:], labels)
    starts = starts_of(np.fromiter(changes, dtype=np.bool_, count=len(labels) - 1))
    return Level(starts, [labels[start] for start in starts.tolist()])


def assemble(
    attribute: str,
    kind: str,
    values: Sequence[Value],
    between: Sequence[Level],
    *,
    has_missing: bool,
    definition: Mapping[str, object],
    leaf_labels: Sequence[str] | None = None,
    root: str = ROOT,
) -> Hierarchy:
    """Make a hierarchy from its values and the levels between level 0 and the root."""
    m = len(values) + has_missing
    levels = np.zeros((len(between) + 2, m), dtype=np.int32)
    levels[0] = np.arange(m)
    for number, level in enumerate(between, start=1):
        levels[number] = _blocks(level.starts, len(values), m)
    missing = (None,) if has_missing else ()
    texts = _texts(values) if leaf_labels is None else leaf_labels
    labels = ((*texts, *missing), *((*level.labels, *missing) for level in between), (root,))
    domain = (*values, *missing)
    return Hierarchy(attribute, kind, domain, levels, labels, definition)


def _texts(values: Sequence[Value]) -> list[str]:
    """Return the text of each value; texts and integers, of which there may be millions, the short way."""
    if set(map(type, values)) in ({int}, {str}):
        return list(map(str, values))
    return [text_of(value) for value in values if value is not None]


def _blocks(starts: LongArray, known: int, m: int) -> IntArray:
    """Return the block of each code; missing, if m is larger than the known values, is a block of its own."""
    begins = np.zeros(m + 1, dtype=np.int32)
    begins[starts] = 1
    begins[known] = 1
    return np.cumsum(begins[:m], dtype=np.int32) - 1


def of_values(attribute: str, values: Sequence[Value], kind: str, *, has_missing: bool) -> Hierarchy:
    """Make the hierarchy of two levels over values that are in their order already."""
    recorded = [text_of(value) if isinstance(value, dt.date) else value for value in values]
    definition = {"values": recorded}
    return assemble(attribute, kind, values, (), has_missing=has_missing, definition=definition)


def sorted_values(values: Sequence[Value], kind: str, *, where: str | None = None) -> list[Value]:
    """Return the distinct values in the order of their kind, or raise HierarchyError."""
    if kind == "number":
        return [*sorted_numbers(values, where=where)]
    if kind == "date":
        return [*sorted(set(unify_dates(values, where=where)))]
    return [*sorted(texts_of(values))]


STAR = "*"


def build_mask(attribute: str, values: Sequence[Value], rule: Definition, *, has_missing: bool) -> Hierarchy:
    """Make the hierarchy 24126 → 2412* → … → *****."""
    length = rule.mask or 0
    texts = sorted(texts_of(values))
    short = [text for text in texts if len(text) < length]
    if short:
        raise HierarchyError(
            f"{len(short)} of {len(texts)} distinct values have fewer than {length} characters. "
            "Use a shorter mask, or a file or tree.",
            where=attribute,
            values=short,
        )
    between = [
        level_by_labels([text[: length - stars] + STAR * stars for text in texts])
        for stars in range(1, length)
    ]
    return assemble(
        attribute,
        "category",
        texts,
        between,
        has_missing=has_missing,
        definition={"mask": length},
        root=STAR * length,
    )


UNITS: dict[str, Callable[[dt.date], str]] = {
    "day": lambda date: f"{date.year:04d}-{date.month:02d}-{date.day:02d}",
    "week": lambda date: f"{date.isocalendar().year:04d}-W{date.isocalendar().week:02d}",
    "month": lambda date: f"{date.year:04d}-{date.month:02d}",
    "quarter": lambda date: f"{date.year:04d}-Q{(date.month + 2) // 3}",
    "year": lambda date: f"{date.year:04d}",
    "decade": lambda date: f"{date.year // 10:03d}0s",
    "century": lambda date: f"{date.year // 100:02d}00-{date.year // 100:02d}99",
}
"""The label of a date by each unit, from the finest unit to the coarsest."""


def build_dates(attribute: str, values: Sequence[Value], rule: Definition, *, has_missing: bool) -> Hierarchy:
    """Make the hierarchy of a date attribute."""
    units = rule.dates or ()
    dates = sorted(set(unify_dates(values, where=attribute)))
    seen, between = dates, []
    for number, unit in enumerate(units):
        if number and units[number - 1] == "week":
            # A week belongs to the year of its Thursday, as ISO 8601 has it.
            seen = [date + dt.timedelta(3 - date.weekday()) for date in dates]
        between.append(level_by_labels([UNITS[unit](date) for date in seen]))
    definition = {"dates": list(units)}
    return assemble(attribute, "date", dates, between, has_missing=has_missing, definition=definition)


def build_prefix(
    attribute: str, values: Sequence[Value], rule: Definition, *, has_missing: bool
) -> Hierarchy:
    """Make the hierarchy J45.0 → J45 → J → *; a code that is shorter than what is kept stays whole."""
    lengths = rule.prefix or ()
    texts = sorted(texts_of(values))
    between = [level_by_labels([text[:length] for text in texts]) for length in lengths]
    definition = {"prefix": list(lengths)}
    return assemble(attribute, "category", texts, between, has_missing=has_missing, definition=definition)


RULE_BUILDERS = {"mask": build_mask, "prefix": build_prefix, "dates": build_dates}
"""The builder of each rule of a specification; intervals have a module of their own."""


def build_leaves(
    leaves: LeafRows, *, has_missing: bool, kind: str = "category", depths: Mapping[str, int] | None = None
) -> Hierarchy:
    """Make the hierarchy that sound rows describe."""
    # The domain is all leaves, whether they occur in the data or not, in the pre-order of the tree: children
    # follow each other as they first appear in the rows, and so every block of every level is contiguous.
    order = pre_order(leaves)
    rows = [leaves.rows[number] for number in order.tolist()]
    definition: dict[str, object] = {"leaves": {row[0]: list(row[1:]) for row in rows}}
    between = []
    for level, first in enumerate(leaves.first[1:-1], start=1):
        starts = starts_of(np.diff(first[order]) != 0)
        between.append(Level(starts, [rows[start][level] for start in starts.tolist()]))
    if depths:
        definition["depths"] = dict(depths)
    return assemble(
        leaves.attribute,
        kind,
        [row[0] for row in rows],
        between,
        has_missing=has_missing,
        definition=definition,
        root=rows[0][-1],
    )


def pre_order(leaves: LeafRows) -> LongArray:
    """Return the order in which equal labels are side by side, in the order of their first appearance."""
    levels = leaves.first[1:-1]
    return np.lexsort(levels) if levels else np.arange(len(leaves.rows))


def build_columns(
    attribute: str, names: Sequence[str], labels: Mapping[str, Sequence[str]], *, has_missing: bool
) -> Hierarchy:
    """Make the hierarchy whose levels are other columns, from the labels of each value."""
    for place, (fine, coarse) in enumerate(itertools.pairwise(names)):
        above: dict[str, set[str]] = {}
        for entries in labels.values():
            above.setdefault(entries[place], set()).add(entries[place + 1])
        several = sum(len(found) > 1 for found in above.values())
        if several:
            raise HierarchyError(
                f"{several} of {len(above)} values of {fine!r} have several values of {coarse!r}, so they do "
                "not nest. Correct them, or write a file or tree.",
                where=attribute,
            )
    rows = [
        (value, *entries, ROOT)
        for value, entries in sorted(labels.items(), key=lambda item: (*item[1][::-1], item[0]))
    ]
    # The data say which values there are, so nothing is declared, and recipes name the columns alone.
    definition: dict[str, object] = {"columns": [*names]}
    if not rows:  # every value is missing, and missing has no levels
        empty = [level_by_labels([]) for _ in names]
        return assemble(attribute, "category", [], empty, has_missing=has_missing, definition=definition)
    found = build_leaves(LeafRows(attribute, rows), has_missing=has_missing)
    return replace(found, definition=definition)
