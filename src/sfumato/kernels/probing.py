"""What deciding one more element would do to the bound, for every open element and both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import inner, kernel
from sfumato.kernels.bounding import fails, least_of_failing, weight_of
from sfumato.kernels.bounding_layout import CELLS, PROBES, SQUARES
from sfumato.kernels.row_groups import find_tuple, group_tuples, hash_tuples
from sfumato.kernels.scheme_elements import APART, JOINED, OPEN, settle

if TYPE_CHECKING:
    from sfumato._typing import IntArray
    from sfumato.kernels.bounding_layout import BoundModel, BoundTechniques, Work
    from sfumato.kernels.scheme_elements import Decisions, Ends


@kernel
def _sort_by_block(decisions: Decisions, ends: Ends, a: int, work: Work) -> None:
    """Order the classes of the fine end by their block of one attribute."""
    fine = work.fine
    begin = decisions.code_start[a]
    count = ends.fine_count[a]
    start = work.order_start
    start[: count + 1] = 0
    for c in range(fine.amount[0]):
        start[ends.fine[begin + fine.codes[a, c]] + 1] += 1
    for b in range(count):
        start[b + 1] += start[b]
    for c in range(fine.amount[0]):
        b = ends.fine[begin + fine.codes[a, c]]
        work.order[start[b]] = c
        start[b] += 1
    for b in range(count, 0, -1):
        start[b] = start[b - 1]
    start[0] = 0


@kernel
def _lead_codes(decisions: Decisions, ends: Ends, a: int, work: Work) -> None:
    """Note the smallest code of each fine block of one attribute."""
    begin = decisions.code_start[a]
    for code in range(decisions.code_start[a + 1] - 1, begin - 1, -1):
        work.lead_code[begin + ends.fine[code]] = code


@kernel
def _gather(model: BoundModel, a: int, c: int, rise: float, extra: float, made: int, work: Work) -> int:
    """Add a class to the one that it is united with; return how many such there are now.

    ``extra`` is what one unit of weight pays at least when the united block grows further.
    """
    fine = work.fine
    cost = work.cost[c]
    further = 0.0
    if model.kind == CELLS:
        weight = weight_of(fine, a, c)
        cost += rise * weight
        further = min(work.extra_of[c], extra * weight)
    at = work.place[work.rest[c]]
    if at < 0:
        at = made
        work.place[work.rest[c]] = at
        work.first[at] = c
        work.part_rows[at] = 0
        work.sums[at] = 0.0
        work.extra_sums[at] = 0.0
        work.part_bits[:, at] = np.uint64(0)
        made += 1
    work.part_rows[at] += fine.rows[c]
    work.sums[at] += cost
    work.extra_sums[at] += further
    for w in range(fine.bits.shape[0]):
        work.part_bits[w, at] |= fine.bits[w, c]
    return made


@kernel
def _release(model: BoundModel, use_coarse: int, made: int, work: Work) -> float:
    """Return what the gathered classes cost at least, and forget them."""
    total = 0.0
    for at in range(made):
        c = work.first[at]
        work.place[work.rest[c]] = -1
        rows = work.part_rows[at]
        cost = float(rows) * rows if model.kind == SQUARES else work.sums[at]
        if use_coarse and work.is_lost[c]:
            total += rows * model.out_cost
        elif fails(model, rows, work.part_bits, at):
            total += least_of_failing(model, rows, cost, work.extra_sums[at])
        else:
            total += cost
    return total


@kernel
def _join_change(
    decisions: Decisions, ends: Ends, model: BoundModel, a: int, count: int, use_coarse: int, work: Work
) -> tuple[float, int]:
    """Return what the bound changes by, and how many classes unite, with ``work.block`` as fine blocks.

    Only classes in blocks that become larger are looked at. ``count`` is the number of
    blocks after the join.
    """
    begin = decisions.code_start[a]
    blocks = ends.fine_count[a]
    parts, mass = work.parts, work.part_mass
    parts[:count] = 0
    mass[:count] = 0.0
    for b in range(blocks):
        joined = work.block[work.lead_code[begin + b]]
        parts[joined] += 1
        mass[joined] += work.block_mass[begin + b]
    change = 0.0
    merged = 0
    for joined in range(count):
        if parts[joined] < 2:
            continue
        made = 0
        seen = 0
        extra = np.inf
        for b in range(blocks):
            if work.block[work.lead_code[begin + b]] == joined:
                extra = min(extra, work.extra[begin + b])
        for b in range(blocks):
            if work.block[work.lead_code[begin + b]] != joined:
                continue
            rise = model.slope[a] * (mass[joined] - work.block_mass[begin + b])
            for i in range(work.order_start[b], work.order_start[b + 1]):
                c = work.order[i]
                change -= work.least[c]
                made = _gather(model, a, c, rise, extra, made, work)
                seen += 1
        merged += seen - made
        change += _release(model, use_coarse, made, work)
    return change, merged


@kernel
def _part_of(work: Work, g: int, part: int, made: int) -> int:
    """Return where the rows of one part of a coarse class are added up; ``made`` if there is no place yet."""
    at = work.place[g]
    while at >= 0 and work.part_number[at] != part:
        at = work.next_part[at]
    return made if at < 0 else at


@kernel
def _split_change(
    decisions: Decisions, ends: Ends, model: BoundModel, a: int, count: int, work: Work
) -> tuple[float, int]:
    """Return what the bound changes by, and how many rows more are lost, if ``work.block`` were coarse.

    Only classes whose coarse block is split are looked at. ``count`` is the number of
    coarse blocks after the split.
    """
    fine = work.fine
    begin, end = decisions.code_start[a], decisions.code_start[a + 1]
    parts = work.parts
    # Of each coarse block as it is: its first part; then whether there is another one.
    parts[: ends.coarse_count[a]] = -1
    split = work.is_split
    split[: ends.coarse_count[a]] = 0
    for code in range(begin, end):
        g = ends.coarse[code]
        if parts[g] < 0:
            parts[g] = work.block[code]
        elif parts[g] != work.block[code]:
            split[g] = 1
    change = 0.0
    lost = 0
    made = 0
    for b in range(ends.fine_count[a]):
        code = work.lead_code[begin + b]
        if not split[ends.coarse[code]]:
            continue
        part = work.block[code]
        for i in range(work.order_start[b], work.order_start[b + 1]):
            c = work.order[i]
            if work.is_lost[c]:
                continue
            g = work.coarse[c]
            at = _part_of(work, g, part, made)
            if at == made:
                work.part_number[at] = part
                work.next_part[at] = work.place[g]
                work.place[g] = at
                work.part_rows[at] = 0
                work.part_bits[:, at] = np.uint64(0)
                made += 1
            work.part_rows[at] += fine.rows[c]
            for w in range(fine.bits.shape[0]):
                work.part_bits[w, at] |= fine.bits[w, c]
            work.group[i] = at
    for b in range(ends.fine_count[a]):
        if not split[ends.coarse[work.lead_code[begin + b]]]:
            continue
        for i in range(work.order_start[b], work.order_start[b + 1]):
            c = work.order[i]
            if work.is_lost[c]:
                continue
            work.place[work.coarse[c]] = -1
            at = work.group[i]
            if fails(model, work.part_rows[at], work.part_bits, at):
                change += fine.rows[c] * model.out_cost - work.least[c]
                lost += fine.rows[c]
    return change, lost


@kernel
def _try(decisions: Decisions, a: int, e: int, state: int, states: IntArray, trial: Ends, work: Work) -> bool:
    """Decide one element and all that follows, in working memory; False on a contradiction."""
    first, last = decisions.element_start[a], decisions.element_start[a + 1]
    work.trial[first:last] = states[first:last]
    work.trial[e] = state
    return settle(decisions, a, work.trial, trial)


@inner
def probe(
    decisions: Decisions,
    ends: Ends,
    trial: Ends,
    model: BoundModel,
    use: BoundTechniques,
    states: IntArray,
    bound: float,
    lost: int,
    work: Work,
) -> None:
    """Bound both ways to decide every open element."""
    b = _probe_plain(decisions, ends, model, use, states, bound, lost, work)
    for a in range(len(decisions.is_plain)):
        first, last = decisions.element_start[a], decisions.element_start[a + 1]
        if (b >= 0 and decisions.is_plain[a]) or not (states[first:last] == OPEN).any():
            continue
        _group_rest(decisions, ends, a, work)
        ends.clock[0] += 1
        for e in range(first, last):
            if states[e] != OPEN or work.control[0]:
                continue
            same = _first_of_pair(decisions, ends, a, e)
            if same == e:
                _probe_element(decisions, ends, trial, model, use, a, e, states, bound, lost, work)
            else:
                work.joined_bound[e] = work.joined_bound[same]
                work.apart_bound[e] = work.apart_bound[same]
                work.merged[e] = work.merged[same]


@kernel
def _probe_plain(
    decisions: Decisions,
    ends: Ends,
    model: BoundModel,
    use: BoundTechniques,
    states: IntArray,
    bound: float,
    lost: int,
    work: Work,
) -> int:
    """Probe the attributes whose elements lie between neighbours; −1 if these are to be probed as all others.

    Every element's bounds are set to that of the node on the way.
    """
    fine = work.fine
    for e in range(len(states)):
        work.joined_bound[e] = bound
        work.apart_bound[e] = bound
        work.merged[e] = 0
        work.counters[PROBES] += states[e] == OPEN
    if fine.bits.shape[0] or not decisions.is_plain.any():
        return -1
    b = hash_tuples(
        fine.codes,
        fine.amount[0],
        decisions.code_start,
        ends.fine,
        ends.fine_count,
        work.shift,
        work.keys,
        work.slots,
    )
    if b < 0:
        return -1
    can_split = model.inherits and (use.coarse_bound or use.probe_useful)
    if can_split:
        work.coarse_least[: fine.amount[0]] = 0.0
        for c in range(fine.amount[0]):
            work.coarse_least[work.coarse[c]] += work.least[c]
    for a in range(len(decisions.is_plain)):
        first, last = decisions.element_start[a], decisions.element_start[a + 1]
        if not decisions.is_plain[a] or not (states[first:last] == OPEN).any():
            continue
        _elements_after(decisions, ends, a, states, work)
        _join_neighbours(decisions, ends, model, a, use.coarse_bound and model.inherits, b, work)
        for e in range(first, last):
            work.joined_bound[e] = max(bound, work.joined_bound[e])
        if can_split:
            _sort_by_block(decisions, ends, a, work)
            _split_neighbours(decisions, ends, model, use, a, states, bound, lost, work)
    return b


@kernel
def _group_rest(decisions: Decisions, ends: Ends, a: int, work: Work) -> None:
    """Number the classes by all attributes but one, and order them by their blocks of that one."""
    fine = work.fine
    group_tuples(
        fine.codes,
        fine.amount[0],
        decisions.code_start,
        ends.fine,
        ends.fine_count,
        a,
        work.shift,
        work.keys,
        work.slots,
        work.first,
        work.rest,
    )
    work.place[: fine.amount[0]] = -1
    _sort_by_block(decisions, ends, a, work)
    _lead_codes(decisions, ends, a, work)


@kernel
def _first_of_pair(decisions: Decisions, ends: Ends, a: int, e: int) -> int:
    """Return the first element of this round about the same two fine blocks; itself if there is none.

    Pairs of the same two blocks are decided together, so that probing one of them is enough. Negative
    stamps hold the round and the element.
    """
    base = decisions.stamp_start[a]
    if base < 0 or decisions.group[e] < 0:
        return e
    begin, first = decisions.code_start[a], decisions.element_start[a]
    size = decisions.code_start[a + 1] - begin
    count = decisions.element_start[a + 1] - first
    i = decisions.edge_start[e]
    one, other = ends.fine[decisions.edges[i, 0]], ends.fine[decisions.edges[i, 1]]
    place = base + min(one, other) * size + max(one, other)
    held = -ends.stamp[place] - 1
    if held >= 0 and held // count == ends.clock[0]:
        return int(first + held % count)
    ends.stamp[place] = -(ends.clock[0] * count + e - first) - 1
    return e


@kernel
def _probe_element(
    decisions: Decisions,
    ends: Ends,
    trial: Ends,
    model: BoundModel,
    use: BoundTechniques,
    a: int,
    e: int,
    states: IntArray,
    bound: float,
    lost: int,
    work: Work,
) -> None:
    """Bound both ways to decide one element of any scheme."""
    begin, end = decisions.code_start[a], decisions.code_start[a + 1]
    if not _try(decisions, a, e, JOINED, states, trial, work):
        work.joined_bound[e] = np.inf
    else:
        work.block[begin:end] = trial.fine[begin:end]
        use_coarse = use.coarse_bound and model.inherits
        change, merged = _join_change(decisions, ends, model, a, trial.fine_count[a], use_coarse, work)
        work.joined_bound[e] = max(bound, bound + change)
        work.merged[e] = merged
    if not _try(decisions, a, e, APART, states, trial, work):
        work.apart_bound[e] = np.inf
    elif model.inherits and (use.coarse_bound or use.probe_useful):
        work.block[begin:end] = trial.coarse[begin:end]
        change, more = _split_change(decisions, ends, model, a, trial.coarse_count[a], work)
        if lost + more > model.budget:
            work.apart_bound[e] = np.inf
        elif use.coarse_bound:
            work.apart_bound[e] = max(bound, bound + change)


@kernel
def _elements_after(decisions: Decisions, ends: Ends, a: int, states: IntArray, work: Work) -> None:
    """Note the open element between each fine block and the next one; −1 if there is none."""
    begin, first = decisions.code_start[a], decisions.element_start[a]
    work.parts[: ends.fine_count[a]] = -1
    for e in range(first, decisions.element_start[a + 1]):
        if states[e] == OPEN:
            work.parts[ends.fine[begin + e - first]] = e


@kernel
def _join_neighbours(
    decisions: Decisions, ends: Ends, model: BoundModel, a: int, use_coarse: int, b: int, work: Work
) -> None:
    """Bound every join of two neighbouring fine blocks, in one sweep over the classes.

    At most two classes unite: one that differs from another in nothing but the block, by one.
    """
    fine = work.fine
    begin = decisions.code_start[a]
    step = np.uint64(1) << np.uint64(work.shift[a])
    has_partner = work.group
    has_partner[: fine.amount[0]] = 0
    for c in range(fine.amount[0]):
        block = ends.fine[begin + fine.codes[a, c]]
        e = work.parts[block]
        # What is lost costs the same in whatever it lies.
        if e < 0 or (use_coarse and work.is_lost[c]):
            continue
        other = find_tuple(work.keys[c] + step, b, work.keys, work.slots)
        rows, change, cost, extra = fine.rows[c], work.least[c], 0.0, 0.0
        if model.kind == CELLS:
            at = begin + block
            rise = model.slope[a] * work.block_mass[at + 1]
            further = min(work.extra[at], work.extra[at + 1])
            weight = weight_of(fine, a, c)
            cost = work.cost[c] + rise * weight
            extra = min(work.extra_of[c], further * weight)
            if other >= 0:
                weight = weight_of(fine, a, other)
                cost += work.cost[other] + model.slope[a] * work.block_mass[at] * weight
                extra += min(work.extra_of[other], further * weight)
        if other >= 0:
            has_partner[other] = 1
            work.merged[e] += 1
            rows += fine.rows[other]
            change += work.least[other]
        if model.kind == SQUARES:
            cost = float(rows) * rows
        if rows < model.least_rows:
            cost = least_of_failing(model, rows, cost, extra)
        work.joined_bound[e] += cost - change
    if model.kind == CELLS:
        _rise_alone(decisions, ends, model, a, use_coarse, work)


@kernel
def _rise_alone(
    decisions: Decisions, ends: Ends, model: BoundModel, a: int, use_coarse: int, work: Work
) -> None:
    """Add to the joins what they cost classes of the block above that have no partner below."""
    fine = work.fine
    begin = decisions.code_start[a]
    for c in range(fine.amount[0]):
        block = ends.fine[begin + fine.codes[a, c]]
        if block == 0 or work.group[c] or (use_coarse and work.is_lost[c]):
            continue
        e = work.parts[block - 1]
        if e < 0:
            continue
        at = begin + block
        weight = weight_of(fine, a, c)
        cost = work.cost[c] + model.slope[a] * work.block_mass[at - 1] * weight
        if fine.rows[c] < model.least_rows:
            extra = min(work.extra_of[c], min(work.extra[at], work.extra[at - 1]) * weight)
            cost = least_of_failing(model, fine.rows[c], cost, extra)
        work.joined_bound[e] += cost - work.least[c]


@kernel
def _part_lost(model: BoundModel, rows: int, least: float) -> float:
    """Return what one part of a split class costs more if it is too small, else 0."""
    return rows * model.out_cost - least if 0 < rows < model.least_rows else 0.0


@kernel
def _split_neighbours(
    decisions: Decisions,
    ends: Ends,
    model: BoundModel,
    use: BoundTechniques,
    a: int,
    states: IntArray,
    bound: float,
    lost: int,
    work: Work,
) -> None:
    """Bound every split between two neighbouring fine blocks, in one sweep over the blocks.

    Block after block moves from the right part of its coarse classes to the left one. What
    too small parts cost is kept up to date on the way.
    """
    fine = work.fine
    begin = decisions.code_start[a]
    amount = fine.amount[0]
    work.left_rows[:amount] = 0
    work.left_least[:amount] = 0.0
    change = 0.0
    more = 0
    for e in range(decisions.element_start[a], decisions.element_start[a + 1]):
        code = begin + e - decisions.element_start[a]
        b = ends.fine[code]
        if ends.fine[code + 1] == b:
            continue
        for i in range(work.order_start[b], work.order_start[b + 1]):
            c = work.order[i]
            if work.is_lost[c]:
                continue
            g = work.coarse[c]
            rows, least = fine.rows[c], work.least[c]
            left, low = work.left_rows[g], work.left_least[g]
            right, high = work.coarse_rows[g] - left, work.coarse_least[g] - low
            work.left_rows[g] = left + rows
            work.left_least[g] = low + least
            if min(left, right - rows) >= model.least_rows:
                continue
            change -= _part_lost(model, left, low) + _part_lost(model, right, high)
            more -= (left if left < model.least_rows else 0) + (right if right < model.least_rows else 0)
            left, right = left + rows, right - rows
            low, high = low + least, high - least
            change += _part_lost(model, left, low) + _part_lost(model, right, high)
            more += (left if left < model.least_rows else 0) + (right if right < model.least_rows else 0)
        if states[e] != OPEN:
            # Coarse blocks end here, and with them all their classes are on the left.
            change = 0.0
            more = 0
        elif lost + more > model.budget:
            work.apart_bound[e] = np.inf
        elif use.coarse_bound:
            work.apart_bound[e] = max(bound, bound + change)
