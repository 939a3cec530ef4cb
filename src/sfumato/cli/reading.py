"""Reading a table that has no specification yet."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from sfumato.errors import DataError, ParameterError, SpecError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sfumato.spec import Spec

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
