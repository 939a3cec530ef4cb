"""Folders of the form name=value, as Hive and Spark write them, are columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

PARTS = {
    "year=2023/area=a%20b": [1, 1, 2],
    "year=2024/area=c": [2, 2],
    "year=2024/area=__HIVE_DEFAULT_PARTITION__": [3],
}


def make(folder: Path, suffix: str) -> Path:
    for part, ages in PARTS.items():
        (folder / part).mkdir(parents=True)
        file = folder / part / f"rows{suffix}"
        if suffix == ".csv":
            file.write_text("age\n" + "".join(f"{age}\n" for age in ages))
        else:
            pq.write_table(pa.table({"age": ages}), file)
    return folder


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("pattern", ["", "*/*/*"])
def test_folders_are_columns(suffix: str, pattern: str, tmp_path: Path) -> None:
    found = make(tmp_path / "of=all", suffix) / f"{pattern}{suffix if pattern else ''}"
    # Pairs (2023, a b, 1) twice, (2023, a b, 2), (2024, c, 2) twice, (2024, missing, 3).
    measured = sf.measure(found, quasi_identifiers=["year", "area", "age"])
    assert (measured["rows"], measured["classes"], measured["k"]) == (6, 4, 1)
    assert sf.measure(found, quasi_identifiers=["year"])["k"] == 3
    with pytest.raises(DataError, match="of"):
        sf.measure(found, quasi_identifiers=["of"])


def test_one_file_has_no_partitions(tmp_path: Path) -> None:
    file = make(tmp_path, ".csv") / "year=2023/area=a%20b/rows.csv"
    with pytest.raises(DataError, match="year"):
        sf.measure(file, quasi_identifiers=["year"])


def test_folders_of_other_forms_are_refused(tmp_path: Path) -> None:
    folder = make(tmp_path, ".csv")
    (folder / "rows.csv").write_text("age\n1\n")
    with pytest.raises(DataError, match="name=value"):
        sf.measure(folder, quasi_identifiers=["age"])
