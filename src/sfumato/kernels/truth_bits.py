"""Confidential sentences class by class: whether one is disclosed, to whom, and what is learnt of it.

A class discloses a sentence if nobody in it falsifies it and somebody in it holds it. Both
roll up by union, so they stand side by side in words of bits, 32 sentences each: the low half says which are
falsified, the high half which are held.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import inner, kernel

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray
    from sfumato.kernels.layout import Plan, Scratch, Tables

# What a property of a class is, beside those that the lattice kernels number from 0 on.
SECURE, EXPOSED, RISK = -1, -2, -3
PER_WORD = 32
_HALF = np.uint64(PER_WORD)
_LOW = np.uint64((1 << PER_WORD) - 1)
_ZERO = np.uint64(0)


@kernel
def _told(word: np.uint64) -> np.uint64:
    """Return the sentences that a class with this word discloses."""
    return (word >> _HALF) & ~word & _LOW


@kernel
def _judge(tables: Tables, depth: int, plan: Plan, values: FloatArray) -> None:
    """Write 1 for every class that discloses nothing, else 0."""
    own = plan.sentences
    groups = tables.counts[depth, 0]
    values[:groups] = 1.0
    for w in range(own.words):
        bits = tables.bits[depth, own.first + w]
        for c in range(groups):
            if _told(bits[c]) != _ZERO:
                values[c] = 0.0


@inner
def least_security(tables: Tables, depth: int, plan: Plan, scratch: Scratch) -> float:
    """Return 1 if no class that remains discloses anything, else 0; without a value for every class."""
    own = plan.sentences
    for w in range(own.words):
        bits = tables.bits[depth, own.first + w]
        for c in range(tables.counts[depth, 0]):
            if _told(bits[c]) != _ZERO and scratch.out[c] == 0:
                return 0.0
    return 1.0


@kernel
def _count_exposed(tables: Tables, depth: int, plan: Plan, p: int, sums: LongArray) -> None:
    """Count in every class the people who hold what it discloses: rows, or persons where they are named."""
    own = plan.sentences
    source = plan.source[p] if plan.person_set < 0 else plan.person_set
    classes = tables.pair_class[depth, source]
    values = tables.pair_value[depth, source]
    rows = tables.pair_rows[depth, source]
    first, last, mask = 0, own.words, _LOW
    if own.number[p] >= 0:
        first = own.number[p] // PER_WORD
        last = first + 1
        mask = np.uint64(1) << np.uint64(own.number[p] % PER_WORD)
    for i in range(tables.counts[depth, 1 + source]):
        c = classes[i]
        for w in range(first, last):
            if _told(tables.bits[depth, own.first + w, c]) & own.held[w, values[i]] & mask != _ZERO:
                sums[c] += rows[i] if plan.person_set < 0 else 1
                break


@kernel
def _sum_risks(tables: Tables, depth: int, plan: Plan, p: int, sums: LongArray, values: FloatArray) -> None:
    """Sum in every class what is learnt of one sentence about those who hold it, as an integer.

    Of a class of n rows, m of which satisfy it, a holder's risk is
    max(0, 1 − log(m / n) / log(prior)) times the sentence's share of the holder's damage.
    """
    own = plan.sentences
    source = plan.source[p]
    s = own.number[p]
    pairs = tables.counts[depth, 1 + source]
    for i in range(pairs):
        if own.truth[tables.pair_value[depth, source, i], s]:
            sums[tables.pair_class[depth, source, i]] += tables.pair_rows[depth, source, i]
    for c in range(tables.counts[depth, 0]):
        values[c] = 0.0
        if sums[c] > 0 and own.log_prior[s] < 0.0:
            values[c] = max(0.0, 1.0 - math.log(sums[c] / tables.rows[depth, c]) / own.log_prior[s])
        sums[c] = 0
    for i in range(pairs):
        # Rounded for one row and then multiplied, so that no sum depends on the order of pairs.
        c = tables.pair_class[depth, source, i]
        risk = own.shares[tables.pair_value[depth, source, i], s] * values[c]
        sums[c] += np.int64(risk * own.scale + 0.5) * tables.pair_rows[depth, source, i]


@inner
def measure_sentences(tables: Tables, depth: int, plan: Plan, p: int, scratch: Scratch) -> None:
    """Fill one property about confidential sentences. O(classes) for SECURE, else O(pairs)."""
    values, sums = scratch.values[p], scratch.squares[p]
    if plan.kind[p] == SECURE:
        _judge(tables, depth, plan, values)
        return
    groups = tables.counts[depth, 0]
    sums[:groups] = 0
    if plan.kind[p] == EXPOSED:
        _count_exposed(tables, depth, plan, p, sums)
        for c in range(groups):
            values[c] = sums[c]
    else:
        _sum_risks(tables, depth, plan, p, sums, values)
