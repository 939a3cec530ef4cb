"""Downcoding by brute force: every table that a release can come from, and what is true in all of them.

Tables are tiny: a few attributes with a few values, up to eight rows. A hierarchy is a list of levels, each a
dict value → label; level 0 changes nothing and the last level has one label.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Row: TypeAlias = tuple[str, ...]
Hierarchy: TypeAlias = list[dict[str, str]]
Levels: TypeAlias = tuple[int, ...]


class Asked(NamedTuple):
    """What a publisher asks for: k, the rows that may be suppressed, and the names of the attributes."""

    hierarchies: list[Hierarchy]
    k: int
    budget: int
    names: Sequence[str]


class Recoded(NamedTuple):
    """One feasible recoding of a table."""

    cost: Fraction
    suppressed: int
    text: str
    levels: Levels
    released: tuple[tuple[Row, int], ...]  # sorted: labels and how many rows have them


def recode(rows: Iterable[Row], asked: Asked, levels: Levels) -> Recoded | None:
    """Apply a recoding and suppress classes below k; None where that exceeds the budget or takes everyone."""
    maps = [ladder[level] for ladder, level in zip(asked.hierarchies, levels, strict=True)]
    classes = Counter(tuple(m[v] for m, v in zip(maps, row, strict=True)) for row in rows)
    kept = {labels: many for labels, many in classes.items() if many >= asked.k}
    total, left = sum(classes.values()), sum(kept.values())
    if total - left > asked.budget or not left:
        return None
    cost = Fraction(total - left, total)
    for labels, many in kept.items():
        for m, label in zip(maps, labels, strict=True):
            size = sum(1 for other in m.values() if other == label)
            cost += Fraction(many * (size - 1), (len(m) - 1) * len(maps) * total)
    text = json.dumps(dict(zip(asked.names, levels, strict=True)))
    return Recoded(cost, total - left, text, levels, tuple(sorted(kept.items())))


def feasible(rows: Sequence[Row], asked: Asked) -> list[Recoded]:
    """Return every feasible recoding, the best first: least loss, fewest suppressed rows, smallest text."""
    nodes = itertools.product(*(range(len(ladder)) for ladder in asked.hierarchies))
    found = [recode(rows, asked, levels) for levels in nodes]
    return sorted(item for item in found if item is not None)


def originals(released: Recoded, asked: Asked) -> Iterator[list[Row]]:
    """Yield every table, as a multiset of rows, that the best recoding of turns into this release."""
    total = sum(many for _, many in released.released) + released.suppressed
    maps = [ladder[level] for ladder, level in zip(asked.hierarchies, released.levels, strict=True)]
    domain = list(itertools.product(*(ladder[0] for ladder in asked.hierarchies)))

    def labels(row: Row) -> Row:
        return tuple(m[v] for m, v in zip(maps, row, strict=True))

    shown = [
        itertools.combinations_with_replacement([r for r in domain if labels(r) == c], n)
        for c, n in released.released
    ]
    hidden = [row for row in domain if labels(row) not in dict(released.released)]
    rest = itertools.combinations_with_replacement(hidden, released.suppressed)
    for parts in itertools.product(*shown, rest):
        rows = [row for part in parts for row in part]
        assert len(rows) == total
        best = feasible(rows, asked)
        if best and best[0].levels == released.levels and best[0].released == released.released:
            yield rows


def certain(released: Recoded, asked: Asked) -> dict[tuple[Row, int, str], int]:
    """Return how many rows of each class have a value at least, in every table the release can come from.

    The keys are a class, an attribute and the label of any finer level.
    """
    maps = [ladder[level] for ladder, level in zip(asked.hierarchies, released.levels, strict=True)]
    least: dict[tuple[Row, int, str], int] | None = None
    for rows in originals(released, asked):
        counts: Counter[tuple[Row, int, str]] = Counter()
        for row in rows:
            labels = tuple(m[v] for m, v in zip(maps, row, strict=True))
            for a, value in enumerate(row):
                finer = {asked.hierarchies[a][level][value] for level in range(released.levels[a])}
                for label in finer - {labels[a]}:
                    counts[labels, a, label] += 1
        least = (
            dict(counts)
            if least is None
            else {key: min(many, counts[key]) for key, many in least.items() if counts[key]}
        )
    return least or {}


def most_narrowed(released: Recoded, asked: Asked) -> int:
    """Return how many cells can be narrowed for sure, by the best level for each class and attribute."""
    least, total = certain(released, asked), 0
    for labels, _ in released.released:
        for a, level in enumerate(released.levels):
            finer = [set(asked.hierarchies[a][number].values()) - {labels[a]} for number in range(level)]
            total += max((sum(least.get((labels, a, x), 0) for x in names) for names in finer), default=0)
    return total
