"""Release: verify, write, download, and take away what reproduces it."""

from __future__ import annotations

import difflib
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import tomli_w
from nicegui import ui

from sfumato.app.framing import (
    CHOICES,
    Here,
    button,
    card,
    labelled_select,
    native_select,
    notice,
    on_commit,
    show_pieces,
)
from sfumato.app.projects import ASSIGNMENT, CHOSEN, RELEASES, SPECIFICATION
from sfumato.report.notebook import release_pieces
from sfumato.report.pieces import Numbers
from sfumato.words import count_words, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.app.projects import Made, Project
    from sfumato.spec import Spec


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
        here.select("Solution", options, str(number), lambda chosen: project.put_last(int(chosen)))
        with ui.element("div").classes("line"):
            name = ui.input("File name", value=here.memory.get("name", f"{project.name}-shared"))
            on_commit(name.props("dense"), lambda value: here.memory.update(name=value))
            formats = {key: f"{words} ({key})" for key, words in CHOICES["formats"].items()}
            labelled_select("Format", formats, form, lambda chosen: here.memory.update(format=chosen))

            def release() -> None:
                project.release(number, f"{name.value or 'shared'}{here.memory['format']}")

            button("Verify and write", here.tried(release), icon="verified")
        ui.label(
            "The file is written, read back and recounted by code that shares nothing with the search. If "
            "the recount does not confirm every promise, there is no file."
        ).classes("quiet")


def show_checks(found: Mapping[str, Any], name: str) -> None:
    """Say whether a released file keeps its promise, and what was checked."""
    checks: Sequence[dict[str, str]] = found["checks"]
    if found["holds"]:
        words = f"Verified: {printable(name)} meets its requirements, by {count_words(len(checks), 'check')}."
        notice(words, "good").props('role="alert"')
    else:
        words = f"Not verified: {printable(name)} does not keep its promise. Do not share it."
        notice(words, "bad").props('role="alert"')
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
    def tell(key: str, value: str) -> None:
        here.project.set_keys(f"{key} told", "release", **{key: value or None})

    with card("Said in the manifest and the report"):
        for key, words in CHOICES["about"].items():
            field = ui.input(words, value=getattr(here.spec.release, key) or "")
            here.on_commit(field.props("dense").classes("grid"), partial(tell, key))


def _reproduce(here: Here) -> None:
    project = here.project
    clicks = here.kept("clicks", "1")
    with card("The same without the app"):
        with ui.element("div").classes("line"):
            ui.label("What changed is marked since")
            native_select("Changes since", CHOICES["clicks"], clicks, lambda chosen: here.set(clicks=chosen))
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


_SEARCH = '''\
"""Find the trade-off and release one solution of it: what was done in the app, in Python."""

import sfumato as sf

spec = sf.Spec.load({specification!r})
front = sf.explore(None, spec)
print(front.to_frame())
release = front.pick({pick!r}).release()
release.write("shared.csv")  # verified first
'''


def spec_text(spec: Spec | None) -> str:
    """Return a specification as its file has it."""
    return "" if spec is None else tomli_w.dumps(spec.to_dict())


def export_texts(project: Project) -> dict[str, str]:
    """Return script, commands (for the folder of the project) and specification by their titles."""
    # They search until there is a release; then they make that one again.
    pick = str(project.chosen[-1]) if project.chosen else "knee"
    script = _SEARCH.format(specification=SPECIFICATION, pick=pick)
    commands = (
        f"sfumato check {SPECIFICATION}\nsfumato explore {SPECIFICATION} --out front\n"
        f"sfumato release {SPECIFICATION} --front front --pick knee --out shared.csv\n"
    )
    if project.made is not None:
        script = (project.folder / "reproduce.py").read_text(encoding="utf-8")
        out = f"{RELEASES}/{project.made.file.name}"
        commands = f'sfumato release reproduce.toml --front {CHOSEN} --pick 1 --out "{out}" --force\n'
    return {"Python": script, "Command line": commands, "Specification": spec_text(project.spec)}


def texts_before(project: Project, clicks: int) -> dict[str, str]:
    """Return the same as it was some changes of the specification ago, scripts as they were shown before."""
    now, shown = export_texts(project), project.exported
    if not shown or shown[-1] != now:
        project.exported = [*shown[-1:], now]
    before = {**now, **project.exported[0]}
    spec = project.past[-min(clicks, len(project.past))][0] if project.past else project.spec
    return {**before, "Specification": spec_text(spec)}


def differences(before: str, now: str) -> list[str]:
    """Return all lines, each with a plus, a minus or a blank before it."""
    lines = difflib.unified_diff(before.splitlines(), now.splitlines(), lineterm="", n=10_000)
    return list(lines)[3:] or [f" {line}" for line in now.splitlines()]
