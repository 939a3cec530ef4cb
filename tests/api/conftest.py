"""A small table of patients that every backend can hold."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ATTRIBUTES: dict[str, dict[str, object]] = {
    "name": {"role": "identifier"},
    "age": {
        "role": "quasi-identifier",
        "hierarchy": {"intervals": [5, 20], "origin": 0, "bottom": 20, "top": 80},
    },
    "zip": {"role": "quasi-identifier", "hierarchy": {"mask": 5}},
    "sex": {"role": "quasi-identifier"},
    "work": {
        "role": "quasi-identifier",
        "hierarchy": {"tree": {"public": ["state", "city"], "private": ["company", "self"]}},
    },
    "diagnosis": {"role": "sensitive"},
    "dose": {"role": "other"},
}


def make_rows(count: int = 400, seed: int = 7) -> dict[str, list[Any]]:
    """Return columns of a made-up table; some cells are missing."""
    rng = random.Random(seed)
    columns: dict[str, list[Any]] = {name: [] for name in (*ATTRIBUTES, "note")}
    for number in range(count):
        columns["name"].append(f"person {number}")
        columns["age"].append(rng.randint(15, 90))
        columns["zip"].append(f"0{rng.choice('12')}{rng.choice('345')}{rng.randint(10, 14)}")
        columns["sex"].append(rng.choice(["f", "m", None] if number % 10 == 0 else ["f", "m"]))
        columns["work"].append(rng.choice(["state", "city", "company", "self"]))
        columns["diagnosis"].append(rng.choice(["flu", "cold", "cancer", "none"]))
        columns["dose"].append(rng.randint(1, 9) / 4)
        columns["note"].append("x")
    return columns


def make_spec(**parts: object) -> dict[str, object]:
    """Return the tables of a specification for these rows."""
    return {
        "attributes": ATTRIBUTES,
        "suppression": {"limit": 0.1},
        "require": {"k": 4},
        "objectives": {"minimize": ["loss"]},
        **parts,
    }


@pytest.fixture
def patients() -> dict[str, list[Any]]:
    """The columns."""
    return make_rows()


@pytest.fixture
def patients_csv(tmp_path: Path, patients: dict[str, list[Any]]) -> Path:
    """The same as a file."""
    import csv

    path = tmp_path / "patients.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(patients)
        rows.writerows(zip(*patients.values(), strict=True))
    return path
