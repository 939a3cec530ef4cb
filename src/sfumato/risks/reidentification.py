"""Prosecutor, journalist and marketer: the chance that a record is given the right name.

Throughout, f_j is the size of class j in the table, F_j in the population, n the records of the table and J
the number of its classes.

References
----------
El Emam, K. (2013). Guide to the De-Identification of Personal Health Information, chapter 16: the nine
metrics of prosecutor, journalist and marketer risk.

Dankar, F. K. and El Emam, K. (2010). A method for evaluating marketer re-identification risk. EDBT/ICDT
Workshops. https://doi.org/10.1145/1754239.1754271

Benedetti, R. and Franconi, L. (1998). Statistical and technological solutions for controlled data
dissemination. New Techniques and Technologies for Statistics: F given f as negative binomial.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from sfumato.risks.result import ClassSizes, Reidentification, SizeBin

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray

THRESHOLD = 0.2
"""A chance above this counts as a risk: more than one in five."""
BINS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
"""Where the bins of class sizes begin."""
_LARGE = 50


def class_sizes(sizes: LongArray) -> ClassSizes:
    """Return the distribution of class sizes, empty bins included; without classes, zeros."""
    ends = (*(start - 1 for start in BINS[1:]), None)
    bins = []
    for start, end in zip(BINS, ends, strict=True):
        inside = sizes[(sizes >= start) & (sizes <= (np.inf if end is None else end))]
        bins.append(SizeBin(start, end, len(inside), int(inside.sum())))
    if not len(sizes):
        return ClassSizes(0, 0, 0, 0.0, tuple(bins))
    return ClassSizes(len(sizes), int(sizes.min()), int(sizes.max()), float(sizes.mean()), tuple(bins))


def prosecutor(sizes: LongArray, threshold: float = THRESHOLD) -> Reidentification:
    """Return the risk from an attacker who knows that the person is in the table.

    A record of class j has the chance 1 / f_j; the average is J / n, the highest 1 / min f_j.
    """
    return _of_chances(sizes, 1.0 / sizes, threshold, "sample")


def journalist(sizes: LongArray, population: LongArray, threshold: float = THRESHOLD) -> Reidentification:
    """Return the risk from an attacker who finds people in a population table instead.

    A record of class j has the chance 1 / F_j. The average is El Emam's: the larger of J / Σ F_j (somebody of
    these classes is drawn from the population) and Σ (f_j / F_j) / n (a record is drawn from the table).
    """
    known = np.maximum(sizes, population)
    found = _of_chances(sizes, 1.0 / known, threshold, "population")
    from_population = len(sizes) / int(known.sum()) if len(sizes) else 0.0
    return replace(found, average=max(found.average, from_population))


def journalist_by_fraction(
    sizes: LongArray, fraction: float, threshold: float = THRESHOLD
) -> Reidentification:
    """Return the risk from an attacker with a population table of which only the sampling fraction is known.

    A record of class j has the chance E(1 / F_j | f_j), see :func:`expected_chance`. The larger of the two
    averages of :func:`journalist` is then always the one over records.
    """
    return _of_chances(sizes, expected_chance(sizes, fraction), threshold, "fraction")


def expected_chance(sizes: LongArray, fraction: float) -> FloatArray:
    """Return E(1 / F | f) where everyone of the population is in the table with the same probability.

    Given f, F − f is negative binomial: P(F = h) = C(h−1, f−1) π^f (1−π)^(h−f), with E(F) = f / π. Then
    E(1 / F | f) = (π / f) · ₂F₁(1, 1; f + 1; 1 − π); for f = 1 that is −π ln π / (1 − π).

    Examples
    --------
    >>> expected_chance(np.array([1, 2, 10]), 0.1).round(4).tolist()
    [0.2558, 0.0827, 0.011]
    """
    from scipy.special import hyp2f1

    distinct, place = np.unique(sizes, return_inverse=True)
    small = distinct < _LARGE
    factor = np.empty(len(distinct), dtype=np.float64)
    factor[small] = hyp2f1(1.0, 1.0, distinct[small] + 1.0, 1.0 - fraction)
    factor[~small] = _series(distinct[~small].astype(np.float64), 1.0 - fraction)
    return (fraction / distinct * factor)[place.reshape(-1)]


def _series(sizes: FloatArray, rest: float) -> FloatArray:
    """Return ₂F₁(1, 1; f + 1; 1 − π) for large f, where the library's function gives up.

    Term m is m! f! / (f + m)! · (1 − π)^m: sixty of them are exact to the last bit from f = 50 on.
    """
    term = np.ones(len(sizes))
    total = term.copy()
    for m in range(60):
        term = term * (1.0 + m) * rest / (sizes + 1.0 + m)
        total += term
    return total


def marketer(sizes: LongArray, chances: FloatArray) -> float:
    """Return the expected share of correct matches when every record is matched: Σ f_j · chance_j / n.

    With chances 1 / f_j, where the table is all that there is to match with, that is J / n.
    """
    return float((sizes * chances).sum() / sizes.sum()) if len(sizes) else 0.0


def _of_chances(
    sizes: LongArray,
    chances: FloatArray,
    threshold: float,
    basis: Literal["sample", "population", "fraction"],
) -> Reidentification:
    """Summarize the chance of each class over records."""
    records = int(sizes.sum())
    if not records:
        return Reidentification(0.0, 0.0, 0, 0.0, threshold, basis)
    at_risk = int(sizes[chances > threshold].sum())
    average = marketer(sizes, chances)
    return Reidentification(float(chances.max()), average, at_risk, at_risk / records, threshold, basis)
