"""Writing a table to a file of any format: types, texts and order follow from the rows alone.

**Types.** A written column has the type of what is published in it, whatever engine or file the rows came
from and whatever was suppressed. Integers of any width are 64-bit integers, and so are floats that are all
whole; other floats are doubles, and an undefined one is missing. Times have microseconds, or nanoseconds
where one needs them; a kept date whose times are all midnight is a date. Times with a zone keep their
instant and say UTC. A text file knows no types, so a column of it leaves typed, in a format that has types,
if every text is exactly how that type is written (``12``, ``1.5``, ``true``, ``1987-03-14``); ``007`` stays
text. A column without any value is text.

**Order.** Rows are sorted by all columns, in the order of the columns, by the text that a cell has in the
file. A column in which every cell that is neither missing nor ``*`` reads as a number is sorted by size
(equal numbers by their texts), with ``*`` after the numbers; any other by the bytes of its texts in UTF-8.
Missing comes last. So the order can be checked from the file alone.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import OutputError
from sfumato.private import scratch_folder
from sfumato.table.arrow import copy_rows, counts_of, number_array
from sfumato.table.coded_rows import code_rows
from sfumato.table.dialects import Dialect, Leaving, respell, write_decimals
from sfumato.table.engine import connect, from_arrow_beside, quote_name, read_batches
from sfumato.table.files import format_of as file_format
from sfumato.table.formulas import TAKEN, escaped
from sfumato.table.keys import Names
from sfumato.table.libraries import duckdb, nw, pa, pc
from sfumato.table.office import write_workbook
from sfumato.table.parts import BATCH_ROWS, PACKED, copy_evenly, even_batches, options_of, write_folder
from sfumato.table.sources import to_arrow
from sfumato.table.spark_frames import is_spark, write_parts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import LongArray
    from sfumato.table.coded_rows import CellCodes
    from sfumato.table.dialects import LeavingKind
    from sfumato.table.files import FileFormat
    from sfumato.table.sources import Source


def replace_columns(
    source: Source, columns: Mapping[str, pa.Array], keep: Sequence[str], *, sort: bool = False
) -> object:
    """Return some columns of a table, with new values in some of them."""
    source.refuse_changed()
    if source.is_relation:
        native: Any = source.native
        table = _replaced(source, columns, keep)
        return from_arrow_beside(native, table.take(sort_places(table)) if sort else table)
    order = row_order(source, columns, keep) if sort else None
    chosen: Any = source.frame.select(list(keep))
    if source.is_lazy:
        chosen = chosen.collect()
    if columns:
        new: Any = nw.from_arrow(pa.table(dict(columns)), backend=chosen.implementation)
        chosen = nw.maybe_align_index(chosen.with_columns(*new.iter_columns()), chosen)
    if order is not None:
        chosen = nw.maybe_reset_index(chosen[order])
    return chosen.lazy().to_native() if source.is_lazy else chosen.to_native()


def _replaced(source: Source, columns: Mapping[str, pa.Array], keep: Sequence[str]) -> pa.Table:
    """Return columns as they are, categories as texts, with new values in some of them."""
    plain = [
        nw.col(name).cast(nw.String) if source.schema[name] in (nw.Categorical, nw.Enum) else nw.col(name)
        for name in keep
    ]
    table = source.collect(source.frame.select(plain))
    for name, values in columns.items():
        table = table.set_column(keep.index(name), name, values)
    return table


def row_order(source: Source, columns: Mapping[str, pa.Array], keep: Sequence[str]) -> LongArray:
    """Return the places of the rows, sorted by all columns that are kept, one after another.

    Numbers and times go by size, texts by their UTF-8 bytes, missing comes last. Columns of lists and the
    like cannot be sorted by, and are passed over.
    """
    return sort_places(_replaced(source, columns, keep))


def sort_places(table: pa.Table) -> LongArray:
    """Return the places of the rows, sorted by all columns but lists and the like."""
    keys = [field.name for field in table.schema if not pa.types.is_nested(field.type)]
    options = pc.SortOptions([(name, "ascending") for name in keys])
    return counts_of(pc.call_function("sort_indices", [table], options))


def find_unique(source: Source, names: Sequence[str]) -> list[str]:
    """Return the columns whose values differ in every row: they name the rows."""
    if not names:
        return []
    total = Names.beside(names).row
    distinct = (nw.col(name).n_unique() for name in names)
    counts = source.collect(source.frame.select(*distinct, nw.len().alias(total)))
    rows = counts.column(total)[0].as_py()
    return [name for name in names if rows > 1 and counts.column(name)[0].as_py() == rows]


_FLOATS = ("FLOAT", "DOUBLE")
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_WIDE = ("UBIGINT", "HUGEINT", "UHUGEINT")
_TIMES = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")
ZONED = "TIMESTAMP WITH TIME ZONE"
_KEPT = ("BOOLEAN", "DATE", "TIME", "BLOB", "VARCHAR", ZONED)
_NESTED = ("STRUCT(", "MAP(")
_BY_SIZE = ("BIGINT", "UBIGINT", "DOUBLE")
_FIRST_ROWS = 2048
_EXACT = 2**53  # up to here every whole number is a double
_BLANK_IS_MISSING = ("csv", "tsv", "xlsx")


@dataclass(frozen=True)
class _Form:
    """A form that a column may leave in: SQL, with ``{}`` for the column, and when it serves."""

    type: str
    value: str
    serves: str = "true"


_TEXT = _Form("VARCHAR", "CAST({} AS VARCHAR)")


def write_table(
    table: object,
    path: Path,
    format_of: Path | None = None,
    *,
    leaving: Leaving | None = None,
    dialect: Dialect | None = None,
) -> None:
    """Write a table to a file.

    Relations of DuckDB are streamed; a frame of Spark becomes a folder of parts, and so does any table whose
    files may hold only so many rows. Text files have a header; without a dialect they are UTF-8 with lines
    that end in a newline. Fields stand in quotes only where they need them, missing is nothing, an empty text
    a pair of quotes, and a number the shortest text that reads back the same. No file has metadata,
    categories or statistics of anything but the rows in it.
    """
    named = format_of or path
    kind = file_format(named)
    if kind is None or kind == "statistics":
        raise OutputError(
            "this file type is not supported. Use a name that ends in .csv, .csv.gz, .csv.zst, .tsv, .xlsx, "
            ".parquet, .arrow or .jsonl.",
            where=str(named),
        )
    if leaving is not None and leaving.partition_by:
        # Rows are sorted by these first, so that those of a folder are one after another.
        frame: Any = nw.from_native(table)
        others = [name for name in frame.collect_schema() if name not in leaving.partition_by]
        table = frame.select([*leaving.partition_by, *others]).to_native()
    if is_spark(table):
        write_parts(table, path, kind, leaving, TAKEN)
        return
    try:
        own = connect()  # one, because each takes longer to open than a small table to write
        rows = _relation_of(table, own) if leaving is None else _leave(table, leaving, kind, own)
        spelt, packed = (dialect or Dialect()).of_file(named), PACKED.get(named.suffix.lower(), "")
        in_parts = leaving is not None and bool(leaving.divided_by)
        if isinstance(rows, pa.RecordBatchReader) and not in_parts and _is_even(rows.schema, kind, spelt):
            copy_evenly(rows, path, options_of(kind, spelt, packed), own)
            return
        relation = rows if isinstance(rows, duckdb.DuckDBPyRelation) else own.from_arrow(rows)
        if leaving is not None and kind in ("csv", "tsv"):
            *others, last = map(quote_name, relation.columns)
            if len(others) == len(leaving.partition_by):
                # An empty line is no row to many readers, so missing is written as an empty text.
                only = f"coalesce(CAST({last} AS VARCHAR), '') AS {last}"
                relation = relation.project(", ".join([*others, only]))
        if leaving is not None and in_parts:
            plain = relation if kind == "parquet" else _without_undefined(relation)
            write_folder(plain, path, named, leaving)
            return
        if kind == "arrow":
            _write_arrow(relation, path)
        elif kind == "xlsx":
            write_workbook(_without_undefined(relation), path)
        else:
            _copy(relation, path, kind, spelt, packed)
    except OutputError as error:
        raise OutputError(error.message, where=str(named)) from None
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        raise _explain(error, path, named) from None


def _relation_of(table: object, own: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
    if isinstance(table, duckdb.DuckDBPyRelation):
        return table
    found = table if isinstance(table, pa.Table) else to_arrow(nw.from_native(table))
    relation = own.from_arrow(found)
    _refuse_finer(found, relation)
    return relation


def _refuse_finer(table: pa.Table, relation: duckdb.DuckDBPyRelation) -> None:
    """Refuse times with a zone finer than a microsecond where the engine is too old to know them."""
    for place, (field, known) in enumerate(zip(table.schema, relation.types, strict=True)):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns" and str(known) == ZONED:
            try:
                table.column(place).cast(pa.timestamp("us", field.type.tz))
            except pa.ArrowInvalid:
                raise OutputError(
                    f"the column {field.name!r} holds times with a zone that are finer than a microsecond. "
                    "Round them, or install DuckDB 2."
                ) from None


def _held(table: object, own: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
    """Return any table as a relation of our own engine that can be read more than once at no cost."""
    if not isinstance(table, duckdb.DuckDBPyRelation):
        return _relation_of(table, own)
    # The owner's engine may know other settings, and what it has to compute it would compute each time.
    _sfumato_rows_ = read_batches(table)
    own.execute("CREATE TEMP TABLE sfumato_released AS SELECT * FROM _sfumato_rows_")
    del _sfumato_rows_
    return own.table("sfumato_released")


def _copy(relation: duckdb.DuckDBPyRelation, path: Path, kind: str, dialect: Dialect, packed: str) -> None:
    if kind != "parquet":
        relation = _without_undefined(relation)
    if kind in ("csv", "tsv"):
        relation = write_decimals(relation, dialect)
        # The engine knows no other encoding and no other line end.
        if not dialect.is_utf8_lines:
            with scratch_folder() as folder:
                plain = Path(folder) / "plain.csv"
                _copy(relation, plain, kind, Dialect(dialect.separator), "")
                respell(plain, path, dialect, packed)
            return
    batches = even_batches(relation, lambda rows: rows.combine_chunks())
    # The rows may come from the other one while they are written.
    copy_evenly(batches, path, options_of(kind, dialect, packed), connect())


def _is_even(schema: pa.Schema, kind: FileFormat, dialect: Dialect) -> bool:
    """Tell whether even batches are copied to a file as they are."""
    if kind == "parquet":
        return True
    types = [found.value_type if pa.types.is_dictionary(found) else found for found in schema.types]
    if kind not in ("csv", "tsv", "jsonl") or any(map(pa.types.is_floating, types)):
        return False
    # Missing in a single column is not written as an empty line.
    return kind == "jsonl" or (len(types) > 1 and dialect.is_utf8_lines and dialect.decimal == ".")


def _without_undefined(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Make undefined numbers missing, which a text file cannot tell apart and JSON does not know."""
    if not any(str(found) in _FLOATS for found in relation.types):
        return relation
    chosen = []
    for name, found in zip(relation.columns, relation.types, strict=True):
        column = quote_name(name)
        undefined = f"CASE WHEN NOT isnan({column}) THEN {column} END AS {column}"
        chosen.append(undefined if str(found) in _FLOATS else column)
    return relation.project(", ".join(chosen))


def _write_arrow(relation: duckdb.DuckDBPyRelation, path: Path) -> None:
    import pyarrow.ipc

    reader = even_batches(relation, copy_rows)
    with pa.OSFile(str(path.absolute()), "wb") as file, pyarrow.ipc.new_file(file, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _explain(error: Exception, path: Path, named: Path) -> OutputError:
    """Say why a file cannot be written, without a word of what was to be written."""
    text = str(error)
    folder = path.parent
    if "No space left" in text or "not enough space" in text:
        reason = "the disk is full. Free some space, or write elsewhere."
    elif isinstance(error, duckdb.OutOfMemoryException):
        reason = "memory is too small. Raise --memory, or set TMPDIR to a folder with free space."
    elif path.is_dir():
        reason = "a folder has this name. Choose another name."
    elif not folder.is_dir():
        reason = "its folder does not exist. Make the folder first."
    elif not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        reason = "this is not allowed here. Choose another folder, or change its rights."
    else:
        kind = type(error).__name__.removesuffix("Exception")
        reason = f"the engine failed ({kind}). Check the disk, or write another format."
    return OutputError(f"the file cannot be written: {reason}", where=str(named))


def _leave(
    table: object, leaving: Leaving, target: FileFormat, own: duckdb.DuckDBPyConnection
) -> duckdb.DuckDBPyRelation | pa.RecordBatchReader:
    """Give the rows the types, texts and order that they are written with."""
    coded = _coded(table)
    if coded is None:
        return _leave_by(_held(table, own), leaving, target)
    place = quote_name(Names.beside(coded.names).row)
    cells = _relation_of(coded.cells(place[1:-1]), own)
    chosen, by_size, left = _choose_forms(cells, leaving, target, place)
    ranks, ranked = _rank(coded, chosen, by_size, target, left)
    for column, cells in zip(coded.columns, ranked, strict=True):
        if column.has_missing and target in _BLANK_IS_MISSING and _has_blank(cells):
            # To a reader these are one, so that they are told apart after all other columns.
            return _leave_by(_held(table, own), leaving, target)
    return coded.rows(ranks, ranked, ordered=leaving.order == "sorted", size=BATCH_ROWS)


def _rank(
    coded: CellCodes,
    chosen: Mapping[str, _Form],
    by_size: set[str],
    target: FileFormat,
    left: duckdb.DuckDBPyRelation,
) -> tuple[list[LongArray], list[pa.Array]]:
    """Return for every column the rank of each cell, and the cells in this order; missing is the last."""
    asked = []
    for name, form in chosen.items():
        keys = ", ".join(f"{key} ASC NULLS LAST" for key in _keys({name: form}, by_size, target))
        asked += [f"dense_rank() OVER (ORDER BY {keys}) - 1", quote_name(name)]
    place = left.columns[0]
    relation: Any = left.query(
        "sfumato_cells", f"SELECT {', '.join(asked)} FROM sfumato_cells ORDER BY {quote_name(place)}"
    )
    found = read_batches(relation).read_all().combine_chunks()
    ranks, ranked = [], []
    for number, column in enumerate(coded.columns):
        # What was filled up is missing, and so is the first cell.
        ranks.append(counts_of(found.column(2 * number).chunk(0))[: len(column.cells)])
        _, first = np.unique(ranks[-1], return_index=True)
        ranked.append(pc.call_function("take", [found.column(2 * number + 1).chunk(0), number_array(first)]))
    return ranks, ranked


def _has_blank(cells: pa.Array) -> bool:
    if not pa.types.is_string(cells.type):
        return False
    return bool(pc.call_function("min", [pc.call_function("binary_length", [cells])]).as_py() == 0)


def _leave_by(
    relation: duckdb.DuckDBPyRelation, leaving: Leaving, target: FileFormat
) -> duckdb.DuckDBPyRelation:
    """The same for tables that only the engine can sort."""
    chosen, by_size, left = _choose_forms(relation, leaving, target)
    if leaving.order == "sorted":
        left = left.order(", ".join(f"{key} ASC NULLS LAST" for key in _keys(chosen, by_size, target)))
    return left


def _coded(table: object) -> CellCodes | None:
    """Return any table as codes, if it can be coded."""
    if isinstance(table, duckdb.DuckDBPyRelation):
        reader = read_batches(table)
        return code_rows(reader.schema, reader)
    frame: Any = nw.from_native(table)
    found = to_arrow(frame)
    return code_rows(found.schema, found.to_batches(BATCH_ROWS))


def _choose_forms(
    relation: duckdb.DuckDBPyRelation, leaving: Leaving, target: FileFormat, place: str | None = None
) -> tuple[dict[str, _Form], set[str], duckdb.DuckDBPyRelation]:
    """Return the form of every column, which are sorted by size, and the columns in their forms."""
    is_plain = target in ("csv", "tsv")
    forms = {}
    for name, found in zip(relation.columns, map(str, relation.types), strict=True):
        if quote_name(name) == place:
            continue
        kind = leaving.kinds.get(name, "own")
        # Texts of a typed source stay texts, except where everything becomes a text anyhow.
        is_free = (leaving.is_text or is_plain) if kind != "plain" else not is_plain
        forms[name] = _forms(name, found, kind if is_free or found != "VARCHAR" else "text")
    chosen, by_size = _choose(relation, forms, target)
    columns = [] if place is None else [place]
    for name, form in chosen.items():
        value = form.value.format(quote_name(name))
        if is_plain and leaving.formulas == "escape" and form.type not in _BY_SIZE:
            value = escaped(f"CAST({value} AS VARCHAR)")
        columns.append(f"{value} AS {quote_name(name)}")
    return chosen, by_size, relation.project(", ".join(columns))


def _keys(chosen: Mapping[str, _Form], by_size: set[str], target: FileFormat) -> list[str]:
    """Return what rows are sorted by: all columns."""
    keys: list[str] = []
    for name, form in chosen.items():
        text = _text(quote_name(name), form.type, target)
        if form.type in _BY_SIZE:
            keys.append(quote_name(name))
        elif name in by_size:
            keys += [f"TRY_CAST({text} AS DOUBLE)", f"TRY_CAST({text} AS HUGEINT)", text]
        else:
            keys.append(text)
    # Two nested values may have one text, and an empty text and missing may be one to a reader.
    keys += [quote_name(name) for name, form in chosen.items() if _is_nested(form.type)]
    if target in _BLANK_IS_MISSING:
        keys += [f"{quote_name(name)} = ''" for name, form in chosen.items() if form.type == "VARCHAR"]
    return keys


def _forms(name: str, found: str, kind: LeavingKind) -> list[_Form]:
    """List the forms of a column of some type, the most special first; the last one serves always."""
    if found == "INTERVAL":
        raise OutputError(
            f"the column {name!r} holds durations, which a file cannot hold without loss. "
            "Make it a number first, such as seconds, or leave it out."
        )
    if found == "VARCHAR":
        return [*_forms_of_text(kind), _Form(found, "{}")]
    if found in _WHOLE:
        return [_Form("BIGINT", "CAST({} AS BIGINT)")]
    if found in _WIDE:
        last = _Form(found, "{}") if found == "UBIGINT" else _TEXT
        return [_Form("BIGINT", "CAST({} AS BIGINT)", "TRY_CAST({} AS BIGINT) IS NOT NULL"), last]
    if found in _FLOATS or (found.startswith("DECIMAL") and kind == "number"):
        # Adding zero turns a negative zero into the zero that it equals.
        value = "CASE WHEN NOT isnan(CAST({0} AS DOUBLE)) THEN CAST({0} AS DOUBLE) + 0.0 END"
        whole = f"coalesce(trunc({value}) = {value} AND abs({value}) <= {_EXACT}, true)"
        return [_Form("BIGINT", f"CAST({value} AS BIGINT)", whole), _Form("DOUBLE", value)]
    if found in _TIMES or found == "TIMESTAMPTZ_NS":
        return _forms_of_time(found, kind)
    is_kept = found in _KEPT or found.startswith("DECIMAL") or _is_nested(found)
    return [_Form(found, "{}") if is_kept else _TEXT]


def _forms_of_text(kind: LeavingKind) -> list[_Form]:
    """List the types that texts may have, if every one of them is how that type is written."""
    types = {
        "number": ("BIGINT",),
        "date": ("DATE", "TIMESTAMP"),
        "plain": ("BIGINT", "DATE", "TIMESTAMP"),
    }.get(kind, ())
    forms = [
        _Form(found, f"CAST({{}} AS {found})", f"CAST(TRY_CAST({{0}} AS {found}) AS VARCHAR) = {{0}}")
        for found in types
    ]
    if kind == "plain":
        exact = "CAST(TRY_CAST({0} AS DOUBLE) AS VARCHAR) IN ({0}, {0} || '.0')"
        forms.append(_Form("BOOLEAN", "CAST({} AS BOOLEAN)", "{} IN ('true', 'false')"))
        forms.append(
            _Form("DOUBLE", "CAST({} AS DOUBLE)", f"{exact} AND isfinite(TRY_CAST({{0}} AS DOUBLE))")
        )
    if kind == "number":
        forms.append(_Form("DOUBLE", "CAST({} AS DOUBLE) + 0.0", "isfinite(TRY_CAST({} AS DOUBLE))"))
    if kind == "date":
        # A mixture of dates and times is read as times.
        readable = "TRY_CAST({0} AS TIMESTAMP) IS NOT NULL AND {0} NOT LIKE '%+__:__'"
        forms.append(_Form("TIMESTAMP", "CAST({} AS TIMESTAMP)", readable))
        forms.append(_Form(ZONED, f"CAST({{}} AS {ZONED})", f"TRY_CAST({{}} AS {ZONED}) IS NOT NULL"))
    return forms


def _forms_of_time(found: str, kind: LeavingKind) -> list[_Form]:
    """List the forms of times: kept dates as dates, and no finer than they need to be."""
    forms = []
    zoned, plain = found == "TIMESTAMPTZ_NS", "CAST({} AS TIMESTAMP)"
    if kind == "date" and not zoned:
        forms.append(_Form("DATE", "CAST({} AS DATE)", "CAST(CAST({0} AS DATE) AS TIMESTAMP_NS) = {0}"))
    if found.endswith("NS"):
        coarse = _Form(ZONED, f"CAST({{}} AS {ZONED})") if zoned else _Form("TIMESTAMP", plain)
        return [*forms, _Form(coarse.type, coarse.value, "epoch_ns({}) % 1000 = 0"), _Form(found, "{}")]
    return [*forms, _Form("TIMESTAMP", plain)]


def _choose(
    relation: duckdb.DuckDBPyRelation, forms: dict[str, list[_Form]], target: FileFormat
) -> tuple[dict[str, _Form], set[str]]:
    """Return the first form of every column that serves all its values, and which are sorted by size."""
    by_size = {name for name, listed in forms.items() if listed[-1].type == "VARCHAR"}
    counts: dict[str, int] = {}
    # Most forms are ruled out by the first rows.
    for rows in (relation.limit(_FIRST_ROWS), relation):
        asked = []
        for name, listed in forms.items():
            column, last = quote_name(name), listed[-1].value.format(quote_name(name))
            # What cannot be read does not serve, and nothing is asked of what is missing.
            known = f"FILTER (WHERE {column} IS NOT NULL)"
            tests = [form.serves.format(column) for form in listed[:-1]]
            asked += [f"count({last})", *(f"bool_and(coalesce({test}, false)) {known}" for test in tests)]
            text = _text(last, "VARCHAR", target)
            asked.append(f"bool_and({_is_number(text)})" if name in by_size else "false")
        answers = iter(rows.aggregate(", ".join(asked)).fetchall()[0])
        for name, listed in forms.items():
            counts[name] = next(answers)
            # None means that there is nothing to rule a form out.
            forms[name] = [form for form in listed[:-1] if next(answers) is not False] + listed[-1:]
            if next(answers) is False:
                by_size.discard(name)
    chosen = {name: listed[0] if counts[name] else _TEXT for name, listed in forms.items()}
    return chosen, by_size | {name for name, form in chosen.items() if form.type.startswith("DECIMAL")}


def _is_number(text: str) -> str:
    """Ask whether a text reads as a number, or stands for all values."""
    return f"coalesce({text} = '*' OR NOT isnan(TRY_CAST({text} AS DOUBLE)), {text} IS NULL)"


def _text(value: str, found: str, target: FileFormat) -> str:
    """Write the SQL of the text that a reader of the file sees."""
    if target == "jsonl" and _is_nested(found):
        return f"CAST(to_json({value}) AS VARCHAR)"
    text = f"CAST({value} AS VARCHAR)"
    # An empty field is missing, in quotes or not.
    return f"nullif({text}, '')" if target in _BLANK_IS_MISSING else text


def _is_nested(found: str) -> bool:
    """Tell whether a type holds others."""
    return found.endswith("]") or found.startswith(_NESTED)
