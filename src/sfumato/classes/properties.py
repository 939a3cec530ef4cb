"""Properties: one number for every class, and what a request for them means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
from sfumato.errors import ParameterError
from sfumato.kernels import layout


class PropertyKind(Enum):
    """What a property of a class is.

    ``SIZE``: its rows, or its persons where persons are named. ``DISTINCT``:
    its different values of a sensitive attribute. ``SQUARES``: the sum of the
    squared counts of these values, that is, over its rows, how often the row's own
    value occurs. ``MAJORITY``: the rows of its most frequent value. ``SHARE``: its rows over
    these. ``ENTROPY``: exp of the entropy of its values, to 13 digits. ``RECURSIVE``: the largest ℓ for
    which its most frequent value has fewer rows than ``factor`` times all values from the ℓ-th
    most frequent one on; 0 if there is none. ``T_EQUAL``, ``T_ORDERED``, ``T_HIERARCHICAL``: the earth
    mover's distance between its shares and those of the whole table, where any two values are 1
    apart, or the farther the more values lie between them, or the farther the higher the first of
    the ``levels`` is that unites them; missing and values declared unknown are 1 apart from all others. In
    the first six but ``MAJORITY`` these count neither as values nor as rows; a class without a known value
    has 0 ``SQUARES`` and 1 of the others. Where persons are named, ``SHARE``, ``ENTROPY`` and ``RECURSIVE``
    count their votes instead of rows (see `Cube.votes`). ``DIVERSITY``, of no sensitive
    attribute: Σ w·extent / Σ w over the cells of its rows, each ``EXTENT`` over its limit. Of the hidden
    attribute that tells for whom confidential sentences are true and who holds them: ``SECURE``: 1 if it
    discloses none of them to whom it is confidential, else 0; ``EXPOSED``: the people who hold what it
    discloses, or ``sentence`` alone; ``RISK``: what is learnt of ``sentence`` about its holders, as an
    integer.
    """

    SIZE = "size"
    DISTINCT = "distinct"
    SQUARES = "squares"
    MAJORITY = "majority"
    SHARE = "share"
    ENTROPY = "entropy"
    RECURSIVE = "recursive"
    T_EQUAL = "t equal"
    T_ORDERED = "t ordered"
    T_HIERARCHICAL = "t hierarchical"
    DIVERSITY = "diversity"
    SECURE = "secure"
    EXPOSED = "exposed"
    RISK = "risk"


_DISTANCES = (PropertyKind.T_EQUAL, PropertyKind.T_ORDERED, PropertyKind.T_HIERARCHICAL)


@dataclass(frozen=True, eq=False)
class Levels:
    """The levels of a hierarchy over a sensitive attribute."""

    # `blocks[l, code]` is the block of a code at level l, shape (levels, m); each level nests in the next,
    # and the last one is a single block
    blocks: IntArray

    def apart(self, codes: Sequence[int]) -> Levels:
        """Return the levels with some codes by themselves below the last one."""
        blocks = self.blocks.copy()
        for level in blocks[: -1 if len(codes) else 0]:
            level[list(codes)] = level.max() + 1 + np.arange(len(codes))
            level[:] = np.unique(level, return_inverse=True)[1].reshape(-1)
        return Levels(blocks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Levels) and np.array_equal(self.blocks, other.blocks)

    def __hash__(self) -> int:
        return hash((self.blocks.shape, self.blocks.tobytes()))


@dataclass(frozen=True, slots=True)
class Property:
    """A property of classes."""

    kind: PropertyKind  # what it is
    attribute: int = -1  # the number of a sensitive attribute
    factor: Fraction | None = None  # the c of `RECURSIVE`
    levels: Levels | None = None  # the tree of `T_HIERARCHICAL`
    weights: tuple[float, ...] = ()  # the weights of `DIVERSITY`, one for each quasi-identifier
    sentence: int = -1  # the number of a confidential sentence; −1 for all of them

    @property
    def larger_is_better(self) -> bool:
        """Whether a class with a larger number is better protected."""
        return self.kind not in _DISTANCES


class CellCost(Enum):
    """What one cell of a recoded table costs.

    ``SIZE``: values in its block less one, at most m − 1. ``HEIGHT``: level of its block, at most the
    height of the hierarchy; where the partition is no level, the lowest level of the attribute's
    hierarchy of which one block covers the cell's block; without a hierarchy 0 for a block of one
    value and 1, the height then, for every larger one. ``EXTENT``: largest less smallest place of its
    block where values lie on a line, at most that of the domain, which is also the cost of a block
    that holds missing and others; elsewhere as ``SIZE``. ``FREQUENCY``: (N_e − N_v) / (N − N_v) for a cell
    with value v in block e, N, N_e and N_v being the rows of the whole table, of the block and of
    the value before suppression; 1 if it is suppressed; 0 in a column of which one value has all
    rows. All others are integers.
    """

    SIZE = "size"
    HEIGHT = "height"
    EXTENT = "extent"
    FREQUENCY = "frequency"


@dataclass(frozen=True, slots=True)
class Threshold:
    """A class-level requirement: the property may not be worse than ``limit``."""

    property: Property
    limit: float


@dataclass(frozen=True, slots=True)
class Request:
    """Everything an evaluation has to collect."""

    properties: tuple[Property, ...] = ()
    costs: tuple[CellCost, ...] = ()
    thresholds: tuple[Threshold, ...] = ()


class CellCosts(NamedTuple):
    """Which cell costs are collected, what a suppressed cell costs, and the attributes in walking order."""

    kinds: tuple[CellCost, ...]
    limits: LongArray
    order: tuple[int, ...]


def make_details(
    properties: Sequence[Property],
    sources: Sequence[int],
    shares: tuple[LongArray, BoolArray],  # rows of each value of each set, and which values are apart
    sizes: LongArray,
    costs: CellCosts,
) -> layout.Details:
    """Put what properties need into arrays."""
    overall, apart = shares
    reach = np.cumsum(overall, axis=1, dtype=np.float64)
    area = np.zeros((reach.shape[0], reach.shape[1] + 1))
    np.cumsum(reach, axis=1, out=area[:, 1:])
    factor = np.ones((len(properties), 2), dtype=np.int64)
    tree = np.zeros((len(properties), 2), dtype=np.int64)
    farthest = np.ones(len(properties))
    blocks, rows = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int64)]
    for number, (item, source) in enumerate(zip(properties, sources, strict=True)):
        if item.factor is not None:
            factor[number] = item.factor.as_integer_ratio()
        if item.kind is PropertyKind.T_HIERARCHICAL:
            below = _below_root(item, int(sizes[source]))
            tree[number] = sum(map(len, blocks)), len(below)
            blocks.append(below.reshape(-1))
            m = below.shape[1]
            counts = [np.bincount(level, overall[source, :m], m).astype(np.int64) for level in below]
            rows += counts
            all_rows = max(1, int(overall[source].sum()))
            alone = [1 - count[level] / all_rows for level, count in zip(below, counts, strict=True)]
            farthest[number] = sum(alone, np.zeros(m)).max(initial=0.0) / max(1, len(below))
        if item.kind is PropertyKind.T_ORDERED and not apart[source].any():
            # How far a value is from the table is convex in its place, so one of the ends is farthest.
            share = reach[source, : sizes[source] - 1] / max(1, reach[source, -1])
            farthest[number] = max(share.sum(), (1 - share).sum()) / max(1, len(share))
    extent = costs.kinds.index(CellCost.EXTENT) if CellCost.EXTENT in costs.kinds else -1
    scale = np.stack([np.zeros(len(costs.order)), *(_scale(item, extent, costs) for item in properties)])[1:]
    trees = (tree, np.concatenate(blocks), np.concatenate(rows))
    return layout.Details(factor, reach, area, apart, *trees, farthest, extent, scale)


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
