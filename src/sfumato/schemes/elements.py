"""Schemes as sets of yes-or-no decisions, for searches that decide one after another.

An element is a join that a partition makes or does not make: two neighbouring
children of a node, any two children of a node, all children of a node, one more
level. A member of a scheme is the set of elements that it joins, and its blocks are what
the edges of these connect. What joins follow from others is known beforehand: whoever
joins two children of a node joins all that is below them.

If some elements are joined, some kept apart, and the rest is open, then the joined
ones make a partition that refines every member that agrees with the decisions; those
joined or open make one that is refined by every such member. These two ends are all
that a bound needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.schemes.admissible import Admissible
from sfumato.schemes.contiguous import Contiguous
from sfumato.schemes.sets import GuidedSets, inner_nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from sfumato._typing import IntArray
    from sfumato.domains import Partition
    from sfumato.schemes.base import Scheme


@dataclass(frozen=True, eq=False)
class Elements:
    """The decisions of one scheme."""

    edges: IntArray  # the codes that an element connects, one pair after another, shape (edges, 2)
    owner: IntArray  # the element of each edge, ascending
    # the elements that joining element e joins too: `implied[implied_start[e] : implied_start[e + 1]]`
    implied_start: IntArray
    implied: IntArray
    # elements of one group are pairs of the same things, so that joins among them are transitive; −1 where an
    # element is in no such group
    group: IntArray

    @property
    def count(self) -> int:
        """Number of elements."""
        return len(self.group)


def elements_of(scheme: Scheme) -> Elements:
    """Return the decisions that make the members of a scheme."""
    if isinstance(scheme, Contiguous):
        return _of_contiguous(scheme)
    if isinstance(scheme, GuidedSets):
        return _of_pairs(scheme)
    assert isinstance(scheme, Admissible)
    return _of_list(scheme.members)


def _of_contiguous(scheme: Contiguous) -> Elements:
    """One element for each distinct reach: the bits that are only joined together."""
    reach = scheme.reach
    distinct, owner = np.unique(reach, axis=0, return_inverse=True)
    owner = owner.reshape(-1).astype(np.int32)
    bits = np.arange(len(reach), dtype=np.int32)
    order = np.argsort(owner, kind="stable")
    # Reaches nest, so that a reach holds the bits of all reaches within it, and those of no other.
    implied = [
        np.setdiff1d(owner[first:end], [number]) if end - first > 1 else owner[:0]
        for number, (first, end) in enumerate(distinct.tolist())
    ]
    return _elements(
        np.column_stack((bits, bits + 1))[order], owner[order], implied, np.full(len(distinct), -1)
    )


def _of_pairs(scheme: GuidedSets) -> Elements:
    """One element for each two children of a node."""
    tree = scheme.tree
    edges: list[tuple[int, int]] = []
    group: list[int] = []
    below: dict[tuple[int, int], list[int]] = {}
    implied: list[list[int]] = []
    for node in inner_nodes(tree):
        spans = [tuple(span) for span in tree.spans[tree.children(node)].tolist()]
        own = range(len(edges), len(edges) + len(spans) * (len(spans) - 1) // 2)
        for i, one in enumerate(spans):
            for other in spans[i + 1 :]:
                edges.append((one[0], other[0]))
                group.append(node)
                implied.append([*below.get(one, []), *below.get(other, [])])
        below[spans[0][0], spans[-1][1]] = [*own, *(item for span in spans for item in below.get(span, []))]
    return _elements(edges, range(len(edges)), implied, group)


def _of_list(members: tuple[Partition, ...]) -> Elements:
    """One element for each member but the finest: whether a partition is coarser than it, or it."""
    finest = next(one for one in members if all(one.refines(other) for other in members))
    rest = sorted((item for item in members if item != finest), key=lambda item: -item.count)
    implied = [
        [number for number, finer in enumerate(rest) if finer != item and finer.refines(item)]
        for item in rest
    ]
    edges: list[tuple[int, int]] = []
    owner: list[int] = []
    for number, item in enumerate(rest):
        last: dict[int, int] = {}
        for code, block in enumerate(item.block.tolist()):
            if block in last:
                edges.append((last[block], code))
                owner.append(number)
            last[block] = code
    return _elements(edges, owner, implied, [-1] * len(rest))


def _elements(edges: ArrayLike, owner: ArrayLike, implied: Sequence[ArrayLike], group: ArrayLike) -> Elements:
    """Put decisions into arrays."""
    lists = [np.asarray(item, dtype=np.int32) for item in implied]
    start = np.cumsum([0, *(len(item) for item in lists)])
    return Elements(
        np.asarray(edges, dtype=np.int32).reshape(-1, 2),
        np.asarray(owner, dtype=np.int32),
        start.astype(np.int32),
        np.concatenate([np.zeros(0, dtype=np.int32), *lists]),
        np.asarray(group, dtype=np.int32),
    )
