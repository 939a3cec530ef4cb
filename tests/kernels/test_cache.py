"""Where compiled kernels are kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.kernels import _options

SOURCE = Path(__file__).resolve().parents[2] / "src"
SCRIPT = """
import numba
from sfumato.kernels import _options
writable = _options._is_writable
_options._is_writable = lambda folder: False
numba.config.CACHE_DIR = ""
_options._ensure_cache_folder()
from sfumato import warm_up
warm_up()
print(numba.config.CACHE_DIR)
"""


def test_a_private_folder_where_nothing_else_can_be_written(tmp_path: Path) -> None:
    """Neither the package nor the home can be written: kernels compile all the same."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(tmp_path), "TEMP": str(tmp_path)}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    folder = Path(done.stdout.strip())
    assert folder.parent == tmp_path
    assert folder.name.startswith("sfumato-kernels-")
    if os.name == "posix":
        assert folder.stat().st_mode & 0o077 == 0, "nobody else may plant compiled code there"


def test_a_folder_that_cannot_be_made_is_not_writable(tmp_path: Path) -> None:
    """Asked by trying, not by permission bits."""
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    assert not _options._is_writable(blocked / "folder")
    assert _options._is_writable(tmp_path / "folder")


@pytest.mark.parametrize("name", ["sfumato", "sfumato.spec", "sfumato.errors"])
def test_light_imports(name: str) -> None:
    """Importing the package loads no heavy library."""
    heavy = (
        "numba",
        "numpy",
        "duckdb",
        "narwhals",
        "pyarrow",
        "pandas",
        "polars",
        "plotly",
        "moocore",
        "rich",
    )
    script = f"import sys, {name}; print([lib for lib in {heavy!r} if lib in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == "[]"
