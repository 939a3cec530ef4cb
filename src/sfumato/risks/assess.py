"""All risks of one table, from its cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sfumato.risks.cells import count_rows, number_tuples
from sfumato.risks.disclosure import attribute_disclosure
from sfumato.risks.estimators import estimate_uniques
from sfumato.risks.reidentification import (
    THRESHOLD,
    class_sizes,
    expected_chance,
    journalist,
    journalist_by_fraction,
    marketer,
    prosecutor,
)
from sfumato.risks.result import TableRisk, Uniques

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import FloatArray, LongArray
    from sfumato.risks.cells import Cells, Classes


@dataclass(frozen=True, eq=False)
class Assumptions:
    """What is known beside the table."""

    threshold: float = THRESHOLD  # above which a chance counts as a risk
    fraction: float | None = None  # share of the population that is in the table; None where nobody says
    # sensitive attribute → where each code lies on a line; only those with an order
    positions: Mapping[str, FloatArray] = field(default_factory=dict)
    # sensitive attribute → the branch of its hierarchy that each code is in; only where one is known
    branches: Mapping[str, LongArray] = field(default_factory=dict)
    # sensitive attribute → rows of each code that classes are compared with; the table's own otherwise
    overall: Mapping[str, LongArray] = field(default_factory=dict)


def assess(
    cells: Cells,
    names: Sequence[str],
    sensitive: Sequence[str] = (),
    assumed: Assumptions | None = None,
    *,
    population: Cells | None = None,
) -> TableRisk:
    """Return the risks of a table.

    With a population table the uniques that are unique there too are counted; a sampling fraction is used
    only without one.
    """
    assumed = Assumptions() if assumed is None else assumed
    classes = cells.classes(names)
    sizes = classes.records
    people = None if population is None else population_sizes(cells, classes, names, population)
    chances, found = 1.0 / sizes, None
    if people is not None:
        chances = 1.0 / np.maximum(sizes, people)
        found = journalist(sizes, people, assumed.threshold)
    elif assumed.fraction is not None:
        chances = expected_chance(sizes, assumed.fraction)
        found = journalist_by_fraction(sizes, assumed.fraction, assumed.threshold)
    return TableRisk(
        cells.row_count,
        int(sizes.sum()),
        cells.unit,
        class_sizes(sizes),
        prosecutor(sizes, assumed.threshold),
        found,
        marketer(sizes, chances),
        _uniques(sizes, people, assumed.fraction),
        tuple(
            attribute_disclosure(
                cells,
                classes,
                name,
                threshold=assumed.threshold,
                positions=assumed.positions.get(name),
                branches=assumed.branches.get(name),
                overall=assumed.overall.get(name),
            )
            for name in sensitive
        ),
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


def population_sizes(cells: Cells, classes: Classes, names: Sequence[str], population: Cells) -> LongArray:
    """Return for each class how many of the population have its values; 0 where nobody has."""
    split = len(cells.rows)
    columns = [np.concatenate([cells.codes[name], population.codes[name]]) for name in names]
    sizes = [max(cells.sizes[name], population.sizes[name]) for name in names]
    number = number_tuples(columns, sizes)
    theirs = number[split:]
    count = int(number.max(initial=-1)) + 1
    if population.persons is None:
        many = count_rows(theirs, population.rows, count)
    else:
        people = int(population.persons.max(initial=0)) + 1
        pairs = np.unique(theirs * people + population.persons)
        many = np.bincount(pairs // people, minlength=count).astype(np.int64)
    found = np.zeros(len(classes.rows), dtype=np.int64)
    found[classes.number] = many[number[:split]]
    return found
