"""Joining the rows of a source, where they are, with what their values become."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from sfumato.table.arrow import MISSING, number_array, places_in, places_of, text_array, truth_array
from sfumato.table.engine import from_arrow_beside
from sfumato.table.keys import Names, key
from sfumato.table.libraries import nw, pa
from sfumato.table.spark_frames import spark_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sfumato._typing import BoolArray, IntArray, LongArray
    from sfumato.table.keys import ColumnPlan
    from sfumato.table.sources import Frame, Source
    from sfumato.table.tally import Tally

_numbers = itertools.count()


@dataclass(frozen=True, eq=False)
class TupleLabels:
    """What becomes of rows by all their blocks together."""

    blocks: IntArray  # distinct tuples of blocks, shape (tuples, q)
    hidden: BoolArray  # whether the rows of each tuple are suppressed
    # attribute → the text of each tuple, None where it is missing or hidden; of attributes without one,
    # blocks have labels
    texts: Mapping[str, Sequence[str | None]] = field(default_factory=dict)


def coarsen(source: Source, plans: Sequence[ColumnPlan], names: Sequence[str]) -> Source:
    """See some columns of a table, in some of which each value is replaced by the number in its plan."""
    own, none = Names.beside(source.columns), TupleLabels(np.zeros((0, 0), dtype=np.int32), np.zeros(0, bool))
    frame = Joining(source, plans, none, own).frame(numbered=False)
    numbers = {plan.name: plan.column("number", own) for plan in plans}
    shown = [numbers.get(name, key(source, name)).alias(name) for name in names]
    # What counts as missing is null by now, and numbers of a plan never are.
    return replace(source, held=frame.select(shown), missing=(), database=None)


@dataclass(frozen=True, eq=False)
class Joining:
    """The rows of a source, joined with the plans that have something to join."""

    source: Source
    plans: Sequence[ColumnPlan]
    tuples: TupleLabels
    names: Names
    of_rows: Tally | None = None  # the values of each row, where they are known

    def frame(self, *, numbered: bool) -> Frame:
        """Add to every row the blocks, texts and numbers of the plans, and whether it is suppressed."""
        frame = _number_rows(self.source, self.names) if numbered else self.source.frame
        if not self.plans:
            return frame
        if not self.source.is_lazy:
            return self._beside(frame)
        keyed = frame.with_columns(*self._keys)
        return self._in_one_query(keyed) if self.source.kind == "file" else self._one_by_one(keyed)

    @property
    def _keys(self) -> list[nw.Expr]:
        return [key(self.source, plan.name).alias(self.names.of("key", plan.place)) for plan in self.plans]

    def _beside(self, rows: Any) -> Frame:
        """Look the keys up, as Arrow, and put the new columns beside the others, which are not touched.

        Index, categories and nested types then stay as they are, and keys have the types of the raw values.
        """
        columns: dict[str, pa.Array] = {}
        blocks: list[IntArray] = []
        for plan, places in zip(self.plans, self._places(rows), strict=True):
            at = number_array(places, places == MISSING)
            for part, entries in plan.parts.items():
                if part == "block":
                    # Missing has the place -1, which is the last one.
                    own = np.append(places_of(entries), plan.missing.get(part, MISSING))
                    blocks.append(own[places].astype(np.int32))
                else:
                    columns[self.names.of(part, plan.place)] = entries.take(at)
        if len(self.tuples.blocks):
            own = _places_among(blocks[: self.tuples.blocks.shape[1]], self.tuples.blocks)
            columns[self.names.flag] = truth_array(np.append(self.tuples.hidden, False)[own])
            found = number_array(own)
            columns |= {name: entries.take(found) for name, entries in self._texts.items()}
        native: Any = nw.from_arrow(pa.table(columns), backend=rows.implementation)
        return cast("Frame", rows.with_columns(*native.iter_columns()))

    def _places(self, rows: Any) -> Iterator[IntArray]:
        """Yield for each plan the place of every row's value, -1 where it is missing."""
        known = None if self.of_rows is None else self.of_rows.of_rows
        held = {} if self.of_rows is None else self.of_rows.columns
        is_held = [plan.name in held and held[plan.name].values is plan.values for plan in self.plans]
        asked = [item for item, there in zip(self._keys, is_held, strict=True) if not there]
        slim = iter(self.source.collect(rows.select(asked)).columns if asked else ())
        for plan, there in zip(self.plans, is_held, strict=True):
            if there:
                yield held[plan.name].places[known]
            else:
                keys = next(slim).combine_chunks().cast(plan.values.type)
                yield places_in(keys, plan.values)

    def _one_by_one(self, frame: Frame) -> Frame:
        """Join the keys with their mappings, and the blocks with the suppressed classes."""
        for plan in self.plans:
            mapping = _as_frame(self.source, plan.mapping(self.names))
            frame = frame.join(mapping, on=self.names.of("key", plan.place), how="left")
            if "block" in plan.parts:
                frame = frame.with_columns(plan.column("block", self.names))
        if not len(self.tuples.blocks):
            return frame
        classes, width = self._classes(), self.tuples.blocks.shape[1]
        flag = self.names.flag
        marked = frame.join(_as_frame(self.source, classes), on=classes.column_names[:width], how="left")
        return marked.with_columns((~nw.col(flag).is_null()).alias(flag))

    def _in_one_query(self, keyed: Frame) -> Frame:
        """Join everything at once, in our own connection, where no temporary table disturbs anybody.

        The engine reads a relation anew at every step that is added to it, which for ten joins takes longer
        than the joins themselves.
        """
        names = self.names
        columns, clauses = ["r.*"], []
        for plan in self.plans:
            mapping, own = self._keep(plan.mapping(names)), names.of("key", plan.place)
            clauses.append(f'LEFT JOIN {mapping} AS m{plan.place} USING ("{own}")')
            columns += [f'{self._value(plan, part)} AS "{names.of(part, plan.place)}"' for part in plan.parts]
        if len(self.tuples.blocks):
            blocks = self.plans[: self.tuples.blocks.shape[1]]
            same = [f'{self._value(plan, "block")} = s."{names.of("block", plan.place)}"' for plan in blocks]
            clauses.append(f"LEFT JOIN {self._keep(self._classes())} AS s ON {' AND '.join(same)}")
            columns.append(f's."{names.flag}" IS NOT NULL AS "{names.flag}"')
            columns += [f's."{name}"' for name in self._texts]
        query = f"SELECT {', '.join(columns)} FROM sfumato_keyed AS r {' '.join(clauses)}"
        relation: Any = keyed.to_native()
        return cast("Frame", nw.from_native(relation.query("sfumato_keyed", query)))

    def _value(self, plan: ColumnPlan, part: str) -> str:
        """Write the SQL of a joined column; missing, which matched nothing, is put into its block."""
        column = f'm{plan.place}."{self.names.of(part, plan.place)}"'
        is_filled = part == "block" and part in plan.missing
        return f"coalesce({column}, {plan.missing[part]})" if is_filled else column

    def _keep(self, table: pa.Table) -> str:
        """Put an Arrow table into the connection of the source; return its name there."""
        name = f"sfumato_mapping_{next(_numbers)}"
        native: Any = self.source.native
        _sfumato_rows_ = table
        native.query("sfumato_file", f"CREATE TEMP TABLE {name} AS SELECT * FROM _sfumato_rows_")
        del _sfumato_rows_
        return name

    @cached_property
    def _texts(self) -> dict[str, pa.Array]:
        """The texts of tuples, under the name that a column of texts has; the last entry is for no tuple."""
        places = {plan.name: plan.place for plan in self.plans}
        return {
            self.names.of("text", places[name]): text_array([*texts, None])
            for name, texts in self.tuples.texts.items()
        }

    def _classes(self) -> pa.Table:
        """Return the tuples of blocks with their texts, and a mark where they are suppressed."""
        blocks = [self.names.of("block", place) for place in range(self.tuples.blocks.shape[1])]
        columns = [number_array(column) for column in self.tuples.blocks.astype(np.int32).T]
        texts = [entries[:-1] for entries in self._texts.values()]
        marks = number_array(self.tuples.hidden.astype(np.int32), ~self.tuples.hidden)
        return pa.Table.from_arrays([*columns, *texts, marks], [*blocks, *self._texts, self.names.flag])


def _places_among(blocks: Sequence[IntArray], classes: IntArray) -> LongArray:
    """Return the place of each row, given column by column, among distinct classes; their number if none."""
    key = np.zeros(len(classes) + len(blocks[0]), dtype=np.int64)
    span = 1
    for own, rows in zip(classes.T, blocks, strict=True):
        column = np.concatenate([own, rows])
        size = int(column.max(initial=0)) + 1
        if span * size >= 2**63:
            distinct, key = np.unique(key, return_inverse=True)
            span = len(distinct)
        key, span = key * size + column, span * size
    order = np.argsort(key[: len(classes)])
    places = np.searchsorted(key[: len(classes)], key[len(classes) :], sorter=order)
    found = order[np.minimum(places, len(classes) - 1)]
    return np.where(key[found] == key[len(classes) :], found, len(classes))


def _as_frame(source: Source, table: pa.Table) -> Any:
    """Return an Arrow table as a frame that can be joined with one made from the source."""
    if source.is_relation:
        native: Any = source.native
        return nw.from_native(from_arrow_beside(native, table))
    if source.kind == "spark":
        return nw.from_native(spark_beside(source.native, table))
    if source.kind == "polars-lazy":
        return nw.from_arrow(table, backend="polars").lazy()
    return nw.from_native(table)


def _number_rows(source: Source, names: Names) -> Frame:
    """Number the rows in their order; for lazy frames narwhals has no way to say this."""
    native: Any = source.native
    frame: Any = source.frame
    if source.is_relation:
        numbered = nw.from_native(native.project(f'*, row_number() OVER () AS "{names.row}"'))
    elif source.is_lazy:
        numbered = nw.from_native(native.with_row_index(names.row))
    else:
        numbered = frame.with_row_index(names.row)
    return cast("Frame", numbered)
