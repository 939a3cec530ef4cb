"""Confidential sentences, and what can be wrong with one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from sfumato.errors import SpecError

if TYPE_CHECKING:
    import datetime as dt


class SentenceError(SpecError):
    """A sentence cannot be read, or does not fit the table."""

    # `where` ends with the column, counted from 1; `picture` shows the line with a caret below the place.
    # Both speak of the sentence alone, never of the data.

    def __init__(self, message: str, text: str, position: int, *, where: str | None = None) -> None:
        self.text_of_sentence = text
        self.position = min(max(position, 0), len(text))
        begin = text.rfind("\n", 0, self.position) + 1
        self.column = self.position - begin + 1
        place = f"column {self.column}"
        if "\n" in text:
            place = f"line {text.count(chr(10), 0, self.position) + 1}, {place}"
        super().__init__(message, where=f"{where}, {place}" if where else place)

    def located(self, where: str) -> SentenceError:
        """Return the same error with the place of the sentence before the column."""
        return SentenceError(self.message, self.text_of_sentence, self.position, where=where)

    @property
    def picture(self) -> tuple[str, str]:
        """The line of the sentence in which it goes wrong, and a line with a caret below the place."""
        begin = self.text_of_sentence.rfind("\n", 0, self.position) + 1
        line = self.text_of_sentence[begin:].partition("\n")[0].replace("\t", " ")
        return line, " " * (self.column - 1) + "^"


Operator: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]
Constant: TypeAlias = "str | int | float | dt.date | None"  # what a column is compared with; None is missing
ORDERING: tuple[str, ...] = ("<", "<=", ">", ">=")  # the operators that need an order of the values


@dataclass(frozen=True, slots=True)
class Relation:
    """A column compared with a constant: ``income >= 400``."""

    name: str  # the column
    operator: Operator  # how it is compared
    value: Constant  # the constant; missing goes with `==` and `!=` only
    # where name and constant stand in the text, for errors; they do not count in comparisons
    at: int = field(default=0, compare=False)
    value_at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Membership:
    """A column that has one of several values: ``health in {1, 2}``."""

    name: str  # the column
    values: tuple[Constant, ...]  # the constants, at least one
    # where name and the first constant stand in the text
    at: int = field(default=0, compare=False)
    value_at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Negation:
    """``not`` before a sentence."""

    part: Sentence


@dataclass(frozen=True, slots=True)
class Junction:
    """Two or more sentences joined by one word."""

    word: Literal["and", "or"]
    parts: tuple[Sentence, ...]


Atom: TypeAlias = Relation | Membership
Sentence: TypeAlias = Relation | Membership | Negation | Junction


def atoms_of(sentence: Sentence) -> tuple[Atom, ...]:
    """Return the comparisons of a sentence from left to right."""
    if isinstance(sentence, Relation | Membership):
        return (sentence,)
    parts = (sentence.part,) if isinstance(sentence, Negation) else sentence.parts
    return tuple(atom for part in parts for atom in atoms_of(part))


def names_of(sentence: Sentence) -> tuple[str, ...]:
    """Return the columns that a sentence names, each once, from left to right."""
    return tuple(dict.fromkeys(atom.name for atom in atoms_of(sentence)))
