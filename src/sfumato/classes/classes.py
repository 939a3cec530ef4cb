"""The classes of one recoding, one row for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
    from sfumato.classes.properties import Property


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
