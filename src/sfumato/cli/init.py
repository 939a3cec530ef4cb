"""``sfumato init``: look at the data and write a first specification."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import Options
from sfumato.cli.output import Column, Output, count, huge
from sfumato.cli.progress import waiting
from sfumato.cli.reading import DataPath, Encoding, Separator, make_reading_spec, without_specification

if TYPE_CHECKING:
    from sfumato.suggesting import Guess, Suggestion

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
    from sfumato.cli.specification_text import specification_text
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
