"""Tables, ladders of levels, and the equivalence classes of a recoding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Value: TypeAlias = str | None
"""A cell as text; ``None`` is missing."""

Row: TypeAlias = tuple[Value, ...]
"""The quasi-identifiers of one row, in the order of the specification."""

Members: TypeAlias = list[int]
"""The row numbers of one class."""


@dataclass(frozen=True)
class Ladder:
    """The levels of generalization of one quasi-identifier.

    Parameters
    ----------
    attribute
        Name of the attribute.
    values
        The whole domain in the order of its codes, whether a value occurs or not;
        missing, if it belongs to the domain, comes last.
    levels
        For every level a dict from each value of the domain to its label. Two
        values share a block where they share a label. Level 0 changes nothing,
        the last level has one block.
    places
        Where each value but missing lies on a line, for numbers and dates; None for others.
    """

    attribute: str
    values: tuple[Value, ...]
    levels: tuple[dict[Value, Value], ...]
    places: dict[Value, int] | None = None

    @property
    def height(self) -> int:
        """Number of the most general level."""
        return len(self.levels) - 1


@dataclass(frozen=True)
class Table:
    """A table as the oracles see it.

    Parameters
    ----------
    ladders
        One for each quasi-identifier, in the order of the specification.
    rows
        The quasi-identifiers of every row.
    sensitive
        Attribute → its value in every row.
    persons
        The person of every row, or None where every row is a person.
    trees
        Sensitive attribute → its whole domain in order, with the levels of its hierarchy.
    unknown
        Sensitive attribute → its values that count as missing does.
    """

    ladders: tuple[Ladder, ...]
    rows: list[Row]
    sensitive: dict[str, list[Value]] = field(default_factory=dict)
    persons: list[str] | None = None
    trees: dict[str, Ladder] = field(default_factory=dict)
    unknown: dict[str, frozenset[Value]] = field(default_factory=dict)


def recoding_at(ladders: Sequence[Ladder], levels: Sequence[int]) -> list[dict[Value, Value]]:
    """Pick for every quasi-identifier the dict value → label of its level."""
    return [ladder.levels[level] for ladder, level in zip(ladders, levels, strict=True)]


def group(rows: Sequence[Row], recoding: Sequence[Mapping[Value, Value]]) -> dict[Row, Members]:
    """Group rows by their recoded quasi-identifiers.

    Parameters
    ----------
    rows
        The quasi-identifiers of every row.
    recoding
        For every quasi-identifier a dict from value to label.

    Returns
    -------
    dict
        Tuple of labels → row numbers, classes in the order of their first rows.
        A missing label (``None``) is a label like any other.
    """
    classes: dict[Row, Members] = {}
    for number, row in enumerate(rows):
        labels = tuple(blocks[value] for blocks, value in zip(recoding, row, strict=True))
        classes.setdefault(labels, []).append(number)
    return classes


def class_size(members: Iterable[int], persons: Sequence[str] | None = None) -> int:
    """Count the rows of a class, or its distinct persons where persons are named."""
    if persons is None:
        return len(list(members))
    return len({persons[number] for number in members})


__all__ = ["Ladder", "Members", "Row", "Table", "Value", "class_size", "group", "recoding_at"]
