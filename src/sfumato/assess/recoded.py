"""A table before and after a recoding, as codes: what the analyses work on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
from sfumato.assess.cells import number_tuples

ORDERED = ("number", "date", "ordinal")  # kinds whose values have an order
LIMIT = 100_000  # most rows that models and queries see; of a larger table, a random sample


@dataclass(frozen=True, eq=False)
class RecodedAttribute:
    """One attribute: its domain, and the block of each of its values."""

    # as in the specification
    name: str
    role: str
    kind: str
    # the block of each code; every code is its own block if the attribute is published as it is
    block: IntArray
    labels: tuple[str | None, ...] = field(repr=False)  # the text of each code; None is missing
    # codes from here on are missing, or values that a recipe does not know: they have no place in an order
    known: int
    # the number of each code, NaN without one; None for categories
    numbers: FloatArray | None = field(default=None, repr=False)
    # the number that each block is released as, where statistics are; NaN for a block without one
    shown: FloatArray | None = field(default=None, repr=False)
    # of a local recoding 1 for the codes that each label covers, else 0, shape (labels, codes): labels are
    # its blocks, and a code may be in several
    members: FloatArray | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """Number of codes."""
        return len(self.block)

    @property
    def is_ordered(self) -> bool:
        """Whether known values have an order."""
        return self.kind in ORDERED

    @cached_property
    def sizes(self) -> LongArray:
        """Codes in each block."""
        if self.members is not None:
            return np.asarray(self.members.sum(axis=1), dtype=np.int64)
        return np.bincount(self.block).astype(np.int64)

    def sum_blocks(self, values: FloatArray) -> FloatArray:
        """Return for each block the sum of something over its codes."""
        if self.members is not None:
            return np.asarray(self.members @ values)
        if values.ndim == 1:
            return count_rows(self.block, values, len(self.sizes))
        found = np.zeros((len(self.sizes), values.shape[1]))
        np.add.at(found, self.block, values)
        return found

    def spread(self, counts: FloatArray) -> FloatArray:
        """Return for each code what blocks give it that are spread alike over their codes."""
        if self.members is not None:
            return np.asarray((counts / self.sizes) @ self.members)
        return np.asarray((counts / self.sizes)[self.block])

    def block_means(self, values: FloatArray) -> FloatArray:
        """Return for each block the mean of something over its codes."""
        sums = self.sum_blocks(values)
        return sums / (self.sizes if values.ndim == 1 else self.sizes[:, None])

    @cached_property
    def block_numbers(self) -> FloatArray | None:
        """The number that stands for each block: what is shown, else the mean of its numbers; NaN without."""
        if self.numbers is None:
            return None
        has = ~np.isnan(self.numbers)
        total = self.sum_blocks(np.where(has, self.numbers, 0.0))
        count = self.sum_blocks(has.astype(np.float64))
        middle = np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
        return middle if self.shown is None else np.where(np.isnan(self.shown), middle, self.shown)


@dataclass(frozen=True, eq=False)
class Recoded:
    """The rows of a table in coded form, with what a release makes of them."""

    # Equal rows may stand together as one cell with a count. A released row shows the block of each value.
    attributes: tuple[RecodedAttribute, ...]  # the attributes
    codes: IntArray  # codes of the original values, shape (cells, attributes)
    rows: LongArray  # number of rows of each cell
    # whether the release keeps the rows of a cell; suppressed ones are removed or masked, which is the same
    # to an analyst
    kept: BoolArray
    persons: IntArray | None = None  # the person of each cell, or None where every row is a person
    # attribute → the label of each cell, where a local recoding gives a value several
    labels: Mapping[int, IntArray] = field(default_factory=dict)

    @cached_property
    def row_count(self) -> int:
        """Number of original rows."""
        return int(self.rows.sum())

    @cached_property
    def released(self) -> LongArray:
        """Number of released rows of each cell."""
        return np.where(self.kept, self.rows, 0)

    @cached_property
    def kept_count(self) -> int:
        """Number of released rows."""
        return int(self.released.sum())

    def blocks(self, attribute: int) -> IntArray:
        """Return the block of each cell in an attribute."""
        own = self.labels.get(attribute)
        return self.attributes[attribute].block[self.codes[:, attribute]] if own is None else own

    def counts(self, attribute: int) -> FloatArray:
        """Return how many original rows have each code."""
        return count_rows(self.codes[:, attribute], self.rows, self.attributes[attribute].size)

    def sampled(self, limit: int, rng: np.random.Generator) -> Recoded:
        """Return a random sample of so many rows, drawn without replacement; all where there are no more."""
        if self.row_count <= limit:
            return self
        drawn = rng.choice(self.row_count, limit, replace=False, shuffle=False)
        cells = np.searchsorted(np.cumsum(self.rows), drawn, side="right")
        rows = np.bincount(cells, minlength=len(self.rows)).astype(np.int64)
        some = rows > 0
        codes, kept = self.codes[some], self.kept[some]
        persons = None if self.persons is None else self.persons[some]
        labels = {number: own[some] for number, own in self.labels.items()}
        return replace(self, codes=codes, rows=rows[some], kept=kept, persons=persons, labels=labels)


def count_rows(numbers: IntArray | LongArray, rows: FloatArray | LongArray, size: int) -> FloatArray:
    """Count the rows of each number from 0 to size − 1, or sum what is given for each row."""
    return np.bincount(numbers, weights=rows, minlength=size).astype(np.float64)


def pool(attribute: RecodedAttribute, counts: FloatArray, most: int) -> LongArray:
    """Put the values of a domain into at most so many groups."""
    known = attribute.known
    if known <= most:
        return np.arange(attribute.size, dtype=np.int64)
    first = cut_order(counts[:known], most) if attribute.is_ordered else _rarest(counts[:known], most)
    after = int(first.max()) + 1 + np.arange(attribute.size - known, dtype=np.int64)
    return np.concatenate([first, after])


def cut_order(counts: FloatArray, most: int) -> LongArray:
    """Cut the order into runs by the rows that lie before the middle of each value."""
    total = max(float(counts.sum()), 1.0)
    middle = (np.cumsum(counts) - counts / 2) / total
    group = np.minimum((middle * most).astype(np.int64), most - 1)
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def _rarest(counts: FloatArray, most: int) -> LongArray:
    """Give the most frequent values groups of their own, in the order of their codes."""
    frequent = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    group = np.full(len(counts), most - 1, dtype=np.int64)
    group[frequent] = np.arange(most - 1)
    return group


def indicators(groups: LongArray) -> FloatArray:
    """Return one row for each code with a one in the column of its group."""
    found = np.zeros((len(groups), int(groups.max(initial=-1)) + 1))
    found[np.arange(len(groups)), groups] = 1.0
    return found


MOST_GROUPS = 20
MOST_BINS = 10


def encode_attribute(attribute: RecodedAttribute, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the point of each code and of each block."""
    most = MOST_BINS if attribute.is_ordered else MOST_GROUPS
    points = indicators(pool(attribute, counts, most))
    inside = attribute.block_means(points)
    if attribute.numbers is None or attribute.block_numbers is None:
        return points, inside
    has = ~np.isnan(attribute.numbers)
    weights = np.where(has, counts, 0.0)
    values = np.where(has, attribute.numbers, 0.0)
    total = max(float(weights.sum()), 1.0)
    mean = float((values * weights).sum()) / total
    deviation = float(np.sqrt((weights * (values - mean) ** 2).sum() / total)) or 1.0
    scores = [
        np.nan_to_num((numbers - mean) / deviation, nan=0.0)
        for numbers in (attribute.numbers, attribute.block_numbers)
    ]
    return np.column_stack([points, scores[0]]), np.column_stack([inside, scores[1]])


def number_patterns(columns: list[LongArray], length: int) -> tuple[LongArray, LongArray]:
    """Number the distinct rows of some columns."""
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    numbers = number_tuples(columns, sizes) if columns else np.zeros(length, dtype=np.int64)
    return numbers, np.unique(numbers, return_index=True)[1]
