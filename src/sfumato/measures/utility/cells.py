"""Sums of cell costs that several measures share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.properties import CellCost
    from sfumato.classes.statistics import Statistics


def kept_shares(statistics: Statistics, cost: CellCost) -> FloatArray:
    """Return the cell costs of the rows that remain, each over its limit, summed by attribute.

    Shape (n, q). An attribute whose domain has one value costs nothing.
    """
    limits = statistics.cell_limits(cost)
    return np.asarray(statistics.cells(cost) / np.maximum(limits, 1))
