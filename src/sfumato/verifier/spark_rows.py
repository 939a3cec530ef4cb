"""Released rows that Spark holds, as a frame or as a folder of parts.

Spark groups them by the columns that a question is about; only distinct tuples and their counts come here,
where the embedded engine counts on as it does for a file.
"""

from __future__ import annotations

import importlib
import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sfumato.errors import DataError
from sfumato.verifier.checks import Check, judge_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from duckdb import DuckDBPyConnection

_MISSING = "__HIVE_DEFAULT_PARTITION__"  # what stands for missing where a label names a folder
_NUMBER = r"^[+-]?(\d+[.]?\d*|[.]\d+)([eE][+-]?\d+)?$"
_SIZES = ("double", "decimal(38,0)")
_BY_SIZE = ("bigint", "double", "decimal")


@contextmanager
def _told() -> Iterator[None]:
    """Say that Spark failed, without its words, which may quote cells."""
    failures = importlib.import_module("pyspark.errors").PySparkException
    lost = importlib.import_module("py4j.protocol").Py4JError
    try:
        yield
    except (failures, lost):
        raise DataError("Spark failed while it recounted the rows. Its log says why.") from None


@dataclass(frozen=True)
class SparkRows:
    """Released rows in a frame of Spark whose columns are called c0, c1 and so on."""

    frame: Any
    names: tuple[str, ...]  # what its columns are called in the release
    is_stored: bool = False  # whether the rows were read from files, and so have an order
    said: tuple[str, ...] = ()  # columns whose labels name the folders of the files

    def __str__(self) -> str:
        return "the Spark frame"

    @classmethod
    def of(cls, frame: Any) -> SparkRows:
        """See a frame as released rows."""
        names = tuple(frame.columns)
        return cls(frame.toDF(*(f"c{place}" for place in range(len(names)))), names)

    @classmethod
    def read(cls, folder: Path, kind: str, said: Sequence[str] = ()) -> SparkRows | None:
        """Read a folder of parts; None where no session of Spark is at work in this process."""
        # Labels that name folders are read from there: Spark would guess types for them.
        if "pyspark" not in sys.modules:
            return None
        session = importlib.import_module("pyspark.sql").SparkSession.getActiveSession()
        if session is None:
            return None
        # Spark takes names for patterns.
        place = "file:///" + re.sub(r"([*?\[\]{}\\])", r"\\\1", folder.absolute().as_posix()).lstrip("/")
        with _told():
            functions = importlib.import_module("pyspark.sql.functions")
            reader = session.read.option("recursiveFileLookup", bool(said))
            if kind == "parquet":
                found = cls.of(reader.parquet(place))
            else:
                reader = reader.options(header=True, quote='"', escape='"', multiLine=True, mode="FAILFAST")
                found = cls.of(reader.options(sep="\t" if kind == "tsv" else ",", nullValue="").csv(place))
                cells = [
                    functions.nullif(name, functions.lit("")).alias(name) for name in found.frame.columns
                ]
                found = replace(found, frame=found.frame.select(*cells))
            folders = functions.split(functions.url_decode(functions.input_file_name()), "/")
            many, frame = len(found.names), found.frame
            for place_of_folder, number in enumerate(range(many, many + len(said)), -len(said) - 1):
                text = functions.substring_index(functions.element_at(folders, place_of_folder), "=", -1)
                label = functions.when(text != _MISSING, functions.url_decode(text))
                frame = frame.withColumn(f"c{number}", label)
            return cls(frame, (*found.names, *said), is_stored=True, said=tuple(said))

    @property
    def columns(self) -> dict[str, str]:
        """Column name → SQL expression of its text in what `count` makes."""
        return {name: f"CAST(c{place} AS VARCHAR)" for place, name in enumerate(self.names)}

    def count(self, connection: DuckDBPyConnection, names: Iterable[str], table: str) -> None:
        """Group the rows by some columns, and put the tuples, with their number n, into the engine."""
        keys = [f"c{self.names.index(name)}" for name in dict.fromkeys(names)]
        functions = importlib.import_module("pyspark.sql.functions")
        with _told():
            found = self.frame.groupBy(*keys).agg(functions.count(functions.lit(1)).alias("n")).toArrow()
        connection.register(f"spark_{table}", found)
        connection.execute(f"CREATE TEMP TABLE {table} AS FROM spark_{table}")
        connection.unregister(f"spark_{table}")

    def classes(self, names: Iterable[str]) -> tuple[int, int, int]:
        """Return the size of the smallest class of rows that are equal in some columns, classes, and rows."""
        functions = importlib.import_module("pyspark.sql.functions")
        keys = [f"c{self.names.index(name)}" for name in dict.fromkeys(names)]
        asked = [functions.min("count"), functions.count("count"), functions.sum("count")]
        with _told():
            found = self.frame.groupBy(*keys).count().agg(*asked).first()
        return int(found[0] or 0), int(found[1]), int(found[2] or 0)

    def check_order(self, columns: Iterable[str]) -> tuple[Check, ...]:
        """Compare each row with the one before it in its file, and each file with the one before it."""
        # What `sorted` means is said in `sfumato.verifier.loading`.
        names = [name for name in columns if name in self.names and name not in self.said]
        if not names or not self.is_stored:
            return ()
        with _told():
            late = self._count_late([self.names.index(name) for name in names])
        return judge_order(late, len(names))

    def _count_late(self, places: list[int]) -> int:
        functions = importlib.import_module("pyspark.sql.functions")
        window = importlib.import_module("pyspark.sql.window").Window
        column = functions.col
        keys = [part for key in self._sort_keys(places) for part in (key.isNull(), key)]
        labels = [f"c{self.names.index(name)}" for name in self.said]
        rows = self.frame.select(
            *labels,
            functions.struct(*(key.alias(f"k{place}") for place, key in enumerate(keys))).alias("key"),
            functions.input_file_name().alias("file"),
            functions.input_file_block_start().alias("block"),
            functions.monotonically_increasing_id().alias("row"),
        )
        before = functions.lag("key").over(window.partitionBy("file").orderBy("block", "row"))
        inside = rows.select(before.alias("before"), "key").where(column("before") > column("key")).count()
        ends = rows.groupBy(*labels, "file").agg(
            functions.min("key").alias("first"), functions.max("key").alias("last")
        )
        before = functions.lag("last").over(window.partitionBy(*labels).orderBy("file"))
        between = ends.select(before.alias("before"), "first").where(column("before") > column("first"))
        return int(inside) + int(between.count())

    def _sort_keys(self, places: list[int]) -> list[Any]:
        """Return what rows are sorted by: numbers by size, all else by the bytes of its text."""
        functions = importlib.import_module("pyspark.sql.functions")
        kinds = [field.dataType.simpleString() for field in self.frame.schema.fields]
        asked = []
        for place in places:
            text = functions.col(f"c{place}").cast("string")
            test = (text == "*") | text.rlike(_NUMBER)
            asked.append(functions.every(functions.coalesce(test, text.isNull())).alias(f"c{place}"))
        are_numbers = self.frame.agg(*asked).first()
        keys = []
        for place in places:
            own = functions.col(f"c{place}")
            if kinds[place].startswith(_BY_SIZE):
                keys.append(own)
                continue
            text = own.cast("string")
            keys += [*([text.try_cast(size) for size in _SIZES] if are_numbers[f"c{place}"] else []), text]
        return keys
