"""Data: what is in the table, which role each column has and why, and what would be published unchanged."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from nicegui import ui

from sfumato.app.framing import (
    CHOICES,
    Here,
    button,
    card,
    empty,
    notice,
    select_html,
    show_grid,
    show_pieces,
    way_to,
)
from sfumato.app.projects import COUNTING, LEFT_OUT
from sfumato.report.pieces import Facts
from sfumato.spec.choices import ROLES
from sfumato.words import count_words, list_words, number_words, percent_words, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nicegui.events import GenericEventArguments

    from sfumato.previewing import ColumnLook, TableLook
    from sfumato.spec import Spec

SHOWN_COLUMNS = 300
_HEAD = (
    '<th scope="col">column</th><th scope="col">values</th><th scope="col" class="number">different</th>'
    '<th scope="col" class="number">missing</th><th scope="col">role</th>'
)


def show(here: Here) -> None:
    """Show columns, roles, and the first rows."""
    project = here.project
    if project.look is None or project.spec is None:
        if project.is_busy:
            ui.label("The data are being read …").classes("quiet")
        else:
            with empty("The data could not be read", "Put the file back where it was, and try again."):
                button("Try again", here.tried(project.read_again))
        return
    if not project.is_scanned and not project.is_busy:
        project.begin(COUNTING, project.scan, is_quiet=True)
    with ui.element("div").classes("two"):
        with ui.element("div"):
            _columns(here, project.look)
            _first_rows(project.look)
        with ui.element("div").classes("aside"):
            _singled_out(here)
            _unchanged(here.spec)
            with ui.expansion("What the roles mean").classes("grid"):
                show_pieces(Facts(list(CHOICES["roles"].items())))
            way_to("Next: Hierarchies", "/hierarchies", more="icon-right=arrow_forward")


def _columns(here: Here, look: TableLook) -> None:
    columns, found, reasons = look.columns, here.project.suggestion, dict[str, str]()
    if found is not None:
        reasons = {guess.name: f"suggested: {guess.role} ({guess.why})" for guess in found.guesses}
        reasons |= {name: f"suggested: {LEFT_OUT} ({why})" for name, why in found.left_out.items()}
    with card(f"{count_words(look.rows, 'row')}, {count_words(len(columns), 'column')}", "plain"):
        rows = "".join(
            _row_html(place, column, here.spec, reasons.get(column.name, ""))
            for place, column in enumerate(columns[:SHOWN_COLUMNS])
        )
        table = f'<table class="rows"><thead><tr>{_HEAD}</tr></thead><tbody>{rows}</tbody></table>'
        # One piece: a page that is made of few elements is quickly there.
        box = ui.html(table, sanitize=False).classes("scroll")

        def choose(event: GenericEventArguments) -> None:
            place, chosen = map(int, event.args)
            here.project.set_role(columns[place].name, [*ROLES, LEFT_OUT][chosen])

        box.on("change", here.tried(choose), js_handler="(e) => emit([e.target.name, e.target.value])")
        if len(columns) > SHOWN_COLUMNS:
            more = count_words(len(columns) - SHOWN_COLUMNS, "more column")
            ui.label(f"{more}: set their roles in the specification file.").classes("quiet")


def _row_html(place: int, column: ColumnLook, spec: Spec, reason: str) -> str:
    asked = spec.attributes.get(column.name)
    role = LEFT_OUT if asked is None else asked.role
    kind = CHOICES["kinds"][(None if asked is None else asked.kind) or column.kind]
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


def _unchanged(spec: Spec) -> None:
    with card("Published unchanged"):
        names = [*spec.sensitive, *spec.others]
        if not names:
            ui.label("Nothing.")
        for name in names:
            with ui.element("span").classes("tag"):
                role = "sensitive" if name in spec.sensitive else "other"
                ui.label(f"{printable(name)} ({role})")
        if spec.others:
            ui.label("Columns with the role other are not protected at all.").classes("notice note")


def _first_rows(look: TableLook) -> None:
    with card("The first rows", "plain"):
        columns = [
            {"headerName": printable(column.name), "field": f"c{place}", "minWidth": 90}
            for place, column in enumerate(look.columns)
        ]
        rows = [{f"c{place}": cell for place, cell in enumerate(row)} for row in look.first]
        fitted = {"type": "fitCellContents", "defaultMaxWidth": 300}
        looks = {"sortable": False, "resizable": True}
        show_grid(columns, rows, "18rem", defaultColDef=looks, autoSizeStrategy=fitted)
