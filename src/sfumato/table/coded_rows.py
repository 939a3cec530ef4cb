"""Rows as codes: the distinct cells of every column, and which of them each row has.

A released table has far fewer distinct cells than rows. Types, texts and order follow from the cells alone,
and rows are then sorted as whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sfumato.table.arrow import MISSING, number_array, places_in, places_of
from sfumato.table.libraries import pa, pc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from sfumato._typing import LongArray

_MOST_CELLS = 2**20  # distinct cells of one column; an engine sorts the rows of a table that has more
_LARGEST_KEY = 2**62


@dataclass(eq=False)
class _Column:
    """One column: its distinct cells, missing first, and their places, batch by batch."""

    cells: pa.Array
    codes: list[NDArray[np.unsignedinteger]] = field(default_factory=list)
    has_missing: bool = False

    def add(self, rows: pa.Array) -> None:
        """Take up the rows of one more batch."""
        found = pc.call_function("dictionary_encode", [rows])
        own = found.dictionary
        places = places_in(own, self.cells)
        new = number_array(np.flatnonzero(places == MISSING))
        if len(new):
            self.cells = pa.concat_arrays([self.cells, pc.call_function("take", [own, new])])
            places = places_in(own, self.cells)
        self.has_missing |= found.null_count > 0
        # What is missing has the place -1, which is the last one.
        codes = np.append(places, 0).astype(np.min_scalar_type(len(self.cells)))
        self.codes.append(codes[places_of(found.indices)])


@dataclass(eq=False)
class CellCodes:
    """The rows of a table as codes."""

    names: list[str]
    columns: list[_Column]

    def cells(self, place: str) -> pa.Table:
        """Return the distinct cells of the columns side by side, filled up with missing, and their places."""
        length = max(len(column.cells) for column in self.columns)
        filled = [
            pa.concat_arrays([column.cells, pa.nulls(length - len(column.cells), column.cells.type)])
            for column in self.columns
        ]
        return pa.table([*filled, number_array(np.arange(length))], names=[*self.names, place])

    def rows(
        self, ranks: Sequence[LongArray], cells: Sequence[pa.Array], *, ordered: bool, size: int
    ) -> pa.RecordBatchReader:
        """Return the rows in batches of one size; ``cells`` by rank, and the rank of every cell as it was.

        Sorted by all columns if ``ordered``, else as they came.
        """
        keys, places = self._pack(ranks, [len(found) for found in cells])
        if ordered and len(keys) == 1:
            keys[0].sort()
        elif ordered:
            order = np.lexsort(keys[::-1])
            keys = [key[order] for key in keys]

        def batches() -> Iterator[pa.RecordBatch]:
            for start in range(0, len(keys[0]), size):
                shown: list[pa.Array] = [None] * len(cells)
                for key, own in zip(keys, places, strict=True):
                    rest = key[start : start + size]
                    for place in reversed(own):
                        rest, code = np.divmod(rest, len(cells[place]))
                        shown[place] = _look_up(cells[place], code)
                yield pa.record_batch(shown, schema=schema)

        schema = pa.schema(
            [
                (name, _look_up(found, np.zeros(0, dtype=np.int64)).type)
                for name, found in zip(self.names, cells, strict=True)
            ]
        )
        return pa.RecordBatchReader.from_batches(schema, batches())

    def _pack(
        self, ranks: Sequence[LongArray], sizes: Sequence[int]
    ) -> tuple[list[LongArray], list[list[int]]]:
        """Return every row as one number, or as few as can be, and which columns are in which."""
        keys: list[LongArray] = []
        places: list[list[int]] = []
        span = 1
        for place, (column, rank, size) in enumerate(zip(self.columns, ranks, sizes, strict=True)):
            if not keys or span * size > _LARGEST_KEY:
                keys.append(np.zeros(sum(map(len, column.codes)), dtype=np.int64))
                places.append([])
                span = 1
            span *= size
            places[-1].append(place)
            keys[-1] *= size
            start = 0
            for codes in column.codes:
                keys[-1][start : start + len(codes)] += rank[codes]
                start += len(codes)
        return keys, places


def _look_up(cells: pa.Array, codes: LongArray) -> pa.Array:
    """Return cells by their places; texts are looked up where they are needed."""
    places = number_array(codes.astype(np.int32))
    return (
        pa.DictionaryArray.from_arrays(places, cells)
        if pa.types.is_string(cells.type)
        else pc.call_function("take", [cells, places])
    )


def code_rows(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> CellCodes | None:
    """Return rows as codes; None where a column cannot be coded, or has too many distinct cells."""
    if not all(map(_can_be_coded, schema.types)):
        return None
    columns = [_Column(pa.nulls(1, found)) for found in schema.types]
    for batch in batches:
        for column, rows in zip(columns, batch.columns, strict=True):
            column.add(rows)
            if len(column.cells) > _MOST_CELLS:
                return None
    return CellCodes(schema.names, columns)


def _can_be_coded(found: pa.DataType) -> bool:
    kinds = pa.types
    is_number = kinds.is_integer(found) or kinds.is_float32(found) or kinds.is_float64(found)
    is_time = kinds.is_temporal(found) and not kinds.is_interval(found)
    is_text = kinds.is_string(found) or kinds.is_large_string(found)
    return is_number or is_time or is_text or kinds.is_boolean(found)
