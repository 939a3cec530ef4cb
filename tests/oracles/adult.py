"""Adult with its hierarchies, read with the csv module alone."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from .classes import Ladder, Table, Value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

QUASI_IDENTIFIERS = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
"""The nine quasi-identifiers of the golden optima, in their order."""


def read_complete_rows(path: Path, missing: str = "?") -> list[dict[str, str]]:
    """Read a CSV file with a header and keep the rows without a missing cell."""
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if missing not in row.values()]


def read_ladder(path: Path, attribute: str) -> Ladder:
    """Read a hierarchy: ``;`` between columns, no header, column i is level i, one line per value."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter=";"))
    levels: list[dict[Value, Value]] = []
    for column in range(len(lines[0])):
        levels.append({line[0]: line[column] for line in lines})
    return Ladder(attribute, tuple(line[0] for line in lines), tuple(levels))


def read_adult(
    folder: Path,
    quasi_identifiers: Sequence[str] = QUASI_IDENTIFIERS,
    sensitive: Sequence[str] = (),
) -> Table:
    """Read the complete rows of ``adult_train.csv`` with the hierarchies beside it.

    Parameters
    ----------
    folder
        Holds ``adult_train.csv`` and ``hierarchies_adult/``.
    quasi_identifiers, sensitive
        Names of columns.

    Returns
    -------
    Table
        30,162 rows; each domain is the leaves of its hierarchy, whether they occur or not.
    """
    records = read_complete_rows(folder / "adult_train.csv")
    hierarchies = folder / "hierarchies_adult"
    return Table(
        ladders=tuple(
            read_ladder(hierarchies / f"adult_hierarchy_{name}.csv", name) for name in quasi_identifiers
        ),
        rows=[tuple(record[name] for name in quasi_identifiers) for record in records],
        sensitive={name: [record[name] for record in records] for name in sensitive},
    )


__all__ = ["QUASI_IDENTIFIERS", "read_adult", "read_complete_rows", "read_ladder"]
