"""Counting queries: how far an estimate from the release is from the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.utility.result import ErrorSummary, QueryUtility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, FloatArray, IntArray
    from sfumato.utility.recoded import Recoded, RecodedAttribute

QUERIES = 200
MOST_ATTRIBUTES = 3
FLOOR = 0.001
"""Errors are divided by at least this share of the rows, and by at least one row."""


@dataclass(frozen=True, eq=False)
class Query:
    """The question how many rows have their values in given sets."""

    attributes: tuple[int, ...]  # numbers of the attributes that are asked about
    members: tuple[BoolArray, ...]  # for each of them, which codes belong to the set


def draw_queries(table: Recoded, rng: np.random.Generator, count: int = QUERIES) -> list[Query]:
    """Draw queries about one to three attributes, each around a random original row."""
    ends = np.cumsum(table.rows)
    found = []
    for _ in range(count):
        cell = int(np.searchsorted(ends, rng.integers(ends[-1]), side="right"))
        width = int(rng.integers(1, min(MOST_ATTRIBUTES, len(table.attributes)) + 1))
        asked = np.sort(rng.choice(len(table.attributes), width, replace=False)).tolist()
        members = [
            _draw_set(table.attributes[number], int(table.codes[cell, number]), rng) for number in asked
        ]
        found.append(Query(tuple(asked), tuple(members)))
    return found


def _draw_set(attribute: RecodedAttribute, code: int, rng: np.random.Generator) -> BoolArray:
    """Draw a range or a set that holds a code."""
    if not attribute.is_ordered:
        members: BoolArray = rng.random(attribute.size) < rng.random()
        members[code] = True
        return members
    members = np.zeros(attribute.size, dtype=np.bool_)
    members[code] = True
    if code < attribute.known:
        first, last = int(rng.integers(code + 1)), int(rng.integers(code, attribute.known))
        members[first : last + 1] = True
    return members


def true_count(table: Recoded, query: Query) -> float:
    """Count the original rows that answer a query."""
    fits = np.ones(len(table.rows), dtype=np.bool_)
    for number, members in zip(query.attributes, query.members, strict=True):
        fits &= members[table.codes[:, number]]
    return float(table.rows[fits].sum())


def estimated_count(table: Recoded, query: Query, blocks: Sequence[IntArray] | None = None) -> float:
    """Estimate the count from the released rows, each spread alike over the values of its blocks."""
    found = table.released.astype(np.float64)
    for number, members in zip(query.attributes, query.members, strict=True):
        of_cells = table.blocks(number) if blocks is None else blocks[number]
        found *= table.attributes[number].block_means(members.astype(np.float64))[of_cells]
    return float(found.sum())


def suppressed_count(table: Recoded, query: Query) -> float:
    """Return what suppressed rows add to an estimate if each is spread alike over all domains."""
    parts = [float(members.mean()) for members in query.members]
    return float((table.row_count - table.kept_count) * np.prod(parts))


def compare_queries(table: Recoded, rng: np.random.Generator) -> QueryUtility:
    """Ask random counting queries of the original and of the release."""
    queries = draw_queries(table, rng)
    blocks = [table.blocks(number) for number in range(len(table.attributes))]
    truth = np.array([true_count(table, query) for query in queries])
    estimates = np.array([estimated_count(table, query, blocks) for query in queries])
    added = np.array([suppressed_count(table, query) for query in queries])
    return summarize_queries(truth, estimates, added, table.row_count)


def summarize_queries(truth: FloatArray, estimates: FloatArray, added: FloatArray, rows: int) -> QueryUtility:
    """Summarize how far estimates are from the truth."""
    floor = max(1.0, FLOOR * rows)
    return QueryUtility(
        len(truth),
        floor,
        _summary(truth, estimates, floor),
        _summary(truth, estimates + added, floor),
        tuple(truth.tolist()),
        tuple(estimates.tolist()),
    )


def _summary(truth: FloatArray, estimates: FloatArray, floor: float) -> ErrorSummary:
    errors = np.abs(estimates - truth) / np.maximum(truth, floor)
    # The error that nine of ten queries do not exceed is one that occurs, not one between two.
    high = np.quantile(errors, 0.9, method="inverted_cdf")
    return ErrorSummary(float(np.median(errors)), float(errors.mean()), float(high))
