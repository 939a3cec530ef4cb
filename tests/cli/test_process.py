"""The command as a process of its own: light, and from file to file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Runs the command line and then tells, on standard error, which modules it has imported.
TELL_MODULES = """
import atexit, sys
sys.argv[0] = "sfumato"
atexit.register(lambda: print(" ".join(sorted(sys.modules)), file=sys.stderr))
from sfumato.cli.main import main
main()
"""


def start(*words: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", TELL_MODULES, *(str(word) for word in words)]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", env=environment, check=False
    )


def test_help_imports_nothing_heavy() -> None:
    found = start("--help")
    assert found.returncode == 0
    assert "anonymize" in found.stdout
    heavy = {
        "numpy",
        "numba",
        "duckdb",
        "pyarrow",
        "narwhals",
        "pydantic",
        "rich",
        "plotly",
        "pandas",
        "polars",
    }
    assert heavy & set(found.stderr.split()) == set()


def test_anonymize_from_file_to_file(spec: Path) -> None:
    out = spec.with_name("out.csv")
    found = start("anonymize", spec, "--out", out, "--json")
    assert found.returncode == 0
    assert json.loads(found.stdout)["file"] == str(out)
    assert out.is_file()
    needless = {"pandas", "polars", "plotly", "rich.console", "matplotlib", "IPython"}
    assert needless & set(found.stderr.split()) == set()


# What only some searches and pictures need; all of SciPy's linear algebra comes with what compiles.
RARELY = {"pymoo", "sklearn", "plotly", "pandas", "polars", "moocore", "scipy.linalg", "scipy.optimize"}


def test_commands_load_what_they_use(spec: Path) -> None:
    """What counts nothing needs no compiler, and what is compiled already no part of it that compiles."""
    out = spec.with_name("out.csv")
    start("anonymize", spec, "--out", out)
    kernels = RARELY | {"numba", "scipy"}
    columns = "sex,age"
    for words, needless in (
        (["check", spec], kernels),
        (["verify", out], kernels | {"pyarrow", "narwhals"}),
        (["measure", out, "--qi", columns], RARELY),
        (["anonymize", spec, "--out", out, "--force"], RARELY),
    ):
        found = start(*words)
        assert found.returncode == 0, found.stderr
        assert needless & set(found.stderr.split()) == set(), words[0]
