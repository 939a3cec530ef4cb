"""How many ways there are to group children, exactly.

Children come with weights: the number of ways in which a child can be partitioned
further while it stays alone. A child that is grouped with others is one with them,
and its weight does not count.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def bell_numbers(n: int) -> list[int]:
    """Return the numbers of set partitions of 0…n elements, by Bell's triangle.

    Examples
    --------
    >>> bell_numbers(8)
    [1, 1, 2, 5, 15, 52, 203, 877, 4140]
    """
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
    """Return the numbers of set partitions of 0…n elements into blocks of two or more.

    Set partitions of k elements are as many as those of k and of k + 1 elements
    without singletons together: take a new element for the block of all singletons,
    where there are any.

    Examples
    --------
    >>> without_singletons(6)
    (1, 0, 1, 1, 4, 11, 41)
    """
    bell = bell_numbers(n)
    numbers = [1]
    for k in range(n):
        numbers.append(bell[k] - numbers[k])
    return tuple(numbers)


def symmetric_sums(weights: Sequence[int]) -> list[list[int]]:
    """Return the elementary symmetric sums of growing sets of weights.

    Examples
    --------
    >>> symmetric_sums([1, 3, 1])
    [[1, 2, 1], [1, 5, 7, 3]]
    """
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
    """Count the set partitions of children, each with the product of the weights of its singletons.

    Choose the children that stay alone, and put the others into blocks of two or more.

    Examples
    --------
    >>> count_sets([1, 1, 1]), count_sets([5, 1, 2, 2])
    (5, 67)
    """
    n = len(weights)
    rest = without_singletons(n)
    return sum(chosen * rest[n - s] for s, chosen in enumerate(symmetric_sums(weights)[-1]))


def runs_before(weights: Sequence[int]) -> list[int]:
    """Count the contiguous partitions of the first 0…n children, weighted as in :func:`count_sets`.

    Examples
    --------
    >>> runs_before([1, 1, 1]), runs_before([4, 1, 2, 2])
    ([1, 1, 2, 4], [1, 4, 5, 15, 40])
    """
    counts, earlier = [1], 0  # ``earlier`` adds up all counts but the last one
    for weight in weights:
        # The last child stays alone, or a longer run that it ends begins at any earlier place.
        counts.append(weight * counts[-1] + earlier)
        earlier += counts[-2]
    return counts


def count_runs(weights: Sequence[int]) -> int:
    """Count the contiguous partitions of children, each with the weights of its runs of one."""
    return runs_before(weights)[-1]
