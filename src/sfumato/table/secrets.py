"""What a recount has to know about confidential sentences, and how rows tell it who holds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.confidentiality import format_sentence, plain_form, without_orders
from sfumato.table.arrow import number_array
from sfumato.table.keys import Names, key
from sfumato.table.recoding import ColumnPlan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import narwhals as nw
    import pyarrow as pa

    from sfumato._typing import BoolArray
    from sfumato.confidentiality import Column, Statement
    from sfumato.table.sources import Frame, Source

PER_COLUMN = 32
"""How many sentences the held bits of one column tell of."""


@dataclass(frozen=True, eq=False)
class Persons:
    """Which sentences each person holds."""

    column: str  # the column that tells persons apart
    values: pa.Array  # its raw values, without missing
    held: BoolArray  # whether each of them holds each sentence, shape (values, sentences)
    missing: BoolArray  # the same for the person of all rows without one

    def plans(self, first: int) -> list[ColumnPlan]:
        """Return what every row is joined with, so that it knows what its person holds."""
        return [
            ColumnPlan(
                self.column,
                first + number,
                False,
                "number",
                {"number": number_array(_bits(self.held[:, part]))},
                self.values,
            )
            for number, part in enumerate(_parts(self.held.shape[1]))
        ]


@dataclass(frozen=True, eq=False)
class Secrets:
    """The confidential sentences of a table, in the form in which they are recounted."""

    statements: tuple[Statement, ...]  # the sentences
    plain: tuple[str, ...]  # each one as text that needs no order of ordinals
    trees: tuple[list[object], ...]  # each one as nested lists over the sensitive attributes
    # for each one its condition over the names of `columns`; None where it has none
    holders: tuple[list[object] | None, ...]
    columns: Mapping[str, str]  # name in a recount → column of the source, for conditions
    row: str  # name in a recount of the number of the row, from 1
    # names in a recount of what the row's person holds; none where every row is a person
    bits: tuple[str, ...] = ()
    # what each person holds, where persons are named
    persons: Persons | None = field(default=None, repr=False)

    @property
    def is_for_everyone(self) -> bool:
        """Whether everyone holds every sentence, so that a release alone tells who does."""
        return all(item.is_for_everyone for item in self.statements)

    def needs_rows(self) -> bool:
        """Tell whether a recount needs the numbers of rows."""
        return self.persons is None and any(item.record is not None for item in self.statements)

    def plans(self, first: int) -> list[ColumnPlan]:
        """Return what rows are joined with to know who holds what; ``first`` is the place of the first."""
        return [] if self.persons is None else self.persons.plans(first)

    def expressions(self, source: Source, plans: Sequence[ColumnPlan], names: Names) -> list[nw.Expr]:
        """Return the columns that stand beside the released ones in a recount."""
        import narwhals as nw

        if self.persons is not None:
            parts = _parts(len(self.persons.missing))
            missing = [int(_bits(self.persons.missing[None, part])[0]) for part in parts]
            return [
                nw.col(names.of("number", plan.place)).fill_null(bits).alias(name)
                for plan, bits, name in zip(plans, missing, self.bits, strict=True)
            ]
        found = [key(source, column).alias(name) for name, column in self.columns.items()]
        if self.needs_rows():
            # Relations number rows from 1, all others from 0.
            found.append((nw.col(names.row) + (0 if source.is_relation else 1)).alias(self.row))
        return found

    def numbered(self, source: Source, frame: Frame, names: Names) -> Frame:
        """Number the rows of a frame that is not lazy and whose rows are in their order."""
        if source.is_lazy or not self.needs_rows():
            return frame
        eager: Any = frame
        numbered: Frame = eager.with_row_index(names.row)
        return numbered


def make_secrets(
    source: Source,
    statements: Sequence[Statement],
    sensitive: Mapping[str, Column],
    others: Mapping[str, Column],
    persons: Persons | None,
) -> Secrets:
    """Put sentences into the form in which they are recounted."""
    own = Names.beside(source.columns)
    names = {name: own.of("holder", place) for place, name in enumerate(others)}
    holders = tuple(
        None if item.holders is None else plain_form(item.holders, others, names) for item in statements
    )
    count = 0 if persons is None else len(_parts(len(statements)))
    return Secrets(
        tuple(statements),
        tuple(format_sentence(without_orders(item.sentence, sensitive)) for item in statements),
        tuple(plain_form(item.sentence, sensitive) for item in statements),
        holders,
        {alias: name for name, alias in names.items()},
        own.of("holder", len(names)),
        tuple(own.of("held", number) for number in range(count)),
        persons,
    )


def _parts(count: int) -> list[slice]:
    return [slice(start, start + PER_COLUMN) for start in range(0, count, PER_COLUMN)]


def _bits(held: BoolArray) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Pack flags of shape (n, sentences) into integers, the first sentence in the lowest bit."""
    return np.asarray((held.astype(np.int64) << np.arange(held.shape[1])).sum(axis=1), dtype=np.int64)
