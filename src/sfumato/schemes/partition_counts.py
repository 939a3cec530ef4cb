"""How many partitions a scheme has, and drawing one of them at random.

Children come with weights: the number of ways in which a child can be partitioned
further while it stays alone. A child that is grouped with others is one with them,
and its weight does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb

import numpy as np

from sfumato._typing import BoolArray, IntArray


def bell_numbers(n: int) -> list[int]:
    """Return the numbers of set partitions of 0…n elements, by Bell's triangle."""
    numbers, row = [1], [1]
    while len(numbers) <= n:
        numbers.append(row[-1])
        below = [row[-1]]
        for number in row:
            below.append(below[-1] + number)
        row = below
    return numbers


@lru_cache(maxsize=64)
def without_singletons(n: int) -> tuple[int, ...]:
    """Return the numbers of set partitions of 0…n elements into blocks of two or more."""
    # Set partitions of k elements are as many as those of k and of k + 1 elements without singletons
    # together: take a new element for the block of all singletons, where there are any.
    bell = bell_numbers(n)
    numbers = [1]
    for k in range(n):
        numbers.append(bell[k] - numbers[k])
    return tuple(numbers)


def symmetric_sums(weights: Sequence[int]) -> list[list[int]]:
    """Return the elementary symmetric sums of growing sets of weights."""
    # Weights of 1, those of leaves, come at once: there may be very many.
    light = sum(weight == 1 for weight in weights)
    sums = [[comb(light, s) for s in range(light + 1)]]
    for weight in weights:
        if weight != 1:
            last = sums[-1]
            with_it = [0, *(weight * number for number in last)]
            sums.append([a + b for a, b in zip([*last, 0], with_it, strict=True)])
    return sums


def count_sets(weights: Sequence[int]) -> int:
    """Count the set partitions of children, each with the product of the weights of its singletons."""
    # Choose the children that stay alone, and put the others into blocks of two or more.
    n = len(weights)
    rest = without_singletons(n)
    return sum(chosen * rest[n - s] for s, chosen in enumerate(symmetric_sums(weights)[-1]))


def runs_before(weights: Sequence[int]) -> list[int]:
    """Count the contiguous partitions of the first 0…n children, weighted as in :func:`count_sets`."""
    counts, earlier = [1], 0  # ``earlier`` adds up all counts but the last one
    for weight in weights:
        # The last child stays alone, or a longer run that it ends begins at any earlier place.
        counts.append(weight * counts[-1] + earlier)
        earlier += counts[-2]
    return counts


def count_runs(weights: Sequence[int]) -> int:
    """Count the contiguous partitions of children, each with the weights of its runs of one."""
    return runs_before(weights)[-1]


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
