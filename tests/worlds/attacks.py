"""What an outsider can compute from FILE and FILE.json alone: nothing of the package is used here."""

from __future__ import annotations

import csv
import json
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Numbers = dict[str, float]


def read(path: Path) -> tuple[list[dict[str, str]], dict]:
    """Return the rows of a released text file, and its manifest."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return rows, json.loads(path.with_name(path.name + ".json").read_text(encoding="utf-8"))


def numbers_in(value: object, path: str = "") -> Iterator[tuple[str, float]]:
    """Yield every number of a manifest with its place, numbers inside texts too."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from numbers_in(item, f"{path}.{key}")
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from numbers_in(item, f"{path}[{place}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, float(value)


def stated_fractions(manifest: dict, attribute: str) -> dict[str, tuple[int, int]]:
    """Return label → numerator and denominator, wherever the manifest states such a pair for a label."""
    entry = manifest.get("reference", {}).get("attributes", {}).get(attribute, {})
    found = {}
    for part in ("loss", "extent"):
        stated = entry.get(part)
        for cell in stated.get("cells", []) if isinstance(stated, dict) else []:
            if isinstance(cell, list) and len(cell) == 3 and all(isinstance(item, int) for item in cell[1:]):
                found[str(cell[0])] = (cell[1], cell[2])
    return found


def extremes(manifest: dict, attribute: str, width: int) -> tuple[int, int] | None:
    """Solve for the smallest and the largest integer behind intervals of one width.

    An interval that is cut off holds fewer values than its width: at the lower end it begins at its end less
    what it holds. The denominator is the span of all values, hidden ones included.
    """
    stated = stated_fractions(manifest, attribute)
    lows = {label: int(label.split("-")[0]) for label in stated if label.replace("-", "").isdigit()}
    if not lows:
        return None
    first = min(lows, key=lambda label: lows[label])
    held, span = stated[first]
    smallest = lows[first] + width - 1 - held
    return smallest, smallest + span


def span(manifest: dict, attribute: str) -> int | None:
    """Return the denominator that the manifest states for an attribute: the span of its domain."""
    stated = stated_fractions(manifest, attribute)
    return max(denominator for _, denominator in stated.values()) if stated else None


def span_from_loss(rows: list[dict[str, str]], manifest: dict, attribute: str) -> float | None:
    """Solve the stated loss of a table with one quasi-identifier for the span of its domain.

    Where all published rows lie in whole intervals, each costs (width − 1) / span, and a suppressed row 1.
    """
    loss = manifest.get("measures", {}).get("loss")
    widths = [_width(row[attribute]) for row in rows]
    if not isinstance(loss, int | float) or any(width is None for width in widths):
        return None
    rest = loss * manifest["rows"]["in"] - manifest["rows"]["suppressed"]
    return sum(width - 1 for width in widths if width is not None) / rest if rest > 0 else None


def _width(label: str) -> int | None:
    parts = label.split("-")
    return int(parts[1]) - int(parts[0]) + 1 if len(parts) == 2 and all(p.isdigit() for p in parts) else None


def hidden_values(rows: list[dict[str, str]], manifest: dict, attribute: str) -> dict[str, int]:
    """Subtract the file from the stated distribution: what remains are values of suppressed people."""
    stated = manifest.get("reference", {}).get("distributions", {}).get(attribute)
    if not isinstance(stated, dict) or "counts" not in stated:
        return {}
    shown = Counter(row[attribute] for row in rows)
    found = {}
    for value, count in zip(stated["values"], stated["counts"], strict=True):
        left = count - shown.get("" if value is None else str(value), 0)
        if left:
            found[str(value)] = left
    return found


def shares_that_pin_rows(rows: list[dict[str, str]], manifest: dict, attribute: str) -> dict[str, int]:
    """Solve stated shares for counts: a value whose hidden count has a single possible number is told.

    A share that is rounded in steps of at least the suppressed share leaves at least two numbers open for
    every value, unless nothing is suppressed.
    """
    stated = manifest.get("reference", {}).get("distributions", {}).get(attribute)
    if not isinstance(stated, dict):
        return {}
    shares = stated.get("shares") or stated.get("counts")
    if not isinstance(shares, list) or not all(isinstance(item, int | float) for item in shares):
        return {}
    total, hidden = manifest["rows"]["in"], manifest["rows"]["suppressed"]
    whole = sum(shares) or 1
    numbers = [share * total / whole for share in shares]
    shown = Counter(row[attribute] for row in rows)
    # An exact distribution is a distribution of whole rows; one that is rounded is none.
    if hidden < 2 or any(abs(number - round(number)) > 1e-6 for number in numbers):
        return {}
    left = {
        str(value): round(number) - shown.get("" if value is None else str(value), 0)
        for value, number in zip(stated.get("values", []), numbers, strict=False)
    }
    return left if sum(left.values()) == hidden and min(left.values(), default=-1) >= 0 else {}


def listed_members(manifest: dict, attribute: str) -> set[str]:
    """Return every value that the recipe names for an attribute: in blocks, labels or definitions."""
    entry = manifest.get("recipe", {}).get("attributes", {}).get(attribute, {})
    found: set[str] = set()
    _collect(entry.get("partition"), found)
    _collect((entry.get("hierarchy") or {}).get("values"), found)
    return found


def _collect(value: object, found: set[str]) -> None:
    if isinstance(value, dict):
        for item in value.values():
            _collect(item, found)
    elif isinstance(value, list):
        for item in value:
            _collect(item, found)
    elif value is not None:
        found.update(str(value).strip("{}[]()").replace(",", " ").split())


def is_in_input_order(rows: list[dict[str, str]]) -> bool:
    """Tell whether rows stand in another order than that of their own columns, so that it tells something."""
    texts = [tuple(row.values()) for row in rows]
    return texts != sorted(texts)
