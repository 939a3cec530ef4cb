"""Applying a recoding to the full table, where it is.

It does what :mod:`sfumato.table.joining` does join by join. The engine reads a
relation anew at every step that is added to it, which for ten joins takes longer than the
joins themselves; and in our own connection there is nobody whom a temporary table could disturb.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from sfumato.errors import ParameterError
from sfumato.hierarchies.hierarchy import ROOT
from sfumato.table.arrow import number_array
from sfumato.table.engine import from_arrow_beside
from sfumato.table.keys import ColumnPlan, Names, clean, key
from sfumato.table.recoding import Manner, Recode, plan_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    import narwhals as nw
    import pyarrow as pa

    from sfumato._typing import IntArray
    from sfumato.table.coding import Table
    from sfumato.table.sources import Frame, Source

_numbers = itertools.count()


def join_in_one_query(
    native: Any, keyed: Frame, plans: Sequence[ColumnPlan], suppressed: IntArray, names: Names
) -> Frame:
    """Add to every row the blocks, texts and numbers of the plans, and whether it is suppressed."""
    import narwhals as nw

    columns, clauses = ["r.*"], []
    for plan in plans:
        if plan.parts:
            own = names.of("key", plan.place)
            clauses.append(f'LEFT JOIN {_keep(native, plan.mapping(names))} AS m{plan.place} USING ("{own}")')
            columns += [
                f'{_value(plan, part, names)} AS "{names.of(part, plan.place)}"' for part in plan.parts
            ]
    if len(suppressed):
        kept = _keep(native, suppressed_table(suppressed, names))
        same = [f'{_value(plan, "block", names)} = s."{names.of("block", plan.place)}"' for plan in plans]
        clauses.append(f"LEFT JOIN {kept} AS s ON {' AND '.join(same[: suppressed.shape[1]])}")
        columns.append(f's."{names.flag}" IS NOT NULL AS "{names.flag}"')
    query = f"SELECT {', '.join(columns)} FROM sfumato_keyed AS r {' '.join(clauses)}"
    relation: Any = keyed.to_native()
    return cast("Frame", nw.from_native(relation.query("sfumato_keyed", query)))


def suppressed_table(suppressed: IntArray, names: Names) -> pa.Table:
    """Return the blocks of the suppressed classes with a mark."""
    import numpy as np
    import pyarrow as pa

    blocks = [names.of("block", place) for place in range(suppressed.shape[1])]
    columns = [number_array(column) for column in suppressed.astype(np.int32).T]
    marks = number_array(np.ones(len(suppressed), dtype=np.int32))
    return pa.Table.from_arrays([*columns, marks], [*blocks, names.flag])


def _keep(native: Any, table: pa.Table) -> str:
    """Put an Arrow table into the connection of a relation; return its name there."""
    name = f"sfumato_mapping_{next(_numbers)}"
    _sfumato_rows_ = table
    native.query("sfumato_file", f"CREATE TEMP TABLE {name} AS SELECT * FROM _sfumato_rows_")
    del _sfumato_rows_
    return name


def _value(plan: ColumnPlan, part: str, names: Names) -> str:
    """Write the SQL of a joined column; missing, which matched nothing, is put into its block."""
    column = f'm{plan.place}."{names.of(part, plan.place)}"'
    if part != "block" or plan.missing_block is None:
        return column
    return f"coalesce({column}, {plan.missing_block})"


def join_plans(
    source: Source, plans: Sequence[ColumnPlan], suppressed: IntArray, names: Names, *, numbered: bool
) -> Frame:
    """Add to every row the blocks, texts and numbers of the plans, and whether it is suppressed."""
    if source.is_lazy:
        frame = _number_rows(source, names) if numbered else source.frame
        keys = _keys(source, plans, names)
        if not keys:
            return frame
        keyed = frame.with_columns(*keys)
        if source.kind == "file":
            return join_in_one_query(source.native, keyed, plans, suppressed, names)
        return _join(source, keyed, plans, suppressed, names)
    return _join_beside(source, plans, suppressed, names)


def _join_beside(source: Source, plans: Sequence[ColumnPlan], suppressed: IntArray, names: Names) -> Frame:
    """Join the keys alone, as Arrow, and put the new columns beside the others, which are not touched.

    Index, categories and nested types then stay as they are, and keys have the types of the raw values.
    """
    import narwhals as nw
    import pyarrow as pa

    joined = [plan for plan in plans if plan.parts]
    if not joined:
        return source.frame
    slim = source.collect(source.frame.select(_keys(source, joined, names)))
    keys = [slim.column(place).cast(plan.values.type) for place, plan in enumerate(joined)]
    frame = nw.from_native(pa.Table.from_arrays(keys, slim.column_names), eager_only=True)
    found = _join(source, frame.with_row_index(names.row), plans, suppressed, names)
    columns = found.sort(names.row).drop(names.row, *slim.column_names)
    native: Any = nw.from_arrow(columns, backend=source.frame.implementation)
    return source.frame.with_columns(*native.iter_columns())


def _keys(source: Source, plans: Sequence[ColumnPlan], names: Names) -> list[nw.Expr]:
    """Return the keys of the plans that join something."""
    return [key(source, plan.name).alias(names.of("key", plan.place)) for plan in plans if plan.parts]


def _join(
    source: Source, frame: Frame, plans: Sequence[ColumnPlan], suppressed: IntArray, names: Names
) -> Frame:
    """Join the keys with their mappings, and the blocks with the suppressed classes."""
    for plan in plans:
        if plan.parts:
            own = names.of("key", plan.place)
            mapping = _beside(source, plan.mapping(names))
            frame = _fill_block(frame.join(mapping, on=own, how="left"), plan, names)
    return frame if not len(suppressed) else _flag(source, frame, suppressed, names)


def _fill_block(frame: Frame, plan: ColumnPlan, names: Names) -> Frame:
    """Put missing, which matched nothing, into its block."""
    import narwhals as nw

    if "block" not in plan.parts or plan.missing_block is None:
        return frame
    return frame.with_columns(nw.col(names.of("block", plan.place)).fill_null(plan.missing_block))


def _flag(source: Source, frame: Frame, suppressed: IntArray, names: Names) -> Frame:
    """Mark the rows of suppressed classes."""
    import narwhals as nw

    blocks = [names.of("block", place) for place in range(suppressed.shape[1])]
    marked = frame.join(_beside(source, suppressed_table(suppressed, names)), on=blocks, how="left")
    return marked.with_columns((~nw.col(names.flag).is_null()).alias(names.flag))


def _beside(source: Source, table: pa.Table) -> Any:
    """Return an Arrow table as a frame that can be joined with one made from the source."""
    import narwhals as nw

    if source.is_relation:
        native: Any = source.native
        return nw.from_native(from_arrow_beside(native, table))
    if source.kind == "polars-lazy":
        return nw.from_arrow(table, backend="polars").lazy()
    return nw.from_native(table)


def _number_rows(source: Source, names: Names) -> Frame:
    """Number the rows of a lazy frame in their order; narwhals has no way to say this."""
    import narwhals as nw

    native: Any = source.native
    if source.is_relation:
        numbered = native.project(f'*, row_number() OVER () AS "{names.row}"')
    else:
        numbered = native.with_row_index(names.row)
    return cast("Frame", nw.from_native(numbered))


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
    manner = Manner(masked=output == "mask", suppressing=len(suppressed) > 0)
    plans = plan_columns(table, recodes, manner)
    names = Names.beside(source.columns)
    secrets = table.secrets if with_person else None
    holding = [] if secrets is None else secrets.plans(len(plans))
    numbered = ordered or (secrets is not None and secrets.needs_rows())
    frame = join_plans(source, [*plans, *holding], suppressed, names, numbered=numbered)
    person = (table.roles.person,) if with_person and table.roles.person else ()
    choice = _Choice(
        source, (*table.roles.released, *person), {plan.name: plan for plan in plans}, manner, names, ordered
    )
    if secrets is not None:
        frame = secrets.numbered(source, frame, names)
        choice = replace(choice, beside=secrets.expressions(source, holding, names))
    return choice.of(frame).to_native()


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


@dataclass(frozen=True)
class _Choice:
    """Which columns leave, as what, and in which order of rows."""

    source: Source
    columns: tuple[str, ...]
    plans: dict[str, ColumnPlan]
    manner: Manner
    names: Names
    ordered: bool
    beside: Sequence[nw.Expr] = ()

    def of(self, frame: Frame) -> Frame:
        """Choose from the joined rows."""
        if self.manner.suppressing and not self.manner.masked:
            frame = frame.filter(~self._flag)
        shown = [self._leaving(name).alias(name) for name in self.columns]
        if self.beside:
            # Not released, so that no order has to hide anything.
            return frame.select(*shown, *self.beside)
        if self.source.is_lazy and self.ordered:
            row = self.names.row
            return frame.select(*shown, row).sort(row).select(*self.columns)
        return frame.select(*shown)

    @property
    def _flag(self) -> nw.Expr:
        """Whether a row is suppressed."""
        import narwhals as nw

        return nw.col(self.names.flag)

    @property
    def _masks(self) -> bool:
        """Whether some rows are masked."""
        return self.manner.masked and self.manner.suppressing

    def _leaving(self, name: str) -> nw.Expr:
        """Return what leaves of a column."""
        import narwhals as nw

        plan = self.plans.get(name)
        if plan is None or plan.shown == "raw":
            column = nw.col(name) if plan is None else clean(self.source, name)
            if self.source.is_relation and isinstance(self.source.schema[name], (nw.Categorical, nw.Enum)):
                # A list of categories names those that no published row has, too.
                column = column.cast(nw.String)
            if plan is None:
                return column
        else:
            column = nw.col(self.names.of(plan.shown, plan.place))
        if plan.shown == "text" and plan.missing_text is not None:
            column = column.fill_null(plan.missing_text)
        if plan.shown == "number" and plan.missing_number is not None:
            column = column.fill_null(plan.missing_number)
        if not self._masks:
            return column
        if plan.is_quasi_identifier:
            return nw.when(self._flag).then(nw.lit(ROOT)).otherwise(column)
        return nw.when(~self._flag).then(column)
