"""The report, external and internal: one HTML file that opens offline, without a script, and prints."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.assess.gather import Evidence
from sfumato.assess.published import Published, published
from sfumato.private import scratch_folder
from sfumato.release.json_files import atomic_text
from sfumato.report.attribute_section import attribute_section, left_out_section, sizes_section
from sfumato.report.making_section import front_section, making_section, verification_section
from sfumato.report.pieces import (
    Facts,
    Paragraph,
    chapter_html,
    document_html,
    piece_html,
    read_resource,
    source_hash,
    text,
)
from sfumato.report.risk_section import risk_section
from sfumato.report.style import palette_css
from sfumato.report.summary import summary_section
from sfumato.report.utility_section import utility_section

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.report.pieces import Chapter

ABOUT_WORDS = {
    "date": "released on",
    "organisation": "by",
    "recipient": "to",
    "purpose": "for",
    "contact": "contact",
}
INTERNAL = "Internal: contains numbers about suppressed people and the original data. Do not publish."
_EVERY_SHEET = '@page { @top-center { content: "Internal: do not publish"; font: bold 9pt sans-serif; } }'
"""Printed sheets may be parted from the first one."""


def report_html(found: Published, *, show_values: bool = True, day: dt.date | None = None) -> str:
    """Return the report about a release."""
    # What a `Published` holds follows from FILE and FILE.json, and so does all of the external edition. The
    # internal edition is made of an `Evidence`, which knows the original too; it says so on top.
    inside = isinstance(found, Evidence)
    style = f"{palette_css()}{read_resource('report.css')}{_EVERY_SHEET if inside else ''}"
    name, internal = found.subject.file, " (internal)" if inside else ""
    about = "Report about a release" if name is None else f"Report about the release {name}"
    title = text(f"{about}{internal}")
    chapters = report_chapters(found, show_values=show_values)
    body = (
        read_resource("report.html")
        .removesuffix("\n")
        .format(
            title=title,
            subtitle=text(_subtitle(found, day)),
            about=piece_html(Facts(_about(found))),
            banner=piece_html(Paragraph("", "verdict bad", INTERNAL)) if inside else "",
            contents="\n".join(f'<li><a href="#{item.identity}">{item.short}</a></li>' for item in chapters),
            content="\n".join(map(chapter_html, chapters)),
        )
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


def _subtitle(found: Published, day: dt.date | None) -> str:
    version = found.subject.versions.get("sfumato")
    by = f"Sfumato {version}" if version else "Sfumato"
    if not isinstance(found, Evidence):
        return f"Made by {by} only from the released file and its FILE.json."
    made = day or dt.datetime.now(dt.UTC).date()
    return f"Made by {by} on {made.isoformat()}. It holds counts, and labels that the release shows; no row."


def _about(found: Published) -> list[tuple[str, str]]:
    stated = found.subject.about
    return [(words, stated[key]) for key, words in ABOUT_WORDS.items() if key in stated]


def read_release(file: Path | None, write: Callable[[Path], object]) -> Published:
    """Return what a release shows of itself."""
    if file is not None and file.is_file():
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
