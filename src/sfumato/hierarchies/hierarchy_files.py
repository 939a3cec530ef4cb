"""Hierarchy files, one line for each leaf and one column for each level; and trees of a specification.

One row per value, column i is level i, no header. Columns are separated by ``;``;
where the first line has none, by tabs or commas. Fields may stand in double quotes, a
byte order mark and blank lines are passed over, the encoding is UTF-8.
"""

from __future__ import annotations

import csv
import io
import operator
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise, repeat
from pathlib import Path
from typing import TypeAlias, overload

import numpy as np

from sfumato._typing import BoolArray, LongArray
from sfumato.errors import HierarchyError
from sfumato.hierarchies.hierarchy import ROOT


class CellRows(Sequence[Sequence[str]]):
    """Rows of one width that are only made when somebody reads them: one list for each takes longest."""

    def __init__(self, cells: list[str], width: int) -> None:
        self.cells, self.width = cells, width

    def __len__(self) -> int:
        return len(self.cells) // self.width

    @overload
    def __getitem__(self, place: int) -> list[str]: ...
    @overload
    def __getitem__(self, place: slice) -> list[list[str]]: ...
    def __getitem__(self, place: int | slice) -> list[str] | list[list[str]]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        start = range(len(self))[place] * self.width
        return self.cells[start : start + self.width]


def starts_of(changes: BoolArray) -> LongArray:
    """Return where blocks begin, given for each value but the first if it differs from the one before."""
    return np.concatenate(([0], np.flatnonzero(changes) + 1))


def runs_of(labels: Sequence[str]) -> LongArray:
    """Return where runs of equal labels begin; there must be a label."""
    changes = map(operator.ne, labels[1:], labels)
    return starts_of(np.fromiter(changes, dtype=np.bool_, count=len(labels) - 1))


@dataclass(frozen=True)
class LeafRows:
    """A hierarchy as rows: a value of the domain, then its label at each level."""

    attribute: str  # name of the attribute
    # one row for each leaf; entry i is its label at level i, the last one the root's
    rows: Sequence[Sequence[str]]
    source: str = ""  # where the rows come from: the name of a file, or empty
    lines: Sequence[int] = ()  # the line of each row in that file; empty where there is none

    @property
    def width(self) -> int:
        """How many columns every row has; 0 where they differ."""
        if isinstance(self.rows, CellRows):
            return self.rows.width
        widths = set(map(len, self.rows))
        return widths.pop() if len(widths) == 1 else 0

    @cached_property
    def columns(self) -> list[list[str]]:
        """The labels of all rows, level by level; rows must have one width."""
        rows = self.rows
        cells = rows.cells if isinstance(rows, CellRows) else list(chain.from_iterable(rows))
        return [cells[level :: self.width] for level in range(self.width)]

    @cached_property
    def first(self) -> list[LongArray]:
        """For every level above the leaves, the first row that has the label of each row."""
        found = []
        for labels in self.columns[1:]:
            # Of rows with one label that follow each other, one is looked up.
            starts = runs_of(labels)
            firsts, heads = starts.tolist(), [labels[start] for start in starts.tolist()]
            if len(set(heads)) < len(heads):
                firsts = list(map(dict[str, int]().setdefault, heads, firsts))
            found.append(np.repeat(firsts, np.diff(starts, append=len(labels))))
        return found

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
    roots: dict[str, int] = {}
    for number in sound:
        roots.setdefault(leaves.rows[number][-1], number)
    if len(roots) > 1:
        message = (
            f"the last column has {len(roots):,} different texts. It must have one, the root (such as *)."
        )
        found.append(HierarchyError(message, where=leaves.where(list(roots.values())[1])))
    known = {row[0] for row in leaves.rows if row}
    lacking = [value for value in values if value not in known]
    if lacking:
        message = (
            f"{len(lacking):,} of {len(values):,} distinct values of the data are missing from the "
            "hierarchy. Add them, or list them as missing."
        )
        found.append(HierarchyError(message, where=leaves.attribute, values=lacking))
    return found


def _are_sound(leaves: LeafRows, values: Sequence[str]) -> bool:
    """Tell whether rows are a hierarchy of the data, at little cost, since most are."""
    if leaves.width < 2 or any("" in labels for labels in leaves.columns):
        return False
    own, levels = set(leaves.columns[0]), leaves.first
    return (
        len(own) == len(leaves.rows)
        and not levels[-1].any()
        and all((above[fine] == above).all() for fine, above in pairwise(levels))
        and own.issuperset(values)
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
        repeated = f"line {leaves.line(before)}"
        if list(row) != list(leaves.rows[before]):
            repeated = f"the value of {repeated} with other labels"
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
    plain = text.replace("\r\n", "\n").removesuffix("\n")
    if '"' not in plain and "\r" not in plain:
        widths = set(map(str.count, plain.split("\n"), repeat(separator)))
        if len(widths) == 1 and (width := widths.pop() + 1) > 1:
            return LeafRows(
                attribute, CellRows(plain.replace("\n", separator).split(separator), width), source
            )
    rows: list[list[str]] = []
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


NodePath: TypeAlias = tuple[str, ...]


def read_tree(tree: object, attribute: str) -> tuple[LeafRows, dict[str, int]]:
    """Return one row of labels for each leaf, and the depth of leaves less deep than the deepest."""
    # The specification has checked the shape: nested tables and lists of any depth.
    paths = list(_walk(tree, (), attribute))
    _check_names(paths, attribute)
    height = max(len(path) for path in paths)
    rows = [(*(path[min(len(path), height - level) - 1] for level in range(height)), ROOT) for path in paths]
    depths = {path[-1]: len(path) for path in paths if len(path) < height}
    return LeafRows(attribute, rows), depths


def _walk(node: object, path: NodePath, attribute: str) -> Iterator[NodePath]:
    """Yield the path of every leaf below a node, the leaf itself last."""
    if isinstance(node, dict):
        for name, child in node.items():
            yield from _walk(child, (*path, name), attribute)
    elif isinstance(node, list):
        names = Counter(name for entry in node if isinstance(entry, dict) for name in entry)
        for name, count in names.items():
            if count > 1:
                raise HierarchyError(
                    f"{_node(path)} has {count} groups with the name {name!r}. Merge them.", where=attribute
                )
        for child in node:
            yield from _walk(child, path, attribute)
    else:
        yield (*path, str(node))


def _check_names(paths: Sequence[NodePath], attribute: str) -> None:
    """Raise HierarchyError where a name is empty or two nodes could be confused."""
    for path in paths:
        if "" in path:
            raise HierarchyError(
                f"{_node(path[: path.index('')])} holds an empty text. Missing values need no leaf: they "
                "are placed directly under the root.",
                where=attribute,
            )
    deepest = _inner_nodes(paths, attribute)
    for path in paths:
        node = deepest.get(path[-1])
        if node is not None and not _is_below(path, node):
            raise HierarchyError(
                f"{_node(node)} has the name of a leaf that is not below it but under {_shown(path[:-1])}. "
                "Rename the node.",
                where=attribute,
            )


def _inner_nodes(paths: Sequence[NodePath], attribute: str) -> dict[str, NodePath]:
    """Return the deepest inner node of every name; those of one name must lie below each other."""
    seen: set[NodePath] = set()
    deepest: dict[str, NodePath] = {}
    for path in paths:
        for node in (path[:depth] for depth in range(1, len(path))):
            if node in seen:
                continue
            seen.add(node)
            before = deepest.get(node[-1])
            if node[-1] == ROOT:
                raise HierarchyError(f"{_node(node)} has the label of the root. Rename it.", where=attribute)
            if before is not None and not _is_below(node, before):
                raise HierarchyError(
                    f"{_node(node)} has the same name as {_shown(before)}: in a release they could not be "
                    "told apart. Rename one of them.",
                    where=attribute,
                )
            deepest[node[-1]] = node
    return deepest


def _is_below(path: NodePath, node: NodePath) -> bool:
    """Tell whether a path leads through a node and further down."""
    return len(path) > len(node) and path[: len(node)] == node


def _shown(path: NodePath) -> str:
    return " > ".join(repr(name) for name in path) or "the root"


def _node(path: NodePath) -> str:
    return f"the node {_shown(path)}" if path else "the root"
