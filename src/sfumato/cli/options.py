"""What commands take: the options that several of them share, and how texts of the command line are read."""

from __future__ import annotations

import contextlib
import csv
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.errors import DataError, ParameterError, SpecError

if TYPE_CHECKING:
    from sfumato.spec import Spec


REQUIRED = ...  # the default of an option that has to be given


def option(name: str, text: str, metavar: str | None = None, default: object = None, **more: Any) -> Any:
    """Declare an option of a command: its name, what it is for, and its placeholder in the help."""
    return typer.Option(default, name, help=text, metavar=metavar, **more)


def common(name: str, text: str, metavar: str | None = None, **more: Any) -> Any:
    """Declare a common option, whose default stands beside it."""
    return typer.Option(name, help=text, metavar=metavar, **more)


def argument(metavar: str, text: str, default: object = REQUIRED) -> Any:
    """Declare an argument: its placeholder in the help, and what it is."""
    return typer.Argument(default, metavar=metavar, help=text)


def _above_zero(value: float | None) -> float | None:
    """Refuse a number of seconds that is not above 0 (nan included)."""
    if value is not None and not 0 < value < float("inf"):
        raise typer.BadParameter("must be a number above 0.")
    return value


def _set_memory(value: str | None) -> str | None:
    """Tell the engines, which all read it in the environment."""
    if value is not None:
        from sfumato.private import MEMORY, check_memory

        os.environ[MEMORY] = check_memory(value, "--memory")
    return value


@dataclass(frozen=True, kw_only=True)
class Options:
    """The common options, as the command line declares them and as commands read them."""

    separator: Annotated[
        str | None, common("--separator", "The character between two fields; detected if not given.", "C")
    ] = None
    encoding: Annotated[str, common("--encoding", "The encoding of a text file.", "NAME")] = "utf-8"
    read: Annotated[
        list[str] | None,
        common(
            "--read",
            "How the data are read, as in [data]: decimal=, skip=, header=, sheet=, labels=, table= or "
            "query=; may be repeated.",
            "KEY=VALUE",
        ),
    ] = None
    json: Annotated[bool, common("--json", "Print one JSON object and nothing else.")] = False
    quiet: Annotated[bool, common("--quiet", "Print nothing but errors.")] = False
    force: Annotated[bool, common("--force", "Replace outputs that exist.")] = False
    threads: Annotated[
        int | None, common("--threads", "Workers of the search; all cores if not given.", "N", min=1)
    ] = None
    seed: Annotated[int | None, common("--seed", "Seed; overrides the specification.", "N", min=0)] = None
    time_limit: Annotated[
        float | None,
        common(
            "--time-limit",
            "Time limit of the search in seconds; overrides the specification.",
            "S",
            callback=_above_zero,
        ),
    ] = None
    no_values: Annotated[
        bool, common("--no-values", "Show no value of the data, not even one missing from a hierarchy.")
    ] = False
    memory: Annotated[
        str | None,
        common(
            "--memory",
            "What the engine may hold before it spills to a private folder on disk; 1.5GB if not given.",
            "4GB",
            callback=_set_memory,
        ),
    ] = None
    checkpoint: Annotated[
        str | None,
        common(
            "--checkpoint",
            "Save the progress of the search, and resume from the file if it fits the run.",
            "FILE",
        ),
    ] = None

    @property
    def show_values(self) -> bool:
        """Whether values of domains may be shown."""
        return not self.no_values

    def load_spec(self, path: str) -> Spec:
        """Read a specification, and let the options have the last word on seed and time limit."""
        from sfumato.spec import Spec

        spec = Spec.load(path)
        given = {"seed": self.seed, "time_limit": self.time_limit}
        changes = {name: value for name, value in given.items() if value is not None}
        return spec.model_copy(update={"search": spec.search.model_copy(update=changes)}) if changes else spec

    def load_keyed(self, path: str, key: str | None) -> Spec:
        """Read a specification, and let the option have the last word on its key file."""
        spec = self.load_spec(path)
        if key is None:
            return spec
        data = spec.data.model_copy(update={"key": str(Path(key).absolute())})
        return spec.model_copy(update={"data": data})

    def spare_inputs(self, outputs: Sequence[str | Path], inputs: Sequence[str | Path]) -> None:
        """Refuse to replace what is read, the checkpoint too, even with ``force``."""
        from sfumato.private import spare_inputs

        refuse_address(*outputs)
        spare_inputs(outputs, [*inputs, *([] if self.checkpoint is None else [self.checkpoint])])


_FIELDS = {f"--{item.name.replace('_', '-')}": item for item in fields(Options)}
FLAGS = frozenset(name for name, item in _FIELDS.items() if item.default is False)
"""Common options without a value."""

VALUED = frozenset(_FIELDS) - FLAGS  # common options with a value
DATA = argument(
    "DATA",
    "csv, tsv, Excel, SPSS, Stata, SAS, parquet, arrow or json lines; a folder or '*.csv' of files with the "
    "same columns; or - for standard input.",
)
SPEC = argument("SPEC", "The specification file.")
SPEC_OF_FRONT = argument("SPEC", "The specification that the front was made with.")
FRONT = option("--front", "The folder that 'explore' wrote.", "DIR", REQUIRED)
AFTER = option("--after", "The last release of the same or overlapping people, to be safe together.", "FILE")
AFTER_DATA = option("--after-data", "The original data of the --after release, if it has no ledger.", "FILE")
LEDGER = option(
    "--ledger",
    "Private file that says who was in which class of all earlier releases; read, and kept up to date. Never "
    "publish it.",
    "FILE",
)
KEY = option(
    "--key",
    "Secret key of pseudonyms and ledger; made if there is none. Overrides the specification.",
    "FILE",
)
RELEASE = option("--out", "The release; its suffix sets the format.", "FILE", REQUIRED)
TABLE = option("--table", "If --out is the address of a database: the table to make.", "NAME")
PARTITION_BY = option(
    "--partition-by",
    "Published columns whose labels name folders, such as sex=F/part-00000.parquet; may be repeated.",
    "A,B",
)
MANIFEST = option("--manifest", "Of a table: the file of its manifest; TABLE.json if not given.", "FILE")
SENSITIVE = option("--sensitive", "Columns whose values must not be learnt; may be repeated.", "C")
PERSON = option("--person", "Column that identifies the person of each row.", "P")
HOUSEHOLD = option("--household", "Column that identifies the household of each row.", "H")
ASSIGNMENT = option(
    "--assignment", "Of a local recoding, the file that --assignment wrote when it was made.", "FILE"
)
NEW_ASSIGNMENT = option(
    "--assignment",
    "With local recoding, write which values have which labels too, for 'sfumato apply'. Keep it secret.",
    "FILE",
)

_READ_KEYS = ("decimal", "skip", "header", "sheet", "labels", "table", "query")
_IN_SPECIFICATION = re.compile(
    rf'\b([Ss])et (separator|encoding|{"|".join(_READ_KEYS)})( = (?:"[^"]*"|\w+))? in \[data\]'
)


def refuse_address(*outputs: str | Path) -> None:
    """Refuse the address of a database, which may hold a password, as the name of a file."""
    if any(re.match("(?:postgres(?:ql)?|sqlite):/", str(output), re.IGNORECASE) for output in outputs):
        raise ParameterError("only a release is written to a database. Name a file.", where="--out")


def place_words(data: str) -> str:
    """Name the data in an output: no address of a database is shown."""
    return "the database" if "://" in data else data


def split_names(texts: Sequence[str] | None, where: str) -> tuple[str, ...]:
    """Split names at commas; a name that holds a comma stands in double quotes, as in CSV."""
    given = texts or []
    try:
        rows = list(csv.reader(given, strict=True, skipinitialspace=True))
    except csv.Error:
        message = "a double quote is not closed, or not doubled inside quotes."
        raise ParameterError(message, where=where) from None
    names = [name.strip() for row in rows for name in row]
    if "" in names or not all(rows) or len(rows) < len(given):
        raise ParameterError("a name is empty. Separate names by single commas.", where=where)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"the column {twice!r} is named twice.", where=where)
    return tuple(names)


@contextlib.contextmanager
def reading(options: Options, columns: Sequence[str], missing: Sequence[str] = ()) -> Iterator[Spec]:
    """Give a specification that says no more than how a table is read."""
    # Advice about `[data]` names the options instead, since there is no specification to edit.
    from sfumato.spec import Spec

    read, separator = _split_reading(options.read or ()), options.separator
    data = {"separator": "\t" if separator == "\\t" else separator, "encoding": options.encoding, **read}
    given = {name: text for name, text in data.items() if text is not None}
    given |= {"missing": ["", *filter(None, missing)]} if missing else {}
    try:
        spec = Spec(data=given, attributes={name: {"role": "quasi-identifier"} for name in columns})
    except SpecError as error:
        wrong = next((name for name in given if name in (error.where or "")), "separator")
        raise ParameterError(error.message, where="--read" if wrong in read else f"--{wrong}") from None
    try:
        yield spec
    except DataError as error:
        message = _IN_SPECIFICATION.sub(_as_option, error.message)
        raise DataError(message, where=error.where, values=error.values) from None


def _split_reading(texts: Sequence[str]) -> dict[str, object]:
    """Read ``KEY=VALUE``: a number, true or false where the text is one, as in TOML."""
    found: dict[str, object] = {}
    for text in texts:
        key, _, value = text.partition("=")
        if key not in _READ_KEYS or not value:
            raise ParameterError(f"write one of {', '.join(_READ_KEYS)}, then = and a value.", where="--read")
        is_plain = key == "skip" and value.isdecimal()
        found[key] = int(value) if is_plain else {"true": True, "false": False}.get(value, value)
    return found


def _as_option(match: re.Match[str]) -> str:
    letter = "U" if match[1] == "S" else "u"
    value = match[3].removeprefix(" = ") if match[3] else ""
    if match[2] in _READ_KEYS:
        return f"{letter}se --read {match[2]}={value}"
    return f"{letter}se --{match[2]} {value}".rstrip()
