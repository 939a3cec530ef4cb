"""Read a release back and write a report about it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.evidence.gather import Evidence
from sfumato.evidence.published import Published, published
from sfumato.release.atomic import check_target, output_errors, place, temporary, write_synced
from sfumato.report.document import report_html

if TYPE_CHECKING:
    from collections.abc import Callable

PRIVATE = 0o600
"""Of the internal edition: it is for whoever made it."""


def read_release(file: Path | None, write: Callable[[Path], object]) -> Published:
    """Return what a release shows of itself.

    Parameters
    ----------
    file
        Where it stands; None where it is not written.
    write
        Writes it to the path it is given; used where it is not written.
    """
    if file is not None and file.is_file():
        return published(file)
    with tempfile.TemporaryDirectory(prefix="sfumato-") as folder:
        draft = Path(folder) / "release.parquet"
        write(draft)
        found = published(draft)
    # The file that is written later will have another name and another digest.
    verdict = {**found.subject.verdict, "sha256": None}
    return replace(found, subject=replace(found.subject, file=None, verdict=verdict))


def write_report(path: Path, found: Published, *, show_values: bool = True, force: bool = False) -> None:
    """Write the external edition of a `Published`, or the internal one of an `Evidence`.

    Parameters
    ----------
    path
        The HTML file.
    found
        What the report shows.
    show_values
        Whether labels of the release are shown.
    force
        Replace a file that exists.

    Raises
    ------
    OutputError
        If the file exists and ``force`` is not given, or the folder or the disk refuses.
    """
    check_target(path, force=force)
    with output_errors(path), temporary(path) as draft:
        if isinstance(found, Evidence):
            draft.touch(mode=PRIVATE, exist_ok=False)  # before the first byte: nobody else opens it meanwhile
        write_synced(draft, report_html(found, show_values=show_values))
        place([(draft, path)])


__all__ = ["PRIVATE", "read_release", "write_report"]
