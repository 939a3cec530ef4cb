"""Writing hierarchies to files in ARX's format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import HierarchyError, OutputError
from sfumato.private import write_whole

if TYPE_CHECKING:
    from sfumato.hierarchies.hierarchy import Hierarchy

_SPECIAL = frozenset(';,"\t\r\n\ufeff')


def to_arx(hierarchy: Hierarchy) -> str:
    r"""Write a hierarchy as text: one line per leaf, column i is level i, ``;`` between them.

    Missing has no line: whoever reads the text adds it where it occurs. Cells that
    hold a separator, a quote or the end of a line stand in double quotes.

    Examples
    --------
    >>> from sfumato.hierarchies.plain import build_plain
    >>> to_arx(build_plain("sex", ["Male", "Female"], "category", has_missing=True))
    'Female;*\nMale;*\n'
    """
    known = hierarchy.size - hierarchy.has_missing
    columns = []
    for blocks, labels in zip(hierarchy.levels[:, :known].tolist(), hierarchy.labels, strict=True):
        cells = [_cell(hierarchy.attribute, label or "") for label in labels[: max(blocks, default=-1) + 1]]
        columns.append([cells[block] for block in blocks])
    return "".join(";".join(row) + "\n" for row in zip(*columns, strict=True))


def write_arx(hierarchy: Hierarchy, path: Path | str) -> None:
    """Write a hierarchy to a file, as :func:`to_arx` does; UTF-8, complete or not at all."""
    target = Path(path)
    text = to_arx(hierarchy)
    try:
        write_whole(target, text.encode())
    except OSError as error:
        raise OutputError(
            f"The hierarchy cannot be written: {error.strerror or error}.", where=str(target)
        ) from None


def _cell(attribute: str, text: str) -> str:
    """Write one cell, in quotes where it needs them."""
    if not text:
        raise HierarchyError("The empty text is a value, and no hierarchy file can hold it.", where=attribute)
    if _SPECIAL.isdisjoint(text) and text == text.strip():
        return text
    return '"' + text.replace('"', '""') + '"'
