"""Expected outputs on disk, and what differs from them."""

from __future__ import annotations

import difflib
import platform
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tests.goldens.masking import round_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

EXPECTED = Path(__file__).with_name("expected")
WRITTEN_WITH = "written-with.txt"
LIBRARIES = ("numpy", "numba", "scipy", "duckdb", "pyarrow", "pymoo")
LONGEST = 60


def surroundings() -> str:
    """Return what the last digits of a number may depend on: processor and libraries."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    versions = [f"{name} {version(name)}" for name in LIBRARIES]
    return "\n".join([f"{platform.system()} {platform.machine()}", " ".join(found), *versions]) + "\n"


def is_exact(root: Path = EXPECTED) -> bool:
    """Tell whether the goldens were written in surroundings like these, so that every digit counts."""
    file = root / WRITTEN_WITH
    return file.is_file() and file.read_text(encoding="utf-8") == surroundings()


def read_expected(case: str, root: Path = EXPECTED) -> dict[str, str]:
    """Read the goldens of a case."""
    return {file.name: file.read_bytes().decode() for file in sorted((root / case).glob("*"))}


def write_expected(case: str, outputs: Mapping[str, str], root: Path = EXPECTED) -> list[str]:
    """Write the goldens of a case; return the names of those that changed."""
    folder, known = root / case, read_expected(case, root)
    folder.mkdir(parents=True, exist_ok=True)
    for name in known.keys() - outputs.keys():
        (folder / name).unlink()
    changed = [name for name in sorted({*known, *outputs}) if known.get(name) != outputs.get(name)]
    for name in changed:
        if name in outputs:
            (folder / name).write_bytes(outputs[name].encode())
    return changed


def difference(expected: Mapping[str, str], found: Mapping[str, str], *, exact: bool) -> str:
    """Return what differs: the first file as a unified diff, the others by name; empty if nothing does.

    Parameters
    ----------
    expected, found
        Outputs by name.
    exact
        Whether all digits count, or twelve.
    """
    wrong = [
        name
        for name in sorted({*expected, *found})
        if _compared(expected.get(name), exact) != _compared(found.get(name), exact)
    ]
    if not wrong:
        return ""
    first, *others = wrong
    if first not in expected or first not in found:
        told = f"{first}: {'nobody expected it' if first in found else 'it is expected, and missing'}"
    else:
        told = "\n".join(_diff(first, expected[first], found[first]))
    return told + (f"\nalso different: {', '.join(others)}" if others else "")


def _compared(text: str | None, exact: bool) -> str | None:
    return text if text is None or exact else round_numbers(text)


def _diff(name: str, expected: str, found: str) -> list[str]:
    """Return a unified diff, cut where it becomes long."""
    lines = list(
        difflib.unified_diff(
            expected.splitlines(), found.splitlines(), f"expected/{name}", f"found/{name}", "", "", 2, ""
        )
    )
    # Where lines are the same, their ends are not.
    lines = lines or [f"{name}: the last line end differs"]
    return lines if len(lines) <= LONGEST else [*lines[:LONGEST], f"... {len(lines) - LONGEST} more lines"]
