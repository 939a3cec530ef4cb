"""What was collected for many recodings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels import lattice as kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.classes.classes import Classes
    from sfumato.classes.properties import CellCost, Property
    from sfumato.classes.suppression import Rule


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
    # `sfumato.domains.ladder.entropy_shares`
    entropies_of: Callable[[LongArray], FloatArray]

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def feasible(self) -> BoolArray:
        """Whether the class-level requirements hold within the budget and a row remains."""
        return np.asarray(self.sums[:, kernel.FEASIBLE] == 1)

    @property
    def suppressed(self) -> LongArray:
        """Suppressed rows."""
        return self.sums[:, kernel.SUPPRESSED]

    @property
    def failing(self) -> LongArray:
        """Rows of the classes that miss a requirement."""
        return self.sums[:, kernel.FAILING_ROWS]

    @property
    def kept(self) -> LongArray:
        """Rows that remain."""
        return self.row_count - self.suppressed

    @property
    def classes(self) -> LongArray:
        """Classes that remain."""
        return self.sums[:, kernel.CLASSES]

    @property
    def size_sum(self) -> LongArray:
        """Class size summed over the rows that remain."""
        return self.sums[:, kernel.SIZE_SUM]

    @property
    def rows_squared(self) -> LongArray:
        """Squared rows of the classes that remain."""
        return self.sums[:, kernel.ROWS_SQUARED]

    @property
    def all_size_sum(self) -> LongArray:
        """Class size summed over all rows, before suppression."""
        return self.sums[:, kernel.ALL_SIZE_SUM]

    @property
    def all_rows_squared(self) -> LongArray:
        """Squared rows of all classes, before suppression."""
        return self.sums[:, kernel.ALL_ROWS_SQUARED]

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
