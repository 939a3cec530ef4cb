"""A table with some of its columns replaced, of the same kind and in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sfumato.table.engine import from_arrow_beside

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from sfumato.table.sources import Source


def replace_columns(source: Source, columns: Mapping[str, pa.Array], drop: Sequence[str] = ()) -> object:
    """Return the table with new values in some columns.

    Parameters
    ----------
    source
        The table.
    columns
        Name → new values, one for each row in their order.
    drop
        Columns that are left out.

    Returns
    -------
    frame
        The same kind of frame as came in, with its index where it has one; a DuckDB relation for a file. All
        other columns are as they were.

    Raises
    ------
    DataError
        If the file changed since it was opened.
    """
    import narwhals as nw
    import pyarrow as pa

    source.refuse_changed()
    kept = [name for name in source.columns if name not in drop]
    chosen: Any = source.frame.select(kept)
    if source.is_relation:
        table = source.collect(chosen)
        for name, values in columns.items():
            table = table.set_column(kept.index(name), name, values)
        native: Any = source.native
        return from_arrow_beside(native, table)
    if source.is_lazy:
        chosen = chosen.collect()
    new: Any = nw.from_arrow(pa.table(dict(columns)), backend=chosen.implementation)
    replaced = chosen.with_columns(*new.iter_columns())
    return replaced.lazy().to_native() if source.is_lazy else replaced.to_native()


def find_unique(source: Source, names: Sequence[str]) -> list[str]:
    """Return the columns whose values differ in every row: they name the rows."""
    import narwhals as nw

    if not names:
        return []
    counts = source.collect(source.frame.select(*(nw.col(name).n_unique() for name in names)))
    rows = source.row_count()
    return [name for name in names if rows > 1 and counts.column(name)[0].as_py() == rows]


__all__ = ["find_unique", "replace_columns"]
