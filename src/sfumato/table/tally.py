"""One pass over the rows: the distinct tuples of some columns and how often each occurs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import DataError, TooManyError
from sfumato.table.arrow import MISSING, counts_of, places_in, places_of, text_array, truth_array
from sfumato.table.databases import COUNT
from sfumato.table.keys import key, select_keys
from sfumato.table.libraries import nw, pa, pc
from sfumato.table.sources import open_source
from sfumato.table.values import rank
from sfumato.words import count_words, list_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.hierarchies.hierarchy import Value
    from sfumato.table.sources import Frame, Source


BYTES_EACH, FEW = 100, 1_000_000
"""Bytes that a search holds for each column of a distinct combination, measured with nine of them (see
docs/scale.md), and combinations that fit anywhere."""
LARGE = 1_000_000_000
"""Bytes of files of which it is estimated, before they are counted, how many combinations they hold."""


@dataclass(frozen=True, eq=False)
class DistinctColumn:
    """One column of the distinct tuples."""

    # the distinct values that are not missing, in no particular order, as the engine holds them
    values: pa.Array
    places: IntArray  # for every tuple the place of its value in `values`, or -1 where it is missing

    @property
    def has_missing(self) -> bool:
        """Whether missing occurs."""
        return bool((self.places == MISSING).any())

    def count(self, rows: LongArray) -> LongArray:
        """Return how many rows have each value, given those of every tuple."""
        known = self.places != MISSING
        count = np.bincount(self.places[known], weights=rows[known], minlength=len(self.values))
        return count.astype(np.int64)

    def coded(self, raw: RawColumn) -> IntArray:
        """Return the code of every tuple; that of missing stands last, where its place -1 finds it."""
        codes = raw.codes if raw.missing is None else np.append(raw.codes, np.int32(raw.missing))
        return np.asarray(codes[self.places])

    def ranked(self) -> RawColumn:
        """Return the values with their ranks as codes; missing is last."""
        known, has_missing = len(self.values), self.has_missing
        missing = known if has_missing else None
        return RawColumn(self.values, rank(self.values), known + has_missing, missing)


@dataclass(frozen=True, eq=False)
class RawColumn:
    """The distinct values of a column as the engine holds them, with their codes."""

    values: pa.Array  # the distinct values that are not missing, without order
    # the code of each value; equal codes for values that mean the same, such as `1` and `1.0`
    codes: IntArray
    size: int  # how many codes there are, those of values that do not occur and of missing included
    missing: int | None  # the code of missing, or None if it does not occur
    # the typed value of each raw value; only where a release shows statistics
    typed: Sequence[Value] | None = None
    unknown: tuple[int, ...] = ()  # the codes of values that are declared unknown


@dataclass(frozen=True, eq=False)
class Tally:
    """The distinct tuples of some columns."""

    columns: Mapping[str, DistinctColumn]  # name of each column to its values
    rows: LongArray  # number of rows of each tuple
    # the tuple of each row, where they are in memory and nobody can change them
    of_rows: LongArray | None = None

    def number_persons(self, name: str | None) -> IntArray | None:
        """Number the persons of the tuples, where a column names them.

        Rows whose person is missing are one person, which can only lower a count.
        """
        return None if name is None else self.columns[name].coded(self.columns[name].ranked())

    def weigh(self, name: str, where: str | None = None) -> FloatArray:
        """Return the survey weight of a row of each tuple, which has to be a number above 0."""
        column = self.columns[name]
        # Missing is at place -1, which is the last one here.
        found = np.array([*map(as_number, column.values.to_pylist()), np.nan])[column.places]
        wrong = int(self.rows[~(np.isfinite(found) & (found > 0))].sum())
        if wrong:
            raise DataError(
                f"a weight must be a number above 0, but {wrong:,} of {int(self.rows.sum()):,} rows have one "
                "that is missing, zero, negative or not a number. Correct or remove these rows.",
                where=where or name,
            )
        return found


def align(column: DistinctColumn, raw: RawColumn) -> RawColumn:
    """Return the codes of values in the order in which another grouping lists them."""
    found = column.values.cast(raw.values.type)
    places = places_in(found, raw.values)
    return replace(raw, values=column.values, codes=raw.codes[places])


def as_number(value: object) -> float:
    """Return a value as a number, also where it is text; NaN where it is none."""
    try:
        return np.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return np.nan


def tally(source: Source, names: Sequence[str]) -> Tally:
    """Group the rows by some columns and count them, on the engine that holds them.

    Only the distinct tuples leave the engine, in batches, and of these only the distinct values of
    each column are kept; the tuples become integers at once.
    """
    held = source.held  # a database is not loaded to be counted
    here = bool(names) and isinstance(held, nw.DataFrame) and len(held) <= FEW
    # Python objects, which may be lists, are left to the engine.
    here = here and not any(isinstance(source.schema[name], nw.Object) for name in names)
    _refuse_expected(source, names)
    counted = _select_texts(source, names) if here else _count(source, names)
    encoded: list[list[pa.Array]] = [[] for _ in names]
    rows: list[LongArray] = [np.zeros(0, dtype=np.int64)]
    tuples = 0
    try:
        for batch in source.batches(counted):
            for chunks, column in zip(encoded, batch.columns[: len(names)], strict=True):
                chunks.append(_encode(column))
            tuples += batch.num_rows
            if not here:
                rows.append(counts_of(batch.column(len(names))))
            if tuples > FEW:
                _refuse_too_many(source, dict(zip(names, encoded, strict=True)), tuples)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        for name in names:
            if not _is_of_one_type(source, key(source, name)):
                raise _mixed(source, name) from None
        raise DataError("the rows cannot be counted.", where=source.name) from None
    total = np.concatenate(rows)
    if not (tuples if here else total.sum()):
        raise DataError("the data have no rows.", where=source.name)
    unified = zip(names, map(_unify, encoded), strict=True)
    columns = {name: _in_zone(column, source.zones.get(name)) for name, column in unified}
    return _group(source, columns) if here else Tally(columns, total)


def _select_texts(source: Source, names: Sequence[str]) -> Frame:
    """Return the keys of columns, but texts as they are: which are missing is asked of distinct ones."""
    is_text = [isinstance(source.schema[name], nw.String) for name in names]
    keys = (nw.col(name) if plain else key(source, name) for name, plain in zip(names, is_text, strict=True))
    return source.held.select(item.alias(f"key_{place}") for place, item in enumerate(keys))


def _group(source: Source, columns: Mapping[str, DistinctColumn]) -> Tally:
    """Group rows in memory by the numbers of their values."""
    known = {
        name: _without_texts(column, source.missing) if isinstance(source.schema[name], nw.String) else column
        for name, column in columns.items()
    }
    number: LongArray = np.zeros(1, dtype=np.int64)
    span = 1
    for column in known.values():
        size = len(column.values) + 1
        if span * size >= 2**63:
            distinct, number = np.unique(number, return_inverse=True)
            span = len(distinct)
        number, span = number * size + (column.places + 1), span * size
    order = np.argsort(number)
    starts = np.append(True, np.diff(number[order]) != 0)
    of_rows = np.empty(len(order), dtype=np.int64)
    of_rows[order] = np.cumsum(starts) - 1
    first = order[starts]
    tuples = {name: DistinctColumn(column.values, column.places[first]) for name, column in known.items()}
    rows = np.diff(np.flatnonzero(starts), append=len(order))
    return Tally(tuples, rows, of_rows if source.kind == "pyarrow" else None)


def _without_texts(column: DistinctColumn, missing: Sequence[str]) -> DistinctColumn:
    """Return a column of texts of which some mean missing."""
    values = column.values.cast(pa.large_string())
    gone = places_in(values, text_array(missing)) != MISSING
    if not gone.any():
        return column
    # Missing is at place -1, which is the last one here.
    kept = np.append(np.where(gone, MISSING, np.cumsum(~gone) - 1), MISSING).astype(np.int32)
    return DistinctColumn(column.values.filter(truth_array(~gone)), kept[column.places])


def _refuse_expected(source: Source, names: Sequence[str]) -> None:
    """Refuse large files by an estimate, which takes one pass and no memory, before they are counted."""
    if source.file is None or sum(size for _, size, _ in source.file.stamp) < LARGE:
        return
    from sfumato.table.engine import machine_memory

    keys: Any = select_keys(source, names).to_native()
    tuples = keys.aggregate(f"approx_count_distinct(hash({', '.join(keys.columns)}))").fetchall()[0][0]
    # The estimate may be too high by some percent, and what fits is not refused.
    needed, there = BYTES_EACH * len(names) * tuples * 0.9 / 1e9, machine_memory() / 1e9
    if needed > there:
        raise TooManyError(
            f"there are about {tuples:,.0f} distinct combinations of {count_words(len(names), 'column')}: to "
            f"search them takes more than {needed:,.1f} GB, and this machine has {there:,.1f} GB. Leave "
            "columns out, or make them coarser before they are read.",
            where=source.name,
        )


def _refuse_too_many(source: Source, encoded: Mapping[str, Sequence[pa.Array]], tuples: int) -> None:
    """Say before memory is used up that it will be, and which columns make so many combinations."""
    from sfumato.table.engine import machine_memory

    needed, there = BYTES_EACH * len(encoded) * tuples / 1e9, machine_memory() / 1e9
    if needed <= there:
        return
    values = {name: len(_unify(chunks).values) for name, chunks in encoded.items()}
    largest = sorted(values, key=lambda name: -values[name])[:3]
    raise TooManyError(
        f"there are more than {tuples:,} distinct combinations of {count_words(len(encoded), 'column')}: to "
        f"search them takes more than {needed:,.1f} GB, and this machine has {there:,.1f} GB. Leave columns "
        "out, or make them coarser before they are read. Most values have "
        f"{list_words([f'{name} ({values[name]:,})' for name in largest])}.",
        where=source.name,
    )


def _in_zone(column: DistinctColumn, zone: str | None) -> DistinctColumn:
    """Give instants back the zone that their file says."""
    if zone is None or not pa.types.is_timestamp(column.values.type):
        return column
    return DistinctColumn(column.values.cast(pa.timestamp(column.values.type.unit, zone)), column.places)


def draw_rows(source: Source, names: Sequence[str], row_count: int, most: int) -> Source:
    """Return some columns of about ``most`` rows, drawn with a fixed seed; all rows where there are fewer."""
    random, share = np.random.default_rng(1), most / max(row_count, 1)
    drawn = []
    if source.kind == "spark":
        native: Any = select_keys(source, names).to_native()
        drawn_there = nw.from_native(native.sample(min(share, 1.0), seed=1).toDF(*names))
        return open_source(source.collect(drawn_there))
    for batch in source.batches(select_keys(source, names)):
        chosen = np.flatnonzero(random.random(batch.num_rows) < share)
        drawn.append(
            pa.RecordBatch.from_arrays(
                [column.take(pa.array(chosen)) for column in batch.columns], names=list(names)
            )
        )
    return open_source(pa.Table.from_batches(drawn))


def _count(source: Source, names: Sequence[str]) -> Frame:
    """Return the distinct tuples, and behind them how often each occurs."""
    tuples, many = source.grouped(names)
    if not names:
        return tuples.frame.select(many.alias("rows"))
    keys = [key(tuples, name).alias(f"key_{place}") for place, name in enumerate(names)]
    counted = [] if tuples is source else [COUNT]
    grouped = tuples.frame.select(*keys, *counted).group_by([f"key_{place}" for place in range(len(names))])
    return grouped.agg(many.alias("rows"))


def _encode(column: pa.Array) -> pa.Array:
    """Turn a column of a batch into places and values."""
    if pa.types.is_dictionary(column.type):
        return column
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    return pc.call_function("dictionary_encode", [column])


def _unify(chunks: Sequence[pa.Array]) -> DistinctColumn:
    """Give the batches of a column one list of values."""
    whole = pa.chunked_array(chunks).unify_dictionaries()
    values = whole.chunk(0).dictionary
    return DistinctColumn(values, np.concatenate([places_of(chunk.indices) for chunk in whole.chunks]))


def refuse_mixed(source: Source, names: Sequence[str]) -> None:
    """Refuse columns of Python objects that are not of one type, which no file and no engine can hold."""
    for name in names:
        if not isinstance(source.schema[name], nw.Object):
            continue
        # Of objects, Polars gives out where they are in memory.
        if source.kind != "pandas" or not _is_of_one_type(source, nw.col(name)):
            raise _mixed(source, name)


def _is_of_one_type(source: Source, column: nw.Expr) -> bool:
    """Tell whether Arrow can hold the values of a column."""
    try:
        source.collect(source.frame.select(column))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return False
    return True


def _mixed(source: Source, name: str) -> DataError:
    return DataError(
        f"the column {name!r} mixes values of several types. Make it text, numbers or dates.",
        where=source.name,
    )
