"""What a sentence is: comparisons joined by and, or and not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    import datetime as dt

Operator: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]
Constant: TypeAlias = "str | int | float | dt.date | None"
"""What a column is compared with; None is missing."""

ORDERING: tuple[str, ...] = ("<", "<=", ">", ">=")
"""The operators that need an order of the values."""


@dataclass(frozen=True, slots=True)
class Comparison:
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


Atom: TypeAlias = Comparison | Membership
Sentence: TypeAlias = Comparison | Membership | Negation | Junction


def atoms_of(sentence: Sentence) -> tuple[Atom, ...]:
    """Return the comparisons of a sentence from left to right."""
    if isinstance(sentence, Comparison | Membership):
        return (sentence,)
    parts = (sentence.part,) if isinstance(sentence, Negation) else sentence.parts
    return tuple(atom for part in parts for atom in atoms_of(part))


def names_of(sentence: Sentence) -> tuple[str, ...]:
    """Return the columns that a sentence names, each once, from left to right."""
    return tuple(dict.fromkeys(atom.name for atom in atoms_of(sentence)))
