"""What deciding one more element would do to the bound, for every open element and both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import kernel
from sfumato.kernels.bounding import fails, least_of_failing, weight_of
from sfumato.kernels.bounding_layout import CELLS, PROBES, SQUARES
from sfumato.kernels.elements import APART, JOINED, OPEN, settle
from sfumato.kernels.grouping import group_tuples

if TYPE_CHECKING:
    from sfumato._typing import IntArray
    from sfumato.kernels.bounding_layout import Model, Techniques, Work
    from sfumato.kernels.elements import Decisions, Ends


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
def _gather(model: Model, a: int, c: int, rise: float, made: int, work: Work) -> int:
    """Add a class to the one that it is united with; return how many such there are now."""
    fine = work.fine
    cost = work.cost[c]
    if model.kind == CELLS:
        cost += rise * weight_of(fine, a, c)
    at = work.place[work.rest[c]]
    if at < 0:
        at = made
        work.place[work.rest[c]] = at
        work.first[at] = c
        work.part_rows[at] = 0
        work.sums[at] = 0.0
        work.part_bits[:, at] = np.uint64(0)
        made += 1
    work.part_rows[at] += fine.rows[c]
    work.sums[at] += cost
    for w in range(fine.bits.shape[0]):
        work.part_bits[w, at] |= fine.bits[w, c]
    return made


@kernel
def _release(model: Model, use_coarse: int, made: int, work: Work) -> float:
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
            total += least_of_failing(model, rows, cost, 0.0)
        else:
            total += cost
    return total


@kernel
def _join_change(
    decisions: Decisions, ends: Ends, model: Model, a: int, count: int, use_coarse: int, work: Work
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
        for b in range(blocks):
            if work.block[work.lead_code[begin + b]] != joined:
                continue
            rise = model.slope[a] * (mass[joined] - work.block_mass[begin + b])
            for i in range(work.order_start[b], work.order_start[b + 1]):
                c = work.order[i]
                change -= work.least[c]
                made = _gather(model, a, c, rise, made, work)
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
    decisions: Decisions, ends: Ends, model: Model, a: int, count: int, work: Work
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


@kernel
def probe(
    decisions: Decisions,
    ends: Ends,
    trial: Ends,
    model: Model,
    use: Techniques,
    states: IntArray,
    bound: float,
    lost: int,
    work: Work,
) -> None:
    """Bound both ways to decide every open element."""
    fine = work.fine
    q = fine.codes.shape[0]
    use_coarse = use.coarse_bound and model.inherits
    for a in range(q):
        first, last = decisions.element_start[a], decisions.element_start[a + 1]
        if not (states[first:last] == OPEN).any():
            continue
        begin, end = decisions.code_start[a], decisions.code_start[a + 1]
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
        for e in range(first, last):
            work.joined_bound[e] = bound
            work.apart_bound[e] = bound
            work.merged[e] = 0
            if states[e] != OPEN:
                continue
            work.counters[PROBES] += 1
            if not _try(decisions, a, e, JOINED, states, trial, work):
                work.joined_bound[e] = np.inf
            else:
                work.block[begin:end] = trial.fine[begin:end]
                change, merged = _join_change(
                    decisions, ends, model, a, trial.fine_count[a], use_coarse, work
                )
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


__all__ = ["probe"]
