"""From the distinct raw values of a column to typed values, and to an order that is the same everywhere."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import numpy as np

from sfumato.errors import DataError, nearest
from sfumato.hierarchies.kinds import infer_kind, parse_values, text_of
from sfumato.table.arrow import MISSING, as_type, floats_of, number_array, places_of, text_array
from sfumato.table.keys import select_keys
from sfumato.table.libraries import pa, pc

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.hierarchies.hierarchy import Value
    from sfumato.spec import AttributeSpec
    from sfumato.table.sources import Source

_AS_TEXT = ("mask", "prefix", "tree", "file")
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
    kind = attribute.kind or ("date" if attribute.format else demanded) or infer_kind(texts)
    try:
        return kind, parse_values(texts, kind, format_of_dates(values, attribute))
    except DataError as error:
        error.where = name
        raise


def format_of_dates(values: pa.Array, attribute: AttributeSpec) -> str | None:
    """Return the format of a column's texts; None for ISO form, and for a column that holds dates."""
    return None if pa.types.is_temporal(values.type) else attribute.format


def texts_of_array(values: pa.Array) -> list[str]:
    """Return the text of each value: whole numbers without a point, dates and times in ISO form.

    Times with a zone are those that the clock of the zone showed.
    """
    if pa.types.is_timestamp(values.type):
        # Finer than a microsecond no Python value is.
        values = values.cast(pa.timestamp("us", values.type.tz), safe=False)
        return [*map(_text_of_time, values)]
    if pa.types.is_date(values.type):
        return [*map(_text_of_time, values)]
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        return cast("list[str]", values.to_pylist())
    if not pa.types.is_decimal(values.type):
        return [text_of(value) for value in values.to_pylist()]
    # Without an exponent and without needless zeros.
    texts = (format(number, "f") for number in values.to_pylist())
    return [text.rstrip("0").rstrip(".") if "." in text else text for text in texts]


def _text_of_time(value: pa.Scalar) -> str:
    """Return the text of a date or time, also of one that no Python date is: before year 1, after 9999."""
    try:
        found = value.as_py()
    except (OverflowError, ValueError):
        plain = value.cast(pa.timestamp("us") if pa.types.is_timestamp(value.type) else value.type)
        text = str(plain.cast(pa.large_string()).as_py()).removesuffix(".000000").removesuffix(" 00:00:00")
        if not text.startswith("-"):
            return text
        # As the engine writes it, which has no year 0.
        _, year, rest = text.split("-", 2)
        return f"{int(year) + 1:04}-{rest} (BC)"
    return text_of(found.replace(tzinfo=None) if isinstance(found, dt.datetime) else found)


def rank(values: pa.Array) -> IntArray:
    """Return the rank of each value in an order that does not depend on the engine.

    Numbers are sorted by size, also where they are written as texts; everything else by its text.
    No value becomes a Python object.
    """
    texts, sizes = as_type(values, pa.large_string()), _sizes(values)
    by_size = pc.SortOptions([("size", "ascending"), ("text", "ascending")])
    table = pa.Table.from_arrays([texts if sizes is None else sizes, texts], ["size", "text"])
    order = places_of(pc.call_function("sort_indices", [table], by_size))
    ranks = np.empty(len(order), dtype=np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks


def is_ordered(values: pa.Array) -> bool:
    """Tell whether :func:`rank` follows an order that means something: sizes of numbers, or time."""
    return pa.types.is_temporal(values.type) or (len(values) > 0 and _sizes(values) is not None)


def _sizes(values: pa.Array) -> pa.Array | None:
    """Return values as numbers, or None unless all of them are."""
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        return values
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return None
    try:
        return as_type(values, pa.float64())
    except pa.ArrowInvalid:
        return None


def numbers_of(values: Sequence[Value]) -> LongArray | FloatArray | None:
    """Return values as one array of integers or floats; None if one is missing or no number."""
    if not all(isinstance(value, int | float) for value in values):
        return None
    if all(isinstance(value, int) for value in values):
        return np.array(values, dtype=np.int64)
    return np.array(values, dtype=np.float64)


NumberKind: TypeAlias = Literal["number", "date", "time", "ordinal"]


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column as numbers."""

    name: str  # the column
    # `number`; `date`, counted in days, and `time`, in microseconds; `ordinal`, counted from 0
    kind: NumberKind
    values: FloatArray  # one number for each row, NaN where missing
    labels: tuple[str, ...] = ()  # the texts of an ordinal column, lowest first
    # the Arrow type that dates and times leave with; None where they leave as texts
    type: pa.DataType | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing lies between neighbouring values, as between two days or two labels."""
        return self.kind != "number"

    def restore(self, values: FloatArray) -> pa.Array:
        """Return numbers of this scale as what the column holds: doubles, dates or texts; NaN is missing."""
        missing = np.isnan(values)
        if self.kind == "number":
            return number_array(values, missing)
        whole = np.where(missing, 0, values).astype(np.int64)
        if self.kind == "ordinal":
            texts = pa.DictionaryArray.from_arrays(number_array(whole, missing), text_array(self.labels))
            return texts.cast(pa.large_string())
        if self.kind == "date":
            found = number_array(whole.astype(np.int32), missing).cast(pa.date32())
        else:
            found = number_array(whole, missing).cast(pa.timestamp("us"))
            if self.type is None and not (whole % 1_000_000).any():
                found = found.cast(pa.timestamp("s"))
        # Without a zone, times count as UTC, which is what they were counted in.
        return found.cast(pa.large_string() if self.type is None else self.type)


def read_numbers(
    source: Source, names: Sequence[str], orders: Mapping[str, Sequence[str]] | None = None
) -> list[NumberColumn]:
    """Read columns as numbers, in the order of the rows."""
    table = _read_in_order(source, names)
    found = []
    for name, chunks in zip(names, table.columns, strict=True):
        column = chunks.combine_chunks()
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        order = (orders or {}).get(name)
        read = _as_numbers(name, column) if order is None else _as_ordinal(name, column, order)
        infinite = 0 if isinstance(read, str) else int(np.isinf(read.values).sum())
        if infinite:
            read = (
                f"the column {name!r} holds {infinite} infinite numbers. Make them missing, or leave it out."
            )
        if isinstance(read, str):
            raise DataError(read, where=source.name)
        found.append(read)
    return found


def _read_in_order(source: Source, names: Sequence[str]) -> pa.Table:
    """Bring the cells of some columns together, row after row."""
    refuse_unknown(source, names)
    if not source.has_order:
        raise DataError(
            "rows of Spark are not brought together in one process, which this needs. Write the frame to "
            "Parquet and pass the path, or pass a part of it as another kind of frame.",
            where=source.name,
        )
    return source.collect(select_keys(source, names))


def refuse_unknown(source: Source, names: Sequence[str]) -> None:
    """Raise DataError if a column is absent."""
    for name in names:
        if name not in source.columns:
            raise DataError(
                f"there is no column {name!r}. {nearest(name, source.columns)}", where=source.name
            )


def _as_numbers(name: str, column: pa.Array) -> NumberColumn | str:
    """Read a column by its type, or say why that cannot be."""
    if column.null_count == len(column):
        return f"the column {name!r} holds no value. Leave it out."
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return _from_texts(name, as_type(column, pa.large_string()))
    if pa.types.is_date(kind):
        return NumberColumn(name, "date", floats_of(column.cast(pa.date32()).cast(pa.int32())), type=kind)
    if pa.types.is_timestamp(kind):
        ticks = column.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.int64())
        return NumberColumn(name, "time", floats_of(ticks), type=kind)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return f"the column {name!r} holds neither numbers nor dates. Give its order, or leave it out."
    return NumberColumn(name, "number", floats_of(column))


def _from_texts(name: str, texts: pa.Array) -> NumberColumn | str:
    """Read texts that are all numbers, all ISO dates or all ISO times."""
    texts = pc.call_function("utf8_trim_whitespace", [texts])
    kinds: tuple[tuple[NumberKind, pa.DataType, pa.DataType], ...] = (
        ("number", pa.float64(), pa.float64()),
        ("date", pa.date32(), pa.int32()),
        ("time", pa.timestamp("us"), pa.int64()),
    )
    for kind, arrow_type, counted in kinds:
        try:
            values = floats_of(as_type(as_type(texts, arrow_type), counted))
        except pa.ArrowInvalid:
            continue
        if np.isnan(values).sum() > texts.null_count:
            break
        return NumberColumn(name, kind, values)
    return (
        f"the column {name!r} holds texts that are neither all numbers nor all dates (such as 1987-03-14). "
        "Give their order, list texts that mean missing, or leave the column out."
    )


def _as_ordinal(name: str, column: pa.Array, order: Sequence[str]) -> NumberColumn | str:
    """Read a column by the order of its texts, or say why that cannot be."""
    labels = tuple(str(label) for label in order)
    if not labels or len(set(labels)) < len(labels):
        return f"the order of {name!r} must name each value once."
    coded = column.dictionary_encode()
    places = places_of(coded.indices)
    rank = {label: number for number, label in enumerate(labels)}
    ranks = [rank.get(text, MISSING) for text in texts_of_array(coded.dictionary)]
    unknown = ranks.count(MISSING)
    if unknown:
        return f"the order of {name!r} leaves out {unknown} of its {len(ranks)} values. Name all of them."
    numbers = np.array([*map(float, ranks), np.nan])
    return NumberColumn(name, "ordinal", numbers[places], labels)


def read_codes(source: Source, name: str) -> IntArray:
    """Number the distinct values of a column by their first rows; missing is a value like any other."""
    column = _read_in_order(source, [name]).column(0).combine_chunks()
    return places_of(column.dictionary_encode().indices) + 1
