"""Classes and their statistics for many nodes of a lattice of levels.

A node is one level for each quasi-identifier. Its classes are rolled up from
the classes of a node below it: the quasi-identifier codes of a class stand
bit-packed in one or more 64-bit words, a level change replaces one field of
the key, and an open-addressing table unites equal keys. Nodes come sorted, so
that a node shares its leading levels, and the tables made for them, with the
one before.

All sums are integers, so no reported value depends on the order of classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import kernel

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, KeyArray, LongArray
    from sfumato.kernels.layout import Field, Fields, Ladders, Plan, Scratch, Tables

# What a property of a class is.
SIZE, DISTINCT_BITS, DISTINCT_PAIRS, SQUARES, T_EQUAL, MAJORITY = range(6)
# Suppression rules.
NONE, FAILING, SMALLEST, FAILING_THEN_SMALLEST, BELOW_MEAN = range(5)
# Columns of the integer output, before the sums of squares and the cell sums.
SUPPRESSED, CLASSES, SIZE_SUM, ROWS_SQUARED, FAILING_ROWS, ALL_SIZE_SUM, ALL_ROWS_SQUARED, FEASIBLE = range(8)
FIXED_SUMS = 8

_HASH = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)


@kernel
def _popcount(bits: np.uint64) -> int:
    """Count the ones of a 64-bit word."""
    bits = bits - ((bits >> _ONE) & _M1)
    bits = (bits & _M2) + ((bits >> np.uint64(2)) & _M2)
    bits = (bits + (bits >> np.uint64(4))) & _M4
    return int((bits * _H01) >> np.uint64(56))


@kernel
def _table_bits(groups: int) -> int:
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
def _roll_up(tables: Tables, low: int, high: int, field: Field, block: IntArray, scratch: Scratch) -> None:
    """Roll the classes at depth ``low`` up into depth ``high`` by one block map.

    ``low == high`` is allowed: a class is read before its place is written,
    because its number in the result is never larger than in the source.
    O(groups); ``scratch.united`` receives class → united class.
    """
    groups = tables.counts[low, 0]
    b = _table_bits(groups)
    slots = scratch.slots[: 1 << b]
    slots[:] = -1
    down = np.uint64(64 - b)
    united = scratch.united
    if tables.keys.shape[1] == 1:
        made = _unite_narrow(
            tables.keys[low, 0], tables.keys[high, 0], groups, field, block, slots, down, united
        )
    else:
        made = _unite_wide(tables.keys[low], tables.keys[high], groups, field, block, slots, down, united)
    rows, out_rows = tables.rows[low], tables.rows[high]
    seen = 0
    for i in range(groups):
        at = united[i]
        amount = rows[i]
        if at == seen:
            out_rows[at] = amount
            seen += 1
        else:
            out_rows[at] += amount
    for w in range(tables.bits.shape[1]):
        bits, out_bits = tables.bits[low, w], tables.bits[high, w]
        seen = 0
        for i in range(groups):
            at = united[i]
            held = bits[i]
            if at == seen:
                out_bits[at] = held
                seen += 1
            else:
                out_bits[at] |= held
    tables.counts[high, 0] = made


@kernel
def _roll_up_pairs(tables: Tables, low: int, high: int, number: int, set_size: int, scratch: Scratch) -> None:
    """Unite the (class, value) pairs of one set after :func:`_roll_up`."""
    classes, out_classes = tables.pair_class[low, number], tables.pair_class[high, number]
    values, out_values = tables.pair_value[low, number], tables.pair_value[high, number]
    rows, out_rows = tables.pair_rows[low, number], tables.pair_rows[high, number]
    pairs = tables.counts[low, 1 + number]
    b = _table_bits(pairs)
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


@kernel
def _measure_pairs(tables: Tables, depth: int, plan: Plan, number: int, scratch: Scratch) -> None:
    """Fill one property that comes from pairs: distinct values, squares, majority or t."""
    groups = tables.counts[depth, 0]
    source = plan.source[number]
    kind = plan.kind[number]
    classes = tables.pair_class[depth, source]
    values = tables.pair_value[depth, source]
    counts = tables.pair_rows[depth, source]
    rows = tables.rows[depth]
    sums = scratch.squares[number]
    sums[:groups] = 0
    for i in range(tables.counts[depth, 1 + source]):
        c = classes[i]
        if kind == DISTINCT_PAIRS:
            sums[c] += 1
        elif kind == SQUARES:
            sums[c] += counts[i] * counts[i]
        elif kind == MAJORITY:
            sums[c] = max(sums[c], counts[i])
        else:
            # rows·n times the summed distance of the values that occur, less what they have overall
            share = plan.overall[source, values[i]] * rows[c]
            sums[c] += abs(counts[i] * plan.row_count - share) - share
    if kind == T_EQUAL:
        for c in range(groups):
            whole = rows[c] * plan.row_count
            scratch.values[number, c] = (whole + sums[c]) / (2.0 * whole)
    else:
        for c in range(groups):
            scratch.values[number, c] = sums[c]


@kernel
def _class_sizes(tables: Tables, depth: int, plan: Plan, scratch: Scratch) -> LongArray:
    """Return the size of each class: its rows, or its persons where persons are named."""
    if plan.person_set < 0:
        rows: LongArray = tables.rows[depth]
        return rows
    sizes = scratch.sizes
    sizes[: tables.counts[depth, 0]] = 0
    classes = tables.pair_class[depth, plan.person_set]
    for i in range(tables.counts[depth, 1 + plan.person_set]):
        sizes[classes[i]] += 1
    return sizes


@kernel
def _fill_properties(tables: Tables, depth: int, sizes: LongArray, plan: Plan, scratch: Scratch) -> None:
    """Compute every property of the plan for every class."""
    groups = tables.counts[depth, 0]
    for p in range(len(plan.kind)):
        values = scratch.values[p]
        if plan.kind[p] == SIZE:
            for c in range(groups):
                values[c] = sizes[c]
        elif plan.kind[p] == DISTINCT_BITS:
            bits = tables.bits[depth, plan.source[p]]
            for c in range(groups):
                values[c] = _popcount(bits[c])
        else:
            _measure_pairs(tables, depth, plan, p, scratch)


@kernel
def _suppress_failing(groups: int, rows: LongArray, plan: Plan, scratch: Scratch) -> int:
    """Mark every class that misses a requirement; return its rows."""
    gone = 0
    for p in range(len(plan.kind)):
        if np.isnan(plan.required[p]):
            continue
        for c in range(groups):
            if plan.sign[p] * (scratch.values[p, c] - plan.required[p]) < 0 and scratch.out[c] == 0:
                scratch.out[c] = 1
                gone += rows[c]
    return gone


@kernel
def _suppress_smallest(groups: int, rows: LongArray, sizes: LongArray, budget: int, scratch: Scratch) -> int:
    """Mark whole class sizes, smallest first, within the budget; the largest stays."""
    largest = 0
    for c in range(groups):
        largest = max(largest, sizes[c] * (1 - scratch.out[c]))
    # A class of more persons than the budget has rows cannot go.
    top = min(largest - 1, budget)
    if top < 1:
        return 0
    buckets = scratch.buckets
    buckets[: top + 1] = 0
    for c in range(groups):
        if scratch.out[c] == 0 and sizes[c] <= top:
            buckets[sizes[c]] += rows[c]
    gone = 0
    limit = 0
    for size in range(1, top + 1):
        if gone + buckets[size] > budget:
            break
        gone += buckets[size]
        limit = size
    if gone:
        for c in range(groups):
            if sizes[c] <= limit:
                scratch.out[c] = 1
    return gone


@kernel
def _suppress_below_mean(groups: int, rows: LongArray, sizes: LongArray, plan: Plan, scratch: Scratch) -> int:
    """Mark every class smaller than the mean class size over rows."""
    total = 0
    for c in range(groups):
        total += sizes[c] * rows[c]
    gone = 0
    for c in range(groups):
        if sizes[c] * plan.row_count < total and scratch.out[c] == 0:
            scratch.out[c] = 1
            gone += rows[c]
    return gone


@kernel
def _suppress(
    groups: int, rows: LongArray, sizes: LongArray, plan: Plan, scratch: Scratch, sums: LongArray
) -> None:
    """Apply the rule; write suppressed rows, failing rows and feasibility."""
    scratch.out[:groups] = 0
    failing = 0
    gone = 0
    sums[FEASIBLE] = 1
    if plan.rule == FAILING or plan.rule == FAILING_THEN_SMALLEST or plan.rule == NONE:
        failing = _suppress_failing(groups, rows, plan, scratch)
        gone = failing
        if failing > plan.budget:
            sums[FEASIBLE] = 0
    if plan.rule == SMALLEST or plan.rule == FAILING_THEN_SMALLEST:
        gone += _suppress_smallest(groups, rows, sizes, plan.budget - gone, scratch)
    elif plan.rule == BELOW_MEAN:
        gone = _suppress_below_mean(groups, rows, sizes, plan, scratch)
    if plan.rule == SMALLEST or plan.rule == BELOW_MEAN:
        # The rule decides by size alone; what remains must still meet the requirements.
        for c in range(groups):
            if scratch.out[c]:
                continue
            for p in range(len(plan.kind)):
                if plan.sign[p] * (scratch.values[p, c] - plan.required[p]) < 0:
                    failing += rows[c]
                    break
        if failing:
            sums[FEASIBLE] = 0
    if gone == plan.row_count:
        sums[FEASIBLE] = 0
    sums[SUPPRESSED] = gone
    sums[FAILING_ROWS] = failing


@kernel
def _cell_sums(
    tables: Tables,
    depth: int,
    fields: Fields,
    ladders: Ladders,
    levels: LongArray,
    scratch: Scratch,
    sums: LongArray,
) -> None:
    """Sum each cell cost over the rows that remain, attribute by attribute."""
    groups = tables.counts[depth, 0]
    costs, q = ladders.totals.shape[0], len(levels)
    for t in range(costs):
        for a in range(q):
            sums[t * q + a] = ladders.totals[t, a, levels[a]]
    if costs == 0:
        return
    for c in range(groups):
        if scratch.out[c] == 0:
            continue
        for a in range(q):
            code = (tables.keys[depth, fields.word[a], c] >> fields.shift[a]) & fields.mask[a]
            at = ladders.cost_start[a, levels[a]] + np.int64(code)
            for t in range(costs):
                sums[t * q + a] -= ladders.costs[t, at] * tables.rows[depth, c]


@kernel
def _collect(
    tables: Tables,
    depth: int,
    sizes: LongArray,
    plan: Plan,
    scratch: Scratch,
    sums: LongArray,
    worst: FloatArray,
) -> None:
    """Reduce classes to the numbers from which every measure is made."""
    groups = tables.counts[depth, 0]
    rows = tables.rows[depth]
    classes = 0
    size_sum = 0
    squared = 0
    all_size_sum = 0
    all_squared = 0
    for c in range(groups):
        spread = sizes[c] * rows[c]
        square = rows[c] * rows[c]
        all_size_sum += spread
        all_squared += square
        stays = 1 - scratch.out[c]
        classes += stays
        size_sum += stays * spread
        squared += stays * square
    sums[CLASSES] = classes
    sums[SIZE_SUM] = size_sum
    sums[ROWS_SQUARED] = squared
    sums[ALL_SIZE_SUM] = all_size_sum
    sums[ALL_ROWS_SQUARED] = all_squared
    for p in range(len(plan.kind)):
        values = scratch.values[p]
        sign = plan.sign[p]
        best = np.inf
        for c in range(groups):
            best = min(best, sign * values[c] if scratch.out[c] == 0 else np.inf)
        total = 0
        if plan.kind[p] == SQUARES or plan.kind[p] == MAJORITY:
            for c in range(groups):
                total += scratch.squares[p, c] * (1 - scratch.out[c])
        worst[p] = plan.sign[p] * best
        sums[FIXED_SUMS + p] = total


@kernel
def _roll_up_all(
    tables: Tables, low: int, high: int, field: Field, block: IntArray, plan: Plan, scratch: Scratch
) -> None:
    """Roll classes and all their pairs up by one block map."""
    _roll_up(tables, low, high, field, block, scratch)
    for s in range(len(plan.set_size)):
        _roll_up_pairs(tables, low, high, s, plan.set_size[s], scratch)


@kernel
def _lead(
    tables: Tables, fields: Fields, ladders: Ladders, node: LongArray, plan: Plan, scratch: Scratch
) -> None:
    """Find, or make once and for all, the tables of the leading attributes.

    They are the largest ones and few, so every worker keeps them: for the levels l0…la of
    attributes 0…a at ``kept[offset + rank of (l0…la)]``.
    """
    counts, kept, depth_of = scratch.counts, scratch.kept, scratch.depth_of
    offset = 0
    rank = 0
    size = 1
    for a in range(len(counts)):
        rank = rank * counts[a] + node[a]
        size *= counts[a]
        at = offset + rank
        if kept[at] < 0:
            low = 0 if a == 0 else depth_of[a - 1]
            start = 0
            if node[a] > 0 and kept[at - 1] >= 0:
                low = kept[at - 1]
                start = node[a] - 1
            if node[a] == 0:
                kept[at] = low
            else:
                begin = ladders.map_start[a, start, node[a]]
                field = (fields.word[a], fields.shift[a], fields.mask[a])
                kept[at] = len(node) + 1 + at
                _roll_up_all(tables, low, kept[at], field, ladders.maps[begin:], plan, scratch)
        depth_of[a] = kept[at]
        offset += size


@kernel
def _advance(
    tables: Tables, fields: Fields, ladders: Ladders, node: LongArray, plan: Plan, scratch: Scratch
) -> int:
    """Move the tables from the node before to ``node``; return the depth that holds its classes.

    ``depth_of[a]`` is the depth whose table has the levels of attributes 0…a
    and level 0 beyond; depth 0 is the table itself. Any node may follow any
    other; one that shares leading levels costs least.
    """
    q = len(node)
    before = scratch.before
    depth_of = scratch.depth_of
    a = 0
    if before[0] >= 0:
        while a < q and before[a] == node[a]:
            a += 1
    first = a
    if first < len(scratch.counts):
        _lead(tables, fields, ladders, node, plan, scratch)
    for a in range(max(first, len(scratch.counts)), q):
        low = 0 if a == 0 else depth_of[a - 1]
        start = 0
        if a == first and before[0] >= 0 and node[a] > before[a] and before[a] > 0:
            low = depth_of[a]
            start = before[a]
        if node[a] == start:
            depth_of[a] = low
            continue
        begin = ladders.map_start[a, start, node[a]]
        field = (fields.word[a], fields.shift[a], fields.mask[a])
        _roll_up_all(tables, low, a + 1, field, ladders.maps[begin:], plan, scratch)
        depth_of[a] = a + 1
    return depth_of[q - 1] if q else 0


@kernel
def evaluate_nodes(
    tables: Tables,
    fields: Fields,
    ladders: Ladders,
    plan: Plan,
    nodes: LongArray,
    scratch: Scratch,
    control: LongArray,
    worker: int,
    sums: LongArray,
    worst: FloatArray,
) -> int:
    """Evaluate sorted nodes one after another.

    Parameters are arrays: ``nodes`` (n, q) int64 in lexicographic order;
    ``control[0]`` becomes 1 to stop, ``control[1 + worker]`` counts the nodes done;
    ``sums`` (n, FIXED_SUMS + properties + costs·q) and ``worst`` (n, properties)
    receive the numbers. Returns how many nodes were evaluated.
    """
    q = nodes.shape[1]
    properties = len(plan.kind)
    for i in range(len(nodes)):
        if control[0]:
            return i
        depth = _advance(tables, fields, ladders, nodes[i], plan, scratch)
        sizes = _class_sizes(tables, depth, plan, scratch)
        _fill_properties(tables, depth, sizes, plan, scratch)
        _suppress(tables.counts[depth, 0], tables.rows[depth], sizes, plan, scratch, sums[i])
        _collect(tables, depth, sizes, plan, scratch, sums[i], worst[i])
        _cell_sums(tables, depth, fields, ladders, nodes[i], scratch, sums[i, FIXED_SUMS + properties :])
        scratch.before[:q] = nodes[i]
        control[1 + worker] += 1
    return len(nodes)


__all__ = [
    "ALL_ROWS_SQUARED",
    "ALL_SIZE_SUM",
    "BELOW_MEAN",
    "CLASSES",
    "DISTINCT_BITS",
    "DISTINCT_PAIRS",
    "FAILING",
    "FAILING_ROWS",
    "FAILING_THEN_SMALLEST",
    "FEASIBLE",
    "FIXED_SUMS",
    "MAJORITY",
    "NONE",
    "ROWS_SQUARED",
    "SIZE",
    "SIZE_SUM",
    "SMALLEST",
    "SQUARES",
    "SUPPRESSED",
    "T_EQUAL",
    "evaluate_nodes",
]
