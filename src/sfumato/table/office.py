"""Files of office and statistics programs: workbooks in and out, SPSS, Stata and SAS in.

What is read becomes a private text file, so that titles, headers, kinds and missing values are found there as
in any other text. A workbook is written by hand: its bytes then depend on the rows alone, and on no version
of a library, no clock and no user's name.
"""

from __future__ import annotations

import csv
import datetime
import functools
import importlib
import itertools
import re
import zipfile
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import DataError, OutputError
from sfumato.table.delimited import private_text
from sfumato.table.engine import quote_name, read_batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sfumato.table.libraries import duckdb

_SAVE = "save it in {} as .xlsx or CSV first"
SAVED_ELSEWHERE = {
    ".xls": f"this is the format of old versions of Excel; {_SAVE.format('Excel or LibreOffice')}",
    ".xlsb": f"binary workbooks are not supported; {_SAVE.format('Excel')}",
    ".ods": f"OpenDocument is not supported; {_SAVE.format('LibreOffice or Excel')}",
}
_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
_COMPOUND = bytes.fromhex("d0cf11e0")  # how old Excel files begin, and those with a password
_EXACT_DIGITS = 15  # Excel keeps no more
_MOST_ROWS, _MOST_COLUMNS, _MOST_CHARACTERS = 1_048_576, 16_384, 32_767


@functools.lru_cache(maxsize=8)
def text_copy(path: Path, sheet: str | None, labels: bool, stamp: object) -> Path:
    """Write the rows of a workbook or statistics file as text; ``stamp`` tells whether the file changed."""
    rows = (
        _workbook_rows(path, sheet) if path.suffix.lower() in (".xlsx", ".xlsm") else _records(path, labels)
    )
    with private_text(".csv") as file:
        writer = csv.writer(file, lineterminator="\n")
        for row in rows:
            texts = [_text(value) for value in row]
            # A blank row is no record. It stays a blank line, so that messages name the right row.
            writer.writerow(texts if any(texts) or len(texts) == 1 else [])
    return Path(file.name)


def _text(value: object) -> str:
    """Return the text of a cell: whole numbers without a point, days without a time, dates by ISO 8601."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 10**_EXACT_DIGITS:
        return str(int(value))
    if isinstance(value, datetime.datetime):
        return str(value.date()) if value.time() == datetime.time() else value.isoformat(" ")
    return str(value)


def _require(library: str, extra: str, path: Path) -> Any:
    """Import what reads a format, or say how to install it."""
    try:
        return importlib.import_module(library)
    except ImportError:
        raise DataError(
            f'this file type needs {library.replace("_", "-")}: pip install "sfumato[{extra}]"',
            where=str(path),
        ) from None


def _workbook_rows(path: Path, sheet: str | None) -> Iterator[Sequence[object]]:
    calamine = _require("python_calamine", "excel", path)
    with path.open("rb") as file:
        if file.read(4) == _COMPOUND:
            raise DataError(
                "the workbook has a password, or is in the format of old versions of Excel. Save it as .xlsx "
                "without a password.",
                where=str(path),
            )
    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
        chosen = _choose_sheet(calamine, book, sheet, path)
        rows = book.get_sheet_by_name(chosen).to_python(skip_empty_area=False)
    except (calamine.CalamineError, OSError):
        raise DataError(
            "the workbook cannot be read: it is damaged or cut off, or it is not a workbook. Save it again.",
            where=str(path),
        ) from None
    # Tables need not begin in the first column.
    used = [any(row[place] != "" for row in rows) for place in range(len(rows[0]) if rows else 0)]
    first = used.index(True) if any(used) else 0
    yield from (row[first:] for row in rows)


def _choose_sheet(calamine: Any, book: Any, sheet: str | None, path: Path) -> str:
    """Return the sheet that was named, or the only one that users see."""
    if sheet is not None and sheet in book.sheet_names:
        return sheet
    visible = calamine.SheetVisibleEnum.Visible
    names = [found.name for found in book.sheets_metadata if found.visible == visible]
    if sheet is None and len(names) == 1:
        return str(names[0])
    what = "no such sheet; the workbook has" if sheet is not None else "the workbook has"
    many = "1 sheet" if len(names) == 1 else f"{len(names)} sheets"
    raise DataError(f'{what} {many}. Set sheet = "NAME" in [data] to one of them.', where=str(path))


def _records(path: Path, labels: bool) -> Iterator[Sequence[object]]:
    """Yield the header and the records of a statistics file; what users declared missing is missing."""
    pyreadstat = _require("pyreadstat", "stats", path)
    try:
        found, meta = getattr(pyreadstat, _READERS[path.suffix.lower()])(str(path), output_format="dict")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, ValueError, OverflowError):
        raise DataError(
            "the file cannot be read: it is damaged or cut off, or it is not what its name says.",
            where=str(path),
        ) from None
    columns = []
    for name, values in found.items():
        # A label without any text says nothing, so that the code stays.
        known = {
            code: text for code, text in meta.variable_value_labels.get(name, {}).items() if text.strip()
        }
        plain = values.tolist() if hasattr(values, "tolist") else values
        columns.append([known.get(value, value) for value in plain] if labels and known else plain)
    yield list(found)
    yield from zip(*columns, strict=True)


_ODD = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_NAMESPACE = "http://schemas.openxmlformats.org"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = f'xmlns="{_NAMESPACE}/spreadsheetml/2006/main"'
_TYPE = "application/vnd.openxmlformats-"
_RELATED = f"{_NAMESPACE}/officeDocument/2006/relationships"
_RELATIONS = f'<Relationships xmlns="{_NAMESPACE}/package/2006/relationships">{{}}</Relationships>'
_RELATION = f'<Relationship Id="{{0}}" Type="{_RELATED}/{{0}}" Target="{{1}}"/>'
_OVERRIDE = f'<Override PartName="/xl/{{}}.xml" ContentType="{_TYPE}officedocument.spreadsheetml.{{}}+xml"/>'
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_NAMESPACE}/package/2006/content-types">'
    f'<Default Extension="rels" ContentType="{_TYPE}package.relationships+xml"/>'
    f"{_OVERRIDE.format('workbook', 'sheet.main')}{_OVERRIDE.format('worksheets/sheet1', 'worksheet')}"
    f"{_OVERRIDE.format('styles', 'styles')}</Types>",
    "_rels/.rels": _RELATIONS.format(_RELATION.format("officeDocument", "xl/workbook.xml")),
    "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_RELATED}"><sheets>'
    '<sheet name="Release" sheetId="1" r:id="worksheet"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": _RELATIONS.format(
        _RELATION.format("worksheet", "worksheets/sheet1.xml") + _RELATION.format("styles", "styles.xml")
    ),
    # Style 1 is text: Excel leaves such a cell alone even when somebody edits it.
    "xl/styles.xml": f'<styleSheet {_MAIN}><fonts count="1"><font/></fonts><fills count="1"><fill>'
    '<patternFill/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/>'
    '</cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="49" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}


def write_workbook(relation: duckdb.DuckDBPyRelation, path: Path) -> None:
    """Write rows as a workbook of one sheet: numbers and truth values as such, everything else as text.

    So are numbers of more than 15 digits, which Excel would round; dates are text in ISO 8601.
    """
    if len(relation.columns) > _MOST_COLUMNS:
        raise OutputError(f"a sheet holds at most {_MOST_COLUMNS:,} columns. Write .csv or .parquet.")
    kinds = [
        "b" if str(found) == "BOOLEAN" else "n" if str(found) in ("BIGINT", "UBIGINT", "DOUBLE") else "t"
        for found in relation.types
    ]
    texts = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in map(quote_name, relation.columns))
    letters = [_letters(place) for place in range(len(kinds))]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _PARTS.items():
            archive.writestr(_entry(name), _HEAD + text)
        with archive.open(_entry("xl/worksheets/sheet1.xml"), "w") as sheet:
            sheet.write(f"{_HEAD}<worksheet {_MAIN}><sheetData>".encode())
            header = itertools.repeat("t", len(kinds))
            sheet.write(_row(1, zip(letters, header, relation.columns, strict=False)))
            number = 1
            for batch in read_batches(relation.project(texts)):
                for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    number += 1
                    if number > _MOST_ROWS:
                        raise OutputError(
                            f"a sheet holds at most {_MOST_ROWS:,} rows. Write .csv or .parquet."
                        )
                    sheet.write(_row(number, zip(letters, kinds, values, strict=True)))
            sheet.write(b"</sheetData></worksheet>")


def _entry(name: str) -> zipfile.ZipInfo:
    """Describe a part of the archive: no time of day, no system."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 0, 0
    return entry


def _letters(place: int) -> str:
    letters = ""
    while place >= 0:
        place, rest = divmod(place, 26)
        letters, place = chr(ord("A") + rest) + letters, place - 1
    return letters


def _row(number: int, cells: Any) -> bytes:
    # A first cell without a value keeps its place, lest a row without any value be lost.
    parts = [
        _cell(f"{letter}{number}", kind, value)
        for letter, kind, value in cells
        if letter == "A" or value not in (None, "")
    ]
    return f'<row r="{number}">{"".join(parts)}</row>'.encode()


def _cell(name: str, kind: str, value: str | None) -> str:
    if not value:
        return f'<c r="{name}" s="1"/>'
    if kind == "b":
        return f'<c r="{name}" t="b"><v>{int(value == "true")}</v></c>'
    mantissa = value.lower().split("e")[0]
    is_number = kind == "n" and "inf" not in mantissa
    if is_number and ("." in mantissa or len(mantissa.lstrip("-")) <= _EXACT_DIGITS):
        return f'<c r="{name}"><v>{value}</v></c>'
    if len(value) > _MOST_CHARACTERS:
        raise OutputError(f"a cell holds at most {_MOST_CHARACTERS:,} characters. Write .csv or .parquet.")
    text = escape(_ODD.sub(lambda odd: f"_x{ord(odd[0]):04X}_", value), quote=False)
    return f'<c r="{name}" s="1" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
