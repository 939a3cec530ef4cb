"""Between Arrow and NumPy, by their buffers.

PyArrow's own conversions from and to Python objects first load pandas where it is installed, which takes
longer than most files. Nothing here does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray

MISSING = -1


def places_of(indices: pa.Array) -> IntArray:
    """Return the indices of a dictionary array, with -1 where they are null."""
    numbers = np.frombuffer(indices.buffers()[1], dtype=_dtype_of(indices.type))
    places = numbers[indices.offset : indices.offset + len(indices)].astype(np.int32)
    if indices.null_count:
        places[~_validity(indices)] = MISSING
    return places


def counts_of(array: pa.Array) -> LongArray:
    """Return an array of integers without nulls."""
    numbers = np.frombuffer(array.buffers()[1], dtype=_dtype_of(array.type))
    return numbers[array.offset : array.offset + len(array)].astype(np.int64)


def number_array(numbers: IntArray | LongArray | FloatArray) -> pa.Array:
    """Return numbers as an Arrow array without nulls."""
    import pyarrow as pa

    contiguous = np.ascontiguousarray(numbers)
    arrow_type = pa.from_numpy_dtype(contiguous.dtype)
    return pa.Array.from_buffers(arrow_type, len(contiguous), [None, pa.py_buffer(contiguous)])


def text_array(texts: Sequence[str | None]) -> pa.Array:
    """Return texts as an Arrow array; None is null.

    Examples
    --------
    >>> text_array(["a", None, "é"]).to_pylist()
    ['a', None, 'é']
    """
    import pyarrow as pa

    encoded = [b"" if text is None else text.encode() for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    valid = np.array([text is not None for text in texts], dtype=bool)
    buffers = [
        None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little")),
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


def _validity(array: pa.Array) -> BoolArray:
    """Return which entries of an array are not null."""
    bits = np.frombuffer(array.buffers()[0], dtype=np.uint8)
    valid = np.unpackbits(bits, count=array.offset + len(array), bitorder="little")
    return valid[array.offset :].astype(np.bool_)


def _dtype_of(arrow_type: pa.DataType) -> np.dtype[np.generic]:
    """Return the NumPy type of an Arrow integer type."""
    return np.dtype(str(arrow_type))
