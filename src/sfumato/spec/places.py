"""Where something is in a specification, and what is wrong with it.

The parser of the standard library keeps no positions. This scanner finds them again in
a text that the parser has already accepted; it therefore checks nothing itself.

pydantic reports in its own words and without the file. Here each of its reports becomes
a `SpecFault`, a location with a plain sentence, and the first of them one SpecError.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, get_args, get_origin

from pydantic import BaseModel, ValidationError

from sfumato.errors import SpecError, nearest

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Location: TypeAlias = tuple[str | int, ...]
Place: TypeAlias = tuple[int, int]

_SPACE = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BLANK = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:[^"\\]|\\.)*"'
    r"|'[^']*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]+")


def find_places(text: str) -> dict[Location, Place]:
    """Return the place of every key and of every entry of a list."""
    return _Scanner(text.replace("\r\n", "\n")).scan()


class _Scanner:
    """One walk through the text from its first to its last character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.places: dict[Location, Place] = {}
        self.tables_seen: dict[Location, int] = {}  # arrays of tables: number of the last entry
        self.counted = (0, 1, 0)  # position, its line, and the position where that line starts

    def scan(self) -> dict[Location, Place]:
        """Visit headers and pairs until the text ends."""
        table: Location = ()
        self.skip(_SPACE)
        while self.position < len(self.text):
            if self.text[self.position] == "[":
                table = self.header()
            else:
                self.pair(table)
            self.skip(_SPACE)
        return self.places

    def skip(self, pattern: re.Pattern[str]) -> str:
        """Move behind what the pattern matches here, and return it."""
        match = pattern.match(self.text, self.position)
        if match is None:
            return ""
        self.position = match.end()
        return match.group()

    def mark(self, location: Location, position: int) -> None:
        """Note the place of a location unless it already has one."""
        counted, line, start = self.counted
        line += self.text.count("\n", counted, position)
        start = max(start, self.text.rfind("\n", counted, position) + 1)
        self.counted = (position, line, start)
        self.places.setdefault(location, (line, position - start + 1))

    def header(self) -> Location:
        """Read ``[a.b]`` or ``[[a.b]]`` and return the table that it opens."""
        start = self.position
        brackets = 2 if self.text.startswith("[[", start) else 1
        self.position += brackets
        keys = self.key()
        self.position += brackets
        location: Location = ()
        for key in keys[:-1]:
            location = (*location, key)
            self.mark(location, start)
            location = self.entered(location, start)
        location = (*location, keys[-1])
        self.mark(location, start)
        if brackets == 2:
            self.tables_seen[location] = self.tables_seen.get(location, -1) + 1
        return self.entered(location, start)

    def entered(self, location: Location, start: int) -> Location:
        """Step into the last entry where the location is an array of tables."""
        if location in self.tables_seen:
            location = (*location, self.tables_seen[location])
            self.mark(location, start)
        return location

    def key(self) -> tuple[str, ...]:
        """Read a key with its dots and quotes, and stop behind it."""
        parts: list[str] = []
        while True:
            self.skip(_BLANK)
            bare = self.skip(_BARE_KEY)
            parts.append(bare or tomllib.loads(f"key = {self.skip(_STRING)}")["key"])
            self.skip(_BLANK)
            if not self.text.startswith(".", self.position):
                return tuple(parts)
            self.position += 1

    def pair(self, table: Location) -> None:
        """Read ``key = value``."""
        start = self.position
        location = table
        for part in self.key():
            location = (*location, part)
            self.mark(location, start)
        self.position += 1  # the equals sign
        self.skip(_BLANK)
        self.value(location)

    def value(self, location: Location) -> None:
        """Read a value, and note the places inside it."""
        opening = self.text[self.position]
        if opening == "[":
            self.entries(location, "]")
        elif opening == "{":
            self.entries(location, "}")
        elif opening in "\"'":
            self.skip(_STRING)
        else:
            self.skip(_SCALAR)

    def entries(self, location: Location, closing: str) -> None:
        """Read the entries of a list, or the pairs of an inline table."""
        self.position += 1
        self.skip(_SPACE)
        count = 0
        while self.text[self.position] != closing:
            if closing == "}":
                self.pair(location)
            else:
                self.mark((*location, count), self.position)
                self.value((*location, count))
                count += 1
            self.skip(_SPACE)
            if self.text[self.position] == ",":
                self.position += 1
                self.skip(_SPACE)
        self.position += 1


Model: TypeAlias = type[BaseModel]

_SENTENCES = {
    "missing": "this key is required.",
    "model_type": "must be a table; found {found}.",
    "dict_type": "must be a table; found {found}.",
    "string_type": "a name must be text; found {found}.",  # only names are left to pydantic
    "invalid_key": "a name must be text; found {found}.",
    "string_unicode": "contains a character that UTF-8 cannot encode.",
}
# A name that is no text can hardly be shown: the table around it is the place.
_NAMES_TO_DROP = {"string_type": -2, "invalid_key": -1}
_QUOTED = re.compile("'([^']+)'")
_FALLBACK = "this value is not valid; found {found}."
_KINDS_OF_VALUES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    (str, "text"),
    (int, "a whole number"),
    (float, "a number with a fraction"),
    (Mapping, "a table"),
    ((list, tuple), "a list"),
    ((dt.date, dt.time), "a date or time"),
)


@dataclass(frozen=True, slots=True)
class SpecFault:
    """One thing that is wrong: where it is, and a sentence about it."""

    location: Location
    sentence: str


class LocatedError(ValueError):
    """Raised inside a validator that knows exact places, or several problems."""

    # Locations are relative to the value under validation.

    def __init__(self, problems: Sequence[SpecFault]) -> None:
        super().__init__(problems[0].sentence)
        self.problems = tuple(problems)

    @classmethod
    def at(cls, location: Location, sentence: str) -> LocatedError:
        """Make the error of one problem."""
        return cls([SpecFault(location, sentence)])


def refuse(problems: Iterable[SpecFault]) -> None:
    """Raise LocatedError if there are problems."""
    listed = list(problems)
    if listed:
        raise LocatedError(listed)


def found(value: object) -> str:
    """Say what kind of value was found; never the value, which may be one of the data."""
    if value is None:
        return "nothing"
    for kind, words in _KINDS_OF_VALUES:
        if isinstance(value, kind):
            return words
    return f"an object of type {type(value).__name__}"


def collect_problems(model: Model, error: ValidationError) -> list[SpecFault]:
    """Translate every report of pydantic, in the order in which they came."""
    # A key that is missing because it was misspelt counts once, as the misspelt one.
    collected: list[SpecFault] = []
    misspelt: set[Location] = set()
    missing: set[Location] = set()
    for report in error.errors(include_url=False):
        location = report["loc"][: _NAMES_TO_DROP.get(report["type"])]
        cause = report.get("ctx", {}).get("error")
        if isinstance(cause, LocatedError):
            collected += [SpecFault(location + item.location, item.sentence) for item in cause.problems]
        elif cause is not None:
            collected.append(SpecFault(location, sentence_of(cause)))
        elif report["type"] == "extra_forbidden":
            collected.append(SpecFault(location, _unknown_key(model, location, misspelt)))
        elif report["type"] == "literal_error":
            collected.append(SpecFault(location, _unknown_choice(location, report)))
        else:
            missing |= {location} if report["type"] == "missing" else set()
            sentence = _SENTENCES.get(report["type"], _FALLBACK)
            collected.append(SpecFault(location, sentence.format(found=found(report["input"]))))
    return [problem for problem in collected if problem.location not in missing & misspelt]


def sentence_of(error: Exception) -> str:
    """Return the sentence of an error that a check raised, without any place."""
    return error.message if isinstance(error, SpecError) else str(error)


def _unknown_choice(location: Location, report: ErrorDetails) -> str:
    """Name the valid choice closest to what was found; a list has no name for what it holds but units."""
    name = report["input"]
    if not isinstance(name, str):
        return f"must be text; found {found(name)}."
    what = "unit" if isinstance(location[-1], int) else location[-1]
    shown = name if len(name) <= 40 else f"{name[:40]}…"
    return f"unknown {what} {shown!r}. {nearest(name, _QUOTED.findall(report['ctx']['expected']))}"


def _unknown_key(model: Model, location: Location, misspelt: set[Location]) -> str:
    """Name the valid key closest to the last part of the location, and note it as misspelt."""
    fields = _model_at(model, location[:-1]).model_fields
    keys = [field.alias or name for name, field in fields.items()]
    hint = nearest(str(location[-1]), keys)
    misspelt |= {(*location[:-1], key) for key in keys if hint == f"Did you mean {key!r}?"}
    return f"unknown key. {hint}" + (
        "" if hint.startswith("Did") else " docs/specification.md explains them."
    )


def _model_at(model: Model, location: Location) -> Model:
    """Follow a location down the fields to the model there."""
    parts = iter(location)
    for part in parts:
        if isinstance(part, int):
            continue  # an entry of a list of tables
        annotation = model.model_fields[str(part)].annotation
        model = _model_in(annotation) or model
        if get_origin(annotation) is dict:
            next(parts, None)  # the name of an attribute, which may look like a field
    return model


def _model_in(annotation: object) -> Model | None:
    """Find the model inside ``Model``, ``Model | None`` or ``dict[str, Model]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((inner for item in get_args(annotation) if (inner := _model_in(item))), None)


def write_key(key: str) -> str:
    """Write a key as a TOML file would, on one line."""
    return key if _BARE_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def write_location(location: Location, *, tables: bool = True) -> str:
    """Write a location as ``[attributes.age] hierarchy.intervals, entry 2``."""
    depth = 0
    if tables and location:
        depth = 2 if location[0] == "attributes" and len(location) > 1 else 1
    table = ".".join(write_key(str(part)) for part in location[:depth])
    rest = ""
    if tables and len(location) > 1 and isinstance(location[1], int):
        entry = f"[[{table}]] entry {location[1] + 1}"  # of a list of tables
        return ", ".join([entry, *(write_key(str(part)) for part in location[2:])])
    for part in location[depth:]:
        if isinstance(part, int):
            rest += f", entry {part + 1}"
        else:
            rest += f".{write_key(part)}" if rest else write_key(part)
    return " ".join(part for part in (f"[{table}]" if table else "", rest) if part)


def first_problem(problems: Iterable[tuple[str, str]]) -> SpecError:
    """Make one error of the first problem, and say how many more there are."""
    (where, sentence), *others = problems
    if others:
        sentence += f" ({len(others)} more problem{'s' if len(others) > 1 else ''})"
    return SpecError(sentence, where=where or None)
