"""The same through the command line: specification, data and hierarchies lie in files of other names."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from tests.cli import running
from tests.worlds.comparing import compare, find_marks
from tests.worlds.flavours import MARK
from tests.worlds.publishing import read_published, without_clock

if TYPE_CHECKING:
    from pathlib import Path

    from tests.worlds.publishing import Published

SPECIFICATION = """
[data]
path = "{place}.csv"

[attributes.name]
role = "identifier"

[attributes.age]
role = "quasi-identifier"
hierarchy = {{ intervals = [10, 20] }}
levels = [1, 1]

[attributes.area]
role = "quasi-identifier"
hierarchy = {{ file = "{place}-areas.csv" }}
levels = [1, 1]

[attributes.ill]
role = "sensitive"

[suppression]
limit = 0.2

[require]
k = 3
"t(ill)" = 0.9

[objectives]
minimize = ["loss"]
"""
AREAS = [[f"{letter}{digit}", letter, "*"] for letter in "abc" for digit in "12"]


def run(*arguments: object) -> None:
    done = running.run(*arguments)
    assert done.status == 0, done.err


def published(folder: Path, place: str, hidden: list[object]) -> Published:
    """Write a world to files, release it by commands, and return all that it publishes."""
    home, out = folder / place, folder / f"{place}-out"
    home.mkdir()
    out.mkdir()
    rows: list[list[object]] = [
        [f"{place}{row}", 21 + row % 30, ("a1", "b2")[row % 2], ("flu", "cold")[row % 2]] for row in range(40)
    ]
    rows.insert(len(place), [f"{MARK}x", *hidden])
    for name, lines in ((place, [["name", "age", "area", "ill"], *rows]), (f"{place}-areas", AREAS)):
        with (home / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(lines)
    specification = home / f"{place}.toml"
    specification.write_text(SPECIFICATION.format(place=place), encoding="utf-8")
    run("anonymize", specification, "--out", out / "shared.csv")
    run("report", out, "--out", out / "report.html")
    return {**read_published(out / "shared.csv"), "report": without_clock(out / "report.html")}


def test_commands_publish_the_same_of_two_worlds(tmp_path: Path) -> None:
    first = published(tmp_path, f"{MARK}first", [97, "c1", f"{MARK}plague"])
    second = published(tmp_path, f"{MARK}second", [3, "c2", "flu"])
    found = [*compare(first, second, same_order=True, rows=(1, 41)), *find_marks(first), *find_marks(second)]
    assert [(item.kind, item.first[:80], item.second[:80]) for item in found] == []
