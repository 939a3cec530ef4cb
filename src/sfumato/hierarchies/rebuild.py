"""Hierarchies of new data from what a recipe recorded."""

from __future__ import annotations

import bisect
import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from sfumato.errors import HierarchyError
from sfumato.hierarchies.build import build_recorded
from sfumato.hierarchies.builders import RULES, Level, assemble
from sfumato.hierarchies.encode import UNKNOWN, as_key, encode
from sfumato.hierarchies.hierarchy import PARTIAL, ROOT, Hierarchy, Value
from sfumato.hierarchies.intervals import MOST_INTEGERS, granule_starts
from sfumato.hierarchies.kinds import text_of, typed_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.hierarchies.blocks import Plain

Assigned: TypeAlias = "dict[Value, int]"
Unknown: TypeAlias = Literal["error", "*"]

BLOCKS = 1  # the level of the hierarchy on which the blocks are


def rebuild(
    attribute: str,
    definition: Mapping[str, object],
    kind: str,
    values: Sequence[Value],
    *,
    has_missing: bool,
    unknown: Unknown = "error",
) -> Hierarchy:
    """Make the hierarchy of new data from the definition that a hierarchy carries."""
    hierarchy = build_recorded(attribute, definition, kind, values, has_missing=has_missing)
    return _with_unknown_leaf(hierarchy, values, unknown)


def _with_unknown_leaf(hierarchy: Hierarchy, values: Sequence[Value], unknown: Unknown) -> Hierarchy:
    """Give a hierarchy a leaf for values that are not in its domain, if there are such."""
    codes = encode(hierarchy, values)
    foreign = [value for value, code in zip(values, codes.tolist(), strict=True) if code == UNKNOWN]
    if not foreign:
        return hierarchy
    if unknown == "error":
        raise HierarchyError(
            f"{len(foreign):,} of {len(values):,} distinct values have no place in the order or tree that "
            "the recipe has for this sensitive column. Correct these rows, or make a new release.",
            where=hierarchy.attribute,
        )
    # It stands after the known ones and before missing.
    known = hierarchy.size - hierarchy.has_missing
    levels = np.insert(hierarchy.levels, known, 0, axis=1)
    labels = list(hierarchy.labels)
    for number in range(hierarchy.height):
        blocks = len(labels[number]) - hierarchy.has_missing
        levels[number, known] = blocks
        levels[number, known + 1 :] = blocks + 1
        labels[number] = (*labels[number][:blocks], ROOT, *labels[number][blocks:])
    domain = (*hierarchy.values[:known], ROOT, *hierarchy.values[known:])
    made = {**hierarchy.definition, "unknown": ROOT}
    return dataclasses.replace(hierarchy, values=domain, levels=levels, labels=tuple(labels), definition=made)


@dataclass(frozen=True)
class RecordedBlocks:
    """A partition as a recipe holds it."""

    kind: str  # `number`, `category`, `ordinal` or `date`
    # the values of each block; with `reach` its first and its last value, or nothing where the block is not
    # shown
    blocks: Sequence[Sequence[Plain]]
    labels: Sequence[str | None]  # the label of each block
    # whether a block of numbers or dates takes everything from its first value up to the first one of the
    # next; the last block, and one before a block that is not shown, only up to its last
    reach: bool = False
    # the rule of the hierarchy (mask, dates, intervals, granularity), if there is one
    definition: Mapping[str, object] = field(default_factory=dict)
    # whether blocks take only what they list, or what lies between their ends: nothing that they would reach,
    # and nothing by a rule
    strict: bool = False

    @property
    def granularity(self) -> int | float | None:
        """The step to which numbers are rounded first."""
        step = self.definition.get("granularity")
        return step if isinstance(step, int | float) else None

    def typed(self) -> list[list[Value]]:
        """Return the values of each block as data hold them, missing left out."""
        known = [[value for value in block if value is not None] for block in self.blocks]
        return [typed_values(block, self.kind) for block in known]


def regroup(
    attribute: str,
    recorded: RecordedBlocks,
    values: Sequence[Value],
    *,
    has_missing: bool,
    unknown: Unknown = "error",
) -> Hierarchy:
    """Make the hierarchy of new data from the blocks in a recipe."""
    if recorded.reach:
        found = _by_reach(recorded, values)
    else:
        found = {value: number for number, block in enumerate(recorded.typed()) for value in block}
        if not recorded.strict and any(rule in recorded.definition for rule in RULES):
            found |= _by_rule(attribute, recorded, found, values)
    if not found and not has_missing:
        raise HierarchyError(
            "the recipe shows no value of this column, so it cannot be applied.", where=attribute
        )
    # The domain is put together block by block.
    domain = sorted(found, key=lambda value: (found[value], as_key(recorded.kind, value)))
    numbers = np.array([found[value] for value in domain], dtype=np.int64)
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    shown = Level(starts, [recorded.labels[number] for number in numbers[starts].tolist()])
    definition: dict[str, object] = {"blocks": len(recorded.blocks)}
    if recorded.granularity is not None:
        definition["granularity"] = recorded.granularity
    hierarchy = assemble(attribute, recorded.kind, domain, [shown], definition, has_missing=has_missing)
    return _with_unknown_leaf(hierarchy, values, unknown)


def fill_values(definition: Mapping[str, object], kind: str, values: Sequence[Value]) -> dict[str, object]:
    """Add to recorded numbers or dates those of new data that lie between the first and the last."""
    recorded = definition["values"]
    assert isinstance(recorded, list)
    keys = {as_key(kind, value): value for value in typed_values(recorded, kind)}
    if not keys:
        return dict(definition)
    low, high = min(keys), max(keys)  # type: ignore[type-var]
    for value in values:
        key = as_key(kind, value)
        if key is not None and low <= key <= high:  # type: ignore[operator]
            keys.setdefault(key, value)
    ordered = [keys[key] for key in sorted(keys)]  # type: ignore[type-var]
    return {**definition, "values": [text_of(v) if kind == "date" and v is not None else v for v in ordered]}


def _by_rule(attribute: str, recorded: RecordedBlocks, known: Assigned, values: Sequence[Value]) -> Assigned:
    """Assign unseen values to the blocks that are nodes above them."""
    # A block is a node if it has the node's label; a block of one value is that value alone.
    hierarchy = build_recorded(attribute, recorded.definition, recorded.kind, [*known, *values])
    nodes: dict[tuple[int, int], int] = {}
    for number, block in enumerate(recorded.typed()):
        codes = encode(hierarchy, block)
        if len(codes) < 2:
            continue
        together = (hierarchy.levels[:, codes] == hierarchy.levels[:, codes[:1]]).all(axis=1)
        level = int(together.argmax())
        node = int(hierarchy.levels[level, codes[0]])
        if hierarchy.labels[level][node] == recorded.labels[number]:
            nodes[level, node] = number
    found: Assigned = {}
    for code in sorted(set(encode(hierarchy, values).tolist()) - {UNKNOWN}):
        value = hierarchy.values[code]
        for level in range(1, hierarchy.height):
            above = nodes.get((level, int(hierarchy.levels[level, code])))
            if above is not None and value not in known:
                found[value] = above
    return found


def _by_reach(recorded: RecordedBlocks, values: Sequence[Value]) -> Assigned:
    """Assign numbers or dates to the blocks that reach over them."""
    blocks = recorded.typed()
    shown = [number for number, block in enumerate(blocks) if block]
    firsts = [as_key(recorded.kind, blocks[number][0]) for number in shown]
    found: Assigned = {}
    new = list(values)
    if recorded.granularity is not None:
        numbers = [value for value in values if isinstance(value, int | float)]
        new = [*granule_starts(numbers, recorded.granularity)]
    for value in [*_whole_range(recorded, [blocks[number] for number in shown]), *new]:
        key = as_key(recorded.kind, value)
        if key is None:
            continue
        place = bisect.bisect_right(firsts, key) - 1  # type: ignore[type-var]
        if place < 0:
            continue
        number = shown[place]
        is_open = not recorded.strict and place + 1 < len(shown) and shown[place + 1] == number + 1
        if is_open or key <= as_key(recorded.kind, blocks[number][-1]):  # type: ignore[operator]
            found.setdefault(value, number)
    return found


def _whole_range(recorded: RecordedBlocks, blocks: Sequence[Sequence[Value]]) -> list[Value]:
    """Return the values of the recorded domain: all integers of its blocks, or the ends of these."""
    ends = [value for block in blocks for value in (block[0], block[-1])]
    step = 1 if recorded.granularity is None else recorded.granularity
    if "intervals" not in recorded.definition or not all(isinstance(end, int) for end in (*ends, step)):
        return ends
    spans = [range(first, last + 1, step) for first, last in zip(ends[::2], ends[1::2], strict=True)]  # type: ignore[arg-type,operator]
    return [*(number for span in spans for number in span)] if sum(map(len, spans)) < MOST_INTEGERS else ends


def relabel(
    hierarchy: Hierarchy, level: int, texts: Mapping[str, str], values: Sequence[Value], *, unknown: Unknown
) -> Hierarchy:
    """Write recorded texts, such as the means of blocks, for the labels of one level."""
    labels, block = hierarchy.labels[level], hierarchy.levels[level]
    has_text = np.array([label is None or label in texts for label in labels], dtype=np.bool_)
    if not has_text[block[hierarchy.declared]].all():
        # Which of these blocks go below depends on rows that may be suppressed, so nothing is measured by
        # what is left of the domain.
        hierarchy = dataclasses.replace(hierarchy, definition={**hierarchy.definition, PARTIAL: True})
    codes = encode(hierarchy, values)
    codes = codes[codes != UNKNOWN]
    lacking = np.unique(block[codes])
    lacking = lacking[~has_text[lacking]]
    stays = ~np.isin(block, lacking)
    if "unknown" in hierarchy.definition:
        # What was unknown before has its leaf already, and its label is not recorded.
        stays |= np.array([value == "*" for value in hierarchy.values], dtype=np.bool_)
    kept = hierarchy if stays.all() else hierarchy.only(stays)
    written = [None if label is None else texts.get(label, label) for label in kept.labels[level]]
    if "unknown" in kept.definition and level < kept.height:
        # A recorded block may have the name that the leaf for unknown values has.
        written[int(kept.levels[level, kept.known])] = ROOT
    named = (*kept.labels[:level], tuple(written), *kept.labels[level + 1 :])
    relabelled = dataclasses.replace(kept, labels=named)
    return relabelled if stays.all() else _with_unknown_leaf(relabelled, values, unknown)
