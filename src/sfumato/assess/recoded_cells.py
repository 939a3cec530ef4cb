"""Original rows as a release shows them, and which of them are in it."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.assess.cells import Cells, count_rows, number_tuples, read_cells
from sfumato.errors import DataError
from sfumato.hierarchies import ROOT, build, encode, parse_values, text_of
from sfumato.release import Generalization, Manifest, make_groupings, manifest_path, recipe_problem
from sfumato.release.microaggregated import NOT_MADE, Microaggregation, is_microaggregated
from sfumato.table.values import texts_of_array, type_values

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.assess.cells import CodedTable
    from sfumato.spec import Spec
    from sfumato.table import Source

_ON_A_LINE = ("number", "date")


def find_positions(
    table: CodedTable, sensitive: Sequence[str], branches: Mapping[str, LongArray]
) -> dict[str, FloatArray]:
    """Return where the values of sensitive attributes lie, for those on a line and without branches."""
    found = {name: table.positions(name) for name in sensitive if name not in branches}
    return {name: places for name, places in found.items() if places is not None}


def find_branches(table: CodedTable, sensitive: Sequence[str], spec: Spec | None) -> dict[str, LongArray]:
    """Return the branch of each value of the sensitive attributes whose hierarchy is known.

    A branch is what stands one step below the root. Missing, and a value that stands directly under the root,
    are branches of their own. Numbers and dates lie on a line, whatever hierarchy they have.
    """
    found = {}
    for name in sensitive:
        attribute = None if spec is None else spec.attributes.get(name)
        if spec is None or attribute is None or attribute.hierarchy is None:
            continue
        column = table.columns[name]
        kind, values = type_values(name, column.values, attribute)
        if kind in _ON_A_LINE:
            continue
        made = build(name, attribute, values, has_missing=column.has_missing, kind=kind, resolve=spec.resolve)
        codes = np.zeros(table.cells.sizes[name], dtype=np.int64)
        codes[table.ranks[name]] = encode(made, values)
        if column.has_missing:
            codes[-1] = made.size - 1
        found[name] = made.levels[max(made.height - 1, 0)][codes].astype(np.int64)
    return found


Labels: TypeAlias = Mapping[str, Mapping[str | None, str | None]]
"""Attribute → text of a value → its label in the release; None is missing in both."""


@dataclass(frozen=True, eq=False)
class Released:
    """A released table with what was done to it."""

    frame: object  # its rows: a frame, or the path of the file
    recipe: Generalization | None  # what was done; None for a microaggregated table
    micro: Microaggregation | None = None  # what was done to a microaggregated table; None for other releases
    # by how much a release that was drawn among near-optimal ones may be worse than the best
    tolerance: float = 0.0

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The attributes that were changed so that nobody is recognized by them."""
        if self.recipe is not None:
            return tuple(self.recipe.quasi_identifiers)
        return () if self.micro is None else self.micro.names

    @property
    def missing(self) -> tuple[str, ...]:
        """The texts that were read as missing."""
        done = self.micro if self.recipe is None else self.recipe
        return ("",) if done is None else done.missing


def open_release(release: object) -> Released:
    """See a written release, or one that is not written yet, as rows with what was done to them."""
    if isinstance(release, Released):
        return release
    if isinstance(release, str | os.PathLike):
        return _open_file(Path(os.fspath(release)))
    frame, recipe = getattr(release, "frame", None), getattr(release, "recipe", None)
    if isinstance(recipe, Microaggregation):
        return Released(frame, None, recipe)
    if not isinstance(recipe, Generalization):
        raise DataError(f"a {type(release).__name__} is no release. Pass the path of a released file.")
    drawn = getattr(release, "run", {}).get("choice", {})
    return Released(frame, recipe, tolerance=float(drawn.get("tolerance", 0.0)))


def _open_file(path: Path) -> Released:
    stated = manifest_path(path)
    if not path.exists():
        raise DataError("there is no such release.", where=str(path))
    if not stated.exists():
        raise DataError(
            f"there is no {stated.name} beside it, so nobody knows which row is whose. Name a file that "
            "Sfumato released; to judge any other table by itself, give it in place of the data.",
            where=str(path),
        )
    manifest = Manifest.load(stated)
    if not is_microaggregated(manifest):
        recipe = Generalization.from_dict(manifest.recipe, where=f"{stated}: recipe")
        return Released(path, recipe, tolerance=manifest.choice_tolerance or 0.0)
    return Released(path, None, Microaggregation.from_dict(manifest.recipe, where=f"{stated}: recipe"))


def label_values(recipe: Generalization, source: Source) -> Labels:
    """Return what a recipe makes of every value of its quasi-identifiers.

    A value that the recipe does not name, since no released row shows it, becomes ``*``.
    """
    alone = {name: recipe.attributes[name] for name in recipe.quasi_identifiers}
    # Only what becomes of values is asked for: nothing is required, so nothing can fail.
    bare = replace(recipe, attributes=alone, require={}, confidential=(), rule="none", limit=0.0, person=None)
    prepared, _ = recipe_problem(bare, source, "*")
    found: dict[str, dict[str | None, str | None]] = {}
    for grouping in make_groupings(prepared, prepared.lattice, prepared.lattice.bottom):
        raw = prepared.table.raw[grouping.name]
        texts: list[str | None] = [*texts_of_array(raw.values)]
        codes = raw.codes.tolist()
        if raw.missing is not None:
            texts, codes = [*texts, None], [*codes, raw.missing]
        labels, block = grouping.labels, grouping.block.tolist()
        found[grouping.name] = {text: labels[block[code]] for text, code in zip(texts, codes, strict=True)}
    return found


@dataclass(frozen=True, eq=False)
class Recoded:
    """Everyone's rows as a release shows them."""

    cells: Cells  # the cells of the original, with the codes of labels in place of those of values
    released: BoolArray  # which cells are in the release
    labels: Mapping[str, Sequence[str | None]]  # attribute → the label of each code


def recode_cells(table: CodedTable, source: Source, recipe: Generalization, released: Source) -> Recoded:
    """Code the original rows as a recipe does, and find them in the released file.

    A class of the release is in the file as a whole or not at all, as suppression leaves it; otherwise the
    file was made from other data.
    """
    names, maps = recipe.quasi_identifiers, label_values(recipe, source)
    for name in names:
        if name not in released.columns:
            raise DataError(f"the release has no column {name!r}, which it promises.", where=released.name)
    shown = read_cells(released, names)
    codes, sizes, labels = dict(table.cells.codes), dict(table.cells.sizes), {}
    theirs: dict[str, LongArray] = {}
    for name in names:
        ours = [maps[name].get(text, ROOT) for text in table.texts(name)]
        kind = recipe.attributes[name].kind
        written = _read_labels(shown.texts(name), set(maps[name].values()), kind)
        one, other, labels[name] = share_codes(ours, written)
        codes[name], theirs[name] = one[codes[name]], other[shown.cells.codes[name]]
        sizes[name] = len(labels[name])
    cells = replace(table.cells, codes=codes, sizes=sizes)
    number = number_tuples(
        [np.concatenate([codes[name], theirs[name]]) for name in names], [sizes[name] for name in names]
    )
    mask = recipe.suppressed_output == "mask"
    is_masked = np.full(len(shown.cells.rows), mask)
    for name in names:
        is_masked &= np.array([label == ROOT for label in labels[name]], dtype=bool)[theirs[name]]
    kept = _find(number, cells.rows, shown.cells.rows, is_masked)
    if kept is None:
        raise DataError(f"{NOT_MADE}: its classes are others. Name the file that it came from.")
    return Recoded(cells, kept, labels)


def _find(number: LongArray, ours: LongArray, theirs: LongArray, masked: BoolArray) -> BoolArray | None:
    """Tell which cells are in a release, by the class of our cells, then of its own; None for other data."""
    split, count = len(ours), int(number.max(initial=-1)) + 1
    before = count_rows(number[:split], ours, count)
    after = count_rows(number[split:], theirs, count)
    lost = before.sum() - after.sum()
    if masked.any() and not (before == after).all():
        # Masked rows look like one class, and nobody can tell which of them are whose.
        hidden = number[split:][masked]
        after[hidden] = 0
        lost = before.sum() - after.sum() - theirs[masked].sum()
        if lost:
            return None
    if lost < 0 or ((after != 0) & (after != before)).any():
        return None
    return np.asarray((after > 0)[number[:split]])


def _read_labels(texts: Sequence[str | None], known: set[str | None], kind: str | None) -> list[str | None]:
    """Return the label that each text of a file is; a number or date may be spelt in another way."""
    found = []
    for text in texts:
        if text is not None and text not in known and kind in ("number", "date"):
            try:
                value = parse_values([text], kind)[0]
            except DataError:
                value = None
            text = text if value is None else text_of(value)
        found.append(text)
    return found


def share_codes(
    one: Sequence[Hashable], other: Sequence[Hashable]
) -> tuple[LongArray, LongArray, list[str | None]]:
    """Give the entries of two lists common codes; return those of both, and the entry of each code."""
    places: dict[Hashable, int] = {}
    coded = [
        np.array([places.setdefault(entry, len(places)) for entry in entries], dtype=np.int64)
        for entries in (one, other)
    ]
    return coded[0], coded[1], list(places)  # type: ignore[arg-type]
