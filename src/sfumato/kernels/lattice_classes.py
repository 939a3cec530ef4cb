"""Classes and their statistics for many nodes of a lattice.

A node is one level for each quasi-identifier, or one partition of a list. Its
classes are rolled up from the classes of a node below it: the quasi-identifier
codes of a class stand bit-packed in one or more 64-bit words, a level change
replaces one field of the key, and an open-addressing table unites equal keys.
Nodes come sorted, so that a node shares its leading levels, and the tables
made for them, with the one before. Listed partitions do not nest: theirs are
always rolled up from the base of their attribute.

All sums are integers, so no reported value depends on the order of classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import inner, kernel
from sfumato.kernels.diversity import DIVERSITY, fill_diversity, summed_inverse
from sfumato.kernels.frequencies import frequency_penalties
from sfumato.kernels.histograms import (
    ENTROPY,
    count_doomed,
    measure_histograms,
    sort_pairs,
)
from sfumato.kernels.rolling import begin_near, group_anew, is_pass_less, roll_up, shared_levels
from sfumato.kernels.truth_bits import SECURE, least_security, measure_sentences
from sfumato.kernels.uniting import popcount

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, KeyArray, LongArray
    from sfumato.kernels.layout import KeyFields, Ladders, Plan, Scratch, Tables

# What a property of a class is; those from ENTROPY on need the pairs in order.
SIZE, DISTINCT_BITS, DISTINCT_PAIRS, SQUARES, T_EQUAL, MAJORITY, SHARE = range(7)
# Suppression rules.
NONE, FAILING, SMALLEST, FAILING_THEN_SMALLEST, BELOW_MEAN = range(5)
# Columns of the integer output, before the sums of squares and the cell sums.
SUPPRESSED, CLASSES, SIZE_SUM, ROWS_SQUARED, FAILING_ROWS, ALL_SIZE_SUM, ALL_ROWS_SQUARED, FEASIBLE = range(8)
FIXED_SUMS = 8
_FAR = np.iinfo(np.int64).max


@kernel
def _measure_pairs(tables: Tables, depth: int, plan: Plan, number: int, scratch: Scratch) -> None:
    """Fill one property that comes from pairs in any order: distinct values, squares, majority, share, t."""
    groups = tables.counts[depth, 0]
    source = plan.source[number]
    kind = plan.kind[number]
    classes = tables.pair_class[depth, source]
    values = tables.pair_value[depth, source]
    counts = tables.pair_rows[depth, source]
    rows, overall = tables.rows[depth], plan.overall[source]
    sums = scratch.squares[number]
    sums[:groups] = 0
    known = scratch.values[number]
    known[:groups] = 0.0
    for i in range(tables.counts[depth, 1 + source]):
        at = np.uint32(classes[i])
        if kind == DISTINCT_PAIRS:
            sums[at] += 1
        elif kind == SQUARES:
            sums[at] += counts[i] * counts[i]
        elif kind == MAJORITY or kind == SHARE:
            sums[at] = max(sums[at], counts[i])
            known[at] += counts[i]
        else:
            # rows·n times the summed distance of the values that occur, less what they have overall
            share = overall[np.uint32(values[i])] * rows[at]
            sums[at] += abs(counts[i] * plan.row_count - share) - share
    if kind == T_EQUAL:
        for c in range(groups):
            whole = rows[c] * plan.row_count
            scratch.values[number, c] = (whole + sums[c]) / (2.0 * whole)
    elif kind == SHARE:
        for c in range(groups):
            known[c] = known[c] / sums[c] if sums[c] else 1.0
    elif kind == DISTINCT_PAIRS:
        for c in range(groups):
            known[c] = max(sums[c], 1)
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
        sizes[np.uint32(classes[i])] += 1
    return sizes


@kernel
def _fill_properties(tables: Tables, depth: int, sizes: LongArray, plan: Plan, scratch: Scratch) -> None:
    """Compute the properties of every class that something asks for class by class.

    Sizes, distinct values and security are only stored where a requirement judges them or all are wanted;
    their worst is found without. :func:`fill_diversity` is for the caller.
    """
    groups = tables.counts[depth, 0]
    in_order = -1
    for p in range(len(plan.kind)):
        values = scratch.values[p]
        stored = plan.store_all == 1 or not np.isnan(plan.required[p])
        if plan.kind[p] == SIZE:
            if stored:
                for c in range(groups):
                    values[c] = sizes[c]
        elif plan.kind[p] == DISTINCT_BITS:
            if stored:
                bits = tables.bits[depth, plan.source[p]]
                for c in range(groups):
                    values[c] = max(popcount(bits[c]), 1)
        elif plan.kind[p] == DIVERSITY:
            continue
        elif plan.kind[p] <= SECURE:
            if stored or plan.kind[p] < SECURE:
                measure_sentences(tables, depth, plan, p, scratch)
        elif plan.kind[p] >= ENTROPY:
            source = plan.source[p]
            if source != in_order:
                sort_pairs(tables, depth, source, plan.set_size[source], scratch)
                in_order = source
            measure_histograms(tables, depth, plan, p, scratch)
        else:
            _measure_pairs(tables, depth, plan, p, scratch)


@kernel
def _suppress_failing(groups: int, rows: LongArray, plan: Plan, scratch: Scratch) -> int:
    """Mark every class that misses a requirement; return its rows."""
    for p in range(len(plan.kind)):
        sign, required, values = plan.sign[p], plan.required[p], scratch.values[p]
        # Which classes fail follows no pattern, so nothing is branched around; nan is missed by none.
        for c in range(groups):
            scratch.out[c] |= sign * (values[c] - required) < 0
    gone = 0
    for c in range(groups):
        gone += rows[c] * scratch.out[c]
    return gone


@kernel
def _suppress_smallest(groups: int, rows: LongArray, sizes: LongArray, budget: int, scratch: Scratch) -> int:
    """Mark whole class sizes, smallest first, within the budget; the largest stays."""
    if budget < 1:
        return 0
    out, largest, smallest = scratch.out, 0, _FAR
    for c in range(groups):
        largest = max(largest, 0 if out[c] else sizes[c])
        smallest = min(smallest, _FAR if out[c] else sizes[c])
    # Fine nodes have more rows alone in their class than may go, and many classes: then nothing is counted.
    gone = 0
    for c in range(groups):
        gone += rows[c] if sizes[c] == smallest and out[c] == 0 else 0
    if gone > budget:
        return 0
    # A class of more persons than the budget has rows cannot go; all that stay share the last bucket.
    top = max(min(largest - 1, budget), 0)
    buckets = scratch.buckets
    buckets[: top + 2] = 0
    for c in range(groups):
        buckets[np.uint64(min(sizes[c], top + 1))] += rows[c] * (1 - out[c])
    gone = 0
    limit = 0
    for size in range(1, top + 1):
        if gone + buckets[size] > budget:
            break
        gone += buckets[size]
        limit = size
    if gone:
        for c in range(groups):
            out[c] |= sizes[c] <= limit
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
def _count_failing(groups: int, rows: LongArray, plan: Plan, scratch: Scratch) -> int:
    """Count the rows of the remaining classes that miss a requirement."""
    failing = 0
    asked = False
    for p in range(len(plan.kind)):
        asked |= not np.isnan(plan.required[p])
    for c in range(groups if asked else 0):
        if scratch.out[c]:
            continue
        for p in range(len(plan.kind)):
            if plan.sign[p] * (scratch.values[p, c] - plan.required[p]) < 0:
                failing += rows[c]
                break
    return failing


@inner
def meets_requirements(tables: Tables, depth: int, plan: Plan, scratch: Scratch) -> bool:
    """Tell whether every class at a depth meets every requirement of classes."""
    _fill_properties(tables, depth, _class_sizes(tables, depth, plan, scratch), plan, scratch)
    scratch.out[: tables.counts[depth, 0]] = 0
    return _count_failing(tables.counts[depth, 0], tables.rows[depth], plan, scratch) == 0


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
        failing = _count_failing(groups, rows, plan, scratch)
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
    fields: KeyFields,
    ladders: Ladders,
    levels: LongArray,
    scratch: Scratch,
    sums: LongArray,
) -> None:
    """Sum each cell cost over all rows but ``scratch.doomed``, attribute by attribute.

    Over these and taken from the whole, or over the others: by the classes of whichever are fewer.
    """
    groups = tables.counts[depth, 0]
    costs, q = ladders.totals.shape[0], len(levels)
    if costs == 0:
        return
    rows, doomed, listed = tables.rows[depth], scratch.doomed, scratch.united
    count = 0
    for c in range(groups):
        listed[np.uint64(count)] = c
        count += doomed[c] > 0
    from_whole = 2 * count < groups
    if not from_whole:
        count = 0
        for c in range(groups):
            listed[np.uint64(count)] = c
            count += doomed[c] < rows[c]
    for a in range(q):
        keys, shift, mask = tables.keys[depth, fields.word[a]], fields.shift[a], fields.mask[a]
        begin = np.uint64(ladders.cost_start[a, levels[a]])
        for t in range(costs):
            costs_of = ladders.costs[t]
            total = ladders.totals[t, a, levels[a]] if from_whole else 0
            for i in range(count):
                at = np.uint32(listed[i])
                amount = (0 if from_whole else rows[at]) - doomed[at]
                total += costs_of[begin + ((keys[at] >> shift) & mask)] * amount
            sums[t * q + a] = total


@kernel
def _fewest_bits(groups: int, bits: KeyArray, scratch: Scratch) -> int:
    """Return the fewest known values in a class that remains; one where it has none."""
    best = 64
    for c in range(groups):
        if scratch.out[c] == 0:
            best = min(best, popcount(bits[c]))
            if best <= 1:
                break
    return max(best, 1)


@kernel
def _worst_value(groups: int, sign: float, values: FloatArray, scratch: Scratch) -> float:
    """Return the worst value of a class that remains."""
    best = np.inf
    for c in range(groups):
        best = min(best, sign * values[c] if scratch.out[c] == 0 else np.inf)
    return sign * best


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
    """Reduce classes to the numbers from which every measure is made; suppressed rows go to `doomed`."""
    groups = tables.counts[depth, 0]
    rows = tables.rows[depth]
    classes = 0
    size_sum = 0
    squared = 0
    all_size_sum = 0
    all_squared = 0
    largest = np.iinfo(np.int64).max
    smallest = largest
    for c in range(groups):
        size, amount, stays = sizes[c], rows[c], 1 - scratch.out[c]
        spread = size * amount
        square = amount * amount
        all_size_sum += spread
        all_squared += square
        classes += stays
        size_sum += stays * spread
        squared += stays * square
        smallest = min(smallest, size if stays else largest)
        scratch.doomed[c] = amount * scratch.out[c]
    sums[CLASSES] = classes
    sums[SIZE_SUM] = size_sum
    sums[ROWS_SQUARED] = squared
    sums[ALL_SIZE_SUM] = all_size_sum
    sums[ALL_ROWS_SQUARED] = all_squared
    for p in range(len(plan.kind)):
        if classes == 0:
            worst[p] = plan.sign[p] * np.inf
        elif plan.kind[p] == SIZE:
            worst[p] = smallest
        elif plan.kind[p] == DISTINCT_BITS:
            worst[p] = _fewest_bits(groups, tables.bits[depth, plan.source[p]], scratch)
        elif plan.kind[p] == DIVERSITY:
            worst[p] = summed_inverse(groups, rows, scratch.values[p], scratch)
        elif plan.kind[p] == SECURE:
            worst[p] = least_security(tables, depth, plan, scratch)
        else:
            worst[p] = _worst_value(groups, plan.sign[p], scratch.values[p], scratch)
        total = 0
        if plan.kind[p] == SQUARES or plan.kind[p] == MAJORITY or plan.kind[p] < SECURE:
            for c in range(groups):
                total += scratch.squares[p, c] * (1 - scratch.out[c])
        sums[FIXED_SUMS + p] = total


@kernel
def _lead(
    tables: Tables, fields: KeyFields, ladders: Ladders, node: LongArray, plan: Plan, scratch: Scratch
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
            if node[a] > 1 and ladders.nested[a] and kept[at - 1] >= 0:
                low = kept[at - 1]
                start = node[a] - 1
            if node[a] == 0:
                kept[at] = low
            else:
                kept[at] = len(node) + 1 + at
                roll_up(tables, low, kept[at], fields, ladders, (a, start, node[a]), plan, scratch)
        depth_of[a] = kept[at]
        offset += size


@kernel
def _advance(
    tables: Tables,
    fields: KeyFields,
    ladders: Ladders,
    node: LongArray,
    shared: int,
    plan: Plan,
    scratch: Scratch,
) -> int:
    """Move the tables from the node before to ``node``; return the depth that holds its classes.

    ``depth_of[a]`` is the depth whose table has the levels of attributes 0…a
    and level 0 beyond; depth 0 is the table itself. Any node may follow any
    other; one that shares leading levels costs least, and where few are ``shared`` with the
    next one too, its classes are made in one pass.
    """
    q = len(node)
    before = scratch.before
    depth_of = scratch.depth_of
    first = shared_levels(before, node) if before[0] >= 0 else 0
    if is_pass_less(tables, node, first, shared, scratch):
        group_anew(tables, fields, ladders, node[:0], node, q, plan, scratch)
        before[first:] = -1
        depth_of[q - 1] = q
        return q
    if first < len(scratch.counts):
        _lead(tables, fields, ladders, node, plan, scratch)
    for a in range(max(first, len(scratch.counts)), q):
        low = 0 if a == 0 else depth_of[a - 1]
        start = 0
        if a == first and ladders.nested[a] and before[0] >= 0 and node[a] > before[a] and before[a] > 0:
            low = depth_of[a]
            start = before[a]
        if node[a] == start:
            depth_of[a] = low
            continue
        roll_up(tables, low, a + 1, fields, ladders, (a, start, node[a]), plan, scratch)
        depth_of[a] = a + 1
    for a in range(first, q):
        before[a] = node[a]
    return depth_of[q - 1] if q else 0


@inner
def reduce_classes(
    tables: Tables,
    depth: int,
    fields: KeyFields,
    ladders: Ladders,
    levels: LongArray,
    plan: Plan,
    scratch: Scratch,
    sums: LongArray,
    worst: FloatArray,
) -> None:
    """Suppress, and write all numbers of the node whose classes stand at ``depth``.

    ``sums`` (FIXED_SUMS + properties + costs·q) and ``worst`` (properties, and q penalties by
    frequency where they are asked for) receive them.
    """
    properties = len(plan.kind)
    width = FIXED_SUMS + properties + ladders.totals.shape[0] * len(levels)
    sizes = _class_sizes(tables, depth, plan, scratch)
    _fill_properties(tables, depth, sizes, plan, scratch)
    for p in range(properties):
        if plan.kind[p] == DIVERSITY:
            fill_diversity(tables, depth, fields, ladders, levels, plan, p, scratch)
    _suppress(tables.counts[depth, 0], tables.rows[depth], sizes, plan, scratch, sums)
    _collect(tables, depth, sizes, plan, scratch, sums, worst)
    _cell_sums(tables, depth, fields, ladders, levels, scratch, sums[FIXED_SUMS + properties : width])
    if plan.bounds:
        for column in range(FIXED_SUMS):
            sums[width + column] = sums[column]
        gone, sums[width + ROWS_SQUARED] = count_doomed(tables, depth, plan, scratch)
        sums[width + SUPPRESSED] = sums[width + FAILING_ROWS] = gone
        _cell_sums(tables, depth, fields, ladders, levels, scratch, sums[width + FIXED_SUMS + properties :])
    if len(worst) > properties:
        frequency_penalties(
            tables,
            depth,
            ladders,
            levels,
            sums[SUPPRESSED],
            plan.row_count,
            scratch,
            worst[properties:],
        )


@kernel
def evaluate_nodes(
    tables: Tables,
    fields: KeyFields,
    ladders: Ladders,
    plan: Plan,
    nodes: LongArray,
    low: LongArray,
    scratch: Scratch,
    control: LongArray,
    worker: int,
    sums: LongArray,
    worst: FloatArray,
) -> int:
    """Evaluate sorted nodes one after another.

    Parameters are arrays: ``nodes`` (n, q) int64 in lexicographic order; ``low`` (q,) a node that all of
    them are above or equal to, from whose classes those of each one are made if they are few, or none (0,);
    ``control[0]`` becomes 1 to stop, ``control[1 + worker]`` counts the nodes done;
    ``sums`` and ``worst`` receive the numbers of each node, see :func:`reduce_classes`.
    Returns how many nodes were evaluated.
    """
    is_near = len(low) > 0 and begin_near(tables, fields, ladders, low, plan, scratch)
    for i in range(len(nodes)):
        if control[0]:
            return i
        if is_near:
            depth = int(np.int64(2))
            group_anew(tables, fields, ladders, low, nodes[i], depth, plan, scratch)
        else:
            shared = shared_levels(nodes[i], nodes[i + 1]) if i + 1 < len(nodes) else 0
            depth = _advance(tables, fields, ladders, nodes[i], shared, plan, scratch)
        reduce_classes(tables, depth, fields, ladders, nodes[i], plan, scratch, sums[i], worst[i])
        control[1 + worker] += 1
    return len(nodes)
