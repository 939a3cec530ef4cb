"""Hierarchies from their definitions and levels: single values, shortened codes, dates, listed leaves."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from pydantic import ConfigDict, Field, StrictBool, ValidationError, model_validator

from sfumato._typing import LongArray
from sfumato.errors import HierarchyError
from sfumato.hierarchies.hierarchy import ROOT, Hierarchy, Value
from sfumato.hierarchies.hierarchy_files import LeafRows, runs_of, starts_of
from sfumato.hierarchies.kinds import sorted_numbers, text_of, texts_of, unify_dates
from sfumato.spec.attribute import SOURCES, HierarchySpec
from sfumato.spec.choices import Positive, Whole  # noqa: TC001 (pydantic reads them at run time)

RULES = tuple(source for source in SOURCES if source not in ("file", "tree", "columns"))
"""Hierarchies that know what becomes of values which they have not seen."""


class Definition(HierarchySpec):
    """The section of a specification, trees and files as their leaves, with what only recipes say."""

    # a recipe may say more: how many blocks there were, that some values were unknown
    model_config = ConfigDict(extra="ignore")

    granularity: Positive | None = None  # the width of the intervals that replace the values at level 0
    # whether labels are written for integers, `35-39`. Recipes say so; a specification leaves it to the data.
    integer: StrictBool | None = None
    values: list[Any] | None = None  # the whole domain in its order, dates as texts; the root follows
    leaves: dict[str, list[str]] | None = None  # leaf → its labels by level, the last one the root's
    depths: dict[str, int] = Field(
        default={}
    )  # the depth of those leaves that lie less deep than the deepest
    # the label of a root to which everything is generalized, and its level
    root: str | None = None
    height: Whole = 0

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        sources = ("root", "leaves", "values", "granularity", *RULES)
        if all(getattr(self, source) is None for source in sources):
            raise ValueError("nothing is defined")
        if self.root is not None and not self.height:
            raise ValueError("a root has a level")
        return self


def read_definition(attribute: str, recorded: object) -> Definition:
    """Read the definition that a recipe recorded."""
    try:
        definition = Definition.model_validate(recorded)
    except ValidationError:
        raise damaged(attribute) from None
    is_of_numbers = definition.intervals is not None or definition.granularity is not None
    if is_of_numbers and definition.integer is None:
        raise damaged(attribute)
    return definition


def damaged(attribute: str) -> HierarchyError:
    """Say that this is not a definition."""
    return HierarchyError("the recipe does not define a hierarchy: it is damaged.", where=attribute)


@dataclass(frozen=True, eq=False)
class Level:
    """One level between level 0 and the root, over the values that are not missing."""

    starts: LongArray  # where each block begins, ascending, the first at 0; blocks are contiguous
    labels: Sequence[str | None]  # one text for each block


def level_by_labels(labels: Sequence[str]) -> Level:
    """Make a level whose blocks are the runs of equal labels."""
    if not labels:
        return Level(np.zeros(0, dtype=np.int64), ())
    starts = runs_of(labels)
    return Level(starts, [labels[start] for start in starts.tolist()])


def assemble(
    attribute: str,
    kind: str,
    values: Sequence[Value],
    between: Sequence[Level],
    definition: Mapping[str, object],
    *,
    has_missing: bool,
    leaf_labels: Sequence[str] | None = None,
    root: str = ROOT,
) -> Hierarchy:
    """Make a hierarchy from its values and the levels between level 0 and the root."""
    m = len(values) + has_missing
    levels = np.zeros((len(between) + 2, m), dtype=np.int32)
    levels[0] = np.arange(m)
    for number, level in enumerate(between, start=1):
        # Missing is a block of its own.
        begins = np.zeros(m + 1, dtype=np.int32)
        begins[level.starts] = 1
        begins[len(values)] = 1
        levels[number] = np.cumsum(begins[:m], dtype=np.int32) - 1
    missing = (None,) if has_missing else ()
    if leaf_labels is None:
        # Texts and integers, of which there may be millions, the short way.
        is_short = set(map(type, values)) in ({int}, {str})
        texts = map(str, values) if is_short else (text_of(value) for value in values if value is not None)
        leaf_labels = list(texts)
    labels = ((*leaf_labels, *missing), *((*level.labels, *missing) for level in between), (root,))
    return Hierarchy(attribute, kind, (*values, *missing), levels, labels, definition)


def of_values(attribute: str, values: Sequence[Value], kind: str, *, has_missing: bool) -> Hierarchy:
    """Make the hierarchy of two levels over values that are in their order already."""
    recorded = [text_of(value) if isinstance(value, dt.date) else value for value in values]
    return assemble(attribute, kind, values, (), {"values": recorded}, has_missing=has_missing)


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
    rule_of, root = {"mask": length}, STAR * length
    return assemble(attribute, "category", texts, between, rule_of, has_missing=has_missing, root=root)


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
    return assemble(attribute, "date", dates, between, {"dates": list(units)}, has_missing=has_missing)


def build_prefix(
    attribute: str, values: Sequence[Value], rule: Definition, *, has_missing: bool
) -> Hierarchy:
    """Make the hierarchy J45.0 → J45 → J → *; a code that is shorter than what is kept stays whole."""
    lengths = rule.prefix or ()
    texts = sorted(texts_of(values))
    between = [level_by_labels([text[:length] for text in texts]) for length in lengths]
    return assemble(attribute, "category", texts, between, {"prefix": [*lengths]}, has_missing=has_missing)


RULE_BUILDERS = {"mask": build_mask, "prefix": build_prefix, "dates": build_dates}
"""The builder of each rule of a specification; intervals have a module of their own."""


def build_leaves(
    leaves: LeafRows,
    *,
    has_missing: bool,
    kind: str = "category",
    depths: Mapping[str, int] | None = None,
    declared: bool = True,
) -> Hierarchy:
    """Make the hierarchy that sound rows describe."""
    # The domain is all leaves, whether they occur in the data or not, in the pre-order of the tree: children
    # follow each other as they first appear in the rows, and so every block of every level is contiguous.
    order, columns = pre_order(leaves), leaves.columns
    numbers = order.tolist()
    between = []
    for labels, first in zip(columns[1:-1], leaves.first, strict=False):
        starts = starts_of(np.diff(first[order]) != 0)
        between.append(Level(starts, [labels[number] for number in order[starts].tolist()]))
    is_same = numbers == list(range(len(numbers)))
    values = columns[0] if is_same else [columns[0][number] for number in numbers]
    more = ({"depths": dict(depths)} if depths else {}) | ({} if declared else {"declared": False})
    definition = LeafDefinition(leaves, numbers, more)
    root = columns[-1][0]
    return assemble(leaves.attribute, kind, values, between, definition, has_missing=has_missing, root=root)


class LeafDefinition(Mapping[str, object]):
    """The definition by listed leaves, whose labels are put together when a recipe is written."""

    def __init__(self, leaves: LeafRows, order: Sequence[int], more: Mapping[str, object]) -> None:
        self._leaves, self._order, self._more = leaves, order, more

    @cached_property
    def _labels(self) -> dict[str, list[str]]:
        rows = map(self._leaves.rows.__getitem__, self._order)
        return {row[0]: list(row[1:]) for row in rows}

    def __getitem__(self, key: str) -> object:
        return self._labels if key == "leaves" else self._more[key]

    def __contains__(self, key: object) -> bool:
        return key == "leaves" or key in self._more

    def __iter__(self) -> Iterator[str]:
        yield "leaves"
        yield from self._more

    def __len__(self) -> int:
        return 1 + len(self._more)


def pre_order(leaves: LeafRows) -> LongArray:
    """Return the order in which equal labels are side by side, in the order of their first appearance."""
    levels = leaves.first[:-1]
    is_sorted = all((np.diff(first) >= 0).all() for first in levels)
    return np.arange(len(leaves.rows)) if is_sorted else np.lexsort(levels)


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
        return assemble(attribute, "category", [], empty, definition, has_missing=has_missing)
    found = build_leaves(LeafRows(attribute, rows), has_missing=has_missing)
    return replace(found, definition=definition)
