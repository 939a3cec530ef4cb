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

Templ, M., Kowarik, A. and Meindl, B. (2015). Statistical disclosure control for micro-data using the R
package sdcMicro. Journal of Statistical Software 67(4): household risk, ``measure_risk`` in the package.
https://doi.org/10.18637/jss.v067.i04

Machanavajjhala, A. and others (2007). ℓ-diversity: privacy beyond k-anonymity. ACM TKDD 1(1): the homogeneity
attack. https://doi.org/10.1145/1217299.1217302

Li, N., Li, T. and Venkatasubramanian, S. (2007). t-closeness: privacy beyond k-anonymity and ℓ-diversity.
ICDE: the skewness and similarity attacks. https://doi.org/10.1109/ICDE.2007.367856
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sfumato._typing import BoolArray, FloatArray, LongArray
from sfumato.assess.cells import CellClasses, Cells, count_rows, number_tuples
from sfumato.assess.estimators import estimate_uniques
from sfumato.assess.risk_results import (
    AttributeDisclosure,
    Basis,
    HouseholdRisk,
    Reidentification,
    Similarity,
    SizeBin,
    SizeSummary,
    TableRisk,
    Uniques,
)

WIDTH = 0.1  # values within this share of the range are similar
_ROUNDING = 1e-12


def attribute_disclosure(
    cells: Cells, classes: CellClasses, attribute: str, assumed: Assumptions
) -> AttributeDisclosure:
    """Return what classes give away about one sensitive attribute."""
    # Nothing is learnt about rows whose code is not `known`, nor do they protect others.
    size, rows = cells.sizes[attribute], cells.row_count
    code = cells.codes[attribute]
    positions, branches = assumed.positions.get(attribute), assumed.branches.get(attribute)
    overall, known = assumed.overall.get(attribute), assumed.known.get(attribute)
    total = count_rows(code, cells.rows, size) if overall is None else overall
    pairs, place = np.unique(classes.number * size + code, return_inverse=True)
    inside = count_rows(place.reshape(-1), cells.rows, len(pairs))
    number, value = pairs // size, pairs % size
    share = inside / classes.rows[number]
    gain = share - total[value] / max(int(total.sum()), 1)
    count = len(classes.rows)
    distance = np.bincount(number, weights=np.maximum(gain, 0.0), minlength=count)
    told = np.ones(len(value), dtype=np.bool_) if known is None else known[value]
    owner, shown = number[told], value[told]
    people = count_rows(owner, inside[told], count)
    alone = np.bincount(owner, minlength=count) == 1
    like: BoolArray = np.asarray(alone)
    manner: Similarity | None = None
    if branches is not None:
        span = int(branches.max(initial=0)) + 1
        pairs = np.unique(owner * span + branches[shown])
        like, manner = alone | (np.bincount(pairs // span, minlength=count) == 1), "hierarchy"
    elif positions is not None:
        positions = positions if known is None else np.where(known, positions, np.nan)
        like, manner = alone | _is_narrow(owner, shown, positions, total, count), "range"
    return AttributeDisclosure(
        attribute,
        int(people[alone].sum()),
        int(alone.sum()),
        int(inside[told & (gain > assumed.threshold + _ROUNDING)].sum()),
        float(min(distance.max(initial=0.0), 1.0)),
        float((inside * gain)[told].sum() / max(rows, 1)),
        None if manner is None else int(people[like].sum()),
        rows,
        manner,
    )


def _is_narrow(
    number: LongArray, value: LongArray, positions: FloatArray, total: LongArray, count: int
) -> BoolArray:
    """Tell for each class whether all its known values lie within a tenth of the range."""
    occurring = positions[(total > 0) & ~np.isnan(positions)]
    allowed = WIDTH * (occurring.max() - occurring.min()) if len(occurring) else 0.0
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, number, positions[value])
    np.maximum.at(high, number, positions[value])
    return np.asarray(high - low <= allowed * (1.0 + 1e-12))


THRESHOLD = 0.2  # a chance above this counts as a risk: more than one in five
BINS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)  # where the bins of class sizes begin
_LARGE = 50


def class_sizes(sizes: LongArray) -> SizeSummary:
    """Return the distribution of class sizes, empty bins included; without classes, zeros."""
    ends = (*(start - 1 for start in BINS[1:]), None)
    bins = []
    for start, end in zip(BINS, ends, strict=True):
        inside = sizes[(sizes >= start) & (sizes <= (np.inf if end is None else end))]
        bins.append(SizeBin(start, end, len(inside), int(inside.sum())))
    if not len(sizes):
        return SizeSummary(0, 0, 0, 0.0, tuple(bins))
    return SizeSummary(len(sizes), int(sizes.min()), int(sizes.max()), float(sizes.mean()), tuple(bins))


def expected_chance(sizes: LongArray, fraction: float | FloatArray) -> FloatArray:
    """Return E(1 / F | f) where everyone of a class is in the table with the same probability π, above 0."""
    # The fraction π is one for all classes, or one for each.
    # Given f, F − f is negative binomial: P(F = h) = C(h−1, f−1) π^f (1−π)^(h−f), with E(F) = f / π. Then
    # E(1 / F | f) = (π / f) · ₂F₁(1, 1; f + 1; 1 − π); for f = 1 that is −π ln π / (1 − π).
    from scipy.special import hyp2f1

    # Pairs as complex numbers: these are sorted far quicker than rows of a matrix.
    distinct, place = np.unique(sizes + 1j * np.asarray(fraction), return_inverse=True)
    many, share = distinct.real, distinct.imag
    small = many < _LARGE
    factor = np.empty(len(distinct), dtype=np.float64)
    factor[small] = hyp2f1(1.0, 1.0, many[small] + 1.0, 1.0 - share[small])
    factor[~small] = _series(many[~small], 1.0 - share[~small])
    return np.asarray((share / many * factor)[place.reshape(-1)])


def _series(sizes: FloatArray, rest: FloatArray) -> FloatArray:
    """Return ₂F₁(1, 1; f + 1; 1 − π) for large f, where the library's function gives up."""
    # Term m is m! f! / (f + m)! · (1 − π)^m: sixty of them are exact to the last bit from f = 50 on.
    term = np.ones(len(sizes))
    total = term.copy()
    for m in range(60):
        term = term * (1.0 + m) * rest / (sizes + 1.0 + m)
        total += term
    return total


def household_risk(cells: Cells, classes: CellClasses, chances: FloatArray) -> HouseholdRisk | None:
    """Return the chance that at least one member of a household is found: 1 − Π (1 − r) over its rows."""
    # That is the household risk of sdcMicro, with r the chance that a row's class gives away the household.
    if not cells.has_households or cells.persons is None or not len(cells.rows):
        return None
    with np.errstate(divide="ignore"):
        missed = cells.rows * np.log1p(-np.minimum(chances[classes.number], 1.0))
    _, place = np.unique(cells.persons, return_inverse=True)
    found = -np.expm1(np.bincount(place.reshape(-1), weights=missed))
    return HouseholdRisk(len(found), float(found.max()), float(found.mean()), float(found.sum()))


def marketer(sizes: LongArray, chances: FloatArray) -> float:
    """Return the expected share of correct matches when every record is matched: Σ f_j · chance_j / n."""
    # With chances 1 / f_j, where the table is all that there is to match with, that is J / n.
    return float((sizes * chances).sum() / sizes.sum()) if len(sizes) else 0.0


def of_chances(sizes: LongArray, chances: FloatArray, threshold: float, basis: Basis) -> Reidentification:
    """Summarize the chance of each class over records."""
    records = int(sizes.sum())
    if not records:
        return Reidentification(0.0, 0.0, 0.0, 0, 0.0, threshold, basis)
    at_risk = int(sizes[chances > threshold].sum())
    average = marketer(sizes, chances)
    highest, expected = float(chances.max()), average * records
    return Reidentification(highest, average, expected, at_risk, at_risk / records, threshold, basis)


@dataclass(frozen=True, eq=False)
class Assumptions:
    """What is known besides the table."""

    threshold: float = THRESHOLD  # above which a chance counts as a risk
    fraction: float | None = None  # share of the population that is in the table; None where nobody says
    # sensitive attribute → where each code lies on a line; only those with an order
    positions: Mapping[str, FloatArray] = field(default_factory=dict)
    # sensitive attribute → the branch of its hierarchy that each code is in; only where one is known
    branches: Mapping[str, LongArray] = field(default_factory=dict)
    # sensitive attribute → rows of each code that classes are compared with; the table's own otherwise
    overall: Mapping[str, LongArray] = field(default_factory=dict)
    # sensitive attribute → whether each code is a value that someone can learn; every code otherwise
    known: Mapping[str, BoolArray] = field(default_factory=dict)


def assess(
    cells: Cells,
    names: Sequence[str],
    sensitive: Sequence[str] = (),
    assumed: Assumptions | None = None,
    *,
    population: Cells | None = None,
) -> TableRisk:
    """Return the risks of a table."""
    # With a population table the uniques that are unique there too are counted; weights are used only without
    # one, and a sampling fraction only without either.
    assumed = Assumptions() if assumed is None else assumed
    classes = cells.classes(names)
    sizes = classes.records
    people = None if population is None else population_sizes(cells, classes, names, population)
    # The journalist finds a record of class j with the chance 1 / F_j, or E(1 / F_j | f_j). With
    # π_j = f_j / F̂_j, where weights estimate F̂_j, it is the individual risk of Benedetti and Franconi.
    basis: Basis = "sample"
    chances = 1.0 / sizes
    if people is not None:
        chances, basis = 1.0 / np.maximum(sizes, people), "population"
    elif cells.weights is not None:
        chances, basis = expected_chance(sizes, sizes / cells.estimate_population(classes)), "weight"
    elif assumed.fraction is not None:
        chances, basis = expected_chance(sizes, assumed.fraction), "fraction"
    found = None if basis == "sample" else of_chances(sizes, chances, assumed.threshold, basis)
    if found is not None and people is not None and len(sizes):
        # The average is El Emam's: the larger of J / Σ F_j (somebody of these classes is drawn from the
        # population) and Σ (f_j / F_j) / n (a record is drawn from the table; by a fraction always this).
        drawn = len(sizes) / int(np.maximum(sizes, people).sum())
        found = replace(found, average=max(found.average, drawn))
    return TableRisk(
        cells.row_count,
        int(sizes.sum()),
        cells.unit,
        class_sizes(sizes),
        # The prosecutor knows that the person is in the table: J / n on average, 1 / min f_j at most.
        of_chances(sizes, 1.0 / sizes, assumed.threshold, "sample"),
        found,
        marketer(sizes, chances),
        _uniques(sizes, people, assumed.fraction),
        tuple(attribute_disclosure(cells, classes, name, assumed) for name in sensitive),
        household_risk(cells, classes, chances),
    )


def _uniques(sizes: LongArray, people: LongArray | None, fraction: float | None) -> Uniques:
    """Count the uniques of the table, and count or estimate those of the population."""
    unique = sizes == 1
    count = int(unique.sum())
    share = count / max(int(sizes.sum()), 1)
    if people is not None:
        return Uniques(count, share, int((unique & (people <= 1)).sum()))
    if fraction is None:
        return Uniques(count, share)
    return Uniques(count, share, None, *estimate_uniques(sizes, fraction))


def population_sizes(
    cells: Cells, classes: CellClasses, names: Sequence[str], population: Cells
) -> LongArray:
    """Return for each class how many of the population have its values; 0 where nobody has."""
    split = len(cells.rows)
    columns = [np.concatenate([cells.codes[name], population.codes[name]]) for name in names]
    sizes = [max(cells.sizes[name], population.sizes[name]) for name in names]
    number = number_tuples(columns, sizes)
    theirs = number[split:]
    many = population.count_records(theirs, int(number.max(initial=-1)) + 1)
    found = np.zeros(len(classes.rows), dtype=np.int64)
    found[classes.number] = many[number[:split]]
    return found
