"""ql: how much detail the partitions of the domains keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.measures.measure import Direction, Measure, Monotone

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics


class QL(Measure):
    """Quality by entropy: the weighted mean of the entropies of the partitions, each over its largest.

    ql = Σ w · h(π) / log |V| / Σ w with h(π) = −Σ |s|/|V| · log(|s|/|V|) over the blocks s of a domain V. It
    counts values of the domain, whether they occur or not, and missing where it is part of it; rows, and so
    suppression, do not matter. A domain of one value keeps all its detail: 1.

    Attribute-oriented granulation for privacy protection, section 4.2.
    """

    direction = Direction.MAXIMIZE
    monotone = Monotone.WORSENS
    least_cost = -1.0
    limits = (0.0, 1.0)

    def __init__(self, name: str, weights: FloatArray) -> None:
        super().__init__(name)
        self.weights = weights

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the quality of each node."""
        shares = statistics.entropies_of(statistics.nodes)
        return np.asarray((shares * self.weights).sum(axis=1) / self.weights.sum())
