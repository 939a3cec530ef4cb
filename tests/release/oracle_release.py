"""What a release is, by definition: loops, dicts and fractions, nothing of the package.

A case is a table before the release: for every row its original values, whether it is
suppressed, its person and its sensitive values. All measures are taken from there, never
from the released file.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from tests.oracles import measures

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Column:
    """A quasi-identifier: its values, the block of each, and how blocks are written."""

    name: str
    values: list[str | None]
    block: dict[str | None, int]
    label: dict[int, str | None]
    kept: bool
    level: int
    height: int
    weight: float
    places: dict[str | None, int] | None = None

    def size(self, block: int) -> int:
        return sum(1 for value in self.values if self.block[value] == block)

    def members(self, block: int) -> list[str | None]:
        return [value for value in self.values if self.block[value] == block]

    def extent(self, block: int) -> Fraction:
        """Return how far the values of a block lie apart; all the way where missing is with others."""
        members = self.members(block)
        if len(members) == 1:
            return Fraction(0)
        if self.places is None:
            return Fraction(len(members) - 1, len(self.values) - 1)
        inside = [self.places[value] for value in members if value is not None]
        whole = max(max(self.places.values()), 1)
        return Fraction(1) if None in members else Fraction(max(inside) - min(inside), whole)

    def cell(self, value: str | None) -> str | None:
        return value if self.kept else self.label[self.block[value]]


@dataclass
class Case:
    """A table and what is done to it; ``secret[i]`` holds the sensitive values of row i."""

    columns: list[Column]
    rows: list[list[str | None]]
    sensitive: list[str]
    secret: list[list[str | None]]
    persons: list[str | None]
    suppressed: list[bool]
    mask: bool = False
    order: dict[str, list[str | None]] = field(default_factory=dict)
    levels: dict[str, list[list[int]]] = field(default_factory=dict)

    def kept(self) -> list[int]:
        return [i for i, gone in enumerate(self.suppressed) if not gone]

    def classes(self) -> list[list[int]]:
        found = defaultdict(list)
        for i in self.kept():
            key = tuple(c.cell(v) for c, v in zip(self.columns, self.rows[i], strict=True))
            found[key].append(i)
        return list(found.values())

    def released(self) -> tuple[list[str], list[list[str | None]]]:
        """Return header and rows of the release, with the person and its rows in the last columns."""
        header = [c.name for c in self.columns] + self.sensitive + ["person", "person_rows"]
        lines, known = [], Counter(self.persons)
        for i, row in enumerate(self.rows):
            if not self.suppressed[i]:
                cells = [c.cell(v) for c, v in zip(self.columns, row, strict=True)]
                who = self.persons[i]
                lines.append([*cells, *self.secret[i], who, str(known[who])])
            elif self.mask:
                lines.append(
                    ["*"] * len(self.columns)
                    + [None] * len(self.sensitive)
                    + [None, str(max(known[None], 1))]
                )
        return header, lines

    def rows_stated(self) -> dict[str, int]:
        gone = sum(self.suppressed)
        out = len(self.rows) if self.mask else len(self.rows) - gone
        return {"in": len(self.rows), "out": out, "suppressed": gone}


def write_csv(path: Path, header: list[str], lines: list[list[str | None]], delimiter: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(header)
        for line in lines:
            cells = ["" if cell is None else cell for cell in line]
            if cells == [""]:
                file.write('""\r\n')
            else:
                writer.writerow(cells)


def class_sizes(case: Case, by_person: bool) -> list[tuple[int, int]]:
    """Return rows and size of every class."""
    return [(len(c), len({case.persons[i] for i in c}) if by_person else len(c)) for c in case.classes()]


def table_measures(case: Case, *, by_person: bool = False) -> dict[str, int | Fraction]:
    sizes = class_sizes(case, by_person)
    n, q, gone = len(case.rows), len(case.columns), sum(case.suppressed)
    kept = case.kept()
    weights = [Fraction(str(c.weight)) for c in case.columns]
    gl, lost = Fraction(0), Fraction(q * gone)
    for i in kept:
        for j, column in enumerate(case.columns):
            if len(column.values) == 1:
                continue
            if not column.kept:
                size = column.size(column.block[case.rows[i][j]])
                gl += weights[j] * Fraction(size - 1, len(column.values) - 1) * q / sum(weights)
                lost += Fraction(column.level, column.height)
    spread = sum(rows * size for rows, size in sizes)
    apart = [row_diversity(case, i) for i in kept]
    return {
        "usefulness": 1 - (sum(apart, Fraction(0)) + gone) / n,
        "protection": len(apart) / sum(1 / part for part in apart) if all(apart) else 0,
        "k": min(size for _, size in sizes),
        "mean_k": Fraction(spread, len(kept)),
        "spread_k": spread,
        "dm": sum(rows**2 for rows, _ in sizes) + gone * n,
        "average_class": Fraction(len(kept), len(sizes)),
        "suppressed": gone,
        "sl": q * gone,
        "gl": gl,
        "glm": gl + q * gone,
        "loss": (gl + q * gone) / (n * q),
        "precision": 1 - lost / (n * q),
    }


def row_diversity(case: Case, number: int) -> Fraction:
    """Return Σ w·extent / Σ w over the cells of a row; a column that is kept has no extent."""
    total, weights = Fraction(0), Fraction(0)
    for value, column in zip(case.rows[number], case.columns, strict=True):
        weight = Fraction(str(column.weight))
        total += weight * (Fraction(0) if column.kept else column.extent(column.block[value]))
        weights += weight
    return total / weights


def attribute_measures(
    case: Case, number: int, *, by_person: bool = False
) -> dict[str, int | float | Fraction]:
    persons = case.persons if by_person else None
    name, classes = case.sensitive[number], case.classes()
    values, order = [secret[number] for secret in case.secret], case.order[case.sensitive[number]]
    tree = [dict(zip(order, map(str, level), strict=True)) for level in case.levels[name]]
    majority = sum(max(Counter(values[i] for i in members).values()) for members in classes)
    return {
        f"distinct_l({name})": measures.distinct_l(classes, values),
        f"share_l({name})": measures.share_l(classes, values, (), persons),
        f"entropy_l({name})": measures.entropy_l(classes, values, (), persons),
        f"recursive_l({name}, 2)": measures.recursive_l(classes, values, Fraction(2), (), persons),
        f"spread_l({name})": measures.spread_l(classes, values),
        f"cm({name})": len(values) - majority,
        f"t({name})": measures.t(classes, values),
        f"t({name}, ordered)": measures.t_ordered(classes, values, order),
        f"t({name}, hierarchical)": measures.t_hierarchical(classes, values, tree),
    }
