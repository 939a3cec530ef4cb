"""Rows sorted as numbers and rows sorted by the engine: the same bytes in every format."""

from __future__ import annotations

import datetime as dt
import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from sfumato.table import Leaving, coded_rows, write_table, writing
from sfumato.table.engine import connect

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ("csv", "csv.gz", "tsv", "parquet", "arrow", "jsonl", "xlsx")
CELLS: dict[str, list[Any]] = {
    "words": ["b", "a", "é", "Z", "*", None, "10", "9", 'say, "x"', "=1+1"],
    "blanks": ["", "x", "y"],
    "both": ["", None, "x"],
    "numbers": ["10", "9", "9.0", "1e3", "*", None, "-0", "007"],
    "wide": ["9007199254740993", "9007199254740992", "12"],
    "doubles": [1.5, -0.0, 0.0, None, float("nan"), 1e300, 2.0],
    "whole": [1.0, -0.0, 20.0, 3.0, None],
    "integers": [5, 40, -3, None, 2**60],
    "truth": [True, False, None],
    "days": [dt.date(1990, 1, 2), dt.date(985, 12, 31), None],
    "times": [dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 2, 3, 4, 5, 6), None],
    "constant": ["same"],
    "nothing": [None],
}
TYPES = {"nothing": pa.string()}


def table_of(names: list[str], rows: int, seed: int) -> pa.Table:
    draw = random.Random(seed)
    found = {name: [draw.choice(CELLS[name]) for _ in range(rows)] for name in names}
    return pa.table({name: pa.array(cells, TYPES.get(name)) for name, cells in found.items()})


def written(table: object, path: Path, leaving: Leaving) -> bytes:
    write_table(table, path, leaving=leaving)
    return path.read_bytes()


@pytest.mark.some(7)
@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("order", ["sorted", "input"])
@pytest.mark.parametrize("is_text", [False, True])
@pytest.mark.parametrize(
    "names", [[*CELLS], ["both", "words"], ["blanks", "numbers"], ["doubles"], ["words"]]
)
def test_the_same_bytes_either_way(
    names: list[str], is_text: bool, order: Any, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where types and order are taken from the texts of a text file, and where formulas are escaped."""
    kinds: Any = dict.fromkeys(names, "plain" if is_text else "own") | {"numbers": "number", "days": "date"}
    leaving = Leaving(kinds, order, "escape" if is_text else "keep", is_text)
    table = table_of(names, 400, seed=len(names))
    monkeypatch.setattr(writing, "BATCH_ROWS", 150)  # several batches, and a last one that is shorter
    coded = written(table, tmp_path / f"coded.{suffix}", leaving)
    monkeypatch.setattr(writing, "code_rows", lambda *_: None)
    assert coded == written(table, tmp_path / f"plain.{suffix}", leaving)


def test_keys_of_several_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one number does not hold a row, several do."""
    table, leaving = table_of([*CELLS], 300, seed=3), Leaving({})
    whole = written(table, tmp_path / "whole.csv", leaving)
    monkeypatch.setattr(coded_rows, "_LARGEST_KEY", 64)
    assert written(table, tmp_path / "parts.csv", leaving) == whole


def test_what_cannot_be_coded_is_sorted_by_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nested and categorical columns, and columns of too many distinct cells; relations are read again."""
    numbers = pa.array(range(50, 0, -1))
    for column in (
        pa.array([[number] for number in range(50)]),
        numbers.cast(pa.string()).dictionary_encode(),
    ):
        assert coded_rows.code_rows(pa.schema([("c", column.type)]), []) is None
        assert written(pa.table({"c": column}), tmp_path / "odd.parquet", Leaving({}))
    relation = connect().from_arrow(pa.table({"n": numbers}))
    few = written(relation, tmp_path / "few.csv", Leaving({}))
    monkeypatch.setattr(coded_rows, "_MOST_CELLS", 10)
    assert written(relation, tmp_path / "many.csv", Leaving({})) == few
    assert few.split() == [b"n", *(str(number).encode() for number in range(1, 51))]
