"""A model trained on the release, tested on original rows that neither it nor its rival has seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato._typing import FloatArray, IntArray, LongArray
from sfumato.assess.recoded import (
    Recoded,
    RecodedAttribute,
    count_rows,
    encode_attribute,
    indicators,
    number_patterns,
    pool,
)
from sfumato.assess.utility import ModelUtility, Task

PENALTY = 1.0
MOST_STEPS = 100
DIGITS = 4  # decimals of a probability that training decides


def learn_classes(points: FloatArray, weights: FloatArray, asked: FloatArray) -> FloatArray:
    """Train a logistic regression and return how likely each class is."""
    # Of two classes it is the usual binary one, of more the multinomial one; intercepts are not penalized.
    seen = np.flatnonzero(weights.sum(axis=0) > 0)
    likely = np.zeros((len(asked), weights.shape[1]))
    if not len(seen):
        return np.full(likely.shape, 1 / weights.shape[1])
    if len(seen) == 1:
        likely[:, seen[0]] = 1.0
        return likely
    from scipy.optimize import minimize
    from threadpoolctl import threadpool_limits

    known, counts = _with_intercept(points), weights[:, seen]
    # The vectors of two classes are opposite halves of the binary model's: their squares sum to half of its.
    penalty = np.full((known.shape[1], 1), PENALTY * (2.0 if len(seen) == 2 else 1.0))
    penalty[-1] = 0.0

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        vectors = flat.reshape(known.shape[1], len(seen))
        logarithms = _log_shares(known @ vectors)
        slopes = known.T @ (np.exp(logarithms) * counts.sum(axis=1, keepdims=True) - counts)
        size = 0.5 * float((penalty * vectors**2).sum()) - float((counts * logarithms).sum())
        return size, (slopes + penalty * vectors).reshape(-1)

    # One thread: sums in another order would end in other digits.
    with threadpool_limits(1):
        start, options = np.zeros(known.shape[1] * len(seen)), {"maxiter": MOST_STEPS}
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
        vectors = found.x.reshape(known.shape[1], len(seen))
        likely[:, seen] = np.exp(_log_shares(_with_intercept(asked) @ vectors))
    return likely


def _with_intercept(points: FloatArray) -> FloatArray:
    return np.column_stack([points, np.ones(len(points))])


def _log_shares(scores: FloatArray) -> FloatArray:
    """Return the logarithms of softmax; the largest score is taken off first, so that nothing overflows."""
    scores = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))


def learn_numbers(
    points: FloatArray, means: FloatArray, weights: FloatArray, asked: FloatArray
) -> FloatArray:
    """Train a ridge regression, the intercept not penalized, and return what it predicts."""
    from threadpoolctl import threadpool_limits

    some = weights > 0
    points, means, weights = points[some], means[some], weights[some]
    with threadpool_limits(1):
        centre, middle = (np.average(part, axis=0, weights=weights) for part in (points, means))
        apart = points - centre
        spread = apart.T @ (apart * weights[:, None]) + PENALTY * np.eye(points.shape[1])
        slopes = np.linalg.solve(spread, apart.T @ (weights * (means - middle)))
        return np.asarray((asked - centre) @ slopes + middle)


def classification_scores(truth: LongArray, likely: FloatArray) -> dict[str, float]:
    """Score predicted classes."""
    predicted = likely.argmax(axis=1)
    right = predicted == truth
    classes = np.unique(truth)
    recalls = [float(right[truth == number].mean()) for number in classes]
    areas = [_area(truth == number, likely[:, number]) for number in classes]
    return {
        "accuracy": float(right.mean()),
        "balanced_accuracy": float(np.mean(recalls)),
        "auc": float(np.mean(areas)),
    }


def _area(belongs: FloatArray, likely: FloatArray) -> float:
    """Return the share of pairs that are in the right order, ties as half; 0.5 without pairs."""
    ours = int(belongs.sum())
    others = len(belongs) - ours
    if not ours or not others:
        return 0.5
    # What differs by less than training decides is a tie: else noise would rank rows that look alike.
    _, place, counts = np.unique(np.round(likely, DIGITS), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place.reshape(-1)]
    return float((ranks[belongs].sum() - ours * (ours + 1) / 2) / (ours * others))


def regression_scores(truth: FloatArray, predicted: FloatArray) -> dict[str, float]:
    """Score predicted numbers."""
    errors = float(((truth - predicted) ** 2).sum())
    spread = float(((truth - truth.mean()) ** 2).sum())
    r2 = 1 - errors / spread if spread > 0 else float(errors == 0)
    return {"r2": r2, "mae": float(np.abs(truth - predicted).mean())}


TEST_SHARE = 0.3
MOST_TEST_ROWS = 20_000
MOST_TRAIN_ROWS = 40_000


def split_rows(
    rows: LongArray, persons: IntArray | None, rng: np.random.Generator
) -> tuple[LongArray, LongArray]:
    """Return how many rows of each cell to train on, and how many to test: three tenths, at random."""
    cells = np.repeat(np.arange(len(rows)), rows)
    if persons is None:
        units = np.arange(len(cells))
    else:
        units = np.unique(persons[cells], return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(units)
    order = rng.permutation(len(sizes))
    ends = np.empty(len(sizes), dtype=np.int64)
    ends[order] = np.cumsum(sizes[order])
    test_rows = min(TEST_SHARE * len(cells), MOST_TEST_ROWS)
    is_test = ends <= max(test_rows, sizes[order[0]] if len(order) else 0)
    is_train = ~is_test & (ends <= ends[is_test].max(initial=0) + MOST_TRAIN_ROWS)
    train, test = (
        np.bincount(cells[chosen[units]], minlength=len(rows)).astype(np.int64)
        for chosen in (is_train, is_test)
    )
    return train, test


MOST_CLASSES = 20  # classes of a target; of one with more values, the rarest share the last
MODELS: dict[Task, str] = {"classification": "logistic regression", "regression": "ridge regression"}


@dataclass(frozen=True, eq=False)
class _Side:
    """What one of the two models sees of each cell: its values, or its blocks."""

    # for each feature the code or block of each cell, and the point of each code or block
    columns: list[LongArray]
    points: list[FloatArray]
    # the target's code or block of each cell; of each code or block the share of every class, or its number
    target: LongArray
    meanings: FloatArray

    def placed(self, cells: LongArray) -> FloatArray:
        """Return the points of some cells."""
        parts = [points[column[cells]] for column, points in zip(self.columns, self.points, strict=True)]
        return np.hstack(parts)

    def patterns(self, rows: LongArray) -> tuple[FloatArray, FloatArray]:
        """Return the distinct points of rows to train on, and the sum of meanings at each."""
        # Meanings that are one number for each row are summed beside a column that counts the rows.
        cells = np.flatnonzero(rows)
        numbers, first = number_patterns([column[cells] for column in self.columns], len(cells))
        meanings = self.meanings[self.target[cells]] * rows[cells, None]
        sums = [count_rows(numbers, meaning, len(first)) for meaning in meanings.T]
        return self.placed(cells[first]), np.column_stack(sums)


def task_of(attribute: RecodedAttribute, counts: FloatArray) -> Task:
    """Return ``regression`` for numbers and dates of more than two values, else ``classification``."""
    different = int((counts[: attribute.known] > 0).sum())
    is_number = attribute.kind in ("number", "date") and attribute.numbers is not None
    return "regression" if is_number and different > 2 else "classification"


def compare_model(table: Recoded, target: int, rng: np.random.Generator) -> ModelUtility | None:
    """Train a model on the release and the same on the original, and test both on the same original rows."""
    # Rows of the test are in no training part: the released rows that they became are left out. Suppressed
    # rows of the training part are left out of the release's alone; the test has suppressed rows too, for the
    # analyst's question is about people, not about the file. Rows without a known target are in no part.
    attribute = table.attributes[target]
    features = [number for number in range(len(table.attributes)) if number != target]
    has_target = table.codes[:, target] < attribute.known
    parts = split_rows(table.rows, table.persons, rng)
    train, test = (np.where(has_target, part, 0) for part in parts)
    if not features or not train.any() or not test.any():
        return None
    counts = _count(table, target, train)
    task = task_of(attribute, counts)
    original, release = _sides(table, features, target, train, _meanings(attribute, counts, task))
    cells = np.flatnonzero(test)
    asked = original.placed(cells)
    truth = np.repeat(original.meanings[original.target[cells]], test[cells], axis=0)
    scores = []
    for side, rows in ((original, train), (release, np.where(table.kept, train, 0))):
        found = _predict(side, rows, asked, task) if rows.any() else None
        scores.append(None if found is None else _score(truth, np.repeat(found, test[cells], axis=0), task))
    # Guessing gives every row the most frequent class, or the mean.
    sums = (original.meanings[original.target] * train[:, None]).sum(axis=0)
    guess = sums / sums.sum() if task == "classification" else sums[:1] / sums[1]
    baseline = _score(truth, np.tile(guess, (len(truth), 1)), task)
    names = tuple(table.attributes[number].name for number in features)
    classes = original.meanings.shape[1] if task == "classification" else 0
    counts_of = int(train.sum()), int(train[table.kept].sum()), int(test.sum())
    one, other = (score or baseline for score in scores)
    return ModelUtility(attribute.name, task, MODELS[task], names, classes, *counts_of, one, other, baseline)


def _count(table: Recoded, number: int, rows: LongArray) -> FloatArray:
    """Count the rows to train on of each code."""
    return count_rows(table.codes[:, number], rows, table.attributes[number].size)


def _meanings(attribute: RecodedAttribute, counts: FloatArray, task: Task) -> tuple[FloatArray, FloatArray]:
    """Return what codes and blocks of the target mean: shares of classes, or a number beside a one."""
    if task == "classification":
        known = pool(attribute, counts, MOST_CLASSES)[: attribute.known]
        codes = indicators(known)
        # A missing target is of no class; neither is what a block holds of it.
        codes = np.vstack([codes, np.zeros((attribute.size - attribute.known, codes.shape[1]))])
        return codes, attribute.block_means(codes)
    assert attribute.numbers is not None
    assert attribute.block_numbers is not None
    parts = [np.nan_to_num(numbers) for numbers in (attribute.numbers, attribute.block_numbers)]
    codes, blocks = (np.column_stack([numbers, np.ones(len(numbers))]) for numbers in parts)
    return codes, blocks


def _sides(
    table: Recoded,
    features: Sequence[int],
    target: int,
    train: LongArray,
    meanings: tuple[FloatArray, FloatArray],
) -> tuple[_Side, _Side]:
    """Return what the original's model sees and what the release's does."""
    points = [encode_attribute(table.attributes[number], _count(table, number, train)) for number in features]
    *codes, code = (table.codes[:, number].astype(np.int64) for number in (*features, target))
    *blocks, block = (table.blocks(number).astype(np.int64) for number in (*features, target))
    original = _Side(codes, [own for own, _ in points], code, meanings[0])
    return original, _Side(blocks, [own for _, own in points], block, meanings[1])


def _predict(side: _Side, rows: LongArray, asked: FloatArray, task: Task) -> FloatArray:
    """Train on some rows and predict at points."""
    points, sums = side.patterns(rows)
    if task == "classification":
        return learn_classes(points, sums, asked)
    return learn_numbers(points, sums[:, 0] / sums[:, 1], sums[:, 1], asked)[:, None]


def _score(truth: FloatArray, found: FloatArray, task: Task) -> dict[str, float]:
    if task == "classification":
        return classification_scores(truth.argmax(axis=1), found)
    return regression_scores(truth[:, 0], found[:, 0])
