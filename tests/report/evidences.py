"""The evidence about a release of a small table, to be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sfumato as sf
from tests.cli.running import write_people

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.assess.gather import Evidence

PICK = "k >= 3"


def make_evidence(folder: Path) -> Evidence:
    """Explore, release and report in a folder; return what the report shows."""
    spec = sf.Spec.load(write_people(folder, 120))
    release = sf.explore(None, spec).pick(PICK).release()
    release.write(folder / "shared.csv")
    return release.report(folder / "report-internal.html", internal=True)
