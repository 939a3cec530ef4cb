"""All analyses of a recoded table."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from sfumato._typing import FloatArray, LongArray
from sfumato.assess.distributions import (
    MOST_ATTRIBUTES,
    QUERIES,
    compare_associations,
    compare_distribution,
    compare_queries,
    share,
    summarize_queries,
    total_variation,
)
from sfumato.assess.modelling import MODELS, compare_model, learn_numbers, regression_scores, split_rows
from sfumato.assess.recoded import LIMIT, Recoded
from sfumato.assess.utility import Association, AttributeUtility, ModelUtility, Utility
from sfumato.errors import DataError


def analyse_recoded(table: Recoded, *, seed: int = 1, limit: int = LIMIT) -> Utility:
    """Make the same analyses of a table and of its release."""
    if not table.row_count:
        raise DataError("there are no rows to analyse.")
    secret = [place for place, item in enumerate(table.attributes) if item.role == "sensitive"]
    # The target is the first attribute that must not be learnt, else the last one.
    number = next(iter((*secret, *range(len(table.attributes))[-1:])), None)
    for_sample, for_split, for_queries = np.random.default_rng(seed).spawn(3)
    used = table.sampled(limit, for_sample)
    return Utility(
        *("generalized", table.row_count, table.kept_count, table.row_count - table.kept_count),
        *(used.row_count, seed),
        tuple(compare_distribution(table, place) for place in range(len(table.attributes))),
        compare_associations(table),
        None if number is None else compare_model(used, number, for_split),
        compare_queries(used, for_queries) if used.attributes else None,
    )


BINS = 20

Ranges: TypeAlias = dict[int, tuple[float, float]]
"""Column → the ends of a range, both included; NaN where missing is asked for."""


@dataclass(frozen=True, eq=False)
class NumberPairs:
    """Columns of numbers before and after, rows in the same order."""

    names: tuple[str, ...]  # the columns
    kinds: tuple[str, ...]  # `number`, `date`, `time` or `ordinal` for each
    # their numbers, shape (rows, columns); NaN is missing
    before: FloatArray
    after: FloatArray

    @cached_property
    def edges(self) -> tuple[FloatArray, ...]:
        """The first value of each bin of a column: at most 20, with about equally many original rows each."""
        found = []
        for column in self.before.T:
            known = np.sort(column[~np.isnan(column)])
            places = np.arange(BINS) * len(known) // BINS
            found.append(np.unique(known[places]) if len(known) else known)
        return tuple(found)

    def bins(self, column: int, values: FloatArray) -> LongArray:
        """Return the bin of each value; values below the first bin are in it, missing is after the last."""
        edges = self.edges[column]
        found = np.maximum(np.searchsorted(edges, values, side="right") - 1, 0)
        return np.where(np.isnan(values), len(edges), found).astype(np.int64)


def analyse_columns(columns: NumberPairs, *, seed: int = 1, limit: int = LIMIT) -> Utility:
    """Make the same analyses of columns and of what stands in their place."""
    # A centre holds something of each row of its cluster: that the released rows of the test are left out of
    # training does not take out what other rows of their clusters tell of them.
    if columns.before.shape != columns.after.shape or not columns.before.size:
        raise DataError("the same rows and columns are expected before and after, and at least one of each.")

    for_sample, for_split, for_queries = np.random.default_rng(seed).spawn(3)
    rows = len(columns.before)
    used = columns
    if rows > limit:
        drawn = np.sort(for_sample.choice(rows, limit, replace=False, shuffle=False))
        used = replace(columns, before=columns.before[drawn], after=columns.after[drawn])
    associations = []
    for a, b in itertools.combinations(range(len(columns.names)), 2):
        before, after = (_correlation(values[:, [a, b]]) for values in (columns.before, columns.after))
        associations.append(Association(columns.names[a], columns.names[b], before, after))
    model = _model(used, len(columns.names) - 1, for_split)
    queries = draw_ranges(used, for_queries)
    truth, estimates = (
        np.array([count_ranges(values, ranges) for ranges in queries]) for values in (used.before, used.after)
    )
    return Utility(
        *("microaggregated", rows, rows, 0, len(used.before), seed),
        tuple(_distribution(columns, place) for place in range(len(columns.names))),
        tuple(associations),
        model,
        summarize_queries(truth, estimates, np.zeros(len(queries)), len(used.before)),
    )


def _distribution(columns: NumberPairs, number: int) -> AttributeUtility:
    """Compare a column over bins with about equally many original rows."""
    sides = columns.before[:, number], columns.after[:, number]
    edges = columns.edges[number]
    has_missing = bool(np.isnan(sides[0]).any() or np.isnan(sides[1]).any())
    size = len(edges) + has_missing
    counts = [np.bincount(columns.bins(number, side), minlength=size) for side in sides]
    before, after = (share(own.astype(np.float64)) for own in counts)
    known = [side[~np.isnan(side)] for side in sides]
    means = [float(side.mean()) if len(side) else None for side in known]
    deviations = [float(side.std()) if len(side) else None for side in known]
    labels = [f"from {edge:.6g}" for edge in edges.tolist()]
    distance = total_variation(before, after)
    return AttributeUtility(
        *(columns.names[number], "microaggregated", columns.kinds[number], size, len(np.unique(known[1]))),
        *(distance, distance, (*labels, *((None,) if has_missing else ()))),
        *(tuple(before.tolist()), tuple(after.tolist())),
        *(means[0], means[1], deviations[0], deviations[1]),
        is_ordered=True,
    )


def _correlation(pair: FloatArray) -> float:
    """Return Pearson's correlation over rows that have both; 0 where one of the two does not vary."""
    pair = pair[~np.isnan(pair).any(axis=1)]
    # Constant columns are told by their values: their deviation may be a rounding error.
    if not len(pair) or (pair == pair[0]).all(axis=0).any():
        return 0.0
    centred = pair - pair.mean(axis=0)
    squares = (centred**2).sum(axis=0)
    found = (centred[:, 0] * centred[:, 1]).sum() / np.sqrt(squares[0] * squares[1])
    return float(np.clip(found, -1.0, 1.0))


def draw_ranges(columns: NumberPairs, rng: np.random.Generator, count: int = QUERIES) -> list[Ranges]:
    """Draw ranges of one to three columns, each around a random original row."""
    rows, width = columns.before.shape
    found = []
    for _ in range(count):
        row = int(rng.integers(rows))
        asked = rng.choice(width, int(rng.integers(1, min(MOST_ATTRIBUTES, width) + 1)), replace=False)
        ranges: Ranges = {}
        for number in np.sort(asked).tolist():
            own, others = columns.before[row, number], columns.before[rng.integers(rows, size=2), number]
            low, high = (float(most.reduce(others, initial=own)) for most in (np.fmin, np.fmax))
            ranges[number] = (np.nan, np.nan) if np.isnan(own) else (low, high)
        found.append(ranges)
    return found


def count_ranges(values: FloatArray, ranges: Ranges) -> float:
    """Count the rows whose values lie in all the ranges."""
    fits = np.ones(len(values), dtype=np.bool_)
    for number, (low, high) in ranges.items():
        column = values[:, number]
        fits &= np.isnan(column) if np.isnan(low) else (column >= low) & (column <= high)
    return float(fits.sum())


def _model(columns: NumberPairs, target: int, rng: np.random.Generator) -> ModelUtility | None:
    """Predict a column from the others by models of the original and of the release."""
    features = [number for number in range(len(columns.names)) if number != target]
    learnt, asked_for = split_rows(np.ones(len(columns.before), dtype=np.int64), None, rng)
    truth = columns.before[:, target]
    test = (asked_for > 0) & ~np.isnan(truth)
    parts = [(side, (learnt > 0) & ~np.isnan(side[:, target])) for side in (columns.before, columns.after)]
    if not features or not test.any() or not parts[0][1].any():
        return None
    scale = _scale(columns.before[parts[0][1]])
    rows = int(parts[0][1].sum()), int(parts[1][1].sum()), int(test.sum())
    asked = _points(columns, columns.before[test], features, scale)
    mean = float(truth[parts[0][1]].mean())
    baseline = regression_scores(truth[test], np.full(int(test.sum()), mean))
    scores = []
    for side, train in parts:
        if not train.any():
            scores.append(baseline)
            continue
        points = _points(columns, side[train], features, scale)
        found = learn_numbers(points, side[train, target], np.ones(int(train.sum())), asked)
        scores.append(regression_scores(truth[test], found))
    names = tuple(columns.names[number] for number in features)
    what, model = columns.names[target], MODELS["regression"]
    return ModelUtility(what, "regression", model, names, 0, *rows, scores[0], scores[1], baseline)


def _scale(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation of each column, missing left out; 0 and 1 where there are none."""
    known = ~np.isnan(values)
    count = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, values, 0.0).sum(axis=0) / count
    deviations = np.sqrt((np.where(known, values - means, 0.0) ** 2).sum(axis=0) / count)
    return means, np.where(deviations > 0, deviations, 1.0)


def _points(
    columns: NumberPairs, values: FloatArray, features: list[int], scale: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Return z-scores of features, 0 where missing, beside indicators of bins."""
    parts = []
    for number in features:
        column = values[:, number]
        # Pairs of neighbouring bins, so that few rows suffice to learn from.
        bins = columns.bins(number, column)
        size = len(columns.edges[number])
        groups = np.where(bins == size, (size + 1) // 2, bins // 2)
        parts.append(np.equal.outer(groups, np.arange((size + 1) // 2 + 1)).astype(np.float64))
        parts.append(np.nan_to_num((column - scale[0][number]) / scale[1][number])[:, None])
    return np.hstack(parts)
