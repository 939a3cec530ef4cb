"""Verify, Apply and Microaggregate: what is done with releases and with numbers, each on its own page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import ui

from sfumato import api
from sfumato.app.framing import Here, Page, card, labelled_select, native_select, notice, show_pieces
from sfumato.app.picking import columns_of, pick_table, spec_of
from sfumato.app.projects import RELEASES, clean_name
from sfumato.app.release_page import file_link, show_checks
from sfumato.releases import Recipe
from sfumato.report.notebook import measure_table, release_pieces
from sfumato.words import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.app.jobs import Job

UNKNOWN = {
    "suppress": "suppress their rows, within the limit",
    "refuse": "stop with an error",
    "generalize": "publish them as *",
}
METHODS = {
    "mdav": "MDAV",
    "v-mdav": "V-MDAV, with clusters that grow",
    "annealing": "annealing, slower and with much less error",
    "univariate": "each column by itself",
}


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

        ui.button(
            "Verify", icon="verified", on_click=here.tried(lambda: bench.begin("Recounting the file", work))
        ).props("unelevated no-caps")
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
        native_select("Unknown values", UNKNOWN, choice, lambda chosen: here.memory.update(unknown=chosen))
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
            ui.select(options, multiple=True, value=given, label=label, on_change=here.keep(key)).props(
                "use-chips"
            ).classes("grid")
        ui.label("All other columns are left out.").classes("quiet")
        with ui.element("div").classes("line"):
            ui.number(
                "Rows per cluster, at least",
                value=here.kept("k", 5),
                min=2,
                precision=0,
                on_change=here.keep("k"),
            )
            method = here.kept("method", "mdav")
            labelled_select("Method", METHODS, method, lambda chosen: here.memory.update(method=chosen))
            ui.checkbox(
                "Sort the rows, so that their order reveals nothing",
                value=here.kept("sort", True),
                on_change=here.keep("sort"),
            )

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

    ui.button(words, icon="verified", on_click=here.tried(lambda: bench.begin(words, work))).props(
        "unelevated no-caps"
    )


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


VERIFY = Page("/verify", "Verify", "Recount a released file from scratch.", show_verify, is_step=False)
APPLY = Page(
    "/apply", "Apply", "Recode new data exactly as an earlier release was.", show_apply, is_step=False
)
MICROAGGREGATE = Page(
    "/microaggregate",
    "Microaggregate",
    "Protect numbers without generalizing them: groups of similar rows get their mean.",
    show_microaggregate,
    is_step=False,
)
