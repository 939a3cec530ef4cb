"""What the combinations of true and held sentences mean: the confidential part of a cube."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Confidential:
    """Confidential sentences over the rows of a cube, as combinations that a hidden attribute codes."""

    # whether each sentence is true for the rows of a combination, shape (combinations, sentences)
    truth: BoolArray
    held: BoolArray  # whether it is confidential for their persons, same shape
    damage: FloatArray  # what each sentence costs a holder if it becomes known, above 0

    @property
    def count(self) -> int:
        """Number of sentences."""
        return len(self.damage)

    @property
    def shares(self) -> FloatArray:
        """The damage of each sentence over that of all that a holder holds; 0 where it is not held.

        Shape (combinations, sentences); each row sums to 1, or to 0 where nothing is held.
        """
        damage = self.held * self.damage
        total = damage.sum(axis=1, keepdims=True)
        return np.asarray(damage / np.where(total > 0, total, 1.0))
