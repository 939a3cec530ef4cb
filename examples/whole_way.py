"""From a table to its front, and from the front to a verified release.

Run it in this folder: python whole_way.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import sfumato as sf

HERE = Path(__file__).parent


def main(out: Path) -> None:
    """Explore the patients, pick two points of the front, and write one of them."""
    spec = sf.Spec.load(HERE / "patients.toml")
    front = sf.explore(HERE / "patients.csv", spec)
    print(front)

    for pick in ("knee", "k >= 10"):
        chosen = front.pick(pick)
        k, loss = chosen.value("k"), chosen.value("loss")
        print(f"{pick}: solution {chosen.number} with k = {k:.0f}, loss = {loss:.3f}")

    release = front.pick("k >= 10").release()
    manifest = release.write(out / "shared.csv")  # only if a recount of the file confirms its promise
    print(f"{manifest.rows['out']} rows released, {manifest.rows['suppressed']} suppressed")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder))
