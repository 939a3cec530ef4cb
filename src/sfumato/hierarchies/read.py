"""Reading hierarchies from files in ARX's format.

One row per value, column i is level i, no header. Columns are separated by ``;``;
where the first line has none, by tabs or commas. Fields may stand in double quotes, a
byte order mark and blank lines are passed over, the encoding is UTF-8.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from sfumato.errors import HierarchyError
from sfumato.hierarchies.check import LeafRows

if TYPE_CHECKING:
    from pathlib import Path

SEPARATORS = (";", "\t", ",")


def read_leaves(path: Path, attribute: str, *, name: str | None = None) -> LeafRows:
    """Read the rows of a hierarchy; whether they make one is not asked here."""
    source = path.name if name is None else name
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        reason = error.strerror or "the system does not say why"
        raise HierarchyError(
            f"The hierarchy cannot be read: {reason}.", where=f"{attribute} ({source})"
        ) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise HierarchyError(
            "The file is not UTF-8. Save it in that encoding.", where=f"{source}:{line}"
        ) from None
    return parse_leaves(text, attribute, source=source)


def parse_leaves(text: str, attribute: str, *, source: str) -> LeafRows:
    r"""Read the rows of a hierarchy from the text of a file.

    Examples
    --------
    >>> parse_leaves("Male;*\nFemale;*\n", "sex", source="sex.csv").rows
    [['Male', '*'], ['Female', '*']]
    """
    rows: list[list[str]] = []
    lines: list[int] = []
    line = 1
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=find_separator(text), strict=True)
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                rows.append(row)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error:
        raise HierarchyError(
            "A quoted field is not closed, or text follows its closing quote. Write a quote inside as two.",
            where=f"{source}:{line}",
        ) from None
    return LeafRows(attribute, rows, source, lines)


def find_separator(text: str) -> str:
    """Return the first of semicolon, tab and comma that splits the first line, quotes respected.

    Examples
    --------
    >>> find_separator("a,b;c"), find_separator("a,b"), find_separator("a")
    (';', ',', ';')
    """
    for separator in SEPARATORS:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        first = next((row for row in reader if row), [])
        if len(first) > 1:
            return separator
    return SEPARATORS[0]
