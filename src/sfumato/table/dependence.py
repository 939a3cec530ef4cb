"""Columns that say the same as another, or less: found row by row, on codes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from sfumato.table.arrow import places_of
from sfumato.table.keys import select_keys
from sfumato.table.libraries import pa
from sfumato.table.values import texts_of_array

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import IntArray, LongArray
    from sfumato.table.sources import Source

COMPARED_ROWS, TRIED_ROWS = 200_000, 2_000
"""Rows that are compared, and how many of them are tried first."""

FEWEST_AGREEMENTS = 15
"""How many rows would have to disagree if columns had nothing to do with each other."""

NEARLY_EQUAL = 0.8
"""The share of equal rows from which two columns are nearly the same."""


@dataclass(frozen=True, eq=False)
class CodedRows:
    """One column, row by row."""

    codes: IntArray  # the code of each row; missing is the last
    values: pa.Array  # the value of each code, without missing

    @cached_property
    def counts(self) -> LongArray:
        """Rows of each code, missing being the last."""
        return np.bincount(self.codes, minlength=len(self.values) + 1).astype(np.int64)

    @cached_property
    def distinct(self) -> int:
        """Number of values that occur, missing being one."""
        return int(np.count_nonzero(self.counts))

    @cached_property
    def texts(self) -> list[str]:
        """The text of each code, without missing."""
        return texts_of_array(self.values)


@dataclass(frozen=True)
class Dependence:
    """What a column has to do with another one."""

    column: str  # the column that says the same or less
    of: str  # the other one
    # the same up to names, determined by it, or equal to it in most rows
    relation: Literal["twin", "nested", "near"]


def code_rows(source: Source, names: Sequence[str]) -> dict[str, CodedRows]:
    """Number the values of columns in the first rows."""
    table = source.collect(select_keys(source, names).head(COMPARED_ROWS))
    found = {}
    for name, column in zip(names, table.columns, strict=True):
        whole = column.cast(pa.string()) if pa.types.is_null(column.type) else column
        encoded = whole.combine_chunks().dictionary_encode()
        places = places_of(encoded.indices)
        codes = np.where(places < 0, len(encoded.dictionary), places).astype(np.int32)
        found[name] = CodedRows(codes, encoded.dictionary)
    return found


def determined(fine: CodedRows, coarse: CodedRows, rows: int | None = None) -> IntArray | None:
    """Return the one code of a column for each code of another; None if there are several for one."""
    first, second = fine.codes[:rows], coarse.codes[:rows]
    parents = np.full(len(fine.values) + 1, -1, dtype=np.int32)
    parents[first] = second
    return parents if np.array_equal(parents[first], second) else None


def find_dependences(columns: Mapping[str, CodedRows], dates: Sequence[str] = ()) -> list[Dependence]:
    """Find twins, columns that others determine, and dates that are mostly equal.

    Chance must not explain it: a column with a value of its own in every row determines all others. Of
    several columns that determine one, the coarsest is named.
    """
    found: dict[str, Dependence] = {}
    order = sorted(columns, key=lambda name: columns[name].distinct)
    ranks = {name: place for place, name in enumerate(columns)}
    for coarse in order:
        # How likely two rows differ.
        varied = 1 - float(((columns[coarse].counts / len(columns[coarse].codes)) ** 2).sum())
        for fine in order:
            one, other = columns[fine], columns[coarse]
            is_finer = one.distinct > other.distinct
            is_twin = one.distinct == other.distinct and ranks[fine] < ranks[coarse]
            if not (is_finer or is_twin) or determined(one, other, TRIED_ROWS) is None:
                continue
            parents = determined(one, other)
            is_chance = (len(one.codes) - one.distinct) * varied < FEWEST_AGREEMENTS
            if parents is not None and (not is_chance or _is_part(one, other, parents)):
                found[coarse] = Dependence(coarse, fine, "nested" if is_finer else "twin")
                break
    near = [
        Dependence(later, earlier, "near")
        for place, later in enumerate(dates)
        for earlier in dates[:place]
        if later not in found and _equal_share(columns[later], columns[earlier]) >= NEARLY_EQUAL
    ]
    return sorted([*found.values(), *near], key=lambda item: ranks[item.column])


def _is_part(fine: CodedRows, coarse: CodedRows, parents: IntArray) -> bool:
    """Tell whether the texts of a column are parts of those of another, as a year is of a date."""
    texts = [*coarse.texts, "?"]
    whole = zip(fine.texts, parents, strict=False)
    return all(len(texts[place]) > 2 and texts[place] in text for text, place in whole if place >= 0)


def _equal_share(one: CodedRows, other: CodedRows) -> float:
    """Return in how many rows two columns show the same text."""
    places = {text: place for place, text in enumerate(one.texts)}
    translated = np.array([*(places.get(text, -1) for text in other.texts), -1], dtype=np.int32)
    return float((translated[other.codes] == one.codes).mean())
