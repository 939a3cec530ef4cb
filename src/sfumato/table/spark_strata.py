"""Strata of a Spark frame: each goes to one executor whole, as numbers, and comes back as centres.

Spark hands every stratum as one Arrow table to one call of Python: a grouped map, for which `mapInArrow`
would need a shuffle and a sort of our own. Executors need Python and this package. What comes to the driver
are sums and counts.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import DataError
from sfumato.table.arrow import floats_of, number_array
from sfumato.table.keys import Names, key
from sfumato.table.libraries import nw
from sfumato.table.spark_frames import spark_errors
from sfumato.table.values import NumberColumn
from sfumato.table.writing import sort_places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sfumato._typing import FloatArray
    from sfumato.table.libraries import pa
    from sfumato.table.sources import Source
    from sfumato.table.values import NumberKind

MOST_CELLS = 20_000_000
"""Cells of one stratum, in all published columns, that an executor is given at once."""
_SHARE = 0.1 * (1 + 1e-9)  # of the original, within which a released value counts as near
_LARGEST = 1e100  # squares of larger numbers are no numbers any more
_EPOCH = "TIMESTAMP_NTZ'1970-01-01 00:00:00'"
# Type → kind, how a cell becomes a number, and a number a cell.
_KINDS: Mapping[str, tuple[NumberKind, str, str]] = {
    "date": ("date", "unix_date({})", "date_from_unix_date(CAST({} AS INT))"),
    "timestamp": ("time", "unix_micros({})", "timestamp_micros(CAST({} AS BIGINT))"),
    "timestamp_ntz": (
        "time",
        f"timestampdiff(MICROSECOND, {_EPOCH}, {{}})",
        f"timestampadd(MICROSECOND, CAST({{}} AS BIGINT), {_EPOCH})",
    ),
}
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")


@dataclass(frozen=True)
class SparkNumbers:
    """Columns of a Spark frame as numbers, beside their stratum and what is published with them."""

    source: Source
    frame: Any  # the published columns; n0, n1, … the numbers; the stratum
    columns: tuple[NumberColumn, ...]  # without any value: what each column holds
    published: tuple[str, ...]
    names: tuple[str, ...]  # how the frame calls the numbers
    stratum: str
    rows: int
    scales: tuple[tuple[float, float], ...]  # mean and standard deviation of each column

    def count_missing(self, made: Any) -> dict[str, int]:
        """Return the cells that were missing, and those that were blanked."""
        told = [f"sum(int(isnull({name})) + 0L)" for name in (*self.names, *map(_made, self.names))]
        counts = list(map(int, ask(self.source, made, *told)))
        before = sum(counts[: len(self.names)])
        return {"before": before, "blanked": sum(counts) - 2 * before}

    def losses(self, made: Any, *, scaled: bool) -> dict[str, float]:
        """Return ``il``, ``id`` and ``id_standardized`` in percent, over the rows without a missing cell."""
        pairs = [(name, _made(name)) for name in self.names]
        whole = made.where(" AND ".join(f"{name} IS NOT NULL" for pair in pairs for name in pair))
        facts = [f"{what}({name})" for name, _ in pairs for what in ("count", "avg", "stddev_pop")]
        found = ask(self.source, whole, *facts)
        rows, means, spreads = found[0], found[1::3], found[2::3]
        if not rows:
            return {}
        asked = []
        for (old, new), mean, spread in zip(pairs, means, spreads, strict=True):
            size = spread if scaled and spread else 1.0
            asked.append(f"sum(pow(({new} - {old}) / {size!r}D, 2))")
            asked.append(f"sum(pow(({old} - {mean!r}D) / {size!r}D, 2))")
            # A value on the edge, but for rounding, is inside.
            asked.append(f"count_if(abs({new} - {old}) <= {_SHARE} * abs({old}))")
            asked.append(f"count_if(abs({new} - {old}) <= {_SHARE} * abs({old} - {mean!r}D))")
        sums = ask(self.source, whole, *asked)
        lost, total, near, near_scaled = (sum(sums[place::4]) for place in range(4))
        cells = rows * len(pairs) / 100.0
        il = 100.0 * lost / total if total else 0.0
        return {"il": il, "id": near / cells, "id_standardized": near_scaled / cells}

    def in_strata(self, work: Callable[[FloatArray], FloatArray]) -> Any:
        """Return the published columns, the numbers as they were, and as ``work`` makes them.

        ``work`` is called in the executors, once for each stratum, with its rows in any order.
        """
        functions = importlib.import_module("pyspark.sql.functions")
        own = [column.name for column in self.columns]
        kept = [name for name in self.published if name not in own]
        made, names = list(map(_made, self.names)), list(self.names)

        def act(stratum: pa.Table) -> pa.Table:
            before = [stratum.column(name).combine_chunks() for name in names]
            after = work(np.column_stack([floats_of(column) for column in before]))
            found = stratum.select([*kept, *names])
            for place, name in enumerate(made):
                found = found.append_column(name, number_array(after[:, place], np.isnan(after[:, place])))
            # By what is published: the order in which the rows came may follow from what is not.
            return found.take(sort_places(found.select([*kept, *made])))

        new = [functions.col(name).alias(to) for name, to in zip(names, made, strict=True)]
        schema = self.frame.select(*kept, *names, *new).schema
        with spark_errors(self.source.name):
            found = self.frame.groupBy(self.stratum).applyInArrow(act, schema=schema)
            return found.persist(importlib.import_module("pyspark").StorageLevel.MEMORY_AND_DISK)

    def restore(self, made: Any) -> Any:
        """Return the published columns of what `in_strata` gave, with the types that they had."""
        functions = importlib.import_module("pyspark.sql.functions")
        own = {column.name: place for place, column in enumerate(self.columns)}
        found = []
        for name in self.published:
            value = functions.col(name) if name not in own else self._restored(own[name])
            found.append(value.alias(name, metadata={}))
        return made.select(*found)

    def _restored(self, place: int) -> Any:
        functions = importlib.import_module("pyspark.sql.functions")
        column, text = self.columns[place], _made(self.names[place])
        if column.kind == "ordinal":
            labels = functions.array(*map(functions.lit, column.labels))
            label = functions.element_at(labels, functions.col(text).cast("int") + 1)
            return functions.when(functions.col(text).isNotNull(), label)
        kind = self.source.native.schema[column.name].dataType.simpleString()  # type: ignore[attr-defined]
        return functions.expr(_KINDS[kind][2].format(text)) if kind in _KINDS else functions.col(text)


def _made(number: str) -> str:
    """Return what the centres of a column of numbers are called."""
    return f"{number}_made"


def ask(source: Source, frame: Any, *asked: str) -> list[Any]:
    """Return the one row of an aggregate of a frame."""
    functions = importlib.import_module("pyspark.sql.functions")
    with spark_errors(source.name):
        return list(frame.agg(*(functions.expr(text).alias(f"a{n}") for n, text in enumerate(asked))).first())


def spark_numbers(
    source: Source,
    names: Sequence[str],
    within: str,
    published: Sequence[str],
    *,
    orders: Mapping[str, Sequence[str]],
    k: int,
) -> SparkNumbers:
    """See columns of a Spark frame as numbers, if its strata can be microaggregated one by one."""
    prefix = Names.beside(source.columns).prefix
    numbers, stratum = [f"{prefix}_n{place}" for place in range(len(names))], f"{prefix}_stratum"
    keyed: Any = source.frame.select(
        *(nw.col(name) for name in published if name not in names),
        *(key(source, name).alias(number) for name, number in zip(names, numbers, strict=True)),
        key(source, within).alias(stratum),
    ).to_native()
    columns, chosen = [], []
    functions = importlib.import_module("pyspark.sql.functions")
    for name, number in zip(names, numbers, strict=True):
        kind, value = _as_number(keyed, source, name, number, orders.get(name))
        columns.append(NumberColumn(name, kind, np.zeros(0), tuple(map(str, orders.get(name, ())))))
        chosen.append(value.cast("double").alias(number))
    kept = [functions.col(name) for name in published if name not in names]
    frame = keyed.select(*kept, functions.col(stratum), *chosen)
    _refuse_odd(source, keyed, frame, columns, numbers)
    width = len(set(published) | set(names))
    sizes = frame.groupBy(stratum).count()
    few = f"count < {k}"
    asked = ("sum(count)", "max(count)", "count(*)", f"count_if({few})", f"sum(if({few}, count, 0))")
    rows, largest, strata, small, in_small = map(int, ask(source, sizes, *asked))
    if small:
        raise DataError(
            f"{small} of {strata} strata have fewer than k = {k} rows, {in_small} in all. "
            "Merge them with others, lower k, or leave out strata."
        )
    if largest * width > MOST_CELLS:
        raise DataError(
            f"the largest stratum has {largest} rows of {width} columns; an executor is given at most "
            f"{MOST_CELLS:,} cells at once. Name a finer column in within, such as one that joins two "
            "columns, or publish fewer columns.",
            where=source.name,
        )
    scales = _scales(source, frame, numbers)
    return SparkNumbers(
        source, frame, tuple(columns), tuple(published), tuple(numbers), stratum, rows, scales
    )


def _as_number(
    keyed: Any, source: Source, name: str, number: str, order: Sequence[str] | None
) -> tuple[NumberKind, Any]:
    """Return the kind of a column, and its numbers."""
    functions = importlib.import_module("pyspark.sql.functions")
    kind = keyed.schema[number].dataType.simpleString()
    if order is not None:
        labels = [str(label) for label in order]
        if not labels or len(set(labels)) < len(labels):
            raise DataError(f"the order of {name!r} must name each value once.", where=source.name)
        place = functions.array_position(functions.array(*map(functions.lit, labels)), functions.col(number))
        return "ordinal", functions.when(place > 0, place - 1)
    if kind in _KINDS:
        return _KINDS[kind][0], functions.expr(_KINDS[kind][1].format(number))
    if kind not in _NUMBERS and not kind.startswith("decimal"):
        raise DataError(
            f"the column {name!r} has the type {kind}, which is neither numbers nor dates. Cast it first, "
            "or give its order.",
            where=source.name,
        )
    return "number", functions.col(number)


def _refuse_odd(
    source: Source, keyed: Any, frame: Any, columns: Sequence[NumberColumn], numbers: Sequence[str]
) -> None:
    """Refuse columns without a value, with values that their order leaves out, and with infinite ones."""
    known = ask(source, keyed, *(f"count({number})" for number in numbers))
    read = ask(source, frame, *(f"count({number})" for number in numbers))
    large = ask(source, frame, *(f"count_if(abs({number}) > {_LARGEST!r}D)" for number in numbers))
    for column, many, left, huge in zip(columns, known, read, large, strict=True):
        told = None
        if not many:
            told = "holds no value. Leave it out."
        elif left < many:
            told = f"has values in {many - left} rows that its order leaves out. Name all of them."
        elif huge:
            told = f"holds {huge} infinite or huge numbers. Make them missing, or leave it out."
        if told is not None:
            raise DataError(f"the column {column.name!r} {told}", where=source.name)


def _scales(source: Source, frame: Any, numbers: Sequence[str]) -> tuple[tuple[float, float], ...]:
    """Return mean and standard deviation of each column: the same, to the bit, however rows are spread."""
    ends = ask(source, frame, *(f"{end}({name})" for name in numbers for end in ("count", "min", "max")))
    counts, least, most = ends[::3], ends[1::3], ends[2::3]
    means = [math.fsum(parts) / n for parts, n in zip(_sums(source, frame, numbers), counts, strict=True)]
    squares = _sums(source, frame, numbers, means)
    spreads = [math.sqrt(math.fsum(parts) / n) for parts, n in zip(squares, counts, strict=True)]
    return tuple(
        (mean, spread) if low < high else (low, 1.0)
        for mean, spread, low, high in zip(means, spreads, least, most, strict=True)
    )


def _sums(
    source: Source, frame: Any, numbers: Sequence[str], means: Sequence[float] | None = None
) -> list[list[float]]:
    """Return numbers that have exactly the sum of each column, or of its squared distances from a mean."""
    names = list(numbers)

    def add(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow

        for batch in batches:
            for place, name in enumerate(names):
                found = floats_of(batch.column(name))
                found = found[~np.isnan(found)]
                values = (found if means is None else (found - means[place]) ** 2).tolist()
                parts: list[float] = []
                while rest := math.fsum([*values, *(-part for part in parts)]):
                    parts.append(rest)
                places = pyarrow.array([place] * len(parts), pyarrow.int32())
                yield pyarrow.RecordBatch.from_arrays(
                    [places, pyarrow.array(parts, pyarrow.float64())], ["place", "part"]
                )

    with spark_errors(source.name):
        found = frame.select(*names).mapInArrow(add, "place int, part double").toArrow().to_pydict()
    sums: list[list[float]] = [[] for _ in names]
    for place, part in zip(found["place"], found["part"], strict=True):
        sums[place].append(part)
    return sums
