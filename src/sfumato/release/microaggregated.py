"""``FILE`` and ``FILE.json`` of a microaggregated table: verified before they have names."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import numpy as np

from sfumato.errors import DataError, VerificationError
from sfumato.microaggregation.aggregating import (
    ANNEALED,
    Clusters,
    Manner,
    Method,
    blank_rare,
    centres,
    make_clusters,
    split_strata,
)
from sfumato.microaggregation.protection import (
    Scores,
    information_loss,
    interval_disclosure,
    link_records,
    standard_scores,
)
from sfumato.release.agreement import judge_settings
from sfumato.release.json_files import Fields
from sfumato.release.manifest import NOT_MADE, Manifest, about_release, current_versions, manifest_path
from sfumato.release.write import refuse_broken
from sfumato.spec import Spec, format_measure_name
from sfumato.table.values import NumberColumn, read_codes, read_numbers
from sfumato.table.writing import row_order
from sfumato.verifier import Check
from sfumato.verifier.checks import Verdict
from sfumato.verifier.clusters import (
    ClusterPromise,
    ClusterRecount,
    broken_clusters,
    judge_clusters,
    recount_clusters,
)
from sfumato.verifier.judging import judge_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sfumato._typing import BoolArray, FloatArray, IntArray
    from sfumato.table import Source

KIND = "microaggregation"
Middle: TypeAlias = Literal["mean", "median", "low"]
_NOT_RECOUNTED = "it compares with the original values, which are not in the file"


@dataclass(frozen=True)
class Microaggregation:
    """What was done to a table by microaggregation: names, settings and labels of domains, never records."""

    groups: tuple[tuple[str, ...], ...]  # names of the columns that were microaggregated together
    k: int  # smallest size of a cluster
    # how clusters were made; the gain is V-MDAV's
    method: str
    gain: float
    standardize: bool  # whether distances were taken between z-scores
    # column → what is released of a cluster: `mean`, `median` or `low` (the lower of two middle values)
    centres: Mapping[str, Middle]
    within: str | None  # the column that clusters do not cross, or None
    columns: tuple[str, ...]  # all columns of the file
    dropped: tuple[str, ...] = ()  # columns that were left out
    grouping: str = "given"  # how groups were found: `given` or `gomm`
    seed: int | None = None  # of the search for groups
    # ordinal column → its labels, lowest first. These are labels of a domain, as the publisher named them.
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing: tuple[str, ...] = ("",)  # the texts that were read as missing
    # how rows are ordered: as in the `input`, or `sorted` by all columns
    order: Literal["input", "sorted"] = "input"
    steps: int | None = None  # of annealing, for each row; None where time decided
    # which of equally near rows comes first: by their places in the input, or by their values
    ties: Literal["rows", "values"] = "rows"

    @property
    def is_within_shown(self) -> bool:
        """Whether the file has the column that clusters do not cross."""
        return self.within in self.columns

    @property
    def names(self) -> tuple[str, ...]:
        """The microaggregated columns, group by group."""
        return tuple(name for group in self.groups for name in group)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "kind": KIND,
            "groups": [list(group) for group in self.groups],
            "k": self.k,
            "method": self.method,
            "gain": self.gain,
            "standardize": self.standardize,
            "centres": dict(self.centres),
            "within": self.within,
            "columns": list(self.columns),
            "dropped": list(self.dropped),
            "grouping": self.grouping,
            "seed": self.seed,
            "missing": "kept; patterns of fewer than k rows are blanked",
            "orders": {name: list(labels) for name, labels in self.orders.items()},
            "data": {"missing": list(self.missing)},
            "release": {"order": self.order},
            **({"steps": self.steps} if self.method in ANNEALED else {}),
            **({"ties": self.ties} if self.ties != "rows" else {}),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, object], *, where: str = "recipe") -> Microaggregation:
        """Read the JSON form; older ones have neither orders nor texts that are missing."""
        fields = Fields(values, where)
        groups = _read_groups(fields)
        centres, known = fields.fields("centres"), {name for group in groups for name in group}
        return cls(
            groups,
            fields.whole("k"),
            fields.text("method"),
            fields.number("gain"),
            fields.flag("standardize"),
            {name: cast("Middle", centres.text(name, ("mean", "median", "low"))) for name in known},
            fields.optional_text("within"),
            fields.texts("columns"),
            fields.texts("dropped"),
            fields.text("grouping"),
            fields.whole("seed") if fields.has("seed") else None,
            _read_orders(fields),
            fields.fields("data").texts("missing") if fields.has("data") else ("",),
            cast("Literal['input', 'sorted']", fields.fields("release").text("order", ("input", "sorted")))
            if fields.has("release")
            else "input",
            fields.whole("steps") if fields.has("steps") else None,
            "values" if fields.has("ties") and fields.text("ties", ("values",)) else "rows",
        )

    @property
    def require(self) -> dict[str, float]:
        """Measure → number that must hold: k in every group of columns."""
        return {format_measure_name("k", group): self.k for group in self.groups}

    def promise(self, rows: int, joint: int | None = None, sha256: str | None = None) -> ClusterPromise:
        """Return what a file made by this recipe promises."""
        within = self.within if self.is_within_shown else None
        return ClusterPromise(
            self.groups, self.k, within, self.columns, rows, joint, sha256, orders=self.orders
        )


def is_microaggregated(manifest: Manifest) -> bool:
    """Tell whether a manifest is that of a microaggregated table."""
    return manifest.recipe.get("kind") == KIND


def read_promise(manifest: Manifest, where: str) -> ClusterPromise:
    """Return what a manifest promises of its file."""
    fields = Fields(manifest.recipe, f"{where}: recipe")
    groups = _read_groups(fields)
    k, columns, within = fields.whole("k"), fields.texts("columns"), fields.optional_text("within")
    required = {format_measure_name("k", group): k for group in groups}
    if dict(manifest.require) != required:
        raise VerificationError(
            "the manifest contradicts itself: its requirements are not those of its recipe."
        )
    return ClusterPromise(
        groups,
        k,
        within if within in columns else None,
        columns,
        manifest.rows["out"],
        manifest.measures.get("k"),
        manifest.sha256,
        tuple(manifest.measures.get(name) for name in required),
        _read_orders(fields),
        manifest.dialect,
    )


def _read_groups(fields: Fields) -> tuple[tuple[str, ...], ...]:
    groups = tuple(cast("tuple[str, ...]", group) for group in fields.blocks("groups"))
    if not groups or not all(group and all(isinstance(name, str) for name in group) for group in groups):
        raise DataError("'groups' is malformed: lists of names are expected.", where=fields.where)
    return groups


def _read_orders(fields: Fields) -> dict[str, tuple[str, ...]]:
    """Return the order of each ordinal column; older recipes have none."""
    if not fields.has("orders"):
        return {}
    orders = fields.fields("orders")
    return {name: orders.texts(name) for name in fields.mapping("orders")}


def state_microaggregated(
    draft: Path, recipe: Microaggregation, promise: ClusterPromise, measures: Mapping[str, float]
) -> Manifest:
    """Recount a written draft; return what may be stated of it."""
    found = recount_clusters(draft, promise)
    refuse_broken(broken_clusters(found, promise))
    counted = dict(zip(recipe.require, map(float, found.sizes), strict=True))
    rows = {"in": found.rows, "out": found.rows, "suppressed": 0}
    stated = {"k": float(found.joint), **counted, **coarse(measures)}
    return Manifest(
        recipe.to_dict(),
        stated,
        recipe.require,
        rows,
        found.sha256,
        {},
        current_versions(),
        about=about_release(),
        dialect=promise.dialect,
    )


def coarse(measures: Mapping[str, float]) -> dict[str, float]:
    """Return percentages as they are published: rounded up to 1, 2, 5, 10, 20, 50 or 100, and so on."""
    # Exact numbers would let others solve for original values: with the centres, an information loss reveals
    # the squares of all deviations together, and of two rows in one cluster that is both values. A step spans
    # a factor of two or more, and the larger number is the cautious one. The score is that of the others.
    steps = [step * scale for scale in (1.0, 10.0, 100.0, 1e3) for step in (1.0, 2.0, 5.0)]
    found = {
        name: next((step for step in steps if number <= step * (1 + 1e-9)), number)
        for name, number in measures.items()
    }
    if "score" in found:
        found["score"] = (found["il"] + (found["id"] + found["dld"]) / 2) / 2
    return found


def _judge_coarse(name: str, stated: float, exact: Mapping[str, float]) -> Check:
    """Compare a stated percentage with what the original says; older manifests state it exactly."""
    due = coarse(exact)[name]
    if math.isclose(stated, due, rel_tol=1e-9):
        return Check(name, "holds", f"{stated:.12g} stated, {exact[name]:.12g} counted, rounded up.")
    return judge_number(name, stated, exact[name])


def verify_microaggregated(
    path: Path, manifest: Manifest, known: Mapping[str, float] | None = None
) -> Verdict:
    """Recount a microaggregated file from scratch."""
    promise = read_promise(manifest, str(manifest_path(path)))
    found = recount_clusters(path, promise)
    names = list(manifest.require)
    counted = {"k": found.joint, **dict(zip(names, found.sizes, strict=True)), **(known or {})}
    lacking = {name: _NOT_RECOUNTED for name in manifest.measures if name not in counted}
    checks = [
        *judge_clusters(found, promise),
        *judge_settings(manifest, promise),
        *(
            _judge_coarse(name, manifest.measures[name], known or {})
            for name in known or {}
            if name in manifest.measures
        ),
        *(
            Check(name, "cannot be recounted", f"{manifest.measures[name]:.12g} stated: {why}.")
            for name, why in lacking.items()
        ),
    ]
    return Verdict(
        require=manifest.require,
        stated=manifest.measures,
        measures=counted,
        not_recounted=lacking,
        rows={"in": found.rows, "out": found.rows, "suppressed": 0},
        classes=found.classes,
        notes=_notes(promise, found),
        sha256=found.sha256,
        checks=checks,
    )


def _notes(promise: ClusterPromise, found: ClusterRecount) -> list[str]:
    if len(promise.groups) < 2:
        return []
    return [
        f"{promise.k} rows of a class are promised in each of {len(promise.groups)} groups of columns "
        f"separately; over all of them together the smallest class has {found.joint}"
    ]


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
    recipe: Microaggregation,
    orders: Mapping[str, Sequence[str]] | None = None,
) -> BothSides:
    """Read microaggregated columns before and after, if the release was made from these rows."""
    known = {**(orders or {}), **recipe.orders}
    before, after = (read_numbers(source, recipe.names, known) for source in (original, released))
    rows = [len(side[0].values) for side in (before, after)]
    if rows[0] != rows[1]:
        raise DataError(f"{NOT_MADE}: it has {rows[1]} rows, but the data have {rows[0]}.")
    ours, theirs = (np.column_stack([column.values for column in side]) for side in (before, after))
    strata = None if recipe.within is None else read_codes(original, recipe.within)
    if recipe.order == "sorted":
        # Only doing it again shows which row was which.
        made = remake(recipe, before, strata)
        new = {column.name: column.restore(made[:, place]) for place, column in enumerate(before)}
        found = np.empty_like(theirs)
        found[row_order(original, new, recipe.columns)] = theirs
        theirs = found
    # Values are numbered by their first rows, so that equal columns have equal numbers.
    elif strata is not None and not _has_strata(released, recipe, strata):
        raise DataError(f"{OTHER_ROWS}: the strata differ.")
    sides = BothSides(tuple(before), ours, theirs)
    if not _are_centres(sides, recipe, strata):
        raise DataError(f"{OTHER_ROWS}.")
    return sides


def _has_strata(released: Source, recipe: Microaggregation, strata: IntArray) -> bool:
    """Tell whether a release has the strata of the original, if it shows any."""
    if recipe.within is None or not recipe.is_within_shown:
        return True
    return np.array_equal(strata, read_codes(released, recipe.within))


def remake(recipe: Microaggregation, columns: Sequence[NumberColumn], strata: IntArray | None) -> FloatArray:
    """Microaggregate once more, and return the centres, rows in the order of the original."""
    values = np.column_stack([column.values for column in columns])
    scaled = standard_scores(values) if recipe.standardize else values
    places = [[recipe.names.index(name) for name in group] for group in recipe.groups]
    method = cast("Method", recipe.method)
    manner = Manner(recipe.k, method, recipe.gain, seed=recipe.seed or 1, steps=recipe.steps)
    if recipe.ties == "values":
        return place_by_value(columns, scaled, manner, recipe, strata)
    return place_centres(columns, make_clusters(scaled, places, manner, strata=strata), recipe)


def place_by_value(
    columns: Sequence[NumberColumn],
    scaled: FloatArray,
    manner: Manner,
    recipe: Microaggregation,
    strata: IntArray | None = None,
) -> FloatArray:
    """Return the centre of each row's cluster, which no order of rows changes: equal rows are alike."""
    places = [[recipe.names.index(name) for name in group] for group in recipe.groups]
    order = np.lexsort([column.values for column in reversed(columns)])
    ordered = [replace(column, values=column.values[order]) for column in columns]
    own = None if strata is None else strata[order]
    found = np.empty_like(scaled)
    found[order] = place_centres(ordered, make_clusters(scaled[order], places, manner, strata=own), recipe)
    return found


def place_centres(
    columns: Sequence[NumberColumn], clusters: Sequence[Clusters], recipe: Microaggregation
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


def _are_centres(sides: BothSides, recipe: Microaggregation, strata: IntArray | None) -> bool:
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


def _blank_due(values: FloatArray, recipe: Microaggregation, strata: IntArray | None) -> BoolArray:
    """Return which cells are missing in a release of these values."""
    found = np.isnan(values)
    if found.any():
        scaled = standard_scores(values) if recipe.standardize else values
        for rows in split_strata(strata, len(values), recipe.k):
            found[rows] = blank_rare(scaled[rows], recipe.k)
    return found


def number_clusters(released: FloatArray, strata: IntArray | None = None) -> IntArray:
    """Number rows by their released values, equal ones in one stratum alike; NaN equals NaN."""
    # Two clusters with the same centres count as one, whose centre is the same again.
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
    """Return ``il``, ``id``, ``id_standardized``, ``dld`` and the ``score`` of il, id and dld, in percent.

    ``id`` is on the published values, where an intruder sees it, and ``id_standardized`` on z-scores. Only
    rows that are published whole count, in the z-scores too: these numbers reveal nothing of any other row.
    """
    complete = ~(np.isnan(before) | np.isnan(after)).any(axis=1)
    if not complete.any():
        return {}
    before, after = before[complete], after[complete]
    near = interval_disclosure(before, after)
    before, after, plain = standard_scores(before), standard_scores(after, before), (before, after)
    standardized = interval_disclosure(before, after)
    if not scaled:
        before, after = plain
    lost = information_loss(before, after)
    found = Scores(lost, near, link_records(before, after, threads=threads).dld)
    return {
        "il": found.il,
        "id": found.id,
        "id_standardized": standardized,
        "dld": found.dld,
        "score": found.score,
    }
