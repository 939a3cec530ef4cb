"""A small table on disk, and commands run in this process."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from typer import testing

from sfumato.cli.main import make_app

if TYPE_CHECKING:
    from pathlib import Path

APP = make_app()
# A runner makes the parsers of all commands anew for each of them, which takes as long as a short command.
testing._get_command = cache(testing._get_command)

SPECIFICATION = """
[data]
path = "people.csv"

[attributes.name]
role = "identifier"

[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = [10, 20, 40], origin = 0 }

[attributes.zip]
role = "quasi-identifier"
hierarchy = { file = "zip.csv" }

[attributes.sex]
role = "quasi-identifier"

[attributes.disease]
role = "sensitive"

[suppression]
limit = 0.05

[require]
k = 3

[objectives]
maximize = ["k", "distinct_l(disease)"]
minimize = ["loss"]
"""
ZIPS = ("24126", "24127", "24200", "24301")
HIERARCHY = "24126;241xx;*\n24127;241xx;*\n24200;242xx;*\n24301;243xx;*\n"
DISEASES = ("flu", "gout", "cold")


@dataclass(frozen=True)
class Run:
    """How a command ended and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def line(self) -> str:
        """The one line on standard error."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        return lines[0]


def run(*arguments: object, columns: int | None = None) -> Run:
    """Run a command as a user would, in this process."""
    environment = {"COLUMNS": None if columns is None else str(columns), "SFUMATO_TRACEBACK": None}
    result = testing.CliRunner(env=environment).invoke(APP, [str(item) for item in arguments])
    return Run(result.exit_code, result.stdout, result.stderr)


def write_people(folder: Path, rows: int = 60, *, separator: str = ",") -> Path:
    """Write a table, its hierarchy and its specification; return the specification."""
    generator = random.Random(7)
    lines = [["name", "age", "zip", "sex", "disease", "visit"]]
    for number in range(rows):
        lines.append(
            [
                f"person-{number}",
                str(generator.randint(20, 59)),
                generator.choice(ZIPS),
                generator.choice("fm"),
                generator.choice(DISEASES),
                str(number % 7),
            ]
        )
    text = "".join(separator.join(line) + "\n" for line in lines)
    (folder / "people.csv").write_text(text, encoding="utf-8")
    (folder / "zip.csv").write_text(HIERARCHY, encoding="utf-8")
    path = folder / "people.toml"
    path.write_text(SPECIFICATION, encoding="utf-8")
    return path


def declare(path: Path) -> Path:
    """Let a specification declare all domains, so that releases state their loss."""
    change(path, "origin = 0 }", "origin = 0, bottom = 20, top = 60 }")
    tree = 'hierarchy = { tree = { any = ["f", "m"] } }'
    return change(path, "[attributes.disease]", f"{tree}\n\n[attributes.disease]")


def change(path: Path, old: str, new: str) -> Path:
    """Replace a text in a file, which must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def listing(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder, hidden ones too."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
