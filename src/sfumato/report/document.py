"""The report, external and internal: one HTML file that opens offline, without a script, and prints."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.assess.gather import Evidence
from sfumato.assess.published import Published, published
from sfumato.private import scratch_folder
from sfumato.release.fields import atomic_text
from sfumato.report.attribute_section import attribute_section, sizes_section
from sfumato.report.making_section import front_section, making_section, verification_section
from sfumato.report.pieces import Paragraph, chapter_html, piece_html, text
from sfumato.report.risk_section import risk_section
from sfumato.report.style import palette_css
from sfumato.report.summary import summary_section
from sfumato.report.utility_section import utility_section

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.report.pieces import Chapter

_PAGE = """<!DOCTYPE html>
{mark}<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Sfumato">
<meta name="robots" content="noindex">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#summary">To the summary</a>
<header>
<h1>{title}</h1>
<p class="quiet">{subtitle}</p>
{banner}
</header>
<nav aria-label="Contents"><ul>
{contents}
</ul></nav>
<main>
{content}
</main>
</body>
</html>
"""

INTERNAL = "Internal: contains numbers about suppressed people and the original data. Do not publish."
_EVERY_SHEET = '@page { @top-center { content: "Internal: do not publish"; font: bold 9pt sans-serif; } }'
"""Printed sheets may be parted from the first one."""


def report_html(found: Published, *, show_values: bool = True, day: dt.date | None = None) -> str:
    """Return the report about a release.

    What a `Published` holds follows from FILE and FILE.json, and so does all of the external edition. The
    internal edition is made of an `Evidence`, which knows the original too; it says so on top.
    """
    inside = isinstance(found, Evidence)
    style = f"{palette_css()}{files('sfumato.report').joinpath('report.css').read_text(encoding='utf-8')}"
    style += _EVERY_SHEET if inside else ""
    name = found.subject.file
    title = "Report about a release" if name is None else f"Report about the release {name}"
    chapters = report_chapters(found, show_values=show_values)
    return _PAGE.format(
        mark=f"<!-- {INTERNAL} -->\n" if inside else "",
        policy=_policy(style),
        title=text(f"{title} (internal)" if inside else title),
        style=style,
        banner=piece_html(Paragraph("", "verdict bad", INTERNAL)) if inside else "",
        subtitle=text(_subtitle(found, day)),
        contents="\n".join(f'<li><a href="#{item.identity}">{item.short}</a></li>' for item in chapters),
        content="\n".join(map(chapter_html, chapters)),
    )


def report_chapters(found: Published, *, show_values: bool) -> list[Chapter]:
    """Return what the report says; chapters that need an `Evidence` belong to the internal edition alone."""
    inside = found if isinstance(found, Evidence) else None
    return [
        summary_section(found),
        *([front_section(inside)] if inside else []),
        sizes_section(found),
        risk_section(found),
        *([utility_section(inside)] if inside else []),
        attribute_section(found, show_values=show_values),
        verification_section(found),
        making_section(found, show_values=show_values),
    ]


def _subtitle(found: Published, day: dt.date | None) -> str:
    version = found.subject.versions.get("sfumato")
    by = f"Sfumato {version}" if version else "Sfumato"
    if not isinstance(found, Evidence):
        return f"Made by {by} from the released file and its FILE.json alone."
    made = day or dt.datetime.now(dt.UTC).date()
    return f"Made by {by} on {made.isoformat()}. It holds counts, and labels that the release shows; no row."


def _policy(style: str) -> str:
    """Return the rule that nothing is fetched, no script runs, and this style alone applies."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def read_release(file: Path | None, write: Callable[[Path], object]) -> Published:
    """Return what a release shows of itself."""
    if file is not None and file.is_file():
        return published(file)
    with scratch_folder() as folder:
        draft = Path(folder) / "release.parquet"
        write(draft)
        found = published(draft)
    # The file that is written later will have another name and another digest.
    verdict = {**found.subject.verdict, "sha256": None}
    return replace(found, subject=replace(found.subject, file=None, verdict=verdict))


def write_report(path: Path, found: Published, *, show_values: bool = True, force: bool = False) -> None:
    """Write the external edition of a `Published`, or the internal one of an `Evidence`."""
    text = report_html(found, show_values=show_values)
    atomic_text(path, text, force=force, private=isinstance(found, Evidence))
