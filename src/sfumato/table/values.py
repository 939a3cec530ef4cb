"""From the distinct raw values of a column to typed values, and to an order that is the same everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import DataError
from sfumato.hierarchies.kinds import infer_kind, parse_values, text_of
from sfumato.table.arrow import places_of

if TYPE_CHECKING:
    import decimal
    from collections.abc import Sequence

    import pyarrow as pa

    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.hierarchies.hierarchy import Value
    from sfumato.spec import AttributeSpec

_AS_TEXT = ("mask", "tree", "file")
_KIND_OF_HIERARCHY = {"intervals": "number", "dates": "date"}


def type_values(name: str, values: pa.Array, attribute: AttributeSpec) -> tuple[str, list[Value]]:
    """Find the kind of an attribute and type its distinct values.

    The kind follows from the texts of the values, not from the type of the column, so that a file of
    text and a typed frame with the same contents give the same domain.
    """
    texts = texts_of_array(values)
    source = None if attribute.hierarchy is None else attribute.hierarchy.source
    if source in _AS_TEXT or attribute.kind in ("category", "ordinal"):
        return attribute.kind or "category", list(texts)
    demanded = "number" if attribute.granularity is not None else _KIND_OF_HIERARCHY.get(source or "")
    kind = attribute.kind or demanded or infer_kind(texts)
    try:
        return kind, parse_values(texts, kind)
    except DataError as error:
        raise DataError(error.message, where=name) from None


def texts_of_array(values: pa.Array) -> list[str]:
    """Return the text of each value: whole numbers without a point, times in UTC, dates in ISO form."""
    import pyarrow as pa

    if pa.types.is_timestamp(values.type):
        # Finer than a microsecond no Python value is; instants with a zone are compared in UTC.
        values = values.cast(pa.timestamp("us", values.type.tz), safe=False)
        values = (
            values
            if values.type.tz is None
            else values.cast(pa.timestamp("us", "UTC")).cast(pa.timestamp("us"))
        )
    found = values.to_pylist()
    if pa.types.is_decimal(values.type):
        found = [_plain(number) for number in found]
    return [text_of(value) for value in found]


def _plain(number: decimal.Decimal) -> str:
    """Return a decimal as text without an exponent and without needless zeros."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def rank(values: pa.Array) -> IntArray:
    """Return the rank of each value in an order that does not depend on the engine.

    Numbers are sorted by size, also where they are written as texts; everything else by its text.
    No value becomes a Python object.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = values.cast(pa.large_string())
    table = pa.Table.from_arrays([_sizes(values, texts), texts], ["size", "text"])
    order = places_of(pc.sort_indices(table, sort_keys=[("size", "ascending"), ("text", "ascending")]))
    ranks = np.empty(len(order), dtype=np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks


def is_ordered(values: pa.Array) -> bool:
    """Tell whether :func:`rank` follows an order that means something: sizes of numbers, or time."""
    import pyarrow as pa

    if pa.types.is_temporal(values.type):
        return True
    texts = values.cast(pa.large_string())
    return len(values) > 0 and _sizes(values, texts) is not texts


def _sizes(values: pa.Array, texts: pa.Array) -> pa.Array:
    """Return values as numbers if all of them are, else as their texts."""
    import pyarrow as pa

    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        return values
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return texts
    try:
        return values.cast(pa.float64())
    except pa.ArrowInvalid:
        return texts


def numbers_of(values: Sequence[Value]) -> LongArray | FloatArray | None:
    """Return values as one array of integers or floats; None if one is missing or no number."""
    if not all(isinstance(value, int | float) for value in values):
        return None
    if all(isinstance(value, int) for value in values):
        return np.array(values, dtype=np.int64)
    return np.array(values, dtype=np.float64)
