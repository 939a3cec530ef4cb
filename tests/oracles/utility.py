"""Analyses by their definitions: loops over rows, and every value of a block counted by itself."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Rows:
    """Rows as tuples of values, with what a release makes of them.

    Parameters
    ----------
    domains
        The values of each attribute.
    blocks
        For each attribute, value to block.
    rows
        The rows.
    kept
        Whether each row is released.
    """

    domains: tuple[tuple[int, ...], ...]
    blocks: tuple[dict[int, int], ...]
    rows: tuple[tuple[int, ...], ...]
    kept: tuple[bool, ...]

    def spread(self, attribute: int, value: int) -> list[int]:
        """Return the values that a released value may have been."""
        block = self.blocks[attribute][value]
        return [other for other in self.domains[attribute] if self.blocks[attribute][other] == block]


def distribution(table: Rows, attribute: int) -> dict[int, float]:
    counted = Counter(row[attribute] for row in table.rows)
    return {value: counted[value] / len(table.rows) for value in table.domains[attribute]}


def released_distribution(table: Rows, attribute: int, *, with_suppressed: bool) -> dict[int, float]:
    mass = dict.fromkeys(table.domains[attribute], 0.0)
    for row, kept in zip(table.rows, table.kept, strict=True):
        if not kept and not with_suppressed:
            continue
        values = table.spread(attribute, row[attribute]) if kept else list(table.domains[attribute])
        for value in values:
            mass[value] += 1 / len(values)
    total = sum(mass.values())
    return {value: part / total for value, part in mass.items()} if total else mass


def total_variation(before: dict[int, float], after: dict[int, float]) -> float:
    """Return the largest difference in the share of any set of values; 1 against no rows at all."""
    if not sum(after.values()):
        return 1.0
    return sum(max(before[value] - after[value], 0.0) for value in before)


def pairs(table: Rows, first: int, second: int) -> dict[tuple[int, int], float]:
    return dict(Counter((row[first], row[second]) for row in table.rows))


def released_pairs(table: Rows, first: int, second: int) -> dict[tuple[int, int], float]:
    mass: dict[tuple[int, int], float] = {}
    for row, kept in zip(table.rows, table.kept, strict=True):
        if kept:
            cells = [*itertools.product(table.spread(first, row[first]), table.spread(second, row[second]))]
            for cell in cells:
                mass[cell] = mass.get(cell, 0.0) + 1 / len(cells)
    return mass


def shown_blocks(table: Rows, attribute: int) -> int:
    """Count the blocks that released rows have."""
    released = [row for row, kept in zip(table.rows, table.kept, strict=True) if kept]
    return len({table.blocks[attribute][row[attribute]] for row in released})


def cramers_v(mass: dict[tuple[int, int], float], told: tuple[int, int] | None = None) -> float:
    """Return Bergsma's corrected V; ``told`` are the values that were counted apart."""
    left, right = sorted({a for a, _ in mass}), sorted({b for _, b in mass})
    n = sum(mass.values())
    if min(len(left), len(right)) < 2 or n <= 1:
        return 0.0
    chi2 = 0.0
    for a in left:
        for b in right:
            row = sum(mass.get((a, other), 0.0) for other in right)
            column = sum(mass.get((other, b), 0.0) for other in left)
            expected = row * column / n
            chi2 += (mass.get((a, b), 0.0) - expected) ** 2 / expected
    r, c = len(left), len(right)
    apart = told or (r, c)
    chance = (min(apart[0], r) - 1) * (min(apart[1], c) - 1) / (n - 1)
    room = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    return min(math.sqrt(max(0.0, chi2 / n - chance) / room), 1.0) if room > 0 else 0.0


def true_count(table: Rows, asked: dict[int, set[int]]) -> int:
    return sum(all(row[a] in members for a, members in asked.items()) for row in table.rows)


def estimated_count(table: Rows, asked: dict[int, set[int]], *, with_suppressed: bool) -> float:
    """Average over all the tables that the released rows may have come from, each value as likely."""
    total = 0.0
    for row, kept in zip(table.rows, table.kept, strict=True):
        if not kept and not with_suppressed:
            continue
        possible = [table.spread(a, row[a]) if kept else list(table.domains[a]) for a in asked]
        worlds = [*itertools.product(*possible)]
        fits = sum(
            all(value in members for value, members in zip(world, asked.values(), strict=True))
            for world in worlds
        )
        total += fits / len(worlds)
    return total


def relative_errors(truth: Sequence[float], estimates: Sequence[float], floor: float) -> list[float]:
    return [abs(e - t) / max(t, floor) for t, e in zip(truth, estimates, strict=True)]


def accuracy(truth: Sequence[int], predicted: Sequence[int]) -> float:
    return sum(t == p for t, p in zip(truth, predicted, strict=True)) / len(truth)


def balanced_accuracy(truth: Sequence[int], predicted: Sequence[int]) -> float:
    shares = []
    for number in sorted(set(truth)):
        own = [p for t, p in zip(truth, predicted, strict=True) if t == number]
        shares.append(own.count(number) / len(own))
    return sum(shares) / len(shares)


def area(truth: Sequence[int], likely: Sequence[Sequence[float]]) -> float:
    """Return the mean over classes of the share of pairs in the right order, ties as half."""
    areas = []
    for number in sorted(set(truth)):
        ours = [row[number] for t, row in zip(truth, likely, strict=True) if t == number]
        others = [row[number] for t, row in zip(truth, likely, strict=True) if t != number]
        right = [(a > b) + 0.5 * (a == b) for a in ours for b in others]
        areas.append(sum(right) / len(right) if right else 0.5)
    return sum(areas) / len(areas)
