"""Text files with separators: finding dialect and header, and saying what is wrong with a line."""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import itertools
import json
import lzma
import re
import tempfile
import zipfile
import zlib
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from sfumato.errors import DataError
from sfumato.private import process_folder
from sfumato.table.dialects import Dialect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sfumato.spec import DataSpec

COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
SEPARATORS = (",", ";", "\t", "|")

_LINE_END = re.compile(r"\r\n|\r|\n")
_QUOTED = re.compile(r'"[^"]*(?:"|$)')
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))+")
_SAMPLE_CHARACTERS = 1 << 17
_COPY_CHARACTERS = 1 << 20


_SEP_LINE = re.compile(r'"?sep=([^"\r\n])"?(?:\r\n|\r|\n)', re.IGNORECASE)
_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_TITLE_LINES, _PADDED, _MOST, _FEWEST_ROWS = 50, 3, 0.5, 5
_TRAILING_ROWS = 1000


@dataclass(frozen=True)
class Layout:
    """How a text file is laid out."""

    named: Path  # the file as the user named it
    path: Path  # the same, or the text that was made of it
    readable: Path  # a file with the same rows in UTF-8: the file itself, or a private copy of it
    compressed: bool  # whether `readable` is compressed with gzip
    dialect: Dialect  # how it is spelt
    names: tuple[str, ...]  # the column names
    skipped: int  # the number of lines before the header, or before the first row where there is none
    has_header: bool = True  # whether a header is read after them
    has_trailing: bool = False  # whether a separator ends every line, so that a last field is to be empty
    skip: int = 0  # the lines above the header as a specification counts them

    @property
    def separator(self) -> str:
        """The character between two fields."""
        return self.dialect.separator


def lay_out(
    path: Path, asked: DataSpec, named: Path, *, separator: str | None = None, guess: bool = False
) -> Layout:
    """Find the dialect and the header of a text file; ``guess`` also passes over the lines of a title."""
    found = _find_dialect(path, asked.encoding)
    sample, complete = _read_sample(path, found)
    stated = _SEP_LINE.match(sample)
    start = _find_start(path, sample, stated.end() if stated else 0, asked.skip or 0)
    chosen = asked.separator or (stated and stated[1]) or separator
    chosen = chosen or _find_separator(sample[start:], complete=complete)
    titles = _count_title_lines(sample[start:], chosen)
    above = len(_LINE_END.findall(sample[:start])) + titles
    if titles and not guess:
        raise DataError(
            f"the header seems to be in line {above + 1}. Set skip = {above - bool(stated)} in [data].",
            where=str(path),
        )
    start += sum(len(line) for line in itertools.islice(_lines(sample[start:]), titles))
    records = _records(sample[start:], chosen, complete=complete)
    header = next(records, [])
    _refuse_wrong_separator(path, header, chosen)
    trailing, longer = _has_trailing(header, list(itertools.islice(records, _TRAILING_ROWS)))
    kept = header[:-1] if trailing and not longer else header
    names = _name_columns(path, kept if asked.header else [""] * len(kept))
    ends = set(_LINE_END.findall(_QUOTED.sub("", sample).rstrip("\r")))
    copy = _utf8_copy(path, found, mixed=ends == {"\n", "\r\n"})
    end = _LINE_END.search(sample)
    return Layout(
        named,
        path,
        path if copy is None else copy,
        copy is None and path.suffix.lower() == ".gz",
        replace(
            found,
            separator=chosen,
            line_end="\r\n" if end and end.group() == "\r\n" else "\n",
            sep_line=bool(stated),
        ),
        names,
        # Such a header is shorter than the rows, and the engine would refuse it.
        above + (longer and asked.header),
        asked.header and not longer,
        trailing,
        above - bool(stated),
    )


def _find_start(path: Path, sample: str, start: int, skip: int) -> int:
    """Return where the text begins after lines to pass over and blank ones."""
    start += sum(len(line) for line in itertools.islice(_lines(sample[start:]), skip))
    blank = _BLANK_LINES.match(sample, start)
    start = blank.end() if blank else start
    if not sample[start:].strip():
        what = "ends within the lines to skip" if skip else "is empty"
        raise DataError(f"the file {what}. Put a header and at least one row into it.", where=str(path))
    return start


def looks_like_data(layout: Layout) -> bool:
    """Tell whether the header is more likely a row: at least half of the names are numbers or dates."""
    return 2 * sum(bool(re.fullmatch(r"[-+]?[0-9][0-9.,:/-]*", name)) for name in layout.names) >= len(
        layout.names
    )


def _find_dialect(path: Path, encoding: str) -> Dialect:
    """Find encoding and byte order mark; refuse NUL bytes, which the engine would take for text."""
    name = _refuse_unknown_encoding(path, encoding)
    try:
        with _open_bytes(path) as file:
            first = file.read(3)
            pieces = iter(lambda: file.read(_COPY_CHARACTERS), b"")
            has_nul = b"\0" in first or any(b"\0" in piece for piece in pieces)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise _unreadable(path, error) from None
    found = next((known for mark, known in _BOMS.items() if first.startswith(mark)), None)
    has_nul = has_nul and found in (None, "utf-8")
    if found and not has_nul and name in ("utf-8", "utf-8-sig", "ascii", "utf-16", found):
        return Dialect(encoding=found, bom=True)
    if name == "utf-16":
        raise _undecodable(path, encoding)
    if has_nul and not name.startswith(("utf-16", "utf-32")):
        raise DataError(
            "the file holds NUL bytes: it is not text, or in another encoding. Save it as CSV, or set "
            'encoding in [data], for example "utf-16".',
            where=str(path),
        )
    plain = {"utf-8-sig": "utf-8", "ascii": "utf-8"}
    return Dialect(encoding=plain.get(name, name))


def _lines(text: str) -> Iterator[str]:
    """Yield lines with their ends."""
    return iter(io.StringIO(text, newline=""))


def _first_rows(text: str, separator: str) -> tuple[list[list[str]], list[int]]:
    """Return the fields of the first rows, each read by itself, and how many lines each has."""
    lines = list(itertools.islice(_lines(text), _TITLE_LINES))
    rows, sizes = list[list[str]](), list[int]()
    while len(lines) > sum(sizes):
        rest = lines[sum(sizes) :]
        # Names may have line breaks inside quotes; a quote that is never closed is none.
        quotes = itertools.accumulate(line.count('"') for line in rest)
        sizes.append(next((many for many, found in enumerate(quotes, start=1) if found % 2 == 0), 1))
        row = io.StringIO("".join(rest[: sizes[-1]]).rstrip("\r\n"), newline="")
        rows.append(next(csv.reader(row, delimiter=separator), []))
    return rows, sizes


def _count_title_lines(text: str, separator: str) -> int:
    """Count the lines above the header: those of a title, and one that names groups of columns."""
    rows, sizes = _first_rows(text, separator)
    titles = _count_titles(rows)
    return sum(sizes[: titles + _names_groups(rows[titles:])])


def _names_groups(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row names groups of columns, and only the second one the columns."""
    if len(rows) < _FEWEST_ROWS or len({len(row) for row in rows}) > 1 or len(rows[0]) < _PADDED:
        return False
    groups, names, *data = rows
    is_named = all(name.strip() and not name.strip()[0].isdigit() for name in names)
    above_numbers = any(
        all(re.match("-?[0-9]", cell.strip() or "0") for cell in column) for column in zip(*data, strict=True)
    )
    return len({*groups, ""}) <= len(groups) and len(set(names)) == len(names) and is_named and above_numbers


def _count_titles(rows: Sequence[Sequence[str]]) -> int:
    """Count the lines above the header: those with a single cell, where most lines have several."""
    width, _ = Counter(len(row) for row in rows if row).most_common(1)[0] if any(rows) else (1, 0)
    for place, row in enumerate(rows):
        # A title stands in the first cell. A header of two columns may have a single name.
        if any(cell.strip() for cell in row[1:]) or len(row) == width < _PADDED:
            return place if len(row) == width else 0
    return 0


def _has_trailing(header: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[bool, bool]:
    """Tell whether a separator ends every row, and whether only the header has none."""
    if len(header) < 2 or not rows or any(row[-1] for row in rows):
        return False, False
    widths = {len(row) for row in rows}
    longer = widths == {len(header) + 1}
    return longer or (widths == {len(header)} and not header[-1]), longer


def explain(layout: Layout) -> DataError:
    """Say why the rows of a file cannot be read: the line and the counts, never its contents."""
    where = str(layout.named)
    try:
        with _open_text(layout.path, layout.dialect) as file:
            problem = _find_bad_line(file, layout)
    except UnicodeError:
        return _undecodable(layout.named, layout.dialect.encoding)
    except (OSError, EOFError, zlib.error, lzma.LZMAError):
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
    for _ in range(layout.skipped):
        file.readline()
    reader = csv.reader(file, delimiter=layout.separator, strict=True)
    begin, expected = layout.skipped + 1, len(layout.names) + layout.has_trailing
    try:
        for record in reader:
            if record and len(record) != expected:
                fields = "1 field" if len(record) == 1 else f"{len(record)} fields"
                header = "the header" if layout.has_header else "the first row"
                return (
                    f"line {begin} has {fields} where {header} has {expected}. "
                    "Repair the line, or set separator in [data]."
                )
            begin = layout.skipped + reader.line_num + 1
    except csv.Error as error:
        if "NUL" in str(error):
            return f"line {begin} holds a NUL byte. Repair the line."
        return f"the quotes in line {begin} are not balanced. Repair the line."
    return None


def _read_sample(path: Path, dialect: Dialect) -> tuple[str, bool]:
    """Return the beginning of the text, and whether it is the whole."""
    try:
        with _open_text(path, dialect) as file:
            sample = file.read(_SAMPLE_CHARACTERS)
            # However wide the table is, its header must be whole.
            while not _LINE_END.search(sample.lstrip()) and (more := file.read(_SAMPLE_CHARACTERS)):
                sample += more
            complete = not file.read(1)
    except UnicodeError:
        raise _undecodable(path, dialect.encoding) from None
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise _unreadable(path, error) from None
    return sample, complete


def _unreadable(path: Path, error: Exception) -> DataError:
    reason = getattr(error, "strerror", None) or "it is damaged or cut off, or it is not what its name says"
    return DataError(f"the file cannot be read: {reason}.", where=str(path))


def _find_separator(sample: str, *, complete: bool) -> str:
    """Return the separator that splits the first lines best."""
    read = {other: list(_records(sample, other, complete=complete)) for other in SEPARATORS}
    found = max(SEPARATORS, key=lambda other: _merit(read[other]))
    if _merit(read[found])[1] > _MOST:
        return found
    # Lines above the header have no separator, or it is part of a sentence.
    titles = {other: _count_titles(records[:_TITLE_LINES]) for other, records in read.items()}
    return max(SEPARATORS, key=lambda other: (*_merit(read[other][titles[other] :])[:2], -titles[other]))


def _merit(records: Sequence[Sequence[str]]) -> tuple[bool, float, int]:
    """Tell how well records were split: the header whole, most rows as long as it, and long."""
    if not records or len(records[0]) == 1:
        return (False, 0.0, 0)
    # A quote left over in a name means that it was cut in two.
    whole = not any('"' in name for name in records[0])
    fields = len(records[0])
    return (whole, sum(len(record) == fields for record in records) / len(records), fields)


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


def _refuse_unknown_encoding(path: Path, encoding: str) -> str:
    """Return Python's name of an encoding; refuse one that does not exist."""
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise DataError(
            f"the encoding {encoding!r} is not known. Use for example 'utf-8', 'latin-1' or 'cp1252'.",
            where=str(path),
        ) from None


def _utf8_copy(path: Path, dialect: Dialect, *, mixed: bool) -> Path | None:
    """Write a private copy in UTF-8 of a file that the engine cannot read; None where none is needed."""
    if dialect.encoding == "utf-8" and path.suffix.lower() not in COMPRESSED[1:] and not mixed:
        return None
    try:
        with _open_text(path, dialect) as source, private_text(".csv") as target:
            target.writelines(_one_end(source) if mixed else iter(lambda: source.read(_COPY_CHARACTERS), ""))
    except UnicodeError:
        raise _undecodable(path, dialect.encoding) from None
    except (EOFError, zlib.error, lzma.LZMAError) as error:
        raise _unreadable(path, error) from None
    return Path(target.name)


def _one_end(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines that all end alike; quoted fields stay as they are."""
    quoted = False
    for line in lines:
        quoted ^= line.count('"') % 2 == 1
        yield line if quoted or not line.endswith("\r\n") else line[:-2] + "\n"


def private_text(suffix: str) -> Any:
    """Open a new text file that nobody else can read, and that is gone when the process ends."""
    return tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=process_folder(), suffix=suffix, delete=False
    )


def _open_text(path: Path, dialect: Dialect) -> IO[str]:
    """Open a file, compressed or not, as text with its own line ends and without a byte order mark."""
    file = io.TextIOWrapper(_open_bytes(path), encoding=dialect.encoding, newline="")
    if dialect.bom:
        file.read(1)
    return file


def _open_bytes(path: Path) -> IO[bytes]:
    """Open a file, compressed or not."""
    suffix = path.suffix.lower()
    if suffix == ".zip":
        return _open_zipped(path)
    if suffix == ".zst":
        import pyarrow

        return cast("IO[bytes]", pyarrow.CompressedInputStream(path.open("rb"), "zstd"))
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    return cast("IO[bytes]", openers.get(suffix, open)(path, "rb"))


def _open_zipped(path: Path) -> IO[bytes]:
    """Open the one file of an archive."""
    try:
        archive = zipfile.ZipFile(path)
        names = [name for name in archive.namelist() if not name.endswith("/") and "__MACOSX/" not in name]
        if len(names) == 1:
            return archive.open(names[0])
    except (zipfile.BadZipFile, NotImplementedError):
        raise DataError("the file is not a zip archive, or it is damaged.", where=str(path)) from None
    except RuntimeError:
        raise DataError("the archive has a password. Unpack it first.", where=str(path)) from None
    raise DataError(f"the archive holds {len(names)} files, not one. Unpack it first.", where=str(path))


def _undecodable(path: Path, encoding: str) -> DataError:
    """Make the error for a file in another encoding than thought."""
    return DataError(
        f"the file is not text in the encoding {encoding!r}. Set encoding in [data], "
        'for example "latin-1", "cp1252" or "utf-16".',
        where=str(path),
    )
