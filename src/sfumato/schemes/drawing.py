"""Random draws with exact probabilities, however large the numbers."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from sfumato.schemes.counting import runs_before, symmetric_sums, without_singletons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, IntArray

_LARGEST = 2**63 - 1


def draw_below(rng: np.random.Generator, bound: int) -> int:
    """Draw one of the integers 0…bound − 1, each with the same probability."""
    if bound <= _LARGEST:
        return int(rng.integers(bound))
    bits = bound.bit_length()
    length = (bits + 7) // 8
    while True:
        number = int.from_bytes(rng.bytes(length), "little") >> (8 * length - bits)
        if number < bound:
            return number


def draw_index(rng: np.random.Generator, weights: Sequence[int]) -> int:
    """Draw the place of one of the weights, with a probability in proportion to it."""
    number = draw_below(rng, sum(weights))
    for place, weight in enumerate(weights):
        number -= weight
        if number < 0:
            return place
    raise AssertionError("a number below the sum of the weights lies in one of them")


def draw_runs(rng: np.random.Generator, weights: Sequence[int]) -> IntArray:
    """Draw a contiguous partition of children, in proportion to the weights of its runs of one."""
    before = runs_before(weights)
    first = np.zeros(len(weights), dtype=np.int32)
    end = len(weights)
    while end:
        # The last child alone, or a run that begins further left; near places are the likeliest.
        begin, weight = end - 1, weights[end - 1] * before[end - 1]
        number = draw_below(rng, before[end])
        while number >= weight:
            number -= weight
            begin, weight = begin - 1, before[begin - 1]
        first[begin:end] = begin
        end = begin
    return first


def draw_sets(rng: np.random.Generator, weights: Sequence[int]) -> IntArray:
    """Draw a set partition of children, in proportion to the weights of its singletons."""
    is_alone = _draw_singletons(rng, weights)
    group = np.arange(len(weights), dtype=np.int32)
    rest = np.flatnonzero(~is_alone)
    blocks = without_singletons(len(rest))
    while len(rest):
        n = len(rest)
        others = 1 + draw_index(rng, [comb(n - 1, j) * blocks[n - 1 - j] for j in range(1, n)])
        shuffled = rng.permutation(rest[1:])
        group[shuffled[:others]] = rest[0]
        rest = shuffled[others:]
    return group


def _draw_singletons(rng: np.random.Generator, weights: Sequence[int]) -> BoolArray:
    """Draw which children stay alone: first how many, then which."""
    n = len(weights)
    sums, rest = symmetric_sums(weights), without_singletons(n)
    number = draw_index(rng, [chosen * rest[n - s] for s, chosen in enumerate(sums[-1])])
    is_alone = np.zeros(n, dtype=np.bool_)
    heavy = [place for place, weight in enumerate(weights) if weight != 1]
    for i in range(len(heavy), 0, -1):
        if number == 0:
            return is_alone
        without = sums[i - 1][number] if number < len(sums[i - 1]) else 0
        if draw_below(rng, sums[i][number]) >= without:
            is_alone[heavy[i - 1]] = True
            number -= 1
    light = np.array([place for place, weight in enumerate(weights) if weight == 1], dtype=np.int64)
    is_alone[rng.permutation(light)[:number]] = True
    return is_alone
