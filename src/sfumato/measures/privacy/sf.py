"""sf: how little is learnt about confidential sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.properties import Property, PropertyKind
from sfumato.classes.sentences import risk_scale
from sfumato.measures.measure import Direction, Measure

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.classes.statistics import Statistics


class SF(Measure):
    """Information-theoretic security: 1 − the mean over rows of what is learnt about their persons.

    sf = 1 − Σ_u Σ_φ dm(u, φ) · max((log Pr(φ) − log Pr_τ(φ | u)) / log Pr(φ), 0) / rows, over the rows that
    remain and the sentences that the row's person holds. Pr(φ) is the share of all input rows, suppressed
    ones included, for which φ is true, Pr_τ(φ | u) that in the row's class. The damages dm of a person sum
    to 1. A term is 0 where Pr(φ) is 0 or 1, where Pr_τ is 0, and where nothing is confidential for the
    person. Risks are rounded to multiples of 2⁻³⁸ for 10 million rows, and finer for fewer, so that no sum
    depends on the order of classes. It moves both ways along generalization.

    Attribute-oriented granulation for privacy protection, section 4.1.
    """

    direction = Direction.MAXIMIZE
    least_cost = -1.0
    limits = (0.0, 1.0)

    def __init__(self, name: str, attribute: int, sentences: int) -> None:
        super().__init__(name)
        self.properties = tuple(
            Property(PropertyKind.RISK, attribute, sentence=number) for number in range(sentences)
        )

    def value(self, statistics: Statistics) -> FloatArray:
        """Return the security of each node."""
        risk = np.zeros(len(statistics))
        for item in self.properties:
            risk += statistics.sum_of(item) / risk_scale(statistics.row_count)
        with np.errstate(invalid="ignore"):
            return np.asarray(1.0 - risk / statistics.kept)
