"""Which values of a sensitive attribute are alike: near each other on a line, or of one branch of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.hierarchies import build, encode
from sfumato.table.values import type_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import FloatArray, LongArray
    from sfumato.risks.cells import CodedTable
    from sfumato.spec import Spec

_ON_A_LINE = ("number", "date")


def find_positions(
    table: CodedTable, sensitive: Sequence[str], branches: Mapping[str, LongArray]
) -> dict[str, FloatArray]:
    """Return where the values of sensitive attributes lie, for those on a line and without branches."""
    found = {name: table.positions(name) for name in sensitive if name not in branches}
    return {name: places for name, places in found.items() if places is not None}


def find_branches(table: CodedTable, sensitive: Sequence[str], spec: Spec | None) -> dict[str, LongArray]:
    """Return the branch of each value of the sensitive attributes whose hierarchy is known.

    A branch is what stands one step below the root. Missing, and a value that stands directly under the root,
    are branches of their own. Numbers and dates lie on a line, whatever hierarchy they have.
    """
    found = {}
    for name in sensitive:
        attribute = None if spec is None else spec.attributes.get(name)
        if spec is None or attribute is None or attribute.hierarchy is None:
            continue
        column = table.columns[name]
        kind, values = type_values(name, column.values, attribute)
        if kind in _ON_A_LINE:
            continue
        made = build(name, attribute, values, has_missing=column.has_missing, kind=kind, resolve=spec.resolve)
        codes = np.zeros(table.cells.sizes[name], dtype=np.int64)
        codes[table.ranks[name]] = encode(made, values)
        if column.has_missing:
            codes[-1] = made.size - 1
        found[name] = made.levels[max(made.height - 1, 0)][codes].astype(np.int64)
    return found
