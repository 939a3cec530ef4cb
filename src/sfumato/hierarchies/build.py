"""From a definition, of a specification or a recipe, and the values of an attribute to its hierarchy."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import itertools
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.errors import HierarchyError
from sfumato.hierarchies import builders
from sfumato.hierarchies.hierarchy_files import LeafRows, problems, read_leaves, read_tree
from sfumato.hierarchies.intervals import build_intervals
from sfumato.hierarchies.kinds import kind_of, text_of, texts_of, typed_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from sfumato.hierarchies.hierarchy import Hierarchy, Value
    from sfumato.spec.attribute import AttributeSpec, HierarchySpec

    Resolve: TypeAlias = Callable[[str], Path]

TOGETHER = (("intervals", "granularity"), ("tree", "order"), ("file", "order"))
"""The keys that may be combined; no other two may."""


def build(
    attribute: str,
    attribute_spec: AttributeSpec,
    values: Sequence[Value],
    *,
    has_missing: bool,
    kind: str | None,
    resolve: Resolve,
) -> Hierarchy:
    """Make the hierarchy of one attribute as a specification describes it."""
    known = [value for value in values if value is not None]
    kind = kind or attribute_spec.kind or kind_of(known)
    keys = [] if attribute_spec.hierarchy is None else [attribute_spec.hierarchy.source]
    keys += [key for key in ("granularity", "order") if getattr(attribute_spec, key) is not None]
    for one, other in itertools.combinations(keys, 2):
        if (one, other) not in TOGETHER:
            message = f"{one} and {other} cannot be combined. Remove one of them."
            raise HierarchyError(message, where=attribute)
    order = None if attribute_spec.order is None else [text_of(entry) for entry in attribute_spec.order]
    given = attribute_spec.hierarchy
    if given is not None and given.source in ("tree", "file"):
        kind = "ordinal" if kind == "ordinal" else "category"
        with _keeping():
            leaves, depths = _listed(attribute, given, known, order, resolve)
            return builders.build_leaves(
                leaves,
                has_missing=has_missing,
                kind=kind,
                depths=depths,
                declared=given.declared is not False,
            )
    if given is not None or attribute_spec.granularity is not None:
        rule = {} if given is None else given.model_dump(exclude_none=True)
        definition = builders.Definition(**rule, granularity=attribute_spec.granularity)
    elif order is not None:
        found = texts_of(known)
        lacking = sorted(set(found) - set(order))
        if lacking:
            raise HierarchyError(
                f"{len(lacking)} of {len(found)} distinct values of the data are missing from the order. Add "
                "them to order.",
                where=attribute,
                values=lacking,
            )
        definition, kind = builders.Definition(values=[*order]), "ordinal"
    elif kind == "ordinal":
        raise HierarchyError('kind = "ordinal" needs an order, a tree or a file.', where=attribute)
    else:
        definition = builders.Definition(values=[*builders.sorted_values(known, kind, where=attribute)])
    hierarchy = make(attribute, definition, kind, known, has_missing=has_missing)
    if not hierarchy.size:
        raise HierarchyError("the column has no values.", where=attribute)
    return hierarchy


@contextlib.contextmanager
def _keeping() -> Iterator[None]:
    """Work without the collector of garbage, which would look through all rows again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def build_recorded(
    attribute: str,
    recorded: Mapping[str, object],
    kind: str,
    values: Sequence[Value],
    *,
    has_missing: bool = False,
) -> Hierarchy:
    """Make the hierarchy that a recipe recorded for those values that it knows; the others are left out."""
    definition = builders.read_definition(attribute, recorded)
    if definition.leaves is not None and problems(_leaf_rows(attribute, definition.leaves), ()):
        raise builders.damaged(attribute)
    if definition.mask is not None:
        values = [text for text in texts_of(values) if len(text) >= definition.mask]
    return make(attribute, definition, kind, values, has_missing=has_missing)


def make(
    attribute: str, definition: builders.Definition, kind: str, values: Sequence[Value], *, has_missing: bool
) -> Hierarchy:
    """Make the hierarchy of values from its definition."""
    if definition.root is not None:
        # Everything is generalized to a root of some height: any value belongs to such a column.
        plain = builders.of_values(attribute, values, kind, has_missing=has_missing)
        levels = np.concatenate([plain.levels[:1], np.repeat(plain.levels[-1:], definition.height, axis=0)])
        labels = (plain.labels[0], *(((definition.root,),) * definition.height))
        recorded = {"root": definition.root, "height": definition.height}
        return dataclasses.replace(plain, levels=levels, labels=labels, definition=recorded)
    if definition.leaves is not None:
        rows = _leaf_rows(attribute, definition.leaves)
        declared = definition.declared is not False
        return builders.build_leaves(
            rows, has_missing=has_missing, kind=kind, depths=definition.depths, declared=declared
        )
    if definition.values is not None:
        domain = typed_values(definition.values, kind)
        return builders.of_values(attribute, domain, kind, has_missing=has_missing)
    # Without a rule there is a granularity, whose intervals are those of level 0.
    rule = next((rule for rule in builders.RULES if getattr(definition, rule) is not None), "intervals")
    builder = builders.RULE_BUILDERS.get(rule, build_intervals)
    return builder(attribute, values, definition, has_missing=has_missing)


def _leaf_rows(attribute: str, leaves: Mapping[str, Sequence[str]]) -> LeafRows:
    return LeafRows(attribute, [(leaf, *labels) for leaf, labels in leaves.items()])


class _SeveralProblemsError(HierarchyError):
    """The first of several problems, with all of them."""

    def __init__(self, found: list[HierarchyError]) -> None:
        super().__init__(found[0].message, where=found[0].where, values=found[0].values)
        self.problems = found


def _listed(
    attribute: str, given: HierarchySpec, values: Sequence[Value], order: list[str] | None, resolve: Resolve
) -> tuple[LeafRows, dict[str, int]]:
    """Read the leaves of a tree or a file with their depths, and check them against the data."""
    depths: dict[str, int] = {}
    if given.file is not None:
        leaves = read_leaves(resolve(given.file), attribute, name=given.file)
    else:
        leaves, depths = read_tree(given.tree, attribute)
    if problems(leaves, texts_of(values)):
        in_order = builders.sorted_values(values, kind_of(values))
        raise _SeveralProblemsError(problems(leaves, texts_of(in_order)))
    return leaves if order is None else _reordered(leaves, order), depths


def _reordered(leaves: LeafRows, order: Sequence[str]) -> LeafRows:
    """Return rows in a given order of their leaves."""
    by_leaf = {row[0]: row for row in leaves.rows}
    known = set(order)
    unplaced = [leaf for leaf in by_leaf if leaf not in known]
    unknown = [text for text in order if text not in by_leaf]
    if unplaced or unknown:
        raise HierarchyError(
            f"{len(unplaced)} of the {len(by_leaf)} leaves of the hierarchy are missing from the "
            f"order, which names {len(unknown)} others.",
            where=leaves.attribute,
            values=unplaced or unknown,
        )
    rows = LeafRows(leaves.attribute, [by_leaf[text] for text in order])
    if (np.diff(builders.pre_order(rows)) != 1).any():
        raise HierarchyError(
            "the order splits groups of the hierarchy. The values of a group must follow each other.",
            where=leaves.attribute,
        )
    return rows
