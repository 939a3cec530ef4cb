"""Copies of released files in plain CSV, by the standard library alone: other dialects, and workbooks."""

from __future__ import annotations

import csv
import functools
import gzip
import io
import itertools
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree

from sfumato.errors import DataError

_DECIMAL = re.compile(r"([+-]?[0-9]*),([0-9]+(?:[eE][+-]?[0-9]+)?)")
_ODD = re.compile("_x([0-9A-Fa-f]{4})_")
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_SHEETS = re.compile(r"xl/worksheets/[^/]+\.xml")


def plain_copy(path: Path, dialect: Mapping[str, Any], copy: Path) -> Path:
    """Write a file with commas, points, UTF-8 and newlines that holds the same cells as a released one."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    rows = _sheet_rows(path) if path.suffix.lower() == ".xlsx" else _text_rows(path, dialect)
    with copy.open("w", encoding="utf-8", newline="") as target:
        csv.writer(target, lineterminator="\n").writerows(rows)
    return copy


def open_text(path: Path, encoding: str) -> IO[str]:
    """Open a text file, compressed or not, with its own line ends."""
    if path.suffix.lower() == ".zst":
        import pyarrow

        packed: Any = pyarrow.CompressedInputStream(path.open("rb"), "zstd")
        return io.TextIOWrapper(packed, encoding=encoding, newline="")
    opened: Callable[..., IO[str]] = gzip.open if path.suffix.lower() == ".gz" else open
    return opened(path, "rt", encoding=encoding, newline="")


def _text_rows(path: Path, dialect: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the rows of a text file as its dialect spells them; an absent key means plain CSV."""
    with open_text(path, dialect.get("encoding", "utf-8")) as file:
        first = file.readline().removeprefix("\ufeff")
        lines = file if dialect.get("sep_line") else itertools.chain([first], file)
        for row in csv.reader(lines, delimiter=dialect["separator"], strict=True):
            if dialect.get("decimal") == ",":
                row = [_DECIMAL.sub(r"\1.\2", cell) if _DECIMAL.fullmatch(cell) else cell for cell in row]
            yield row


def _sheet_rows(path: Path) -> Iterator[list[str]]:
    """Yield the rows of a workbook's only sheet; a cell without a value is empty."""
    with zipfile.ZipFile(path) as archive:
        sheets = [name for name in archive.namelist() if _SHEETS.fullmatch(name)]
        if len(sheets) != 1:
            raise DataError(f"the workbook has {len(sheets)} sheets, not one.", where=str(path))
        shared: list[str] = []
        if "xl/sharedStrings.xml" in archive.namelist():
            listed = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
            shared = [_text(item) for item in listed.iter(f"{_MAIN}si")]
        width = 0
        with archive.open(sheets[0]) as file:
            for _, row in ElementTree.iterparse(file):
                if row.tag != f"{_MAIN}row":
                    continue
                cells = {
                    _column(cell.get("r", "").rstrip("0123456789")): _value(cell, shared) for cell in row
                }
                width = width or 1 + max(cells, default=0)
                if max(cells, default=0) >= width:
                    raise DataError("a row is longer than the header.", where=str(path))
                yield [cells.get(place, "") for place in range(width)]
                row.clear()


@functools.cache
def _column(letters: str) -> int:
    """Return the place of a column from its letters, such as ``AB``."""
    place = 0
    for letter in letters:
        place = 26 * place + ord(letter) - ord("A") + 1
    return place - 1


def _value(cell: ElementTree.Element, shared: list[str]) -> str:
    kind, value = cell.get("t", "n"), cell.findtext(f"{_MAIN}v", "")
    if kind == "inlineStr":
        return _text(cell)
    if kind == "s":
        return shared[int(value)]
    return ("false", "true")[int(value)] if kind == "b" else value


def _text(item: ElementTree.Element) -> str:
    text = "".join(part.text or "" for part in item.iter(f"{_MAIN}t"))
    return _ODD.sub(lambda odd: chr(int(odd[1], 16)), text)
