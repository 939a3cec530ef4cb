"""Tools beside the way: measure, attack, verify, apply and microaggregate any table, each on a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import ui

from sfumato import api
from sfumato.app.framing import (
    CHOICES,
    Here,
    button,
    card,
    labelled_select,
    native_select,
    notice,
    show_pieces,
    uploader,
)
from sfumato.app.projects import RELEASES, clean_name
from sfumato.app.release_page import file_link, show_checks
from sfumato.errors import DataError
from sfumato.releases import Recipe
from sfumato.report.assessed_section import subsets_chart
from sfumato.report.findings import Findings, verdict
from sfumato.report.notebook import measure_table, release_pieces, risk_pieces
from sfumato.spec import AttributeSpec, Spec
from sfumato.words import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.app.jobs import Job


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

    def choose(words: str) -> None:
        here.visit.bench.results[key] = words
        here.refresh()

    with card(title):
        chosen = here.visit.bench.results.get(key)
        if chosen not in tables:
            chosen = next(iter(tables), None)
        if tables:
            native_select(title, {words: printable(words) for words in tables}, chosen or "", choose)
        with ui.expansion("Another file").classes("grid") if tables else ui.element("div"):
            uploader(here, "Drop a file here, or choose one", lambda path: _add(here, key, path))
            field = ui.input("Or its path on this machine").classes("grid")
            here.on_commit(field, lambda text: _add(here, key, Path(text)))
    return tables.get(chosen) if chosen is not None else None


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


def _roles(here: Here, path: Path) -> tuple[Any, Any]:
    """Show which columns outsiders may know and which are sensitive; begin with those of the project."""
    names = columns_of(here, path)
    spec = None if here.visit.project is None else here.visit.project.spec
    known = [name for name in (() if spec is None else spec.quasi_identifiers) if name in names]
    secret = [name for name in (() if spec is None else spec.sensitive) if name in names]
    options = {name: printable(name) for name in names}
    found = []
    with card("Its columns"):
        for label, default in (("An outsider may know", known), ("Must not be learnt", secret)):
            key = f"{path}: {label}"
            value, keep = here.kept(key, default), here.keep(key)
            field = ui.select(options, multiple=True, value=value, label=label, on_change=keep)
            found.append(field.props("use-chips").classes("grid"))
    return found[0], found[1]


def show_measure(here: Here) -> None:
    """Measure a table."""
    path = pick_table(here, "The table", "measure-table")
    if path is None:
        return
    known, secret = _roles(here, path)
    bench, spec = here.visit.bench, spec_of(here, path)

    def begin() -> None:
        names, sensitive = list(known.value), list(secret.value)

        def work(job: Job) -> None:
            found = api.measure(path, names, sensitive, person=spec.data.person, spec=spec)
            bench.results["measure"] = (found, names, sensitive)

        bench.begin("Measuring", work)

    button("Measure", here.tried(begin), icon="straighten")
    if "measure" in bench.results:
        found, names, sensitive = bench.results["measure"]
        with card("Is this table anonymous?"):
            ui.label(verdict(Findings(found, names, sensitive))).style("font-size: 1.1rem; font-weight: 600")
            show_pieces(measure_table(found))


def show_risk(here: Here) -> None:
    """Attack a table."""
    path = pick_table(here, "The table", "risk-table")
    if path is None:
        return
    known, secret = _roles(here, path)
    bench, spec = here.visit.bench, spec_of(here, path)

    def begin() -> None:
        names, sensitive = list(known.value), list(secret.value)

        def work(job: Job) -> None:
            bench.results["risk"] = api.risk(path, names or None, sensitive, spec=spec.data)

        bench.begin("Attacking the table", work)

    button("Attack it", here.tried(begin), icon="gpp_maybe")
    if "risk" in bench.results:
        found = bench.results["risk"]
        scan = found.subsets
        with card("What attackers achieve", "plain"):
            show_pieces(*risk_pieces(found), None if scan is None or not scan.best else subsets_chart(scan))


def show_verify(here: Here) -> None:
    """Recount a released file from scratch."""
    path = pick_table(here, "The released file", "verify-table", released=True)
    ui.label(
        "Its manifest, FILE.json, has to stand beside it: upload both, or name the path of the file."
    ).classes("quiet")
    bench = here.visit.bench
    if path is not None:

        def work(job: Job) -> None:
            bench.results["verify"] = (path, api.verify(path))

        button("Verify", here.tried(lambda: bench.begin("Recounting the file", work)), icon="verified")
    if "verify" in bench.results:
        file, found = bench.results["verify"]
        with card(printable(file.name)):
            show_checks(found, file.name)


def show_apply(here: Here) -> None:
    """Do the same to new data."""
    with ui.element("div").classes("cards"):
        recipe = pick_table(here, "The manifest or recipe (FILE.json)", "apply-recipe", released=True)
        data = pick_table(here, "The new data", "apply-data")
    choice = here.memory.setdefault("unknown", "suppress")
    with card("Values that the recipe does not know"):
        options = CHOICES["unknown"]
        native_select("Unknown values", options, choice, lambda chosen: here.memory.update(unknown=chosen))
    if recipe is not None and data is not None:
        # A release was chosen: its manifest is meant.
        beside = recipe.with_name(f"{recipe.name}.json")
        source = beside if beside.is_file() else recipe

        def make(job: Job) -> Any:
            return Recipe.load(source).apply(data, unknown=here.memory["unknown"])

        _button(here, "apply", "Apply and verify", f"{data.stem}-applied.csv", make)
    _written(here, "apply")


def show_microaggregate(here: Here) -> None:
    """Replace numbers by the means of similar rows."""
    path = pick_table(here, "The table", "microaggregate-table")
    if path is None:
        return
    options = {name: printable(name) for name in columns_of(here, path)}
    with card("What is published"):
        for key, label in (("columns", "Averaged: numbers, dates"), ("keep", "Unchanged and unprotected")):
            given = [name for name in here.kept(key, []) if name in options]
            field = ui.select(options, multiple=True, value=given, label=label, on_change=here.keep(key))
            field.props("use-chips").classes("grid")
        ui.label("All other columns are left out.").classes("quiet")
        with ui.element("div").classes("line"):
            words, k = "Rows per cluster, at least", here.kept("k", 5)
            ui.number(words, value=k, min=2, precision=0, on_change=here.keep("k"))
            method = here.kept("method", "mdav")
            methods = CHOICES["methods"]
            labelled_select("Method", methods, method, lambda chosen: here.memory.update(method=chosen))
            words, is_sorted = "Sort the rows, so that their order reveals nothing", here.kept("sort", True)
            ui.checkbox(words, value=is_sorted, on_change=here.keep("sort"))

    def make(job: Job) -> Any:
        asked = here.memory
        return api.microaggregate(
            path,
            list(asked["columns"]),
            int(asked["k"] or 0),
            keep=list(asked["keep"]),
            method=asked["method"],
            sort=bool(asked["sort"]),
            callback=job.watch,
            spec=spec_of(here, path),
        )

    _button(here, "microaggregate", "Average and verify", f"{path.stem}-averaged.csv", make)
    _written(here, "microaggregate")


def _button(here: Here, key: str, words: str, name: str, make: Callable[[Job], Any]) -> None:
    """Show a button that makes a release, verifies it and writes it with its report."""
    bench = here.visit.bench

    def work(job: Job) -> None:
        made = make(job)
        folder = bench.folder / RELEASES
        folder.mkdir(mode=0o700, exist_ok=True)
        file = folder / clean_name(name)
        made.write(file, force=True)
        made.report(file.with_suffix(".html"), force=True)
        bench.results[key] = (file, made, api.verify(file))

    button(words, here.tried(lambda: bench.begin(words, work)), icon="verified")


def _written(here: Here, key: str) -> None:
    if key not in here.visit.bench.results:
        return
    file, made, verdict = here.visit.bench.results[key]
    with card("The release"):
        show_checks(verdict, file.name)
        with ui.element("div").classes("line"):
            file_link(file.name, f"Data: {file.name}")
            file_link(f"{file.name}.json", "Manifest")
            file_link(Path(file.name).with_suffix(".html").name, "Report")
        for words in getattr(made, "warnings", []):
            notice(words, "note")
        with ui.expansion("Its measures").classes("grid"):
            show_pieces(*(release_pieces(made) if key == "apply" else [measure_table(made.measures)]))
