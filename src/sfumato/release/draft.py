"""From a solution to a release that can be verified and written."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.classes import Classes, PropertyKind, Rule
from sfumato.domains import Lattice
from sfumato.errors import InfeasibleError, OutputError, ParameterError
from sfumato.measures import make_measure, measure_facts, measure_names
from sfumato.measures.facts import OF_DOMAINS
from sfumato.private import scratch_folder, spare_inputs
from sfumato.release import reference
from sfumato.release.grouping import Grouping, make_groupings
from sfumato.release.manifest import Manifest, about_release, current_versions, manifest_path
from sfumato.release.publishing import Publication, class_of_tuples, distances, kept_tuples, publish
from sfumato.release.recipe import BOTH, Generalization, RecipeAttribute
from sfumato.release.series import Series, linking_of
from sfumato.release.series import alone as series_alone
from sfumato.release.suppressing import evaluate_node
from sfumato.release.write import check_folders, check_promise, check_release_target, write_release
from sfumato.spec.sections import ReleaseSpec
from sfumato.table import Leaving, TupleLabels, apply, kept_values, leaving_kinds, write_table
from sfumato.table.coding import plan_withheld
from sfumato.table.dialects import Dialect
from sfumato.table.keys import ColumnPlan, Names
from sfumato.table.spark_frames import lay_out
from sfumato.verifier import Promise, Recount, SparkRows, cautious, holds, recount, recount_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
    from sfumato.preparing import Prepared
    from sfumato.release.local_labels import LocalLabels
    from sfumato.search import Problem
    from sfumato.table.databases import DatabaseTable


OF_SIZES = ("k", "mean_k", "spread_k")
"""Measures of which the property of a row is the size of its class."""


@dataclass(frozen=True, eq=False)
class Draft:
    """A recoding applied to the full table, with everything that is promised of it."""

    prepared: Prepared  # the table it comes from
    classes: Classes  # its classes, suppressed ones included
    promise: Promise  # what has to hold, and the numbers that the search found
    recipe: Generalization  # what was done
    # the partition of each quasi-identifier, or its labels in a local recoding
    groupings: tuple[Grouping | LocalLabels, ...]
    publication: Publication  # what is published besides rows and recipe
    measures: Mapping[str, float]  # measures as the search found them
    # of a local recoding what each tuple of codes becomes, and how far it may be from the optimum
    tuples: TupleLabels | None = None
    certificate: Mapping[str, object] = field(default_factory=dict)
    # the class of each cell of the cube, -1 where it is suppressed; for a series of releases also who is
    # withheld, by the codes of persons, what makes the draft again, and what it is checked against
    class_of: LongArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    withheld: BoolArray | None = None
    remake: partial[Draft] | None = None
    series: Series | None = None

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

    def property_vector(self, name: str) -> FloatArray:
        """Return what each row has of a measure's property, in the order of the cube; NaN if suppressed."""
        cube, measure = self.prepared.cube, make_measure(name, self.prepared.setting)
        blocks = [item.block for item in self.groupings if isinstance(item, Grouping)]
        codes = cube.codes
        if self.tuples is not None:
            codes = self.label_codes(self.tuples)
            blocks = [np.arange(len(item.labels) + 1, dtype=np.int32) for item in self.groupings]
        number = class_of_tuples(codes, blocks, self.classes)
        asked = measure.properties[0] if measure.properties else None
        if name in OF_SIZES:
            found = self.classes.sizes[number].astype(np.float64)
        elif asked is None or asked.kind is PropertyKind.MAJORITY:
            raise ParameterError(f"{name!r} is not made of a property of rows; name 'k', for example.")
        elif asked.kind is PropertyKind.SQUARES:
            # How often the row's own value occurs in its class; a value that is not known occurs never.
            codes = cube.sensitive_codes[:, asked.attribute]
            pair = number * cube.sensitive_sizes[asked.attribute] + codes
            found = np.bincount(pair, weights=cube.rows)[pair] * cube.known(asked.attribute)[codes]
        else:
            found = self.classes.values[self.classes.properties.index(asked)][number]
        found = np.where(self.class_of < 0, np.nan, found)
        return np.repeat(found, cube.rows)

    def label_codes(self, tuples: TupleLabels) -> IntArray:
        """Return the numbers of the labels of each cell of the cube; one after the last where suppressed."""
        place_of = {tuple(codes): place for place, codes in enumerate(tuples.blocks.tolist())}
        found = np.empty(tuples.blocks.shape, dtype=np.int32)
        for a, item in enumerate(self.groupings):
            texts, numbers = tuples.texts.get(item.name), {text: n for n, text in enumerate(item.labels)}
            if texts is None:
                texts = [item.hierarchy.labels[0][code] for code in tuples.blocks[:, a].tolist()]
            found[:, a] = [numbers.get(text, 0) for text in texts]
            found[tuples.hidden, a] = len(item.labels)
        return found[[place_of[tuple(codes)] for codes in self.prepared.cube.codes.tolist()]]

    def verify(self) -> Recount:
        """Write the rows to a temporary folder, unless Spark holds them, and recount them."""
        if self._is_on_spark:
            own, promise = self._on_spark(), replace(self.promise, order="input")
            if not self._needs_checked:
                return recount(own, promise)
            return recount_beside(own, self._on_spark(with_person=True), promise)
        with scratch_folder() as folder:
            released = Path(folder) / "release.parquet"
            self.write_rows(released)
            if not self._needs_checked:
                return recount(released, self.promise)
            checked = Path(folder) / "checked.parquet"
            self.write_checked(checked)
            return recount_beside(released, checked, self.promise)

    def violations(self) -> list[str]:
        """Return what the recount finds broken; nothing if the release keeps its promise."""
        return holds(self.verify(), self.promise)

    def divided(self, columns: Sequence[str]) -> Draft:
        """Return the release as it is written to folders that are named by labels."""
        given: dict[str, Any] = {"partition_by": columns}  # of whatever type
        asked = self.prepared.spec.release.model_copy(
            update={"partition_by": ReleaseSpec(**given).partition_by}
        )
        table = self.prepared.table
        table = replace(table, spec=table.spec.model_copy(update={"release": asked}))
        return replace(self, prepared=replace(self.prepared, table=table))

    def write(self, path: Path | DatabaseTable, *, force: bool = False) -> Manifest:
        """Write the release if an independent recount of what was written confirms its promise."""
        file = path if isinstance(path, Path) else None
        self.spare_inputs(manifest_path(path), *([] if file is None else [file]))
        if self._is_on_spark and (file is None or self.recipe.order == "input"):
            raise OutputError(
                "rows of Spark are written to a folder of files, in sorted order. Give a name that ends in "
                '.parquet or .csv, and set order = "sorted" in [release].',
                where=str(path),
            )
        if self._is_on_spark:  # before anything is computed
            check_release_target(path, force=force)
        if not isinstance(path, Path):
            path.spare(self.prepared.table.source.database)
        source, released, leaving = self.prepared.table.source, self.recipe.released, self._leaving()
        asked = self.prepared.spec.release.model_copy(update={"order": self.recipe.order})
        check_folders(path, asked, released)
        # What is recounted of a table is a plain CSV file, and parts of a release are plain too.
        is_plain = file is None or leaving.divided_by
        dialect = Dialect() if is_plain else source.dialect.of_columns(released)
        stated = {} if file is None else dialect.stated(file)
        spelt = replace(self, promise=replace(self.promise, dialect=stated))
        series = self.series or series_alone(self.prepared)
        checked: Callable[[Path], None] | SparkRows | None = None
        if self._needs_checked:
            on_disk = partial(spelt.write_checked, dialect=dialect)
            checked = self._on_spark(with_person=True) if self._is_on_spark else on_disk
        check = check_promise(
            spelt.promise,
            spelt._manifest,
            seen_by_all=spelt._seen_by_all,
            write_checked=checked,
            also=None if series is None else partial(series.check, promise=spelt.promise),
        )
        if series is not None:
            series.refuse_target(path)
        return write_release(
            partial(self.write_rows, dialect=dialect),
            path,
            check,
            force=force,
            beside=None if series is None else series.content,
            leaving=replace(leaving, kinds={}, is_text=False),
        )

    @property
    def _needs_checked(self) -> bool:
        """Whether columns that are not published are needed to recount the promise."""
        secrets = self.prepared.table.secrets
        return self.promise.person is not None or not (secrets is None or secrets.is_for_everyone)

    @property
    def _is_on_spark(self) -> bool:
        return self.prepared.table.source.kind == "spark"

    def _on_spark(self, *, with_person: bool = False) -> SparkRows:
        """Return the rows as they would be written, for Spark to count them where they are."""
        leaving = replace(self._leaving(), order="input")
        return SparkRows.of(lay_out(self._apply(with_person=with_person), leaving))

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

    def write_checked(self, path: Path, *, dialect: Dialect | None = None) -> None:
        """Write the same rows with the person and who holds what, which only the recount sees."""
        leaving = replace(self._leaving(), order="input", rows_per_file=0, partition_by=())
        write_table(self._apply(with_person=True), path, leaving=leaving, dialect=dialect)

    def _leaving(self) -> Leaving:
        table, recipe = self.prepared.table, self.recipe
        recodes = [grouping.recode for grouping in self.groupings]
        kinds = leaving_kinds(table, recodes, masked=recipe.suppressed_output == "mask")
        asked = self.prepared.spec.release
        parts = (asked.rows_per_file, asked.partition_by)
        return Leaving(kinds, recipe.order, recipe.formulas, table.source.is_text, *parts)

    def _apply(self, *, ordered: bool = False, with_person: bool = False) -> object:
        """Recode and suppress the full table on the engine that holds it."""
        return apply(
            self.prepared.table,
            [grouping.recode for grouping in self.groupings],
            self.classes.suppressed_blocks if self.tuples is None else self.tuples,
            output=self.recipe.suppressed_output,
            ordered=ordered,
            with_person=with_person,
            withheld=self.withheld_rows,
        )

    @property
    def withheld_rows(self) -> ColumnPlan | None:
        """What tells the rows of people who are withheld from all others."""
        return None if self.withheld is None else plan_withheld(self.prepared.table, self.withheld)

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
            certificate=self.certificate,
            linking=linking_of(self.recipe, self.series),
        )


def make_draft(
    prepared: Prepared,
    problem: Problem,
    node: LongArray,
    lattice: Lattice | None = None,
    *,
    recipe: Generalization | None = None,
    hidden: LongArray | None = None,
    withheld: BoolArray | None = None,
) -> Draft:
    """Apply one recoding to the full table; for ``hidden`` see `evaluate_node`."""
    remake = partial(make_draft, prepared, problem, node, lattice, recipe=recipe, hidden=hidden)
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
    gone = withheld_cells(prepared, withheld)
    statistics, classes = evaluate_node(alone, node, hidden, gone)
    if not alone.feasible(statistics)[0]:
        raise InfeasibleError("this recoding does not meet the requirements; pick another solution.")
    measures = {item.name: float(item.value(statistics)[0]) for item in alone.measures}
    groupings = make_groupings(prepared, space, node)
    class_of = class_of_tuples(prepared.cube.codes, [item.block for item in groupings], classes)
    kept = ~np.append(classes.suppressed, True)[class_of]
    kept &= True if gone is None else ~gone
    groupings = _published(prepared, groupings, classes, kept, withheld)
    if recipe is None:
        for item in groupings:
            item.refuse_merging(prepared.spec.where("attributes", item.name, "output"))
        recipe = make_recipe(prepared, groupings, kept)
        if problem.suppression.rule is Rule.FAILING_THEN_SMALLEST:
            recipe = replace(recipe, rule=BOTH)
    else:
        groupings = tuple(replace(item, output=recipe.attributes[item.name].output) for item in groupings)
    promise = make_promise(prepared, recipe, measures, int(statistics.suppressed[0]), groupings)
    publication = publish(prepared, groupings, classes, kept, measures)
    draft = Draft(prepared, classes, promise, recipe, groupings, publication, measures)
    draft = replace(draft, class_of=np.where(kept, class_of, -1), withheld=withheld, remake=remake)
    if not prepared.table.source.is_lazy:
        # A frame in memory may be changed by its owner later.
        _ = draft.frame
    return draft


def withheld_cells(prepared: Prepared, withheld: BoolArray | None) -> BoolArray | None:
    """Tell which cells of the cube are of persons who are withheld."""
    persons = prepared.cube.persons
    return None if withheld is None or persons is None else withheld[persons]


def _published(
    prepared: Prepared,
    groupings: tuple[Grouping, ...],
    classes: Classes,
    kept: BoolArray,
    withheld: BoolArray | None,
) -> tuple[Grouping, ...]:
    """Tell each grouping which values are published, and take statistics of published rows alone."""
    table, found = prepared.table, []
    for place, item in enumerate(groupings):
        codes = prepared.cube.codes[kept, place]
        shown = np.bincount(codes, minlength=item.hierarchy.size) > 0
        if item.name in table.raised:
            blocks = [other.block for other in groupings]
            shown = kept_values(table, item.name, blocks, classes.suppressed_blocks)
        found.append(replace(item, published=shown, hides=not kept.all()))
        if item.statistics is not None:
            own = kept_tuples(table.tally_codes, [other.block for other in groupings], classes)
            if withheld is not None and table.tally is not None:
                persons = table.tally.number_persons(table.roles.person)
                own &= ~withheld[persons]
            found[-1] = replace(found[-1], statistics=partial(item.statistics, kept=own))
    return tuple(found)


def make_recipe(
    prepared: Prepared, groupings: Sequence[Grouping | LocalLabels], kept: BoolArray
) -> Generalization:
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
        reference.recipe_sentences(table),
        spec.release.formulas,
        spec.data.household,
    )


def _published_definition(prepared: Prepared, name: str, kept: BoolArray) -> Mapping[str, object]:
    """Return the definition of a sensitive domain without values that only suppressed rows have."""
    domain, number = prepared.table.sensitive[name], prepared.setting.sensitive.index(name)
    codes = prepared.cube.sensitive_codes[kept, number]
    return domain.shown_definition(domain.declared | (np.bincount(codes, minlength=domain.size) > 0))


def make_promise(
    prepared: Prepared,
    recipe: Generalization,
    measures: dict[str, float],
    suppressed: int,
    groupings: Sequence[Grouping | LocalLabels],
) -> Promise:
    """Return what has to hold of a release, and the numbers that the search found."""
    withheld = {}
    if any(item.is_narrowed for item in groupings):
        # Labels do not tell what the search counted a cell by.
        withheld = dict.fromkeys(OF_DOMAINS, "blocks are published as single values")
        measures = {name: number for name, number in measures.items() if name not in withheld}
    rows, own = prepared.cube.row_count, Names.beside(prepared.table.source.columns)
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
        # Beside a pseudonym, the person has a name of its own in the file that is checked.
        own.person if recipe.unit in prepared.table.roles.pseudonyms else recipe.unit,
        sentences=reference.recounted_sentences(prepared.table),
        unknown=recipe.unknown,
        withheld=withheld,
        order=recipe.order,
        formulas=recipe.formulas,
        formats=recipe.formats,
        has_households=recipe.household is not None,
        person_rows=own.person_rows,
    )


def _reference(
    prepared: Prepared, measures: Mapping[str, float], groupings: Sequence[Grouping | LocalLabels]
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
        distributions[name] = reference.distribution(
            reference.shown_values(domain),
            [int(count) for count in counts],
            domain.levels.tolist() if "hierarchical" in asked else (),
        )
    return reference.make_reference(attributes, distributions, reference.stated_sentences(prepared.table))
