"""The published optima of the census table, recounted from released files."""

from __future__ import annotations

import csv
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from sfumato.release.reference import kept_attribute, make_reference, recoded_attribute
from sfumato.verifier import Promise, holds, recount
from tests.release.oracle_release import write_csv

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [
    *("sex", "age", "race", "marital-status", "education"),
    *("native-country", "workclass", "occupation", "salary-class"),
]
GOLDEN = [
    ((0, 3, 1, 1, 2, 2, 1, 1, 0), "loss", 0.402001, 294, 263),
    ((0, 3, 0, 0, 2, 1, 1, 1, 0), "loss", 0.227700, 2553, 602),
    ((0, 0, 1, 2, 3, 2, 2, 1, 1), "dm", 7_220_555, 105, 356),
]


@pytest.mark.some(3)
@pytest.mark.parametrize("output", ["drop", "mask"])
@pytest.mark.parametrize(("levels", "measure", "value", "suppressed", "classes"), GOLDEN)
def test_an_optimum_is_recounted(
    tmp_path: Path,
    data_folder: Path,
    levels: tuple[int, ...],
    measure: str,
    value: float,
    suppressed: int,
    classes: int,
    output: str,
) -> None:
    ladders = [read_ladder(data_folder, name) for name in NAMES]
    recoded = recode(read_rows(data_folder), ladders, levels)
    sizes = Counter(recoded)
    gone = ("*",) * len(NAMES)
    lines = [row if sizes[row] >= 5 else gone for row in recoded]
    kept = [list(line) for line in lines if output == "mask" or line != gone]
    write_csv(tmp_path / "r.csv", NAMES, kept)  # type: ignore[arg-type]
    promise = Promise(
        tuple(NAMES),
        require={"k": 5},
        measures={measure: None, "suppressed": suppressed},
        rows={"in": len(recoded), "out": len(kept), "suppressed": suppressed},
        reference=make_reference(costs(ladders, levels), {}),
        output=output,  # type: ignore[arg-type]
    )
    found = recount(tmp_path / "r.csv", promise)
    assert holds(found, promise) == []
    assert found.measures[measure] == pytest.approx(value, abs=5e-7)
    assert (found.rows["suppressed"], found.classes) == (suppressed, classes)


def read_rows(folder: Path) -> list[tuple[str, ...]]:
    with (folder / "adult_train.csv").open(encoding="utf-8", newline="") as file:
        return [tuple(row[name] for name in NAMES) for row in csv.DictReader(file) if "?" not in row.values()]


def read_ladder(folder: Path, name: str) -> dict[str, list[str]]:
    path = folder / "hierarchies_adult" / f"adult_hierarchy_{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return {line[0]: line for line in csv.reader(file, delimiter=";")}


def recode(
    rows: list[tuple[str, ...]], ladders: list[dict[str, list[str]]], levels: tuple[int, ...]
) -> list[tuple[str, ...]]:
    steps = list(zip(ladders, levels, strict=True))
    return [
        tuple(ladder[cell][level] for cell, (ladder, level) in zip(row, steps, strict=True)) for row in rows
    ]


def costs(ladders: list[dict[str, list[str]]], levels: tuple[int, ...]) -> dict[str, dict[str, object]]:
    stated = {}
    for name, ladder, level in zip(NAMES, ladders, levels, strict=True):
        height = len(next(iter(ladder.values()))) - 1
        sizes = Counter(line[level] for line in ladder.values())
        recoded = recoded_attribute(list(sizes), list(sizes.values()), level=level, height=height)
        stated[name] = recoded if level else kept_attribute(height=height)
    return stated
