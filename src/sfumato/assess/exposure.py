"""What columns that are published unchanged give away: small classes, and columns that they predict."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.assess.cells import Cells, CodedTable, Survey, count_rows, number_tuples, read_cells
from sfumato.assess.pairing import Released, open_release, recode_cells
from sfumato.errors import DataError
from sfumato.table.keys import Roles, key
from sfumato.table.tally import draw_rows
from sfumato.words import list_words, percent_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.preparing import Prepared
    from sfumato.release import Draft
    from sfumato.table import Source, Table

MOST_ROWS = 20_000  # rows, drawn at random, by which predictions are judged
MANY = 100
"""A sensitive attribute with more values is tried as a predictor too: a date may be the twin of another."""
FEWEST_ROWS = 20  # fewer say nothing about a correlation
OFTEN, GAIN, CLOSE = 0.9, 0.1, 0.7
"""What counts as giving a column away: the share guessed right, what it gains, the rank correlation."""
REMEDY = "Make it a quasi-identifier, or leave it out."


@dataclass(frozen=True)
class Prediction:
    """How well an unchanged column predicts one that was generalized or removed."""

    column: str
    is_removed: bool  # not published at all; else generalized
    # how often the commonest value among other rows that look alike is right: with the unchanged column, and
    # without it
    right: float
    before: float
    # rank correlation with the unchanged column within each label; None where one of them lies on no line
    correlation: float | None

    @property
    def is_close(self) -> bool:
        """Whether it tells more than those who publish would expect."""
        is_exact = self.right >= OFTEN and self.right - self.before >= GAIN
        return is_exact or (self.correlation is not None and abs(self.correlation) >= CLOSE)

    def __str__(self) -> str:
        what = "not published" if self.is_removed else "generalized"
        if self.right >= OFTEN:
            how = f"right for {percent_words(self.right)} of the rows, {percent_words(self.before)} without"
        else:
            how = f"rank correlation {self.correlation:.2f}"
        return f"{self.column!r}, which is {what} ({how})"


@dataclass(frozen=True)
class Exposure:
    """What one column that is published unchanged gives away."""

    column: str
    rows: int  # published rows
    k: int  # the size that classes are expected to have
    # published rows in smaller classes, if the column is known besides the quasi-identifiers; those of one
    # row or person
    small: int
    unique: int
    is_alone: bool = False  # whether nothing but this column was taken to be known
    predicts: tuple[Prediction, ...] = ()  # columns that it gives away
    is_weight: bool = False  # whether it is the survey weight

    @property
    def findings(self) -> list[str]:
        """What it gives away, in words."""
        told = []
        if self.is_weight:
            told.append("it is the survey weight, which tells strata and often people apart")
        if self.small:
            known = "this alone" if self.is_alone else "it besides the quasi-identifiers"
            unique = f", {self.unique:,} of them unique" if self.unique else ""
            told.append(
                f"anyone who knows {known} finds {self.small:,} of {self.rows:,} rows in classes smaller "
                f"than {self.k}{unique}"
            )
        if self.predicts:
            told.append(f"it gives away {list_words(list(map(str, self.predicts)))}")
        return told

    def __str__(self) -> str:
        return f"{self.column!r} is published unchanged: {'; '.join(self.findings)}. {REMEDY}"


def expose_draft(draft: Draft) -> list[Exposure]:
    """Find what the unchanged columns of a release that was just made give away."""
    return _expose_table(draft.prepared.table, draft.promise.require, draft)


def expose_table(prepared: Prepared) -> list[Exposure]:
    """Find what unchanged columns would give away even if nothing were left of the quasi-identifiers."""
    return _expose_table(prepared.table, prepared.spec.require, None)


def _expose_table(table: Table, require: Mapping[str, float], draft: Draft | None) -> list[Exposure]:
    numerous = [name for name, domain in table.sensitive.items() if domain.size > MANY]
    return find_exposures(table.source, table.roles, require, draft, numerous)


def find_exposures(
    source: Source,
    roles: Roles,
    require: Mapping[str, float],
    made: Released | Draft | None,
    sensitive: Sequence[str],
) -> list[Exposure]:
    """Find what unchanged columns of the original give away in a release, or in any, those that do first."""
    others, names = readable(source, roles.others), roles.quasi_identifiers
    if not others and not sensitive:
        return []
    released = None if made is None else open_release(made)  # most have no such column: nothing is recoded
    k = max(int(require.get("k", 2)), 2)
    table = read_cells(source, (*names, *others), Survey(roles.person))
    cells, kept = _recode(table, source, released, names)
    found = find_small_classes(cells.keep(kept), names, others, k)
    removed = readable(source, (*roles.left_out, *roles.identifiers))
    columns = (*names, *others, *sensitive, *removed)
    sample = read_cells(draw_rows(source, columns, cells.row_count, MOST_ROWS), columns)
    judge = _Judge(sample, *_recode(sample, source, released, names, table), names)
    found = [replace(item, is_alone=released is None) for item in found]
    numerous = [name for name in sensitive if sample.cells.sizes[name] > MANY]
    rare = find_small_classes(read_cells(source, numerous).cells, (), numerous, k) if numerous else []
    # Rows whose sensitive value few others have: nothing is said unless most values are like that.
    found += [
        replace(item, is_alone=True) if 2 * item.small > item.rows else replace(item, small=0, unique=0)
        for item in rare
    ]
    told = []
    for item in found:
        predicts = tuple(judge.predictions(item.column, removed))
        told.append(replace(item, predicts=predicts, is_weight=item.column == roles.weight))
    return [item for item in told if item.findings]


def readable(source: Source, names: Sequence[str]) -> list[str]:
    """Return the columns whose values can be counted; those of odd types cannot."""
    found = []
    for name in names:
        with contextlib.suppress(DataError):
            key(source, name)
            found.append(name)
    return found


def find_small_classes(
    cells: Cells, names: Sequence[str], unchanged: Sequence[str], k: int
) -> list[Exposure]:
    """Count the rows in small classes over quasi-identifiers as published and one unchanged column each."""
    found = []
    for name in unchanged:
        rows = cells.classes((*names, name)).rows
        found.append(Exposure(name, cells.row_count, k, int(rows[rows < k].sum()), int((rows == 1).sum())))
    return found


def _recode(
    table: CodedTable,
    source: Source,
    released: Released | None,
    names: Sequence[str],
    whole: CodedTable | None = None,
) -> tuple[Cells, BoolArray]:
    """Return cells with quasi-identifiers as they are published, and which are; without a release, as *."""
    cells = table.cells
    if released is not None:
        recoded = recode_cells(table, source, released, whole)
        return recoded.cells, recoded.released
    nothing = np.zeros(len(cells.rows), dtype=np.int64)
    codes, sizes = dict.fromkeys(names, nothing), dict.fromkeys(names, 1)
    cells = replace(cells, codes={**cells.codes, **codes}, sizes={**cells.sizes, **sizes})
    return cells, np.ones(len(nothing), dtype=np.bool_)


class _Judge:
    """Guesses values of changed columns in a sample of the published rows."""

    def __init__(self, table: CodedTable, shown: Cells, kept: BoolArray, names: Sequence[str]) -> None:
        self.table, self.cells, self.shown = table, table.cells.keep(kept), shown.keep(kept)
        self.changed = [name for name in names if shown.sizes[name] < table.cells.sizes[name]]
        self.names = names
        self._ranks: dict[str, FloatArray | None] = {}
        self._best: dict[str, str] = {}  # removed column → quasi-identifier

    def predictions(self, name: str, removed: Sequence[str]) -> list[Prediction]:
        """Return the columns that an unchanged one gives away, the most certain ones first."""
        targets = [(about, False) for about in self.changed] + [(about, True) for about in removed]
        found = [self._predict(name, about, is_removed) for about, is_removed in targets if about != name]
        return sorted((item for item in found if item.is_close), key=lambda item: -item.right)

    def _predict(self, name: str, about: str, is_removed: bool) -> Prediction:
        rows, codes = self.cells.rows, self.cells.codes
        told = self._best_label(about) if is_removed else about
        label = self.shown.codes[told]
        known = number_tuples([label, codes[name]], [self.shown.sizes[told], self.cells.sizes[name]])
        # More to look at leaves fewer rows that look alike, so the column by itself may tell more.
        before, *both = (guess(seen, codes[about], rows) for seen in (label, known, codes[name]))
        right = max(both)
        return Prediction(about, is_removed, right, before, self._correlation(name, about, label))

    def _best_label(self, about: str) -> str:
        """Return the quasi-identifier whose labels tell most of a removed column by themselves."""
        if about not in self._best:
            ranks = self._rank(about)
            labels = [self.shown.codes[name] for name in self.names]
            if ranks is None:
                merit = [guess(label, self.cells.codes[about], self.cells.rows) for label in labels]
            else:
                merit = [-self._apart(ranks, label)[1] for label in labels]
            self._best[about] = self.names[int(np.argmax(merit))]
        return self._best[about]

    def _correlation(self, one: str, other: str, label: LongArray) -> float | None:
        """Return the rank correlation of two columns within labels, which are known anyway."""
        x, y = self._rank(one), self._rank(other)
        if x is None or y is None:
            return None
        there = np.isfinite(x) & np.isfinite(y)
        first, second = (self._apart(np.where(there, values, np.nan), label) for values in (x, y))
        rows = self.cells.rows
        if min(first[1], second[1]) <= 1e-9 * float(rows.sum()) or rows[there].sum() < FEWEST_ROWS:
            return None
        return float((rows * first[0] * second[0]).sum() / np.sqrt(first[1] * second[1]))

    def _apart(self, ranks: FloatArray, label: LongArray) -> tuple[FloatArray, float]:
        """Return how far ranks are from the mean of their label, 0 where they are missing; sum of squares."""
        there = np.isfinite(ranks)
        rows, values = np.where(there, self.cells.rows, 0), np.where(there, ranks, 0.0)
        count = np.maximum(np.bincount(label, weights=rows), 1)
        mean = np.bincount(label, weights=rows * values) / count
        apart = np.where(there, values - mean[label], 0.0)
        return apart, float((rows * apart**2).sum())

    def _rank(self, name: str) -> FloatArray | None:
        """Return the mean rank of each cell's value, NaN where it is missing; None where there is no line."""
        if name in self._ranks:
            return self._ranks[name]
        line, found = self.table.positions(name), None
        if line is not None:
            places = line[self.cells.codes[name]]
            there, found = np.isfinite(places), np.full(len(places), np.nan)
            _, place = np.unique(places[there], return_inverse=True)
            rows = np.bincount(place.reshape(-1), weights=self.cells.rows[there])
            found[there] = (np.cumsum(rows) - rows / 2)[place.reshape(-1)]
        self._ranks[name] = found
        return found


def guess(seen: LongArray, value: LongArray, rows: LongArray) -> float:
    """Return how often the commonest value among the *other* rows that look alike is right."""
    # A row that looks like no other one tells nothing here, so that a column does not seem to predict
    # everything only because its values are unique. A tie counts as right.
    if not len(rows):
        return 0.0
    pair = number_tuples([seen, value], [int(seen.max()) + 1, int(value.max()) + 1])
    count = count_rows(pair, rows, int(pair.max()) + 1)
    owner = np.zeros(len(count), dtype=np.int64)
    owner[pair] = seen
    order = np.lexsort((-count, owner))
    count, owner = count[order], owner[order]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    after = np.minimum(first + 1, len(count) - 1)
    rival = np.where((owner[after] == owner[first]) & (after > first), count[after], 0)
    top = count[first]
    return float(top[(top >= 2) & (top - 1 >= rival)].sum() / rows.sum())
