"""From a solution to a release that can be verified and written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sfumato.domains import Lattice
from sfumato.errors import InfeasibleError
from sfumato.measures import make_measure, measure_names
from sfumato.private import scratch_folder, spare_inputs
from sfumato.release.grouping import Grouping, make_groupings
from sfumato.release.manifest import Manifest, current_versions, manifest_path
from sfumato.release.recipe import Recipe, RecipeAttribute
from sfumato.release.reference import distribution, make_reference
from sfumato.release.sentences import recipe_sentences, recounted_sentences, stated_sentences
from sfumato.release.verify import Promise, holds, recount, recount_beside
from sfumato.release.write import write_release
from sfumato.spec import parse_measure_name
from sfumato.table import apply, is_typed, write_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sfumato._typing import LongArray
    from sfumato.classes import Classes
    from sfumato.preparing import Prepared
    from sfumato.release.reference import Scalar
    from sfumato.release.verify import Recount
    from sfumato.search import Problem


@dataclass(frozen=True, eq=False)
class Draft:
    """A recoding applied to the full table, with everything that is promised of it.

    Parameters
    ----------
    prepared
        The table it comes from.
    classes
        Its classes, suppressed ones included.
    frame
        The recoded rows: the same kind of frame that came in; an engine's relation for a file.
    promise
        What has to hold, and the numbers that the search found.
    recipe
        What was done.
    groupings
        The partition of each quasi-identifier.
    """

    prepared: Prepared
    classes: Classes
    frame: object
    promise: Promise
    recipe: Recipe
    groupings: tuple[Grouping, ...]

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

    @property
    def measures(self) -> dict[str, float]:
        """Measures as the search found them."""
        return {name: number for name, number in self.promise.measures.items() if number is not None}

    def verify(self) -> Recount:
        """Write the rows to a temporary folder and recount them; see `sfumato.release.verify`."""
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
        return write_release(
            self.write_rows,
            path,
            self.promise,
            self._manifest,
            force=force,
            write_checked=self._write_checked if self._needs_checked else None,
        )

    @property
    def _needs_checked(self) -> bool:
        """Whether columns that do not leave are needed to recount the promise."""
        secrets = self.prepared.table.secrets
        return self.promise.person is not None or not (secrets is None or secrets.is_for_everyone)

    def spare_inputs(self, *outputs: Path) -> None:
        """Refuse to replace what the release is made from, even where replacing was asked for."""
        source = self.prepared.table.source
        spare_inputs(
            outputs, [*self.prepared.spec.inputs, *([] if source.file is None else [source.file.path])]
        )

    def write_rows(self, path: Path) -> None:
        """Write the rows; numbers of a text file become numbers where the format knows them."""
        is_text_in = self.prepared.table.source.is_text
        frame = self._apply(path) if is_text_in and is_typed(path) else self.frame
        write_table(frame, path)

    def _write_checked(self, path: Path) -> None:
        """Write the same rows with the person and who holds what, which only the recount sees."""
        write_table(self._apply(path, with_person=True), path)

    def _apply(self, path: Path, *, with_person: bool = False) -> object:
        return _apply(
            self.prepared,
            self.recipe,
            self.classes,
            self.groupings,
            typed=is_typed(path),
            with_person=with_person,
        )

    def _manifest(self, found: Recount, sha256: str) -> Manifest:
        rows = {key: found.rows[key] for key in ("in", "out", "suppressed")}
        # What only the data before the release tell is stated as it was computed.
        computed = {name: self.measures[name] for name in found.beforehand if name in self.measures}
        return Manifest(
            self.recipe.to_dict(),
            {**found.measures, **computed},
            dict(self.promise.require),
            rows,
            sha256,
            self.promise.reference or {},
            current_versions(),
        )


def make_draft(
    prepared: Prepared,
    problem: Problem,
    node: LongArray,
    lattice: Lattice | None = None,
    *,
    recipe: Recipe | None = None,
) -> Draft:
    """Apply one recoding to the full table.

    Parameters
    ----------
    prepared
        The table and its space.
    problem
        Requirements and suppression.
    node
        One number for each quasi-identifier.
    lattice
        The lattice in whose numbers the node is; the prepared one's levels where None.
    recipe
        What is done, if that is written down already; otherwise it is now.

    Raises
    ------
    InfeasibleError
        If the recoding does not meet the requirements.
    """
    space = prepared.lattice if lattice is None else lattice
    fixed = Lattice(tuple(ladder.only(number) for ladder, number in zip(space.ladders, node, strict=True)))
    asked = {item.name for item in problem.measures}
    every = tuple(
        make_measure(name, prepared.setting)
        for name in measure_names(prepared.setting)
        # t needs the whole table's distribution beside the release, and nobody can recount the others:
        # only where somebody asked for them.
        if not (name.startswith("t(") or name in ("hdm", "ql", "sf")) or name in asked
    )
    alone = replace(problem, lattice=fixed, extra=every, schemes=None)
    batch = alone.batch(threads=1)
    statistics = batch.evaluate(node[None])
    if not alone.feasible(statistics)[0]:
        raise InfeasibleError("this recoding does not meet the requirements; pick another solution.")
    classes = batch.classes(node)
    measures = {item.name: float(item.value(statistics)[0]) for item in alone.measures}
    groupings = _shown(make_groupings(prepared, space, node), classes)
    if recipe is None:
        for item in groupings:
            item.refuse_merging(prepared.spec.where("attributes", item.name, "output"))
        recipe = make_recipe(prepared, groupings)
    else:
        groupings = tuple(replace(item, output=recipe.attributes[item.name].output) for item in groupings)
    promise = _promise(prepared, recipe, measures, int(statistics.suppressed[0]), groupings)
    frame = _apply(prepared, recipe, classes, groupings)
    return Draft(prepared, classes, frame, promise, recipe, groupings)


def _shown(groupings: tuple[Grouping, ...], classes: Classes) -> tuple[Grouping, ...]:
    """Tell each grouping which of its blocks some remaining class has."""
    remaining = classes.blocks[~classes.suppressed]
    return tuple(
        grouping.showing(np.unique(remaining[:, place]).tolist()) for place, grouping in enumerate(groupings)
    )


def _apply(
    prepared: Prepared,
    recipe: Recipe,
    classes: Classes,
    groupings: tuple[Grouping, ...],
    *,
    typed: bool = False,
    with_person: bool = False,
) -> object:
    """Recode and suppress the full table on the engine that holds it.

    Parameters
    ----------
    prepared
        The table.
    recipe
        What becomes of suppressed rows, and the order.
    classes
        The classes, with those that are suppressed.
    groupings
        The partition of each quasi-identifier.
    typed
        Whether kept numbers of a text file leave as numbers.
    with_person
        Whether the person column comes too, for a recount that is not released.
    """
    return apply(
        prepared.table,
        [grouping.recode for grouping in groupings],
        classes.suppressed_blocks,
        output=recipe.suppressed_output,
        order=recipe.order,
        typed=typed,
        with_person=with_person,
    )


def make_recipe(prepared: Prepared, groupings: tuple[Grouping, ...]) -> Recipe:
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
            needed = _distances(name, spec.require) - {"equal"}
            domain = table.sensitive[name]
            attributes[name] = RecipeAttribute(
                asked.role, domain.kind, asked.weight, domain.definition if needed else None
            )
        else:
            attributes[name] = RecipeAttribute(asked.role, asked.kind, asked.weight)
    return Recipe(
        attributes,
        spec.suppression.limit,
        spec.suppression.rule,
        spec.suppression.output,
        dict(spec.require),
        tuple(spec.data.missing),
        spec.data.person,
        spec.release.order,
        recipe_sentences(table),
    )


def _promise(
    prepared: Prepared,
    recipe: Recipe,
    measures: dict[str, float],
    suppressed: int,
    groupings: tuple[Grouping, ...],
) -> Promise:
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
        recipe.person,
        sentences=recounted_sentences(prepared.table),
    )


def _reference(
    prepared: Prepared, measures: Mapping[str, float], groupings: tuple[Grouping, ...]
) -> dict[str, object]:
    """State what a recount needs beside the file: costs of the labels in it, distributions that t needs."""
    weights = prepared.setting.weights.tolist()
    attributes = {item.name: item.costs(weight) for item, weight in zip(groupings, weights, strict=True)}
    cube = prepared.cube
    distributions = {}
    for number, name in enumerate(prepared.setting.sensitive):
        asked = _distances(name, measures)
        if not asked:
            continue
        domain = prepared.table.sensitive[name]
        counts = np.bincount(cube.sensitive_codes[:, number], weights=cube.rows, minlength=domain.size)
        distributions[name] = distribution(
            [_scalar(value) for value in domain.values],
            [int(count) for count in counts],
            domain.levels.tolist() if "hierarchical" in asked else (),
        )
    return make_reference(attributes, distributions, stated_sentences(prepared.table))


def _distances(attribute: str, names: Iterable[str]) -> set[str]:
    """Return the distances by which measures compare a sensitive attribute with the whole table."""
    parsed = (parse_measure_name(name) for name in names if name.startswith("t("))
    return {(*arguments, "equal")[1] for _, arguments in parsed if arguments[0] == attribute}


def _scalar(value: object) -> Scalar:
    """Return a domain value as JSON can hold it."""
    return value if value is None or isinstance(value, str | int | float) else str(value)


__all__ = ["Draft", "make_draft", "make_recipe"]
