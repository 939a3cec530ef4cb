"""Hierarchy files: one line for each leaf, one column for each level.

One row per value, column i is level i, no header. Columns are separated by ``;``;
where the first line has none, by tabs or commas. Fields may stand in double quotes, a
byte order mark and blank lines are passed over, the encoding is UTF-8.
"""

from __future__ import annotations

import contextlib
import csv
import io
import operator
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise, repeat
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import HierarchyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sfumato._typing import LongArray


@dataclass(frozen=True)
class LeafRows:
    """A hierarchy as rows: a value of the domain, then its label at each level."""

    attribute: str  # name of the attribute
    # one row for each leaf; entry i is its label at level i, the last one the root's
    rows: Sequence[Sequence[str]]
    source: str = ""  # where the rows come from: the name of a file, or empty
    lines: Sequence[int] = ()  # the line of each row in that file; empty where there is none

    @cached_property
    def first(self) -> list[LongArray]:
        """For every level, the first row that has the label of each row; rows must have one width."""
        return [
            np.fromiter(
                map(dict[str, int]().setdefault, map(itemgetter(level), self.rows), count()), np.int64
            )
            for level in range(len(self.rows[0]))
        ]

    def line(self, number: int) -> int:
        """Return the line of a row, counted from 1."""
        return self.lines[number] if self.lines else number + 1

    def where(self, number: int | None = None) -> str:
        """Return the place of a row, or of the whole, for an error."""
        if not self.source:
            return self.attribute
        return self.source if number is None else f"{self.source}:{self.line(number)}"


def problems(leaves: LeafRows, values: Sequence[str]) -> list[HierarchyError]:
    """Find everything that keeps rows from being a hierarchy of the data."""
    if _are_sound(leaves, values):
        return []
    # Rows with the wrong number of columns or with empty cells are left out of the later checks, so that one
    # mistake is not reported twice.
    if not leaves.rows:
        return [HierarchyError("the hierarchy has no rows.", where=leaves.where())]
    width = Counter(len(row) for row in leaves.rows).most_common(1)[0][0]
    if width == 1:
        message = (
            "the hierarchy has a single column. It needs the values and at least one level above them, "
            "separated by a semicolon, a comma or a tab."
        )
        return [HierarchyError(message, where=leaves.where(0))]
    found = [*_ragged(leaves, width), *_empty_cells(leaves)]
    sound = [number for number, row in enumerate(leaves.rows) if len(row) == width and "" not in row]
    found += _doubled(leaves, sound)
    for level in range(1, width - 1):
        found += _not_nested(leaves, sound, level)
    found += _several_roots(leaves, sound)
    found += _lacking(leaves, values)
    return found


def _are_sound(leaves: LeafRows, values: Sequence[str]) -> bool:
    """Tell whether rows are a hierarchy of the data, at little cost, since most are."""
    rows = leaves.rows
    if len(set(map(len, rows))) != 1 or len(rows[0]) < 2 or any(map(operator.contains, rows, repeat(""))):
        return False
    own, *levels = leaves.first
    return (
        bool((own == np.arange(len(rows))).all() and not levels[-1].any())
        and all((above[fine] == above).all() for fine, above in pairwise(levels))
        and {row[0] for row in rows}.issuperset(values)
    )


def _more(count: int, noun: str) -> str:
    return f" ({count:,} more {noun}{'s' if count > 1 else ''} likewise)" if count else ""


def _ragged(leaves: LeafRows, width: int) -> Iterator[HierarchyError]:
    """Report rows that do not have as many columns as most have."""
    wrong = [number for number, row in enumerate(leaves.rows) if len(row) != width]
    if wrong:
        right = next(number for number, row in enumerate(leaves.rows) if len(row) == width)
        count = len(leaves.rows[wrong[0]])
        yield HierarchyError(
            f"line {leaves.line(wrong[0])} has {count} column{'' if count == 1 else 's'}, "
            f"line {leaves.line(right)} has {width}{_more(len(wrong) - 1, 'line')}. "
            "Every line needs one entry for each level.",
            where=leaves.where(wrong[0]),
        )


def _empty_cells(leaves: LeafRows) -> Iterator[HierarchyError]:
    wrong = [number for number, row in enumerate(leaves.rows) if "" in row]
    if wrong:
        column = list(leaves.rows[wrong[0]]).index("") + 1
        yield HierarchyError(
            f"line {leaves.line(wrong[0])} is empty in column {column}{_more(len(wrong) - 1, 'line')}. "
            "Missing values need no line: they are placed directly under the root.",
            where=leaves.where(wrong[0]),
        )


def _doubled(leaves: LeafRows, sound: Sequence[int]) -> Iterator[HierarchyError]:
    """Report values that have more than one row, be the rows equal or not."""
    first: dict[str, int] = {}
    again = [number for number in sound if first.setdefault(leaves.rows[number][0], number) != number]
    if again:
        row = leaves.rows[again[0]]
        before = first[row[0]]
        line = f"line {leaves.line(before)}"
        repeated = (
            line if list(row) == list(leaves.rows[before]) else f"the value of {line} with other labels"
        )
        yield HierarchyError(
            f"line {leaves.line(again[0])} repeats {repeated}{_more(len(again) - 1, 'line')}. "
            "Each value needs exactly one line.",
            where=leaves.where(again[0]),
            values=list(dict.fromkeys(leaves.rows[number][0] for number in again)),
        )


def _not_nested(leaves: LeafRows, sound: Sequence[int], level: int) -> Iterator[HierarchyError]:
    """Report a level on which equal labels have different labels above them."""
    first: dict[str, int] = {}
    torn: dict[str, int] = {}
    for number in sound:
        row = leaves.rows[number]
        before = first.setdefault(row[level], number)
        if leaves.rows[before][level + 1] != row[level + 1]:
            torn.setdefault(row[level], number)
    if torn:
        label, number = next(iter(torn.items()))
        yield HierarchyError(
            f"level {level} does not nest in level {level + 1}: lines {leaves.line(first[label])} and "
            f"{leaves.line(number)} have one label at level {level} and two at level {level + 1}"
            f"{_more(len(torn) - 1, 'label')}.",
            where=leaves.where(number),
        )


def _several_roots(leaves: LeafRows, sound: Sequence[int]) -> Iterator[HierarchyError]:
    roots: dict[str, int] = {}
    for number in sound:
        roots.setdefault(leaves.rows[number][-1], number)
    if len(roots) > 1:
        second = list(roots.values())[1]
        yield HierarchyError(
            f"the last column has {len(roots):,} different texts. It must have one, the root (such as *).",
            where=leaves.where(second),
        )


def _lacking(leaves: LeafRows, values: Sequence[str]) -> Iterator[HierarchyError]:
    """Report values of the data that have no row."""
    known = {row[0] for row in leaves.rows if row}
    lacking = [value for value in values if value not in known]
    if lacking:
        yield HierarchyError(
            f"{len(lacking):,} of {len(values):,} distinct values of the data are missing from the "
            "hierarchy. Add them, or list them as missing.",
            where=leaves.attribute,
            values=lacking,
        )


SEPARATORS = (";", "\t", ",")


def read_leaves(path: Path, attribute: str, *, name: str | None = None) -> LeafRows:
    """Read the rows of a hierarchy; whether they make one is not checked here."""
    source = path.name if name is None else name
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        reason = error.strerror or "for an unknown reason"
        raise HierarchyError(
            f"the hierarchy cannot be read: {reason}.", where=f"{attribute} ({source})"
        ) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise HierarchyError(
            "the file is not UTF-8. Save it in that encoding.", where=f"{source}:{line}"
        ) from None
    return parse_leaves(text, attribute, source=source)


def parse_leaves(text: str, attribute: str, *, source: str) -> LeafRows:
    """Read the rows of a hierarchy from the text of a file."""
    separator = find_separator(text)
    with contextlib.suppress(csv.Error):
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        rows = list(reader)
        # One row a line, and none is blank.
        if len(rows) == reader.line_num and min(map(len, rows), default=0) > 1:
            return LeafRows(attribute, rows, source)
    rows = []
    lines: list[int] = []
    line = 1
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                rows.append(row)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error:
        raise HierarchyError(
            "a quoted field is not closed, or text follows its closing quote. Write a quote inside as two.",
            where=f"{source}:{line}",
        ) from None
    return LeafRows(attribute, rows, source, lines)


def find_separator(text: str) -> str:
    """Return the first of semicolon, tab and comma that splits the first line, quotes respected."""
    for separator in SEPARATORS:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        first = next((row for row in reader if row), [])
        if len(first) > 1:
            return separator
    return SEPARATORS[0]
