"""Bounds for all recodings between a fine and a coarse end.

A class of the fine end lies within one class of each such recoding, and that one within a
class of the coarse end. So a row costs at least what it costs at the fine end; a row
whose class fails at the coarse end fails everywhere between; and a row whose class fails
at the fine end must be suppressed or lie in a larger class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import inner, kernel
from sfumato.kernels.bounding_layout import SQUARES
from sfumato.kernels.row_groups import group_tuples
from sfumato.kernels.scheme_elements import OPEN
from sfumato.kernels.uniting import popcount

if TYPE_CHECKING:
    from sfumato._typing import IntArray, KeyArray
    from sfumato.kernels.bounding_layout import BoundModel, BoundTechniques, Tuples, Work
    from sfumato.kernels.scheme_elements import Decisions, Ends


@inner
def fails(model: BoundModel, rows: int, bits: KeyArray, at: int) -> bool:
    """Tell whether a class misses what is required."""
    if rows < model.least_rows:
        return True
    for w in range(bits.shape[0]):
        if popcount(bits[w, at]) < model.least_values[w]:
            return True
    return False


@inner
def make_fine(tuples: Tuples, decisions: Decisions, ends: Ends, work: Work) -> None:
    """Add up the classes of the fine end."""
    amount = tuples.amount[0]
    fine = work.fine
    made = group_tuples(
        tuples.codes,
        amount,
        decisions.code_start,
        ends.fine,
        ends.fine_count,
        -1,
        work.shift,
        work.keys,
        work.slots,
        work.first,
        work.group,
    )
    fine.amount[0] = made
    fine.rows[:made] = 0
    for i in range(amount):
        fine.rows[work.group[i]] += tuples.rows[i]
    for a in range(tuples.codes.shape[0]):
        for c in range(made):
            fine.codes[a, c] = tuples.codes[a, work.first[c]]
    for w in range(tuples.bits.shape[0]):
        fine.bits[w, :made] = np.uint64(0)
        for i in range(amount):
            fine.bits[w, work.group[i]] |= tuples.bits[w, i]
    for a in range(tuples.weights.shape[0]):
        fine.weights[a, :made] = 0.0
        for i in range(amount):
            fine.weights[a, work.group[i]] += tuples.weights[a, i]


@kernel
def _make_coarse(decisions: Decisions, ends: Ends, model: BoundModel, work: Work) -> int:
    """Find the classes of the coarse end and what fails there; return the rows that do."""
    fine = work.fine
    amount = fine.amount[0]
    made = group_tuples(
        fine.codes,
        amount,
        decisions.code_start,
        ends.coarse,
        ends.coarse_count,
        -1,
        work.shift,
        work.keys,
        work.slots,
        work.first,
        work.coarse,
    )
    work.coarse_rows[:made] = 0
    work.coarse_bits[:, :made] = np.uint64(0)
    for c in range(amount):
        g = work.coarse[c]
        work.coarse_rows[g] += fine.rows[c]
        for w in range(fine.bits.shape[0]):
            work.coarse_bits[w, g] |= fine.bits[w, c]
    lost = 0
    for c in range(amount):
        g = work.coarse[c]
        is_lost = fails(model, work.coarse_rows[g], work.coarse_bits, g)
        work.is_lost[c] = 1 if is_lost else 0
        if is_lost:
            lost += fine.rows[c]
    return lost


@kernel
def _measure_blocks(
    decisions: Decisions, ends: Ends, model: BoundModel, states: IntArray, work: Work
) -> None:
    """Find the mass of the fine blocks, and what joining each with another one adds at least."""
    q = len(decisions.code_start) - 1
    for a in range(q):
        begin, end = decisions.code_start[a], decisions.code_start[a + 1]
        work.block_mass[begin:end] = 0.0
        for code in range(begin, end):
            work.block_mass[begin + ends.fine[code]] += model.mass[code]
        work.extra[begin:end] = np.inf
        for e in range(decisions.element_start[a], decisions.element_start[a + 1]):
            if states[e] != OPEN:
                continue
            for i in range(decisions.edge_start[e], decisions.edge_start[e + 1]):
                one = begin + ends.fine[decisions.edges[i, 0]]
                other = begin + ends.fine[decisions.edges[i, 1]]
                if one != other:
                    work.extra[one] = min(work.extra[one], model.slope[a] * work.block_mass[other])
                    work.extra[other] = min(work.extra[other], model.slope[a] * work.block_mass[one])


@inner
def weight_of(fine: Tuples, a: int, c: int) -> float:
    """Return the weight of a class's cells in one attribute."""
    return fine.weights[a, c] if fine.weights.shape[0] else float(fine.rows[c])


@inner
def least_of_failing(model: BoundModel, rows: int, cost: float, extra: float) -> float:
    """Return what a class costs at least if it fails: it goes, or it lies in a larger one."""
    if model.kind == SQUARES:
        kept = float(rows) * max(model.least_rows, rows + 1)
    else:
        kept = cost + extra
    return kept if model.budget < rows else min(kept, rows * model.out_cost)


@kernel
def _cost_classes(decisions: Decisions, ends: Ends, model: BoundModel, use_coarse: int, work: Work) -> float:
    """Fill what each class of the fine end costs, and costs at least; return the sum of the latter."""
    fine = work.fine
    q = fine.codes.shape[0]
    total = 0.0
    for c in range(fine.amount[0]):
        rows = fine.rows[c]
        extra = np.inf
        if model.kind == SQUARES:
            cost = float(rows) * rows
        else:
            cost = model.offset * rows
            for a in range(q):
                block = decisions.code_start[a] + ends.fine[decisions.code_start[a] + fine.codes[a, c]]
                weight = weight_of(fine, a, c)
                cost += (model.slope[a] * work.block_mass[block] + model.start[a]) * weight
                extra = min(extra, work.extra[block] * weight)
        work.cost[c] = cost
        work.extra_of[c] = extra
        if use_coarse and work.is_lost[c]:
            least = rows * model.out_cost
        elif fails(model, rows, fine.bits, c):
            least = least_of_failing(model, rows, cost, extra)
        else:
            least = cost
        work.least[c] = least
        total += least
    return total


@inner
def fine_cost(model: BoundModel, work: Work) -> float:
    """Return what the fine end itself costs if what fails is suppressed; inf if that is too much."""
    fine = work.fine
    total = 0.0
    gone = 0
    for c in range(fine.amount[0]):
        if fails(model, fine.rows[c], fine.bits, c):
            total += fine.rows[c] * model.out_cost
            gone += fine.rows[c]
        else:
            total += work.cost[c]
    return total if gone <= model.budget else np.inf


@inner
def bound_ends(
    tuples: Tuples,
    decisions: Decisions,
    ends: Ends,
    model: BoundModel,
    use: BoundTechniques,
    states: IntArray,
    work: Work,
) -> tuple[float, int]:
    """Return what every recoding between the ends costs at least, inf if none is feasible; and lost rows."""
    make_fine(tuples, decisions, ends, work)
    lost = 0
    if model.inherits:
        lost = _make_coarse(decisions, ends, model, work)
    _measure_blocks(decisions, ends, model, states, work)
    bound = _cost_classes(decisions, ends, model, use.coarse_bound and model.inherits, work)
    if use.coarse_bound and lost > model.budget:
        bound = np.inf
    return bound, lost


@kernel
def cost_recoding(
    tuples: Tuples, decisions: Decisions, ends: Ends, model: BoundModel, states: IntArray, work: Work
) -> float:
    """Return what the fine end in ``ends`` costs; ``states`` has nothing open."""
    make_fine(tuples, decisions, ends, work)
    _measure_blocks(decisions, ends, model, states, work)
    _cost_classes(decisions, ends, model, 0, work)
    return fine_cost(model, work)
