"""Classes and their statistics for many unrelated recodings.

A recoding is one block number for each code of every attribute. All attributes of a tuple are
looked up in one pass over the base table, and one insert into an open-addressing table finds its class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.kernels._groups import by_address
from sfumato.kernels._options import kernel
from sfumato.kernels.frequencies import total_penalty
from sfumato.kernels.lattice_classes import reduce_classes
from sfumato.kernels.rolling import remember, roll_up_pairs
from sfumato.kernels.uniting import add_up, table_bits

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, KeyArray, LongArray
    from sfumato.kernels.layout import KeyFields, Ladders, Plan, Scratch, Tables

_HASH = np.uint64(0x9E3779B97F4A7C15)
# What a cell costs.
SIZE, HEIGHT, EXTENT = range(3)


DEPTHS = (0, 1)
"""Where tuples and classes stand in the tables."""


@by_address
class Heights(NamedTuple):
    """The levels of all hierarchies, for the heights of blocks, and which costs are wanted."""

    levels: IntArray  # the levels of each attribute one after another, m blocks each
    start: LongArray  # (q + 1,): where they begin
    kinds: LongArray  # (costs,): SIZE, HEIGHT or EXTENT
    places: LongArray  # the places of the values of those attributes that have some
    place_start: LongArray  # (q + 1,): where they begin


@kernel
def _block_heights(block: IntArray, levels: IntArray, first: IntArray, heights: LongArray) -> None:
    """Write for each block the lowest level of which one block covers it.

    ``levels`` is flat, m entries a level; what none covers has the height of the last one. ``first`` is
    working memory of m. O(m + blocks · levels): a block's height only rises.
    """
    m = len(block)
    top = len(levels) // max(m, 1) - 1
    first[:m] = -1
    for v in range(m):
        b = block[v]
        if first[b] < 0:
            first[b] = v
            heights[b] = 0
            continue
        while heights[b] < top and levels[heights[b] * m + v] != levels[heights[b] * m + first[b]]:
            heights[b] += 1


@kernel
def _block_extents(block: IntArray, places: LongArray, first: IntArray, costs: LongArray) -> None:
    """Write for each block its largest less its smallest place.

    Missing has the place −1; a block of missing and others has the extent of the whole domain. ``first`` is
    working memory of m. O(m).
    """
    whole = 1
    for v in range(len(places)):
        whole = max(whole, places[v])
    for v in range(len(block)):
        first[block[v]] = -1
        costs[block[v]] = 0
    for v in range(len(block)):
        b = block[v]
        if first[b] < 0 or places[v] < places[first[b]]:
            first[b] = v
    for v in range(len(block)):
        b = block[v]
        if v != first[b]:
            lowest = places[first[b]]
            costs[b] = whole if lowest < 0 else max(costs[b], places[v] - lowest)


@kernel
def _block_costs(
    block: IntArray,
    kind: int,
    level: int,
    levels: IntArray,
    places: LongArray,
    first: IntArray,
    costs: LongArray,
) -> None:
    """Write what a cell of each block costs; the height is ``level`` where that is no less than 0."""
    if kind == EXTENT and len(places) > 0:
        _block_extents(block, places, first, costs)
    elif kind != HEIGHT:
        for v in range(len(block)):
            costs[block[v]] = -1
        for v in range(len(block)):
            costs[block[v]] += 1
    elif level >= 0:
        for v in range(len(block)):
            costs[block[v]] = level if len(block) > 1 else 0
    else:
        _block_heights(block, levels, first, costs)


@kernel
def price_blocks(
    partitions: IntArray,
    given: LongArray,
    levels: IntArray,
    places: LongArray,
    kinds: LongArray,
    counts: LongArray,
    begin: LongArray,
    blocks: tuple[LongArray, LongArray],
    totals: tuple[LongArray, FloatArray],
) -> None:
    """Write what the blocks of partitions of one domain cost, and what they cost over all rows.

    ``partitions`` (n, m); ``given`` (n,) is the level that each one is, or −1; ``levels``, ``places`` (m,)
    or none of them, and ``kinds`` as in :class:`Heights`; ``counts`` (m,) rows of each value; the blocks of
    partition i begin at ``begin[i]``.
    Receive: ``blocks``, the costs (kinds, blocks of all) and the rows of each block, or none of them; and
    ``totals`` (kinds, n) with the frequency penalties (n,). O(n · m · kinds).
    """
    costs, block_rows = blocks
    whole, penalties = totals
    first = np.empty(partitions.shape[1], dtype=np.int32)
    row_count = counts.sum()
    for i in range(len(partitions)):
        block = partitions[i]
        for t in range(len(kinds)):
            here = costs[t, begin[i] : begin[i + 1]]
            _block_costs(block, kinds[t], given[i], levels, places, first, here)
            total = 0
            for v in range(len(block)):
                total += counts[v] * here[block[v]]
            whole[t, i] = total
        if len(block_rows):
            penalties[i] = total_penalty(block, counts, block_rows[begin[i] : begin[i + 1]], row_count)


@kernel
def _prepare(
    blocks: IntArray, given: LongArray, heights: Heights, ladders: Ladders, row_count: int, first: IntArray
) -> None:
    """Fill level 1 of ``ladders`` with one recoding: its block map, costs and totals. O(costs · values)."""
    origin = ladders.origin
    for a in range(len(given)):
        begin, end = origin.start[a], origin.start[a + 1]
        block = blocks[begin:end]
        counts = origin.counts[begin:end]
        for v in range(end - begin):
            ladders.maps[begin + v] = block[v]
        for t in range(len(heights.kinds)):
            costs = ladders.costs[t, begin:end]
            levels = heights.levels[heights.start[a] : heights.start[a + 1]]
            places = heights.places[heights.place_start[a] : heights.place_start[a + 1]]
            _block_costs(block, heights.kinds[t], given[a], levels, places, first, costs)
            total = 0
            for v in range(end - begin):
                total += counts[v] * costs[block[v]]
            ladders.totals[t, a, 1] = total
        if len(ladders.block_rows):
            ladders.penalties[a, 1] = total_penalty(block, counts, ladders.block_rows[begin:end], row_count)


@kernel
def _unite_narrow(codes: IntArray, parts: KeyArray, keys: KeyArray, slots: IntArray, united: IntArray) -> int:
    """Number the classes of all tuples where a key is one word; return how many there are."""
    last = np.int64(len(slots) - 1)
    down = np.uint64(64 - _bits_of(len(slots)))
    made = 0
    for i in range(codes.shape[0]):
        key = np.uint64(0)
        for a in range(codes.shape[1]):
            key |= parts[codes[i, a]]
        slot = np.int64((key * _HASH) >> down)
        at = slots[slot]
        while at >= 0 and keys[at] != key:
            slot = (slot + 1) & last
            at = slots[slot]
        if at < 0:
            at = made
            slots[slot] = at
            keys[at] = key
            made += 1
        united[i] = at
    return made


@kernel
def _unite_wide(
    codes: IntArray, parts: KeyArray, word: LongArray, keys: KeyArray, slots: IntArray, united: IntArray
) -> int:
    """Do what :func:`_unite_narrow` does where a key is several words."""
    last = np.int64(len(slots) - 1)
    down = np.uint64(64 - _bits_of(len(slots)))
    words = keys.shape[0]
    made = 0
    for i in range(codes.shape[0]):
        # The place after the last class is free: the new key stands there until it proves to be known.
        keys[:, made] = np.uint64(0)
        for a in range(codes.shape[1]):
            keys[word[a], made] |= parts[codes[i, a]]
        mixed = np.uint64(0)
        for w in range(words):
            mixed = (mixed ^ (mixed >> np.uint64(29))) * _HASH + keys[w, made]
        slot = np.int64((mixed * _HASH) >> down)
        at = slots[slot]
        while at >= 0 and not _is_same(keys, at, made):
            slot = (slot + 1) & last
            at = slots[slot]
        if at < 0:
            at = made
            slots[slot] = at
            made += 1
        united[i] = at
    return made


@kernel
def _is_same(keys: KeyArray, at: int, other: int) -> bool:
    """Compare two keys of several words."""
    for w in range(keys.shape[0]):
        if keys[w, at] != keys[w, other]:
            return False
    return True


@kernel
def _bits_of(size: int) -> int:
    """Return b where size is 2**b."""
    b = 0
    while (1 << b) < size:
        b += 1
    return b


@kernel
def _regroup(
    tables: Tables,
    depths: tuple[int, int],
    fields: KeyFields,
    ladders: Ladders,
    parts: KeyArray,
    plan: Plan,
    scratch: Scratch,
) -> None:
    """Make the classes of the recoding at level 1 of ``ladders`` from the tuples."""
    origin = ladders.origin
    for a in range(len(fields.word)):
        for v in range(origin.start[a], origin.start[a + 1]):
            parts[v] = np.uint64(ladders.maps[v]) << fields.shift[a]
    groups = tables.counts[0, 0]
    slots = scratch.slots[: 1 << table_bits(groups)]
    slots[:] = -1
    if tables.keys.shape[1] == 1:
        made = _unite_narrow(origin.codes, parts, tables.keys[1, 0], slots, scratch.united)
    else:
        made = _unite_wide(origin.codes, parts, fields.word, tables.keys[1], slots, scratch.united)
    tuples, classes = depths
    add_up(tables, tuples, classes, groups, scratch.united)
    tables.counts[classes, 0] = made
    if len(scratch.chain):
        remember(tables, tuples, classes, groups, scratch)
    roll_up_pairs(tables, tuples, classes, plan, scratch)


@kernel
def evaluate_recodings(
    tables: Tables,
    depths: tuple[int, int],
    fields: KeyFields,
    ladders: Ladders,
    heights: Heights,
    plan: Plan,
    recodings: tuple[IntArray, LongArray],
    scratch: Scratch,
    work: tuple[KeyArray, IntArray],
    control: tuple[LongArray, int],
    output: tuple[LongArray, FloatArray],
) -> int:
    """Evaluate recodings one after another; return how many were evaluated.

    ``depths`` is `DEPTHS`, handed in because the compiler makes a function anew for every constant
    that it is called with, and takes long for those that are shared with :func:`evaluate_nodes`.
    ``recodings`` are blocks, shape (n, values of all attributes), and levels, shape (n, q), −1 where
    a partition is no level; ``work`` is memory for the parts of keys, and for the first code of each
    block; ``control`` has the array that :func:`evaluate_nodes` has, and the worker's number;
    ``output`` is ``sums`` and ``worst``. ``ladders`` belongs to this thread alone.
    """
    blocks, given = recodings
    parts, first = work
    flags, worker = control
    sums, worst = output
    levels = np.ones(given.shape[1], dtype=np.int64)
    for i in range(len(blocks)):
        if flags[0]:
            return i
        _prepare(blocks[i], given[i], heights, ladders, plan.row_count, first)
        _regroup(tables, depths, fields, ladders, parts, plan, scratch)
        reduce_classes(tables, depths[1], fields, ladders, levels, plan, scratch, sums[i], worst[i])
        flags[1 + worker] += 1
    return len(blocks)
