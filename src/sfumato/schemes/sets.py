"""``sets``: every partition (SPS)."""

from __future__ import annotations

from typing import ClassVar

from sfumato.errors import ParameterError
from sfumato.schemes.groupings import flat
from sfumato.schemes.guided_sets import GuidedSets


class Sets(GuidedSets):
    """Every partition of a domain, which are as many as Bell's number of m.

    This is ``guided-sets`` over a root directly above all values. The children of a
    partition put a value e that is alone into a block S if e is larger than all of S
    and no block to the right of S has two or more values.

    T. Li, N. Li: Towards optimal k-anonymization, sections 2.3.1 and 3.1,
    doi:10.1016/j.datak.2007.06.015. The procedure printed there makes some partitions
    twice; it lacks the condition on blocks to the right of S beyond e.

    Examples
    --------
    >>> sets = Sets(3)
    >>> sets.count(), [partition.block.tolist() for partition in sets.partitions()]
    (5, [[0, 1, 2], [0, 0, 1], [0, 0, 0], [0, 1, 0], [0, 1, 1]])
    """

    name: ClassVar[str] = "sets"

    def __init__(self, size: int, *, missing: bool = False) -> None:
        if size < 1:
            raise ParameterError(f"A scheme needs a domain of at least one value; got {size}.")
        super().__init__(flat(size), missing=missing)
