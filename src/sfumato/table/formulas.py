"""Cells that a spreadsheet would run as a formula, or turn into a date as it opens a file.

Where it is asked for, a cell of a CSV or TSV file that a spreadsheet would run or turn into a
date gets an apostrophe in front: a text that begins with ``= + - @``, a tab or a carriage return, or looks
like ``5-9`` or ``Mar 2024``, and is no number. A text that already has apostrophes before such a text gets
one more, so that no two texts become one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sfumato.table.engine import quote_name
from sfumato.table.libraries import nw

if TYPE_CHECKING:
    from sfumato.table.sources import Source

# What a spreadsheet runs as a formula, or turns into a date or a time as it opens a file.
TAKEN = (
    r"[=+\-@\t\r]|\d{1,4}([-/.:]\d{1,4}){1,2}$|(\d{1,4}[ ./-]*)?(?i:jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|"
    r"may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)"
    r"[ .,/-]*\d{1,4}([ .,/-]+\d{1,4})?$"
)


def escaped(text: str) -> str:
    """Write the SQL of a text that a spreadsheet leaves as it is; numbers are as they were."""
    is_taken = f"regexp_matches({text}, '^''*({TAKEN})') AND TRY_CAST({text} AS DOUBLE) IS NULL"
    return f"CASE WHEN {is_taken} THEN '''' || {text} ELSE {text} END"


def without_escapes(source: Source) -> Source:
    """See the rows of a written file without the apostrophes that keep spreadsheets from changing cells."""
    if not source.is_text:
        return source
    native: Any = source.native
    names = map(quote_name, source.columns)
    plain = (
        f"CASE WHEN regexp_matches({name}, '^''+({TAKEN})') THEN substr({name}, 2) ELSE {name} END AS {name}"
        for name in names
    )
    return replace(source, held=nw.from_native(native.project(", ".join(plain))))
