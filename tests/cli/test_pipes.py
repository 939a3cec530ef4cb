"""A reader that leaves early does not change what a command's status says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.some(2)
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize(
    "arguments", [["check", "patients.toml", "--json"], ["check", "patients.toml"], ["--help"]]
)
def test_a_full_device(arguments: list[str], unbuffered: str) -> None:
    """What cannot be printed is one line on standard error and status 2, whatever the work's was."""
    with Path("/dev/full").open("w", encoding="ascii") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sfumato", *arguments],
            cwd=ROOT / "examples",
            env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.stderr == "error: the output cannot be written: No space left on device.\n"
    assert done.returncode == 2


@pytest.mark.some(1)
@pytest.mark.skipif(os.name == "nt", reason="pipes of this shell are POSIX")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["check", "patients.toml", "--json"], 0), (["check", "missing.toml", "--json"], 2)],
)
def test_a_closed_pipe(arguments: list[str], status: int) -> None:
    """No traceback, and the status of the work itself."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", *arguments],
        cwd=ROOT / "examples",
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode == status
