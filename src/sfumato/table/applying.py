"""Applying a recoding to the full table, where it is: every value is joined with what it becomes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from sfumato.errors import ParameterError
from sfumato.hierarchies.hierarchy import ROOT
from sfumato.table.arrow import MISSING, number_array, places_of, text_array, truth_array
from sfumato.table.engine import from_arrow_beside
from sfumato.table.keys import ColumnPlan, Names, clean, key
from sfumato.table.libraries import nw, pa, pc
from sfumato.table.values import numbers_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, IntArray
    from sfumato.table.coding import Table
    from sfumato.table.keys import Shown
    from sfumato.table.sources import Frame, Source
    from sfumato.table.writing import LeavingKind

_numbers = itertools.count()


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


def apply(
    table: Table,
    recodes: Sequence[Recode],
    suppressed: IntArray,
    *,
    output: Literal["drop", "mask"] = "drop",
    ordered: bool = True,
    with_person: bool = False,
) -> object:
    """Recode the full table.

    Every value is joined with its block and its label, then every row with the suppressed classes.
    """
    _check(table, recodes, suppressed)
    source = table.source
    source.refuse_changed()
    masked, suppressing = output == "mask", len(suppressed) > 0
    plans = {
        recode.attribute: _plan_recoded(table, recode, place, masked=masked, suppressing=suppressing)
        for place, recode in enumerate(recodes)
    }
    for name in table.roles.sensitive:
        plans[name] = _plan_sensitive(table, name, len(plans), suppressing=suppressing)
    secrets = table.secrets if with_person else None
    holding = () if secrets is None else secrets.holding
    numbered = (ordered and source.is_lazy) or (secrets is not None and secrets.needs_rows())
    names = Names.beside(source.columns)
    joined = [plan for plan in (*plans.values(), *holding) if plan.parts]
    frame = _Joining(source, joined, suppressed, names).frame(numbered=numbered)
    flag = nw.col(names.flag)
    if suppressing and not masked:
        frame = frame.filter(~flag)
    person = (table.roles.person,) if with_person and table.roles.person else ()
    columns = (*table.roles.released, *person)
    hidden = flag if suppressing and masked else None
    shown = [_leaving(source, name, plans.get(name), names, hidden).alias(name) for name in columns]
    beside = [] if secrets is None else secrets.expressions(source, names)
    # What stands beside is not released, so that no order has to hide anything.
    if source.is_lazy and ordered and not beside:
        return frame.select(*shown, names.row).sort(names.row).select(*columns).to_native()
    return frame.select(*shown, *beside).to_native()


def _check(table: Table, recodes: Sequence[Recode], suppressed: IntArray) -> None:
    """Raise ParameterError if recodes or classes do not fit the table."""
    found = sorted(recode.attribute for recode in recodes)
    if found != sorted(table.roles.quasi_identifiers):
        raise ParameterError(
            f"recodes must name each of the {len(table.hierarchies)} quasi-identifiers once; found {found}."
        )
    for recode in recodes:
        size = table.hierarchies[recode.attribute].size
        if len(recode.block) != size:
            raise ParameterError(
                f"the recode of {recode.attribute!r} has {len(recode.block)} codes; its domain has {size}."
            )
    if suppressed.ndim != 2 or suppressed.shape[1] != len(recodes):
        raise ParameterError(
            f"suppressed must have the shape (classes, {len(recodes)}); found {suppressed.shape}."
        )


def _plan_recoded(table: Table, recode: Recode, place: int, *, masked: bool, suppressing: bool) -> ColumnPlan:
    """Plan a quasi-identifier. In a masked release every one is text; to suppress, rows know their blocks."""
    name, raw = recode.attribute, table.raw[recode.attribute]
    blocks = number_array(recode.block[raw.codes])
    shown: Shown = "text"
    parts: dict[str, pa.Array] = {}
    if recode.keep and not masked:
        shown, parts = _plan_kept(table, name, suppressing=suppressing)
    elif recode.numbers is not None and not masked and table.source.schema[name].is_numeric():
        # A block that no published row has must not decide how the others leave.
        known = numbers_of([0 if number is None else number for number in recode.numbers])
        if known is not None:
            shown, parts = "number", {"number": number_array(known).take(blocks)}
    if suppressing:
        parts["block"] = blocks
    if shown == "text":
        parts["text"] = text_array(recode.labels).take(blocks)
    missing: dict[str, int | float | str | None] = {}
    if raw.missing is not None:
        block = int(recode.block[raw.missing])
        number = None if recode.numbers is None else recode.numbers[block]
        missing = {"block": block, "text": recode.labels[block], "number": number}
    filled = {part: value for part, value in missing.items() if value is not None}
    return ColumnPlan(name, place, True, shown, parts, raw.values, filled)


def _plan_sensitive(table: Table, name: str, place: int, *, suppressing: bool) -> ColumnPlan:
    """Plan a sensitive attribute: it leaves as it is, with one spelling for each value."""
    raw = table.raw[name]
    shown, parts = _plan_kept(table, name, suppressing=suppressing)
    if shown == "text":
        parts["text"] = text_array(table.sensitive[name].labels[0]).take(number_array(raw.codes))
    return ColumnPlan(name, place, False, shown, parts, raw.values)


def _plan_kept(table: Table, name: str, *, suppressing: bool) -> tuple[Shown, dict[str, pa.Array]]:
    """Return what leaves of a column that is kept as far as possible, and its numbers if they leave.

    Several raw values of one code are granules, or one number in two spellings. Texts of numbers and dates
    have one spelling whether or not another one occurs: that another one occurs in rows which do not leave
    must not show.
    """
    hierarchy, codes = table.hierarchies.get(name) or table.sensitive[name], table.raw[name].codes
    dtype = table.source.schema[name]
    # Where a column is kept and rows are suppressed, no unknown value leaves.
    unknown = hierarchy.is_unknown
    leaving = codes[~unknown[codes]] if suppressing else codes
    is_exact = len(np.unique(leaving)) == len(leaving) and (suppressing or not unknown.any())
    # Instants leave as what the clock of their zone showed, which is what was counted.
    is_zoned = getattr(table.raw[name].values.type, "tz", None) is not None
    if (
        is_exact
        and not (isinstance(dtype, nw.String) and hierarchy.kind in ("number", "date"))
        and not is_zoned
    ):
        return "raw", {}
    known = hierarchy.values[: hierarchy.size - hierarchy.has_missing]
    numbers = numbers_of(known) if dtype.is_numeric() else None
    return ("text", {}) if numbers is None else ("number", {"number": number_array(numbers[codes])})


@dataclass(frozen=True, eq=False)
class _Joining:
    """The rows of a source, joined with the plans that have something to join."""

    source: Source
    plans: Sequence[ColumnPlan]
    suppressed: IntArray  # the blocks of each suppressed class
    names: Names

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
        slim = self.source.collect(rows.select(self._keys))
        columns: dict[str, pa.Array] = {}
        blocks: list[IntArray] = []
        for place, plan in enumerate(self.plans):
            keys = slim.column(place).combine_chunks().cast(plan.values.type)
            places = pc.index_in(keys, value_set=plan.values)
            for part, entries in plan.parts.items():
                if part == "block":
                    # Missing has the place -1, which is the last one.
                    own = np.append(places_of(entries), plan.missing.get(part, MISSING))
                    blocks.append(own[places_of(places)].astype(np.int32))
                else:
                    columns[self.names.of(part, plan.place)] = entries.take(places)
        if len(self.suppressed):
            flags = _are_among(blocks[: self.suppressed.shape[1]], self.suppressed)
            columns[self.names.flag] = truth_array(flags)
        native: Any = nw.from_arrow(pa.table(columns), backend=rows.implementation)
        return cast("Frame", rows.with_columns(*native.iter_columns()))

    def _one_by_one(self, frame: Frame) -> Frame:
        """Join the keys with their mappings, and the blocks with the suppressed classes."""
        for plan in self.plans:
            mapping = _as_frame(self.source, plan.mapping(self.names))
            frame = frame.join(mapping, on=self.names.of("key", plan.place), how="left")
            if "block" in plan.parts:
                frame = frame.with_columns(plan.column("block", self.names))
        if not len(self.suppressed):
            return frame
        classes = self._classes()
        flag = self.names.flag
        marked = frame.join(_as_frame(self.source, classes), on=classes.column_names[:-1], how="left")
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
        if len(self.suppressed):
            blocks = self.plans[: self.suppressed.shape[1]]
            same = [f'{self._value(plan, "block")} = s."{names.of("block", plan.place)}"' for plan in blocks]
            clauses.append(f"LEFT JOIN {self._keep(self._classes())} AS s ON {' AND '.join(same)}")
            columns.append(f's."{names.flag}" IS NOT NULL AS "{names.flag}"')
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

    def _classes(self) -> pa.Table:
        """Return the blocks of the suppressed classes with a mark."""
        blocks = [self.names.of("block", place) for place in range(self.suppressed.shape[1])]
        columns = [number_array(column) for column in self.suppressed.astype(np.int32).T]
        marks = number_array(np.ones(len(self.suppressed), dtype=np.int32))
        return pa.Table.from_arrays([*columns, marks], [*blocks, self.names.flag])


def _are_among(blocks: Sequence[IntArray], classes: IntArray) -> BoolArray:
    """Tell which rows, given column by column, are in one of some classes."""
    key = np.zeros(len(classes) + len(blocks[0]), dtype=np.int64)
    span = 1
    for own, rows in zip(classes.T, blocks, strict=True):
        column = np.concatenate([own, rows])
        size = int(column.max(initial=0)) + 1
        if span * size >= 2**63:
            distinct, key = np.unique(key, return_inverse=True)
            span = len(distinct)
        key, span = key * size + column, span * size
    return np.isin(key[len(classes) :], key[: len(classes)])


def _as_frame(source: Source, table: pa.Table) -> Any:
    """Return an Arrow table as a frame that can be joined with one made from the source."""
    if source.is_relation:
        native: Any = source.native
        return nw.from_native(from_arrow_beside(native, table))
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


def _leaving(
    source: Source, name: str, plan: ColumnPlan | None, names: Names, hidden: nw.Expr | None
) -> nw.Expr:
    """Return what leaves of a column; ``hidden`` says which rows are masked, if any are."""
    if plan is not None and plan.shown != "raw":
        column = plan.column(plan.shown, names)
    else:
        column = nw.col(name) if plan is None else clean(source, name)
        if source.is_relation and isinstance(source.schema[name], (nw.Categorical, nw.Enum)):
            # A list of categories names those that no published row has, too.
            column = column.cast(nw.String)
    if plan is None or hidden is None:
        return column
    if plan.is_quasi_identifier:
        return nw.when(hidden).then(nw.lit(ROOT)).otherwise(column)
    return nw.when(~hidden).then(column)


def leaving_kinds(table: Table, recodes: Sequence[Recode], *, masked: bool) -> dict[str, LeavingKind]:
    """Say how every released column leaves when it is written."""
    plain: LeavingKind = "plain" if table.source.is_text else "own"
    kinds: dict[str, LeavingKind] = dict.fromkeys(table.roles.released, plain)
    spelt: dict[str, LeavingKind] = {"number": "number", "date": "date"}
    for name, domain in {**table.sensitive, **table.hierarchies}.items():
        kinds[name] = plain if table.spec.attributes[name].format else spelt.get(domain.kind, plain)
    for recode in recodes:
        if masked or not recode.keep:
            is_number = recode.numbers is not None and not masked
            kinds[recode.attribute] = "number" if is_number else "text"
    return kinds
