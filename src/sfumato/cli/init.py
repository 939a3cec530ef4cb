"""``sfumato init``: look at the data and write a first specification."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import (
    DataPath,
    Encoding,
    Options,
    Separator,
    make_reading_spec,
    without_specification,
)
from sfumato.cli.output import Column, Output, count, huge, waiting

if TYPE_CHECKING:
    from sfumato.suggesting import Guess, Suggestion

K = 5
LIMIT = 0.01

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_HEAD = """\
# A first specification, guessed by 'sfumato init'. It is yours to edit: any guess may be wrong, and the roles
# matter most. 'sfumato check' tells whether it is sound.
#
#   identifier        never leaves
#   quasi-identifier  an outsider may know it: it is generalized
#   sensitive         nobody shall learn it about a person
#   other             leaves unchanged: only what nobody can recognize a person by
"""


def specification_text(
    suggestion: Suggestion, data: Path, target: Path, reading: Mapping[str, str], *, show_values: bool = True
) -> str:
    """Write a guessed specification as TOML, with a comment on every attribute."""
    parts = [_HEAD, _data_part(suggestion, relative_path(data, target), reading)]
    parts += [_attribute_part(guess, show_values) for guess in suggestion.guesses]
    if suggestion.left_out:
        names = ", ".join(toml_text(name) for name in suggestion.left_out)
        parts.append(f"# Left out, since they hold neither text nor numbers nor dates: {names}\n")
    return "\n".join([*parts, _goal_part(suggestion)])


def _data_part(suggestion: Suggestion, path: str, reading: Mapping[str, str]) -> str:
    lines = ["[data]", f"path = {toml_text(path)}"]
    lines += [f"{key} = {toml_text(text)}" for key, text in reading.items()]
    if len(suggestion.missing) > 1:
        lines.append(f"missing = {toml(list(suggestion.missing))}  # texts that are read as missing")
    for name in suggestion.persons[:1]:
        lines.append(
            f"# person = {toml_text(name)}  # if this says which rows are one person's: remove the first #"
        )
    return "\n".join([*lines, ""])


def _attribute_part(guess: Guess, show_values: bool) -> str:
    missing = f"{guess.missing:,} missing" if guess.missing else "none missing"
    lines = [f"# {count(guess.distinct, 'distinct value')}, {missing}; {guess.why}."]
    lines += [f"[attributes.{toml_key(guess.name)}]", f"role = {toml_text(guess.role)}"]
    if guess.role == "quasi-identifier":
        lines.append(f"kind = {toml_text(guess.kind)}")
        if guess.granularity is not None:
            lines.append(f"granularity = {toml(guess.granularity)}")
        lines += _hierarchy_lines(guess, show_values)
    return "\n".join([*lines, ""])


def _hierarchy_lines(guess: Guess, show_values: bool) -> list[str]:
    if guess.definition and (show_values or "tree" not in guess.definition):
        return [f"hierarchy = {toml(guess.definition)}"]
    if guess.values and show_values:
        return [
            "# A value is kept or becomes *. For steps between, sort the values into groups, remove the #:",
            f"# hierarchy = {toml({'tree': {'Group 1': list(guess.values)}})}",
        ]
    if guess.kind == "category" and guess.distinct > 2:
        return [
            '# A value is kept or becomes *. For steps between, write: hierarchy = { file = "levels.csv" }'
        ]
    return []


def _goal_part(suggestion: Suggestion) -> str:
    from sfumato.spec import format_measure_name

    secret = suggestion.with_role("sensitive")[:1]
    maximize = ["k", *(format_measure_name("distinct_l", (guess.name,)) for guess in secret)]
    return f"""\
[suppression]
limit = {LIMIT}  # share of the rows that may be suppressed

[require]  # must hold in every release
k = {min(K, suggestion.rows)}  # rows that look alike, at least

[objectives]  # what the front is about
maximize = {toml(maximize)}
minimize = ["loss"]
"""


def relative_path(data: Path, target: Path) -> str:
    """Return how a specification names its data: relative where that is possible, with slashes."""
    try:
        return Path(os.path.relpath(data.absolute(), target.absolute().parent)).as_posix()
    except ValueError:  # another drive
        return data.absolute().as_posix()


def toml_text(text: str) -> str:
    r"""Return a text as TOML has it.

    Examples
    --------
    >>> print(toml_text('a "b"'))
    "a \"b\""
    """
    # TOML escapes as JSON does, and one more character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_key(key: str) -> str:
    """Return a key as TOML has it, quoted only where it has to be."""
    return key if _BARE_KEY.fullmatch(key) else toml_text(key)


def toml(value: object) -> str:
    """Return a value on one line.

    Examples
    --------
    >>> toml({"intervals": [5, 10], "origin": 0})
    '{ intervals = [5, 10], origin = 0 }'
    """
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(str(key))} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    return toml_text(value) if isinstance(value, str) else repr(value)


LARGE_SPACE = 10_000_000
_SUFFIXES = {
    *(".gz", ".csv", ".txt", ".tsv", ".tab", ".parquet", ".pq"),
    *(".arrow", ".feather", ".ipc", ".jsonl", ".ndjson", ".json"),
}


def init(
    *,
    data: DataPath,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="SPEC", help="The specification; beside the data if not given."),
    ] = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    options: Options,
) -> int:
    """Look at the data and write a first specification.

    Roles and hierarchies in it are guesses, with comments: edit them.
    """
    from sfumato.release import atomic_text, check_target
    from sfumato.suggesting import suggest_specification

    output, source = Output(options), Path(data)
    target = specification_path(source) if out is None else Path(out)
    options.spare_inputs([target], [source])
    check_target(target, force=options.force)
    how = make_reading_spec(["any"], separator, encoding).data
    with waiting(options, "looking at the data"), without_specification():
        found = suggest_specification(source, how)
    given = {key: text for key, text in (("separator", how.separator), ("encoding", how.encoding)) if text}
    reading = {key: text for key, text in given.items() if text != "utf-8"}
    text = specification_text(found, source, target, reading, show_values=options.show_values)
    atomic_text(target, text, force=options.force)
    _print(found, data, target, output)
    output.result(
        {
            "file": str(target),
            "rows": found.rows,
            "space": str(found.space),
            "attributes": [_described(guess) for guess in found.guesses],
            "left_out": list(found.left_out),
        }
    )
    return 0


def specification_path(data: Path) -> Path:
    """Return where the specification of a table stands: beside it, under its name without suffixes.

    Examples
    --------
    >>> specification_path(Path("study.2024/adult.csv.gz")).as_posix()
    'study.2024/adult.toml'
    """
    name = data.absolute().name
    while Path(name).suffix.lower() in _SUFFIXES:
        name = Path(name).stem
    return data.parent / f"{name}.toml" if data.name else data.absolute().parent / f"{name}.toml"


def _described(guess: Guess) -> dict[str, object]:
    keys = ("name", "role", "kind", "distinct", "missing")
    return {key: getattr(guess, key) for key in keys} | {"levels": guess.levels or None}


def _print(found: Suggestion, data: str, target: Path, output: Output) -> None:
    """Print the guesses and what to do next."""
    from sfumato.cli.fronts import shell_word

    output.line(f"{data}: {count(found.rows, 'row')}, {count(len(found.guesses), 'column')}", style="bold")
    output.line()
    columns = [Column("attribute"), Column("guessed role", fixed=True), Column("kind", fixed=True)]
    columns += [Column("distinct", "right"), Column("missing", "right"), Column("hierarchy")]
    output.table(columns, [_row(guess) for guess in found.guesses])
    output.line()
    secret = found.with_role("sensitive")
    quasi = len(found.with_role("quasi-identifier"))
    output.line(f"{count(quasi, 'quasi-identifier')} with {huge(found.space)} recodings")
    if found.space > LARGE_SPACE:
        output.notes(
            "note", ["so many cannot all be tried; give columns that no outsider knows another role."]
        )
    if not secret:
        output.notes("note", ["no column was taken for sensitive; if one is, say so in the specification."])
    output.line(f"written  {target}", style="bold")
    output.line(f"next     look through it, then: sfumato check {shell_word(target)}")


def _row(guess: Guess) -> list[str]:
    ways = {
        "intervals": "{} wide",
        "dates": "{}",
        "mask": "mask of {}",
        "tree": "tree",
    }
    shown = ""
    for key, text in ways.items():
        if key in guess.definition:
            value = guess.definition[key]
            shown = text.format(", ".join(map(str, value)) if isinstance(value, list) else value)
    if not shown and guess.levels:
        shown = "values and *"
    return [guess.name, guess.role, guess.kind, f"{guess.distinct:,}", f"{guess.missing:,}", shown]
