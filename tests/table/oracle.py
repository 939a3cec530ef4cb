"""Coding and recoding with loops and dictionaries; imports nothing of the package."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Mapping, Sequence

Cell: TypeAlias = "str | int | float | bool | dt.date | None"
Row: TypeAlias = "dict[str, Cell]"
Label: TypeAlias = "Callable[[Cell], str | None]"


def is_missing(cell: Cell, missing: Sequence[str] = ("",)) -> bool:
    """Tell whether a cell is missing: nothing, an undefined number, or a text that says so."""
    return cell is None or cell != cell or (isinstance(cell, str) and cell in missing)


def domain(cells: Sequence[Cell], missing: Sequence[str] = ("",)) -> list[Cell]:
    """Return the distinct cells in order, missing last."""
    known = {cell for cell in cells if not is_missing(cell, missing)}
    last = [None] if any(is_missing(cell, missing) for cell in cells) else []
    return [*sorted(known), *last]  # type: ignore[type-var]


def cube(
    rows: Sequence[Row], names: Sequence[str], missing: Sequence[str] = ("",)
) -> dict[tuple[int, ...], int]:
    """Return the number of rows of each tuple of codes."""
    domains = {name: domain([row[name] for row in rows], missing) for name in names}
    return dict(Counter(tuple(code(domains[name], row[name], missing) for name in names) for row in rows))


def code(values: Sequence[Cell], cell: Cell, missing: Sequence[str] = ("",)) -> int:
    """Return the place of a cell in its domain."""
    return len(values) - 1 if is_missing(cell, missing) else list(values).index(cell)


def release(
    rows: Sequence[Row],
    labels: Mapping[str, Label],
    suppressed: set[tuple[str | None, ...]],
    *,
    sensitive: Sequence[str],
    output: str,
    columns: Sequence[str],
) -> list[Row]:
    """Recode rows: ``labels`` gives the label of a cell for each quasi-identifier."""
    released = []
    for row in rows:
        new = {name: row[name] for name in columns}
        new |= {name: label(None if is_missing(row[name]) else row[name]) for name, label in labels.items()}
        if tuple(new[name] for name in labels) in suppressed:
            if output == "drop":
                continue
            new |= dict.fromkeys(labels, "*") | dict.fromkeys(sensitive)
        released.append(new)
    return released


def by_size(cells: Sequence[Cell]) -> tuple[tuple[bool, Cell], ...]:
    """Return the key by which rows are sorted: missing last, numbers by size, texts by code points."""
    return tuple((is_missing(cell), 0 if is_missing(cell) else cell) for cell in cells)
