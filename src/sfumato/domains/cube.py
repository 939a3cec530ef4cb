"""The cube: all that a search ever needs of the data."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray

VOTE = 720_720
"""What a person's vote is divided from: by up to 16 rows without a rest."""


@dataclass(frozen=True, eq=False)
class Confidential:
    """Confidential sentences over the rows of a cube, as combinations that a hidden attribute codes."""

    # whether each sentence is true for the rows of a combination, shape (combinations, sentences)
    truth: BoolArray
    held: BoolArray  # whether it is confidential for their persons, same shape
    damage: FloatArray  # what each sentence costs a holder if it becomes known, above 0

    @property
    def count(self) -> int:
        """Number of sentences."""
        return len(self.damage)

    @property
    def shares(self) -> FloatArray:
        """The damage of each sentence over that of all that a holder holds; 0 where it is not held."""
        # Shape (combinations, sentences); each row sums to 1, or to 0 where nothing is held.
        damage = self.held * self.damage
        total = damage.sum(axis=1, keepdims=True)
        return np.asarray(damage / np.where(total > 0, total, 1.0))


@dataclass(frozen=True, eq=False)
class Cube:
    """The distinct coded tuples of a table with the number of their rows."""

    # A cell is one distinct combination of quasi-identifier codes, sensitive codes and, where persons are
    # named, a person. Cells are sorted by quasi-identifier codes, then sensitive codes, then person, so that
    # the cube does not depend on the engine that made it.
    quasi_identifiers: tuple[str, ...]  # names of the quasi-identifiers, q of them
    sizes: tuple[int, ...]  # domain size m of each quasi-identifier
    codes: IntArray  # codes of the quasi-identifiers, shape (cells, q)
    sensitive: tuple[str, ...]  # names of the sensitive attributes, s of them
    sensitive_sizes: tuple[int, ...]  # domain size of each sensitive attribute
    # codes of the sensitive attributes, shape (cells, s); missing has a code of its own
    sensitive_codes: IntArray
    rows: LongArray  # number of rows of each cell
    persons: IntArray | None = None  # person code of each cell, or None where every row is a person
    # for each quasi-identifier where its values lie on a line, from 0 on, missing at −1; None for an
    # attribute whose values are only counted. May be empty: then all are.
    places: tuple[LongArray | None, ...] = ()
    # sensitive attributes whose codes are known to follow an order that means something
    ordered: frozenset[str] = frozenset()
    # for each sensitive attribute the codes that tell nothing, of missing and of values declared unknown. May
    # be empty: then every code is a value.
    unknown: tuple[tuple[int, ...], ...] = ()
    # what the codes of the last sensitive attribute mean, where that is the hidden one which says for which
    # rows confidential sentences are true and who holds them; None where there are no sentences
    confidential: Confidential | None = None
    # the rows of each person in the whole table, where the cube is a part of it; else None
    whole_persons: LongArray | None = None

    @classmethod
    def sorted(
        cls,
        quasi_identifiers: tuple[str, ...],
        sizes: tuple[int, ...],
        codes: IntArray,
        *,
        rows: LongArray,
        sensitive: tuple[str, ...] = (),
        sensitive_sizes: tuple[int, ...] = (),
        sensitive_codes: IntArray | None = None,
        persons: IntArray | None = None,
    ) -> Cube:
        """Make a cube from cells in any order; cells may repeat and are then united."""
        secret = np.zeros((len(codes), 0), dtype=np.int32) if sensitive_codes is None else sensitive_codes
        columns = [*codes.T, *secret.T, *(() if persons is None else (persons,))]
        order = _sort(columns) if columns else np.arange(len(codes))
        start = np.zeros(len(order), dtype=bool)
        start[:1] = True
        for column in columns:
            ordered = column[order]
            start[1:] |= ordered[1:] != ordered[:-1]
        first = np.flatnonzero(start)
        total = np.add.reduceat(rows[order], first) if len(first) else rows[:0]
        kept = order[first]
        return cls(
            quasi_identifiers,
            sizes,
            np.ascontiguousarray(codes[kept], dtype=np.int32),
            sensitive,
            sensitive_sizes,
            np.ascontiguousarray(secret[kept], dtype=np.int32),
            np.ascontiguousarray(total, dtype=np.int64),
            None if persons is None else np.ascontiguousarray(persons[kept], dtype=np.int32),
        )

    @property
    def hidden(self) -> int:
        """The number of the hidden sensitive attribute; only where there are confidential sentences."""
        return len(self.sensitive) - 1

    @cached_property
    def row_count(self) -> int:
        """The number of rows of the table."""
        return int(self.rows.sum())

    @cached_property
    def distinct(self) -> int:
        """The number of distinct quasi-identifier tuples."""
        if not len(self.codes):
            return 0
        return 1 + int((self.codes[1:] != self.codes[:-1]).any(axis=1).sum())

    @cached_property
    def person_count(self) -> int:
        """The number of persons; of rows where no persons are named."""
        return self.row_count if self.persons is None else len(np.unique(self.persons))

    def rows_of_persons(self) -> LongArray:
        """Return how many rows each person has in the whole table."""
        assert self.persons is not None
        if self.whole_persons is not None:
            return self.whole_persons
        return np.bincount(self.persons, weights=self.rows).astype(np.int64)

    def votes(self) -> LongArray:
        """Return what each cell counts where ℓ counts persons: each has one vote, shared by all its rows."""
        if self.persons is None:
            return self.rows
        each: LongArray = np.maximum(VOTE // np.maximum(self.rows_of_persons(), 1), 1)
        return self.rows * each[self.persons]

    def known(self, attribute: int) -> BoolArray:
        """Tell which codes of a sensitive attribute are values that someone can learn."""
        known = np.ones(self.sensitive_sizes[attribute], dtype=np.bool_)
        known[list(self.unknown[attribute]) if attribute < len(self.unknown) else []] = False
        return known

    def places_of(self, attribute: int) -> LongArray | None:
        """Return where the values of a quasi-identifier lie on a line; None where they are only counted."""
        return self.places[attribute] if self.places else None

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the cube's contents, the same on every engine."""
        digest = hashlib.sha256()
        digest.update(
            repr((self.quasi_identifiers, self.sizes, self.sensitive, self.sensitive_sizes)).encode()
        )
        for array in (self.codes, self.sensitive_codes, self.rows, self.persons):
            digest.update(b"-" if array is None else array.astype(array.dtype.newbyteorder("<")).tobytes())
        if any(self.unknown):
            digest.update(repr(self.unknown).encode())
        if self.confidential is not None:
            digest.update(self.confidential.truth.tobytes() + self.confidential.held.tobytes())
        return digest.hexdigest()


def _sort(columns: list[IntArray]) -> LongArray:
    """Return the order of rows by their columns; in one sort where a row fits into 64 bits."""
    bits = [int(column.max(initial=0)).bit_length() for column in columns]
    if sum(bits) > 64:
        return np.lexsort(columns[::-1])
    key = np.zeros(len(columns[0]), dtype=np.uint64)
    for column, width in zip(columns, bits, strict=True):
        key = (key << np.uint64(width)) | column.astype(np.uint64)
    return np.argsort(key, kind="stable")
