"""From a solution to a release that can be verified and written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from sfumato.classes import Rule
from sfumato.domains import Lattice
from sfumato.errors import InfeasibleError
from sfumato.measures import make_measure, measure_facts, measure_names
from sfumato.measures.facts import OF_DOMAINS
from sfumato.private import scratch_folder, spare_inputs
from sfumato.release.grouping import Grouping, make_groupings
from sfumato.release.manifest import Manifest, about_release, current_versions, manifest_path
from sfumato.release.publishing import Publication, distances, kept_tuples, publish
from sfumato.release.recipe import BOTH, Generalization, RecipeAttribute
from sfumato.release.reference import (
    distribution,
    make_reference,
    recipe_sentences,
    recounted_sentences,
    shown_values,
    stated_sentences,
)
from sfumato.release.suppressing import evaluate_node
from sfumato.release.write import check_promise, write_release
from sfumato.table import Leaving, apply, leaving_kinds, write_table
from sfumato.verifier import Promise, cautious, holds, recount, recount_beside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato._typing import BoolArray, LongArray
    from sfumato.classes import Classes
    from sfumato.preparing import Prepared
    from sfumato.search import Problem
    from sfumato.table.dialects import Dialect
    from sfumato.verifier import Recount


@dataclass(frozen=True, eq=False)
class Draft:
    """A recoding applied to the full table, with everything that is promised of it."""

    prepared: Prepared  # the table it comes from
    classes: Classes  # its classes, suppressed ones included
    promise: Promise  # what has to hold, and the numbers that the search found
    recipe: Generalization  # what was done
    groupings: tuple[Grouping, ...]  # the partition of each quasi-identifier
    publication: Publication  # what is published besides rows and recipe
    measures: Mapping[str, float]  # measures as the search found them

    @cached_property
    def frame(self) -> object:
        """The recoded rows: the same kind of frame that came in; an engine's relation for a file."""
        return self._apply(ordered=True)

    @property
    def recoding(self) -> dict[str, object]:
        """Attribute → level or blocks, as ``front.csv`` writes them.

        For a recipe on new data these are the recipe's.
        """
        found: dict[str, object] = {}
        for grouping in self.groupings:
            stated = self.recipe.attributes[grouping.name]
            is_recorded = stated.scheme != grouping.scheme
            found[grouping.name] = stated.entry if is_recorded else grouping.entry
        return found

    def verify(self) -> Recount:
        """Write the rows to a temporary folder and recount them; see `sfumato.verifier`."""
        with scratch_folder() as folder:
            released = Path(folder) / "release.parquet"
            self.write_rows(released)
            if not self._needs_checked:
                return recount(released, self.promise)
            checked = Path(folder) / "checked.parquet"
            self._write_checked(checked)
            return recount_beside(released, checked, self.promise)

    def violations(self) -> list[str]:
        """Return what the recount finds broken; nothing if the release keeps its promise."""
        return holds(self.verify(), self.promise)

    def write(self, path: Path, *, force: bool = False) -> Manifest:
        """Write the release if an independent recount of the written file confirms its promise."""
        self.spare_inputs(path, manifest_path(path))
        dialect = self.prepared.table.source.dialect
        spelt = replace(self, promise=replace(self.promise, dialect=dialect.stated(path)))
        check = check_promise(
            spelt.promise,
            spelt._manifest,
            seen_by_all=spelt._seen_by_all,
            write_checked=partial(spelt._write_checked, dialect=dialect) if self._needs_checked else None,
        )
        return write_release(partial(self.write_rows, dialect=dialect), path, check, force=force)

    @property
    def _needs_checked(self) -> bool:
        """Whether columns that are not published are needed to recount the promise."""
        secrets = self.prepared.table.secrets
        return self.promise.person is not None or not (secrets is None or secrets.is_for_everyone)

    def spare_inputs(self, *outputs: Path) -> None:
        """Refuse to replace what the release is made from, even where replacing was asked for."""
        source = self.prepared.table.source
        spare_inputs(
            outputs, [*self.prepared.spec.inputs, *([] if source.file is None else [source.file.path])]
        )

    def write_rows(self, path: Path, *, dialect: Dialect | None = None) -> None:
        """Write the rows with types and in an order that follow from them alone."""
        is_lazy = self.prepared.table.source.is_lazy and self.recipe.order == "sorted"
        write_table(self._apply() if is_lazy else self.frame, path, leaving=self._leaving(), dialect=dialect)

    def _write_checked(self, path: Path, *, dialect: Dialect | None = None) -> None:
        """Write the same rows with the person and who holds what, which only the recount sees."""
        leaving = replace(self._leaving(), order="input")
        write_table(self._apply(with_person=True), path, leaving=leaving, dialect=dialect)

    def _leaving(self) -> Leaving:
        table, recipe = self.prepared.table, self.recipe
        recodes = [grouping.recode for grouping in self.groupings]
        kinds = leaving_kinds(table, recodes, masked=recipe.suppressed_output == "mask")
        return Leaving(kinds, recipe.order, recipe.formulas, table.source.is_text)

    def _apply(self, *, ordered: bool = False, with_person: bool = False) -> object:
        """Recode and suppress the full table on the engine that holds it."""
        return apply(
            self.prepared.table,
            [grouping.recode for grouping in self.groupings],
            self.classes.suppressed_blocks,
            output=self.recipe.suppressed_output,
            ordered=ordered,
            with_person=with_person,
        )

    @property
    def _seen_by_all(self) -> Promise:
        """What a reader of the manifest recounts; the numbers are still to be counted."""
        names = [name for name in self.measures if name not in self.publication.withheld]
        promise, own = self._stated({}, "0" * 64).promise(), self.promise
        # Both recounts share one reading of the file, so that columns stand in the same order.
        return replace(
            promise,
            quasi_identifiers=own.quasi_identifiers,
            sensitive=own.sensitive,
            measures=dict.fromkeys(names),
            sha256=None,
        )

    def _manifest(self, found: Recount, seen: Recount) -> Manifest:
        """State what everyone may know."""
        stated: dict[str, float] = {}
        tolerance: dict[str, float] = {}
        counted = {**found.measures, **seen.measures}
        for name in [*counted, *self.publication.bounds]:
            if name in self.publication.withheld:
                continue
            if name in seen.slack:
                stated[name], tolerance[name] = cautious(name, seen.counted[name], seen.slack[name])
            elif name in self.publication.bounds:
                stated[name], least = self.publication.bounds[name]
                tolerance |= {name: abs(stated[name] - least)} if stated[name] != least else {}
            else:
                stated[name] = counted[name]
        return self._stated(stated, found.sha256, tolerance)

    def _stated(
        self, measures: Mapping[str, float], sha256: str, tolerance: Mapping[str, float] | None = None
    ) -> Manifest:
        asked = self.prepared.spec.release
        return Manifest(
            self.recipe.to_dict(),
            measures,
            dict(self.promise.require),
            dict(self.promise.rows or {}),
            sha256,
            self.publication.reference,
            current_versions(),
            withheld=self.publication.withheld,
            tolerance=tolerance or {},
            about=about_release(asked),
            choice_tolerance=asked.tolerance if asked.choice == "near-optimal" else None,
            dialect=self.promise.dialect,
        )


def make_draft(
    prepared: Prepared,
    problem: Problem,
    node: LongArray,
    lattice: Lattice | None = None,
    *,
    recipe: Generalization | None = None,
    hidden: LongArray | None = None,
) -> Draft:
    """Apply one recoding to the full table; for ``hidden`` see `evaluate_node`."""
    space = prepared.lattice if lattice is None else lattice
    fixed = Lattice(tuple(ladder.only(number) for ladder, number in zip(space.ladders, node, strict=True)))
    asked = {item.name for item in problem.measures}
    every = tuple(
        make_measure(name, prepared.setting)
        for name in measure_names(prepared.setting)
        # A recount needs more than the release and its manifest: only if somebody asked for it.
        if not measure_facts(name).on_request or name in asked
    )
    alone = replace(problem, lattice=fixed, extra=every, schemes=None)
    statistics, classes = evaluate_node(alone, node, hidden)
    if not alone.feasible(statistics)[0]:
        raise InfeasibleError("this recoding does not meet the requirements; pick another solution.")
    measures = {item.name: float(item.value(statistics)[0]) for item in alone.measures}
    groupings = make_groupings(prepared, space, node)
    kept = kept_tuples(prepared.cube.codes, [item.block for item in groupings], classes)
    groupings = _published(prepared, groupings, classes, kept)
    if recipe is None:
        for item in groupings:
            item.refuse_merging(prepared.spec.where("attributes", item.name, "output"))
        recipe = make_recipe(prepared, groupings, kept)
        if problem.suppression.rule is Rule.FAILING_THEN_SMALLEST:
            recipe = replace(recipe, rule=BOTH)
    else:
        groupings = tuple(replace(item, output=recipe.attributes[item.name].output) for item in groupings)
    promise = _promise(prepared, recipe, measures, int(statistics.suppressed[0]), groupings)
    publication = publish(prepared, groupings, classes, kept, measures)
    draft = Draft(prepared, classes, promise, recipe, groupings, publication, measures)
    if not prepared.table.source.is_lazy:
        # A frame in memory may be changed by its owner later.
        _ = draft.frame
    return draft


def _published(
    prepared: Prepared, groupings: tuple[Grouping, ...], classes: Classes, kept: BoolArray
) -> tuple[Grouping, ...]:
    """Tell each grouping which values are published, and take statistics of published rows alone."""
    table, found = prepared.table, []
    for place, item in enumerate(groupings):
        codes = prepared.cube.codes[kept, place]
        shown = np.bincount(codes, minlength=item.hierarchy.size) > 0
        found.append(replace(item, published=shown, hides=bool(classes.suppressed.any())))
        if item.statistics is not None:
            own = kept_tuples(table.tally_codes, [other.block for other in groupings], classes)
            found[-1] = replace(found[-1], statistics=partial(item.statistics, kept=own))
    return tuple(found)


def make_recipe(prepared: Prepared, groupings: tuple[Grouping, ...], kept: BoolArray) -> Generalization:
    """Write down what is done to every column; no value that the release does not show."""
    spec, table = prepared.spec, prepared.table
    recoded = {grouping.name: grouping for grouping in groupings}
    attributes = {}
    for name in table.source.columns:
        if name not in spec.attributes:
            continue
        asked = spec.attributes[name]
        if name in recoded:
            attributes[name] = recoded[name].recipe(asked.weight)
        elif name in table.sensitive:
            # New rows are held against the requirements too: then order and tree have to be known.
            needed = distances(name, spec.require) - {"equal"}
            attributes[name] = RecipeAttribute(
                asked.role,
                table.sensitive[name].kind,
                asked.weight,
                _published_definition(prepared, name, kept) if needed else None,
                unknown=asked.unknown,
            )
        else:
            attributes[name] = RecipeAttribute(asked.role, asked.kind, asked.weight)
        attributes[name] = replace(attributes[name], format=asked.format)
    return Generalization(
        attributes,
        spec.suppression.limit,
        spec.suppression.rule,
        spec.suppression.output,
        dict(spec.require),
        tuple(spec.data.missing),
        spec.data.person,
        spec.release.order,
        recipe_sentences(table),
        spec.release.formulas,
        spec.data.household,
    )


def _published_definition(prepared: Prepared, name: str, kept: BoolArray) -> Mapping[str, object]:
    """Return the definition of a sensitive domain without values that only suppressed rows have."""
    domain, number = prepared.table.sensitive[name], prepared.setting.sensitive.index(name)
    if "values" not in domain.definition or domain.is_declared:
        return domain.definition
    shown = set(prepared.cube.sensitive_codes[kept, number].tolist())
    recorded = cast("list[object]", domain.definition["values"])
    return {"values": [value for code, value in enumerate(recorded) if code in shown]}


def _promise(
    prepared: Prepared,
    recipe: Generalization,
    measures: dict[str, float],
    suppressed: int,
    groupings: tuple[Grouping, ...],
) -> Promise:
    withheld = {}
    if any(item.is_narrowed for item in groupings):
        # Labels do not tell what the search counted a cell by.
        withheld = dict.fromkeys(OF_DOMAINS, "blocks are published as single values")
        measures = {name: number for name, number in measures.items() if name not in withheld}
    rows = prepared.cube.row_count
    out = rows if recipe.suppressed_output == "mask" else rows - suppressed
    return Promise(
        prepared.setting.quasi_identifiers,
        prepared.setting.sensitive,
        dict(recipe.require),
        measures,
        {"in": rows, "out": out, "suppressed": suppressed},
        _reference(prepared, measures, groupings),
        recipe.suppressed_output,
        recipe.rule,
        recipe.limit,
        recipe.released,
        recipe.unit,
        sentences=recounted_sentences(prepared.table),
        unknown=recipe.unknown,
        withheld=withheld,
        order=recipe.order,
        formulas=recipe.formulas,
        formats=recipe.formats,
        has_households=recipe.household is not None,
    )


def _reference(
    prepared: Prepared, measures: Mapping[str, float], groupings: tuple[Grouping, ...]
) -> dict[str, object]:
    """State what our own recount needs besides the file, suppressed rows included."""
    weights = prepared.setting.weights.tolist()
    attributes = {
        item.name: item.costs(weight)
        for item, weight in zip(groupings, weights, strict=True)
        if not any(other.is_narrowed for other in groupings)
    }
    cube = prepared.cube
    distributions = {}
    for number, name in enumerate(prepared.setting.sensitive):
        asked = distances(name, measures)
        if not asked:
            continue
        domain = prepared.table.sensitive[name]
        counts = np.bincount(cube.sensitive_codes[:, number], weights=cube.rows, minlength=domain.size)
        distributions[name] = distribution(
            shown_values(domain),
            [int(count) for count in counts],
            domain.levels.tolist() if "hierarchical" in asked else (),
        )
    return make_reference(attributes, distributions, stated_sentences(prepared.table))
