"""The distinct tuples of a table as codes, and the classes that some of its columns make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from sfumato.errors import DataError
from sfumato.hierarchies import ROOT, Value
from sfumato.spec.sections import CountedUnits
from sfumato.table.keys import require_columns
from sfumato.table.tally import DistinctColumn, tally
from sfumato.table.values import rank, texts_of_array, type_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.assess.risk_results import Unit
    from sfumato.table import Source

TABLE = 1 << 22  # entries that a table of keys may always have; larger ones only where there are more rows
_LARGEST_KEY = 2**62
_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Cells:
    """The distinct tuples of some columns, in an order that does not depend on the engine."""

    codes: Mapping[str, LongArray]  # column → the code of each cell; missing is a code of its own
    sizes: Mapping[str, int]  # column → number of codes
    rows: LongArray  # rows of each cell
    persons: LongArray | None = None  # person of each cell, or None where every row is a person
    weights: FloatArray | None = None  # survey weight of a row of each cell, or None where there is none
    has_households: bool = False  # whether the persons are households

    @property
    def row_count(self) -> int:
        """The number of rows."""
        return int(self.rows.sum())

    @property
    def unit(self) -> Unit:
        """What classes are counted in."""
        return "row" if self.persons is None else "household" if self.has_households else "person"

    def keep(self, kept: BoolArray) -> Cells:
        """Return some of the cells."""
        codes = {name: column[kept] for name, column in self.codes.items()}
        persons = None if self.persons is None else self.persons[kept]
        weights = None if self.weights is None else self.weights[kept]
        return replace(self, codes=codes, rows=self.rows[kept], persons=persons, weights=weights)

    def classes(self, names: Iterable[str]) -> CellClasses:
        """Return the classes of some columns; without any, one class."""
        chosen = tuple(names)
        number = number_tuples([self.codes[name] for name in chosen], [self.sizes[name] for name in chosen])
        if not chosen:
            number = np.zeros(len(self.rows), dtype=np.int64)
        count = int(number.max(initial=-1)) + 1
        return CellClasses(number, count_rows(number, self.rows, count), self.count_records(number, count))

    def count_records(self, number: LongArray, count: int) -> LongArray:
        """Return the rows, or distinct persons or households, of each of so many classes of cells."""
        if self.persons is None:
            return count_rows(number, self.rows, count)
        people = int(self.persons.max(initial=0)) + 1
        pairs = np.unique(number * people + self.persons)
        return np.bincount(pairs // people, minlength=count).astype(np.int64)

    def estimate_population(self, classes: CellClasses) -> FloatArray:
        """Return how large each class is in the population: the sum of the weights of its records."""
        # A person or household counts with the smallest weight of its rows in the class, and no class is
        # smaller than in the table.
        assert self.weights is not None
        number, weights = classes.number, self.weights * self.rows
        if self.persons is not None:
            order = np.lexsort((self.weights, self.persons, number))
            number, who = number[order], self.persons[order]
            first = np.diff(number, prepend=-1).astype(bool) | np.diff(who, prepend=-1).astype(bool)
            number, weights = number[first], self.weights[order][first]
        total = np.bincount(number, weights=weights, minlength=len(classes.rows))
        return np.maximum(total, classes.records)


@dataclass(frozen=True, eq=False)
class CellClasses:
    """Classes of cells."""

    number: LongArray  # the class of each cell, from 0 on without gaps
    rows: LongArray  # rows of each class
    records: LongArray  # its size: rows, or distinct persons or households where these are named


def count_rows(number: LongArray, rows: LongArray, count: int) -> LongArray:
    """Return the rows of each number from 0 to ``count`` − 1, exactly."""
    # Sums of doubles are exact up to 2**53 rows.
    return np.bincount(number, weights=rows, minlength=count).astype(np.int64)


def number_tuples(columns: Sequence[LongArray], sizes: Sequence[int]) -> LongArray:
    """Number tuples of codes in their order, equal tuples alike, without gaps."""
    if not columns:
        return np.zeros(0, dtype=np.int64)
    key, span = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column, size in zip(columns, sizes, strict=True):
        if span > _LARGEST_KEY // max(size, 1):
            key = compact(key, span)
            span = int(key.max(initial=0)) + 1
        key = key * size + column
        span *= size
    return compact(key, span)


def compact(key: LongArray, span: int) -> LongArray:
    """Number keys, which are all below the span, in their order and without gaps."""
    if span <= max(TABLE, 4 * len(key)):
        # A table of all possible keys is far quicker than sorting those that occur.
        occurs = np.zeros(span, dtype=bool)
        occurs[key] = True
        return (np.cumsum(occurs) - 1)[key]
    _, number = np.unique(key, return_inverse=True)
    return number.reshape(-1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class CodedTable:
    """The cells of a source, with the values behind the codes."""

    cells: Cells  # the cells
    # column → its distinct values; their places are in the engine's order, the codes in that of `ranks`
    columns: Mapping[str, DistinctColumn]
    ranks: Mapping[str, LongArray]  # column → the code of each value

    def texts(self, name: str) -> list[str | None]:
        """Return the text of each code; None is missing."""
        return self._by_code(name, texts_of_array(self.columns[name].values))

    def typed(self, name: str) -> tuple[str, list[Value]]:
        """Return the kind of a column and the typed value of each code; None is missing."""
        from sfumato.hierarchies.kinds import find_format
        from sfumato.spec import AttributeSpec

        asked, column = AttributeSpec(role="quasi-identifier"), self.columns[name].values
        kind, values = type_values(name, column, asked)
        spelt = find_format([str(text) for text in values]) if kind == "category" else None
        if spelt is not None:
            kind, values = type_values(name, column, asked.model_copy(update={"format": spelt[0]}))
        return kind, self._by_code(name, values)

    def positions(self, name: str) -> FloatArray | None:
        """Return where each code lies on a line, NaN where it is missing; None where there is no line."""
        from sfumato.hierarchies.kinds import as_time

        kind, values = self.typed(name)
        if kind not in ("number", "date"):
            return None
        place: Callable[[Any], float] = float if kind == "number" else lambda day: as_time(day).timestamp()
        return np.array([np.nan if value is None else place(value) for value in values])

    def without_masked(self, names: Sequence[str]) -> Cells:
        """Leave out suppressed rows that stand there as ``*`` throughout: they are nobody."""
        stars = {name: np.array([text == ROOT for text in self.texts(name)]) for name in names}
        is_masked = np.all([own[self.cells.codes[name]] for name, own in stars.items()], axis=0)
        return self.cells.keep(~is_masked)

    def _by_code(self, name: str, values: Sequence[_T]) -> list[_T | None]:
        found: list[_T | None] = [None] * self.cells.sizes[name]
        for code, value in zip(self.ranks[name].tolist(), values, strict=True):
            found[code] = value
        return found


@dataclass(frozen=True)
class Survey(CountedUnits):
    """The columns that say who and how many people a row is about."""

    person: str | None = None
    household: str | None = None
    weight: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that are there."""
        return tuple(name for name in (self.person, self.household, self.weight) if name is not None)


def read_cells(source: Source, names: Sequence[str], survey: Survey | None = None) -> CodedTable:
    """Count the distinct tuples of some columns, in one pass over the rows."""
    survey = Survey() if survey is None else survey
    unit, weight = survey.unit, survey.weight
    asked = (*names, *(name for name in (unit, weight) if name is not None))
    require_columns(asked, source.columns)
    if len(set(names)) < len(names):
        raise DataError("a column is named twice. Name every column once.", where=source.name)
    counted = tally(source, tuple(dict.fromkeys(asked)))
    ranks = {name: rank(column.values).astype(np.int64) for name, column in counted.columns.items()}
    coded = {
        # Missing is at place -1, which is the last one here.
        name: np.append(ranks[name], len(ranks[name]))[column.places]
        for name, column in counted.columns.items()
    }
    sizes = {name: len(ranks[name]) + column.has_missing for name, column in counted.columns.items()}
    order = np.argsort(number_tuples(list(coded.values()), list(sizes.values())), kind="stable")
    codes, lengths = {name: coded[name][order] for name in names}, {name: sizes[name] for name in names}
    persons = None if unit is None else coded[unit][order]
    weights = None if weight is None else counted.weigh(weight)[order]
    cells = Cells(codes, lengths, counted.rows[order], persons, weights, survey.household is not None)
    return CodedTable(cells, counted.columns, ranks)
