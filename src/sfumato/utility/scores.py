"""How good predictions are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray


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
    from scipy.stats import rankdata

    ours = int(belongs.sum())
    others = len(belongs) - ours
    if not ours or not others:
        return 0.5
    ranks = rankdata(likely)
    return float((ranks[belongs].sum() - ours * (ours + 1) / 2) / (ours * others))


def regression_scores(truth: FloatArray, predicted: FloatArray) -> dict[str, float]:
    """Score predicted numbers."""
    errors = float(((truth - predicted) ** 2).sum())
    spread = float(((truth - truth.mean()) ** 2).sum())
    r2 = 1 - errors / spread if spread > 0 else float(errors == 0)
    return {"r2": r2, "mae": float(np.abs(truth - predicted).mean())}
