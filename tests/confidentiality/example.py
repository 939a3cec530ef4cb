"""The running example: eleven people, with the admissible partitions as levels."""

from __future__ import annotations

from typing import Any

# Born, ZIP, height, income in thousands, health (0 normal, 1 slightly ill, 2 seriously ill).
PEOPLE: list[tuple[str, str, int, int, int]] = [
    ("1956-09-24", "24126", 161, 400, 1),
    ("1956-09-06", "24129", 167, 300, 1),
    ("1956-09-30", "24133", 163, 300, 1),
    ("1956-03-23", "10427", 160, 300, 0),
    ("1956-03-18", "10431", 165, 100, 2),
    ("1956-03-05", "10466", 168, 100, 2),
    ("1955-04-20", "26015", 175, 400, 2),
    ("1955-04-18", "26032", 170, 300, 1),
    ("1955-04-09", "26617", 173, 100, 0),
    ("1955-04-01", "26628", 171, 400, 0),
    ("1955-04-23", "26328", 176, 400, 0),
]
NAMES = ("born", "zip", "height", "income", "health")
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "born": {"role": "quasi-identifier", "kind": "date", "hierarchy": {"dates": ["month", "year"]}},
    "zip": {"role": "quasi-identifier", "hierarchy": {"mask": 5}},
    "height": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10, 20], "origin": 0}},
    "income": {"role": "sensitive"},
    "health": {"role": "sensitive"},
}


def columns() -> dict[str, list[Any]]:
    """Return the table column by column."""
    return {name: [person[place] for person in PEOPLE] for place, name in enumerate(NAMES)}


def specification(*confidential: dict[str, object], **parts: object) -> dict[str, object]:
    """Return the tables of a specification."""
    return {"attributes": ATTRIBUTES, "confidential": list(confidential), **parts}
