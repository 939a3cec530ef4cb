"""What is collected of classes and nodes, and which classes are suppressed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels import lattice_classes as kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
    from sfumato.classes.properties import CellCost, Property


@dataclass(frozen=True, eq=False)
class Classes:
    """The equivalence classes that one recoding makes of a cube."""

    blocks: IntArray  # block numbers of each class, shape (classes, q), in the cube's order of attributes
    # rows of each class, and its persons where persons are named
    rows: LongArray
    sizes: LongArray
    suppressed: BoolArray  # whether the class is suppressed
    # the collected properties and their value for each class, shape (properties, classes)
    properties: tuple[Property, ...]
    values: FloatArray

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def suppressed_blocks(self) -> IntArray:
        """Block numbers of the suppressed classes."""
        return self.blocks[self.suppressed]


class Rule(IntEnum):
    """How rows are chosen for suppression.

    ``FAILING`` takes every class that misses a requirement; ``SMALLEST`` takes
    whole class sizes, smallest first, within the budget, and leaves the largest;
    ``FAILING_THEN_SMALLEST`` does both with one budget; ``BELOW_MEAN`` takes
    every class smaller than the mean class size over rows, without a budget.
    """

    NONE = kernel.NONE
    FAILING = kernel.FAILING
    SMALLEST = kernel.SMALLEST
    FAILING_THEN_SMALLEST = kernel.FAILING_THEN_SMALLEST
    BELOW_MEAN = kernel.BELOW_MEAN


@dataclass(frozen=True, slots=True)
class Suppression:
    """A rule and the number of rows it may take."""

    rule: Rule
    budget: int


def budget_of(limit: float, rows: int) -> int:
    """Return floor(limit × rows), exactly for the limit as it is written in decimals.

    Examples
    --------
    >>> budget_of(0.29, 100), budget_of(0.01, 30162)
    (29, 301)
    """
    share = Fraction(str(limit)) * rows
    return share.numerator // share.denominator


class _Sum:
    """A number of each node that the kernel always sums, as an attribute of `Statistics`."""

    def __init__(self, column: int) -> None:
        self._column = column

    def __get__(self, statistics: Statistics, _: type[Statistics] | None = None) -> LongArray:
        return statistics.sums[:, self._column]


@dataclass(frozen=True, eq=False)
class Statistics:
    """What was collected for a batch of nodes; one row for each."""

    nodes: LongArray  # numbers of levels or listed partitions, shape (n, q)
    # the kernel's integer and floating-point output
    sums: LongArray
    worst: FloatArray
    # what the columns after the fixed ones are about
    properties: tuple[Property, ...]
    costs: tuple[CellCost, ...]
    limits: LongArray  # for each cell cost what a suppressed cell costs, attribute by attribute
    row_count: int  # rows of the table before suppression
    rule: Rule  # the rule that suppressed
    # costs by frequency summed over all rows, suppressed ones included, attribute by attribute; no columns
    # where they are not collected
    penalties: FloatArray
    # makes the classes of a node, for measures that look at them one by one
    classes_of: Callable[[LongArray], Classes]
    # from nodes to the entropy of each attribute's partition, shape (n, q); see
    # `sfumato.domains.lattice.entropy_shares`
    entropies_of: Callable[[LongArray], FloatArray]
    # the same as if only those rows went that go at every specialization; None where nobody asked
    doomed: Statistics | None = None

    suppressed = _Sum(kernel.SUPPRESSED)  # suppressed rows
    failing = _Sum(kernel.FAILING_ROWS)  # rows of the classes that miss a requirement
    classes = _Sum(kernel.CLASSES)  # classes that remain
    size_sum = _Sum(kernel.SIZE_SUM)  # class size summed over the rows that remain
    rows_squared = _Sum(kernel.ROWS_SQUARED)  # squared rows of the classes that remain
    # the last two before suppression: over all rows, and of all classes
    all_size_sum = _Sum(kernel.ALL_SIZE_SUM)
    all_rows_squared = _Sum(kernel.ALL_ROWS_SQUARED)

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def feasible(self) -> BoolArray:
        """Whether the class-level requirements hold within the budget and a row remains."""
        return np.asarray(self.sums[:, kernel.FEASIBLE] == 1)

    @property
    def kept(self) -> LongArray:
        """Rows that remain."""
        return self.row_count - self.suppressed

    def worst_of(self, item: Property) -> FloatArray:
        """Return the worst value of a property over the classes that remain."""
        return self.worst[:, self.properties.index(item)]

    def sum_of(self, item: Property) -> LongArray:
        """Return the sum of a ``SQUARES`` or ``MAJORITY`` property over the classes that remain."""
        return self.sums[:, kernel.FIXED_SUMS + self.properties.index(item)]

    def cells(self, cost: CellCost) -> LongArray:
        """Return a cell cost summed over the rows that remain, shape (n, q)."""
        q = self.nodes.shape[1]
        start = kernel.FIXED_SUMS + len(self.properties) + self.costs.index(cost) * q
        return self.sums[:, start : start + q]

    def cell_limits(self, cost: CellCost) -> LongArray:
        """Return what a suppressed cell costs, attribute by attribute."""
        return np.asarray(self.limits[self.costs.index(cost)])
