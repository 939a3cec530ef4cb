"""What a released table shows of itself: its classes, and the blocks of each attribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from sfumato.front import ClassSizes
from sfumato.hierarchies import ROOT, text_of
from sfumato.table.tally import tally

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import BoolArray
    from sfumato.release import Recipe
    from sfumato.table import Source
    from sfumato.table.tally import DistinctColumn, Tally


@dataclass(frozen=True)
class Block:
    """One label of a released column: its rows, and the share of detail that each of them lost."""

    label: str | None
    rows: int
    cost: float | None = None

    def to_dict(self, *, show_values: bool = True) -> dict[str, object]:
        """Return plain JSON; without values, the label is left out."""
        found: dict[str, object] = {"rows": self.rows, "cost": self.cost}
        return {"label": self.label, **found} if show_values else found


@dataclass(frozen=True)
class ReleasedAttribute:
    """What became of one quasi-identifier."""

    name: str  # the attribute
    scheme: str | None  # the space that its partition was taken from; None where it is not told
    # its level and that of everything in one block; None where the partition is no level, or not told
    level: int | None
    height: int | None
    output: str  # what stands for a block: `label`, `mean`, `median` or `mode`
    blocks: tuple[Block, ...]  # its labels in the release, in their order
    # share of its detail that was lost over all input rows, suppressed ones included; None where the manifest
    # does not tell what labels cost
    loss: float | None

    @property
    def is_kept(self) -> bool:
        """Whether the column leaves as it came."""
        return self.level == 0

    @property
    def is_gone(self) -> bool:
        """Whether nothing of it can be told apart any more."""
        return len(self.blocks) == 1 and self.blocks[0].label == ROOT

    def to_dict(self, *, show_values: bool = True) -> dict[str, object]:
        """Return plain JSON; without values, labels are left out."""
        return {
            "name": self.name,
            "scheme": self.scheme,
            "level": self.level,
            "height": self.height,
            "output": self.output,
            "loss": self.loss,
            "blocks": [block.to_dict(show_values=show_values) for block in self.blocks],
        }


def count_classes(source: Source, names: Sequence[str], *, masked: bool = False) -> tuple[ClassSizes, Tally]:
    """Count classes over some columns, in rows, and how often each of their values occurs."""
    counted = tally(source, names)
    gone = masked_tuples(counted) if masked else np.zeros(len(counted.rows), dtype=np.bool_)
    kept = counted.rows[~gone]
    return ClassSizes.count(kept, kept, int(counted.rows[gone].sum())), counted


def masked_tuples(counted: Tally) -> BoolArray:
    """Tell which tuples are ``*`` throughout: those of masked rows."""
    found = np.ones(len(counted.rows), dtype=np.bool_)
    for column in counted.columns.values():
        stars = np.array([value == ROOT for value in column.values.to_pylist()] + [False], dtype=np.bool_)
        found &= stars[column.places]
    return found


def read_attributes(
    counted: Tally,
    recipe: Recipe,
    costs: Mapping[str, object],
    rows: Mapping[str, int],
    *,
    kept: BoolArray | None = None,
) -> tuple[ReleasedAttribute, ...]:
    """Say what became of each quasi-identifier."""
    found = []
    known = counted.rows if kept is None else np.where(kept, counted.rows, 0)
    for name in recipe.quasi_identifiers:
        done, stated = recipe.attributes[name], _mapping(costs.get(name))
        blocks = _blocks(counted.columns[name], known, stated)
        default = _mapping(stated.get("height")).get("default")
        height = default[1] if isinstance(default, list) and done.level is not None else None
        loss = _loss(blocks, rows)
        found.append(ReleasedAttribute(name, done.scheme, done.level, height, done.output, blocks, loss))
    return tuple(found)


def _blocks(column: DistinctColumn, rows: object, stated: Mapping[str, object]) -> tuple[Block, ...]:
    """Return the labels that occur, in the order of the reference, else in their own."""
    weights = np.asarray(rows)
    counts = np.bincount(column.places + 1, weights=weights, minlength=len(column.values) + 1).astype(int)
    labels = [None, *(text_of(value) for value in column.values.to_pylist())]
    loss = _mapping(stated.get("loss"))
    cells = [cell for cell in cast("list[list[object]]", loss.get("cells", [])) if len(cell) == 3]
    costs = {_text(cell[0]): float(str(cell[1])) / float(str(cell[2])) for cell in cells}
    default = loss.get("default")
    other = default[0] / default[1] if isinstance(default, list) else None
    order = {label: place for place, label in enumerate(costs)}
    found = [
        Block(label, int(count), costs.get(label, other))
        for label, count in zip(labels, counts.tolist(), strict=True)
        if count
    ]
    return tuple(sorted(found, key=lambda block: (order.get(block.label, len(order)), _natural(block.label))))


def _natural(label: str | None) -> tuple[int, float, str]:
    """Sort numbers as numbers, then texts, then missing."""
    if label is None:
        return 2, 0.0, ""
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label


def _loss(blocks: Sequence[Block], rows: Mapping[str, int]) -> float | None:
    if not rows.get("in") or any(block.cost is None for block in blocks):
        return None
    lost = sum(block.rows * (block.cost or 0.0) for block in blocks)
    return (lost + rows.get("suppressed", 0)) / rows["in"]


def _text(value: object) -> str | None:
    return None if value is None else text_of(cast("str | int | float", value))


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}
