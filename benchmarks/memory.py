"""Peak memory of whole processes."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import psutil

from benchmarks import workloads

if TYPE_CHECKING:
    from pathlib import Path


def peak_memory_mb(*arguments: str) -> float:
    """Run a command line and return the largest resident memory seen, in MB."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=workloads.scratch(),
        env=workloads.environment(),
    )
    peak = [0]
    ended = threading.Event()

    def watch() -> None:
        watched = psutil.Process(process.pid)
        while not ended.wait(0.01):
            try:
                peak[0] = max(peak[0], watched.memory_info().rss)
            except psutil.Error:
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    _, errors = process.communicate()
    ended.set()
    watcher.join()
    if process.returncode:
        raise RuntimeError(errors.decode(errors="replace"))
    return peak[0] / 1e6


def anonymize(spec: Path) -> float:
    """Return the peak memory of anonymizing by a specification."""
    target = workloads.scratch() / "memory.parquet"
    return peak_memory_mb("-m", "sfumato", "anonymize", str(spec), "--out", str(target), "--force")


class Adult:
    """Adult from file to file."""

    timeout = 120
    unit = "MB"

    def setup(self) -> None:
        self.spec = workloads.scratch() / "adult-memory.toml"
        workloads.adult_spec(0.01, require={"k": 5}).save(self.spec)

    def track_peak_memory(self) -> float:
        return anonymize(self.spec)


class TenMillionRows:
    """Ten million rows from a parquet file to a sorted, verified one."""

    timeout = 900
    unit = "MB"

    def setup(self) -> None:
        self.spec = workloads.scratch() / "synthetic.toml"
        workloads.synthetic_spec(workloads.synthetic(10_000_000)).save(self.spec)

    def track_peak_memory(self) -> float:
        return anonymize(self.spec)
