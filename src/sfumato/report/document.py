"""The report, external and internal: one HTML file that opens offline; and the folder it is made from."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.assess.gather import Evidence, Origin, file_name
from sfumato.assess.published import Lack, Published, published
from sfumato.errors import DataError, ParameterError
from sfumato.front import PlainFront, load_front
from sfumato.private import scratch_folder
from sfumato.release import manifest_path
from sfumato.release.json_files import atomic_text
from sfumato.report.assessed_section import risk_section, utility_section
from sfumato.report.attribute_section import attribute_section, left_out_section, sizes_section
from sfumato.report.making_section import front_section, making_section, verification_section
from sfumato.report.phrases import WORDS
from sfumato.report.pieces import (
    Chapter,
    Facts,
    Paragraph,
    chapter_html,
    document_html,
    piece_html,
    read_resource,
    source_hash,
    text,
)
from sfumato.report.style import palette_css
from sfumato.report.summary import summary_section

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.spec import Spec

INTERNAL = "Internal: contains numbers about suppressed people and the original data. Do not publish."
_EVERY_SHEET = '@page { @top-center { content: "Internal: do not publish"; font: bold 9pt sans-serif; } }'
"""Printed sheets may be parted from the first one."""


def report_html(found: Published, *, show_values: bool = True, day: dt.date | None = None) -> str:
    """Return the report about a release."""
    # What a `Published` holds follows from FILE and FILE.json, and so does all of the external edition. The
    # internal edition is made of an `Evidence`, which knows the original too; it says so on top.
    inside = isinstance(found, Evidence)
    style = f"{palette_css()}{read_resource('report.css')}{_EVERY_SHEET if inside else ''}"
    name, told, internal = found.subject.file, found.subject.about, " (internal)" if inside else ""
    about = "Report about a release" if name is None else f"Report about the release {name}"
    title = text(f"{about}{internal}")
    version = found.subject.versions.get("sfumato")
    by, made = f"Sfumato {version}" if version else "Sfumato", day or dt.datetime.now(dt.UTC).date()
    subtitle = f"Made by {by} only from the released file and its FILE.json."
    if inside:
        held = "It holds counts, and labels that the release shows; no row."
        subtitle = f"Made by {by} on {made.isoformat()}. {held}"
    chapters = report_chapters(found, show_values=show_values)
    facts = Facts([(words, told[key]) for key, words in WORDS["about"].items() if key in told])
    page = read_resource("report.html").removesuffix("\n")
    body = page.format(
        title=title,
        subtitle=text(subtitle),
        about=piece_html(facts),
        banner=piece_html(Paragraph("", "verdict bad", INTERNAL)) if inside else "",
        contents="\n".join(f'<li><a href="#{item.identity}">{item.short}</a></li>' for item in chapters),
        content="\n".join(map(chapter_html, chapters)),
    )
    mark = f"<!-- {INTERNAL} -->\n" if inside else ""
    # No script runs, and this style alone applies.
    return document_html(title, style, f"style-src {source_hash(style)}", body, mark=mark, is_listed=False)


def report_chapters(found: Published, *, show_values: bool) -> list[Chapter]:
    """Return what the report says; chapters that need an `Evidence` belong to the internal edition alone."""
    inside = found if isinstance(found, Evidence) else None
    return [
        summary_section(found),
        *([front_section(inside)] if inside else []),
        sizes_section(found),
        risk_section(found),
        *([utility_section(inside)] if inside else []),
        *([left_out_section(inside, show_values=show_values)] if inside and inside.losses else []),
        attribute_section(found, show_values=show_values),
        verification_section(found),
        making_section(found, show_values=show_values),
    ]


def read_release(file: Path | None, write: Callable[[Path], object]) -> Published:
    """Return what a release shows of itself."""
    if file is not None and file.exists():
        return published(file)
    with scratch_folder() as folder:
        draft = Path(folder) / "release.parquet"
        write(draft)
        found = published(draft)
    # The file that is written later will have another name and another digest.
    verdict = replace(found.subject.verdict, sha256=None)
    return replace(found, subject=replace(found.subject, file=None, verdict=verdict))


def write_report(path: Path, found: Published, *, show_values: bool = True, force: bool = False) -> None:
    """Write the external edition of a `Published`, or the internal one of an `Evidence`."""
    text = report_html(found, show_values=show_values)
    atomic_text(path, text, force=force, private=isinstance(found, Evidence))


def find_release(folder: Path, given: str | None = None) -> Path:
    """Return the release that a folder holds: a file with its ``FILE.json`` next to it."""
    if not folder.is_dir():
        raise DataError(
            "there is no such folder. Name one that 'sfumato demo' or 'sfumato release' wrote into.",
            where=str(folder),
        )
    if given is not None:
        inside = folder / given  # a path from the root stays what it is
        path = inside if inside.exists() else type(folder)(given)
        if not path.exists():
            raise DataError("there is no such file.", where=given)
        stated = manifest_path(path)
        if not stated.is_file():
            raise DataError(f"there is no {stated.name} next to it, so nothing is promised.", where=given)
        return path
    found = sorted(path.with_suffix("") for path in folder.glob("*.json") if is_release(path.with_suffix("")))
    if not found:
        raise DataError(
            "there is no release here: no file with its FILE.json next to it. Write one with "
            "'sfumato release', or name it with --release FILE.",
            where=str(folder),
        )
    return _only(found, "releases", "--release FILE", folder)


def is_release(path: Path) -> bool:
    """Tell whether a path is a file, or a folder of files, with its manifest next to it."""
    return (path.is_file() or (path.is_dir() and path.suffix != "")) and manifest_path(path).is_file()


def _only(found: list[Path], what: str, option: str, folder: Path) -> Path:
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise ParameterError(
            f"several {what} are here: {names}. Choose one with {option}.", where=str(folder)
        )
    return found[0]


def find_specification(folder: Path) -> Path | None:
    """Return the specification that a folder holds; None if there is none."""
    found = sorted(path for path in folder.glob("*.toml") if path.is_file())
    return _only(found, "specifications", "--spec SPEC", folder) if found else None


def find_origin(spec: Spec | None, lacks: list[Lack]) -> Origin | None:
    """Return the original that a specification names; if there is none, note what is missing."""
    if spec is None:
        why, remedy = "there is no specification next to the release.", "Name it with --spec SPEC."
        lacks.append(Lack("specification", why, remedy))
    elif spec.data.path is None or (data := spec.data_path) is None:
        why, remedy = "the specification names no data.", "Add path under [data], and make the report again."
    elif isinstance(data, Path) and not data.exists():
        name = file_name(spec.data.path)
        why = f"the original data, {name}, are not where the specification says."
        remedy = "Put them back, and make the report again."
    else:
        return Origin(data, spec)
    lacks += [
        Lack(part, f"only the original shows what was before, and {why}", remedy)
        for part in ("sizes", "risk")
    ]
    lacks.append(Lack("utility", f"it compares with the original, and {why}", remedy))
    return None


def find_front(folder: Path, lacks: list[Lack]) -> PlainFront | None:
    """Return the front in a folder or in one of its folders; if there is none, note what is missing."""
    files, inside = ("front.csv", "run.json"), (folder, *sorted(folder.iterdir()))
    found = [path for path in inside if all((path / name).is_file() for name in files)]
    if found and (found[0] == folder or len(found) == 1):
        return load_front(found[0])
    why = "there is no front.csv with run.json in the folder of the release, nor in a folder in it."
    remedy = "Run 'sfumato explore' to see the alternatives, or put its files there."
    if found:
        names = ", ".join(path.name for path in found)
        why, remedy = f"several folders hold a front: {names}.", "Put the right one next to the release."
    lacks.append(Lack("front", why, remedy))
    return None
