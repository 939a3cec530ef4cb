"""The most specific recodings that meet what is required, by comparing every recoding with every other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import lattice
from .classes import group, recoding_at
from .confidentiality import secure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .classes import Ladder, Table, Value


def refines(finer: Mapping[Value, Value], coarser: Mapping[Value, Value], values: Sequence[Value]) -> bool:
    """Tell whether values that share a label of the first share one of the second."""
    return all(
        coarser[one] == coarser[other] for one in values for other in values if finer[one] == finer[other]
    )


def at_least_as_specific(ladders: Sequence[Ladder], first: Sequence[int], second: Sequence[int]) -> bool:
    """Tell whether each partition of the first refines the second's.

    Of partitions that are equal the one with the smaller number counts as finer.
    """
    for ladder, one, other in zip(ladders, first, second, strict=True):
        low, high = ladder.levels[one], ladder.levels[other]
        if not refines(low, high, ladder.values):
            return False
        if refines(high, low, ladder.values) and one > other:
            return False
    return True


def most_specific(problem: lattice.Problem) -> set[tuple[int, ...]]:
    """Return all feasible nodes that no other feasible node is more specific than."""
    return minimal(problem.table.ladders, [item.levels for item in lattice.whole_lattice(problem)])


def most_specific_secure(
    table: Table, truth: Sequence[set[int]], kept: Sequence[set[int]], budget: int
) -> set[tuple[int, ...]]:
    """Return all nodes that are secure once at most so many rows went, and have none more specific.

    Parameters
    ----------
    table
        Ladders and rows.
    truth, kept
        For every row the sentences that are true for it, and those that its person keeps secret.
    budget
        Rows of disclosing classes that may be suppressed; one row at least has to stay.
    """
    feasible = []
    for levels in lattice.nodes(lattice.Problem(table)):
        classes = list(group(table.rows, recoding_at(table.ladders, levels)).values())
        gone = sum(len(members) for members in classes if not secure([members], truth, kept))
        if gone <= budget and gone < len(table.rows):
            feasible.append(levels)
    return minimal(table.ladders, feasible)


def minimal(ladders: Sequence[Ladder], nodes: Sequence[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """Return the nodes that no other one is more specific than."""
    return {
        node
        for node in nodes
        if not any(at_least_as_specific(ladders, other, node) for other in nodes if other != node)
    }


__all__ = ["at_least_as_specific", "minimal", "most_specific", "most_specific_secure", "refines"]
