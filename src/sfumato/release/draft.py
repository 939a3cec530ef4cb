"""From a solution to a release that can be verified and written."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from sfumato.domains import Ladder, Lattice
from sfumato.errors import InfeasibleError, OutputError
from sfumato.measures import make_measure, measure_names
from sfumato.release.manifest import Manifest, current_versions
from sfumato.release.recipe import Recipe, RecipeAttribute
from sfumato.release.reference import distribution, kept_attribute, make_reference, recoded_attribute
from sfumato.release.verify import Promise, holds, recount, recount_beside
from sfumato.release.write import write_release
from sfumato.spec import format_measure_name
from sfumato.table import Recode, apply, is_typed, write_table

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    """

    prepared: Prepared
    classes: Classes
    frame: object
    promise: Promise
    recipe: Recipe

    @property
    def measures(self) -> dict[str, float]:
        """Measures as the search found them."""
        return {name: number for name, number in self.promise.measures.items() if number is not None}

    def verify(self) -> Recount:
        """Write the rows to a temporary folder and recount them; see `sfumato.release.verify`."""
        with tempfile.TemporaryDirectory(prefix="sfumato-") as folder:
            released = Path(folder) / "release.parquet"
            self._write_rows(released)
            if self.promise.person is None:
                return recount(released, self.promise)
            checked = Path(folder) / "checked.parquet"
            self._write_checked(checked)
            return recount_beside(released, checked, self.promise)

    def violations(self) -> list[str]:
        """Return what the recount finds broken; nothing if the release keeps its promise."""
        return holds(self.verify(), self.promise)

    def write(self, path: Path, *, force: bool = False) -> Manifest:
        """Write the release if an independent recount of the written file confirms its promise."""
        self._spare_inputs(path)
        return write_release(
            self._write_rows,
            path,
            self.promise,
            self._manifest,
            force=force,
            write_checked=None if self.promise.person is None else self._write_checked,
        )

    def _spare_inputs(self, path: Path) -> None:
        """Refuse to replace what the release is made from, even where replacing was asked for."""
        spec, source = self.prepared.spec, self.prepared.table.source
        inputs = [] if source.file is None else [source.file.path]
        for attribute in spec.attributes.values():
            if attribute.hierarchy is not None and attribute.hierarchy.file is not None:
                inputs.append(spec.resolve(attribute.hierarchy.file))
        if any(path.resolve() == Path(item).resolve() for item in inputs):
            raise OutputError("this is an input of the release. Choose another name.", where=str(path))

    def _write_rows(self, path: Path) -> None:
        """Write the rows; numbers of a text file become numbers where the format knows them."""
        is_text_in = self.prepared.table.source.is_text
        frame = self._apply(path) if is_text_in and is_typed(path) else self.frame
        write_table(frame, path)

    def _write_checked(self, path: Path) -> None:
        """Write the same rows with the person column, which only the recount sees."""
        write_table(self._apply(path, with_person=True), path)

    def _apply(self, path: Path, *, with_person: bool = False) -> object:
        return apply_recoding(
            self.prepared, self.recipe, self.classes, typed=is_typed(path), with_person=with_person
        )

    def _manifest(self, found: Recount, sha256: str) -> Manifest:
        rows = {key: found.rows[key] for key in ("in", "out", "suppressed")}
        return Manifest(
            self.recipe.to_dict(),
            found.measures,
            dict(self.promise.require),
            rows,
            sha256,
            self.promise.reference or {},
            current_versions(),
        )


def make_draft(prepared: Prepared, problem: Problem, node: LongArray) -> Draft:
    """Apply one node of the lattice to the full table.

    Parameters
    ----------
    prepared
        The table and its lattice.
    problem
        Requirements and suppression.
    node
        A level for each quasi-identifier.

    Raises
    ------
    InfeasibleError
        If the node does not meet the requirements.
    """
    fixed = Lattice(
        tuple(
            Ladder(ladder.levels, int(level), int(level))
            for ladder, level in zip(prepared.lattice.ladders, node, strict=True)
        )
    )
    asked = {item.name for item in problem.measures}
    every = tuple(
        make_measure(name, prepared.setting)
        for name in measure_names(prepared.setting)
        # t needs the whole table's distribution beside the release: only where somebody asked for it.
        if not name.startswith("t(") or name in asked
    )
    alone = replace(problem, lattice=fixed, extra=every)
    batch = alone.batch(threads=1)
    statistics = batch.evaluate(node[None])
    if not alone.feasible(statistics)[0]:
        raise InfeasibleError("this recoding does not meet the requirements; pick another solution.")
    classes = batch.classes(node)
    measures = {item.name: float(item.value(statistics)[0]) for item in alone.measures}
    recipe = make_recipe(prepared, node, classes)
    promise = _promise(prepared, recipe, measures, int(statistics.suppressed[0]), classes)
    return Draft(prepared, classes, apply_recoding(prepared, recipe, classes), promise, recipe)


def apply_recoding(
    prepared: Prepared,
    recipe: Recipe,
    classes: Classes,
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
        The level of each quasi-identifier, what becomes of suppressed rows, and the order.
    classes
        The classes, with those that are suppressed.
    typed
        Whether kept numbers of a text file leave as numbers.
    with_person
        Whether the person column comes too, for a recount that is not released.
    """
    table, recodes = prepared.table, []
    for name in prepared.setting.quasi_identifiers:
        hierarchy, level = table.hierarchies[name], cast("int", recipe.attributes[name].level)
        keep = is_kept(hierarchy.definition, level)
        recodes.append(Recode(name, hierarchy.levels[level], hierarchy.labels[level], keep))
    return apply(
        table,
        recodes,
        classes.suppressed_blocks,
        output=recipe.suppressed_output,
        order=recipe.order,
        typed=typed,
        with_person=with_person,
    )


def is_kept(definition: Mapping[str, object], level: int) -> bool:
    """Tell whether a column leaves as it came: at level 0, not granulated, without unknown values."""
    return level == 0 and not definition.get("granularity") and "unknown" not in definition


def make_recipe(prepared: Prepared, node: LongArray, classes: Classes) -> Recipe:
    """Write down what is done to every column; no value that the release does not show."""
    spec, table = prepared.spec, prepared.table
    level_of = dict(zip(prepared.setting.quasi_identifiers, (int(level) for level in node), strict=True))
    attributes = {}
    for name in table.source.columns:
        if name not in spec.attributes:
            continue
        asked = spec.attributes[name]
        hierarchy = table.hierarchies.get(name) or table.sensitive.get(name)
        recoded = name in level_of
        attributes[name] = RecipeAttribute(
            asked.role,
            hierarchy.kind if hierarchy else asked.kind,
            asked.weight,
            _shown_definition(prepared, name, level_of[name], classes) if recoded else None,
            "levels" if recoded else None,
            level_of.get(name),
        )
    return Recipe(
        attributes,
        spec.suppression.limit,
        spec.suppression.rule,
        spec.suppression.output,
        dict(spec.require),
        tuple(spec.data.missing),
        spec.data.person,
        spec.release.order,
    )


def _shown_definition(prepared: Prepared, name: str, level: int, classes: Classes) -> Mapping[str, object]:
    """Return the definition of a hierarchy without values of the data that the release hides.

    At the root any value becomes the root, so none needs to be known. Below it, a domain taken from the data
    keeps the values that remain; rules, files and trees hold none of the data.
    """
    hierarchy = prepared.table.hierarchies[name]
    if level == hierarchy.height:
        return {"root": hierarchy.labels[level][0], "height": hierarchy.height}
    if "values" not in hierarchy.definition:
        return hierarchy.definition
    shown = set(_remaining_blocks(prepared, name, classes))
    recorded = cast("list[object]", hierarchy.definition["values"])
    blocks = hierarchy.levels[level]
    return {"values": [value for code, value in enumerate(recorded) if int(blocks[code]) in shown]}


def _remaining_blocks(prepared: Prepared, name: str, classes: Classes) -> list[int]:
    """Return the blocks of a quasi-identifier that some remaining class has."""
    place = prepared.setting.quasi_identifiers.index(name)
    return [int(block) for block in np.unique(classes.blocks[~classes.suppressed, place])]


def _promise(
    prepared: Prepared, recipe: Recipe, measures: dict[str, float], suppressed: int, classes: Classes
) -> Promise:
    rows = prepared.cube.row_count
    out = rows if recipe.suppressed_output == "mask" else rows - suppressed
    return Promise(
        prepared.setting.quasi_identifiers,
        prepared.setting.sensitive,
        dict(recipe.require),
        measures,
        {"in": rows, "out": out, "suppressed": suppressed},
        _reference(prepared, recipe, measures, classes),
        recipe.suppressed_output,
        recipe.rule,
        recipe.limit,
        recipe.released,
        recipe.person,
    )


def _reference(
    prepared: Prepared, recipe: Recipe, measures: Mapping[str, float], classes: Classes
) -> dict[str, object]:
    """State what a recount needs beside the file: costs of the labels in it, distributions that t needs."""
    names = prepared.setting.quasi_identifiers
    attributes = {name: _costs(prepared, recipe, name, classes) for name in names}
    cube = prepared.cube
    distributions = {}
    for number, name in enumerate(prepared.setting.sensitive):
        if format_measure_name("t", (name,)) not in measures:
            continue
        values = prepared.table.sensitive[name].values
        counts = np.bincount(cube.sensitive_codes[:, number], weights=cube.rows, minlength=len(values))
        distributions[name] = distribution(
            [_scalar(value) for value in values], [int(count) for count in counts]
        )
    return make_reference(attributes, distributions)


def _costs(prepared: Prepared, recipe: Recipe, name: str, classes: Classes) -> dict[str, object]:
    """State what the cells of a quasi-identifier cost by the labels that remain."""
    hierarchy, asked = prepared.table.hierarchies[name], recipe.attributes[name]
    level = cast("int", asked.level)
    if is_kept(hierarchy.definition, level):
        return kept_attribute(height=hierarchy.height, weight=asked.weight)
    sizes = Ladder.whole(hierarchy.levels).block_sizes(level)
    shown = _remaining_blocks(prepared, name, classes)
    return recoded_attribute(
        [hierarchy.labels[level][block] for block in shown],
        [int(sizes[block]) for block in shown],
        domain=hierarchy.size,
        level=level,
        height=hierarchy.height,
        weight=asked.weight,
    )


def _scalar(value: object) -> Scalar:
    """Return a domain value as JSON can hold it."""
    return value if value is None or isinstance(value, str | int | float) else str(value)


__all__ = ["Draft", "apply_recoding", "is_kept", "make_draft", "make_recipe"]
