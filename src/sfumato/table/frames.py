"""Frames of any kind from and to Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from sfumato.table.sources import Frame, SourceKind


def to_arrow(frame: Frame) -> pa.Table:
    """Compute a frame, if it is lazy, and return its columns as an Arrow table; an index is no column."""
    import narwhals as nw
    import pyarrow as pa

    found = frame.collect("pyarrow") if isinstance(frame, nw.LazyFrame) else frame
    if found.implementation.is_pandas():
        return pa.Table.from_pandas(found.to_native(), preserve_index=False)
    return found.to_arrow()


def without_views(table: pa.Table) -> pa.Table:
    """Return an Arrow table with plain texts in place of views, which few functions of Arrow know."""
    import pyarrow as pa

    plain = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
    for place, found in enumerate(table.schema):
        if str(found.type) in plain:
            table = table.set_column(place, found.name, table.column(place).cast(plain[str(found.type)]))
    return table


def make_frame(columns: Mapping[str, Sequence[object]], kind: SourceKind) -> object:
    """Make a frame of the kind that came in."""
    import narwhals as nw
    import pyarrow as pa

    from sfumato.table.engine import connect

    table = pa.table({name: list(values) for name, values in columns.items()})
    if kind == "duckdb":
        return connect().from_arrow(table)
    if kind in ("pyarrow", "file"):
        return table
    frame = nw.from_arrow(table, backend="pandas" if kind == "pandas" else "polars")
    return frame.lazy().to_native() if kind == "polars-lazy" else frame.to_native()
