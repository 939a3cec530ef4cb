"""A guessed specification as a commented TOML file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli.output import count

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
