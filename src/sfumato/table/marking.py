"""Which tuples satisfy the confidential sentences of a specification, and whose they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.confidentiality import (
    SentenceColumn,
    compile_statements,
    format_sentence,
    plain_form,
    refuse_unknown_columns,
    without_orders,
)
from sfumato.errors import DataError
from sfumato.hierarchies.kinds import infer_kind, parse_values, text_of
from sfumato.table.arrow import number_array, places_in
from sfumato.table.keys import ColumnPlan, Names, key, select_keys
from sfumato.table.libraries import nw, pa
from sfumato.table.tally import DistinctColumn, Tally
from sfumato.table.values import texts_of_array

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import BoolArray, IntArray
    from sfumato.confidentiality import Statement
    from sfumato.domains import Confidential
    from sfumato.hierarchies import Hierarchy
    from sfumato.spec import Spec
    from sfumato.table.sources import Source
    from sfumato.table.tally import RawColumn

PER_COLUMN = 32
"""How many sentences the held bits of one column tell of."""


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
    bits: tuple[str, ...]
    holding: Sequence[ColumnPlan] = field(repr=False)  # what rows are joined with to know what a person holds

    @property
    def is_for_everyone(self) -> bool:
        """Whether everyone holds every sentence, so that a release alone tells who does."""
        return all(item.is_for_everyone for item in self.statements)

    def needs_rows(self) -> bool:
        """Tell whether a recount needs the numbers of rows."""
        return not self.holding and any(item.record is not None for item in self.statements)

    def expressions(self, source: Source, names: Names) -> list[nw.Expr]:
        """Return the columns that stand beside the released ones in a recount."""
        if self.holding:
            return [
                plan.column("number", names).alias(name)
                for plan, name in zip(self.holding, self.bits, strict=True)
            ]
        found = [key(source, column).alias(name) for name, column in self.columns.items()]
        if self.needs_rows():
            # Relations number rows from 1, all others from 0.
            found.append((nw.col(names.row) + (0 if source.is_relation else 1)).alias(self.row))
        return found


def _make_secrets(
    source: Source,
    statements: Sequence[Statement],
    sensitive: Mapping[str, SentenceColumn],
    others: Mapping[str, SentenceColumn],
    holding: Sequence[ColumnPlan],
) -> Secrets:
    """Put sentences into the form in which they are recounted."""
    own = Names.beside(source.columns)
    names = {name: own.of("holder", place) for place, name in enumerate(others)}
    return Secrets(
        tuple(statements),
        tuple(format_sentence(without_orders(item.sentence, sensitive)) for item in statements),
        tuple(plain_form(item.sentence, sensitive) for item in statements),
        tuple(
            None if item.holders is None else plain_form(item.holders, others, names) for item in statements
        ),
        {alias: name for name, alias in names.items()},
        own.of("holder", len(names)),
        tuple(own.of("held", number) for number in range(len(holding))),
        holding,
    )


HIDDEN = ""
"""The name of the hidden attribute in a cube."""


@dataclass(frozen=True, eq=False)
class Marks:
    """What confidential sentences say of every tuple."""

    counted: Tally  # the tuples; that of a named record stands by itself
    codes: IntArray  # the combination of true and held sentences of each one
    confidential: Confidential  # what the combinations mean
    secrets: Secrets  # the sentences in the form in which they are recounted


def columns_for(statements: Sequence[Statement], columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that tell who holds a sentence, each once."""
    for statement in statements:
        refuse_unknown_columns(statement, columns)
    return tuple(dict.fromkeys(name for item in statements for name in item.needed_columns))


def mark_tuples(
    source: Source,
    spec: Spec,
    counted: Tally,
    statements: Sequence[Statement],
    sensitive: Mapping[str, tuple[Hierarchy, RawColumn]],
) -> Marks:
    """Judge every tuple by every sentence."""
    owners = {item.record: _owner(source, counted, item) for item in statements if item.record is not None}
    split, records = _set_apart(counted, owners)
    known = {
        name: _sensitive_column(hierarchy, split.columns[name].coded(raw))
        for name, (hierarchy, raw) in sensitive.items()
    }
    others = {
        name: known.get(name) or _column(name, split, spec)
        for name in columns_for(statements, list(split.columns))
    }
    person = spec.data.unit
    codes, confidential = compile_statements(statements, known, others, records, split.number_persons(person))
    holding = []
    if person is not None:
        # Its places come after those of the quasi-identifiers and sensitive attributes.
        first = len(spec.quasi_identifiers) + len(spec.sensitive)
        holding = _plan_holding(person, split.columns[person], confidential.held[codes], first)
    return Marks(split, codes, confidential, _make_secrets(source, statements, known, others, holding))


def _plan_holding(name: str, column: DistinctColumn, held: BoolArray, first: int) -> list[ColumnPlan]:
    """Plan what every row is joined with, so that it knows what its person holds."""
    # All tuples of a person hold the same; the person of all rows without one is last.
    persons = np.zeros((len(column.values) + 1, held.shape[1]), dtype=np.int64)
    persons[column.places] = held
    plans = []
    for number, start in enumerate(range(0, held.shape[1], PER_COLUMN)):
        part = persons[:, start : start + PER_COLUMN]
        # The first sentence is in the lowest bit.
        bits = (part << np.arange(part.shape[1])).sum(axis=1)
        parts, missing = {"number": number_array(bits[:-1])}, {"number": int(bits[-1])}
        plans.append(ColumnPlan(name, first + number, False, "number", parts, column.values, missing))
    return plans


def _sensitive_column(hierarchy: Hierarchy, codes: IntArray) -> SentenceColumn:
    """Return a sensitive attribute as sentences see it: the values of its domain.

    Categories whose texts are all numbers, or all dates, are compared as such.
    """
    values, kind = list(hierarchy.values), str(hierarchy.kind)
    if kind == "category":
        texts = [text_of(value) for value in values if value is not None]
        kind = infer_kind(texts)
        typed = iter(parse_values(texts, kind))
        values = [None if value is None else next(typed) for value in values]
    return SentenceColumn(kind, values, codes)


def _column(name: str, counted: Tally, spec: Spec) -> SentenceColumn:
    """Return any other column as conditions see it: its values as they are in the data."""
    column = counted.columns[name]
    attribute = spec.attributes.get(name)
    texts = texts_of_array(column.values)
    places = np.where(column.places < 0, len(texts), column.places).astype(np.int32)
    said = None if attribute is None else attribute.kind
    if said == "ordinal" and attribute is not None and attribute.order is not None:
        order = [text_of(value) for value in attribute.order]
        rank = {text: place for place, text in enumerate(order)}
        beyond = [text for text in texts if text not in rank]
        rank |= {text: len(order) + place for place, text in enumerate(beyond)}
        codes = np.array([*(rank[text] for text in texts), len(rank)], dtype=np.int32)
        return SentenceColumn("ordinal", [*rank, None], codes[places])
    kind = said if said in ("number", "date") else infer_kind(texts)
    try:
        return SentenceColumn(kind, [*parse_values(texts, kind), None], places)
    except DataError as error:
        raise DataError(error.message, where=spec.place("attributes", name) or name) from None


def _owner(source: Source, counted: Tally, statement: Statement) -> int:
    """Return the tuple that a named record belongs to."""
    assert statement.record is not None
    row = _read_record(source, tuple(counted.columns), statement.record)
    if not row.num_rows:
        raise DataError(
            f"the data have {int(counted.rows.sum())} rows; there is no record {statement.record}.",
            where=statement.record_where,
        )
    fits = np.ones(len(counted.rows), dtype=bool)
    for place, column in enumerate(counted.columns.values()):
        cell = row.column(place).combine_chunks().cast(column.values.type)
        fits &= column.places == places_in(cell, column.values)[0]
    return int(np.flatnonzero(fits)[0])


def _read_record(source: Source, names: tuple[str, ...], number: int) -> pa.Table:
    """Return the keys of one row, counted from 1 in the order of the data; no row if there is none."""
    if not source.has_order:
        raise DataError("rows of Spark have no numbers. Say for whom a sentence is by a condition instead.")
    keyed: Any = select_keys(source, names)
    if source.is_relation:
        return source.collect(nw.from_native(keyed.to_native().limit(1, offset=number - 1)))
    if source.is_lazy:
        return source.collect(nw.from_native(keyed.to_native().slice(number - 1, 1)))
    return source.collect(keyed[number - 1 : number])


def _set_apart(counted: Tally, owners: Mapping[int, int]) -> tuple[Tally, dict[int, BoolArray]]:
    """Give every named record a tuple of its own; return which one that is."""
    if not owners:
        return counted, {}
    taken = np.array(list(owners.values()), dtype=np.int64)
    left = counted.rows - np.bincount(taken, minlength=len(counted.rows))
    kept = np.flatnonzero(left > 0)
    chosen = np.concatenate([kept, taken])
    rows = np.concatenate([left[kept], np.ones(len(taken), dtype=counted.rows.dtype)])
    columns = {
        name: DistinctColumn(column.values, column.places[chosen]) for name, column in counted.columns.items()
    }
    numbers = np.arange(len(chosen))
    records = {record: numbers == len(kept) + place for place, record in enumerate(owners)}
    return Tally(columns, rows), records
