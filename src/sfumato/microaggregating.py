"""Microaggregate a table of any kind: read its numbers, make clusters, put their centres in place, verify."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from sfumato.errors import DataError, ParameterError
from sfumato.microaggregation import aggregating
from sfumato.microaggregation.cluster_search import ClusterState, bound_error, squared_error
from sfumato.microaggregation.column_groups.columns import GroupingResult, GroupingSettings, group_columns
from sfumato.microaggregation.column_groups.gomm import GommParameters
from sfumato.microaggregation.protection import standard_scores
from sfumato.monitor import Keeper, Monitor, Progress, Recall, load_arrays
from sfumato.private import scratch_folder, spare_inputs
from sfumato.publishable import PublishableRows
from sfumato.release.microaggregated import (
    Microaggregation,
    measure_centres,
    place_by_value,
    place_centres,
    state_microaggregated,
)
from sfumato.release.write import check_release_target, refuse_broken, write_release
from sfumato.table import Source, open_source, write_table
from sfumato.table.spark_frames import sort_frame
from sfumato.table.spark_strata import SparkNumbers, spark_numbers
from sfumato.table.values import NumberColumn, read_codes, read_numbers, refuse_unknown
from sfumato.table.writing import find_unique, replace_columns
from sfumato.verifier import SparkRows
from sfumato.verifier.clusters import ClusterPromise, broken_clusters, recount_clusters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sfumato._typing import FloatArray, IntArray
    from sfumato.assess.gather import Origin
    from sfumato.release import Manifest
    from sfumato.spec import DataSpec
    from sfumato.table.databases import DatabaseTable


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
    stopped
        Whether the search for groups or clusters was stopped before its end.
    """

    table: object = field(repr=False)
    recipe: Microaggregation
    columns: tuple[NumberColumn, ...] = field(repr=False)
    centres: FloatArray = field(repr=False)
    clusters: tuple[aggregating.Clusters, ...] = field(repr=False)
    strata: IntArray | None = field(repr=False)
    unique: tuple[str, ...]
    source: Source = field(repr=False)
    threads: int | None = None
    search: GroupingResult | None = field(default=None, repr=False)
    stopped: bool = False

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
        return aggregating.smallest_class([*self.centres.T, *strata])[0]

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

    @cached_property
    def gap(self) -> float:
        """How far the squared error may be above the least that any clusters of at least k rows have.

        0.2 means: at most 20 % above it. Over the rows without missing cells, on the scale of the distances;
        see `sfumato.microaggregation.bound_error`.
        """
        values = np.column_stack([column.values for column in self.columns])
        scaled = standard_scores(values) if self.recipe.standardize else values
        error = least = 0.0
        for group in self.clusters:
            whole = ~group.blank.any(axis=1)
            part = scaled[whole][:, list(group.columns)]
            if len(part) >= self.k:
                error += squared_error(part, np.unique(group.labels[whole], return_inverse=True)[1])
                least += bound_error(part, self.k, self.threads)
        return error / least - 1.0 if least else float("inf") if error else 0.0

    @property
    def missing(self) -> dict[str, int]:
        """Cells missing ``before``, and cells ``blanked`` because too few rows share the pattern."""
        before = int(sum(np.isnan(column.values).sum() for column in self.columns))
        return {"before": before, "blanked": int(np.isnan(self.centres).sum()) - before}

    @property
    def warnings(self) -> list[str]:
        """What the publisher should know before this is published."""
        found, groups, blanked = [], len(self.groups), self.missing["blanked"]
        if self.stopped:
            found.append("the search was stopped before its end; this is the best it had found by then.")
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

    def _write(
        self, path: Path | DatabaseTable, *, force: bool = False, partition_by: Sequence[str] | None = None
    ) -> Manifest:
        if partition_by:
            raise ParameterError("a microaggregated table is not divided by labels.", where="partition_by")
        if not isinstance(path, Path):
            raise ParameterError("a microaggregated table is written to a file, from which you can load it.")
        measures = {name: number for name, number in self.measures.items() if name != "k"}
        dialect = self.source.dialect.of_columns(self.recipe.columns)
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
    groups: aggregating.Groups
    standardize: bool
    method: aggregating.Method
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
    steps: int
    checkpoint: Path | None = None


class _Tasks:
    """The checkpoint of annealing: where the search for the clusters of each task is."""

    def __init__(self, path: Path | None, mark: str) -> None:
        self._keeper, self._lock = Keeper(path, mark), threading.Lock()
        self._held = (None if path is None else load_arrays(path, mark)) or {}
        self._held.pop("fingerprint", None)
        self.states = {int(name[6:]): self._state(name[6:]) for name in self._held if name[:6] == "owner:"}

    def _state(self, task: str) -> ClusterState:
        proposals, rounds = self._held[f"counts:{task}"].tolist()
        least, gain = self._held[f"costs:{task}"].tolist()
        owner, best = self._held[f"owner:{task}"], self._held[f"best:{task}"]
        return ClusterState(owner, best, least, proposals, rounds, gain)

    def save(self, task: int, now: ClusterState) -> None:
        """Note where a search is, and write all of them from time to time."""
        with self._lock:
            self._held |= {
                f"owner:{task}": now.owner,
                f"best:{task}": now.best,
                f"counts:{task}": np.array([now.proposals, now.rounds]),
                f"costs:{task}": np.array([now.least, now.gain]),
            }
            if self._keeper.is_due:
                self.write()

    def write(self) -> None:
        """Write the file."""
        self._keeper.keep(self._held)


def _mark(scaled: FloatArray, strata: IntArray | None, asked: Asked, manner: aggregating.Manner) -> str:
    """Return a text that is equal for equal runs."""
    said = (asked.columns, asked.groups, asked.loss_weight, asked.gain, asked.method, asked.seed)
    digest = hashlib.sha256(repr((said, manner.k, manner.steps, scaled.shape)).encode())
    digest.update(scaled.tobytes())
    digest.update(b"" if strata is None else strata.tobytes())
    return digest.hexdigest()


def aggregate(
    data: object, asked: Asked, how: DataSpec | None, dropped: Sequence[str] = ()
) -> Microaggregated:
    """Read the columns, make clusters, and put their centres in place."""
    within = asked.within
    names = aggregating.check_columns(asked.columns, within, asked.keep, dropped)
    manner = _manner(asked)
    aggregating.check_orders(asked.orders, names)
    if asked.centroid not in ("mean", "median"):
        raise ParameterError(f"centroid must be 'mean' or 'median'; got {asked.centroid!r}.")
    source = open_source(data, how)
    refuse_unknown(source, [*names, *([] if within is None else [within]), *asked.keep, *dropped])
    if source.kind == "spark":
        return _aggregate_on_spark(source, names, asked, manner)
    read = read_numbers(source, names, asked.orders)
    strata = None if within is None else read_codes(source, within)
    values = np.column_stack([column.values for column in read])
    scaled = standard_scores(values) if asked.standardize else values
    mark = "" if asked.checkpoint is None else _mark(scaled, strata, asked, manner)
    recall = Recall(asked.checkpoint, mark)
    search = _search_groups(scaled, names, asked, recall) if is_searched(asked) else None
    chosen = aggregating.check_groups(asked.groups, names, asked.method) if search is None else search.groups
    places = [[names.index(name) for name in group] for group in chosen]
    tasks = _Tasks(asked.checkpoint if asked.method in aggregating.ANNEALED else None, mark)
    clusters = aggregating.make_clusters(
        scaled, places, replace(manner, states=tasks.states, save=tasks.save), strata=strata
    )
    tasks.write()
    was_cut = (
        asked.method in aggregating.ANNEALED and manner.monitor is not None and bool(manner.monitor.halt[0])
    )
    if was_cut and asked.sort:
        raise ParameterError(
            "the search was stopped, and sorted rows are compared with the data by making their clusters "
            "again, which what was stopped does not allow. Run it to its end, or do not sort."
        )
    recipe = _recipe(
        source,
        asked,
        chosen,
        read,
        order="sorted" if asked.sort else "input",
        grouping="given" if search is None else str(asked.groups),
        steps=None if was_cut else manner.steps,
    )
    made = _assemble(source, recipe, read, clusters, strata=strata, threads=asked.threads)
    was_cut = was_cut or (search is not None and search.stopped == "stopped")
    return replace(made, search=search, stopped=was_cut)


def _recipe(
    source: Source,
    asked: Asked,
    groups: aggregating.NamedGroups,
    columns: Sequence[NumberColumn],
    *,
    order: Literal["input", "sorted"],
    grouping: str = "given",
    steps: int | None = None,
    ties: Literal["rows", "values"] = "rows",
) -> Microaggregation:
    """Write down what is done."""
    names, is_annealed = {column.name for column in columns}, asked.method in aggregating.ANNEALED
    return Microaggregation(
        groups,
        int(asked.k),
        asked.method,
        asked.gain,
        asked.standardize,
        {column.name: "low" if column.is_whole else asked.centroid for column in columns},
        asked.within,
        tuple(name for name in source.columns if name in names or name in asked.keep),
        tuple(name for name in source.columns if name not in names and name not in asked.keep),
        grouping,
        asked.seed if is_annealed or grouping != "given" else None,
        {column.name: column.labels for column in columns if column.kind == "ordinal"},
        source.missing,
        order,
        steps if is_annealed else None,
        ties,
    )


def _aggregate_on_spark(
    source: Source, names: tuple[str, ...], asked: Asked, manner: aggregating.Manner
) -> MicroaggregatedOnSpark:
    """Let executors make the clusters, stratum by stratum."""
    if asked.within is None:
        raise DataError(
            "rows of Spark are not brought together in one process: clusters are made within strata. Name "
            "their column, as in within='region'; or write the frame to Parquet and pass the path.",
            where=source.name,
        )
    if is_searched(asked) or asked.checkpoint is not None or asked.time_limit is not None:
        raise ParameterError(
            "on Spark groups are not searched for, and neither a time limit nor a checkpoint is kept. Name "
            "the groups, and give steps in place of seconds."
        )
    groups = aggregating.check_groups(asked.groups, names, asked.method)
    published = [name for name in source.columns if name in names or name in asked.keep]
    in_groups = [name for group in groups for name in group]
    numbers = spark_numbers(source, in_groups, asked.within, published, orders=asked.orders, k=manner.k)
    recipe = _recipe(
        source, asked, groups, numbers.columns, order="sorted", steps=manner.steps, ties="values"
    )
    work = _Stratum(recipe, replace(manner, monitor=None, threads=1), numbers.columns, numbers.scales)
    made = numbers.in_strata(work)
    return MicroaggregatedOnSpark(
        numbers.restore(made),
        recipe,
        numbers.columns,
        np.zeros((0, len(names))),
        (),
        None,
        tuple(find_unique(source, [name for name in published if name not in (*names, asked.within)])),
        source,
        numbers=numbers,
        made=made,
    )


@dataclass(frozen=True)
class _Stratum:
    """What an executor does with the rows of one stratum."""

    recipe: Microaggregation
    manner: aggregating.Manner
    columns: tuple[NumberColumn, ...]
    scales: tuple[tuple[float, float], ...]

    def __call__(self, values: FloatArray) -> FloatArray:
        means, spreads = np.array(self.scales).T
        scaled = (values - means) / spreads if self.recipe.standardize else values
        columns = [replace(one, values=own) for one, own in zip(self.columns, values.T, strict=True)]
        return place_by_value(columns, scaled, self.manner, self.recipe)


@dataclass(frozen=True, eq=False)
class MicroaggregatedOnSpark(Microaggregated):
    """The same in the executors of Spark, whose rows stay there: no labels, gap, dld or score."""

    numbers: SparkNumbers = field(kw_only=True, repr=False)  # the columns as they were
    made: object = field(kw_only=True, repr=False)  # the same with their centres beside them

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self.numbers.rows

    @cached_property
    def joint_k(self) -> int:
        """The size of the smallest class over all microaggregated columns together."""
        strata = [self.recipe.within] if self.recipe.within and self.recipe.is_within_shown else []
        return SparkRows.of(self.table).classes([*self.recipe.names, *strata])[0]

    @cached_property
    def measures(self) -> dict[str, float]:
        """The joint ``k``, ``il``, ``id`` and ``id_standardized``; ``dld`` needs all rows in one place."""
        lost = self.numbers.losses(self.made, scaled=self.recipe.standardize)
        return {"k": float(self.joint_k), **lost}

    @cached_property
    def gap(self) -> float:
        """How far the squared error is above the least is not known."""
        return float("inf")

    @cached_property
    def missing(self) -> dict[str, int]:
        """Cells missing ``before``, and cells ``blanked`` because too few rows share the pattern."""
        return self.numbers.count_missing(self.made)

    def verify(self) -> dict[str, float]:
        """Recount the classes on Spark with code that shares nothing with what made them."""
        found = recount_clusters(SparkRows.of(self.table), self._promise)
        refuse_broken(broken_clusters(found, self._promise))
        return {"k": found.joint, **dict(zip(self.recipe.require, found.sizes, strict=True))}

    def _rows(self) -> object:
        return self.table

    def _write(
        self, path: Path | DatabaseTable, *, force: bool = False, partition_by: Sequence[str] | None = None
    ) -> Manifest:
        if isinstance(path, Path):
            check_release_target(path, force=force)
        own = replace(self, table=sort_frame(self.table))
        return Microaggregated._write(own, path, force=force, partition_by=partition_by)

    def _origin(self) -> Origin:
        raise DataError("the internal report needs all rows in one place. Pass the data as a file.")


def _manner(asked: Asked) -> aggregating.Manner:
    """Return how records are to be microaggregated; a search for groups takes the time, if there is one."""
    made = aggregating.check_manner(
        asked.k, asked.method, gain=asked.gain, threads=asked.threads, steps=asked.steps
    )
    watched = replace(made, seed=asked.seed, monitor=Monitor(None, asked.callback))
    if asked.time_limit is None or asked.method not in aggregating.ANNEALED or is_searched(asked):
        return watched
    if asked.sort:
        raise ParameterError(
            "sorted rows are compared with the data by making their clusters again, which annealing for a "
            "given time does not allow. Give a number of steps instead of a time, or do not sort."
        )
    return replace(watched, steps=None, seconds=asked.time_limit)


def is_searched(asked: Asked) -> bool:
    """Tell whether groups are searched for; a single column, and columns one by one, are groups already."""
    return (
        isinstance(asked.groups, str)
        and asked.groups in aggregating.GROUP_SEARCHES
        and asked.method != "univariate"
        and len(asked.columns) > 1
    )


def _assemble(
    source: Source,
    recipe: Microaggregation,
    columns: Sequence[NumberColumn],
    clusters: Sequence[aggregating.Clusters],
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
    scaled: FloatArray, names: tuple[str, ...], asked: Asked, recall: Recall
) -> GroupingResult:
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
        recall=recall,
    )
    return group_columns(complete, names, asked.k, asked.seed, settings=settings)
