"""What attackers achieve, by the plain definitions: loops, dicts and fractions."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

Row: TypeAlias = tuple[object, ...]


def class_sizes(rows: Sequence[Row], persons: Sequence[object] | None = None) -> dict[Row, int]:
    """Count the members of each class: rows, or different persons."""
    members: dict[Row, set[object]] = defaultdict(set)
    for number, row in enumerate(rows):
        members[row].add(number if persons is None else persons[number])
    return {row: len(people) for row, people in members.items()}


def chances_over_records(sizes: dict[Row, int], chance: Callable[[Row], Fraction]) -> list[Fraction]:
    """Return the chance of each record, class by class."""
    return [chance(row) for row, size in sizes.items() for _ in range(size)]


def prosecutor(sizes: dict[Row, int], threshold: float) -> tuple[Fraction, Fraction, int]:
    """Return the highest and the average chance, and the records above the threshold."""
    chances = chances_over_records(sizes, lambda row: Fraction(1, sizes[row]))
    return max(chances), sum(chances) / len(chances), sum(float(chance) > threshold for chance in chances)


def journalist(
    sizes: dict[Row, int], population: dict[Row, int], threshold: float
) -> tuple[Fraction, Fraction, int, Fraction]:
    """Return the same with class sizes of a population, and the marketer's share."""
    whole = {row: max(size, population.get(row, 0)) for row, size in sizes.items()}
    chances = chances_over_records(sizes, lambda row: Fraction(1, whole[row]))
    marketer = sum(chances) / len(chances)
    average = max(marketer, Fraction(len(sizes), sum(whole.values())))
    return max(chances), average, sum(float(chance) > threshold for chance in chances), marketer


def expected_chance(size: int, fraction: float, terms: int = 20_000) -> float:
    """Sum 1 / h over all population sizes h of a class, each with its probability."""
    logs = size * math.log(fraction)
    total = 0.0
    for h in range(size, size + terms):
        total += math.exp(logs) / h
        logs += math.log(h) - math.log(h + 1 - size) + math.log1p(-fraction)
    return total


def disclosure(
    rows: Sequence[Row],
    secret: Sequence[object],
    threshold: Fraction,
    width: Fraction,
    unknown: Collection[object] = (),
) -> tuple[int, int, int, Fraction, Fraction, int]:
    """Return homogeneous rows and classes, skewed rows, the largest distance, the mean gain, similar rows.

    Values that are numbers are compared by size; None is missing. Nothing is learnt about rows whose value is
    missing or unknown, and they protect nobody else.
    """
    silent = {None, *unknown}
    classes: dict[Row, list[object]] = defaultdict(list)
    for row, value in zip(rows, secret, strict=True):
        classes[row].append(value)
    overall = Counter(secret)
    numbers = [value for value in secret if isinstance(value, int) and value not in silent]
    span = max(numbers) - min(numbers) if numbers else 0
    told = [[value for value in values if value not in silent] for values in classes.values()]
    homogeneous = [values for values in told if len(set(values)) == 1]
    skewed, gains, distances, similar = 0, Fraction(0), [], 0
    for values in classes.values():
        inside = Counter(values)
        apart = Fraction(0)
        for value in overall:
            gain = Fraction(inside[value], len(values)) - Fraction(overall[value], len(secret))
            apart += abs(gain) / 2
            gains += gain * inside[value] if value not in silent else 0
            skewed += inside[value] if gain > threshold and value not in silent else 0
        distances.append(apart)
    for known in told:
        numeric = [value for value in known if isinstance(value, int)]
        narrow = 0 < len(numeric) == len(known) and max(numeric) - min(numeric) <= width * span
        similar += len(known) if narrow or len(set(known)) == 1 else 0
    return (
        sum(len(values) for values in homogeneous),
        len(homogeneous),
        skewed,
        max(distances),
        gains / len(secret),
        similar,
    )


def linkage(
    rows: Sequence[Row],
    released: Sequence[bool],
    subsets: Sequence[Sequence[int]],
    persons: Sequence[object] | None = None,
) -> Fraction:
    """Return the share of rows to expect to be found, over all rows and all sets of attributes."""
    total = Fraction(0)
    for places in subsets:
        for number, row in enumerate(rows):
            fitting = [
                other
                for other, candidate in enumerate(rows)
                if released[other] and all(candidate[place] == row[place] for place in places)
            ]
            own = [
                other
                for other in fitting
                if (other == number if persons is None else persons[other] == persons[number])
            ]
            total += Fraction(len(own), len(fitting)) if fitting else 0
    return total / (len(rows) * len(subsets))


def nearest(original: Sequence[Sequence[float]], protected: Sequence[Sequence[float]]) -> list[Fraction]:
    """Return for each record the chance that a nearest protected one is its own, exactly."""
    found = []
    for number, record in enumerate(original):
        distances = [
            sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(record, other, strict=True))
            for other in protected
        ]
        ties = distances.count(min(distances))
        found.append(Fraction(1, ties) if distances[number] == min(distances) else Fraction(0))
    return found


def singled_out(
    rows: Sequence[Row], largest: int, persons: Sequence[object] | None = None
) -> dict[tuple[int, ...], int]:
    """Count, for each combination of columns, the rows or persons that nobody else resembles."""
    found = {}
    for many in range(1, largest + 1):
        for places in itertools.combinations(range(len(rows[0])), many):
            members: dict[Row, list[object]] = defaultdict(list)
            for number, row in enumerate(rows):
                key = tuple(row[place] for place in places)
                members[key].append(number if persons is None else persons[number])
            found[places] = len({people[0] for people in members.values() if len(set(people)) == 1})
    return found


def wilson(successes: int, attempts: int) -> tuple[float, float]:
    """Find by bisection the rates p with |successes / attempts − p| = z · sqrt(p (1 − p) / attempts)."""
    z = NormalDist().inv_cdf(0.975)
    share = successes / attempts

    def apart(p: float) -> float:
        return (share - p) ** 2 - z * z * p * (1 - p) / attempts

    def root(low: float, high: float) -> float:
        for _ in range(200):
            middle = (low + high) / 2
            if (apart(low) > 0) == (apart(middle) > 0):
                low = middle
            else:
                high = middle
        return (low + high) / 2

    return 0.0 if successes == 0 else root(0.0, share), 1.0 if successes == attempts else root(share, 1.0)


def zayatz(sizes: Sequence[int], population: int) -> tuple[Fraction, Fraction]:
    """Return the share of sample uniques that are population uniques, and the population uniques."""
    n, count = sum(sizes), Counter(sizes)

    def once(size: int) -> Fraction:
        return Fraction(size * math.comb(population - size, n - 1), math.comb(population, n))

    share = count[1] * once(1) / sum(many * once(size) for size, many in count.items())
    return share, count[1] * share * Fraction(population, n)


def pitman_likelihood(sizes: Sequence[int], alpha: float, theta: float) -> float:
    """Return the log-likelihood of Pitman's sampling formula, but for a constant, factor by factor."""
    n = sum(sizes)
    total = sum(math.log(theta + i * alpha) for i in range(1, len(sizes)))
    total -= sum(math.log(theta + i) for i in range(1, n))
    return total + sum(math.log(i - alpha) for size in sizes for i in range(1, size))


def pitman_uniques(population: int, alpha: float, theta: float) -> float:
    """Return the expected uniques: people come one by one, and the first is unique until another follows."""
    chance = 1.0
    for i in range(1, population):
        chance *= (theta + alpha + i - 1) / (theta + i)
    return population * chance


def slide_negative_binomial(alpha: float, beta: float, fraction: float) -> tuple[float, float, float]:
    """Return P(f = 0), P(f = 1) and P(F = 1), summed over all sizes of a population class."""
    never, once, first = 0.0, 0.0, (1 - beta) ** alpha
    logs = alpha * math.log1p(-beta)
    for h in range(1, 200_000):
        chance = math.exp(logs)
        never += chance * (1 - fraction) ** h
        once += chance * h * fraction * (1 - fraction) ** (h - 1)
        logs += math.log(alpha + h - 1) - math.log(h) + math.log(beta)
        if chance < 1e-18 and h > 100:
            break
    return never, once, first


def similar_by_branch(rows: Sequence[Row], secret: Sequence[object], branch: dict[object, object]) -> int:
    """Count the rows with a value in classes whose values all lie under one node, a step below the root."""
    classes: dict[Row, set[object]] = defaultdict(set)
    known = [(row, value) for row, value in zip(rows, secret, strict=True) if value is not None]
    for row, value in known:
        classes[row].add(branch[value])
    return sum(len(classes[row]) == 1 for row, _ in known)
