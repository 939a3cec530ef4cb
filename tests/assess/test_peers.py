"""What other software finds in the same tables: the same numbers, or at least the same direction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "tests" / "golden" / "peers"
PYCANON = json.loads((PEERS / "pycanon.json").read_text(encoding="utf-8"))
ANONYMETER = json.loads((PEERS / "anonymeter.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "case", PYCANON["cases"], ids=lambda case: "-".join([*case["quasi_identifiers"], case["sensitive"]])
)
def test_pycanon(case: dict[str, Any]) -> None:
    """The highest chance is 1 / k, the mean class size k times the average, t the largest distance."""
    theirs = case["numbers"]
    found = sf.risk(ROOT / case["data"], case["quasi_identifiers"], [case["sensitive"]], subsets=False).before
    assert found.prosecutor.highest == pytest.approx(1 / theirs["k"])
    assert found.sizes.smallest == theirs["k"]
    assert found.sizes.mean == pytest.approx(theirs["average_ecsize"] * theirs["k"], rel=1e-12)
    secret = found.attributes[0]
    assert (secret.homogeneous_rows > 0) == (theirs["l"] == 1)
    if not case["ordered"]:
        assert secret.largest_distance == pytest.approx(theirs["t"], rel=1e-9)


def test_anonymeter_links_fewer_people_after_generalization_and_so_do_we() -> None:
    assert ANONYMETER["released"]["attack_rate"] < ANONYMETER["original"]["attack_rate"]
    assert ANONYMETER["released"]["risk"] < ANONYMETER["original"]["risk"]
    names = [name for side in ANONYMETER["attributes"] for name in side]
    spec = sf.Spec.load(sf.datasets.adult_spec_path()).model_copy(update={"require": {"k": ANONYMETER["k"]}})
    release = sf.anonymize(sf.datasets.adult_path(), spec)
    found = sf.risk(sf.datasets.adult_path(), names, release=release, subsets=False)
    for before, after in zip(found.linkage_before, found.linkage_after, strict=True):
        assert after.high < before.low


def test_the_numbers_say_where_they_come_from() -> None:
    assert set(ANONYMETER["versions"]) == {"python", "anonymeter", "pandas", "numpy"}
