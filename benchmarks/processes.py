"""Whole processes: what a user waits for at the terminal."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from benchmarks import workloads

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str) -> float:
    """Run a command line of the installed package in a process of its own; return its seconds."""
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        check=True,
        capture_output=True,
        cwd=workloads.scratch(),
        env=workloads.environment(),
    )
    return time.perf_counter() - begin


SFUMATO = ("-m", "sfumato")


class Start:
    """Importing the package and asking for help."""

    def time_import(self) -> None:
        run("-c", "import sfumato")

    def time_help(self) -> None:
        run(*SFUMATO, "--help")


class Anonymize:
    """Adult from file to file, kernels compiled earlier."""

    timeout = 120

    def setup(self) -> None:
        self.spec = workloads.scratch() / "adult.toml"
        workloads.adult_spec(0.01, require={"k": 5}).save(self.spec)
        self.time_anonymize()

    def time_anonymize(self) -> None:
        run(*SFUMATO, "anonymize", str(self.spec), "--out", str(workloads.scratch() / "out.csv"), "--force")


class Measure:
    """All measures of a million rows with five quasi-identifiers and one sensitive attribute."""

    timeout = 300

    def setup(self) -> None:
        self.path = workloads.synthetic(1_000_000)
        self.time_measure()

    def time_measure(self) -> None:
        names = ",".join(workloads.SYNTHETIC_QUASI_IDENTIFIERS)
        run(*SFUMATO, "measure", str(self.path), "--qi", names, "--sensitive", "diagnosis")


class Demo:
    """The demonstration: the first one, which compiles all that it needs, and the next."""

    timeout = 600

    def setup(self) -> None:
        self.folder = workloads.scratch()
        demo(self.folder)

    def track_first_seconds(self) -> float:
        return demo_from_scratch(self.folder)

    def track_first_processor_seconds(self) -> float:
        """Processor time of all cores: what other programs run beside it hardly matters."""
        before = os.times()
        demo_from_scratch(self.folder)
        after = os.times()
        return sum(after[2:4]) - sum(before[2:4])

    def time_second(self) -> None:
        demo(self.folder)


def demo(folder: Path) -> float:
    """Run the demonstration with the kernels that are there; return its seconds."""
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, *SFUMATO, "demo", "--out", str(folder / "demo"), "--force"],
        check=True,
        capture_output=True,
        env=workloads.environment(NUMBA_CACHE_DIR=str(folder / "cache")),
    )
    return time.perf_counter() - begin


def demo_from_scratch(folder: Path) -> float:
    """Run the demonstration with no kernel compiled yet; return its seconds."""
    shutil.rmtree(folder / "cache", ignore_errors=True)
    return demo(folder)
