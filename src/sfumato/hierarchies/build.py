"""From the specification of an attribute and its values to its hierarchy."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sfumato.errors import HierarchyError
from sfumato.hierarchies.builders import (
    build_dates,
    build_leaves,
    build_mask,
    build_ordered,
    build_plain,
    sorted_values,
)
from sfumato.hierarchies.files import problems, read_leaves
from sfumato.hierarchies.intervals import IntervalRule, build_intervals
from sfumato.hierarchies.kinds import kind_of, text_of, texts_of
from sfumato.hierarchies.trees import read_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sfumato.hierarchies.files import LeafRows
    from sfumato.hierarchies.hierarchy import Hierarchy, Value
    from sfumato.spec.attribute import AttributeSpec, HierarchySpec

    Resolve: TypeAlias = Callable[[str], Path]

WAYS = ("intervals", "mask", "dates", "tree", "file")
"""The ways to give a hierarchy, of which an attribute has at most one."""

TOGETHER = (("intervals", "granularity"), ("tree", "order"), ("file", "order"))
"""The keys that may stand together; any other two exclude each other."""


def build(
    attribute: str,
    attribute_spec: AttributeSpec,
    values: Sequence[Value],
    *,
    has_missing: bool,
    kind: str | None,
    resolve: Resolve,
) -> Hierarchy:
    """Make the hierarchy of one attribute."""
    known = [value for value in values if value is not None]
    demand = _Demand(
        attribute, attribute_spec, known, has_missing, kind or attribute_spec.kind or kind_of(known), resolve
    )
    _check_ways(demand)
    given = attribute_spec.hierarchy
    hierarchy = _without_hierarchy(demand) if given is None else _with_hierarchy(demand, given)
    if not hierarchy.size:
        raise HierarchyError("The column has no values.", where=attribute)
    return hierarchy


def find_problems(
    attribute: str,
    attribute_spec: AttributeSpec,
    values: Sequence[Value],
    *,
    has_missing: bool,
    kind: str | None,
    resolve: Resolve,
) -> list[HierarchyError]:
    """List everything that keeps :func:`build` from making a hierarchy."""
    try:
        build(attribute, attribute_spec, values, has_missing=has_missing, kind=kind, resolve=resolve)
    except _SeveralProblemsError as several:
        return several.problems
    except HierarchyError as error:
        return [error]
    return []


class _SeveralProblemsError(HierarchyError):
    """The first of several problems, with all of them."""

    def __init__(self, found: list[HierarchyError]) -> None:
        super().__init__(found[0].message, where=found[0].where, values=found[0].values)
        self.problems = found


@dataclass(frozen=True)
class _Demand:
    """All that is known of the hierarchy to be made."""

    attribute: str
    spec: AttributeSpec
    values: Sequence[Value]
    has_missing: bool
    kind: str
    resolve: Resolve

    @property
    def order(self) -> list[str] | None:
        """The order of an ordinal attribute as texts."""
        return None if self.spec.order is None else [text_of(entry) for entry in self.spec.order]


def _check_ways(demand: _Demand) -> None:
    """Raise HierarchyError where two keys contradict each other."""
    keys = [way for way in WAYS if getattr(demand.spec.hierarchy, way, None) is not None]
    keys += [key for key in ("granularity", "order") if getattr(demand.spec, key) is not None]
    for pair in itertools.combinations(keys, 2):
        if pair not in TOGETHER:
            raise HierarchyError(
                f"{pair[0]} and {pair[1]} exclude each other. Remove one of them.", where=demand.attribute
            )


def _without_hierarchy(demand: _Demand) -> Hierarchy:
    """Make a hierarchy of two levels."""
    attribute, values, has_missing = demand.attribute, demand.values, demand.has_missing
    if demand.order is not None:
        return build_ordered(attribute, values, demand.order, has_missing=has_missing)
    if demand.spec.granularity is not None:
        rule = IntervalRule(granularity=demand.spec.granularity)
        return build_intervals(attribute, values, rule, has_missing=has_missing)
    if demand.kind == "ordinal":
        raise HierarchyError('kind = "ordinal" needs an order, a tree or a file.', where=attribute)
    return build_plain(attribute, values, demand.kind, has_missing=has_missing)


def _with_hierarchy(demand: _Demand, given: HierarchySpec) -> Hierarchy:
    """Make the hierarchy that the specification describes."""
    attribute, values, has_missing = demand.attribute, demand.values, demand.has_missing
    if given.mask is not None:
        return build_mask(attribute, values, given.mask, has_missing=has_missing)
    if given.dates is not None:
        return build_dates(attribute, values, given.dates, has_missing=has_missing)
    if given.tree is not None:
        tree = read_tree(given.tree, attribute)
        return _from_leaves(demand, tree.leaves, tree.depths)
    if given.file is not None:
        return _from_leaves(demand, read_leaves(demand.resolve(given.file), attribute, name=given.file), {})
    rule = IntervalRule(
        tuple(given.intervals or ()), given.origin or 0, given.bottom, given.top, demand.spec.granularity
    )
    return build_intervals(attribute, values, rule, has_missing=has_missing)


def _from_leaves(demand: _Demand, leaves: LeafRows, depths: dict[str, int]) -> Hierarchy:
    """Check the leaves against the data, then make their hierarchy."""
    found = problems(leaves, texts_of(sorted_values(demand.values, kind_of(demand.values))))
    if found:
        raise _SeveralProblemsError(found)
    kind = "ordinal" if demand.kind == "ordinal" else "category"
    return build_leaves(leaves, has_missing=demand.has_missing, kind=kind, order=demand.order, depths=depths)
