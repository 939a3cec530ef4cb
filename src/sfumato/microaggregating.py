"""Microaggregate a table of any kind: read its numbers, make clusters, put their centres in place, verify."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from sfumato.errors import DataError, ParameterError
from sfumato.microaggregation.aggregating import (
    GROUP_SEARCHES,
    check_columns,
    check_groups,
    check_manner,
    check_orders,
    make_clusters,
    smallest_class,
)
from sfumato.microaggregation.column_groups import GommParameters, GroupingSettings, group_columns
from sfumato.microaggregation.protection import standard_scores
from sfumato.private import scratch_folder, spare_inputs
from sfumato.publishable import PublishableRows
from sfumato.release.microaggregated import (
    Microaggregation,
    measure_centres,
    place_centres,
    state_microaggregated,
)
from sfumato.release.write import refuse_broken, write_release
from sfumato.table import Source, open_source, write_table
from sfumato.table.values import NumberColumn, read_codes, read_numbers, refuse_unknown
from sfumato.table.writing import find_unique, replace_columns
from sfumato.verifier.clusters import ClusterPromise, broken_clusters, recount_clusters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sfumato._typing import FloatArray, IntArray
    from sfumato.assess.gather import Origin
    from sfumato.microaggregation.aggregating import Clusters, Groups, Method
    from sfumato.microaggregation.column_groups import GroupingResult
    from sfumato.monitor import Progress
    from sfumato.release import Manifest
    from sfumato.spec import DataSpec


@dataclass(frozen=True, eq=False)
class Microaggregated(PublishableRows):
    """A microaggregated table, not written yet.

    Parameters
    ----------
    table
        The table before anything that is not published was removed; see `to_frame`. Rows are in the
        order of the input, or sorted, as the recipe says.
    recipe
        What was done.
    columns
        The microaggregated columns as they were.
    centres
        What replaces them, on the scale of the columns; shape (n, columns). NaN is missing.
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
    search
        How groups were searched for, with the front of il, id and dld and what each operator did; None where
        they were given.
    """

    table: object = field(repr=False)
    recipe: Microaggregation
    columns: tuple[NumberColumn, ...] = field(repr=False)
    centres: FloatArray = field(repr=False)
    clusters: tuple[Clusters, ...] = field(repr=False)
    strata: IntArray | None = field(repr=False)
    unique: tuple[str, ...]
    source: Source = field(repr=False)
    threads: int | None = None
    search: GroupingResult | None = field(default=None, repr=False)

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

        It is the k of k-anonymity against someone who knows them all. With several groups it is usually
        far below k, often 1: grouping columns destroys k-anonymity.
        """
        strata = [self.strata] if self.strata is not None and self.recipe.is_within_shown else []
        return smallest_class([*self.centres.T, *strata])[0]

    @cached_property
    def measures(self) -> dict[str, float]:
        """The joint ``k``, and in percent ``il``, ``id``, ``id_standardized``, ``dld`` and their ``score``.

        ``id`` is taken on the published values, and so is the ``score``'s; ``id_standardized`` on z-scores.
        ``il`` and ``dld`` are taken between z-scores if distances were, otherwise between the numbers
        themselves; all over the rows without any missing cell, in the table or in the release. Without such
        rows there is only k.
        These numbers are exact, for you only: the manifest states them in coarse steps, since exact ones
        would let others solve for original values.
        """
        found = {"k": float(self.joint_k)}
        original = np.column_stack([column.values for column in self.columns])
        scaled = self.recipe.standardize
        return {**found, **measure_centres(original, self.centres, scaled=scaled, threads=self.threads)}

    @property
    def missing(self) -> dict[str, int]:
        """Cells missing ``before``, and cells ``blanked`` because too few rows share the pattern."""
        before = int(sum(np.isnan(column.values).sum() for column in self.columns))
        return {"before": before, "blanked": int(np.isnan(self.centres).sum()) - before}

    @property
    def warnings(self) -> list[str]:
        """What the publisher should know before this is published."""
        found, groups, blanked = [], len(self.groups), self.missing["blanked"]
        if self.joint_k < self.k:
            found.append(
                f"{self.k} rows are alike in each of {groups} groups of columns separately. Anyone who "
                "knows all "
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
            path = Path(folder) / "microaggregated.parquet"
            write_table(self.table, path)
            found = recount_clusters(path, self._promise)
        refuse_broken(broken_clusters(found, self._promise))
        return {"k": found.joint, **dict(zip(self.recipe.require, found.sizes, strict=True))}

    @property
    def _promise(self) -> ClusterPromise:
        return self.recipe.promise(self.rows, self.joint_k)

    def _rows(self) -> object:
        return self.table

    def _write(self, path: Path, *, force: bool = False) -> Manifest:
        measures = {name: number for name, number in self.measures.items() if name != "k"}
        dialect = self.source.dialect
        promise = replace(self._promise, dialect=dialect.stated(path))
        return write_release(
            lambda draft: write_table(self.table, draft, dialect=dialect),
            path,
            lambda draft: state_microaggregated(draft, self.recipe, promise, measures),
            force=force,
        )

    def _spare_inputs(self, *outputs: Path) -> None:
        if self.source.file is not None:
            spare_inputs(outputs, [self.source.file.path])

    def _origin(self) -> Origin:
        from sfumato.assess.gather import Origin

        return Origin(self.source, None, self)


@dataclass(frozen=True)
class Asked:
    """What a user asks of microaggregation; see `sfumato.microaggregate`."""

    columns: Sequence[str]
    k: int
    groups: Groups
    standardize: bool
    method: Method
    within: str | None
    centroid: Literal["mean", "median"]
    orders: Mapping[str, Sequence[str]]
    keep: tuple[str, ...]
    sort: bool
    gain: float
    seed: int
    threads: int | None
    time_limit: float | None
    callback: Callable[[Progress], bool | None] | None
    loss_weight: float


def aggregate(
    data: object, asked: Asked, how: DataSpec | None, dropped: Sequence[str] = ()
) -> Microaggregated:
    """Read the columns, make clusters, and put their centres in place."""
    within = asked.within
    names = check_columns(asked.columns, within, asked.keep, dropped)
    manner = check_manner(asked.k, asked.method, asked.gain, asked.threads)
    check_orders(asked.orders, names)
    if asked.centroid not in ("mean", "median"):
        raise ParameterError(f"centroid must be 'mean' or 'median'; got {asked.centroid!r}.")
    source = open_source(data, how)
    refuse_unknown(source, [*names, *([] if within is None else [within]), *asked.keep, *dropped])
    read = read_numbers(source, names, asked.orders)
    strata = None if within is None else read_codes(source, within)
    values = np.column_stack([column.values for column in read])
    scaled = standard_scores(values) if asked.standardize else values
    search = _search_groups(scaled, names, asked) if is_searched(asked) else None
    chosen = check_groups(asked.groups, names, asked.method) if search is None else search.groups
    places = [[names.index(name) for name in group] for group in chosen]
    clusters = make_clusters(scaled, places, manner, strata=strata)
    recipe = Microaggregation(
        chosen,
        manner.k,
        asked.method,
        asked.gain,
        asked.standardize,
        {column.name: "low" if column.is_whole else asked.centroid for column in read},
        within,
        tuple(name for name in source.columns if name in names or name in asked.keep),
        tuple(name for name in source.columns if name not in names and name not in asked.keep),
        "given" if search is None else str(asked.groups),
        None if search is None else asked.seed,
        {column.name: column.labels for column in read if column.kind == "ordinal"},
        source.missing,
        "sorted" if asked.sort else "input",
    )
    made = _assemble(source, recipe, read, clusters, strata=strata, threads=asked.threads)
    return replace(made, search=search)


def is_searched(asked: Asked) -> bool:
    """Tell whether groups are searched for; a single column, and columns one by one, are groups already."""
    return (
        isinstance(asked.groups, str)
        and asked.groups in GROUP_SEARCHES
        and asked.method != "univariate"
        and len(asked.columns) > 1
    )


def _assemble(
    source: Source,
    recipe: Microaggregation,
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


def _search_groups(scaled: FloatArray, names: tuple[str, ...], asked: Asked) -> GroupingResult:
    """Search for groups on the rows without missing values."""
    complete = scaled[~np.isnan(scaled).any(axis=1)]
    if len(complete) < asked.k:
        raise DataError(
            f"groups are searched on rows without missing values, but there are only {len(complete)}, fewer "
            f"than k = {asked.k}. Name the groups yourself."
        )
    as_printed = GommParameters(dynamic=asked.groups == "d-gomm", polish=0)
    settings = GroupingSettings(
        parameters=GommParameters() if asked.groups == "auto" else as_printed,
        standardize=False,
        loss_weight=asked.loss_weight,
        threads=asked.threads,
        time_limit_s=asked.time_limit,
        callback=asked.callback,
    )
    return group_columns(complete, names, asked.k, asked.seed, settings=settings)
