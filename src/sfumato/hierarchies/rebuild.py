"""From the definition in a recipe and new data to a hierarchy."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from sfumato.errors import HierarchyError
from sfumato.hierarchies.check import LeafRows, problems
from sfumato.hierarchies.dates import build_dates
from sfumato.hierarchies.encode import UNKNOWN, encode
from sfumato.hierarchies.hierarchy import ROOT
from sfumato.hierarchies.intervals import IntervalRule, build_intervals
from sfumato.hierarchies.kinds import parse_values, texts_of
from sfumato.hierarchies.leaves import build_leaves
from sfumato.hierarchies.masks import build_mask
from sfumato.hierarchies.plain import of_values

if TYPE_CHECKING:
    from sfumato.hierarchies.grid import Number
    from sfumato.hierarchies.hierarchy import Hierarchy, Value


def rebuild(
    attribute: str,
    definition: Mapping[str, object],
    kind: str,
    values: Sequence[Value],
    *,
    has_missing: bool,
    unknown: Literal["error", "*"] = "error",
) -> Hierarchy:
    """Make the hierarchy of new data from the definition that a hierarchy carries."""
    hierarchy = build_definition(attribute, definition, kind, values, has_missing=has_missing)
    return with_unknown_leaf(hierarchy, values, unknown)


def with_unknown_leaf(
    hierarchy: Hierarchy, values: Sequence[Value], unknown: Literal["error", "*"]
) -> Hierarchy:
    """Give a hierarchy a leaf for values that are not in its domain, if there are such."""
    codes = encode(hierarchy, values)
    foreign = [value for value, code in zip(values, codes.tolist(), strict=True) if code == UNKNOWN]
    if not foreign:
        return hierarchy
    if unknown == "error":
        raise HierarchyError(
            f"The recipe does not know {len(foreign):,} of {len(values):,} distinct values of the data. "
            'Leave them out, or pass unknown="*".',
            where=hierarchy.attribute,
            values=texts_of(foreign),
        )
    return _with_unknown(hierarchy)


def build_definition(
    attribute: str,
    definition: Mapping[str, object],
    kind: str,
    values: Sequence[Value],
    *,
    has_missing: bool = False,
) -> Hierarchy:
    """Make the hierarchy for those values that a definition knows; the others are left out."""
    if "mask" in definition:
        values = [text for text in texts_of(values) if len(text) >= _whole(attribute, definition["mask"])]
    if "root" in definition:
        return _from_root(attribute, definition, kind, values, has_missing=has_missing)
    if "leaves" in definition:
        return _from_leaves(attribute, definition, kind, has_missing=has_missing)
    if "values" in definition:
        recorded = _list(attribute, definition["values"])
        if kind == "date":
            recorded = parse_values(texts_of(recorded), kind)
        return of_values(attribute, recorded, kind, has_missing=has_missing)
    if "mask" in definition:
        return build_mask(attribute, values, _whole(attribute, definition["mask"]), has_missing=has_missing)
    if "dates" in definition:
        units = texts_of(_list(attribute, definition["dates"]))
        return build_dates(attribute, values, units, has_missing=has_missing)
    if "intervals" in definition or "granularity" in definition:
        rule = _interval_rule(attribute, definition)
        return build_intervals(attribute, values, rule, has_missing=has_missing, sparse=True)
    raise _damaged(attribute)


def _from_root(
    attribute: str, definition: Mapping[str, object], kind: str, values: Sequence[Value], *, has_missing: bool
) -> Hierarchy:
    """Make the hierarchy of a column that is generalized to its root: any value belongs to it."""
    label, height = definition["root"], _whole(attribute, definition.get("height"))
    if not isinstance(label, str) or height < 1:
        raise _damaged(attribute)
    plain = of_values(attribute, values, kind, has_missing=has_missing)
    levels = np.concatenate([plain.levels[:1], np.repeat(plain.levels[-1:], height, axis=0)])
    labels = (plain.labels[0], *(((label,),) * height))
    return dataclasses.replace(plain, levels=levels, labels=labels, definition=dict(definition))


def _from_leaves(
    attribute: str, definition: Mapping[str, object], kind: str, *, has_missing: bool
) -> Hierarchy:
    """Make the hierarchy of recorded leaves; they are in pre-order already."""
    leaves, depths = definition["leaves"], definition.get("depths", {})
    if not (isinstance(leaves, Mapping) and isinstance(depths, Mapping)):
        raise _damaged(attribute)
    rows = [(leaf, *labels) for leaf, labels in leaves.items()]
    if problems(LeafRows(attribute, rows), ()):
        raise _damaged(attribute)
    return build_leaves(LeafRows(attribute, rows), has_missing=has_missing, kind=kind, depths=depths)


def _interval_rule(attribute: str, definition: Mapping[str, object]) -> IntervalRule:
    """Read the rule of intervals and granules."""
    widths = [_number(attribute, width) for width in _list(attribute, definition.get("intervals", []))]
    bounds = [
        None if definition.get(key) is None else _number(attribute, definition[key])
        for key in ("origin", "bottom", "top", "granularity")
    ]
    origin, bottom, top, granularity = bounds
    integer = definition.get("integer")
    if not isinstance(integer, bool):
        raise _damaged(attribute)
    return IntervalRule(tuple(widths), origin or 0, bottom, top, granularity, integer)


def _with_unknown(hierarchy: Hierarchy) -> Hierarchy:
    """Add the leaf for unknown values after the known ones and before missing."""
    known = hierarchy.size - hierarchy.has_missing
    levels = np.insert(hierarchy.levels, known, 0, axis=1)
    labels = list(hierarchy.labels)
    for number in range(hierarchy.height):
        blocks = len(labels[number]) - hierarchy.has_missing
        levels[number, known] = blocks
        levels[number, known + 1 :] = blocks + 1
        labels[number] = (*labels[number][:blocks], ROOT, *labels[number][blocks:])
    return dataclasses.replace(
        hierarchy,
        values=(*hierarchy.values[:known], ROOT, *hierarchy.values[known:]),
        levels=levels,
        labels=tuple(labels),
        definition={**hierarchy.definition, "unknown": ROOT},
    )


def _list(attribute: str, entry: object) -> list[Value]:
    """Return a list of a definition."""
    if not isinstance(entry, Sequence) or isinstance(entry, str):
        raise _damaged(attribute)
    return list(entry)


def _number(attribute: str, entry: object) -> Number:
    """Return a number of a definition."""
    if not isinstance(entry, int | float):
        raise _damaged(attribute)
    return entry


def _whole(attribute: str, entry: object) -> int:
    """Return a whole number of a definition."""
    if not isinstance(entry, int):
        raise _damaged(attribute)
    return entry


def _damaged(attribute: str) -> HierarchyError:
    """Say that a definition is none."""
    return HierarchyError("The recipe does not define a hierarchy: it is damaged.", where=attribute)
