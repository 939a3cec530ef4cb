"""What every study is held to: a quick run writes all, and the committed text belongs to its results."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from studies.__main__ import main
from studies.common import figures as look
from studies.common.figures import LARGEST
from studies.common.results import read_results

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from studies.common.results import Results
    from studies.common.study import Study

compiled = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="whole studies take hours without compiled kernels"
)


def run_quickly(study: Study, figures: Sequence[str], folder: Path) -> Results:
    """Run a study with ``--quick``; results.json, README.md and every figure are there, marked as quick."""
    assert main([study.name, "--quick", "--out", str(folder)]) == 0
    results = read_results(folder)
    assert results["quick"]
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert "quick run" in text
    for name in figures:
        assert f"figures/{name}.png" in text
        assert 5_000 < (folder / "figures" / f"{name}.png").stat().st_size <= LARGEST
    return results


def check_readme(study: Study, figures: Sequence[str], folder: Path) -> None:
    """Written again from results.json, the committed README is the same text; pictures are for quick runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(look, "save_figure", lambda figure, _: look.plt.close(figure))
        study.write(read_results(study.folder), folder)
    written = (folder / "README.md").read_text(encoding="utf-8")
    assert written == (study.folder / "README.md").read_text(encoding="utf-8")
    for name in figures:
        assert (study.folder / "figures" / f"{name}.png").stat().st_size <= LARGEST
