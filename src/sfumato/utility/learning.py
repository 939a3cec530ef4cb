"""The models: linear, so that a block and the mean of its values are one to them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import FloatArray

PENALTY = 1.0
MOST_STEPS = 100


def learn_classes(points: FloatArray, weights: FloatArray, asked: FloatArray) -> FloatArray:
    """Train a logistic regression and return how likely each class is."""
    seen = np.flatnonzero(weights.sum(axis=0) > 0)
    likely = np.zeros((len(asked), weights.shape[1]))
    if not len(seen):
        return np.full(likely.shape, 1 / weights.shape[1])
    if len(seen) == 1:
        likely[:, seen[0]] = 1.0
        return likely
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    place, number = np.nonzero(weights)
    model = LogisticRegression(C=1 / PENALTY, max_iter=MOST_STEPS)
    # One thread: sums in another order would end in other digits.
    with warnings.catch_warnings(), threadpool_limits(1):
        # The number of steps is a choice, the same for every table.
        warnings.simplefilter("ignore")
        model.fit(points[place], number, sample_weight=weights[place, number])
        likely[:, model.classes_] = model.predict_proba(asked)
    return likely


def learn_numbers(
    points: FloatArray, means: FloatArray, weights: FloatArray, asked: FloatArray
) -> FloatArray:
    """Train a ridge regression and return what it predicts."""
    from sklearn.linear_model import Ridge
    from threadpoolctl import threadpool_limits

    some = weights > 0
    with threadpool_limits(1):
        model = Ridge(alpha=PENALTY, solver="cholesky")
        model.fit(points[some], means[some], sample_weight=weights[some])
        found: FloatArray = model.predict(asked)
    return found
