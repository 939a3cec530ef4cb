"""Text files with separators: finding separator and header, and saying what is wrong with a line."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sfumato.errors import DataError
from sfumato.private import process_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SEPARATORS = (",", ";", "\t", "|")

_LINE_END = re.compile(r"\r\n|\r|\n")
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))+")
_SAMPLE_CHARACTERS = 1 << 17
_COPY_CHARACTERS = 1 << 20


@dataclass(frozen=True)
class Layout:
    """How a text file is laid out."""

    path: Path  # the file as the user named it
    readable: Path  # a file with the same rows in UTF-8: the file itself, or a private copy of it
    compressed: bool  # whether `readable` is compressed with gzip
    encoding: str  # the encoding of `path`
    separator: str  # the character between two fields
    names: tuple[str, ...]  # the column names of the header
    blank_lines: int  # the number of lines before the header, all blank


def lay_out(path: Path, *, separator: str | None, encoding: str) -> Layout:
    """Find the separator and the header of a text file."""
    _refuse_unknown_encoding(path, encoding)
    sample, complete = _read_sample(path, encoding)
    if not sample.strip():
        raise DataError("the file is empty. Put a header and at least one row into it.", where=str(path))
    blank = _BLANK_LINES.match(sample)
    sample = sample[blank.end() :] if blank else sample
    chosen = separator or _find_separator(sample, complete=complete)
    header = next(_records(sample, chosen, complete=complete), [])
    _refuse_wrong_separator(path, header, chosen)
    names = _name_columns(path, header)
    copy = _utf8_copy(path, encoding)
    readable, compressed = (path, _is_compressed(path)) if copy is None else (copy, False)
    blank_lines = len(_LINE_END.findall(blank.group())) if blank else 0
    return Layout(path, readable, compressed, encoding, chosen, names, blank_lines)


def explain(layout: Layout) -> DataError:
    """Say why the rows of a file cannot be read: the line and the counts, never its contents."""
    where = str(layout.path)
    try:
        with _open_text(layout.path, layout.encoding) as file:
            problem = _find_bad_line(file, layout)
    except UnicodeError:
        return _undecodable(layout.path, layout.encoding)
    except (OSError, EOFError):
        return DataError("the file cannot be read to its end. Check that it is complete.", where=where)
    if problem is not None:
        return DataError(problem, where=where)
    return DataError(
        f"the file is not regular text with the separator {layout.separator!r}: its quotes are unbalanced "
        "or its line ends are mixed. Save it again as plain CSV.",
        where=where,
    )


def _find_bad_line(file: IO[str], layout: Layout) -> str | None:
    """Return what is wrong with the first irregular line, or None."""
    for _ in range(layout.blank_lines):
        file.readline()
    reader = csv.reader(file, delimiter=layout.separator, strict=True)
    begin, expected = layout.blank_lines + 1, len(layout.names)
    try:
        for record in reader:
            if record and len(record) != expected:
                fields = "1 field" if len(record) == 1 else f"{len(record)} fields"
                return (
                    f"line {begin} has {fields} where the header has {expected}. "
                    "Repair the line, or set separator in [data]."
                )
            begin = layout.blank_lines + reader.line_num + 1
    except csv.Error:
        return f"the quotes in line {begin} are not balanced. Repair the line."
    return None


def _read_sample(path: Path, encoding: str) -> tuple[str, bool]:
    """Return the beginning of the text, and whether it is the whole."""
    try:
        with _open_text(path, encoding) as file:
            sample = file.read(_SAMPLE_CHARACTERS)
            # However wide the table is, its header must be whole.
            while not _LINE_END.search(sample.lstrip()) and (more := file.read(_SAMPLE_CHARACTERS)):
                sample += more
            return sample, not file.read(1)
    except UnicodeError:
        raise _undecodable(path, encoding) from None
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "it is not what its name says"
        raise DataError(f"the file cannot be read: {reason}.", where=str(path)) from None


def _find_separator(sample: str, *, complete: bool) -> str:
    """Return the separator that splits the first lines best."""

    def merit(separator: str) -> tuple[bool, float, int]:
        records = list(_records(sample, separator, complete=complete))
        if not records or len(records[0]) == 1:
            return (False, 0.0, 0)
        # A quote left over in a name means that it was cut in two.
        whole = not any('"' in name for name in records[0])
        fields = len(records[0])
        return (whole, sum(len(record) == fields for record in records) / len(records), fields)

    return max(SEPARATORS, key=merit)


def _records(sample: str, separator: str, *, complete: bool) -> Iterator[list[str]]:
    """Yield the records of a sample that are not blank; a last one that may be cut off is left out."""
    if not complete:
        cut = sample.rfind("\n")
        sample = sample[: cut + 1] if cut >= 0 else sample
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
    try:
        yield from (record for record in reader if record)
    except csv.Error:
        return


def _refuse_wrong_separator(path: Path, header: Sequence[str], separator: str) -> None:
    """Refuse a file that is one column only because it was split at the wrong character."""
    if len(header) != 1:
        return
    held = [other for other in SEPARATORS if other != separator and other in header[0]]
    if held:
        raise DataError(
            f"read with the separator {separator!r} the file has a single column, but its header holds "
            f"{held[0]!r}. Set separator = {json.dumps(held[0])} in [data].",
            where=str(path),
        )


def _name_columns(path: Path, header: Sequence[str]) -> tuple[str, ...]:
    """Return the column names; a column without one is called by its place, as in ``column_1``."""
    bare = [name.removeprefix("\ufeff") for name in header]
    names = [name or f"column_{place}" for place, name in enumerate(bare, start=1)]
    refuse_repeated(names, where=str(path))
    return tuple(names)


def refuse_repeated(names: Sequence[str], *, where: str) -> None:
    """Refuse names that are empty, equal, differ in case alone, or that engines take for a pattern."""
    seen: dict[str, str] = {}
    for place, name in enumerate(names, start=1):
        if not name:
            raise DataError(f"column {place} has no name. Give it one.", where=where)
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            raise DataError(f"the column name {name!r} reads as a pattern. Rename the column.", where=where)
        other = seen.get(name.casefold())
        seen[name.casefold()] = name
        if other is not None:
            how = "occurs twice" if other == name else f"differs from {other!r} in upper and lower case alone"
            raise DataError(f"the column name {name!r} {how}. Rename one of the columns.", where=where)


def _refuse_unknown_encoding(path: Path, encoding: str) -> None:
    """Refuse the name of an encoding that does not exist."""
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise DataError(
            f"the encoding {encoding!r} is not known. Use for example 'utf-8', 'latin-1' or 'cp1252'.",
            where=str(path),
        ) from None


def _utf8_copy(path: Path, encoding: str) -> Path | None:
    """Write a private copy in UTF-8 of a file in another encoding; None where none is needed."""
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii"):
        return None
    try:
        with (
            _open_text(path, encoding) as source,
            tempfile.NamedTemporaryFile(
                "w", encoding="utf-8", newline="", dir=process_folder(), suffix=".csv", delete=False
            ) as target,
        ):
            while text := source.read(_COPY_CHARACTERS):
                target.write(text)
    except UnicodeError:
        raise _undecodable(path, encoding) from None
    return Path(target.name)


def _open_text(path: Path, encoding: str) -> IO[str]:
    """Open a file, compressed or not, as text with its own line ends."""
    name = codecs.lookup(encoding).name
    decoder = "utf-8-sig" if name in ("utf-8", "ascii") else encoding
    if _is_compressed(path):
        return gzip.open(path, "rt", encoding=decoder, newline="")
    return path.open(encoding=decoder, newline="")


def _is_compressed(path: Path) -> bool:
    """Tell by its name whether a file is compressed."""
    return path.suffix.lower() == ".gz"


def _undecodable(path: Path, encoding: str) -> DataError:
    """Make the error for a file in another encoding than thought."""
    return DataError(
        f"the file is not text in the encoding {encoding!r}. Set encoding in [data], "
        'for example "latin-1", "cp1252" or "utf-16".',
        where=str(path),
    )
