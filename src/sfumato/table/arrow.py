"""Between Arrow and NumPy, by their buffers.

PyArrow's own conversions from and to Python objects first load pandas where it is installed, which takes
longer than most files. Nothing here does.

A frame carries more than its cells: lists of categories, dictionaries, metadata, an index, and buffers that
a filter or a slice shares with the rows which were left out. Whoever saves or sends the frame hands these out
too. What leaves here

- has only categories that occur: pandas categories, dictionaries of Arrow, enums of Polars.
  A categorical column of Polars becomes text, since all such columns of a process share one list, and so do
  categories inside lists and structs;
- has no metadata (of schema, fields or frame), and no index unless it is asked for;
- has its own memory, in which nothing stands below a missing value. A lazy frame of Polars is computed, since
  its plan holds the rows that it came from.

A relation of DuckDB and a frame of Spark are queries that cannot leave their engine, and are returned as they
are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.table.engine import connect
from sfumato.table.libraries import nw, pa, pc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray

MISSING = -1


def as_type(array: pa.Array, wanted: pa.DataType, *, safe: bool = True) -> pa.Array:
    """Return an array as another type, which has to hold its values if it is to be ``safe``."""
    options = pc.CastOptions.safe if safe else pc.CastOptions.unsafe
    return pc.call_function("cast", [array], options(wanted))


def places_in(array: pa.Array, known: pa.Array) -> IntArray:
    """Return where each value of an array is among known ones, -1 where it is not."""
    return places_of(pc.call_function("index_in", [array], pc.SetLookupOptions(value_set=known)))


def places_of(indices: pa.Array) -> IntArray:
    """Return the indices of a dictionary array, with -1 where they are null."""
    places = _numbers(indices).astype(np.int32)
    if indices.null_count:
        places[_is_null(indices)] = MISSING
    return places


def floats_of(array: pa.Array) -> FloatArray:
    """Return numbers as doubles, NaN where null."""
    values = as_type(array, pa.float64(), safe=False)
    floats = _numbers(values).copy()
    if values.null_count:
        floats[_is_null(values)] = np.nan
    return floats


def counts_of(array: pa.Array) -> LongArray:
    """Return an array of integers without nulls."""
    return _numbers(array).astype(np.int64)


def _numbers(array: pa.Array) -> np.ndarray[tuple[int], np.dtype[Any]]:
    """Return an array of numbers as it stands in memory, whatever is below nulls."""
    numbers = np.frombuffer(array.buffers()[1], dtype=str(array.type))
    return numbers[array.offset : array.offset + len(array)]


def _is_null(array: pa.Array) -> BoolArray:
    bits = np.frombuffer(array.buffers()[0], dtype=np.uint8)
    valid = np.unpackbits(bits, count=array.offset + len(array), bitorder="little")
    return np.asarray(valid[array.offset :] == 0)


def number_array(numbers: IntArray | LongArray | FloatArray, missing: BoolArray | None = None) -> pa.Array:
    """Return numbers as an Arrow array, null where they are missing."""
    contiguous = np.ascontiguousarray(numbers)
    arrow_type = pa.from_numpy_dtype(contiguous.dtype)
    valid = None if missing is None or not missing.any() else _bits(~missing)
    return pa.Array.from_buffers(arrow_type, len(contiguous), [valid, pa.py_buffer(contiguous)])


def truth_array(truth: BoolArray) -> pa.Array:
    """Return truth values as an Arrow array."""
    return pa.Array.from_buffers(pa.bool_(), len(truth), [None, _bits(truth)])


def _bits(truth: BoolArray) -> pa.Buffer:
    return pa.py_buffer(np.packbits(truth, bitorder="little"))


def text_array(texts: Sequence[str | None]) -> pa.Array:
    """Return texts as an Arrow array; None is null.

    Examples
    --------
    >>> text_array(["a", None, "é"]).to_pylist()
    ['a', None, 'é']
    """
    encoded = [b"" if text is None else text.encode() for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    valid = np.array([text is not None for text in texts], dtype=bool)
    buffers = [
        None if valid.all() else _bits(valid),
        pa.py_buffer(offsets),
        pa.py_buffer(b"".join(encoded)),
    ]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), buffers)


def copy_rows(rows: Any) -> Any:
    """Copy an Arrow table or column into memory of its own, with nothing below what is missing.

    An engine leaves below a missing value whatever stood there before, be it the value that was masked.
    """
    places = number_array(np.arange(len(rows), dtype=np.int64))
    return rows.take(places).combine_chunks()


def own_frame(native: object, *, keep_index: bool = False, settle: bool = False) -> object:
    """Return a frame of the same kind and with the same cells that holds nothing else.

    To ``settle`` is to let the cells alone decide between whole numbers, fractions and objects in pandas,
    where a missing or odd value of a row that is not there would have changed the type of the column.
    """
    frame: Any = nw.from_native(native)
    implementation = frame.implementation
    if implementation.is_duckdb() or implementation.is_pyspark():
        return native
    if implementation.is_polars():
        owned = _own_polars(frame.collect() if isinstance(frame, nw.LazyFrame) else frame)
        return owned.lazy() if isinstance(frame, nw.LazyFrame) else owned
    if implementation.is_pandas():
        pandas = implementation.to_native_namespace()
        owned = _own_pandas(native, pandas, keep_index=keep_index)
        return owned.apply(_settle) if settle and len(owned.columns) else owned
    return _own_table(native)


def _own_polars(frame: Any) -> Any:
    """Make a frame anew from Arrow, where texts stand without those beside them."""
    polars, native = frame.implementation.to_native_namespace(), frame.to_native()
    wanted = {name: _without_categories(polars, found) for name, found in native.schema.items()}
    plain = native.cast({name: found for name, found in wanted.items() if found != native.schema[name]})
    # Arrow has no integers of 128 bits.
    wide = [name for name, found in wanted.items() if str(found) in ("Int128", "UInt128")]
    table = plain.drop(wide).to_arrow(compat_level=polars.CompatLevel.oldest())
    owned = polars.from_arrow(_own_table(table), rechunk=True)
    listed = {name: polars.Series(name, plain[name].to_list(), wanted[name]) for name in wide}
    owned = polars.DataFrame([listed[n] if n in listed else owned[n] for n in wanted]).cast(wanted)
    for name, found in native.schema.items():
        if found == polars.Enum:
            used = set(owned[name].unique().to_list())
            kept = polars.Enum([text for text in found.categories if text in used])
            owned = owned.with_columns(polars.col(name).cast(kept))
    return owned


def _without_categories(polars: Any, found: Any) -> Any:
    """Return a type of Polars with texts in place of categories, at any depth."""
    if found in (polars.Categorical, polars.Enum):
        return polars.String
    if found == polars.List:
        return polars.List(_without_categories(polars, found.inner))
    if found == polars.Array:
        return polars.Array(_without_categories(polars, found.inner), found.size)
    if found == polars.Struct:
        return polars.Struct({field.name: _without_categories(polars, field.dtype) for field in found.fields})
    return found


def _own_pandas(native: Any, pandas: Any, *, keep_index: bool) -> Any:
    """Make a frame anew from copies of its columns."""
    owned = pandas.DataFrame({name: _own_series(column, pandas) for name, column in native.items()})
    if keep_index:
        names = list(native.index.names)
        places = list(range(len(names)))
        index = native.index.to_frame(index=False, name=places if len(names) > 1 else 0)
        index = pandas.DataFrame({name: _own_series(column, pandas) for name, column in index.items()})
        several = pandas.MultiIndex.from_frame(index, names=names)
        owned.index = several if len(names) > 1 else pandas.Index(index[0].array, name=names[0])
    elif not len(owned.columns):
        owned.index = pandas.RangeIndex(len(native))
    return owned


def _settle(column: Any) -> Any:
    """Return a column of pandas as pandas would have made it from its own cells."""
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else ""
    if kind == "O":
        return column.infer_objects()
    if kind == "f" and len(column):
        values = column.to_numpy()
        is_whole = np.isfinite(values) & (np.abs(values) < 2**53) & (np.floor(values) == values)
        return column.astype("int64") if is_whole.all() else column
    is_small = kind == "i" or (kind == "u" and column.dtype.itemsize < 8)
    return column.astype("int64") if is_small else column


def _own_series(column: Any, pandas: Any) -> Any:
    """Copy a column of pandas, without its index and without categories that it does not have."""
    found, values = column.dtype, column.array
    if isinstance(found, pandas.CategoricalDtype):
        return pandas.Series(values.remove_unused_categories())
    if isinstance(found, pandas.ArrowDtype) or getattr(found, "storage", None) == "pyarrow":
        own = _own_array(_chunked(values.__arrow_array__()))
        made = pandas.ArrowDtype(own.type) if isinstance(found, pandas.ArrowDtype) else found
        return pandas.Series(made.__from_arrow__(own), dtype=made)
    if hasattr(found, "numpy_dtype"):
        # Below what is missing stands what was masked.
        missing, values = values.isna(), values.fillna(found.type(0))
        values[missing] = pandas.NA
    return pandas.Series(values.copy(), dtype=found)


def _own_table(table: pa.Table) -> pa.Table:
    """Make an Arrow table anew from copies of its columns."""
    return pa.Table.from_arrays([_own_array(column) for column in table.columns], table.column_names)


def _own_array(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Copy a column of Arrow; no entry of a dictionary stays that no cell has."""
    found = column.type
    if isinstance(found, pa.BaseExtensionType):
        stored = _own_array(pa.chunked_array([chunk.storage for chunk in column.chunks], found.storage_type))
        if stored.type != found.storage_type:
            return stored
        return pa.chunked_array(
            [pa.ExtensionArray.from_storage(found, chunk) for chunk in stored.chunks], found
        )
    if pa.types.is_dictionary(found):
        return _own_dictionary(column)
    if pa.types.is_nested(found) or pa.types.is_run_end_encoded(found):
        # The engine knows neither dictionaries inside of values nor metadata of their fields.
        flat = pc.call_function("run_end_decode", [column]) if pa.types.is_run_end_encoded(found) else column
        table = pa.Table.from_arrays([flat], ["values"])
        return _chunked(copy_rows(connect().from_arrow(table).to_arrow_table().column(0)))
    if pa.types.is_string_view(found) or pa.types.is_binary_view(found):
        # Views share the texts of all rows.
        plain = pa.large_string() if pa.types.is_string_view(found) else pa.large_binary()
        return _own_array(column.cast(plain)).cast(found)
    return _chunked(copy_rows(column))


def _own_dictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Keep the entries of a dictionary that occur.

    One that is not ordered often lists values as they first appeared, in rows that are hidden too: then they
    are listed as they appear in the rows that are left.
    """
    found = column.type
    whole = pa.concat_arrays(column.unify_dictionaries().chunks) if column.num_chunks else None
    if whole is None:
        return pa.chunked_array([], found)
    used = whole.indices.unique().drop_null()
    if found.ordered:
        used = used.sort()
    found_at = places_in(whole.indices, used)
    places = number_array(found_at, found_at == MISSING).cast(found.index_type)
    values = _own_array(_chunked(whole.dictionary.take(used)))
    values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.nulls(0, found.value_type)
    return _chunked(pa.DictionaryArray.from_arrays(places, values, ordered=found.ordered))


def _chunked(array: Any) -> pa.ChunkedArray:
    """Return an array in one chunk, and what is in chunks as it is."""
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
