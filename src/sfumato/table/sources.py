"""Where the rows are: a file, or a frame of any library, seen in one way."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from sfumato.errors import DataError
from sfumato.spec import DataSpec
from sfumato.spec.choices import database_address
from sfumato.table.databases import COUNT, OpenTable, open_table
from sfumato.table.delimited import looks_like_data, refuse_repeated
from sfumato.table.dialects import Dialect
from sfumato.table.engine import connect, read_batches, tidy_at_exit
from sfumato.table.files import OpenFile, open_file, read_zones, stamp
from sfumato.table.libraries import duckdb, nw, pa
from sfumato.table.spark_frames import refuse_names, spark_errors, spark_frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Frame: TypeAlias = nw.DataFrame[Any] | nw.LazyFrame[Any]


SMALL = 100_000_000
"""Bytes of a text file that fits into memory anywhere."""

# Outside of Unicode, this is how office programs write the languages of Western Europe.
OFFICE_ENCODING = "cp1252"


def to_arrow(frame: Frame) -> pa.Table:
    """Compute a frame, if it is lazy, and return its columns as an Arrow table; an index is no column."""
    found = frame.collect("pyarrow") if isinstance(frame, nw.LazyFrame) else frame
    if found.implementation.is_pandas():
        return pa.Table.from_pandas(found.to_native(), preserve_index=False)
    return found.to_arrow()


def without_views(table: pa.Table) -> pa.Table:
    """Return an Arrow table with plain texts in place of views, which few functions of Arrow know."""
    plain = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
    for place, found in enumerate(table.schema):
        if str(found.type) in plain:
            table = table.set_column(place, found.name, table.column(place).cast(plain[str(found.type)]))
    return table


def make_frame(columns: Mapping[str, Sequence[object]], kind: SourceKind) -> object:
    """Make a frame of the kind that came in."""
    table = pa.table({name: list(values) for name, values in columns.items()})
    if kind == "duckdb":
        return connect().from_arrow(table)
    if kind in ("pyarrow", "file"):
        return table
    if kind == "spark":
        return spark_frame(table)
    frame = nw.from_arrow(table, backend="pandas" if kind == "pandas" else "polars")
    return frame.lazy().to_native() if kind == "polars-lazy" else frame.to_native()


SourceKind: TypeAlias = Literal["pandas", "polars", "polars-lazy", "pyarrow", "duckdb", "spark", "file"]

_KINDS: dict[tuple[str, bool], SourceKind] = {
    ("pandas", False): "pandas",
    ("polars", False): "polars",
    ("polars", True): "polars-lazy",
    ("pyarrow", False): "pyarrow",
    ("duckdb", True): "duckdb",
    ("pyspark", True): "spark",
}


@dataclass(frozen=True, eq=False)
class Source:
    """A table that can be counted and joined where it is."""

    # `file` for everything that was opened by a path, else the library and whether it is lazy
    kind: SourceKind
    held: Frame  # the rows as a narwhals frame; those of a database once `frame` has been asked for
    # texts that count as missing; in columns of numbers and dates, the values that they stand for
    missing: tuple[str, ...] = ("",)
    file: OpenFile | None = None  # the opened file, where there is one
    database: OpenTable | None = None  # the table or query of a database, where there is one

    @property
    def frame(self) -> Frame:
        """The rows as a narwhals frame; a database is read now, once."""
        if self.database is not None:
            self.database.load()
        return self.held

    def grouped(self, names: Sequence[str]) -> tuple[Source, nw.Expr]:
        """Return what can be grouped by some columns, and how many rows a group has.

        A database counts its distinct tuples itself, and nothing else of it travels.
        """
        if self.database is None or self.database.is_loaded:
            return self, nw.len()
        tuples = nw.from_native(self.database.count(names))
        return replace(self, held=tuples, database=None), nw.col(COUNT).sum().cast(nw.Int64)

    @cached_property
    def schema(self) -> Mapping[str, nw.dtypes.DType]:
        """The narwhals type of each column."""
        return self.held.collect_schema()

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns in their order."""
        return tuple(self.schema)

    @property
    def native(self) -> object:
        """The rows as the frame or relation that they are."""
        return self.frame.to_native()

    @property
    def name(self) -> str:
        """How messages call the source."""
        if self.database is not None:
            return self.database.name
        return f"the {self.kind} frame" if self.file is None else str(self.file.path)

    @property
    def dialect(self) -> Dialect:
        """How a text file is spelt; what is no text file is released as plain CSV."""
        return self.file.layout.dialect if self.file and self.file.layout else Dialect()

    @property
    def is_lazy(self) -> bool:
        """Whether the rows are computed only when they are asked for."""
        return self.kind in ("polars-lazy", "duckdb", "spark", "file")

    @property
    def has_order(self) -> bool:
        """Whether rows stand one after another; those of Spark are where its workers are."""
        return self.kind != "spark"

    @property
    def is_relation(self) -> bool:
        """Whether the rows are a relation of DuckDB."""
        return self.kind in ("duckdb", "file")

    @property
    def is_text(self) -> bool:
        """Whether the rows come from a text file: every column is text, and missing is null already."""
        return self.file is not None and self.file.layout is not None

    @cached_property
    def zones(self) -> Mapping[str, str]:
        """The zone of each column of times that a file keeps beside them; the engine knows UTC alone."""
        if self.file is None or "TIMESTAMP WITH TIME ZONE" not in map(str, self.file.relation.types):
            return {}
        return read_zones(self.file.path)

    def engine_type(self, name: str) -> str:
        """Return how DuckDB calls the type of a column, where narwhals may not know it; no text elsewhere."""
        native: Any = self.held.to_native()
        if self.kind == "pandas":  # narwhals takes a zone with an underscore for an unknown type
            return "TIMESTAMP" if getattr(native[name].dtype, "tz", None) else ""
        return str(native.types[self.columns.index(name)]) if self.is_relation else ""

    def collect(self, frame: Frame) -> pa.Table:
        """Compute a frame made from this source, as an Arrow table."""
        batches = list(self.batches(frame))
        return pa.Table.from_batches(batches) if batches else pa.table({})

    def batches(self, frame: Frame) -> Iterator[pa.RecordBatch]:
        """Compute a frame made from this source, as Arrow batches."""
        if self.kind == "spark":
            with spark_errors(self.name):
                found = to_arrow(frame)
            yield from found.to_batches()
            return
        if not self.is_relation:
            yield from to_arrow(frame).to_batches()
            return
        try:
            yield from read_batches(frame.to_native())
        except duckdb.Error as error:
            if self.file is None:
                raise
            raise self.file.explain(error) from None

    def parsed(self) -> Source:
        """Return a small text file as a table in memory: each pass over a file parses all its columns."""
        if self.file is None or not self.is_text or sum(size for _, size, _ in self.file.stamp) > SMALL:
            return self
        table = self.collect(self.held)
        # What counts as missing is null already.
        return replace(self, kind="pyarrow", held=nw.from_native(table), missing=()) if len(table) else self

    def refuse_changed(self) -> None:
        """Refuse to go on if the file is not the one that was opened."""
        if self.file is not None and stamp(self.file.path) != self.file.stamp:
            raise DataError("the data changed while they were worked on. Start again.", where=self.name)


def open_source(data: object, data_spec: DataSpec | None = None, *, guess: bool = False) -> Source:
    """See a file or a frame as a source; ``guess`` passes over a title above the header."""
    if isinstance(data, Source):
        return data
    asked = data_spec or DataSpec()
    if not isinstance(data, (str, os.PathLike)):
        return _from_frame(data, asked.missing)
    if (address := database_address(data)) is not None:
        opened_table = open_table(address, asked.table, asked.query)
        return Source("file", nw.from_native(opened_table.relation), asked.missing, database=opened_table)
    opened = open_file(Path(os.fspath(data)), asked, guess=guess)
    return Source("file", nw.from_native(opened.relation), asked.missing, opened)


def guess_source(
    data: object, asked: DataSpec | None, *, encoding: str = OFFICE_ENCODING
) -> tuple[Source, dict[str, object], tuple[str, ...]]:
    """Open a table that nobody has described; return also the guessed keys of ``[data]``, and remarks."""
    how, guessed, notes = asked or DataSpec(), dict[str, object](), []
    try:
        source = open_source(data, how, guess=True)
    except DataError as error:
        if "is not text in the encoding 'utf-8'" not in error.message or encoding == "utf-8":
            raise
        guessed["encoding"] = encoding
        source = open_source(data, how.model_copy(update=guessed), guess=True)
        notes.append(f"the file is not UTF-8 and is read as {encoding}; if letters look wrong, set encoding.")
    layout = source.file.layout if source.file else None
    if layout and layout.skip and not how.skip:
        guessed["skip"] = layout.skip
        notes.append(f"the header was found in line {layout.skip + layout.dialect.sep_line + 1}.")
    if layout and layout.dialect.decimal == ",":
        guessed |= {"decimal": ","}
    if layout and how.header and looks_like_data(layout):
        notes.append("the first line looks like a row, not like names; if it is one, set header = false.")
    return source, guessed, tuple(notes)


def _from_frame(data: object, missing: tuple[str, ...]) -> Source:
    try:
        frame: Any = nw.from_native(data)
    except (TypeError, ValueError) as error:
        if "unique" in str(error):
            raise DataError("a column name occurs twice. Rename one of the columns.") from None
        raise _unknown_frame(data) from None
    kind = _KINDS.get((frame.implementation.value, isinstance(frame, nw.LazyFrame)))
    if kind is None:
        raise _unknown_frame(data)
    names, where = list(frame.collect_schema()), f"the {kind} frame"
    if not all(isinstance(name, str) for name in names):
        raise DataError("column names must be texts. Rename the columns.", where=where)
    refuse_repeated(names, where=where)
    if kind == "spark":
        refuse_names(names, where)
    if kind == "duckdb":
        tidy_at_exit()
    if kind == "pyarrow":
        frame = nw.from_native(without_views(frame.to_native()))
    return Source(kind, frame, missing)


def _unknown_frame(data: object) -> DataError:
    return DataError(
        f"a {type(data).__name__} is not a table. Pass a path, a pandas, Polars or Spark frame, a PyArrow "
        "table or a DuckDB relation."
    )
