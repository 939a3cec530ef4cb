"""Microaggregate a table of any kind: read its numbers, make clusters, put their centres in place, verify."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from sfumato.errors import DataError, ParameterError
from sfumato.microaggregation.aggregating import (
    check_columns,
    check_groups,
    check_manner,
    check_orders,
    make_clusters,
    smallest_class,
)
from sfumato.microaggregation.grouping import GroupingSettings, group_columns
from sfumato.microaggregation.measures import standard_scores
from sfumato.microaggregation.partitioning import GAIN
from sfumato.private import scratch_folder, spare_inputs
from sfumato.publishable import PublishableRows
from sfumato.release.microaggregated import (
    MicroRecipe,
    measure_centres,
    place_centres,
    verify_rows,
    write_microaggregated,
)
from sfumato.table import open_source, write_table
from sfumato.table.values import read_codes, read_numbers, refuse_unknown
from sfumato.table.writing import find_unique, replace_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sfumato._typing import BoolArray, FloatArray, IntArray
    from sfumato.assess.gather import Origin
    from sfumato.microaggregation.aggregating import Clusters, Groups, Method, NamedGroups
    from sfumato.monitor import Progress
    from sfumato.release import Manifest
    from sfumato.spec import Spec
    from sfumato.table import Source
    from sfumato.table.values import NumberColumn


@dataclass(frozen=True, eq=False)
class Microaggregated(PublishableRows):
    """A microaggregated table, not written yet.

    Parameters
    ----------
    table
        The table before anything that is not published was left behind; see `to_frame`. Rows are in the
        order of the input, or sorted, as the recipe says.
    recipe
        What was done.
    columns
        The microaggregated columns as they were.
    centres
        What stands in their place, on the scale of the columns; shape (n, columns). NaN is missing.
    clusters
        The clusters of each group of columns.
    strata
        The stratum of each row, or None.
    unique
        Columns that are published unchanged and differ in every row: they may identify people.
    source
        Where the rows come from.
    threads
        Threads that measuring uses.
    """

    table: object = field(repr=False)
    recipe: MicroRecipe
    columns: tuple[NumberColumn, ...] = field(repr=False)
    centres: FloatArray = field(repr=False)
    clusters: tuple[Clusters, ...] = field(repr=False)
    strata: IntArray | None = field(repr=False)
    unique: tuple[str, ...]
    source: Source = field(repr=False)
    threads: int | None = None

    @property
    def k(self) -> int:
        """The smallest size of a cluster that was asked for; it holds in each group of columns."""
        return self.recipe.k

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Names of the columns that were microaggregated together."""
        return self.recipe.groups

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return len(self.centres)

    @property
    def labels(self) -> dict[tuple[str, ...], IntArray]:
        """Group → the number of each row's cluster."""
        return dict(zip(self.groups, (item.labels for item in self.clusters), strict=True))

    @cached_property
    def joint_k(self) -> int:
        """The size of the smallest class over all microaggregated columns together.

        It is what k-anonymity means to someone who knows them all. With several groups it is usually far
        below k, often 1: grouping columns destroys k-anonymity.
        """
        strata = [self.strata] if self.strata is not None and self.recipe.is_within_shown else []
        return smallest_class([*self.centres.T, *strata])[0]

    @cached_property
    def measures(self) -> dict[str, float]:
        """The joint ``k``, and in percent ``il``, ``id``, ``dld`` and their ``score``.

        Taken between z-scores where distances were (else between the numbers themselves), over the rows
        without any missing cell, in the table or in the release; without such rows there is only k. These
        numbers are exact, for you alone: the manifest states them in coarse steps, since exact ones allow
        to solve for original values.
        """
        found = {"k": float(self.joint_k)}
        original = np.column_stack([column.values for column in self.columns])
        scaled = self.recipe.standardize
        return {**found, **measure_centres(original, self.centres, scaled=scaled, threads=self.threads)}

    @property
    def _blank(self) -> BoolArray:
        return np.isnan(self.centres)

    @property
    def missing(self) -> dict[str, int]:
        """Cells missing ``before``, and cells ``blanked`` because too few rows lack the same columns."""
        before = int(sum(np.isnan(column.values).sum() for column in self.columns))
        return {"before": before, "blanked": int(self._blank.sum()) - before}

    @property
    def warnings(self) -> list[str]:
        """What the publisher should know before this is published."""
        found, groups, blanked = [], len(self.groups), self.missing["blanked"]
        if self.joint_k < self.k:
            found.append(
                f"{self.k} rows are alike in each of {groups} groups of columns alone. Anyone who knows all "
                f"columns faces classes as small as {self.joint_k}: this table is not {self.k}-anonymous."
            )
        kept = [name for name in self.recipe.columns if name not in self.recipe.names]
        if kept:
            names = ", ".join(repr(name) for name in kept)
            found.append(f"published unchanged, and not protected by k: {names}.")
        for name in self.unique:
            found.append(
                f"the column {name!r} differs in every row and is published as it is: it may identify people."
            )
        if blanked:
            found.append(
                f"{blanked} cells were blanked: fewer than {self.k} rows have values in the same columns."
            )
        return found

    def verify(self) -> dict[str, float]:
        """Recount the classes with code that shares nothing with what made them.

        Returns
        -------
        dict
            ``k`` over all columns together, then k in each group, as recounted.

        Raises
        ------
        VerificationError
            If a class of a group has fewer than k rows.
        """
        with scratch_folder() as folder:
            promise = self.recipe.promise(self.rows, self.joint_k)
            found = verify_rows(lambda path: write_table(self.table, path), Path(folder), promise)
        return {"k": found.joint, **dict(zip(self.recipe.require, found.sizes, strict=True))}

    def _rows(self) -> object:
        return self.table

    def _write(self, path: Path, *, force: bool = False) -> Manifest:
        return write_microaggregated(
            lambda draft: write_table(self.table, draft),
            path,
            self.recipe,
            self.recipe.promise(self.rows, self.joint_k),
            measures={name: number for name, number in self.measures.items() if name != "k"},
            force=force,
        )

    def _spare_inputs(self, *outputs: Path) -> None:
        if self.source.file is not None:
            spare_inputs(outputs, [self.source.file.path])

    def _origin(self) -> Origin:
        from sfumato.assess.gather import Origin

        return Origin(self.source, None, self)


def microaggregate(  # noqa: PLR0913 (keywords alone from the fourth on, and no two that belong together)
    data: object,
    columns: Sequence[str],
    k: int = 5,
    *,
    groups: Groups = None,
    standardize: bool = True,
    method: Method = "mdav",
    within: str | None = None,
    centroid: Literal["mean", "median"] = "mean",
    orders: Mapping[str, Sequence[str]] | None = None,
    keep: Sequence[str] = (),
    sort: bool = False,
    drop: Sequence[str] | None = None,
    gain: float = GAIN,
    seed: int = 1,
    threads: int | None = None,
    time_limit: float | None = None,
    callback: Callable[[Progress], bool | None] | None = None,
    spec: Spec | None = None,
) -> Microaggregated:
    """Replace the values of columns by the centres of clusters of at least k similar rows.

    Parameters
    ----------
    data
        A frame or a path.
    columns
        Columns of numbers, dates, or texts with an order.
    k
        Smallest size of a cluster, from 2 to the number of rows.
    groups
        Lists of columns that are microaggregated together, each column in one; None for one group of all;
        ``auto`` to search for groups by GOMM. With several groups k holds in each group alone, not over all
        columns.
    standardize
        Take distances between z-scores. Columns are released on their own scale either way.
    method
        ``mdav``; ``v-mdav``, whose clusters grow where rows are dense; or ``univariate``, the optimum for
        each column by itself.
    within
        A column that clusters do not cross. Missing is a value of it like any other.
    centroid
        ``mean`` or ``median``, for columns of numbers. Dates and ordered texts leave as the median, of two
        middle values as the lower.
    orders
        Column → its values, lowest first.
    keep
        Further columns that are published, unchanged. All others are left out, that of ``within`` too unless
        it is named here.
    sort
        Sort the published rows by all their columns, so that their order tells nothing. Else they are in the
        order of the input.
    drop
        Deprecated, and of no effect: what is not named in ``columns`` or ``keep`` is left out anyway.
    gain
        How readily clusters of V-MDAV grow; see `sfumato.microaggregation.v_mdav`.
    seed
        Of the search for groups.
    threads
        Threads to use, all cores where None; the result does not depend on it.
    time_limit
        Seconds that the search for groups may take; without a limit where None.
    callback
        Sees the progress of the search for groups, and may stop it by returning True.
    spec
        How a file is read (separator, encoding, missing), if it needs saying.

    Returns
    -------
    Microaggregated
        With ``frame``, ``measures``, ``joint_k``, ``warnings``, ``verify()`` and ``write()``.

    Raises
    ------
    DataError
        If columns are absent or hold other values, or a stratum has fewer than k rows.
    ParameterError
        If a parameter is out of its range, or groups do not name each column once.

    Notes
    -----
    Missing values stay missing, and nothing takes their place: rows are only put together with rows that
    lack the same columns of a group. Where fewer than k rows do, all their cells in the group are blanked.
    """
    if drop is not None:
        warnings.warn(
            "drop is deprecated and has no effect: columns that neither 'columns' nor 'keep' names are left "
            "out. Name what is published in 'keep'.",
            DeprecationWarning,
            stacklevel=2,
        )
    keep = (keep,) if isinstance(keep, str) else tuple(dict.fromkeys(keep))
    names = check_columns(columns, within, keep, drop or ())
    manner = check_manner(k, method, gain, threads)
    check_orders(orders or {}, names)
    if centroid not in ("mean", "median"):
        raise ParameterError(f"centroid must be 'mean' or 'median'; got {centroid!r}.")
    source = open_source(data, None if spec is None else spec.data)
    refuse_unknown(source, [*names, *([] if within is None else [within]), *keep, *(drop or ())])
    read = read_numbers(source, names, orders)
    strata = None if within is None else read_codes(source, within)
    values = np.column_stack([column.values for column in read])
    scaled = standard_scores(values) if standardize else values
    if searched := groups == "auto" and method != "univariate":
        how = GroupingSettings(standardize=False, threads=threads, time_limit_s=time_limit, callback=callback)
        chosen = _search_groups(scaled, names, manner.k, seed, how)
    else:
        chosen = check_groups(groups, names, method)
    places = [[names.index(name) for name in group] for group in chosen]
    clusters = make_clusters(scaled, places, manner, strata=strata)
    recipe = MicroRecipe(
        chosen,
        manner.k,
        method,
        gain,
        standardize,
        {column.name: "low" if column.is_whole else centroid for column in read},
        within,
        tuple(name for name in source.columns if name in names or name in keep),
        tuple(name for name in source.columns if name not in names and name not in keep),
        "gomm" if searched else "given",
        seed if searched else None,
        {column.name: column.labels for column in read if column.kind == "ordinal"},
        source.missing,
        "sorted" if sort else "input",
    )
    return _assemble(source, recipe, read, clusters, strata=strata, threads=threads)


def _assemble(
    source: Source,
    recipe: MicroRecipe,
    columns: Sequence[NumberColumn],
    clusters: Sequence[Clusters],
    *,
    strata: IntArray | None,
    threads: int | None,
) -> Microaggregated:
    """Put the centres of the clusters in place."""
    found = place_centres(columns, clusters, recipe)
    new = {column.name: column.restore(found[:, place]) for place, column in enumerate(columns)}
    untouched = [name for name in recipe.columns if name not in new and name != recipe.within]
    return Microaggregated(
        replace_columns(source, new, recipe.columns, sort=recipe.order == "sorted"),
        recipe,
        tuple(columns),
        found,
        tuple(clusters),
        strata,
        tuple(find_unique(source, untouched)),
        source,
        threads,
    )


def _search_groups(
    scaled: FloatArray, names: tuple[str, ...], k: int, seed: int, settings: GroupingSettings
) -> NamedGroups:
    """Search for groups on the rows without missing values."""
    if len(names) == 1:
        return (names,)
    complete = scaled[~np.isnan(scaled).any(axis=1)]
    if len(complete) < k:
        raise DataError(
            f"groups are searched on rows without missing values, and there are {len(complete)}, fewer than "
            f"k = {k}. Name groups yourself."
        )
    return group_columns(complete, names, k, seed, settings=settings).groups
