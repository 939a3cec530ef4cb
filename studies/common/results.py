"""``results.json``: all numbers of a study, written so that two runs can be compared line by line."""

from __future__ import annotations

import json
import os
import platform
from importlib import metadata
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

Results: TypeAlias = dict[str, Any]
"""Plain values that JSON can write, by names."""

FILE = "results.json"
PACKAGES = ("duckdb", "matplotlib", "moocore", "numba", "numpy", "pyarrow", "pymoo", "sfumato")


def results_text(results: Results) -> str:
    """Return results as JSON with sorted keys; a list of numbers stands on one line.

    Examples
    --------
    >>> print(results_text({"b": [1, 2], "a": [[1.5, 2], [3, 4]]}), end="")
    {
     "a": [
      [1.5, 2],
      [3, 4]
     ],
     "b": [1, 2]
    }
    """
    return _text(_plain(results), "") + "\n"


def write_results(results: Results, folder: Path) -> None:
    """Write ``results.json`` into a folder."""
    (folder / FILE).write_text(results_text(results), encoding="utf-8", newline="\n")


def read_results(folder: Path) -> Results:
    """Read ``results.json`` of a folder."""
    read: Results = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return read


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that shape results; absent ones are left out."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    if "sfumato" not in found:  # a checkout that is not installed
        import sfumato

        found["sfumato"] = sfumato.__version__
    return found


def cores() -> int:
    """Return how many cores a search may use: the one thing of a machine that results keep."""
    return os.cpu_count() or 1


def _plain(value: Any) -> Any:
    """Replace arrays and numpy numbers by lists and plain numbers."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    # Whole numbers without a point: shorter, and the same however they were counted.
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def _text(value: Any, indent: str) -> str:
    inner = indent + " "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_scalar(key)}: {_text(value[key], inner)}" for key in sorted(value)]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, (list, dict)) for item in value):
        lines = [inner + _text(item, inner) for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


__all__ = ["FILE", "Results", "cores", "read_results", "results_text", "versions", "write_results"]
