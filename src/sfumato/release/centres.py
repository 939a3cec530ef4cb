"""A microaggregated table beside the data that it was made from: the same rows, with centres in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from sfumato.errors import DataError
from sfumato.microaggregation.aggregating import Manner, centres, make_clusters, split_strata
from sfumato.microaggregation.measures import measure_protection
from sfumato.microaggregation.missing import blank_rare
from sfumato.microaggregation.scales import standard_scores
from sfumato.table.numbers import read_codes, read_numbers
from sfumato.table.replacing import row_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import BoolArray, FloatArray, IntArray
    from sfumato.microaggregation.aggregating import Clusters, Method
    from sfumato.release.microaggregated import MicroRecipe, Middle
    from sfumato.spec import Spec
    from sfumato.table import Source
    from sfumato.table.numbers import NumberColumn

NOT_MADE = "the release was not made from these data"
OTHER_ROWS = f"{NOT_MADE}, or the order of rows was changed"
ROUNDING = 1e-7
"""Share of a column's range by which a centre may differ: a file may have been written with fewer digits."""


@dataclass(frozen=True, eq=False)
class BothSides:
    """Microaggregated columns before and after, rows in the same order."""

    columns: tuple[NumberColumn, ...]  # the columns as they were
    # their numbers, and what is released in their place; shape (rows, columns), NaN is missing
    before: FloatArray
    after: FloatArray

    def only(self, names: Sequence[str]) -> BothSides:
        """Return some of the columns."""
        own = [column.name for column in self.columns]
        places = [own.index(name) for name in names]
        columns = tuple(self.columns[place] for place in places)
        return BothSides(columns, self.before[:, places], self.after[:, places])


def read_both(
    original: Source,
    released: Source,
    recipe: MicroRecipe,
    orders: Mapping[str, Sequence[str]] | None = None,
) -> BothSides:
    """Read microaggregated columns before and after, if the release was made from these rows."""
    known = {**(orders or {}), **recipe.orders}
    before, after = (read_numbers(source, recipe.names, known) for source in (original, released))
    rows = [len(side[0].values) for side in (before, after)]
    if rows[0] != rows[1]:
        raise DataError(f"{NOT_MADE}: it has {rows[1]} rows, and the data have {rows[0]}.")
    ours, theirs = (np.column_stack([column.values for column in side]) for side in (before, after))
    strata = None if recipe.within is None else read_codes(original, recipe.within)
    if recipe.order == "sorted":
        # Which row was which is told by doing it again alone.
        made = remake(recipe, before, strata)
        new = {column.name: column.restore(made[:, place]) for place, column in enumerate(before)}
        found = np.empty_like(theirs)
        found[row_order(original, new, recipe.columns)] = theirs
        theirs = found
    # Values are numbered by their first rows, so that equal columns have equal numbers.
    elif strata is not None and not _has_strata(released, recipe, strata):
        raise DataError(f"{OTHER_ROWS}: the strata are others.")
    sides = BothSides(tuple(before), ours, theirs)
    if not _are_centres(sides, recipe, strata):
        raise DataError(f"{OTHER_ROWS}.")
    return sides


def _has_strata(released: Source, recipe: MicroRecipe, strata: IntArray) -> bool:
    """Tell whether a release has the strata of the original, if it shows any."""
    if recipe.within is None or not recipe.is_within_shown:
        return True
    return np.array_equal(strata, read_codes(released, recipe.within))


def remake(recipe: MicroRecipe, columns: Sequence[NumberColumn], strata: IntArray | None) -> FloatArray:
    """Microaggregate once more, and return the centres, rows in the order of the original."""
    values = np.column_stack([column.values for column in columns])
    scaled = standard_scores(values) if recipe.standardize else values
    places = [[recipe.names.index(name) for name in group] for group in recipe.groups]
    manner = Manner(recipe.k, cast("Method", recipe.method), recipe.gain)
    return place_centres(columns, make_clusters(scaled, places, manner, strata=strata), recipe)


def place_centres(
    columns: Sequence[NumberColumn], clusters: Sequence[Clusters], recipe: MicroRecipe
) -> FloatArray:
    """Return the centre of each row's cluster in every column, shape (rows, columns); NaN is missing."""
    found = np.empty((len(columns[0].values), len(columns)), dtype=np.float64)
    for group in clusters:
        for place, number in enumerate(group.columns):
            column, blank = columns[number], group.blank[:, place]
            known = np.where(blank, 0.0, column.values)
            middle = centres(known, group.labels, middle=recipe.centres[column.name])
            found[:, number] = np.where(blank, np.nan, middle)
    return found


def orders_of(spec: Spec | None) -> dict[str, list[str]]:
    """Return the orders of ordinal columns that a specification names."""
    attributes = {} if spec is None else spec.attributes
    return {name: [str(value) for value in item.order] for name, item in attributes.items() if item.order}


def _are_centres(sides: BothSides, recipe: MicroRecipe, strata: IntArray | None) -> bool:
    """Tell whether the clusters of every group have the released values as their centres."""
    first = 0
    for group in recipe.groups:
        part = slice(first, first + len(group))
        first += len(group)
        before, after = sides.before[:, part], sides.after[:, part]
        blank = np.isnan(after)
        if not np.array_equal(blank, _blank_due(before, recipe, strata)):
            return False
        labels = number_clusters(after, strata)
        for place, name in enumerate(group):
            known = np.where(blank[:, place], 0.0, before[:, place])
            due = _centres(known, labels, recipe.centres[name])
            if not _is_close(due, after[:, place], before[:, place]):
                return False
    return True


def _blank_due(values: FloatArray, recipe: MicroRecipe, strata: IntArray | None) -> BoolArray:
    """Return which cells are missing in a release of these values."""
    found = np.isnan(values)
    if found.any():
        scaled = standard_scores(values) if recipe.standardize else values
        for rows in split_strata(strata, len(values), recipe.k):
            found[rows] = blank_rare(scaled[rows], recipe.k)
    return found


def number_clusters(released: FloatArray, strata: IntArray | None = None) -> IntArray:
    """Number rows by their released values, equal ones in one stratum alike; NaN equals NaN.

    Two clusters with the same centres count as one, whose centre is the same again.
    """
    number, span = np.zeros(len(released), dtype=np.int64), 1
    for column in (*released.T, *(() if strata is None else (strata,))):
        distinct, codes = np.unique(column, return_inverse=True)
        if span > 1:
            distinct, codes = np.unique(number * len(distinct) + codes.reshape(-1), return_inverse=True)
        number, span = codes.reshape(-1), len(distinct)
    return number.astype(np.int32)


def _centres(values: FloatArray, labels: IntArray, middle: Middle) -> FloatArray:
    """Return the centre of each row's cluster; means without sorting, which a check of all rows can do."""
    if middle != "mean":
        return centres(values, labels, middle=middle)
    sizes = np.bincount(labels)
    base = np.empty(len(sizes))
    base[labels] = values
    means: FloatArray = base + np.bincount(labels, weights=values - base[labels]) / sizes
    return means[labels]


def _is_close(due: FloatArray, found: FloatArray, values: FloatArray) -> bool:
    known: BoolArray = ~np.isnan(found)
    if not known.any():
        return True
    largest, span = np.abs(values[known]).max(), np.ptp(values[known])
    return bool((np.abs(due - found)[known] <= ROUNDING * span + 1e-12 * largest).all())


def measure_centres(
    before: FloatArray, after: FloatArray, *, scaled: bool, threads: int | None = None
) -> dict[str, float]:
    """Return ``il``, ``id``, ``dld`` and their ``score``, in percent."""
    complete = ~(np.isnan(before) | np.isnan(after)).any(axis=1)
    if not complete.any():
        return {}
    if scaled:
        before, after = standard_scores(before), standard_scores(after, before)
    found = measure_protection(before[complete], after[complete], threads=threads)
    return {"il": found.il, "id": found.id, "dld": found.dld, "score": found.score}
