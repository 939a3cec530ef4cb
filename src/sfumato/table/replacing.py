"""Some columns of a table, with new values in some of them, of the same kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.table.engine import from_arrow_beside

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import narwhals as nw
    import pyarrow as pa

    from sfumato._typing import LongArray
    from sfumato.table.sources import Source


def replace_columns(
    source: Source, columns: Mapping[str, pa.Array], keep: Sequence[str], *, sort: bool = False
) -> object:
    """Return some columns of a table, with new values in some of them."""
    import narwhals as nw
    import pyarrow as pa

    source.refuse_changed()
    chosen: Any = source.frame.select(list(keep))
    order = row_order(source, columns, keep) if sort else None
    if source.is_relation:
        table = _replaced(source, columns, keep)
        native: Any = source.native
        return from_arrow_beside(native, table if order is None else table.take(order))
    if source.is_lazy:
        chosen = chosen.collect()
    if columns:
        new: Any = nw.from_arrow(pa.table(dict(columns)), backend=chosen.implementation)
        chosen = nw.maybe_align_index(chosen.with_columns(*new.iter_columns()), chosen)
    if order is not None:
        chosen = nw.maybe_reset_index(chosen[order])
    return chosen.lazy().to_native() if source.is_lazy else chosen.to_native()


def _plain(source: Source, names: Sequence[str]) -> list[nw.Expr]:
    """Return columns as they are, categories as texts."""
    import narwhals as nw

    kinds = source.frame.collect_schema()
    return [
        nw.col(name).cast(nw.String) if kinds[name] in (nw.Categorical, nw.Enum) else nw.col(name)
        for name in names
    ]


def _replaced(source: Source, columns: Mapping[str, pa.Array], keep: Sequence[str]) -> pa.Table:
    table = source.collect(source.frame.select(_plain(source, keep)))
    for name, values in columns.items():
        table = table.set_column(keep.index(name), name, values)
    return table


def row_order(source: Source, columns: Mapping[str, pa.Array], keep: Sequence[str]) -> LongArray:
    """Return the places of the rows, sorted by all columns that are kept, one after another.

    Numbers and times go by size, texts by their UTF-8 bytes, missing comes last. Columns of lists and the
    like cannot be sorted by, and are passed over.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    table = _replaced(source, columns, keep)
    keys = [field.name for field in table.schema if not pa.types.is_nested(field.type)]
    places = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in keys])
    return np.asarray(places.to_numpy(), dtype=np.int64)


def find_unique(source: Source, names: Sequence[str]) -> list[str]:
    """Return the columns whose values differ in every row: they name the rows."""
    import narwhals as nw

    if not names:
        return []
    counts = source.collect(source.frame.select(*(nw.col(name).n_unique() for name in names)))
    rows = source.row_count()
    return [name for name in names if rows > 1 and counts.column(name)[0].as_py() == rows]
