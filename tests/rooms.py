"""The rooms of CONTRIBUTING.md, as the import contracts and the packages themselves tell them.

``python -m tests.rooms`` writes the part of CONTRIBUTING.md between its two marks anew.
"""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- rooms: begin (python -m tests.rooms) -->", "<!-- rooms: end -->"
BELOW_ALL = "stand below all rooms and import none"


def contracts() -> list[dict[str, object]]:
    """Read the import contracts."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: list[dict[str, object]] = settings["tool"]["importlinter"]["contracts"]
    return found


def purpose(room: str) -> str:
    """Return the first sentence that a room says of itself."""
    place = ROOT / "src" / "sfumato" / room
    path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def layers() -> list[list[str]]:
    """Return the rooms from top to bottom, those side by side together, then those beside all."""
    direction = next(item for item in contracts() if item["id"] == "direction")
    rows = [row.replace("|", " ").split() for row in direction["layers"]]  # type: ignore[union-attr, attr-defined]
    ignored = [name for name in direction["exhaustive_ignores"] if name != "__main__"]  # type: ignore[attr-defined, union-attr]
    return [*rows, sorted(ignored)]


def libraries() -> dict[str, list[str]]:
    """Return the rooms that may use each library."""
    found: dict[str, list[str]] = {}
    for item in contracts():
        for name in item.get("protected_modules", ()):  # type: ignore[attr-defined]
            if not str(name).startswith("sfumato"):
                users = item["allowed_importers"]
                found[str(name)] = [str(user).removeprefix("sfumato.").replace(".", "/") for user in users]  # type: ignore[attr-defined]
    return dict(sorted(found.items()))


def section() -> str:
    """Write the part of the page that the contracts determine."""
    lines = ["| room | what it is for |", "|---|---|"]
    *ordered, beside = layers()
    lines += [f"| `{room}` | {purpose(room)} |" for row in (*ordered, beside) for room in row]
    lines += [
        "",
        "Imports only point down: a room may import the rooms below it. Any room may import the last ones:",
    ]
    lines += [f"{', '.join(f'`{room}`' for room in beside)}."]
    rules = [str(item["name"]) for item in contracts() if item["type"] == "forbidden"]
    lines += ["", *(f"- {rule}." for rule in rules)]
    lines += ["", "| library | rooms that may use it |", "|---|---|"]
    for name, users in libraries().items():
        lines.append(f"| {name} | {', '.join(f'`{user}`' for user in users)} |")
    return "\n".join(lines)


def page() -> str:
    """Return CONTRIBUTING.md with that part rewritten."""
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{section()}\n\n{END}{tail}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
