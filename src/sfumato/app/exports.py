"""What takes the place of the app: the specification, a script, and what the last clicks changed in them."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import tomli_w

from sfumato.app.projects import CHOSEN, RELEASES, SPECIFICATION

if TYPE_CHECKING:
    from sfumato.app.projects import Project
    from sfumato.spec import Spec

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


def script_text(project: Project) -> str:
    """Return a script that does what was done so far: the search, or the release once there is one."""
    if project.made is not None:
        return (project.folder / "reproduce.py").read_text(encoding="utf-8")
    pick = str(project.chosen[-1]) if project.chosen else "knee"
    return _SEARCH.format(specification=SPECIFICATION, pick=pick)


def commands_text(project: Project) -> str:
    """Return the same for a terminal, run in the folder of the project."""
    if project.made is not None:
        out = f"{RELEASES}/{project.made.file.name}"
        return f'sfumato release reproduce.toml --front {CHOSEN} --pick 1 --out "{out}" --force\n'
    return (
        f"sfumato check {SPECIFICATION}\nsfumato explore {SPECIFICATION} --out front\n"
        f"sfumato release {SPECIFICATION} --front front --pick knee --out shared.csv\n"
    )


def export_texts(project: Project) -> dict[str, str]:
    """Return script, commands and specification by their titles."""
    texts = {"Python": script_text(project), "Command line": commands_text(project)}
    return {**texts, "Specification": spec_text(project.spec)}


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
