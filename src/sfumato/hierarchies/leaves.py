"""Hierarchies given by their leaves, as files and trees give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import HierarchyError
from sfumato.hierarchies.assemble import assemble, level_by_labels
from sfumato.hierarchies.plain import check_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.hierarchies.check import LeafRows
    from sfumato.hierarchies.hierarchy import Hierarchy


def build_leaves(
    leaves: LeafRows,
    *,
    has_missing: bool,
    kind: str = "category",
    order: Sequence[str] | None = None,
    depths: Mapping[str, int] | None = None,
) -> Hierarchy:
    """Make the hierarchy that sound rows describe.

    The domain is all leaves, whether they occur in the data or not, in the pre-order of
    the tree: children follow each other as they first appear in the rows, and so every
    block of every level is contiguous.
    """
    rows = leaves.rows if order is None else _reordered(leaves, order)
    ordered = _pre_order(rows)
    if order is not None and [row[0] for row in ordered] != list(order):
        raise HierarchyError(
            "The order tears groups of the hierarchy apart. The values of a group must follow each other.",
            where=leaves.attribute,
        )
    columns = list(zip(*ordered, strict=True))
    definition: dict[str, object] = {"leaves": {row[0]: list(row[1:]) for row in ordered}}
    if depths:
        definition["depths"] = dict(depths)
    return assemble(
        leaves.attribute,
        kind,
        columns[0],
        [level_by_labels(column) for column in columns[1:-1]],
        has_missing=has_missing,
        definition=definition,
        root=columns[-1][0],
    )


def _pre_order(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Sort rows so that equal labels are side by side, in the order of their first appearance."""
    ranks = []
    for level in range(1, len(rows[0]) - 1):
        rank: dict[str, int] = {}
        ranks.append([rank.setdefault(row[level], len(rank)) for row in rows])
    if not ranks:
        return list(rows)
    return [rows[number] for number in np.lexsort(ranks).tolist()]


def _reordered(leaves: LeafRows, order: Sequence[str]) -> list[Sequence[str]]:
    """Return the rows in a given order of their leaves."""
    check_order(leaves.attribute, order)
    by_leaf = {row[0]: row for row in leaves.rows}
    known = set(order)
    unplaced = [leaf for leaf in by_leaf if leaf not in known]
    unknown = [text for text in order if text not in by_leaf]
    if unplaced or unknown:
        raise HierarchyError(
            f"The order lacks {len(unplaced)} of the {len(by_leaf)} leaves of the hierarchy and names "
            f"{len(unknown)} that it does not have.",
            where=leaves.attribute,
            values=unplaced or unknown,
        )
    return [by_leaf[text] for text in order]
