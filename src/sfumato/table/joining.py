"""Joining every row with what becomes of its values, on the engine that holds the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sfumato.table.engine import from_arrow_beside
from sfumato.table.keys import key
from sfumato.table.one_query import join_in_one_query, suppressed_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import narwhals as nw
    import pyarrow as pa

    from sfumato._typing import IntArray
    from sfumato.table.keys import Names
    from sfumato.table.recoding import ColumnPlan
    from sfumato.table.sources import Frame, Source


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
