"""Annealing: from a recoding, by small changes, to better ones.

For some steps only one or two attributes change. Tuples that the others do not tell apart are one meanwhile.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import kernel
from sfumato.kernels.bounding import cost_recoding, make_fine
from sfumato.kernels.scheme_elements import JOINED

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.kernels.bounding_layout import BoundModel, Tuples, Work
    from sfumato.kernels.scheme_elements import Decisions, Ends

# How the partition of an attribute changes.
RUNS, SETS, LISTED = range(3)
# Steps before other attributes change, how often it is one alone, and steps from which temperatures come.
ROUND, ALONE, SAMPLE = 64, 0.7, 128
COOLING = 0.02  # the last temperature as a share of the first


@kernel
def _flip(joined: IntArray, first: IntArray, end: IntArray, code: int) -> None:
    """Join a code with its successor, or separate them, and whatever must follow."""
    if not joined[code]:
        joined[first[code] : end[code]] = 1
        return
    for other in range(len(joined)):
        if first[other] <= code < end[other]:
            joined[other] = 0


@kernel
def _change_runs(block: IntArray, first: IntArray, end: IntArray, draws: FloatArray) -> None:
    """Split a run, join two, or move the border between two by up to four codes."""
    m = len(block)
    for code in range(m):
        block[code] = code < m - 1 and block[code] == block[code + 1]
    code = int(draws[1] * (m - 1))
    _flip(block, first, end, code)
    near = code + int(draws[2] * 16) - 4
    if 0 <= near < min(m - 1, code + 5) and near != code and block[near] == block[code]:
        _flip(block, first, end, near)
    number = 0
    for code in range(m):
        number, block[code] = number + 1 - block[code], number


@kernel
def _change_sets(block: IntArray, draws: FloatArray, names: IntArray) -> None:
    """Move one code to another block or to none, exchange two codes, split a block, or join two."""
    m = len(block)
    one = int(draws[1] * m)
    other = (one + 1 + int(draws[2] * (m - 1))) % m
    mine, theirs, way = block[one], block[other], int(draws[0] * 6) % 3
    free = block.max() + 1
    coins = np.int64(draws[2] * 2.0**52)
    if way == 0:
        block[one] = free if mine == theirs else theirs
    elif way == 1:
        block[one], block[other] = theirs, mine
    for code in range(m if way == 2 else 0):
        if mine != theirs and block[code] == theirs:
            block[code] = mine
        elif mine == theirs == block[code] and code != one and (code == other or coins >> code % 32 & 1):
            block[code] = free
    names[:m] = -1
    number = 0
    for code in range(m):
        if names[block[code]] < 0:
            names[block[code]] = number
            number += 1
        block[code] = names[block[code]]


@kernel
def _owner(start: LongArray, code: int) -> int:
    """Return the attribute of a code."""
    a = 0
    while start[a + 1] <= code:
        a += 1
    return a


@kernel
def anneal(
    tuples: Tuples,
    decisions: Decisions,
    ends: Ends,
    model: BoundModel,
    moves: tuple[LongArray, IntArray, IntArray, IntArray],
    heat: float,
    draws: FloatArray,
    works: tuple[Work, Work],
    block: IntArray,
    trail: tuple[IntArray, FloatArray],
) -> None:
    """Take one step for each row of ``draws``, four random numbers.

    ``moves`` are the kind of each attribute; of RUNS, for each code the first one that is joined with its
    successor where this one is, and the one after the last; of LISTED, partitions (members, codes).
    ``heat`` is the first temperature as a share of the (geometric) mean rise in cost of the first steps.
    ``block`` is the recoding to begin with and becomes the last one. ``trail`` receives the last of those
    that were better than all before them, (so many, codes), and what they cost.
    """
    start, codes, names = decisions.code_start, len(block), works[0].block
    works[0].trial[:] = JOINED
    now, least, warm, total, rises, met = np.inf, np.inf, 0.0, 0.0, 0, 0
    one, two = 0, 0
    for step in range(len(draws)):
        if works[0].control[0]:
            break
        draw = draws[step]
        if step % ROUND == 0:
            one = two = _owner(start, int(draw[1] * codes))
            if draw[3] > ALONE:
                two = _owner(start, int(draw[2] * codes))
            for a in range(len(start) - 1):
                ends.fine_count[a] = 1
                for code in range(start[a], start[a + 1]):
                    ends.fine[code] = code - start[a] if a == one or a == two else block[code]
                    ends.fine_count[a] = max(ends.fine_count[a], ends.fine[code] + 1)
            make_fine(tuples, decisions, ends, works[0])
        for code in range(codes):
            ends.fine[code] = block[code]
        a = one if draw[0] < 0.5 else two
        begin, end = start[a], start[a + 1]
        if step > 0 and end > begin + 1:
            if moves[0][a] == RUNS:
                _change_runs(ends.fine[begin:end], moves[1][begin:end], moves[2][begin:end], draw)
            elif moves[0][a] == SETS:
                _change_sets(ends.fine[begin:end], draw, names)
            else:
                for code in range(begin, end):
                    ends.fine[code] = moves[3][int(draw[1] * len(moves[3])), code]
        cost = cost_recoding(works[0].fine, decisions, ends, model, works[0].trial, works[1])
        if step < SAMPLE and 1e-9 * now < cost - now < np.inf:
            total += math.log(cost - now)
            rises += 1
        elif step == SAMPLE:
            warm = heat * math.exp(total / max(rises, 1))
        cooled = warm * COOLING ** (step / len(draws))
        if cost <= now - cooled * math.log(max(draw[3], 1e-300)):
            now = cost
            for code in range(codes):
                block[code] = ends.fine[code]
        if cost < least:
            least = trail[1][met % len(trail[1])] = cost
            for code in range(codes):
                trail[0][met % len(trail[1]), code] = ends.fine[code]
            met += 1
