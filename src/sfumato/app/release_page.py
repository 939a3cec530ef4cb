"""Release: verify, write, download, and take away what reproduces it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from nicegui import ui

from sfumato.app.exports import differences, export_texts, texts_before
from sfumato.app.framing import (
    Here,
    Page,
    card,
    labelled_select,
    native_select,
    notice,
    on_commit,
    show_pieces,
)
from sfumato.app.projects import ASSIGNMENT
from sfumato.report.notebook import release_pieces
from sfumato.report.pieces import Numbers
from sfumato.words import count_words, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.app.projects import Made

FORMATS = {".csv": "CSV", ".xlsx": "Excel", ".parquet": "Parquet", ".tsv": "TSV", ".arrow": "Arrow"}
CLICKS = {"1": "the last click", "5": "the last five clicks", "100": "the beginning"}
ABOUT = {
    "organisation": "Who releases it",
    "purpose": "What it is for",
    "recipient": "Who receives it",
    "contact": "Whom to ask",
}


def show(here: Here) -> None:
    """Show the choice, the verdict, the files, and what takes the place of the app."""
    with ui.element("div").classes("two"):
        with ui.element("div"):
            _choice(here)
            if here.project.made is not None:
                _verdict(here.project.made)
            _reproduce(here)
        with ui.element("div").classes("aside"):
            _about(here)


def _choice(here: Here) -> None:
    project = here.project
    front = project.front
    assert front is not None
    number = project.chosen[-1] if project.chosen else front.suggestions(1)[0].solution.number
    form = here.memory.setdefault("format", ".csv")
    with card("What is released"):
        names = [name for name in front.measure_names if name != "suppressed"]
        options = {
            str(item.number): f"solution {item.number}: "
            + ", ".join(f"{printable(name)} {item.value(name):.4g}" for name in names)
            for item in front
        }
        native_select("Solution", options, str(number), here.tried(lambda chosen: _pick(here, int(chosen))))
        with ui.element("div").classes("line"):
            name = ui.input("File name", value=here.memory.get("name", f"{project.name}-shared")).props(
                "dense"
            )
            on_commit(name, lambda value: here.memory.update(name=value))
            labelled_select(
                "Format",
                {key: f"{words} ({key})" for key, words in FORMATS.items()},
                form,
                lambda chosen: here.memory.update(format=chosen),
            )
            ui.button(
                "Verify and write",
                icon="verified",
                on_click=here.tried(
                    lambda: project.release(number, f"{name.value or 'shared'}{here.memory['format']}")
                ),
            ).props("unelevated no-caps")
        ui.label(
            "The file is written, read back and recounted by code that shares nothing with the search. If "
            "the recount does not confirm every promise, there is no file."
        ).classes("quiet")


def _pick(here: Here, number: int) -> None:
    project = here.project
    project.chosen = [*(other for other in project.chosen if other != number), number]
    project.touch()


def show_checks(found: Mapping[str, Any], name: str) -> None:
    """Say whether a released file keeps its promise, and what was checked."""
    checks: Sequence[dict[str, str]] = found["checks"]
    if found["holds"]:
        words = f"Verified: {printable(name)} meets its requirements, by {count_words(len(checks), 'check')}."
        notice(words, "good").props('role="alert"')
    else:
        notice(f"Not verified: {printable(name)} does not keep its promise. Do not share it.", "bad").props(
            'role="alert"'
        )
        for words in found["violations"]:
            ui.label(printable(str(words)))
    with ui.expansion("Every check").classes("grid"):
        rows = [[item["name"], item["verdict"], item["detail"]] for item in checks]
        show_pieces(Numbers("What was recounted", ["check", "verdict", "detail"], rows))


def _verdict(made: Made) -> None:
    with card("The release"):
        show_checks(made.verdict, made.file.name)
        for exposure in made.release.exposures:
            notice(str(exposure), "note")
        with ui.element("div").classes("line"):
            file_link(made.file.name, f"Data: {made.file.name}")
            file_link(f"{made.file.name}.json", "Manifest")
            file_link("report.html", "Report")
        ui.label("For you only, not to be published:").classes("quiet")
        with ui.element("div").classes("line"):
            file_link("report-internal.html", "Internal report")
            file_link("reproduce.py", "Python script")
            file_link("reproduce.toml", "Specification")
            file_link("chosen.zip", "Chosen solution")
        if made.release.recipe.is_local:
            file_link(ASSIGNMENT, "Assignment")
            ui.label(
                "The assignment says which values share a class: with it, sfumato apply makes the same rows "
                "again. Keep it, and the chosen solution, as secret as the data."
            ).classes("quiet small")
        with ui.expansion("What became of the columns").classes("grid"):
            show_pieces(*release_pieces(made.release))


def file_link(name: str, label: str) -> None:
    """Show a link that downloads a file of the project."""
    ui.link(printable(label), f"/files/{quote(name)}").classes("file").props(f'download="{printable(name)}"')


def _about(here: Here) -> None:
    spec = here.project.spec
    assert spec is not None
    with card("Said in the manifest and the report"):
        for key, words in ABOUT.items():
            field = ui.input(words, value=getattr(spec.release, key) or "").props("dense").classes("grid")
            on_commit(field, here.tried(lambda value, key=key: _tell(here, key, value)))


def _tell(here: Here, key: str, value: str) -> None:
    def edit(tables: dict[str, dict[str, str]]) -> None:
        part = tables.setdefault("release", {})
        part.pop(key, None)
        if value:
            part[key] = value

    here.project.change(f"{key} told", edit)


def _reproduce(here: Here) -> None:
    project = here.project
    clicks = here.kept("clicks", "1")
    with card("The same without the app"):
        with ui.element("div").classes("line"):
            ui.label("What changed is marked since")
            native_select("Changes since", CLICKS, clicks, lambda chosen: here.set(clicks=chosen))
            if project.past:
                ui.label(f"(last: {printable(project.past[-1][1])})").classes("quiet")
        before = texts_before(project, int(clicks))
        for title, text in export_texts(project).items():
            lines = differences(before[title], text)
            count = sum(line[:1] in "+-" for line in lines)
            words = f"{title}: {count_words(count, 'changed line')}" if count else title
            with ui.expansion(words, value=title == "Python" or count > 0).classes("grid"):
                _code(lines)
        ui.label(
            f"They run in the folder of the project, {printable(project.name)}, and give the same "
            "file to the byte: the chosen solution is pinned in chosen/, so that nothing is searched again."
            if project.made is not None
            else "Once there is a release, script and commands pin the chosen solution."
        ).classes("quiet")


def _code(lines: Sequence[str]) -> None:
    looks = {"+": ("ins", "diff-add"), "-": ("del", "diff-del")}
    shown = []
    for line in lines:
        tag, look = looks.get(line[:1], ("span", "diff-same"))
        shown.append(f'<{tag} class="{look}">{escape(line[1:]) or " "}</{tag}>')
    ui.html(f'<pre class="code" tabindex="0">{"".join(shown)}</pre>', sanitize=False)


PAGE = Page(
    "/release", "Release", "Write the file you chose, verified, with all that goes with it.", show, "front"
)
