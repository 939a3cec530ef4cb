"""Data: what is in the table, which role each column has and why, and what would be published unchanged."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from nicegui import ui

from sfumato.app.framing import Here, Page, card, empty, notice, select_html, show_pieces
from sfumato.app.projects import COUNTING, LEFT_OUT
from sfumato.report.pieces import Facts
from sfumato.spec.choices import ROLES
from sfumato.words import count_words, list_words, number_words, percent_words, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nicegui.events import GenericEventArguments

    from sfumato.app.projects import Project
    from sfumato.previewing import ColumnLook
    from sfumato.spec import Spec

ROLE_WORDS = {
    "quasi-identifier": "an outsider may know it; it is generalized",
    "sensitive": "must not be learnt; published unchanged",
    "identifier": "names a person; removed",
    "other": "published unchanged, unprotected",
    "pseudonym": "replaced by a keyed pseudonym, which links rows over releases",
    LEFT_OUT: "not published",
}
KIND_WORDS = {"number": "numbers", "date": "dates", "ordinal": "ranges, in order", "category": "text"}
SHOWN_COLUMNS = 300


def show(here: Here) -> None:
    """Show columns, roles, and the first rows."""
    project = here.project
    if project.look is None or project.spec is None:
        if project.is_busy:
            ui.label("The data are being read …").classes("quiet")
        else:
            with empty("The data could not be read", "Put the file back where it was, and try again."):
                ui.button("Try again", on_click=here.tried(project.read_again)).props("unelevated no-caps")
        return
    if not project.is_scanned and not project.is_busy:
        project.begin(COUNTING, project.scan, is_quiet=True)
    with ui.element("div").classes("two"):
        with ui.element("div"):
            _columns(here)
            _first_rows(project)
        with ui.element("div").classes("aside"):
            _singled_out(here)
            _unchanged(project)
            with ui.expansion("What the roles mean").classes("grid"):
                show_pieces(Facts(list(ROLE_WORDS.items())))
            ui.button("Next: Hierarchies", on_click=lambda: ui.navigate.to("/hierarchies")).props(
                "unelevated no-caps icon-right=arrow_forward"
            )


def _columns(here: Here) -> None:
    project = here.project
    assert project.look is not None
    assert project.spec is not None
    reasons = _reasons(project)
    columns = project.look.columns
    with card(f"{count_words(project.look.rows, 'row')}, {count_words(len(columns), 'column')}", "plain"):
        head = "".join(
            f'<th scope="col"{look}>{words}</th>'
            for words, look in (
                ("column", ""),
                ("values", ""),
                ("different", ' class="number"'),
                ("missing", ' class="number"'),
                ("role", ""),
            )
        )
        rows = "".join(
            _row_html(place, column, project.spec, reasons.get(column.name, ""))
            for place, column in enumerate(columns[:SHOWN_COLUMNS])
        )
        table = f'<table class="rows"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        # One piece: a page that is made of few elements is quickly there.
        box = ui.html(table, sanitize=False).classes("scroll")

        def choose(event: GenericEventArguments) -> None:
            place, chosen = map(int, event.args)
            project.set_role(columns[place].name, [*ROLES, LEFT_OUT][chosen])

        box.on("change", here.tried(choose), js_handler="(e) => emit([e.target.name, e.target.value])")
        if len(columns) > SHOWN_COLUMNS:
            more = count_words(len(columns) - SHOWN_COLUMNS, "more column")
            ui.label(f"{more}: set their roles in the specification file.").classes("quiet")


def _reasons(project: Project) -> dict[str, str]:
    """Return why each column was given the role that was suggested."""
    found = project.suggestion
    if found is None:
        return {}
    reasons = {guess.name: f"suggested: {guess.role} ({guess.why})" for guess in found.guesses}
    return reasons | {name: f"suggested: {LEFT_OUT} ({why})" for name, why in found.left_out.items()}


def _row_html(place: int, column: ColumnLook, spec: Spec, reason: str) -> str:
    asked = spec.attributes.get(column.name)
    role = LEFT_OUT if asked is None else asked.role
    kind = KIND_WORDS[(None if asked is None else asked.kind) or column.kind]
    choices = {key: key for key in (*ROLES, LEFT_OUT)}
    counts = "".join(f'<td class="number">{number_words(n)}</td>' for n in (column.distinct, column.missing))
    return (
        f"<tr><td><b>{escape(printable(column.name))}</b>"
        f'<div class="quiet small">{escape(printable(reason))}</div></td>'
        f'<td>{spark_html(column.name, column.bars)}<div class="quiet small">{kind}</div></td>{counts}'
        f"<td>{select_html(f'Role of {column.name}', choices, role, str(place))}</td></tr>"
    )


def spark_html(name: str, bars: Sequence[tuple[str, int]]) -> str:
    """Draw the counts of a column as small bars, with their numbers in words."""
    most = max((count for _, count in bars), default=1) or 1
    width = 120 / max(len(bars), 1)
    drawn = "".join(
        f'<rect x="{place * width + 1:.1f}" y="{29 - 27 * count / most:.1f}" width="{width - 2:.1f}" '
        f'height="{27 * count / most + 1:.1f}"><title>{escape(printable(label))}: {count:,}</title></rect>'
        for place, (label, count) in enumerate(bars)
    )
    words = f"{printable(name)}: " + ", ".join(f"{printable(label)} {count:,}" for label, count in bars[:5])
    return f'<svg class="spark" viewBox="0 0 120 30" role="img" aria-label="{escape(words)}">{drawn}</svg>'


def _singled_out(here: Here) -> None:
    project = here.project
    with card("How easily people are recognized"):
        scan = project.subsets
        if scan is None or not scan.best:
            words = "Counting …" if project.is_busy else "Counted once there is a quasi-identifier."
            ui.label(words).classes("quiet")
            return
        sizes = {len(item.attributes): item for item in reversed(scan.best)}
        worst = sizes[max(sizes)]
        names = list_words([printable(name) for name in worst.attributes])
        many = {1: "This column alone singles", 2: "These two columns single"}
        begin = many.get(len(worst.attributes), "These three columns single")
        people = "people" if scan.unit == "person" else f"{scan.unit}s"
        share = percent_words(worst.share, "risk").replace(" ", "\u00a0")  # never on two lines
        notice(f"{begin} out {share} of the {people}: {names}.", "bad" if worst.share > 0.01 else "note")
        ui.label("They are the most telling of the quasi-identifiers, before anything is done.").classes(
            "quiet"
        )


def _unchanged(project: Project) -> None:
    assert project.spec is not None
    with card("Published unchanged"):
        names = [*project.spec.sensitive, *project.spec.others]
        if not names:
            ui.label("Nothing.")
        for name in names:
            with ui.element("span").classes("tag"):
                role = "sensitive" if name in project.spec.sensitive else "other"
                ui.label(f"{printable(name)} ({role})")
        if project.spec.others:
            ui.label("Columns with the role other are not protected at all.").classes("notice note")


def _first_rows(project: Project) -> None:
    assert project.look is not None
    with card("The first rows", "plain"):
        names = [column.name for column in project.look.columns]
        # Keys without dots, which the grid would take for paths.
        rows = [{f"c{place}": cell for place, cell in enumerate(row)} for row in project.look.first]
        ui.aggrid(
            {
                "columnDefs": [
                    {"headerName": printable(name), "field": f"c{place}", "minWidth": 90}
                    for place, name in enumerate(names)
                ],
                "rowData": rows,
                "defaultColDef": {"sortable": False, "resizable": True},
                "autoSizeStrategy": {"type": "fitCellContents", "defaultMaxWidth": 300},
            },
            auto_size_columns=False,
        ).classes("grid").style("height: 18rem")


PAGE = Page("/data", "Data", "Say what each column is. The suggestions are on the safe side.", show, "data")
