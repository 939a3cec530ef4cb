"""Microaggregation of attribute groups and its measures by their definitions, in exact fractions.

Imports nothing of the package.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Record = list[Fraction]
Table = list[Record]


def exact(values: Sequence[Sequence[float]]) -> Table:
    """Return the exact values of floating-point numbers."""
    return [[Fraction(value) for value in row] for row in values]


def apart(one: Record, other: Record) -> Fraction:
    """Return the squared distance."""
    return sum(((a - b) ** 2 for a, b in zip(one, other, strict=True)), Fraction(0))


def mean(records: Sequence[Record]) -> Record:
    """Return the centroid."""
    return [sum(column, Fraction(0)) / len(records) for column in zip(*records, strict=True)]


def protect(original: Table, groups: Sequence[Sequence[int]], labels: Sequence[Sequence[int]]) -> Table:
    """Replace the values of each group by the mean of the record's cluster there."""
    protected = [list(record) for record in original]
    for columns, clusters in zip(groups, labels, strict=True):
        for cluster in set(clusters):
            rows = [row for row, label in enumerate(clusters) if label == cluster]
            centroid = mean([[original[row][column] for column in columns] for row in rows])
            for row in rows:
                for column, value in zip(columns, centroid, strict=True):
                    protected[row][column] = value
    return protected


def il(original: Table, protected: Table) -> Fraction:
    """Return 100 · SSE / SST; 0 where nothing varies."""
    centre = mean(original)
    total = sum((apart(record, centre) for record in original), Fraction(0))
    error = sum((apart(a, b) for a, b in zip(original, protected, strict=True)), Fraction(0))
    return 100 * error / total if total else Fraction(0)


def interval(original: Table, protected: Table) -> Fraction:
    """Return the percentage of protected values within a tenth of their original."""
    pairs = [pair for rows in zip(original, protected, strict=True) for pair in zip(*rows, strict=True)]
    inside = sum(10 * abs(other - value) <= abs(value) for value, other in pairs)
    return Fraction(100 * inside, len(pairs))


def dld(original: Table, protected: Table) -> Fraction:
    """Return the percentage of links, each with one over the number of tied nearest records."""
    links = Fraction(0)
    for row, record in enumerate(original):
        distances = [apart(record, other) for other in protected]
        nearest = min(distances)
        if distances[row] == nearest:
            links += Fraction(1, distances.count(nearest))
    return 100 * links / len(original)


def dld_by_number(original: Table, protected: Table) -> Fraction:
    """Return the percentage of links where the first of tied nearest records is taken."""
    links = 0
    for row, record in enumerate(original):
        distances = [apart(record, other) for other in protected]
        links += distances.index(min(distances)) == row
    return Fraction(100 * links, len(original))
