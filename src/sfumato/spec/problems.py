"""From what is wrong with a specification to one line that says so.

pydantic reports in its own words and without the file. Here each of its reports becomes
a `Problem`, a location with a plain sentence, and the first of them one SpecError.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, get_args, get_origin

from pydantic import BaseModel

from sfumato.errors import SpecError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pydantic import ValidationError

    from sfumato.spec.places import Location

Model: TypeAlias = type[BaseModel]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SENTENCES = {
    "missing": "this key is needed.",
    "model_type": "must be a table; found {found}.",
    "dict_type": "must be a table; found {found}.",
    "string_type": "a name must be text; found {found}.",  # only names are left to pydantic
    "invalid_key": "a name must be text; found {found}.",
}
# A name that is no text can hardly be shown: the table around it is the place.
_NAMES_TO_DROP = {"string_type": -2, "invalid_key": -1}
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
class Problem:
    """One thing that is wrong: where it stands, and a sentence about it."""

    location: Location
    sentence: str


class LocatedError(ValueError):
    """Raised inside a validator that knows exact places, or several problems at once.

    Locations are relative to the value under validation.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems[0].sentence)
        self.problems = tuple(problems)

    @classmethod
    def at(cls, location: Location, sentence: str) -> LocatedError:
        """Make the error of one problem."""
        return cls([Problem(location, sentence)])


def found(value: object) -> str:
    """Say what kind of value was found; never the value, which may be one of the data."""
    if value is None:
        return "nothing"
    for kind, words in _KINDS_OF_VALUES:
        if isinstance(value, kind):
            return words
    return f"an object of type {type(value).__name__}"


def collect_problems(model: Model, error: ValidationError) -> list[Problem]:
    """Translate every report of pydantic, in the order in which they came.

    A key that is missing because it was misspelt counts once, as the misspelt one.
    """
    collected: list[Problem] = []
    misspelt: set[Location] = set()
    missing: set[Location] = set()
    for report in error.errors(include_url=False):
        location = report["loc"][: _NAMES_TO_DROP.get(report["type"])]
        cause = report.get("ctx", {}).get("error")
        if isinstance(cause, LocatedError):
            collected += [Problem(location + item.location, item.sentence) for item in cause.problems]
        elif cause is not None:
            collected.append(Problem(location, sentence_of(cause)))
        elif report["type"] == "extra_forbidden":
            collected.append(Problem(location, _unknown_key(model, location, misspelt)))
        else:
            missing |= {location} if report["type"] == "missing" else set()
            sentence = _SENTENCES.get(report["type"], _FALLBACK)
            collected.append(Problem(location, sentence.format(found=found(report["input"]))))
    return [problem for problem in collected if problem.location not in missing & misspelt]


def sentence_of(error: Exception) -> str:
    """Return the sentence of an error that a check raised, without any place."""
    return error.message if isinstance(error, SpecError) else str(error)


def _unknown_key(model: Model, location: Location, misspelt: set[Location]) -> str:
    """Name the valid key closest to the last part of the location, and note it as misspelt."""
    fields = _model_at(model, location[:-1]).model_fields
    keys = [field.alias or name for name, field in fields.items()]
    hint = nearest(str(location[-1]), keys)
    misspelt |= {(*location[:-1], key) for key in keys if hint == f"Did you mean {key!r}?"}
    return f"unknown key. {hint}"


def _model_at(model: Model, location: Location) -> Model:
    """Follow a location down the fields to the model that stands there."""
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
