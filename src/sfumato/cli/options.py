"""The options that every command has, and how texts of the command line are read."""

from __future__ import annotations

import contextlib
import csv
import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from sfumato.errors import DataError, ParameterError, SpecError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sfumato.spec import Spec

Command: TypeAlias = Callable[..., int]

FLAGS = ("--json", "--quiet", "--force", "--no-values")
"""Common options without a value."""

VALUED = ("--threads", "--seed", "--time-limit", "--checkpoint")
"""Common options with a value."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the common options say."""

    json: bool = False  # print one JSON object to standard output, and nothing else there
    quiet: bool = False  # print nothing to standard output
    force: bool = False  # replace outputs that exist
    threads: int | None = None  # workers of a search; all cores where None
    # in place of what the specification says; None keeps that
    seed: int | None = None
    time_limit: float | None = None
    # show no value of the data: neither those that a hierarchy lacks, nor labels as examples
    no_values: bool = False
    checkpoint: str | None = None  # a file in which a search keeps how far it came, and from which it goes on

    @property
    def show_values(self) -> bool:
        """Whether values of domains may be shown."""
        return not self.no_values

    def load_spec(self, path: str) -> Spec:
        """Read a specification, and let the options have the last word on seed and time limit."""
        from sfumato.spec import Spec

        spec = Spec.load(path)
        changes: dict[str, object] = {}
        if self.seed is not None:
            changes["seed"] = self.seed
        if self.time_limit is not None:
            changes["time_limit"] = self.time_limit
        return spec.model_copy(update={"search": spec.search.model_copy(update=changes)}) if changes else spec

    def spare_inputs(self, outputs: Sequence[str | Path], inputs: Sequence[str | Path]) -> None:
        """Refuse to replace what is read, the checkpoint too, even with ``force``."""
        from sfumato.private import spare_inputs

        spare_inputs(outputs, [*inputs, *([] if self.checkpoint is None else [self.checkpoint])])


def show_version(asked: bool) -> None:
    """Print the version and leave, if that is asked for."""
    if asked:
        from sfumato import __version__

        typer.echo(f"sfumato {__version__}")
        raise typer.Exit


def _above_zero(value: float | None) -> float | None:
    """Refuse a number of seconds that is not above 0 (nan included)."""
    if value is not None and not 0 < value < float("inf"):
        raise typer.BadParameter("must be a number above 0.")
    return value


Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Replace outputs that exist.")]
Threads: TypeAlias = Annotated[
    int | None,
    typer.Option("--threads", min=1, metavar="N", help="Workers of the search; all cores if not given."),
]
Seed: TypeAlias = Annotated[
    int | None, typer.Option("--seed", min=0, metavar="N", help="Seed, in place of the specification's.")
]
TimeLimit: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="S",
        callback=_above_zero,
        help="Seconds to search at most, in place of the specification's.",
    ),
]
NoValues: TypeAlias = Annotated[
    bool, typer.Option("--no-values", help="Show no value of the data, not even one that a hierarchy lacks.")
]
Checkpoint: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--checkpoint",
        metavar="FILE",
        help="Keep how far a search came, and go on from there if the file fits the run.",
    ),
]
Version: TypeAlias = Annotated[
    bool,
    typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and leave."),
]

_COMMON: dict[str, tuple[object, object]] = {
    "json": (Json, False),
    "quiet": (Quiet, False),
    "force": (Force, False),
    "threads": (Threads, None),
    "seed": (Seed, None),
    "time_limit": (TimeLimit, None),
    "no_values": (NoValues, False),
    "checkpoint": (Checkpoint, None),
    "version": (Version, False),
}


def with_common_options(command: Command) -> Command:
    """Give a command the common options; it receives them as ``options``."""
    own = [
        item
        for item in inspect.signature(command, eval_str=True).parameters.values()
        if item.name != "options"
    ]
    keyword = inspect.Parameter.KEYWORD_ONLY
    common = [
        inspect.Parameter(name, keyword, default=default, annotation=annotation)
        for name, (annotation, default) in _COMMON.items()
    ]
    parameters = [*(item.replace(kind=keyword) for item in own), *common]

    @functools.wraps(command)
    def run(**given: object) -> int:
        chosen = {name: given.pop(name) for name in _COMMON}
        del chosen["version"]
        _refuse_nul({**given, **chosen})
        try:
            return command(**given, options=Options(**chosen))  # type: ignore[arg-type]
        except EOFError as error:  # which the parser takes for the end of a terminal's input
            raise RuntimeError("a file ended early") from error

    # typer reads the signature, not the code.
    vars(run)["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    return run


def _refuse_nul(given: Mapping[str, object]) -> None:
    """Refuse a character that no name of a file can hold, before any system call trips over it."""
    for name, value in given.items():
        texts = value if isinstance(value, list) else [value]
        if any(isinstance(text, str) and "\0" in text for text in texts):
            raise ParameterError(
                "a NUL character cannot be part of this. Remove it.", where=name.replace("_", "-")
            )


def split_names(texts: Sequence[str], option: str) -> tuple[str, ...]:
    """Split names at commas; a name that holds a comma stands in double quotes, as in CSV.

    Examples
    --------
    >>> split_names(["age,zip", '"city, state"'], "--qi")
    ('age', 'zip', 'city, state')
    """
    try:
        rows = list(csv.reader(texts, strict=True, skipinitialspace=True))
    except csv.Error:
        raise ParameterError(
            "a double quote is not closed, or not doubled inside quotes.", where=option
        ) from None
    names = [name.strip() if name.strip() else "" for row in rows for name in row]
    if "" in names or not all(rows) or len(rows) < len(texts):
        raise ParameterError("a name is empty. Separate names by single commas.", where=option)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"the column {twice!r} is named twice.", where=option)
    return tuple(names)


DataPath: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="csv, tsv, parquet, arrow or json lines; or a folder of parquet files."
    ),
]
Sensitive: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--sensitive", metavar="C", help="Columns that must not be learnt; may be repeated."),
]
Person: TypeAlias = Annotated[
    str | None,
    typer.Option("--person", metavar="P", help="Column that says which rows are one person's."),
]
Separator: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--separator", metavar="C", help="The character between two fields; found by itself if not given."
    ),
]
Encoding: TypeAlias = Annotated[
    str, typer.Option("--encoding", metavar="NAME", help="The encoding of a text file.")
]

_IN_SPECIFICATION = re.compile(r'\b([Ss])et (separator|encoding)( = "[^"]*")? in \[data\]')


def make_reading_spec(columns: Sequence[str], separator: str | None, encoding: str) -> Spec:
    """Return a specification that says no more than how a table is read."""
    from sfumato.spec import Spec

    data = {"separator": "\t" if separator == "\\t" else separator, "encoding": encoding}
    given = {name: text for name, text in data.items() if text is not None}
    try:
        return Spec(data=given, attributes={name: {"role": "quasi-identifier"} for name in columns})
    except SpecError as error:
        option = next((name for name in given if name in (error.where or "")), "separator")
        raise ParameterError(error.message, where=f"--{option}") from None


@contextlib.contextmanager
def without_specification() -> Iterator[None]:
    """Let advice about ``[data]`` name the options instead: there is no specification to edit."""
    try:
        yield
    except DataError as error:
        message = _IN_SPECIFICATION.sub(_as_option, error.message)
        raise DataError(message, where=error.where, values=error.values) from None


def _as_option(match: re.Match[str]) -> str:
    letter = "U" if match[1] == "S" else "u"
    value = match[3].removeprefix(" = ") if match[3] else ""
    return f"{letter}se --{match[2]} {value}".rstrip()
