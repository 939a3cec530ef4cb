"""Read a release back and write a report about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.evidence.gather import Evidence
from sfumato.evidence.published import Published, published
from sfumato.private import scratch_folder
from sfumato.release.atomic import atomic_text
from sfumato.report.document import report_html

if TYPE_CHECKING:
    from collections.abc import Callable


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
