"""Compute measures with pycanon and keep the numbers beside the tests: `nox -s peers`.

pycanon pins old libraries, so it runs in an environment of its own, and the tests compare with the
numbers that it left. What it calls recursive (c, ℓ)-diversity starts from the rarest value of a
class rather than from the most frequent one, which is another thing, and is left out.
"""

from __future__ import annotations

import json
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "tests" / "golden" / "peers" / "pycanon.json"
PATIENTS, ADULT = "examples/patients.csv", "src/sfumato/datasets/adult/adult.parquet"
CASES: list[tuple[str, list[str], str]] = [
    (PATIENTS, ["sex"], "diagnosis"),
    (PATIENTS, ["sex", "insurance"], "diagnosis"),
    (PATIENTS, ["sex", "insurance"], "age"),
    (PATIENTS, ["age", "sex"], "diagnosis"),
    (ADULT, ["sex", "race"], "occupation"),
    (ADULT, ["sex", "race", "workclass"], "occupation"),
    (ADULT, ["sex", "marital-status"], "age"),
]


def numbers_of(data: Any, quasi_identifiers: list[str], sensitive: str) -> dict[str, float]:
    """Return what pycanon finds in a table."""
    from pycanon import anonymity, metrics  # type: ignore[import-not-found]

    alpha, k = anonymity.alpha_k_anonymity(data, quasi_identifiers, [sensitive])
    return {
        "k": int(k),
        "l": int(anonymity.l_diversity(data, quasi_identifiers, [sensitive])),
        "entropy_l": int(anonymity.entropy_l_diversity(data, quasi_identifiers, [sensitive])),
        "alpha": float(alpha),
        "t": float(anonymity.t_closeness(data, quasi_identifiers, [sensitive])),
        "dm": int(metrics.discernability_metric(data, data, quasi_identifiers)),
        "average_ecsize": float(metrics.average_ecsize(data, data, quasi_identifiers)),
    }


def main() -> None:
    """Write the numbers of all cases."""
    import pandas as pd

    found = []
    for name, quasi_identifiers, sensitive in CASES:
        path = ROOT / name
        data = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
        data = data[[*quasi_identifiers, sensitive]].astype(dict.fromkeys(quasi_identifiers, str))
        found.append(
            {
                "data": name,
                "quasi_identifiers": quasi_identifiers,
                "sensitive": sensitive,
                "ordered": pd.api.types.is_numeric_dtype(data[sensitive]),
                "numbers": numbers_of(data, quasi_identifiers, sensitive),
            }
        )
    versions = {name: metadata.version(name) for name in ("pycanon", "pandas", "numpy")}
    stated = {"versions": {"python": platform.python_version(), **versions}, "cases": found}
    OUT.write_text(json.dumps(stated, indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(found)} cases written to {OUT.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
