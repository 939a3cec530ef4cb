"""The Python of the README runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
RUNNABLE = [block for block in BLOCKS if "patients" not in block]


def test_there_is_something_to_run() -> None:
    """Two blocks need no data of one's own."""
    assert len(RUNNABLE) == 2


@pytest.mark.some(1)
@pytest.mark.parametrize("block", RUNNABLE, ids=["front", "own measure"])
def test_blocks_run(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty folder, as a script of its own."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
