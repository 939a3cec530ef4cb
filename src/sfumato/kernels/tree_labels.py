"""A lower bound on what any local recoding costs, certified over all labels that are nodes of trees.

What must hold of every label is said in `closed_labels`. Here groups of tuples are refined attribute by
attribute, level by level: a group has the same labels in the attributes so far. It is left as soon as no k
units in it break even what these labels cost, for further attributes only make groups smaller and dearer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.kernels._groups import by_address
from sfumato.kernels._options import kernel
from sfumato.kernels.closed_labels import (
    ALLOWED,
    GIVEN_UP,
    NOTED,
    WALKED,
    WANTED,
    Walk,
    excess_of,
    lower,
    note,
)

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, LongArray


@by_address
class LabelGroups(NamedTuple):
    """The labels of all tuples at every level, and the groups of a walk over them."""

    walk: Walk
    step: LongArray  # (q + 1,): the first level of each attribute, and the end
    block: IntArray  # (levels, n)
    price: FloatArray  # (levels, n)
    first: LongArray  # (q,): the first level to be walked of each attribute
    stop: LongArray  # (q,)
    tuples: IntArray  # (q + 1, n): the tuples of the groups of each depth; all of them at depth 0
    begin: LongArray  # (q + 1,): where the group at hand begins
    end: LongArray  # (q + 1,)
    level: LongArray  # (q + 1,): the level into whose blocks it is cut
    filled: LongArray  # (q + 1,): how many tuples the depth has
    cost: FloatArray  # (q + 1,): of the labels so far
    sizes: IntArray  # (blocks,): zeros between uses
    met: IntArray  # (n,): blocks of a cut


@kernel
def _cut(groups: LabelGroups, depth: int) -> None:
    """Write the tuples of a group block by block to the next depth."""
    block, count, met = groups.block[groups.level[depth]], groups.sizes, groups.met
    items, target = groups.tuples[depth], groups.tuples[depth + 1]
    found = 0
    for i in range(groups.begin[depth], groups.end[depth]):
        b = block[items[i]]
        if count[b] == 0:
            met[found] = b
            found += 1
        count[b] += 1
    at = 0
    for j in range(found):
        at += count[met[j]]
        count[met[j]] = at - count[met[j]]
    for i in range(groups.begin[depth], groups.end[depth]):
        b = block[items[i]]
        target[count[b]] = items[i]
        count[b] += 1
    for j in range(found):
        count[met[j]] = 0
    groups.filled[depth + 1] = at
    groups.end[depth + 1] = 0


@kernel
def _is_least(groups: LabelGroups, depth: int) -> bool:
    """Tell whether no lower level of an attribute has one block for the group: that one costs less."""
    items = groups.tuples[depth]
    first = items[groups.begin[depth]]
    for a in range(depth):
        if groups.level[a] > groups.step[a]:
            below = groups.block[groups.level[a] - 1]
            differs = False
            for i in range(groups.begin[depth] + 1, groups.end[depth]):
                if below[items[i]] != below[first]:
                    differs = True
                    break
            if not differs:
                return False
    return True


@kernel
def _next_group(groups: LabelGroups, depth: int) -> bool:
    """Go on to the next group of a depth that is to be walked; tell whether there is one."""
    walk, items = groups.walk, groups.tuples[depth]
    level = groups.level[depth - 1]
    block = groups.block[level]
    while groups.end[depth] < groups.filled[depth]:
        begin = groups.end[depth]
        end, units, most = begin, 0, 0.0
        while end < groups.filled[depth] and block[items[end]] == block[items[begin]]:
            units += walk.units[items[end]]
            most = max(most, walk.level[items[end]])
            end += 1
        groups.begin[depth], groups.end[depth] = begin, end
        cost = groups.cost[depth - 1] + groups.price[level, items[begin]]
        groups.cost[depth] = cost
        walk.counts[WALKED] += 1
        if units < walk.k or most <= cost or not _is_least(groups, depth):
            continue
        for i in range(begin, end):
            walk.items[i - begin] = items[i]
        walk.counts[ALLOWED] -= end - begin
        if excess_of(walk, end - begin, cost, np.inf) > 0.0:
            return True
    return False


@kernel
def _note_new(walk: Walk, m: int, cost: float, is_label: bool) -> None:
    """Note a label that breaks the guess, unless enough were noted for all of the tuples that do."""
    walk.counts[GIVEN_UP] += 1
    units, is_new = 0, False
    for i in range(m):
        if units >= walk.k:
            break
        t = walk.items[i]
        units += walk.units[t]
        is_new = is_new or walk.broken[t] < walk.counts[WANTED]
        walk.broken[t] += 1
    if is_new and is_label:
        walk.counts[NOTED] = 0
        note(walk, m, cost)


@kernel
def certify_trees(groups: LabelGroups) -> None:
    """Lower a until no label of some levels breaks it; or only note labels that do, where these are wanted.

    After so many tuples as are allowed, what breaks the labels so far counts as if there were no other
    attributes: that lowers too much rather than too little. O(groups · (tuples of a group + attributes)).
    """
    walk, q, depth = groups.walk, len(groups.first), 0
    groups.begin[0], groups.end[0], groups.level[0] = 0, groups.block.shape[1], groups.first[0] - 1
    while depth >= 0:
        if depth < q and groups.level[depth] + 1 < groups.stop[depth]:
            groups.level[depth] += 1
            _cut(groups, depth)
            depth += 1
        if depth == 0 or not _next_group(groups, depth):
            depth -= 1
        elif depth < q and walk.counts[ALLOWED] > 0:
            groups.level[depth] = groups.first[depth] - 1
        else:
            # With no level left to try it is the next group's turn.
            groups.level[depth] = groups.block.shape[0]
            if walk.counts[WANTED] == 0:
                lower(walk, groups.end[depth] - groups.begin[depth], groups.cost[depth])
            else:
                _note_new(walk, groups.end[depth] - groups.begin[depth], groups.cost[depth], depth == q)
