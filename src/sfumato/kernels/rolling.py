"""Rolling classes up: from the classes of a node to those of a node above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import inner, kernel

if TYPE_CHECKING:
    from sfumato._typing import IntArray, KeyArray, LongArray
    from sfumato.kernels.layout import Field, KeyFields, Ladders, Plan, Scratch, Tables

_HASH = np.uint64(0x9E3779B97F4A7C15)
_ZERO = np.uint64(0)
UNITING = 6
"""How many lookups finding the class of one key takes as long as."""


@inner
def table_bits(groups: int) -> int:
    """Return b such that 2**b slots are at most half full."""
    b = 4
    while (1 << b) < 2 * groups:
        b += 1
    return b


@kernel
def _unite_narrow(
    keys: KeyArray,
    out_keys: KeyArray,
    groups: int,
    field: Field,
    block: IntArray,
    slots: IntArray,
    down: np.uint64,
    united: IntArray,
) -> int:
    """Number the classes after one block map, where a key is one word; return how many there are."""
    _, shift, mask = field
    last = np.int64(len(slots) - 1)
    made = 0
    for i in range(groups):
        key = keys[i]
        code = (key >> shift) & mask
        key += (np.uint64(block[np.int64(code)]) - code) << shift
        slot = np.int64((key * _HASH) >> down)
        at = slots[slot]
        while at >= 0 and out_keys[at] != key:
            slot = (slot + 1) & last
            at = slots[slot]
        if at < 0:
            at = made
            slots[slot] = at
            out_keys[at] = key
            made += 1
        united[i] = at
    return made


@kernel
def _is_same(out_keys: KeyArray, at: int, keys: KeyArray, i: int, word: int, key: np.uint64) -> bool:
    """Compare class ``at`` of ``out_keys`` with class ``i`` of ``keys`` whose ``word`` became ``key``."""
    if out_keys[word, at] != key:
        return False
    for w in range(keys.shape[0]):
        if w != word and out_keys[w, at] != keys[w, i]:
            return False
    return True


@kernel
def _unite_wide(
    keys: KeyArray,
    out_keys: KeyArray,
    groups: int,
    field: Field,
    block: IntArray,
    slots: IntArray,
    down: np.uint64,
    united: IntArray,
) -> int:
    """Do what :func:`_unite_narrow` does where a key is several words."""
    word, shift, mask = field
    last = np.int64(len(slots) - 1)
    words = keys.shape[0]
    made = 0
    for i in range(groups):
        key = keys[word, i]
        code = (key >> shift) & mask
        key += (np.uint64(block[np.int64(code)]) - code) << shift
        mixed = key
        for w in range(words):
            if w != word:
                mixed = (mixed ^ (mixed >> np.uint64(29))) * _HASH + keys[w, i]
        slot = np.int64((mixed * _HASH) >> down)
        at = slots[slot]
        while at >= 0 and not _is_same(out_keys, at, keys, i, word, key):
            slot = (slot + 1) & last
            at = slots[slot]
        if at < 0:
            at = made
            slots[slot] = at
            for w in range(words):
                out_keys[w, at] = keys[w, i]
            out_keys[word, at] = key
            made += 1
        united[i] = at
    return made


@kernel
def _roll_up_classes(
    tables: Tables, keys: KeyArray, low: int, high: int, field: Field, block: IntArray, scratch: Scratch
) -> None:
    """Roll the classes at depth ``low``, which have these keys, up into depth ``high`` by one block map.

    ``low == high`` is allowed: a class is read before its place is written,
    because its number in the result is never larger than in the source.
    O(groups); ``scratch.united`` receives class → united class.
    """
    groups = tables.counts[low, 0]
    b = table_bits(groups)
    slots = scratch.slots[: 1 << b]
    slots[:] = -1
    down = np.uint64(64 - b)
    united = scratch.united
    if len(keys) == 1:
        made = _unite_narrow(keys[0], tables.keys[high, 0], groups, field, block, slots, down, united)
    else:
        made = _unite_wide(keys, tables.keys[high], groups, field, block, slots, down, united)
    add_up(tables, low, high, groups, united)
    tables.counts[high, 0] = made


@inner
def add_up(tables: Tables, low: int, high: int, groups: int, united: IntArray) -> None:
    """Add the rows and unite the bits of the classes at depth ``low`` that became one at depth ``high``."""
    # Whether a class is new follows no pattern, so what is there is masked out rather than branched around.
    rows, out_rows = tables.rows[low], tables.rows[high]
    seen = 0
    for i in range(groups):
        at = united[i]
        amount = rows[i]
        out_rows[at] = amount + (out_rows[at] if at < seen else 0)
        seen = max(seen, at + 1)
    for w in range(tables.bits.shape[1]):
        bits, out_bits = tables.bits[low, w], tables.bits[high, w]
        seen = 0
        for i in range(groups):
            at = united[i]
            held = bits[i]
            out_bits[at] = held | (out_bits[at] if at < seen else _ZERO)
            seen = max(seen, at + 1)


@kernel
def _roll_up_pairs(tables: Tables, low: int, high: int, number: int, set_size: int, scratch: Scratch) -> None:
    """Unite the (class, value) pairs of one set after :func:`_roll_up_classes`."""
    classes, out_classes = tables.pair_class[low, number], tables.pair_class[high, number]
    values, out_values = tables.pair_value[low, number], tables.pair_value[high, number]
    rows, out_rows = tables.pair_rows[low, number], tables.pair_rows[high, number]
    pairs = tables.counts[low, 1 + number]
    b = table_bits(pairs)
    slots = scratch.slots[: 1 << b]
    slots[:] = -1
    last = np.int64((1 << b) - 1)
    down = np.uint64(64 - b)
    made = 0
    for i in range(pairs):
        united = scratch.united[classes[i]]
        value = values[i]
        count = rows[i]
        slot = np.int64((np.uint64(united * set_size + value) * _HASH) >> down)
        while True:
            at = slots[slot]
            if at < 0:
                slots[slot] = made
                out_classes[made] = united
                out_values[made] = value
                out_rows[made] = count
                made += 1
                break
            if out_classes[at] == united and out_values[at] == value:
                out_rows[at] += count
                break
            slot = (slot + 1) & last
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
            code = np.uint64(block[np.int64(code)])
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
    _unite_all(tables, keys, int(depth), high, nothing, scratch.nothing, plan, scratch)


@inner
def roll_up(
    tables: Tables, low: int, high: int, field: Field, block: IntArray, plan: Plan, scratch: Scratch
) -> None:
    """Roll classes and all their pairs up by one block map."""
    _unite_all(tables, tables.keys[low], low, high, field, block, plan, scratch)


@inner
def _unite_all(
    tables: Tables,
    keys: KeyArray,
    low: int,
    high: int,
    field: Field,
    block: IntArray,
    plan: Plan,
    scratch: Scratch,
) -> None:
    """Unite classes and all their pairs."""
    groups = tables.counts[low, 0]
    _roll_up_classes(tables, keys, low, high, field, block, scratch)
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
