"""``sfumato init`` and ``sfumato check``: write a first specification, and say what is wrong with one."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.cli.options import DATA, SPEC, option, place_words, reading
from sfumato.cli.output import CollectedError, Output, TableColumn, right, shell_word, waiting
from sfumato.errors import DataError, HierarchyError, ParameterError, SfumatoError
from sfumato.words import count_words, huge_words

if TYPE_CHECKING:
    from sfumato.suggesting import Guess, RoleSuggestion

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
LARGE_SPACE = 10_000_000
SHOWN = 8  # columns that are left out for the same reason and are named
_SUFFIXES = {
    *(".gz", ".csv", ".txt", ".tsv", ".tab", ".parquet", ".pq"),
    *(".arrow", ".feather", ".ipc", ".jsonl", ".ndjson", ".json", ".xlsx", ".xlsm", ".sav", ".zsav", ".por"),
    *(".dta", ".sas7bdat", ".xpt", ".bz2", ".xz", ".zst", ".zip"),
}
_READ = ("separator", "encoding", "decimal", "skip", "header", "sheet", "labels", "table", "query")
_DESCRIBED = ("name", "role", "why", "kind", "distinct", "missing")
_HIERARCHIES = {
    "intervals": "{} wide",
    "dates": "{}",
    "mask": "mask of {}",
    "prefix": "first {} characters",
    "tree": "tree",
}
"""What the table of guesses says about a hierarchy, by the key of its definition."""


def init(
    *,
    data: str = DATA,
    out: str | None = option("--out", "The specification; next to the data if not given.", "SPEC"),
    output: Output,
) -> dict[str, object]:
    """Look at the data and write a first specification.

    Roles and hierarchies in it are guesses, with comments: edit them.
    """
    from sfumato.release import atomic_text, check_target
    from sfumato.suggesting import suggest_specification

    options, source = output.options, data if "://" in data else Path(data)
    if out is None and (data == "-" or isinstance(source, str)):
        raise ParameterError("name the specification with --out: the data are not in a file.")
    target = specification_path(Path(data)) if out is None else Path(out)
    options.spare_inputs([target], [data])
    check_target(target, force=options.force)
    with waiting(options, "looking at the data"), reading(options, ["any"]) as how:
        found = suggest_specification(source, how.data)
    given = how.data.model_dump(exclude_defaults=True)
    data_keys = {**found.reading, **{key: given[key] for key in _READ if key in given}}
    text = specification_text(found, source, target, data_keys, show_values=options.show_values)
    atomic_text(target, text, force=options.force)
    _print_guesses(found, data, target, output)
    return {
        "file": str(target),
        "rows": found.rows,
        "space": str(found.space),
        "attributes": [
            {
                **{key: getattr(guess, key) for key in _DESCRIBED},
                "levels": guess.levels or None,
                "weight": guess.weight if guess.levels else None,
            }
            for guess in found.guesses
        ],
        "left_out": list(found.left_out),
        "reasons": dict(found.left_out),
        "dependences": [asdict(item) for item in found.dependences],
        "notes": list(found.notes),
    }


def specification_path(data: Path) -> Path:
    """Return where the specification of a table belongs: next to it, under its name without suffixes."""
    name = data.absolute().name
    if any(sign in name for sign in "*?["):
        # All files of a folder that fit a pattern.
        data = data.parent
        name = data.absolute().name
    while Path(name).suffix.lower() in _SUFFIXES:
        name = Path(name).stem
    return data.parent / f"{name}.toml" if data.name else data.absolute().parent / f"{name}.toml"


def _print_guesses(found: RoleSuggestion, data: str, target: Path, output: Output) -> None:
    """Print the guesses and what to do next."""
    columns = count_words(len(found.guesses) + len(found.left_out), "column")
    output.line(f"{place_words(data)}: {count_words(found.rows, 'row')}, {columns}", style="bold")
    output.line()
    rows = []
    for guess in found.guesses:
        shown = "values and *" if guess.levels else ""
        for key in _HIERARCHIES.keys() & guess.definition.keys():
            value = guess.definition[key]
            words = ", ".join(map(str, value)) if isinstance(value, list) else value
            shown = _HIERARCHIES[key].format(words)
        counts = (f"{guess.distinct:,}", f"{guess.missing:,}")
        rows.append([guess.name, guess.role, guess.kind, *counts, shown])
    fixed = [TableColumn(word, fixed=True) for word in ("guessed role", "kind")]
    output.table(["attribute", *fixed, *right("distinct", "missing"), "hierarchy"], rows)
    output.line()
    output.notes("note", found.notes)
    quasi = len(found.with_role("quasi-identifier"))
    output.line(f"{count_words(quasi, 'quasi-identifier')} with {huge_words(found.space)} recodings")
    for reason in dict.fromkeys(found.left_out.values()):
        names = [name for name, why in found.left_out.items() if why == reason]
        more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
        output.line(f"left out: {', '.join(names[:SHOWN])}{more} ({reason})")
    for guess in found.guesses:
        if guess.note:
            output.line(f"{guess.name} is {guess.note}")
    if found.space > LARGE_SPACE:
        output.notes(
            "note",
            ["too many combinations to try them all; change the role of columns no outsider could know."],
        )
    if not found.with_role("sensitive"):
        output.notes("note", ["no column looks sensitive; if one is, change its role in the specification."])
    output.line(f"written  {target}", style="bold")
    output.line(f"next     look through it, then: sfumato check {shell_word(target)}")


_UNITS = {
    "person": "rows with the same value are one person; remove it if they are not",
    "household": "rows with the same value are one household, and classes count households",
    "weight": "how many people of the population a row stands for, for estimates of risk; not published",
}


def specification_text(
    suggestion: RoleSuggestion,
    data: Path | str,
    target: Path,
    reading: Mapping[str, object],
    *,
    show_values: bool = True,
) -> str:
    """Write a guessed specification as TOML, with a comment on every attribute."""
    lines = ["[data]", f"path = {toml_text(relative_path(data, target))}"]
    lines += [f"{key} = {toml(value)}" for key, value in reading.items()]
    if len(suggestion.missing) > 1:
        lines.append(f"missing = {toml(list(suggestion.missing))}  # texts that are read as missing")
    lines += [f"{key} = {toml_text(name)}  # {_UNITS[key]}" for key, name in suggestion.units.items()]
    parts = ["\n".join([*lines, ""])]
    parts += [_attribute_part(guess, show_values) for guess in suggestion.guesses]
    lines = [_comment(f"{toml_key(name)}: left out, {why}") for name, why in suggestion.left_out.items()]
    if lines:
        lines.insert(0, "# Not published. To publish one of these after all, add it with a role.")
        parts.append("\n".join([*lines, ""]))
    goals, wanted = suggestion.goals, suggestion.goals["objectives"]
    page = files(__package__).joinpath("first.toml").read_text(encoding="utf-8")
    return page.format(
        parts="\n".join(parts),
        limit=goals["suppression"]["limit"],
        k=goals["require"]["k"],
        maximize=toml(wanted["maximize"]),
        minimize=toml(wanted["minimize"]),
    )


def _attribute_part(guess: Guess, show_values: bool) -> str:
    missing = f"{guess.missing:,} missing" if guess.missing else "none missing"
    lines = [_comment(f"{count_words(guess.distinct, 'distinct value')}, {missing}; {guess.why}.")]
    lines += [_comment(f"This column is {guess.note}.")] if guess.note else []
    if guess.look.hint:
        rest = f"; the rest: {toml(guess.look.odd)}" if guess.look.odd and show_values else ""
        lines.append(_comment(f"{guess.look.hint}{rest}."))
    keys = guess.keys(show_values=show_values)
    lines += ["# Level 0 would show the time of day."] if "levels" in keys else []
    if "tree" in guess.definition and "hierarchy" in keys:
        lines += ["# Releases name only published values of this tree. If all are public, remove declared."]
    lines += [
        f"[attributes.{toml_key(guess.name)}]",
        *(f"{key} = {toml(value)}" for key, value in keys.items()),
    ]
    if guess.role == "quasi-identifier" and "hierarchy" not in keys:
        if guess.values and show_values:
            tree = {"tree": {"Group 1": list(guess.values)}}
            lines += ["# Values are kept or replaced by *. For levels in between, group them and uncomment:"]
            lines += [f"# hierarchy = {toml(tree)}"]
        elif guess.kind == "category" and guess.distinct > 2:
            more = 'hierarchy = { file = "levels.csv" }'
            lines += [f"# Values are kept or replaced by *. For more levels, write: {more}"]
    return "\n".join([*lines, ""])


def _comment(text: str) -> str:
    """Return a comment, which must not end where the name of a column has a line break."""
    return "# " + re.sub(r"[\x00-\x1f\x7f]+", " ", text)


def relative_path(data: Path | str, target: Path) -> str:
    """Return how a specification names its data: relative where that is possible, with slashes."""
    if isinstance(data, str) or str(data) == "-":
        return str(data)
    try:
        return Path(os.path.relpath(data.absolute(), target.absolute().parent)).as_posix()
    except ValueError:  # another drive
        return data.absolute().as_posix()


def toml_text(text: str) -> str:
    r"""Return a text as TOML has it."""
    # TOML escapes as JSON does, and one more character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_key(key: str) -> str:
    """Return a key as TOML has it, quoted only where it has to be."""
    return key if _BARE_KEY.fullmatch(key) else toml_text(key)


def toml(value: object) -> str:
    """Return a value on one line."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(str(key))} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return toml_text(value) if isinstance(value, str) else repr(value)


def check(*, spec: str = SPEC, output: Output) -> Mapping[str, object]:
    """Check a specification, and say how large the search is.

    Reads specification, data and hierarchies, and writes nothing.
    """
    from sfumato import api
    from sfumato.preparing import load

    loaded = output.options.load_spec(spec)
    try:
        found = api.check(None, loaded)
    except (DataError, HierarchyError) as first:
        # Every attribute is looked at by itself, so that one run shows what is wrong with each of them.
        problems: dict[str, SfumatoError] = {}
        for name in (*loaded.quasi_identifiers, *loaded.sensitive):
            alone = loaded.attributes[name].model_copy(update={"role": "quasi-identifier"})
            try:
                load(None, loaded.model_copy(update={"attributes": {name: alone}, "confidential": ()}))
            except SfumatoError as error:
                problems |= {str(item): item for item in getattr(error, "problems", (error,))}
        raise CollectedError([*problems.values()] or [first]) from None
    _print_search_space(spec, found, output)
    return found


def _print_search_space(spec: str, found: Mapping[str, Any], output: Output) -> None:
    """Print the role of each attribute, the space, and the warnings."""
    rows = []
    for item in found["attributes"]:
        cells = [_cell(item[key]) for key in ("kind", "scheme", "values", "levels")]
        space = "" if item["space"] is None else huge_words(item["space"])
        rows.append([item["name"], item["role"], *cells, space])
    output.line(f"{spec}: no problems found", style="bold")
    output.line()
    fixed = [TableColumn(word, fixed=True) for word in ("role", "kind", "scheme")]
    output.table(["attribute", *fixed, *right("values", "levels", "partitions")], rows)
    output.line()
    sentences = [
        (f"sentence {place}", f"{item['sentence']} protects {count_words(item['people'], 'person')}")
        for place, item in enumerate(found["confidential"], start=1)
    ]
    output.facts(
        [
            ("rows", f"{found['rows']:,} ({found['distinct']:,} distinct in the quasi-identifiers)"),
            *([] if found["space"] is None else [("space", f"{huge_words(found['space'])} recodings")]),
            ("method", f"{found['method']}: {_certainty(found)}"),
            *sentences,
        ],
        found["left_out"],
    )
    output.notes("warning", found["warnings"])


def _certainty(found: Mapping[str, object]) -> str:
    if found["exact"]:
        return "the result will be exact"
    if found["method"] in ("exhaustive", "optimal"):
        return "too many to be sure: the time limit may end the search early"
    if found["method"] == "local":
        return "groups of similar rows, each with its own labels; a bound says how far from the best"
    return "too many to try them all: a heuristic looks for good ones"


def _cell(value: object) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
