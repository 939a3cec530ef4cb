"""A first specification of a table that nobody has described yet: roles, kinds and hierarchies as guesses."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import DataError, SfumatoError
from sfumato.hierarchies import build, infer_kind, parse_values, role_words, suggest, suggest_role
from sfumato.hierarchies.role_words import hints_at
from sfumato.hierarchies.suggest import NEARLY_UNIQUE
from sfumato.spec import AttributeSpec
from sfumato.table.keys import key
from sfumato.table.sources import guess_source
from sfumato.table.tally import tally
from sfumato.table.values import texts_of_array

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from sfumato._typing import LongArray
    from sfumato.hierarchies import Hierarchy, Value
    from sfumato.spec import DataSpec
    from sfumato.spec.choices import Role
    from sfumato.table import Source
    from sfumato.table.tally import DistinctColumn

MISSING_WORDS = ("?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")
"""Texts that mean missing in most files that hold them."""

SAMPLE = 10_000
"""Distinct values that are enough to see what kind a column is."""

LISTED = 20
"""Categories with up to this many values are listed, so that they can be grouped by hand."""


@dataclass(frozen=True)
class Guess:
    """What one column seems to be."""

    name: str  # the column
    role: Role  # its role
    why: str  # what speaks for the role, in a few words
    kind: str  # `number`, `category` or `date`
    # number of distinct values and of rows without one
    distinct: int
    missing: int
    # keys of `hierarchy`, empty where the values and `*` are all its levels
    definition: Mapping[str, object] = field(default_factory=dict)
    granularity: int | float | None = None  # the step to which numbers are rounded first, or None
    levels: int = 0  # levels of the hierarchy; 0 where there is none
    values: tuple[str, ...] = ()  # the values of a small category without a hierarchy, for its owner to group


@dataclass(frozen=True)
class RoleSuggestion:
    """What a table seems to be."""

    rows: int  # number of rows
    missing: tuple[str, ...]  # texts that are read as missing
    guesses: tuple[Guess, ...]  # one for each column that can be counted, in the order of the table
    left_out: tuple[str, ...] = ()  # columns of types that cannot be counted
    constant: tuple[str, ...] = ()  # columns with the same value in every row, which are left out too
    reading: Mapping[str, object] = field(default_factory=dict)  # keys of `[data]` that were guessed
    notes: tuple[str, ...] = ()  # remarks about the reading

    def with_role(self, role: str) -> tuple[Guess, ...]:
        """Return the columns that were guessed to have a role."""
        return tuple(guess for guess in self.guesses if guess.role == role)

    @property
    def space(self) -> int:
        """Number of recodings that the guessed hierarchies span."""
        return math.prod(guess.levels for guess in self.with_role("quasi-identifier"))

    @property
    def persons(self) -> tuple[str, ...]:
        """Identifiers that repeat: one of them may say which rows belong to one person."""
        return tuple(
            guess.name for guess in self.with_role("identifier") if guess.distinct + guess.missing < self.rows
        )


@dataclass(frozen=True, eq=False)
class _Observed:
    """The distinct values of a column with their rows."""

    name: str  # the column
    found: DistinctColumn  # its distinct values as the engine holds them
    rows: LongArray  # rows of each of them
    null: int  # rows without a value
    words: tuple[int, ...] = ()  # places of values that are texts for missing

    @cached_property
    def counts(self) -> LongArray:
        """Rows of each value."""
        return np.delete(self.rows, self.words)

    @property
    def filled(self) -> int:
        """Rows with a value."""
        return int(self.counts.sum())

    @property
    def missing(self) -> int:
        """Rows without a value."""
        return self.null + int(self.rows.sum()) - self.filled

    @cached_property
    def texts(self) -> list[str]:
        """All values as texts."""
        return self._first(len(self.rows))

    @cached_property
    def likely_kind(self) -> str:
        """The kind, judged by a part of the values if there are very many."""
        return infer_kind(self._first(SAMPLE))

    def _first(self, many: int) -> list[str]:
        texts = texts_of_array(self.found.values.slice(0, many))
        return [text for place, text in enumerate(texts) if place not in self.words]

    def place(self, text: str) -> int:
        """Return the place of a text among the values; -1 if it does not occur or the column is no text."""
        values = self.found.values
        return int(values.index(text).as_py()) if str(values.type) in ("string", "large_string") else -1

    def without(self, words: Sequence[str]) -> _Observed:
        """Treat texts that mean missing as missing."""
        places = (self.place(word) for word in words)
        return replace(self, words=tuple(place for place in places if place >= 0))


def suggest_specification(data: str | os.PathLike[str], reading: DataSpec | None = None) -> RoleSuggestion:
    """Look at a table and guess what a specification would say about it."""
    source, guessed, notes = guess_source(data, reading)
    columns, left_out = _look(source)
    if not columns:
        raise DataError("no column holds text, numbers or dates.", where=source.name)
    words = [word for word in MISSING_WORDS if any(column.place(word) >= 0 for column in columns)]
    columns = [column.without(words) for column in columns]
    roles = _roles(columns)
    guesses = tuple(_guess(column, role) for column in columns if (role := roles[column.name]) is not None)
    rows = columns[0].filled + columns[0].missing
    constant = tuple(name for name, role in roles.items() if role is None)
    return RoleSuggestion(
        rows, (*source.missing, *words), guesses, left_out, constant, reading=guessed, notes=notes
    )


def _look(source: Source) -> tuple[list[_Observed], tuple[str, ...]]:
    """Count the distinct values of each column by itself; columns of odd types are left out."""
    found, left_out = [], []
    for name in source.columns:
        try:
            key(source, name)
        except DataError:
            left_out.append(name)
            continue
        counted = tally(source, (name,))
        column = counted.columns[name]
        known = column.places >= 0
        rows = np.zeros(len(column.values), dtype=np.int64)
        np.add.at(rows, column.places[known], counted.rows[known])
        found.append(_Observed(name, column, rows, int(counted.rows[~known].sum())))
    return found, tuple(left_out)


def _roles(columns: Sequence[_Observed]) -> dict[str, Role | None]:
    """Guess the role of each column, and see that one at least is a quasi-identifier."""
    roles: dict[str, Role | None] = {}
    for column in columns:
        # A blank says something too: of a flag that is set or blank, who has it.
        distinct = len(column.counts) + (column.missing > 0)
        roles[column.name] = suggest_role(column.name, distinct, column.filled, column.likely_kind)
    if "quasi-identifier" in roles.values():
        return roles
    # A column that has several values, and they repeat.
    chosen = [
        column
        for column in columns
        if roles[column.name] != "sensitive" and 2 <= len(column.counts) < NEARLY_UNIQUE * column.filled
    ]
    # In need, the column that tells least about a person, sensitive ones last.
    last = min(
        columns,
        key=lambda column: (roles[column.name] == "sensitive", len(column.counts) < 2, len(column.counts)),
    )
    return roles | {column.name: "quasi-identifier" for column in chosen or [last]}


def _guess(column: _Observed, role: Role) -> Guess:
    """Guess the kind and, for a quasi-identifier, the hierarchy."""
    guess = Guess(
        column.name, role, _why(column, role), column.likely_kind, len(column.counts), column.missing
    )
    if role != "quasi-identifier":
        return guess
    kind = infer_kind(column.texts)
    typed = parse_values(column.texts, kind)
    counts: dict[Value, int] = {}
    for value, count in zip(typed, column.counts, strict=True):
        counts[value] = counts.get(value, 0) + int(count)
    definition = suggest(column.name, list(counts), kind, list(counts.values()))
    for tried in (definition, {}):
        guess, hierarchy = _try(replace(guess, kind=kind), tried, typed)
        if hierarchy is not None:
            listed = kind == "category" and not tried and 3 <= hierarchy.size <= LISTED
            return replace(guess, values=tuple(sorted(column.texts)) if listed else ())
    return guess


def _try(
    guess: Guess, definition: Mapping[str, object], values: Sequence[Value]
) -> tuple[Guess, Hierarchy | None]:
    """Build the hierarchy that a definition describes, as the search will; None if that fails."""
    keys = dict(definition)
    granularity = keys.pop("granularity", None)
    kind = "category" if "mask" in keys or "tree" in keys else guess.kind
    asked = {"role": guess.role, "kind": kind, "hierarchy": keys or None, "granularity": granularity}
    try:
        hierarchy = build(
            guess.name,
            AttributeSpec(**asked),  # type: ignore[arg-type]
            values,
            has_missing=guess.missing > 0,
            kind=kind,
            resolve=Path,
        )
    except SfumatoError:
        return guess, None
    step = granularity if isinstance(granularity, int | float) else None
    levels = hierarchy.height + 1
    return replace(guess, kind=kind, definition=keys, granularity=step, levels=levels), hierarchy


def _why(column: _Observed, role: Role) -> str:
    if role == "identifier" and len(column.counts) >= NEARLY_UNIQUE * column.filled:
        return "guessed because its values are nearly unique"
    words, stems = role_words.QUASI_IDENTIFIER_WORDS, role_words.QUASI_IDENTIFIER_STEMS
    if role != "quasi-identifier" or hints_at(column.name, words, stems):
        return "guessed by its name"
    return "unsure; treated as a quasi-identifier to be safe"
