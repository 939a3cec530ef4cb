"""``ordered``: every partition into contiguous blocks (OPS)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.errors import ParameterError
from sfumato.schemes.contiguous import Contiguous, partition_of_bits
from sfumato.schemes.drawing import draw_below

if TYPE_CHECKING:
    from sfumato.domains import Partition


class Ordered(Contiguous):
    """Every partition of an ordered domain into contiguous blocks: 2^(m−1) of them.

    T. Li, N. Li: Towards optimal k-anonymization, sections 2.2.3 and 3.3,
    doi:10.1016/j.datak.2007.06.015.

    Examples
    --------
    >>> [partition.block.tolist() for partition in Ordered(3).partitions()]
    [[0, 1, 2], [0, 0, 1], [0, 0, 0], [0, 1, 1]]
    """

    name: ClassVar[str] = "ordered"

    def __init__(self, size: int, *, missing: bool = False) -> None:
        if size < 1:
            raise ParameterError(f"A scheme needs a domain of at least one value; got {size}.")
        bit = np.arange(size - 1, dtype=np.int32)
        reach = np.column_stack((bit, bit + 1))
        if missing:
            reach[-1:] = 0, size - 1
        super().__init__(reach)
        self._missing = missing and size > 1

    def count(self) -> int:
        """Return 2^(m−1), or 2^(m−2) + 1 where missing stays apart."""
        return (1 << self.size - 2) + 1 if self._missing else 1 << self.size - 1

    def random(self, rng: np.random.Generator) -> Partition:
        """Draw a member; each one with the same probability."""
        if self._missing and draw_below(rng, self.count()) == 0:
            return self.coarsest
        joined = rng.integers(2, size=self.size - 1).astype(np.bool_)
        if self._missing:
            joined[-1] = False
        return partition_of_bits(joined)
