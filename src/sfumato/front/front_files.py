"""``front.csv`` and ``run.json``."""

from __future__ import annotations

import csv
import decimal
import io
import json
from typing import TYPE_CHECKING

from sfumato.errors import DataError
from sfumato.front.plain import Objective, PlainFront, PlainSolution

if TYPE_CHECKING:
    from pathlib import Path

COUNTS = frozenset(
    {"k", "distinct_l", "recursive_l", "spread_k", "spread_l", "dm", "cm", "sl", "exposed", "secure"}
)
"""Measures that count rows, persons or values, and are whole numbers."""


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
    rows.writerow(["solution", *names, "suppressed", "recoding"])
    for item in front:
        numbers = [number_text(item.measures[name]) for name in names]
        rows.writerow([item.number, *numbers, item.suppressed, item.recoding_text])
    return out.getvalue()


def run_json(front: PlainFront) -> str:
    """Return the text of ``run.json``."""
    return json.dumps(dict(front.run), indent=2, ensure_ascii=False) + "\n"


def load_front(folder: Path) -> PlainFront:
    """Read a front that :func:`front_csv` and :func:`run_json` wrote."""
    try:
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        objectives = tuple(
            Objective(name, maximize)
            for direction, maximize in (("maximize", True), ("minimize", False))
            for name in run["objectives"][direction]
        )
        with (folder / "front.csv").open(encoding="utf-8", newline="") as file:
            solutions = tuple(_solution(row) for row in csv.DictReader(file))
    except FileNotFoundError as error:
        missing = error.filename or "front.csv"
        raise DataError(
            f"there is no front here: {missing} is missing. Run 'sfumato explore' first."
        ) from None
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"the front in {folder} cannot be read ({type(error).__name__}). Run 'sfumato explore' again."
        ) from None
    return PlainFront(solutions, objectives, run)


def _solution(row: dict[str, str]) -> PlainSolution:
    fixed = ("solution", "suppressed", "recoding")
    measures = {name: float(text) for name, text in row.items() if name not in fixed}
    recoding = json.loads(row["recoding"])
    suppressed = int(row["suppressed"])
    return PlainSolution(
        int(row["solution"]), {**measures, "suppressed": float(suppressed)}, suppressed, recoding
    )


def whole_numbers(values: list[float], name: str) -> list[object]:
    """Return counts as integers; other measures stay what they are, whole or not."""
    if name.partition("(")[0] not in COUNTS or not all(value.is_integer() for value in values):
        return [*values]
    return [int(value) for value in values]
