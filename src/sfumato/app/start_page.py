"""Start: the example, a file, or a project that was kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import ui

from sfumato.app.framing import Here, button, card, uploader, way_to
from sfumato.spec.choices import database_address
from sfumato.words import printable

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = "CSV, TSV, Excel, SPSS, Stata, SAS, Parquet, Arrow or JSON lines"


def _started(here: Here, start: Callable[[], None]) -> Callable[[], None]:
    """Return a handler that leaves the open project and begins another one."""

    def begin() -> None:
        project = here.visit.project
        if project is not None and project.is_busy and project.job is not None:
            project.job.stop()
        start()
        here.memory["is_new"] = True

    return here.tried(begin)


def _open(here: Here, place: str, source: str) -> None:
    address = database_address(place)
    if address is None:
        here.desk.start_file(here.visit, Path(place), move=False)
    else:
        here.desk.start_database(here.visit, address, source)


def show(here: Here) -> None:
    """Offer the three ways to begin; move on when the data have been read."""
    project, desk, visit = here.visit.project, here.desk, here.visit
    if visit.trouble is not None and here.memory.get("told") is not visit.trouble:
        here.memory.clear()
        here.memory["told"] = visit.trouble
        here.say(visit.trouble, "bad")
    elif here.memory.get("is_new") and project is not None and not project.is_busy:
        here.memory.clear()
        ui.navigate.to("/data")
    if project is not None and project.spec is not None:
        with card("Continue"), ui.element("div").classes("line"):
            ui.label(f"{project.name}: {len(project.spec.quasi_identifiers)} quasi-identifiers")
            way_to("Go on", "/data")
    with ui.element("div").classes("cards"):
        with card("Try it on a census table"):
            ui.label("30,162 people, one row each, with roles, hierarchies and goals already set.")
            button("Open the census example", _started(here, lambda: desk.start_example(visit)))
        with card("Open a file"):
            ui.label(f"{KINDS[:1].upper()}{KINDS[1:]}.")

            def take(path: Path) -> None:
                _started(here, lambda: desk.start_file(visit, path, move=True))()

            uploader(here, "Drop a file here, or choose one", take)
        with card("Open a file by its path, or a database"):
            ui.label(
                "The data stay where they are. Keep passwords out of addresses: use PGPASSWORD or ~/.pgpass."
            )
            path = here.field("path", "Path, or postgresql:// or sqlite://").classes("grid")
            table = here.field("table", "Of a database: a table, or a query").classes("grid")
            button("Open", _started(here, lambda: _open(here, path.value.strip(), table.value)))
    recent = desk.recent(visit) if desk.is_kept else []
    if recent:
        with card("Projects in this folder"), ui.element("ul").classes("plain-list"):
            for folder in recent[:20]:
                with ui.element("li").classes("line"):
                    ui.label(printable(folder.name))
                    begin = _started(here, lambda folder=folder: desk.open(visit, folder))  # type: ignore[misc]
                    button("Open", begin, "flat", f'dense aria-label="Open {printable(folder.name)}"')
    kept = (
        f"Projects are kept in the folder {printable(desk.home.name)}; the command line runs them too."
        if desk.is_kept
        else "Nothing is kept: when sfumato serve ends, its files are removed. Download what you need, or "
        "start it with a folder: sfumato serve FOLDER."
    )
    ui.label(f"Everything stays on this machine. {kept}").classes("quiet")
