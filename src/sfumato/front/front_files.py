"""``front.csv`` and ``run.json``; of a local front also ``classes.json``, and ``global.csv`` beside it."""

from __future__ import annotations

import csv
import decimal
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import DataError
from sfumato.front.plain import Objective, PlainFront, PlainSolution

COUNTS = frozenset(
    {"k", "distinct_l", "recursive_l", "spread_k", "spread_l", "dm", "cm", "sl", "exposed", "secure"}
)
"""Measures that count rows, persons or values, and are whole numbers."""

CLASSES, BESIDE = "classes.json", "global.csv"
"""The class of each tuple in every solution of a local front, and the global front."""


def number_text(value: float) -> str:
    """Return the shortest text of a number; whole numbers without a point."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def whole_text(number: int) -> str:
    """Return a whole number in decimal, however many digits it has."""
    # The size of a space may have thousands of them, which Python's own conversion refuses.
    return str(decimal.Decimal(number))


def front_csv(front: PlainFront) -> str:
    """Return the text of ``front.csv``."""
    names = [name for name in front.measure_names if name != "suppressed"]
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    # Fronts of both scopes stand side by side: every row says which it is of.
    scope = [] if front.run.get("scope") is None else [str(front.run["scope"])]
    marks = ["scope", *(["gap"] if front.is_local else [])] if scope else []
    rows.writerow(["solution", *marks, *names, "suppressed", "recoding"])
    for item in front:
        numbers = [number_text(item.measures[name]) for name in names]
        gap = [] if not front.is_local else [""] if item.gap is None else [number_text(item.gap)]
        rows.writerow([item.number, *scope, *gap, *numbers, item.suppressed, item.recoding_text])
    return out.getvalue()


def local_files(front: PlainFront) -> dict[str, str]:
    """Return what else there is to a local front: its classes, and the global front beside it."""
    if not front.is_local:
        return {}
    classes = {str(item.number): item.classes.tolist() for item in front if item.classes is not None}
    content = {"fingerprint": front.run.get("fingerprint"), "classes": classes}
    found = {CLASSES: json.dumps(content, separators=(",", ":")) + "\n"}
    return found if front.beside is None else {**found, BESIDE: front_csv(front.beside)}


def run_json(front: PlainFront) -> str:
    """Return the text of ``run.json``."""
    return json.dumps(dict(front.run), indent=2, ensure_ascii=False) + "\n"


def load_front(folder: Path) -> PlainFront:
    """Read a front that :func:`front_csv`, :func:`run_json` and :func:`local_files` wrote."""
    try:
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        ways = (("maximize", True), ("minimize", False))
        objectives = tuple(Objective(name, up) for way, up in ways for name in run["objectives"][way])
        front = PlainFront(_read_solutions(folder / "front.csv"), objectives, run)
        return _with_local_files(front, folder) if front.is_local else front
    except FileNotFoundError as error:
        missing = error.filename or "front.csv"
        raise DataError(
            f"there is no front here: {missing} is missing. Run 'sfumato explore' first."
        ) from None
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"the front in {folder} cannot be read ({type(error).__name__}). Run 'sfumato explore' again."
        ) from None


def _read_solutions(path: Path) -> tuple[PlainSolution, ...]:
    fixed, found = ("solution", "scope", "gap", "suppressed", "recoding"), []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            measures = {name: float(text) for name, text in row.items() if name not in fixed}
            recoding, suppressed = json.loads(row["recoding"]), int(row["suppressed"])
            measures |= {"suppressed": float(suppressed)}
            gap = float(row["gap"]) if row.get("gap") else None
            found.append(PlainSolution(int(row["solution"]), measures, suppressed, recoding, gap))
    return tuple(found)


def _with_local_files(front: PlainFront, folder: Path) -> PlainFront:
    run: dict[str, Any] = dict(front.run)
    beside = None
    if run.get("global"):
        beside = PlainFront(_read_solutions(folder / BESIDE), front.objectives, run["global"])
    content = json.loads((folder / CLASSES).read_text(encoding="utf-8"))
    if content["fingerprint"] != run.get("fingerprint"):
        raise ValueError("classes of other data")
    classes = {int(key): np.array(own, dtype=np.int32) for key, own in content["classes"].items()}
    solutions = tuple(replace(item, classes=classes[item.number]) for item in front)
    return replace(front, solutions=solutions, beside=beside)


def whole_numbers(values: list[float], name: str) -> list[object]:
    """Return counts as integers; other measures stay what they are, whole or not."""
    if name.partition("(")[0] not in COUNTS or not all(value.is_integer() for value in values):
        return [*values]
    return [int(value) for value in values]
