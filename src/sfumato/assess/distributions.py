"""The distribution of each attribute, before and after."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
from sfumato.assess.recoded import Recoded, RecodedAttribute, count_rows, indicators, pool
from sfumato.assess.utility import Association, AttributeUtility, ErrorSummary, QueryUtility


def compare_distribution(table: Recoded, number: int) -> AttributeUtility:
    """Compare the distribution of an attribute among original and released rows."""
    # A released row counts in every value of its block alike, with one over the size of the block. Suppressed
    # rows are left out; in `distance_spread` they count in every value of the domain alike. Missing is a
    # value like any other.
    attribute = table.attributes[number]
    before = table.counts(number)
    blocks = count_rows(table.blocks(number), table.released, len(attribute.sizes))
    after = attribute.spread(blocks)
    lost = table.row_count - table.kept_count
    shares = [share(counts) for counts in (before, after, after + lost / attribute.size)]
    moments = [_moments(attribute.numbers, counts) for counts in (before, after)]
    return AttributeUtility(
        *(attribute.name, attribute.role, attribute.kind, attribute.size, int((blocks > 0).sum())),
        *(total_variation(shares[0], shares[1]), total_variation(shares[0], shares[2])),
        attribute.labels,
        *(tuple(shares[0].tolist()), tuple(shares[1].tolist())),
        *(moments[0][0], moments[1][0], moments[0][1], moments[1][1]),
        attribute.is_ordered,
    )


def share(counts: FloatArray) -> FloatArray:
    """Return counts as shares; all zero where nothing was counted."""
    total = float(counts.sum())
    return counts / total if total else np.zeros(len(counts))


def total_variation(before: FloatArray, after: FloatArray) -> float:
    """Return half the sum of the absolute differences; 1 where one of the two has no rows."""
    if not before.any() or not after.any():
        return float(before.any() != after.any())
    return float(min(np.abs(before - after).sum() / 2, 1.0))


def _moments(numbers: FloatArray | None, counts: FloatArray) -> tuple[float | None, float | None]:
    """Return mean and standard deviation over the rows that have a number."""
    if numbers is None:
        return None, None
    has = ~np.isnan(numbers)
    values, weights = numbers[has], counts[has]
    total = float(weights.sum())
    if not total:
        return None, None
    mean = float((values * weights).sum() / total)
    return mean, float(np.sqrt((weights * (values - mean) ** 2).sum() / total))


MOST_VALUES = 30  # values of larger domains are pooled into so many groups first, the same before and after


def compare_associations(table: Recoded) -> tuple[Association, ...]:
    """Compare Cramér's V of every pair of attributes between original and released rows."""
    # In the released table a row counts in all pairs of values of its two blocks alike, so that what a block
    # hides is no association any more. Suppressed rows are left out; missing is a value like any other.
    inside, coded, blocks = [], [], []
    for number, attribute in enumerate(table.attributes):
        group = pool(attribute, table.counts(number), MOST_VALUES)
        coded.append(group[table.codes[:, number]])
        # Blocks of one pooled group are alike: domains of thousands of values make no huge tables.
        means, alike = np.unique(attribute.block_means(indicators(group)), axis=0, return_inverse=True)
        inside.append(means)
        blocks.append(alike.reshape(-1)[table.blocks(number)])
    found = []
    for a, b in itertools.combinations(range(len(coded)), 2):
        shape = (inside[a].shape[1], inside[b].shape[1])
        before = _count(coded[a], coded[b], table.rows, shape)
        united = _count(blocks[a], blocks[b], table.released, (len(inside[a]), len(inside[b])))
        after = inside[a].T @ united @ inside[b]
        # Values of one block were not counted apart: they add nothing to what chance makes of the counts.
        told = tuple(int((united.sum(axis=axis) > 0).sum()) for axis in (1, 0))
        names = table.attributes[a].name, table.attributes[b].name
        found.append(Association(*names, cramers_v(before), cramers_v(after, told)))
    return tuple(found)


def _count(first: LongArray, second: LongArray, rows: LongArray, shape: tuple[int, int]) -> FloatArray:
    """Count the rows of each pair."""
    pairs = first * shape[1] + second
    return count_rows(pairs, rows, shape[0] * shape[1]).reshape(shape)


def cramers_v(counts: FloatArray, told: tuple[int, ...] | None = None) -> float:
    """Return Cramér's V with bias correction."""
    # With n rows, r × c values and φ² = χ²/n: V = sqrt(max(0, φ² − (r−1)(c−1)/(n−1)) / min(r′−1, c′−1)),
    # where r′ = r − (r−1)²/(n−1) and c′ likewise. Spreading blocks over their values leaves φ² as it is; so
    # what is subtracted, which is what chance alone adds to φ², has the numbers of blocks in the place of r
    # and c where they are smaller.
    # W. Bergsma, A bias-correction for Cramér's V and Tschuprow's T, Journal of the Korean Statistical
    # Society 42 (2013), doi:10.1016/j.jkss.2012.10.002.
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    n = float(counts.sum())
    r, c = counts.shape
    if min(r, c) < 2 or n <= 1:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    phi2 = float(((counts - expected) ** 2 / expected).sum()) / n
    free = [min(size, most) - 1 for size, most in zip((r, c), told or (r, c), strict=True)]
    corrected = max(0.0, phi2 - free[0] * free[1] / (n - 1))
    least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    return float(min(np.sqrt(corrected / least), 1.0)) if least > 0 else 0.0


QUERIES = 200
MOST_ATTRIBUTES = 3
FLOOR = 0.001  # errors are divided by at least this share of the rows, and by at least one row


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
        own = table.codes[cell].tolist()
        members = [_draw_set(table.attributes[number], own[number], rng) for number in asked]
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
    error, spread = (_summary(truth, guess, floor) for guess in (estimates, estimates + added))
    return QueryUtility(len(truth), floor, error, spread)


def _summary(truth: FloatArray, estimates: FloatArray, floor: float) -> ErrorSummary:
    errors = np.abs(estimates - truth) / np.maximum(truth, floor)
    # The error that nine of ten queries do not exceed is one that occurs, not one between two.
    high = np.quantile(errors, 0.9, method="inverted_cdf")
    return ErrorSummary(float(np.median(errors)), float(errors.mean()), float(high))
