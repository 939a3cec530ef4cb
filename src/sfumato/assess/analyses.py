"""What analyses still give: a release and the table that it was made from."""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sfumato.assess.analysing import NumberPairs, analyse_columns, analyse_recoded
from sfumato.assess.pairing import LOCAL_FILE, LabelledColumn, find_kept, recode
from sfumato.assess.recoded import Recoded, RecodedAttribute
from sfumato.errors import DataError, ParameterError
from sfumato.hierarchies import Hierarchy, Value, encode, infer_kind, parse_values
from sfumato.preparing import Prepared, load
from sfumato.release import Draft, Generalization, Grouping, Manifest, manifest_path, microaggregated
from sfumato.release.assignment import label_coverage
from sfumato.release.manifest import NOT_MADE, open_original, open_released
from sfumato.release.reapply import APART
from sfumato.spec import DataSpec, Spec
from sfumato.table.values import NumberColumn, read_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, FloatArray, IntArray
    from sfumato.assess.utility import Utility
    from sfumato.table import Source, TupleLabels


def utility(
    data: object,
    release: object | None = None,
    *,
    spec: Spec | None = None,
    recipe: Generalization | None = None,
    columns: Sequence[str] = (),
    target: str | None = None,
    seed: int = 1,
) -> Utility:
    """Make the same analyses of a table and of its release."""
    # A granulated column is compared from its granules on. The numbers depend on the seed and the rows, not
    # on the order of rows or the engine that holds them; those of microaggregated tables on the order, too.
    if isinstance(data, Draft):
        return analyse_recoded(recoded_of_draft(data), target=target, seed=seed)
    if release is None:
        # A microaggregated table: its columns as they were, and what stands in their place.
        made: Any = data
        if not hasattr(made, "centres"):
            raise ParameterError("pass a release, unless the data come with theirs.")
        read = _columns(made.columns, np.column_stack([item.values for item in made.columns]), made.centres)
        return analyse_columns(read, target=target, seed=seed)
    if data is None:
        data = None if spec is None else spec.data_path
        if data is None:
            raise ParameterError("pass data: there is no specification that names a path.")
    recipe, micro = _what_was_done(release, recipe, columns)
    if recipe is None:
        read = read_columns(data, release, columns, spec=spec, recipe=micro)
        return analyse_columns(read, target=target, seed=seed)
    return analyse_recoded(recoded_of_files(data, release, recipe, spec=spec), target=target, seed=seed)


def _what_was_done(
    release: object, recipe: Generalization | None, columns: Sequence[str]
) -> tuple[Generalization | None, microaggregated.Microaggregation | None]:
    """Return the recipe of a release, as far as something says it."""
    if recipe is not None:
        return recipe, None
    if not isinstance(release, str | os.PathLike):
        if columns:
            return None, None
        raise ParameterError("pass a recipe or columns: a frame does not say what was done to it.")
    where = manifest_path(Path(release))
    if columns and not where.exists():
        return None, None
    manifest = Manifest.load(where)
    if microaggregated.is_microaggregated(manifest):
        return None, microaggregated.Microaggregation.from_dict(manifest.recipe, where=f"{where}: recipe")
    return (None, None) if columns else (Generalization.from_dict(manifest.recipe), None)


class _Blocks(NamedTuple):
    """What becomes of a domain: the block of each code, the text of each block, and what these texts are."""

    block: IntArray
    labels: tuple[str | None, ...]
    output: str = "label"


def recoded_of_draft(draft: Draft) -> Recoded:
    """Return the table before and after, as a draft knows it."""
    if draft.tuples is not None:
        return _recoded_locally(draft, draft.tuples)
    whole = [item for item in draft.groupings if isinstance(item, Grouping)]
    blocks = [_Blocks(item.block, item.labels, item.output) for item in whole]
    return _recoded(draft.prepared, blocks, draft.class_of >= 0)


LARGEST = 30_000_000
"""Labels × values of an attribute up to which analyses of a local release are made."""


def _recoded_locally(draft: Draft, tuples: TupleLabels) -> Recoded:
    """Return the table before and after a local recoding: each cell has the label of its tuple."""
    numbers = draft.label_codes(tuples)
    kept = numbers[:, 0] < len(draft.groupings[0].labels)
    plain = [_Blocks(np.arange(item.hierarchy.size, dtype=np.int32), ()) for item in draft.groupings]
    table = _recoded(draft.prepared, plain, kept)
    attributes, labels = list(table.attributes), {}
    for place, item in enumerate(draft.groupings):
        if item.keep:
            continue
        if len(item.labels) * item.hierarchy.size > LARGEST:
            raise DataError(
                f"{item.name} has too many labels and values to analyse them. Use coarser labels."
            )
        covered = label_coverage(draft.recipe, item.hierarchy)
        code = _attribute(item.hierarchy, "quasi-identifier", plain[place])[1]
        members = np.zeros(covered.shape)
        members[:, code] = covered
        attributes[place] = replace(attributes[place], members=members)
        labels[place] = np.where(kept, numbers[:, place], 0)
    return replace(table, attributes=tuple(attributes), labels=labels)


def recoded_of_files(
    data: object, release: object, recipe: Generalization, *, spec: Spec | None = None
) -> Recoded:
    """Return the table before and after from the original rows and the released ones."""
    if recipe.is_local:
        raise DataError(LOCAL_FILE)
    source = open_original(data, _reading(release) if spec is None else spec.data, recipe.missing)
    coded, groupings = recode(recipe, source)
    prepared = coded if spec is None else load(source, spec)
    blocks, columns = [], {}
    for place, name in enumerate(prepared.setting.quasi_identifiers):
        grouping = next(item for item in groupings if item.name == name)
        done, block = recipe.attributes[name], grouping.block
        if spec is not None:
            block = _carried_over(grouping.hierarchy, block, prepared.table.hierarchies[name])
        blocks.append(_Blocks(block, grouping.labels, done.output))
        codes = block[prepared.cube.codes[:, place]]
        columns[name] = LabelledColumn(codes, [*grouping.labels, APART], done.kind)
    released = _open_release(release, recipe.missing)
    return _recoded(prepared, blocks, find_kept(columns, prepared.cube.rows, released, recipe))


def _reading(release: object) -> DataSpec | None:
    """Say how the data of a written release are read: they are spelt as it is."""
    if not isinstance(release, str | os.PathLike) or not manifest_path(release).is_file():
        return None
    return Manifest.load(manifest_path(release)).reading()


def _carried_over(recorded: Hierarchy, block: IntArray, domain: Hierarchy) -> IntArray:
    """Return the block of each value of a domain, given those of the domain that a recipe makes."""
    if not block.any():
        # Everything is one block, also what did not occur when the recipe was written.
        return np.zeros(domain.size, dtype=np.int32)
    codes = encode(recorded, domain.values)
    # What the recipe does not know is hidden by the release: it is one more block, which no row shows.
    return np.where(codes < 0, int(block.max(initial=-1)) + 1, block[codes]).astype(np.int32)


def _recoded(prepared: Prepared, blocks: Sequence[_Blocks], kept: BoolArray) -> Recoded:
    """Put attributes and cells together; codes of numbers and dates follow their size."""
    cube, table = prepared.cube, prepared.table
    attributes, codes = [], []
    for place, name in enumerate(cube.quasi_identifiers):
        attribute, code = _attribute(table.hierarchies[name], "quasi-identifier", blocks[place])
        attributes.append(attribute)
        codes.append(code[cube.codes[:, place]])
    for place, name in enumerate(prepared.setting.sensitive):
        attribute, code = _attribute(table.sensitive[name], "sensitive", None)
        attributes.append(attribute)
        codes.append(code[cube.sensitive_codes[:, place]])
    stacked = np.column_stack(codes) if codes else np.zeros((len(cube.rows), 0), dtype=np.int32)
    return Recoded(tuple(attributes), stacked, cube.rows, kept, cube.persons)


def _attribute(hierarchy: Hierarchy, role: str, blocks: _Blocks | None) -> tuple[RecodedAttribute, IntArray]:
    """Return an attribute, and its code of each code of the hierarchy."""
    known = hierarchy.size - hierarchy.has_missing - ("unknown" in hierarchy.definition)
    kind, numbers = _numbers(hierarchy, known)
    order = np.arange(hierarchy.size)
    if numbers is not None:
        order[:known] = np.argsort(numbers[:known], kind="stable")
        numbers = numbers[order]
    code = np.empty(hierarchy.size, dtype=np.int32)
    code[order] = np.arange(hierarchy.size, dtype=np.int32)
    labels = tuple(hierarchy.labels[0][place] for place in order.tolist())
    block = np.arange(hierarchy.size) if blocks is None else blocks.block[order]
    used, block = np.unique(block, return_inverse=True)
    shown = None
    if blocks is not None and kind == "number" and blocks.output != "label":
        texts = [blocks.labels[number] if number < len(blocks.labels) else None for number in used.tolist()]
        shown = np.array(
            [float(t) if t is not None and infer_kind([t]) == "number" else np.nan for t in texts]
        )
    made = RecodedAttribute(
        hierarchy.attribute, role, kind, block.reshape(-1).astype(np.int32), labels, known, numbers, shown
    )
    return made, code


def _numbers(hierarchy: Hierarchy, known: int) -> tuple[str, FloatArray | None]:
    """Return the kind of a domain and the number of each code; None for categories and ordinals."""
    # Numbers whose hierarchy comes from a file or a tree are read as texts, and yet are numbers to an
    # analyst.
    kind, values = hierarchy.kind, list(hierarchy.values[:known])
    texts = [value for value in values if isinstance(value, str)]
    if kind == "category" and "leaves" in hierarchy.definition and len(texts) == len(values):
        if infer_kind(texts) != "number":
            return kind, None
        kind, values = "number", parse_values(texts, "number")
    if kind not in ("number", "date"):
        return kind, None
    numbers = np.full(hierarchy.size, np.nan)
    numbers[:known] = [_number(value) for value in values]
    return (kind, numbers) if not np.isnan(numbers[:known]).any() else ("category", None)


def _number(value: Value) -> float:
    """Return a number as it is, a date in days; NaN for others."""
    if isinstance(value, dt.datetime):
        return (value.replace(tzinfo=None) - dt.datetime(1, 1, 1)).total_seconds() / 86_400 + 1
    if isinstance(value, dt.date):
        return float(value.toordinal())
    return float(value) if isinstance(value, int | float) else np.nan


def read_columns(
    data: object,
    release: object,
    columns: Sequence[str] = (),
    *,
    spec: Spec | None = None,
    recipe: microaggregated.Microaggregation | None = None,
) -> NumberPairs:
    """Read microaggregated columns before and after, rows in the same order."""
    orders = microaggregated.orders_of(spec)
    how = DataSpec() if spec is None else spec.data
    missing = how.missing if recipe is None else recipe.missing
    original = open_original(data, how, missing)
    released = _open_release(release, missing)
    if recipe is not None:
        sides = microaggregated.read_both(original, released, recipe, orders)
        sides = sides.only(columns or recipe.names)
        return _columns(sides.columns, sides.before, sides.after)
    before, after = (read_numbers(source, columns, orders) for source in (original, released))
    rows = [len(side[0].values) if side else 0 for side in (before, after)]
    if rows[0] != rows[1]:
        raise DataError(f"{NOT_MADE}: it has {rows[1]} rows, but the data have {rows[0]}.")
    return _columns(
        before, *(np.column_stack([column.values for column in side]) for side in (before, after))
    )


def _open_release(release: object, missing: Sequence[str]) -> Source:
    """Open released rows; an empty cell is missing."""
    return open_released(release, tuple(dict.fromkeys(("", *missing))))


def _columns(read: Sequence[NumberColumn], before: FloatArray, after: FloatArray) -> NumberPairs:
    return NumberPairs(
        tuple(column.name for column in read), tuple(column.kind for column in read), before, after
    )
