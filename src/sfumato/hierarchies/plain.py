"""Hierarchies without groups: the values in their order, and everything."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import TYPE_CHECKING

from sfumato.errors import HierarchyError
from sfumato.hierarchies.assemble import assemble
from sfumato.hierarchies.kinds import sorted_numbers, text_of, texts_of, unify_dates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.hierarchies.hierarchy import Hierarchy, Value


def build_plain(attribute: str, values: Sequence[Value], kind: str, *, has_missing: bool) -> Hierarchy:
    """Make the hierarchy of two levels, the values and ``*``."""
    ordered = sorted_values(values, kind, where=attribute)
    return of_values(attribute, ordered, kind, has_missing=has_missing)


def build_ordered(
    attribute: str, values: Sequence[Value], order: Sequence[str], *, has_missing: bool
) -> Hierarchy:
    """Make the hierarchy of two levels over values in a given order."""
    check_order(attribute, order)
    found = texts_of(values)
    known = set(order)
    lacking = sorted(text for text in found if text not in known)
    if lacking:
        raise HierarchyError(
            f"The order lacks {len(lacking)} of {len(found)} distinct values of the data. Add them to order.",
            where=attribute,
            values=lacking,
        )
    return of_values(attribute, list(order), "ordinal", has_missing=has_missing)


def of_values(attribute: str, values: Sequence[Value], kind: str, *, has_missing: bool) -> Hierarchy:
    """Make the hierarchy of two levels over values that are in their order already."""
    recorded = [text_of(value) if isinstance(value, dt.date) else value for value in values]
    definition = {"values": recorded}
    return assemble(attribute, kind, values, (), has_missing=has_missing, definition=definition)


def check_order(attribute: str, order: Sequence[str]) -> None:
    """Raise HierarchyError if a value stands twice in an order."""
    twice = [text for text, count in Counter(order).items() if count > 1]
    if twice:
        raise HierarchyError(
            f"The order names {len(twice)} of its values more than once.", where=attribute, values=twice
        )


def sorted_values(values: Sequence[Value], kind: str, *, where: str | None = None) -> list[Value]:
    """Return the distinct values in the order of their kind, or raise HierarchyError."""
    if kind == "number":
        return [*sorted_numbers(values, where=where)]
    if kind == "date":
        return [*sorted(set(unify_dates(values, where=where)))]
    return [*sorted(texts_of(values))]
