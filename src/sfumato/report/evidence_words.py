"""Evidence in words, and the plain values of a verdict read with care."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sfumato.front.words import number_words, printable
from sfumato.release.verify.names import split_name
from sfumato.report.pieces import share_words
from sfumato.report.words import measure_words

if TYPE_CHECKING:
    from sfumato.utility.result import ModelUtility

SCORES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "auc": "area under the curve",
    "r2": "explained variance (R²)",
    "mae": "mean absolute error",
}


def model_sentence(model: ModelUtility) -> str:
    """Return in one sentence what a model trained on the release loses."""
    name = next((score for score in SCORES if score in model.original and score in model.release), None)
    if name is None:
        return ""
    before, after = score_words(name, model.original[name]), score_words(name, model.release[name])
    guess = f"; guessing reaches {score_words(name, model.baseline[name])}" if name in model.baseline else ""
    return (
        f"A model that predicts {printable(model.target)} has {SCORES[name]} {after} "
        f"when it learns from the release, {before} from the original{guess}."
    )


def score_words(name: str, value: float) -> str:
    """Return a score as people read it: shares in percent, errors in their own unit."""
    return number_words(value) if name == "mae" else share_words(value)


def told_words(name: str) -> str:
    """Return a measure in words, also one that is taken over some columns alone.

    Examples
    --------
    >>> told_words("k"), told_words("k(weight, height)")
    ('smallest class (k)', 'smallest class over weight, height (k)')
    """
    bare, columns = split_name(name)
    return (
        f"smallest class over {printable(', '.join(columns))} (k)"
        if bare == "k" and columns
        else measure_words(name)
    )


def mapping(value: object) -> Mapping[str, object]:
    """Return a mapping of a verdict; an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def texts(value: object) -> list[str]:
    """Return texts of a verdict; none for anything else."""
    return [str(item) for item in value] if isinstance(value, list | tuple) else []
