"""What some properties need beside counts: factors, cumulated rows, trees, scales of extents."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.classes.properties import CellCost, PropertyKind
from sfumato.errors import ParameterError
from sfumato.kernels import layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray, LongArray
    from sfumato.classes.properties import Property


class CellCosts(NamedTuple):
    """Which cell costs are collected, what a suppressed cell costs, and the attributes in walking order."""

    kinds: tuple[CellCost, ...]
    limits: LongArray
    order: tuple[int, ...]


def make_details(
    properties: Sequence[Property],
    sources: Sequence[int],
    overall: LongArray,
    sizes: LongArray,
    costs: CellCosts,
) -> layout.Details:
    """Put what properties need into arrays."""
    reach = np.cumsum(overall, axis=1, dtype=np.float64)
    area = np.zeros((reach.shape[0], reach.shape[1] + 1))
    np.cumsum(reach, axis=1, out=area[:, 1:])
    factor = np.ones((len(properties), 2), dtype=np.int64)
    tree = np.zeros((len(properties), 2), dtype=np.int64)
    blocks, rows = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int64)]
    for number, (item, source) in enumerate(zip(properties, sources, strict=True)):
        if item.factor is not None:
            factor[number] = item.factor.as_integer_ratio()
        if item.kind is PropertyKind.T_HIERARCHICAL:
            below = _below_root(item, int(sizes[source]))
            tree[number] = sum(map(len, blocks)), len(below)
            blocks.append(below.reshape(-1))
            m = below.shape[1]
            rows += [np.bincount(level, overall[source, :m], m).astype(np.int64) for level in below]
    extent = costs.kinds.index(CellCost.EXTENT) if CellCost.EXTENT in costs.kinds else -1
    scale = np.stack([np.zeros(len(costs.order)), *(_scale(item, extent, costs) for item in properties)])[1:]
    return layout.Details(
        factor, reach, area, tree, np.concatenate(blocks), np.concatenate(rows), extent, scale
    )


def _scale(item: Property, extent: int, costs: CellCosts) -> FloatArray:
    """Return what an extent of 1 adds to the diversity of a class, attribute by attribute."""
    if item.kind is not PropertyKind.DIVERSITY:
        return np.zeros(len(costs.order))
    if extent < 0:
        raise ParameterError("diversity needs the cell cost EXTENT.")
    weights = np.array(item.weights) / (sum(item.weights) * np.maximum(costs.limits[extent], 1))
    return np.asarray(weights[list(costs.order)])


def _below_root(item: Property, size: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """Return the levels of a tree but the last one, which is a single block."""
    if item.levels is None or item.levels.blocks.shape[1:] != (size,):
        raise ParameterError(f"a tree over the {size} values of the sensitive attribute is needed.")
    return np.ascontiguousarray(item.levels.blocks[:-1], dtype=np.int32)
