"""A table for a tool: that of the project, its release, an upload, or a path."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import ui

from sfumato.app.framing import Here, card, native_select, on_commit, uploader
from sfumato.errors import DataError
from sfumato.spec import AttributeSpec, Spec
from sfumato.words import printable

if TYPE_CHECKING:
    from collections.abc import Callable


def known_tables(here: Here, *, released: bool = False) -> dict[str, Path]:
    """Return the tables that are at hand, by words for people; released ones alone if asked."""
    project, found = here.visit.project, dict[str, Path]()
    if project is not None and project.spec is not None and not released and isinstance(project.data, Path):
        found["the data of this project"] = project.data
    if project is not None and project.made is not None:
        found[f"the release {project.made.file.name}"] = project.made.file
    return found | here.visit.bench.tables


def pick_table(here: Here, title: str, key: str, *, released: bool = False) -> Path | None:
    """Show where a table may come from; return the chosen one."""
    tables = known_tables(here, released=released)
    with card(title):
        chosen = here.visit.bench.results.get(key)
        if chosen not in tables:
            chosen = next(iter(tables), None)
        if tables:
            native_select(
                title, {words: printable(words) for words in tables}, chosen or "", _choose(here, key)
            )
        with ui.expansion("Another file").classes("grid") if tables else ui.element("div"):
            uploader(here, "Drop a file here, or choose one", lambda path: _add(here, key, path))
            field = ui.input("Or its path on this machine").classes("grid")
            on_commit(field, here.tried(lambda text: _add(here, key, Path(text))))
    return tables.get(chosen) if chosen is not None else None


def _choose(here: Here, key: str) -> Callable[[str], None]:
    def choose(words: str) -> None:
        here.visit.bench.results[key] = words
        here.refresh()

    return choose


def _add(here: Here, key: str, path: Path) -> None:
    if re.match("(?:postgres(?:ql)?|sqlite):", str(path), re.IGNORECASE):
        raise DataError("tools take files. Open a database on the Start page.")
    if not path.is_file():
        raise DataError("there is no such file on this machine.", where=str(path))
    bench = here.visit.bench
    if path.parent.parent == here.desk.scratch and path.parent != bench.folder:
        # Uploads come together, so that a manifest stands beside its file.
        target = bench.folder / "uploaded" / path.name
        target.parent.mkdir(mode=0o700, exist_ok=True)
        path = path.replace(target)
    bench.tables[path.name] = path
    bench.results[key] = path.name
    here.refresh()


def columns_of(here: Here, path: Path) -> list[str]:
    """Return the columns of a table."""
    project = here.visit.project
    if project is not None and project.look is not None and path == project.data:
        return [column.name for column in project.look.columns]
    return list(spec_of(here, path).attributes)


def spec_of(here: Here, path: Path) -> Spec:
    """Return how a table is read: as in the project, or as it seems to be; a file is looked at once."""
    from sfumato.previewing import look_at_file

    project, known = here.visit.project, here.visit.bench.specs
    if project is not None and project.spec is not None and path == project.data:
        return project.spec
    if path not in known:
        columns, reading = look_at_file(path)
        attributes = {name: AttributeSpec(role="quasi-identifier") for name in columns}
        known[path] = Spec(data=reading, attributes=attributes)
    return known[path]
