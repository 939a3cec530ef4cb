"""Frames of Spark: mappings beside them, and releases laid out, sorted and written where the rows are.

Nothing here brings rows to the driver: only what a group-by or an aggregate leaves of them comes back. A
frame has no order; a written release is sorted as `sfumato.table.writing` says, over all its parts.
"""

from __future__ import annotations

import contextlib
import importlib
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from sfumato.errors import DataError, OutputError, SfumatoError
from sfumato.private import sync_file
from sfumato.table.dialects import Leaving
from sfumato.table.files import NO_PARTITION
from sfumato.table.parts import folder_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from sfumato.table.dialects import LeavingKind
    from sfumato.table.libraries import pa

# A mapping up to this size is sent to all workers whole; a larger one is joined by a shuffle.
BROADCAST_BYTES = 256 * 2**20

_EXACT = 2**53  # up to here every whole number is a double
_NUMBER = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
_SIZES = ("double", "decimal(38,0)")
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_KEPT = (*_WHOLE, "boolean", "date", "timestamp", "void")
_CSV = {
    **{"header": True, "quote": '"', "escape": '"', "nullValue": "", "emptyValue": '""', "encoding": "UTF-8"},
    **{"ignoreLeadingWhiteSpace": False, "ignoreTrailingWhiteSpace": False},
}
_TIMES = "spark.sql.parquet.outputTimestampType"


def is_spark(native: object) -> bool:
    """Tell whether something is a frame of Spark, without loading Spark."""
    return type(native).__module__.startswith("pyspark.sql.") and hasattr(native, "sparkSession")


@contextlib.contextmanager
def spark_errors(where: str, kind: type[SfumatoError] = DataError) -> Iterator[None]:
    """Say that Spark failed, without what it says about it, which may hold cells of the data."""
    failures = importlib.import_module("pyspark.errors").PySparkException
    lost = importlib.import_module("py4j.protocol").Py4JError
    try:
        yield
    except (failures, lost) as error:
        named = getattr(error, "getCondition", lambda: None)() if isinstance(error, failures) else None
        known = f" ({named})" if named else ""
        raise kind(f"Spark failed{known}. Its log says why; start again then.", where=where) from None


def refuse_names(names: Sequence[str], where: str) -> None:
    """Refuse columns that Spark cannot tell by their names."""
    for name in names:
        if "." in name or "`" in name:
            raise DataError(
                f"the name of the column {name!r} has a dot or a backtick, which Spark takes for its own. "
                "Rename the column with withColumnRenamed.",
                where=where,
            )


def spark_beside(native: Any, table: pa.Table) -> Any:
    """Return an Arrow table as a frame of the same session, to be joined with another one."""
    types = importlib.import_module("pyspark.sql.pandas.types")
    schema = types.from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
    made = native.sparkSession.createDataFrame(table, schema=schema)
    functions = importlib.import_module("pyspark.sql.functions")
    return functions.broadcast(made) if table.nbytes <= BROADCAST_BYTES else made


def spark_frame(table: pa.Table) -> object:
    """Return a small Arrow table as a frame of the session at work."""
    session = importlib.import_module("pyspark.sql").SparkSession.getActiveSession()
    return table if session is None else session.createDataFrame(table)


def write_parts(native: Any, path: Path, target: str, leaving: Leaving | None, taken: str) -> None:
    """Write a frame as a folder of parts; ``taken`` are the texts that spreadsheets change."""
    suffix, packed = path.suffix.lower(), {".gz": "gzip"}.get(path.suffix.lower(), "none")
    if target not in ("csv", "tsv", "parquet") or suffix == ".zst":
        raise OutputError(
            "Spark writes folders of Parquet or CSV. Use a name that ends in .parquet, .csv or .csv.gz.",
            where=str(path),
        )
    by = () if leaving is None else leaving.partition_by
    path.unlink(missing_ok=True)
    place = "file:///" + path.absolute().as_posix().lstrip("/")
    with spark_errors(str(path), OutputError):
        rows = native if leaving is None else lay_out(native, leaving, target, taken)
        most = 0 if leaving is None else leaving.rows_per_file
        writer = rows.write.mode("errorifexists").option("maxRecordsPerFile", most)
        writer = writer.partitionBy(*by) if by else writer
        if target == "parquet":
            with _instants(native.sparkSession):
                writer.option("compression", "zstd").parquet(place)
        else:
            if leaving is None:
                writer = _spell(rows, Leaving({}), rows.columns).write.mode("errorifexists")
            separator = "\t" if target == "tsv" else ","
            writer.options(sep=separator, compression=packed, **_CSV).csv(place)
    _tidy(path, f"{target}{suffix if packed != 'none' else ''}", by)


def sort_frame(native: Any) -> Any:
    """Sort a frame by all columns but lists and the like: texts by their bytes, missing last."""
    functions = importlib.import_module("pyspark.sql.functions")
    plain = [field for field in native.schema.fields if "<" not in field.dataType.simpleString()]
    return native.orderBy(*(functions.col(field.name).asc_nulls_last() for field in plain))


@contextlib.contextmanager
def _instants(session: Any) -> Iterator[None]:
    """Let instants be written as such, not in an older form that other readers take for local times."""
    before = session.conf.get(_TIMES)
    session.conf.set(_TIMES, "TIMESTAMP_MICROS")
    try:
        yield
    finally:
        session.conf.set(_TIMES, before)


def _tidy(folder: Path, target: str, by: Sequence[str]) -> None:
    """Leave the parts alone in a folder, numbered in their order, and bring them to the disk."""
    if by:
        for inner in [entry for entry in folder.iterdir() if entry.is_dir()]:
            # Spark escapes fewer letters than other readers need.
            text = unquote(inner.name.partition("=")[2])
            named = inner.rename(folder / folder_name(by[0], None if text == NO_PARTITION else text))
            _tidy(named, target, by[1:])
        parts = []
    else:
        parts = sorted(file for file in folder.iterdir() if file.name.startswith("part-"))
    for file in {entry for entry in folder.iterdir() if entry.is_file()}.difference(parts):
        file.unlink()
    for number, file in enumerate(parts):
        sync_file(file.rename(folder / f"part-{number:05}.{target}"))


def lay_out(native: Any, leaving: Leaving, target: str = "parquet", taken: str = "") -> Any:
    """Give every column the form that it is written in, and sort the rows if that is asked for."""
    functions, is_plain = importlib.import_module("pyspark.sql.functions"), target != "parquet"
    types = {field.name: field.dataType.simpleString() for field in native.schema.fields}
    by = leaving.partition_by
    facts = _ask(native, types, leaving.kinds, is_plain=is_plain)
    columns, keys, blanks = [], [], []
    for place, (name, found) in enumerate(types.items()):
        own, is_text = functions.col(name), found == "string" or not facts[f"any{place}"]
        value = _form(own, found, leaving.kinds.get(name, "own"), facts, place)
        if is_plain and is_text and leaving.formulas == "escape":
            changed = value.rlike(f"^'*({taken})") & ~value.rlike(_NUMBER)
            value = functions.when(changed, functions.concat(functions.lit("'"), value)).otherwise(value)
        # What an engine knows about a column beside its cells is not published.
        columns.append(value.alias(name, metadata={}))
        if name in by:
            if facts.get(f"odd{place}"):
                folder_name(name, "")  # refuses it
            continue
        shown = functions.nullif(own, functions.lit("")) if is_plain and is_text else own
        if is_text and facts.get(f"numbers{place}"):
            keys += [shown.try_cast(kind) for kind in _SIZES]
        keys.append(shown)
        blanks += [own == ""] if is_plain and is_text else []
    laid = native.select(*columns)
    laid = _spell(laid, leaving, by) if by else laid
    if leaving.order == "sorted":
        # As Spark itself would sort what names folders, so that it does not sort again.
        folders = [functions.col(name).asc() for name in by]
        laid = laid.orderBy(*folders, *(key.asc_nulls_last() for key in (*keys, *blanks)))
    return _spell(laid, leaving, [name for name in types if name not in by]) if is_plain else laid


def _ask(native: Any, types: Mapping[str, str], kinds: Mapping[str, LeavingKind], *, is_plain: bool) -> Any:
    """Ask in one pass what decides about the forms of columns: are there values, are all of them whole."""
    functions = importlib.import_module("pyspark.sql.functions")
    asked = []
    for place, (name, found) in enumerate(types.items()):
        own, test = functions.col(name), functions.lit(False)
        if found == "string":
            test = own.isin("*", *([""] if is_plain else [])) | own.rlike(_NUMBER)
            asked.append(functions.every(functions.coalesce(test, own.isNull())).alias(f"numbers{place}"))
            odd = own.isin(NO_PARTITION, *([] if is_plain else [""]))
            asked.append(
                functions.bool_or(functions.coalesce(odd, functions.lit(False))).alias(f"odd{place}")
            )
        elif _is_float(found, kinds.get(name, "own")):
            number = own.cast("double")
            test = functions.isnan(number) | (
                (functions.rint(number) == number) & (functions.abs(number) <= _EXACT)
            )
        elif found == "timestamp_ntz":
            test = own.cast("date").cast("timestamp_ntz") == own
        elif found not in _KEPT and not found.startswith("decimal"):
            raise OutputError(
                f"the column {name!r} has the type {found}, which is not written from Spark. Make it text, "
                "a number or a date first, or leave it out."
            )
        asked.append((functions.count(own) > 0).alias(f"any{place}"))
        asked.append(functions.every(functions.coalesce(test, own.isNull())).alias(f"special{place}"))
    with spark_errors("the spark frame"):
        return native.agg(*asked).first().asDict()


def _is_float(found: str, kind: LeavingKind) -> bool:
    return found in ("float", "double") or (found.startswith("decimal") and kind == "number")


def _form(own: Any, found: str, kind: LeavingKind, facts: Mapping[str, bool], place: int) -> Any:
    """Return a column in its form; see `sfumato.table.writing`."""
    functions = importlib.import_module("pyspark.sql.functions")
    if not facts[f"any{place}"]:
        return own.cast("string")
    if found in _WHOLE:
        return own.cast("bigint")
    if _is_float(found, kind):
        number = own.cast("double")
        # Adding zero turns a negative zero into the zero that it equals.
        known = functions.when(~functions.isnan(number), number + 0.0)
        return known.cast("bigint") if facts[f"special{place}"] else known
    return (
        own.cast("date") if kind == "date" and found == "timestamp_ntz" and facts[f"special{place}"] else own
    )


def _spell(laid: Any, leaving: Leaving, names: Sequence[str]) -> Any:
    """Write times and fractions as other engines do; no line is empty, and no name of a folder."""
    functions = importlib.import_module("pyspark.sql.functions")
    columns = []
    for field in laid.schema.fields:
        own, found = functions.col(field.name), field.dataType.simpleString()
        if field.name not in names:
            columns.append(own)
            continue
        if found == "timestamp":
            clock = functions.to_utc_timestamp(own, functions.current_timezone()).cast("string")
            own = functions.concat(clock, functions.lit("+00"))
        elif found == "timestamp_ntz":
            own = own.cast("string")
        elif found == "date" and leaving.formulas == "escape":
            own = functions.concat(functions.lit("'"), own.cast("string"))
        elif found == "double":
            own = _spell_double(own)
        if field.name in leaving.partition_by:
            text = functions.nullif(own.cast("string"), functions.lit(""))
            own = functions.coalesce(text, functions.lit(NO_PARTITION))
        elif len(names) == 1:
            own = functions.coalesce(own.cast("string"), functions.lit(""))
        columns.append(own.alias(field.name))
    return laid.select(*columns)


def _spell_double(own: Any) -> Any:
    """Write fractions as the embedded engine does: without an exponent from 0.0001 to 10**16."""
    functions = importlib.import_module("pyspark.sql.functions")
    text, size = own.cast("string"), functions.abs(own)
    digits = functions.rtrim(text.cast("decimal(38,18)").cast("string"), functions.lit("0"))
    plain = functions.regexp_replace(digits, "[.]$", ".0")
    short = functions.regexp_replace(text, "[.]0E|E", "e")
    signed = functions.regexp_replace(short, r"e(\d)", "e+$1")
    spelt = functions.regexp_replace(signed, r"e([+-])(\d)$", "e$10$2")
    return (
        functions.when(~text.contains("E"), text).when((size >= 1e-4) & (size < 1e16), plain).otherwise(spelt)
    )
