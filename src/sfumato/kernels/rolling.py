"""Rolling classes up: from the classes of a node to those of a node above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import inner, kernel
from sfumato.kernels.uniting import HASH, table_bits, unite_hashed, unite_ordered

if TYPE_CHECKING:
    from sfumato._typing import IntArray, KeyArray, LongArray
    from sfumato.kernels.layout import Field, KeyFields, Ladders, Plan, Scratch, Tables

_ZERO, _ONE = np.uint64(0), np.uint64(1)
UNITING = 6
"""How many lookups finding the class of one key takes as long as."""


@kernel
def _roll_up_pairs(tables: Tables, low: int, high: int, number: int, set_size: int, scratch: Scratch) -> None:
    """Unite the (class, value) pairs of one set after classes were united."""
    classes, out_classes = tables.pair_class[low, number], tables.pair_class[high, number]
    values, out_values = tables.pair_value[low, number], tables.pair_value[high, number]
    rows, out_rows = tables.pair_rows[low, number], tables.pair_rows[high, number]
    pairs, slots = tables.counts[low, 1 + number], scratch.slots
    places = tables.counts[high, 0] * set_size
    if places <= len(slots):
        # Few classes and values: each pair has a place of its own, and whether it is new is not branched on.
        slots[:places] = -1
        made = 0
        for i in range(pairs):
            united, value, count = scratch.united[np.uint32(classes[i])], values[i], rows[i]
            cell = np.uint64(united * set_size + value)
            is_new = slots[cell] < 0
            at = np.uint32(made if is_new else slots[cell])
            slots[cell] = at
            out_classes[at], out_values[at] = united, value
            out_rows[at] = count + (0 if is_new else 1) * out_rows[at]
            made += is_new
        tables.counts[high, 1 + number] = made
        return
    b = table_bits(pairs)
    slots[: 1 << b] = -1
    last = np.uint64((1 << b) - 1)
    down = np.uint64(64 - b)
    made = 0
    for i in range(pairs):
        united = scratch.united[np.uint32(classes[i])]
        value = values[i]
        count = rows[i]
        slot = (np.uint64(united * set_size + value) * HASH) >> down
        while True:
            at = slots[slot]
            place = np.uint32(made if at < 0 else at)
            if at < 0:
                slots[slot] = made
                out_classes[place] = united
                out_values[place] = value
                out_rows[place] = count
                made += 1
                break
            if out_classes[place] == united and out_values[place] == value:
                out_rows[place] += count
                break
            slot = (slot + _ONE) & last
    tables.counts[high, 1 + number] = made


@inner
def remember(tables: Tables, low: int, high: int, groups: int, scratch: Scratch) -> None:
    """Note which class at depth ``high`` each of the ``groups`` classes at depth ``low`` went to.

    A table that was rolled up in place keeps its parent, and its chain is composed.
    """
    chain = scratch.chain[high]
    if low == high:
        for g in range(tables.counts[scratch.parent[high], 0]):
            chain[g] = scratch.united[chain[g]]
    else:
        # A loop: the compiler takes two seconds for an assignment from slice to slice.
        for g in range(groups):
            chain[g] = scratch.united[g]
        scratch.parent[high] = low


@inner
def roll_up_pairs(tables: Tables, low: int, high: int, plan: Plan, scratch: Scratch) -> None:
    """Unite the pairs of all sets after classes were united."""
    for s in range(len(plan.set_size)):
        _roll_up_pairs(tables, low, high, s, plan.set_size[s], scratch)


@kernel
def _recode(keys: KeyArray, out_keys: KeyArray, groups: int, field: Field, block: IntArray) -> None:
    """Set one field of keys to the blocks of the codes that it has in others, or to these; unite nothing."""
    _, shift, mask = field
    rest = ~(mask << shift)
    for i in range(groups):
        code = (keys[i] >> shift) & mask
        if len(block):
            code = np.uint64(block[code])
        out_keys[i] = (out_keys[i] & rest) | (code << shift)


@inner
def group_anew(
    tables: Tables,
    fields: KeyFields,
    ladders: Ladders,
    low: LongArray,
    node: LongArray,
    high: int,
    plan: Plan,
    scratch: Scratch,
) -> None:
    """Make the classes of a node at depth ``high`` in one pass over those of a node below it.

    ``low`` is the node below, whose classes stand at depth 1, or nothing for the base. All levels are looked
    up at once; those that the last such pass had too are still in the keys.
    """
    depth = np.int64(min(len(low), 1))
    keys, levels = scratch.pass_keys, scratch.pass_levels
    if depth:
        keys, levels = scratch.near_keys, scratch.near_levels
    for a in range(len(node)):
        if levels[a] != node[a]:
            start = low[a] if depth else 0
            begin = ladders.map_start[a, start, node[a]]
            # No map leads from a level to itself.
            block = ladders.maps[begin:] if node[a] > start else ladders.maps[:0]
            w = fields.word[a]
            field = (w, fields.shift[a], fields.mask[a])
            _recode(tables.keys[depth, w], keys[w], tables.counts[depth, 0], field, block)
            levels[a] = node[a]
    # A field without bits: nothing is left to be looked up. The compiler makes functions anew for constants.
    nothing = (int(np.int64(0)), _ZERO, _ZERO)
    unite_hashed(tables, keys, int(depth), high, nothing, scratch.nothing, scratch)
    _follow(tables, int(depth), high, tables.counts[depth, 0], plan, scratch)


@inner
def roll_up(
    tables: Tables,
    low: int,
    high: int,
    fields: KeyFields,
    ladders: Ladders,
    step: tuple[int, int, int],
    plan: Plan,
    scratch: Scratch,
) -> None:
    """Roll classes and all their pairs up by one ``step``: an attribute, and its level before and after."""
    a, start, level = step
    field = (fields.word[a], fields.shift[a], fields.mask[a])
    block = ladders.maps[ladders.map_start[a, start, level] :]
    groups = tables.counts[low, 0]
    if len(scratch.ordering.begins):
        unite_ordered(tables, low, high, field, block, ladders.rises[a], scratch)
    else:
        unite_hashed(tables, tables.keys[low], low, high, field, block, scratch)
    _follow(tables, low, high, groups, plan, scratch)


@inner
def _follow(tables: Tables, low: int, high: int, groups: int, plan: Plan, scratch: Scratch) -> None:
    """Unite all pairs of ``groups`` classes that were united."""
    if len(scratch.chain):
        remember(tables, low, high, groups, scratch)
    roll_up_pairs(tables, low, high, plan, scratch)


@inner
def begin_near(
    tables: Tables,
    fields: KeyFields,
    ladders: Ladders,
    low: LongArray,
    plan: Plan,
    scratch: Scratch,
) -> bool:
    """Make the table of ``low`` at depth 1; tell whether it is so small that nodes above are made from it."""
    group_anew(tables, fields, ladders, low[:0], low, int(np.int64(1)), plan, scratch)
    scratch.before[0] = -1
    # All fields are set before they are read.
    scratch.near_levels[:] = -1
    return bool(2 * tables.counts[1, 0] <= tables.counts[0, 0])


@inner
def shared_levels(node: LongArray, other: LongArray) -> int:
    """Return how many leading levels two nodes share."""
    a = 0
    while a < len(other) and node[a] == other[a]:
        a += 1
    return a


@inner
def is_pass_less(tables: Tables, node: LongArray, first: int, shared: int, scratch: Scratch) -> bool:
    """Tell whether one pass over the base is less work than rolling up from attribute ``first`` on.

    Counted in lookups; a table is taken to be as large as it was when last made. What the next node
    ``shared`` is made for both.
    """
    steps = 0
    for a in range(len(node)):
        steps += scratch.pass_levels[a] != node[a]
    one_pass = tables.counts[0, 0] * (steps + UNITING)
    begin = max(first, len(scratch.counts))
    groups = tables.counts[scratch.depth_of[begin - 1] if begin else 0, 0]
    work = 0
    for a in range(begin, len(node)):
        if node[a] > 0:
            work += groups * (1 + UNITING) // (2 if a < shared else 1)
            groups = min(groups, tables.counts[a + 1, 0])
        if work > one_pass:
            return True
    return False
