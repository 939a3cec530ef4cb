"""How a release is written: its columns, and the dialect of a text file, which is that of the input."""

from __future__ import annotations

import codecs
import gzip
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from sfumato.errors import DataError, OutputError
from sfumato.table.engine import quote_name
from sfumato.table.libraries import pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from sfumato.table.libraries import duckdb

# A number with digits behind its decimal mark. Marks between thousands make it a text.
_NUMBER = "^([+-]?[0-9]*){}([0-9]+([eE][+-]?[0-9]+)?)$"
_OF_COLUMNS: Mapping[str, Any] = {"pointed": frozenset(), "commas": frozenset()}
_COMMA, _POINT = _NUMBER.format(","), _NUMBER.format("[.]")
_COPY_CHARACTERS = 1 << 20


LeavingKind: TypeAlias = Literal["text", "number", "date", "plain", "own"]
"""How a column leaves: ``text`` as labels; ``number`` and ``date`` in one spelling for each value; ``plain``
from a text file, without a type; ``own`` with the type that it has."""


@dataclass(frozen=True)
class Leaving:
    """How the rows of a release are written."""

    kinds: Mapping[str, LeavingKind]  # how each column leaves; `own` where nothing is said
    order: Literal["sorted", "input"] = "sorted"  # `sorted`, or `input` for the order in which the rows come
    # whether cells that a spreadsheet takes for formulas are kept or escaped
    formulas: Literal["keep", "escape"] = "keep"
    is_text: bool = False  # whether the rows come from a text file
    rows_per_file: int = 0  # how many rows a file may have before the next one begins; 0 for one file
    partition_by: tuple[str, ...] = ()  # columns whose labels are the names of folders

    @property
    def divided_by(self) -> str:
        """Name the keys that ask for a folder of files; empty for one file."""
        asked = {"rows_per_file": self.rows_per_file, "partition_by": self.partition_by}
        return " and ".join(key for key, value in asked.items() if value)


@dataclass(frozen=True)
class Dialect:
    """How a text file spells a table."""

    separator: str = ","  # the character between two fields
    encoding: str = "utf-8"  # the encoding without a byte order mark
    decimal: str = "."  # the decimal mark
    line_end: str = "\n"
    bom: bool = False  # whether a byte order mark comes first
    sep_line: bool = False  # whether the first line names the separator, as in `sep=;`
    # columns whose numbers have a point in spite of a decimal comma, such as versions
    pointed: frozenset[str] = frozenset()
    # columns that have numbers with a decimal comma; all of them if it is declared
    commas: frozenset[str] = frozenset()

    @property
    def is_utf8_lines(self) -> bool:
        """Whether encoding and lines are plain."""
        return replace(self, separator=",", decimal=".", **_OF_COLUMNS) == Dialect()

    def of_columns(self, names: Iterable[str]) -> Dialect:
        """Return the dialect of a table of some columns: others do not decide how its numbers are written."""
        return self if self.commas & {*names} else replace(self, decimal=".", **_OF_COLUMNS)

    def stated(self, path: Path) -> dict[str, object]:
        """Return what differs in a released file from plain CSV or TSV, as its manifest states it."""
        plain, found = asdict(Dialect().of_file(path)), asdict(self.of_file(path))
        return {name: found[name] for name in plain if name not in _OF_COLUMNS and found[name] != plain[name]}

    def of_file(self, path: Path) -> Dialect:
        """Return the dialect in which a release is written: the name may say the separator."""
        name = path.name.lower().removesuffix(".gz").removesuffix(".zst")
        if name.endswith((".tsv", ".tab")):
            return replace(self, separator="\t", sep_line=False)
        if not name.endswith((".csv", ".txt")):
            return Dialect()
        is_tabs = self.separator == "\t" and name.endswith(".csv")
        return replace(self, separator=",", decimal=".", sep_line=False) if is_tabs else self


def read_decimals(
    relation: duckdb.DuckDBPyRelation, dialect: Dialect, declared: str | None, where: str
) -> tuple[duckdb.DuckDBPyRelation, Dialect]:
    """Give numbers with a decimal comma a point, if the comma is declared or a column shows that it is meant.

    Without a declaration it is meant if fields end at semicolons and all cells of some column are numbers.
    """
    mark = declared or ("," if dialect.separator == ";" else ".")
    if mark == ".":
        return relation, dialect
    asked = []
    for name in map(quote_name, relation.columns):
        number = f"TRY_CAST(replace({name}, ',', '.') AS DOUBLE)"
        asked += [
            f"count(*) FILTER (WHERE contains({name}, ',') AND regexp_matches({name}, '{_COMMA}'))",
            f"count(*) FILTER (WHERE contains({name}, '.') AND regexp_matches({name}, '{_POINT}'))",
            f"count({name}) = count({number})",
        ]
    answers = relation.aggregate(", ".join(asked)).fetchall()[0]
    found = dict(zip(relation.columns, zip(*[iter(answers)] * 3, strict=True), strict=True))
    if not declared and not any(
        commas and not points and all_numbers for commas, points, all_numbers in found.values()
    ):
        return relation, dialect
    for name, (commas, points, _) in found.items():
        if commas and points:
            raise DataError(
                f"the column {name!r} has numbers with a comma and numbers with a point. Write all in one "
                'way, without marks between thousands, or set decimal = "." in [data].',
                where=where,
            )
    changed = (
        f"regexp_replace({quote_name(name)}, '{_COMMA}', '\\1.\\2') AS {quote_name(name)}"
        if found[name][0]
        else quote_name(name)
        for name in relation.columns
    )
    pointed = frozenset(name for name, (_, points, _) in found.items() if points)
    commas = frozenset(name for name in found if declared or found[name][0])
    spelt = replace(dialect, decimal=",", pointed=pointed, commas=commas)
    return relation.project(", ".join(changed)), spelt


def write_decimals(relation: duckdb.DuckDBPyRelation, dialect: Dialect) -> duckdb.DuckDBPyRelation:
    """Give numbers the decimal mark of a dialect."""
    if dialect.decimal == ".":
        return relation
    return relation.project(
        ", ".join(
            name
            if bare in dialect.pointed
            else f"regexp_replace(CAST({name} AS VARCHAR), '{_POINT}', '\\1,\\2') AS {name}"
            for bare, name in zip(relation.columns, map(quote_name, relation.columns), strict=True)
        )
    )


def respell(plain: Path, path: Path, dialect: Dialect, packed: str) -> None:
    """Copy a file in UTF-8 with plain line ends into the encoding and line ends of a dialect."""
    with plain.open(encoding="utf-8", newline="") as source, path.open("wb") as file:
        stream: Any = file
        if packed == "zstd":
            stream = pa.CompressedOutputStream(file, "zstd")
        elif packed:
            # Neither a name nor a time: the same rows give the same bytes.
            stream = gzip.GzipFile("", "wb", fileobj=file, mtime=0)
        with stream, codecs.getwriter(dialect.encoding)(stream) as target:
            head = "\ufeff" if dialect.bom else ""
            target.write(head + (f"sep={dialect.separator}{dialect.line_end}" if dialect.sep_line else ""))
            in_quotes = False
            try:
                while text := source.read(_COPY_CHARACTERS):
                    parts = text.split('"')
                    for place, part in enumerate(parts):
                        if in_quotes == place % 2:
                            parts[place] = part.replace("\n", dialect.line_end)
                    in_quotes ^= len(parts) % 2 == 0
                    target.write('"'.join(parts))
            except UnicodeEncodeError:
                raise OutputError(
                    f"the release has characters that {dialect.encoding}, the encoding of the data, lacks. "
                    "Save the data as UTF-8 first, or write .xlsx or .parquet."
                ) from None
