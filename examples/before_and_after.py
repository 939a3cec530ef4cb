"""See how anonymous a table is, before and after.

Run it in this folder: python before_and_after.py
"""

from __future__ import annotations

from pathlib import Path

import sfumato as sf

HERE = Path(__file__).parent
KNOWN = ["age", "zip", "sex", "admission", "insurance"]


def main() -> None:
    """Measure the patients, make the best release that meets the requirements, and measure that."""
    before = sf.measure(HERE / "patients.csv", KNOWN, ["diagnosis"])
    release = sf.anonymize(HERE / "patients.csv", sf.Spec.load(HERE / "patients.toml"))
    after = sf.measure(release.frame, KNOWN, ["diagnosis"])
    print(f"{'measure':<24}{'before':>12}{'after':>12}")
    for name in before:
        print(f"{name:<24}{before[name]:>12.4g}{after[name]:>12.4g}")


if __name__ == "__main__":
    main()
