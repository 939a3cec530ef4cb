"""What a recoding does to each column: the small table that its values are joined with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.table.arrow import number_array, text_array
from sfumato.table.keys import ColumnPlan
from sfumato.table.values import numbers_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.hierarchies import Hierarchy
    from sfumato.table.coding import RawColumn, Table
    from sfumato.table.keys import Shown
    from sfumato.table.leaving import LeavingKind


@dataclass(frozen=True, eq=False)
class Recode:
    """What happens to one quasi-identifier."""

    attribute: str  # its name
    block: IntArray  # the block of each code, missing included where it is part of the domain
    labels: Sequence[str | None]  # the text of each block; None is missing
    keep: bool = False  # whether the column leaves as it is, with its type
    # the number of each block, where labels are numbers and leave as such wherever kept numbers would; None
    # for a block that no row has
    numbers: Sequence[int | float | None] | None = None


@dataclass(frozen=True)
class Manner:
    """How columns leave."""

    masked: bool  # suppressed rows stay, so every quasi-identifier is text
    suppressing: bool  # some classes are suppressed, so every row must know its blocks


def plan_columns(table: Table, recodes: Sequence[Recode], manner: Manner) -> list[ColumnPlan]:
    """Plan what happens to every quasi-identifier, in the order of ``recodes``, and sensitive attribute."""
    plans = [_plan_recoded(table, recode, place, manner) for place, recode in enumerate(recodes)]
    return plans + [
        _plan_sensitive(table, name, place, manner)
        for place, name in enumerate(table.roles.sensitive, start=len(recodes))
    ]


def _plan_recoded(table: Table, recode: Recode, place: int, manner: Manner) -> ColumnPlan:
    """Plan a quasi-identifier."""
    name = recode.attribute
    kept = _Kept.of(table, name, manner)
    shown: Shown = kept.shown if recode.keep and not manner.masked else "text"
    blocks = number_array(recode.block[kept.raw.codes])
    parts = kept.number_part(shown)
    numbers = _block_numbers(recode, kept)
    if numbers is not None:
        shown, parts = "number", {"number": numbers.take(blocks)}
    if manner.suppressing:
        parts["block"] = blocks
    if shown == "text":
        parts["text"] = text_array(recode.labels).take(blocks)
    missing = None if kept.raw.missing is None else int(recode.block[kept.raw.missing])
    text = None if missing is None else recode.labels[missing]
    number = None if missing is None or recode.numbers is None else recode.numbers[missing]
    return ColumnPlan(name, place, True, shown, parts, kept.raw.values, missing, text, number)


def _block_numbers(recode: Recode, kept: _Kept) -> pa.Array | None:
    """Return the number of each block; None where labels leave as texts."""
    if recode.numbers is None or recode.keep or kept.manner.masked or not kept.is_numeric:
        return None
    # A block that no published row has must not decide how the others leave.
    known = numbers_of([0 if number is None else number for number in recode.numbers])
    return None if known is None else number_array(known)


def _plan_sensitive(table: Table, name: str, place: int, manner: Manner) -> ColumnPlan:
    """Plan a sensitive attribute: it leaves as it is, with one spelling for each value."""
    kept = _Kept.of(table, name, manner)
    parts = kept.number_part(kept.shown)
    if kept.shown == "text":
        parts["text"] = text_array(kept.hierarchy.labels[0]).take(number_array(kept.raw.codes))
    return ColumnPlan(name, place, False, kept.shown, parts, kept.raw.values)


@dataclass(frozen=True, eq=False)
class _Kept:
    """A column that leaves as it is, as far as that is possible."""

    raw: RawColumn
    hierarchy: Hierarchy
    manner: Manner
    is_text: bool
    is_numeric: bool

    @classmethod
    def of(cls, table: Table, name: str, manner: Manner) -> _Kept:
        import narwhals as nw

        hierarchy = table.hierarchies.get(name) or table.sensitive[name]
        found = table.source.schema[name]
        return cls(table.raw[name], hierarchy, manner, isinstance(found, nw.String), found.is_numeric())

    @property
    def is_exact(self) -> bool:
        """Whether every code that leaves is one raw value; where a column is kept, no unknown one does."""
        codes, unknown = self.raw.codes, self.hierarchy.is_unknown
        known = codes[~unknown[codes]] if self.manner.suppressing else codes
        return len(np.unique(known)) == len(known) and (self.manner.suppressing or not unknown.any())

    @cached_property
    def numbers(self) -> LongArray | FloatArray | None:
        """The number of each raw value, or None where the domain has others than numbers."""
        known = numbers_of(self.hierarchy.values[: self.hierarchy.size - self.hierarchy.has_missing])
        return None if known is None else known[self.raw.codes]

    @property
    def shown(self) -> Shown:
        """What leaves. Several raw values of one code are granules, or one number in two spellings.

        Texts of numbers and dates have one spelling whether or not another one occurs: that another one
        occurs in rows which do not leave must not show.
        """
        if self.is_exact and not (self.is_text and self.hierarchy.kind in ("number", "date")):
            return "raw"
        return "number" if self.is_numeric and self.numbers is not None else "text"

    def number_part(self, shown: Shown) -> dict[str, pa.Array]:
        """Return the numbers of a column where they leave."""
        if self.numbers is None or shown != "number":
            return {}
        return {"number": number_array(self.numbers)}


def leaving_kinds(table: Table, recodes: Sequence[Recode], *, masked: bool) -> dict[str, LeavingKind]:
    """Say how every released column leaves when it is written."""
    plain: LeavingKind = "plain" if table.source.is_text else "own"
    kinds: dict[str, LeavingKind] = dict.fromkeys(table.roles.released, plain)
    for name, domain in table.sensitive.items():
        kinds[name] = _kind(domain, plain)
    for recode in recodes:
        kept = _kind(table.hierarchies[recode.attribute], plain)
        made: LeavingKind = "text" if recode.numbers is None else "number"
        kinds[recode.attribute] = "text" if masked else kept if recode.keep else made
    return kinds


def _kind(domain: Hierarchy, plain: LeavingKind) -> LeavingKind:
    """Return how a column leaves that is kept."""
    return "number" if domain.kind == "number" else "date" if domain.kind == "date" else plain
