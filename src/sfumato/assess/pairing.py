"""The one pairing of original and released rows: what becomes of each value, and which rows are published."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.assess.cells import Cells, CodedTable, count_rows, number_tuples, read_cells
from sfumato.errors import DataError, ParameterError
from sfumato.hierarchies import ROOT, build, encode, parse_values, text_of
from sfumato.release import (
    Draft,
    Generalization,
    Grouping,
    Manifest,
    make_groupings,
    manifest_path,
    recipe_problem,
)
from sfumato.release.assignment import apply_local
from sfumato.release.manifest import NOT_MADE, open_released
from sfumato.release.publishing import kept_tuples
from sfumato.table.values import texts_of_array, type_values

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
    from sfumato.preparing import Prepared
    from sfumato.release.microaggregated import Microaggregation
    from sfumato.spec import Spec
    from sfumato.table import Source

_ON_A_LINE = ("number", "date")


def find_positions(
    table: CodedTable, sensitive: Sequence[str], branches: Mapping[str, LongArray]
) -> dict[str, FloatArray]:
    """Return where the values of sensitive attributes lie, for those on a line and without branches."""
    found = {name: table.positions(name) for name in sensitive if name not in branches}
    return {name: places for name, places in found.items() if places is not None}


def find_known(
    table: CodedTable, sensitive: Sequence[str], said: Spec | Generalization | None
) -> dict[str, BoolArray]:
    """Tell for each value of the sensitive attributes whether it is neither missing nor declared unknown."""
    found = {}
    for name in sensitive:
        silent = said.attributes[name].unknown if said is not None and name in said.attributes else ()
        values = table.typed(name)[1]
        found[name] = np.array([item is not None and text_of(item) not in silent for item in values], bool)
    return found


def find_branches(table: CodedTable, sensitive: Sequence[str], spec: Spec | None) -> dict[str, LongArray]:
    """Return the branch of each value of the sensitive attributes whose hierarchy is known."""
    # A branch is what stands one step below the root. Missing, and a value that stands directly under the
    # root, are branches of their own. Numbers and dates lie on a line, whatever hierarchy they have.
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
    draft: Draft | None = None  # where the rows were just made, what made them: nothing is read again then

    def assigned(self, original: Source, assignment: object) -> Released:
        """Return a local release with the rows that its private assignment makes of the original."""
        if self.recipe is None or not self.recipe.is_local:
            raise ParameterError("only a local release has an assignment. Leave it out.")
        return replace(self, draft=apply_local(self.recipe, original, "suppress", assignment))

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
    if not isinstance(recipe, Generalization):
        from sfumato.release.microaggregated import Microaggregation

        if isinstance(recipe, Microaggregation):
            return Released(frame, None, recipe)
        raise DataError(f"a {type(release).__name__} is not a release. Pass the path of a released file.")
    drawn = getattr(release, "run", {}).get("choice", {})
    draft = release if isinstance(release, Draft) else None
    if recipe.is_local and draft is None:
        draft = getattr(release, "_draft", None)
    return Released(frame, recipe, tolerance=float(drawn.get("tolerance", 0.0)), draft=draft)


def _open_file(path: Path) -> Released:
    stated = manifest_path(path)
    if not path.exists():
        raise DataError("there is no such release.", where=str(path))
    if not stated.exists():
        raise DataError(
            f"there is no {stated.name} next to it, so its rows cannot be matched with the data. Name a "
            "file that Sfumato released; to measure any other table by itself, pass it as the data.",
            where=str(path),
        )
    from sfumato.release.microaggregated import Microaggregation, is_microaggregated

    manifest = Manifest.load(stated)
    if not is_microaggregated(manifest):
        recipe = Generalization.from_dict(manifest.recipe, where=f"{stated}: recipe")
        return Released(path, recipe, tolerance=manifest.choice_tolerance or 0.0)
    return Released(path, None, Microaggregation.from_dict(manifest.recipe, where=f"{stated}: recipe"))


def label_values(recipe: Generalization, source: Source) -> Labels:
    """Return what a recipe makes of every value of its quasi-identifiers."""
    # A value that the recipe does not name, since no released row shows it, becomes `*`.
    alone = {name: recipe.attributes[name] for name in recipe.quasi_identifiers}
    prepared, groupings = recode(replace(recipe, attributes=alone, person=None, household=None), source)
    return _labels(prepared, groupings)


def recode(recipe: Generalization, data: object) -> tuple[Prepared, tuple[Grouping, ...]]:
    """Do to the original what a recipe says; nothing is required, so nothing can fail."""
    lenient = replace(recipe, require={}, confidential=(), rule="none", limit=0.0)
    prepared, _ = recipe_problem(lenient, data)
    return prepared, make_groupings(prepared, prepared.lattice, prepared.lattice.bottom)


def _labels(prepared: Prepared, groupings: Sequence[Grouping]) -> Labels:
    found = {}
    for grouping in groupings:
        labels, block = grouping.labels, grouping.block.tolist()
        codes = raw_codes(prepared, grouping.name)
        found[grouping.name] = {text: labels[block[code]] for text, code in codes.items()}
    return found


def raw_codes(prepared: Prepared, name: str) -> dict[str | None, int]:
    """Return the code of each text that a column holds; None is missing."""
    raw = prepared.table.raw[name]
    found: dict[str | None, int] = dict(zip(texts_of_array(raw.values), raw.codes.tolist(), strict=True))
    return found if raw.missing is None else {**found, None: raw.missing}


@dataclass(frozen=True, eq=False)
class RecodedCells:
    """Everyone's rows as a release shows them."""

    cells: Cells  # the cells of the original, with the codes of labels in place of those of values
    released: BoolArray  # which cells are in the release
    labels: Mapping[str, Sequence[str | None]]  # attribute → the label of each code


@dataclass(frozen=True, eq=False)
class LabelledColumn:
    """A quasi-identifier of the original as a release writes it."""

    codes: LongArray | IntArray  # of each cell
    labels: Sequence[str | None]  # the label of each code; equal ones cannot be told apart in the release
    kind: str | None


def recode_cells(
    table: CodedTable, source: Source, released: Released, whole: CodedTable | None = None
) -> RecodedCells:
    """Code original rows, all or some of a whole, as a release does, and tell which of them are in it."""
    recipe, draft = released.recipe, released.draft
    assert recipe is not None
    if recipe.is_local:
        return _recode_local(table, draft)
    maps = (
        label_values(recipe, source)
        if draft is None
        else _labels(draft.prepared, [item for item in draft.groupings if isinstance(item, Grouping)])
    )
    columns = _labelled(table, recipe, maps)
    if draft is None:
        # Whether a file was made from these data shows in all of them alone.
        every = table if whole is None else whole
        shown = _labelled(every, recipe, maps)
        kept = find_kept(shown, every.cells.rows, open_released(released.frame), recipe)
        kept = kept if whole is None else _same_classes(columns, shown, kept)
    else:
        blocks = [item.block for item in draft.groupings if isinstance(item, Grouping)]
        kept = kept_tuples(_codes_in(draft, table), blocks, draft.classes)
    codes, sizes, names = dict(table.cells.codes), dict(table.cells.sizes), {}
    for name, column in columns.items():
        one, _, names[name] = share_codes(column.labels, ())
        codes[name], sizes[name] = one[codes[name]], len(names[name])
    return RecodedCells(replace(table.cells, codes=codes, sizes=sizes), kept, names)


def _labelled(table: CodedTable, recipe: Generalization, maps: Labels) -> dict[str, LabelledColumn]:
    """Return the quasi-identifiers of original rows as a recipe writes them."""
    return {
        name: LabelledColumn(
            table.cells.codes[name],
            [maps[name].get(text, ROOT) for text in table.texts(name)],
            recipe.attributes[name].kind,
        )
        for name in recipe.quasi_identifiers
    }


def _same_classes(
    some: Mapping[str, LabelledColumn], every: Mapping[str, LabelledColumn], kept: BoolArray
) -> BoolArray:
    """Tell which of some cells are in a release, by the cells of their classes."""
    both, sizes = [], []
    for name, column in every.items():
        ours, theirs, labels = share_codes(column.labels, some[name].labels)
        both.append(np.concatenate([ours[column.codes], theirs[some[name].codes]]))
        sizes.append(len(labels))
    number = number_tuples(both, sizes)
    return np.isin(number[len(kept) :], number[: len(kept)][kept])


def _codes_in(draft: Draft, table: CodedTable) -> IntArray:
    """Return the codes of each cell in the table of a draft."""
    columns = []
    for grouping in draft.groupings:
        places = raw_codes(draft.prepared, grouping.name)
        codes = np.array([places[text] for text in table.texts(grouping.name)], dtype=np.int32)
        columns.append(codes[table.cells.codes[grouping.name]])
    return np.column_stack(columns)


LOCAL_FILE = "the file of a local release does not show which row has which labels."


def _recode_local(table: CodedTable, draft: Draft | None) -> RecodedCells:
    """Give each cell the labels of its tuple; only what made a local release knows them."""
    if draft is None or draft.tuples is None:
        raise DataError(LOCAL_FILE)
    place_of = {tuple(codes): place for place, codes in enumerate(draft.tuples.blocks.tolist())}
    try:
        places = np.array([place_of[tuple(own)] for own in _codes_in(draft, table).tolist()], dtype=np.int64)
    except KeyError:
        raise DataError(f"{NOT_MADE}: its values differ. Name the data that it came from.") from None
    codes, sizes, names = dict(table.cells.codes), dict(table.cells.sizes), {}
    for a, item in enumerate(draft.groupings):
        own = draft.tuples.texts.get(item.name)
        if own is None:
            own = [item.hierarchy.labels[0][code] for code in draft.tuples.blocks[:, a].tolist()]
        one, _, names[item.name] = share_codes(own, ())
        codes[item.name], sizes[item.name] = one[places], len(names[item.name])
    return RecodedCells(replace(table.cells, codes=codes, sizes=sizes), ~draft.tuples.hidden[places], names)


def find_kept(
    columns: Mapping[str, LabelledColumn], rows: LongArray, released: Source, recipe: Generalization
) -> BoolArray:
    """Tell which cells of the original are in the released rows."""
    # A class of the release is in the file as a whole or not at all, as suppression leaves it; otherwise the
    # file was made from other data.
    for name in columns:
        if name not in released.columns:
            raise DataError(f"the release has no column {name!r}, which it promises.", where=released.name)
    shown = read_cells(released, tuple(columns))
    both, sizes = [], []
    is_masked = np.full(len(shown.cells.rows), recipe.suppressed_output == "mask")
    for name, column in columns.items():
        texts = _read_labels(shown.texts(name), set(column.labels), column.kind)
        ours, theirs, labels = share_codes(column.labels, texts)
        there = theirs[shown.cells.codes[name]]
        both.append(np.concatenate([ours[column.codes], there]))
        sizes.append(len(labels))
        is_masked &= np.array([label == ROOT for label in labels], dtype=bool)[there]
    kept = _find(number_tuples(both, sizes), rows, shown.cells.rows, is_masked)
    if kept is None:
        raise DataError(f"{NOT_MADE}: its classes differ. Name the file that it came from.")
    return kept


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
    is_other = lost < 0 or ((after != 0) & (after != before)).any()
    return None if is_other else np.asarray((after > 0)[number[:split]])


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
