"""Small tables, drawn by Python's own generator, and the files they are written to."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json
import random
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet

if TYPE_CHECKING:
    from pathlib import Path

Cell: TypeAlias = str | int | float | dt.date | None
Table: TypeAlias = dict[str, list[Cell]]

ZIPS = ("01067", "01069", "01127", "04103", "04109", "10115", "10117", "10243")
JOBS = {
    "office": {"clerk": ["typist", "teller"], "expert": ["lawyer", "analyst"]},
    "hands": {"craft": ["mason", "smith", "joiner"], "care": ["nurse", "cook"]},
}
JOB_LEAVES = [leaf for group in JOBS.values() for leaves in group.values() for leaf in leaves]
RANKS = ("none", "low", "middle", "high", "top")
ILLS = {"lung": ["flu", "asthma"], "skin": ["rash", "burn"], "bone": ["gout", "break"]}
ILL_LEAVES = [leaf for leaves in ILLS.values() for leaf in leaves]
NOTES = ("plain", "with, comma", 'with "quotes"', "=1+1", "Zürich", "-3")
AREAS = [("A1", "A", "*"), ("A2", "A", "*"), ("B1", "B", "*"), ("B2", "B", "*"), ("B3", "B", "*")]


def draw_people(rows: int = 120, seed: int = 1, *, missing: bool = True) -> Table:
    """Draw people with columns of every kind, some of which depend on others."""
    chance = random.Random(seed)
    drawn: Table = {name: [] for name in COLUMNS}
    for number in range(rows):
        age = chance.randint(18, 79)
        ill = chance.choice(ILL_LEAVES[:3] if age < 50 else ILL_LEAVES)
        rank = min(4, max(0, (age - 18) // 15 + chance.randint(-1, 1)))
        born = dt.date(2020 - age, chance.randint(1, 12), chance.randint(1, 28))
        cells: list[Cell] = [
            f"person-{number:03}",
            f"P{chance.randrange(rows * 2 // 3):03}",
            age,
            chance.randint(300, 399) / 2,
            chance.choice(ZIPS),
            chance.choice("fm"),
            chance.choice(JOB_LEAVES),
            RANKS[rank],
            born,
            chance.choice(AREAS)[0],
            ill,
            1000 * (rank + chance.randint(1, 3)),
            chance.choice(NOTES),
            number % 7,
        ]
        for name, cell in zip(COLUMNS, cells, strict=True):
            lost = missing and name in ("job", "pay") and chance.random() < 0.04
            drawn[name].append(None if lost else cell)
    return drawn


COLUMNS = (
    *("name", "person", "age", "height", "zip", "sex", "job", "rank", "born", "area"),
    *("ill", "pay", "note", "visit"),
)


def draw_numbers(rows: int = 80, seed: int = 5) -> Table:
    """Draw measurements for microaggregation: three clouds, a few cells missing, a date and an order."""
    chance = random.Random(seed)
    names = ("code", "weight", "size", "pulse", "day", "rank", "ward")
    drawn: Table = {name: [] for name in names}
    for number in range(rows):
        cloud = chance.randrange(3)
        cells: list[Cell] = [
            f"c{number:03}",
            round(chance.gauss(60 + 15 * cloud, 5), 2),
            chance.randint(150 + 10 * cloud, 169 + 10 * cloud),
            None if chance.random() < 0.05 else chance.randint(55, 95),
            dt.date(2021, 1 + 3 * cloud, chance.randint(1, 28)),
            RANKS[chance.randint(cloud, cloud + 2)],
            "NS"[number % 2],
        ]
        for name, cell in zip(names, cells, strict=True):
            drawn[name].append(cell)
    return drawn


def take(table: Table, *names: str) -> Table:
    """Return some columns of a table."""
    return {name: table[name] for name in names}


def write_table(path: Path, table: Table) -> None:
    """Write a table in the format that the name of the file says."""
    kind = path.name.split(".", 1)[1]
    if kind in ("csv", "csv.gz", "tsv"):
        text = delimited(table, "\t" if kind == "tsv" else ",").encode()
        path.write_bytes(gzip.compress(text, mtime=0) if kind == "csv.gz" else text)
    elif kind == "jsonl":
        rows = [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
        path.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows), encoding="utf-8")
    elif kind == "parquet":
        parquet.write_table(pa.table(table), path)
    else:
        feather.write_feather(pa.table(table), str(path))


def delimited(table: Table, separator: str = ",") -> str:
    """Write a table as CSV; missing is empty."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return text.getvalue()


def write_areas(folder: Path) -> None:
    """Write the hierarchy of the column area."""
    text = "".join(";".join(row) + "\n" for row in AREAS)
    (folder / "areas.csv").write_text(text, encoding="utf-8")
