"""Measure and Risk: how private any table is, and what attackers achieve against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from sfumato import api
from sfumato.app.framing import Here, Page, card, show_pieces
from sfumato.app.picking import columns_of, pick_table, spec_of
from sfumato.report.findings import Findings, verdict
from sfumato.report.notebook import measure_table, risk_pieces
from sfumato.report.risk_section import subsets_chart
from sfumato.words import printable

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.app.jobs import Job


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
            field = ui.select(
                options, multiple=True, value=here.kept(key, default), label=label, on_change=here.keep(key)
            )
            found.append(field.props("use-chips").classes("grid"))
    return found[0], found[1]


def show_measure(here: Here) -> None:
    """Measure a table."""
    path = pick_table(here, "The table", "measure-table")
    if path is None:
        return
    known, secret = _roles(here, path)
    bench, spec = here.visit.bench, spec_of(here, path)

    def work(job: Job, names: list[str], sensitive: list[str]) -> None:
        found = api.measure(path, names, sensitive, person=spec.data.person, spec=spec)
        bench.results["measure"] = (found, names, sensitive)

    def begin() -> None:
        names, sensitive = list(known.value), list(secret.value)
        bench.begin("Measuring", lambda job: work(job, names, sensitive))

    ui.button("Measure", icon="straighten", on_click=here.tried(begin)).props("unelevated no-caps")
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

    ui.button("Attack it", icon="gpp_maybe", on_click=here.tried(begin)).props("unelevated no-caps")
    if "risk" in bench.results:
        found = bench.results["risk"]
        scan = found.subsets
        with card("What attackers achieve", "plain"):
            show_pieces(*risk_pieces(found), None if scan is None or not scan.best else subsets_chart(scan))


MEASURE = Page("/measure", "Measure", "Measure any table, protected or not.", show_measure, is_step=False)
RISK = Page("/risk", "Risk", "See what attackers achieve against any table.", show_risk, is_step=False)
