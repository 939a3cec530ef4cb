"""Cases in which some attributes have levels and others any list of partitions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from sfumato.domains import Ladder, Lattice, Partition
from tests.oracles.classes import Ladder as PlainLadder
from tests.strategies import Case, cases, tables

if TYPE_CHECKING:
    import numpy as np

    from tests.oracles.classes import Table, Value


@dataclass(frozen=True, eq=False)
class MixedCase:
    """A case, and the same table with other ladders.

    Parameters
    ----------
    case
        The table with the levels of its hierarchies.
    table
        The same table for the oracles, some ladders of which list any partitions.
    lattice
        The package's lattice of these.
    has_hierarchy
        For each attribute whether its ladder knows the levels of ``case``.
    """

    case: Case
    table: Table
    lattice: Lattice
    has_hierarchy: tuple[bool, ...]

    def blocks(self, nodes: np.ndarray) -> list[np.ndarray]:
        """Return the block arrays of nodes, as recodings are given."""
        return [ladder.levels[nodes[:, a]] for a, ladder in enumerate(self.lattice.ladders)]

    def hierarchies(self) -> list[list[dict[Value, Value]]]:
        """Return for every attribute the levels by which the heights of blocks are measured."""
        found = []
        for known, ladder in zip(self.has_hierarchy, self.case.table.ladders, strict=True):
            flat = [{value: value for value in ladder.values}, dict.fromkeys(ladder.values, "*")]
            found.append(list(ladder.levels) if known else flat)
        return found


@st.composite
def mixed_cases(draw: st.DrawFn, *, all_listed: bool = False, repeats: bool = True) -> MixedCase:
    """Draw a table whose attributes have levels or listed partitions, in any order, not nested.

    Parameters
    ----------
    draw
        Given by hypothesis.
    all_listed
        Whether no attribute has levels.
    repeats
        Whether a list may hold a partition twice.
    """
    case = draw(cases(tables(min_sensitive=1, max_attributes=3, max_rows=40)))
    plain, ladders, known = [], [], []
    for ladder, matrix in zip(case.table.ladders, case.matrices, strict=True):
        is_listed = all_listed or draw(st.booleans())
        has_hierarchy = not is_listed or draw(st.booleans())
        if is_listed:
            m = len(ladder.values)
            block = st.lists(st.integers(0, m - 1), min_size=m, max_size=m).map(Partition.of)
            partitions = draw(st.lists(block, min_size=1, max_size=4, unique_by=None if repeats else _key))
            levels = tuple(
                {value: f"b{number}" for value, number in zip(ladder.values, item.block, strict=True)}
                for item in partitions
            )
            plain.append(PlainLadder(ladder.attribute, ladder.values, levels, ladder.places))
            ladders.append(Ladder.listed(partitions, Ladder.whole(matrix) if has_hierarchy else None))
        else:
            plain.append(ladder)
            ladders.append(Ladder.whole(matrix))
        known.append(has_hierarchy)
    return MixedCase(case, replace(case.table, ladders=tuple(plain)), Lattice(tuple(ladders)), tuple(known))


def _key(partition: Partition) -> bytes:
    return partition.block.tobytes()
