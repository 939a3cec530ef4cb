"""Every measure by its definition.

A class is a list of row numbers. ``classes`` are the classes that remain after
suppression, at least one; rows that are in none of them are suppressed. Class
size counts distinct persons where ``persons`` is given, and in ``share_l``, ``entropy_l`` and ``recursive_l``
each of them has one vote, of which every row that it has in the whole table has an equal part; whatever
counts records or sums over records (the means, the spreads, all of utility) counts rows. A
sensitive value that is missing, or among those that ``unknown`` names, is no value in any
form of ℓ, nor is its row counted there, and a class without a known value has ℓ = 1; in t
each of them is a value of its own, at distance 1 from every other.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from .classes import class_size

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from .classes import Members, Row, Value


def k(classes: Sequence[Members], persons: Sequence[str] | None = None) -> int:
    """Return the smallest class size."""
    return min(class_size(members, persons) for members in classes)


def spread_k(classes: Sequence[Members], persons: Sequence[str] | None = None) -> int:
    """Sum over all records the size of their class."""
    return sum(len(members) * class_size(members, persons) for members in classes)


def mean_k(classes: Sequence[Members], persons: Sequence[str] | None = None) -> Fraction:
    """Return the mean over all records of the size of their class (weighted-k)."""
    return Fraction(spread_k(classes, persons), sum(len(members) for members in classes))


def known(members: Members, values: Sequence[Value], unknown: Collection[Value] = ()) -> list[Value]:
    """Return the known sensitive values of a class, row by row."""
    return [
        values[number] for number in members if values[number] is not None and values[number] not in unknown
    ]


def votes(
    members: Members,
    values: Sequence[Value],
    unknown: Collection[Value] = (),
    persons: Sequence[str | None] | None = None,
) -> dict[Value, Fraction]:
    """Return what each known sensitive value of a class has of all votes."""
    rows = Counter(persons or ())
    found: dict[Value, Fraction] = {}
    for number in members:
        if values[number] is not None and values[number] not in unknown:
            vote = Fraction(1) if persons is None else Fraction(1, rows[persons[number]])
            found[values[number]] = found.get(values[number], Fraction(0)) + vote
    return found


def distinct_l(classes: Sequence[Members], values: Sequence[Value], unknown: Collection[Value] = ()) -> int:
    """Return the smallest number of distinct sensitive values in a class."""
    return min(max(len(set(known(members, values, unknown))), 1) for members in classes)


def share_l(
    classes: Sequence[Members],
    values: Sequence[Value],
    unknown: Collection[Value] = (),
    persons: Sequence[str | None] | None = None,
) -> Fraction:
    """Return one over the largest share that one sensitive value has in a class."""
    largest = Fraction(0)
    for members in classes:
        told = votes(members, values, unknown, persons).values()
        most = max(told) / sum(told) if told else Fraction(1)
        largest = max(largest, most)
    return 1 / largest


def entropy_l(
    classes: Sequence[Members],
    values: Sequence[Value],
    unknown: Collection[Value] = (),
    persons: Sequence[str | None] | None = None,
) -> float:
    """Return the smallest exp(entropy) of the sensitive values of a class.

    Equal shares of ℓ values give ℓ. This is the one measure that is not exact;
    :func:`entropy_at_least` judges it without rounding.
    """
    smallest = math.inf
    for members in classes:
        told = votes(members, values, unknown, persons).values()
        shares = [float(count / sum(told)) for count in told]
        smallest = min(smallest, math.exp(-sum(share * math.log(share) for share in shares)))
    return smallest


def entropy_at_least(
    classes: Sequence[Members], values: Sequence[Value], bound: Fraction, unknown: Collection[Value] = ()
) -> bool:
    """Tell whether exp(entropy) is at least ``bound`` in every class, in whole numbers.

    With n rows and counts c, exp(entropy) = (nⁿ / Π cᶜ)^(1/n), so the question
    is whether nⁿ ≥ boundⁿ · Π cᶜ.
    """
    for members in classes:
        told = known(members, values, unknown)
        n = len(told)
        product = math.prod(count**count for count in Counter(told).values())
        if n**n < bound**n * product or (n == 0 and bound > 1):
            return False
    return True


def recursive_l(
    classes: Sequence[Members],
    values: Sequence[Value],
    c: Fraction,
    unknown: Collection[Value] = (),
    persons: Sequence[str | None] | None = None,
) -> int:
    """Return the smallest over the classes of the largest ℓ with r₁ < c · (r_ℓ + … + r_m).

    r₁ ≥ … ≥ r_m are the counts of the class's sensitive values. Where no ℓ fits
    (possible only for c ≤ 1) the class counts 0.
    """
    worst: int | None = None
    for members in classes:
        counts = sorted(votes(members, values, unknown, persons).values(), reverse=True)
        fitting = [ell for ell in range(1, len(counts) + 1) if counts[0] < c * sum(counts[ell - 1 :])]
        reached = max(fitting, default=0) if counts else 1
        worst = reached if worst is None else min(worst, reached)
    assert worst is not None
    return worst


def spread_l(classes: Sequence[Members], values: Sequence[Value], unknown: Collection[Value] = ()) -> int:
    """Sum over the records the rows of their class that hold the record's own sensitive value."""
    total = 0
    for members in classes:
        told = known(members, values, unknown)
        counts = Counter(told)
        total += sum(counts[value] for value in told)
    return total


def t(classes: Sequence[Members], values: Sequence[Value]) -> Fraction:
    """Return the largest distance of a class's distribution to the one over all input rows.

    The distance is equal for all pairs of values: half the sum of the absolute
    differences. ``values`` holds all input rows, suppressed ones included.
    """
    overall = Counter(values)
    largest = Fraction(0)
    for members in classes:
        counts = Counter(values[number] for number in members)
        gaps = (abs(Fraction(counts[v], len(members)) - Fraction(overall[v], len(values))) for v in overall)
        largest = max(largest, sum(gaps, Fraction(0)) / 2)
    return largest


def _cost_of_moving(
    work: Callable[[dict[Value, Fraction]], Fraction], classes: Sequence[Members], values: Sequence[Value]
) -> Fraction:
    """Return the largest work over the classes; each gets its surplus of share by value."""
    overall = Counter(values)
    largest = Fraction(0)
    for members in classes:
        counts = Counter(values[number] for number in members)
        surplus = {v: Fraction(counts[v], len(members)) - Fraction(overall[v], len(values)) for v in overall}
        largest = max(largest, work(surplus))
    return largest


def t_ordered(
    classes: Sequence[Members],
    values: Sequence[Value],
    order: Sequence[Value],
    unknown: Collection[Value] = (),
) -> Fraction:
    """Return what :func:`t` does where neighbours in an order of m known values are 1 / (m − 1) apart.

    Going along the order, all surplus so far has to be carried on to the next value, but for what was handed
    over to missing and unknown values by then, at 1 wherever that happens. How much that is by each place
    is tried out: nothing at first, never less than before, everything in the end.
    """
    line = [value for value in order if value is not None and value not in unknown]

    def work(surplus: dict[Value, Fraction]) -> Fraction:
        beside = [surplus[value] for value in surplus if value not in line]
        steps = [surplus.get(value, Fraction(0)) for value in line]
        sums = [sum(steps[: place + 1], Fraction(0)) for place in range(len(steps) - 1)]
        whole = sum(steps, Fraction(0))
        low, high = min(whole, Fraction(0)), max(whole, Fraction(0))
        amounts = sorted({low, high, *(each for each in sums if low < each < high)}, reverse=whole < 0)
        least = [Fraction(0)] * len(amounts)
        for carried in sums:
            before = [min(least[: place + 1]) for place in range(len(amounts))]
            least = [cost + abs(carried - amount) for cost, amount in zip(before, amounts, strict=True)]
        exchanged = (sum(map(abs, beside), Fraction(0)) + abs(whole)) / 2
        return exchanged + min(least) / max(len(line) - 1, 1)

    return _cost_of_moving(work, classes, values)


def t_hierarchical(
    classes: Sequence[Members],
    values: Sequence[Value],
    levels: Sequence[Mapping[Value, Value]],
    unknown: Collection[Value] = (),
) -> Fraction:
    """Return what :func:`t` does where two values are h / H apart: h is the first level that unites them.

    Missing and unknown values are united with others at the last level alone.

    From the leaves up, what lies in excess and in want within a block is evened out there, at the
    price of its level; what is left goes on upwards. H is the last level.
    """
    height = len(levels) - 1

    def block(level: int, value: Value) -> tuple[bool, Value]:
        is_alone = level < height and (value is None or value in unknown)
        return is_alone, value if is_alone else levels[level][value]

    def work(surplus: dict[Value, Fraction]) -> Fraction:
        left = dict(surplus)
        moved = Fraction(0)
        for level in range(1, height + 1):
            for label in {block(level, value) for value in left}:
                members = [value for value in left if block(level, value) == label]
                above = sum((left[v] for v in members if left[v] > 0), Fraction(0))
                below = sum((-left[v] for v in members if left[v] < 0), Fraction(0))
                moved += Fraction(level, height) * min(above, below)
                rest, *others = members
                left[rest] = above - below
                for value in others:
                    left[value] = Fraction(0)
        return moved

    return _cost_of_moving(work, classes, values)


def column_loss(column: Sequence[Value], blocks: Mapping[Value, Value]) -> Fraction:
    """Sum (|block| − 1) / (|domain| − 1) over the cells of one column.

    The domain is all that ``blocks`` names. A domain of one value costs 0.
    """
    if len(blocks) == 1:
        return Fraction(0)
    sizes = Counter(blocks.values())
    return Fraction(sum(sizes[blocks[value]] - 1 for value in column), len(blocks) - 1)


def gl(
    rows: Sequence[Row],
    recoding: Sequence[Mapping[Value, Value]],
    classes: Sequence[Members],
    weights: Sequence[Fraction] | None = None,
) -> Fraction:
    """Sum the losses of the cells of the kept rows.

    Weights are scaled to the mean 1 first, so that an all-general table costs
    kept rows × attributes whatever the weights.
    """
    weights = [Fraction(1)] * len(recoding) if weights is None else weights
    kept = [number for members in classes for number in members]
    total = Fraction(0)
    for place, (blocks, weight) in enumerate(zip(recoding, weights, strict=True)):
        total += weight * column_loss([rows[number][place] for number in kept], blocks)
    return total * len(weights) / sum(weights)


def suppressed(rows: Sequence[Row], classes: Sequence[Members]) -> int:
    """Count the rows that are in no class."""
    return len(rows) - sum(len(members) for members in classes)


def sl(rows: Sequence[Row], recoding: Sequence[Mapping[Value, Value]], classes: Sequence[Members]) -> int:
    """Return attributes × suppressed rows: each of their cells costs 1, also in a domain of one value."""
    return len(recoding) * suppressed(rows, classes)


def glm(
    rows: Sequence[Row],
    recoding: Sequence[Mapping[Value, Value]],
    classes: Sequence[Members],
    weights: Sequence[Fraction] | None = None,
) -> Fraction:
    """Sum the losses of all cells, a suppressed row 1 in each: ``gl`` + ``sl``."""
    return gl(rows, recoding, classes, weights) + sl(rows, recoding, classes)


def loss(
    rows: Sequence[Row],
    recoding: Sequence[Mapping[Value, Value]],
    classes: Sequence[Members],
    weights: Sequence[Fraction] | None = None,
) -> Fraction:
    """Return the mean loss of a cell, Σ w·cell / Σ w over the attributes: 0 to 1."""
    return glm(rows, recoding, classes, weights) / (len(rows) * len(recoding))


def diversity(value: Value, blocks: Mapping[Value, Value], places: Mapping[Value, int] | None) -> Fraction:
    """Return how far the values of a cell's block lie apart, 0 to 1.

    Numbers and dates: largest less smallest place over that of the domain; 1 where missing is with
    others. Else (|block| − 1) / (|domain| − 1).
    """
    block = [other for other in blocks if blocks[other] == blocks[value]]
    if len(block) == 1:
        return Fraction(0)
    if places is None:
        return Fraction(len(block) - 1, len(blocks) - 1)
    if None in block:
        return Fraction(1)
    inside = [places[other] for other in block]
    return Fraction(max(inside) - min(inside), max(places.values()) - min(places.values()))


def row_diversity(
    row: Row,
    recoding: Sequence[Mapping[Value, Value]],
    places: Sequence[Mapping[Value, int] | None],
    weights: Sequence[Fraction],
) -> Fraction:
    """Return Σ w·diversity / Σ w over the cells of a row."""
    parts = zip(row, recoding, places, weights, strict=True)
    total = sum((w * diversity(value, blocks, of) for value, blocks, of, w in parts), Fraction(0))
    return total / sum(weights)


def usefulness(
    rows: Sequence[Row],
    recoding: Sequence[Mapping[Value, Value]],
    classes: Sequence[Members],
    places: Sequence[Mapping[Value, int] | None],
    weights: Sequence[Fraction],
) -> Fraction:
    """Return 1 − the mean diversity of the rows, a suppressed row's being 1."""
    kept = [number for members in classes for number in members]
    total = Fraction(suppressed(rows, classes))
    total += sum((row_diversity(rows[number], recoding, places, weights) for number in kept), Fraction(0))
    return 1 - total / len(rows)


def ncp(
    rows: Sequence[Row],
    recoding: Sequence[Mapping[Value, Value]],
    classes: Sequence[Members],
    places: Sequence[Mapping[Value, int] | None],
    weights: Sequence[Fraction],
) -> Fraction:
    """Return the mean diversity of the rows, a suppressed row's being 1."""
    return 1 - usefulness(rows, recoding, classes, places, weights)


def protection(
    rows: Sequence[Row],
    recoding: Sequence[Mapping[Value, Value]],
    classes: Sequence[Members],
    places: Sequence[Mapping[Value, int] | None],
    weights: Sequence[Fraction],
) -> Fraction:
    """Return one over the mean of one over the diversity of the kept rows; 0 where a row has none."""
    found = [
        row_diversity(rows[number], recoding, places, weights) for members in classes for number in members
    ]
    if not all(found):
        return Fraction(0)
    return len(found) / sum((1 / part for part in found), Fraction(0))


def precision(
    rows: Sequence[Row],
    recoding: Sequence[Mapping[Value, Value]],
    classes: Sequence[Members],
    steps: Sequence[tuple[int, int]],
) -> Fraction:
    """Return 1 − the mean over all cells of level / height.

    Parameters
    ----------
    rows, recoding, classes
        As for :func:`loss`.
    steps
        For every quasi-identifier its level and the height of its hierarchy.

    Returns
    -------
    Fraction
        1 for an untouched table. A suppressed row's cells count as full height;
        a kept cell of a domain of one value costs 0 at every level.
    """
    kept = len(rows) - suppressed(rows, classes)
    lost = Fraction(sl(rows, recoding, classes))
    for blocks, (level, height) in zip(recoding, steps, strict=True):
        if len(blocks) > 1:
            lost += kept * Fraction(level, height)
    return 1 - lost / (len(rows) * len(recoding))


def covering_level(block: Collection[Value], levels: Sequence[Mapping[Value, Value]]) -> int:
    """Return the lowest level of a hierarchy that gives all values of a block one label."""
    return next(number for number, level in enumerate(levels) if len({level[value] for value in block}) == 1)


def precision_of_blocks(
    rows: Sequence[Row],
    recoding: Sequence[Mapping[Value, Value]],
    classes: Sequence[Members],
    hierarchies: Sequence[Sequence[Mapping[Value, Value]]],
) -> Fraction:
    """Return what :func:`precision` does for partitions that are no levels.

    A kept cell stands at the lowest level of its attribute's hierarchy that covers its whole block.
    """
    lost = Fraction(sl(rows, recoding, classes))
    kept = [number for members in classes for number in members]
    for place, (blocks, levels) in enumerate(zip(recoding, hierarchies, strict=True)):
        if len(blocks) == 1:
            continue
        for number in kept:
            label = blocks[rows[number][place]]
            block = [value for value in blocks if blocks[value] == label]
            lost += Fraction(covering_level(block, levels), len(levels) - 1)
    return 1 - lost / (len(rows) * len(recoding))


def dm(rows: Sequence[Row], classes: Sequence[Members]) -> int:
    """Return Σ (rows of the class)² + suppressed × rows."""
    return sum(len(members) ** 2 for members in classes) + suppressed(rows, classes) * len(rows)


def column_penalties(column: Sequence[Value], blocks: Mapping[Value, Value]) -> list[Fraction]:
    """Return (N_e − N_v) / (N − N_v) for each cell of a column; 0 where one value has all rows.

    All rows count, suppressed ones too: N in all, N_v with the value v, N_e with a value of its block e.
    """
    n, of_value = len(column), Counter(column)
    of_block = Counter(blocks[value] for value in column)
    return [
        Fraction(of_block[blocks[value]] - of_value[value], n - of_value[value])
        if of_value[value] < n
        else Fraction(0)
        for value in column
    ]


def hdm(
    rows: Sequence[Row],
    recoding: Sequence[Mapping[Value, Value]],
    classes: Sequence[Members],
    weights: Sequence[Fraction] | None = None,
) -> Fraction:
    """Sum over rows Σ w·penalty / Σ w of their cells, a suppressed row 1."""
    weights = [Fraction(1)] * len(recoding) if weights is None else weights
    kept = [number for members in classes for number in members]
    total = Fraction(suppressed(rows, classes))
    for place, (blocks, weight) in enumerate(zip(recoding, weights, strict=True)):
        penalties = column_penalties([row[place] for row in rows], blocks)
        total += weight * sum(penalties[number] for number in kept) / sum(weights)
    return total


def cm(classes: Sequence[Members], values: Sequence[Value]) -> int:
    """Return the penalized rows: suppressed ones, and those whose label is not the most frequent there."""
    spared = 0
    for members in classes:
        spared += max(Counter(values[number] for number in members).values())
    return len(values) - spared


def average_class(classes: Sequence[Members]) -> Fraction:
    """Return remaining rows / remaining classes."""
    return Fraction(sum(len(members) for members in classes), len(classes))


__all__ = [
    "average_class",
    "cm",
    "column_loss",
    "column_penalties",
    "covering_level",
    "distinct_l",
    "diversity",
    "dm",
    "entropy_at_least",
    "entropy_l",
    "gl",
    "glm",
    "hdm",
    "k",
    "loss",
    "mean_k",
    "ncp",
    "precision",
    "precision_of_blocks",
    "protection",
    "recursive_l",
    "row_diversity",
    "share_l",
    "sl",
    "spread_k",
    "spread_l",
    "suppressed",
    "t",
    "t_hierarchical",
    "t_ordered",
    "usefulness",
]
