"""What other software finds in the same tables, where it defines the same."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf

ROOT = Path(__file__).resolve().parents[2]
PYCANON = json.loads((ROOT / "tests" / "golden" / "peers" / "pycanon.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "case", PYCANON["cases"], ids=lambda case: "-".join([*case["quasi_identifiers"], case["sensitive"]])
)
def test_pycanon(case: dict[str, Any]) -> None:
    """k, ℓ, entropy ℓ (cut to a whole number), α (one over share_l), t, discernibility, average size."""
    sensitive, theirs = case["sensitive"], case["numbers"]
    ours = sf.measure(ROOT / case["data"], case["quasi_identifiers"], [sensitive])
    assert ours["k"] == theirs["k"]
    assert ours[f"distinct_l({sensitive})"] == theirs["l"]
    assert math.floor(ours[f"entropy_l({sensitive})"]) == theirs["entropy_l"]
    assert 1 / ours[f"share_l({sensitive})"] == pytest.approx(theirs["alpha"], rel=1e-12)
    name = f"t({sensitive}, ordered)" if case["ordered"] else f"t({sensitive})"
    assert ours[name] == pytest.approx(theirs["t"], rel=1e-9)
    assert ours["dm"] == theirs["dm"]
    assert ours["average_class"] / ours["k"] == pytest.approx(theirs["average_ecsize"], rel=1e-12)


def test_the_numbers_say_where_they_come_from() -> None:
    """Versions stand beside them."""
    assert set(PYCANON["versions"]) == {"python", "pycanon", "pandas", "numpy"}
