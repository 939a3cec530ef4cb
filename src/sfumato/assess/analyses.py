"""What analyses still give: a release and the table that it was made from."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sfumato.assess.analysing import NumberPairs, analyse_columns, analyse_recoded
from sfumato.assess.pairing import LOCAL_FILE, LabelledColumn, Released, find_kept, recode
from sfumato.assess.recoded import Recoded, RecodedAttribute
from sfumato.errors import DataError
from sfumato.hierarchies import Hierarchy, Value, encode, infer_kind, parse_values
from sfumato.preparing import Prepared, load
from sfumato.release import Draft, Generalization, Grouping
from sfumato.release.assignment import label_coverage
from sfumato.release.manifest import open_original, open_released
from sfumato.release.microaggregated import orders_of, read_both
from sfumato.release.reapply import APART
from sfumato.spec import DataSpec, Spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, FloatArray, IntArray
    from sfumato.assess.utility import Utility
    from sfumato.table import Source, TupleLabels
    from sfumato.table.values import NumberColumn


def utility(
    released: Released, data: object = None, spec: Spec | None = None, made: object | None = None
) -> Utility:
    """Make the same analyses of a table and of its release; of files, by the specification they came from."""
    # A granulated column is compared from its granules on. The numbers depend on the seed and the rows, not
    # on the order of rows or the engine that holds them; those of microaggregated tables on the order, too.
    if released.draft is not None:
        return analyse_recoded(recoded_of_draft(released.draft))
    if released.recipe is not None:
        assert spec is not None
        return analyse_recoded(_recoded_of_files(data, released.frame, released.recipe, spec))
    known: Any = made
    if hasattr(known, "centres"):
        # Its columns as they were, and what stands in their place.
        before = np.column_stack([column.values for column in known.columns])
        return analyse_columns(_pairs(known.columns, before, known.centres))
    assert released.micro is not None
    missing = released.micro.missing
    original = open_original(data, DataSpec() if spec is None else spec.data, missing)
    sides = read_both(original, _open_release(released.frame, missing), released.micro, orders_of(spec))
    return analyse_columns(_pairs(sides.columns, sides.before, sides.after))


def _open_release(frame: object, missing: Sequence[str]) -> Source:
    """Open released rows; an empty cell is missing."""
    return open_released(frame, tuple(dict.fromkeys(("", *missing))))


def _pairs(read: Sequence[NumberColumn], before: FloatArray, after: FloatArray) -> NumberPairs:
    names, kinds = tuple(column.name for column in read), tuple(column.kind for column in read)
    return NumberPairs(names, kinds, before, after)


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
            too_many = "has too many labels and values to analyse them. Use coarser labels."
            raise DataError(f"{item.name} {too_many}")
        covered = label_coverage(draft.recipe, item.hierarchy)
        code = _attribute(item.hierarchy, "quasi-identifier", plain[place])[1]
        members = np.zeros(covered.shape)
        members[:, code] = covered
        attributes[place] = replace(attributes[place], members=members)
        labels[place] = np.where(kept, numbers[:, place], 0)
    return replace(table, attributes=tuple(attributes), labels=labels)


def _recoded_of_files(data: object, frame: object, recipe: Generalization, spec: Spec) -> Recoded:
    """Return the table before and after from the original rows and the released ones."""
    if recipe.is_local:
        raise DataError(LOCAL_FILE)
    source = open_original(data, spec.data, recipe.missing)
    _, groupings = recode(recipe, source)
    prepared = load(source, spec)
    blocks, columns = [], {}
    for place, name in enumerate(prepared.setting.quasi_identifiers):
        grouping = next(item for item in groupings if item.name == name)
        done, domain = recipe.attributes[name], prepared.table.hierarchies[name]
        block = _carried_over(grouping.hierarchy, grouping.block, domain)
        blocks.append(_Blocks(block, grouping.labels, done.output))
        codes = block[prepared.cube.codes[:, place]]
        columns[name] = LabelledColumn(codes, [*grouping.labels, APART], done.kind)
    released = _open_release(frame, recipe.missing)
    return _recoded(prepared, blocks, find_kept(columns, prepared.cube.rows, released, recipe))


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
    block = block.reshape(-1).astype(np.int32)
    made = RecodedAttribute(hierarchy.attribute, role, kind, block, labels, known, numbers, shown)
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
