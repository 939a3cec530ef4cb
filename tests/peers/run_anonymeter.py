"""Attack the census table with anonymeter and keep the numbers beside the tests; run by hand.

Its linkability attack gives the attacker two sets of attributes of the same people and asks whether the
nearest released records by one set are among the nearest by the other. It is another attack than
Sfumato's, so that only the direction can be compared: a k-anonymous table must be harder to link than the
table itself. What is generalized here comes from the hierarchy files alone, by levels that k = 10 needs.

    python -m venv peers && peers/bin/pip install "anonymeter>=1.1,<2" pyarrow
    peers/bin/python tests/peers/run_anonymeter.py
"""

from __future__ import annotations

import json
import platform
import sys
import tomllib
import warnings
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "tests" / "golden" / "peers" / "anonymeter.json"
ADULT = ROOT / "src" / "sfumato" / "datasets" / "adult"
ONE = ["age", "workclass", "education", "marital-status"]
OTHER = ["race", "sex", "native-country", "salary-class"]
ROOTS = ["age", "native-country"]
LEVELS = {"workclass": 2, "education": 2, "marital-status": 2}
K, ATTACKS, NEIGHBOURS, SEED = 10, 1000, 10, 1


def generalize(data: Any) -> Any:
    """Return the table at the levels above, without classes of fewer than k rows."""
    import pandas as pd

    stated = tomllib.loads((ADULT / "adult.toml").read_text(encoding="utf-8"))["attributes"]
    found = data.copy()
    for name in ROOTS:
        found[name] = "*"
    for name, level in LEVELS.items():
        ladder = pd.read_csv(ADULT / stated[name]["hierarchy"]["file"], sep=";", header=None, dtype=str)
        found[name] = found[name].map(dict(zip(ladder[0], ladder[level], strict=True)))
    sizes = found.groupby(ONE + OTHER)[ONE[0]].transform("size")
    return found[sizes >= K]


def linkability(original: Any, released: Any, control: Any) -> dict[str, float]:
    """Return how often anonymeter links people."""
    import numpy as np
    from anonymeter.evaluators import LinkabilityEvaluator  # type: ignore[import-not-found]

    np.random.seed(SEED)
    evaluator = LinkabilityEvaluator(
        ori=original,
        syn=released,
        control=control,
        n_attacks=ATTACKS,
        n_neighbors=NEIGHBOURS,
        aux_cols=(ONE, OTHER),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evaluator.evaluate(n_jobs=1)
        found = evaluator.results()
        return {
            "attack_rate": float(found.attack_rate.value),
            "control_rate": float(found.control_rate.value),
            "risk": float(evaluator.risk().value),
        }


def main() -> None:
    """Attack the table itself and its generalization."""
    import numpy as np
    import pandas as pd

    data = pd.read_parquet(ADULT / "adult.parquet")[ONE + OTHER].astype(str)
    order = np.random.default_rng(SEED).permutation(len(data))
    original, control = data.iloc[order[3000:]], data.iloc[order[:3000]]
    released = generalize(original)
    versions = {name: metadata.version(name) for name in ("anonymeter", "pandas", "numpy")}
    stated = {
        "versions": {"python": platform.python_version(), **versions},
        "attributes": [ONE, OTHER],
        "k": K,
        "attacks": ATTACKS,
        "neighbours": NEIGHBOURS,
        "rows": {"original": len(original), "released": len(released)},
        "original": linkability(original, original, control),
        "released": linkability(original, released, control),
    }
    OUT.write_text(json.dumps(stated, indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(f"written to {OUT.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
