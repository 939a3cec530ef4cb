"""Measure what RESULTS.md states, and write it with machine and date: ``python -m benchmarks.record``.

It takes half an hour on a machine that does nothing else. Name parts to measure these alone.
"""

from __future__ import annotations

import datetime as dt
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import sfumato

FILE = Path(__file__).with_name("RESULTS.md")
PARTS = {
    "figures": ("The product, aims beside figures", ("benchmarks.figures",)),
    "calls": ("Whole calls and commands", ("benchmarks.calls",)),
    "local": ("Local recoding", ("benchmarks.local",)),
    "annealing": ("Microaggregation by annealing", ("benchmarks.microaggregation", "annealing")),
    "app": ("The web app with a million rows", ("benchmarks.app",)),
}
HEAD = """# Results

Written by `python -m benchmarks.record`; times are seconds on the clock unless a line says otherwise. Ratios
and processor time hold on other machines, seconds do not.
"""


def machine() -> str:
    """Return what the figures were measured on."""
    model = "unknown processor"
    if Path("/proc/cpuinfo").exists():
        found = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
        model = found[1] if found else model
    python = platform.python_version()
    return f"{model}, {os.cpu_count()} cores, Python {python}, Sfumato {sfumato.__version__}"


def measure(name: str) -> str:
    """Run a part, show what it prints, and return its section."""
    title, words = PARTS[name]
    lines = []
    with subprocess.Popen([sys.executable, "-m", *words], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            sys.stdout.write(line)
            lines.append(line.rstrip())
    if process.returncode:
        raise SystemExit(f"{name} failed.")
    when = dt.datetime.now(dt.UTC).date()
    command = " ".join(("python -m", *words))
    text = "\n".join(lines)
    return f"## {title}\n\n`{command}`, {when}, {machine()}:\n\n```\n{text}\n```\n"


def main() -> None:
    """Write the parts that are named, or all."""
    old = FILE.read_text(encoding="utf-8") if FILE.exists() else ""
    sections = dict(re.findall(r"^(## [^\n]+\n)(.*?)(?=^## |\Z)", old, flags=re.M | re.S))
    for name in sys.argv[1:] or PARTS:
        title, body = measure(name).split("\n", 1)
        sections[f"{title}\n"] = body
        order = [f"## {title}\n" for title, _ in PARTS.values()]
        text = "\n".join(title + sections[title].rstrip("\n") + "\n" for title in order if title in sections)
        FILE.write_text(f"{HEAD}\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main()
