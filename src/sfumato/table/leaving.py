"""The rows of a release on the way to a file: types, texts and order that follow from these rows alone.

**Types.** A written column has the type of what is published in it, whatever engine or file the rows came
from and whatever was suppressed. Integers of any width are 64-bit integers, and so are floats that are all
whole; other floats are doubles, and an undefined one is missing. Times have microseconds, or nanoseconds
where one needs them; a kept date whose times are all midnight is a date. Times with a zone keep their
instant and say UTC. A text file knows no types, so a column of it leaves typed, in a format that has types,
if every text is exactly how that type is written (``12``, ``1.5``, ``true``, ``1987-03-14``); ``007`` stays
text. A column without any value is text.

**Order.** Rows are sorted by all columns, in the order of the columns, by the text that a cell has in the
file. A column in which every cell that is neither missing nor ``*`` reads as a number is sorted by size
(equal numbers by their texts), with ``*`` after the numbers; any other by the bytes of its texts in UTF-8.
Missing comes last. So the order can be checked from the file alone.

**Formulas.** Where it is asked for, a cell of a CSV or TSV file that a spreadsheet would take for a formula
gets an apostrophe in front: a text that begins with ``= + - @``, a tab or a carriage return and is no number.
A text that already has apostrophes before such a character gets one more, so that no two texts become one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from sfumato.errors import OutputError
from sfumato.table.engine import quote_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

    from sfumato.table.files import FileFormat

LeavingKind: TypeAlias = Literal["text", "number", "date", "plain", "own"]
"""How a column leaves: ``text`` as labels; ``number`` and ``date`` in one spelling for each value; ``plain``
from a text file, without a type; ``own`` with the type that it has."""

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_WIDE = ("UBIGINT", "HUGEINT", "UHUGEINT")
_TIMES = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")
ZONED = "TIMESTAMP WITH TIME ZONE"
_KEPT = ("BOOLEAN", "DATE", "TIME", "BLOB", "VARCHAR", ZONED)
_NESTED = ("STRUCT(", "MAP(")
_BY_SIZE = ("BIGINT", "UBIGINT", "DOUBLE")
_FIRST_ROWS = 2048
_EXACT = 2**53  # up to here every whole number is a double


@dataclass(frozen=True)
class Leaving:
    """How the rows of a release are written."""

    kinds: Mapping[str, LeavingKind]  # how each column leaves; `own` where nothing is said
    order: Literal["sorted", "input"] = "sorted"  # `sorted`, or `input` for the order in which the rows come
    # whether cells that a spreadsheet takes for formulas are kept or escaped
    formulas: Literal["keep", "escape"] = "keep"
    is_text: bool = False  # whether the rows come from a text file


@dataclass(frozen=True)
class _Form:
    """A form that a column may leave in: SQL, with ``{}`` for the column, and when it serves."""

    type: str
    value: str
    serves: str = "true"


def leave(relation: duckdb.DuckDBPyRelation, leaving: Leaving, target: FileFormat) -> duckdb.DuckDBPyRelation:
    """Give the rows the types, texts and order that they are written with."""
    names, is_plain = relation.columns, target in ("csv", "tsv")
    forms = []
    for name, found in zip(names, relation.types, strict=True):
        kind = leaving.kinds.get(name, "own")
        # Texts of a typed source stay texts, except where everything becomes a text anyhow.
        is_free = (leaving.is_text or is_plain) if kind != "plain" else not is_plain
        forms.append(_forms(name, str(found), kind if is_free or str(found) != "VARCHAR" else "text"))
    chosen, by_size = _choose(relation, forms, target)
    columns = []
    for name, form in zip(names, chosen, strict=True):
        value = form.value.format(quote_name(name))
        if is_plain and leaving.formulas == "escape" and form.type not in _BY_SIZE:
            value = _escaped(f"CAST({value} AS VARCHAR)")
        columns.append(f"{value} AS {quote_name(name)}")
    left = relation.project(", ".join(columns))
    if leaving.order == "sorted":
        left = _sorted(left, chosen, by_size, target)
    if is_plain and len(names) == 1:
        # An empty line is no row to many readers, so missing is written as an empty text.
        only = quote_name(names[0])
        left = left.project(f"coalesce(CAST({only} AS VARCHAR), '') AS {only}")
    return left


def _sorted(
    relation: duckdb.DuckDBPyRelation, chosen: list[_Form], by_size: list[bool], target: FileFormat
) -> duckdb.DuckDBPyRelation:
    """Sort rows by all columns."""
    names = relation.columns
    keys = [
        key
        for name, form, sized in zip(names, chosen, by_size, strict=True)
        for key in _keys(quote_name(name), form.type, target, by_size=sized)
    ]
    # Two nested values may have one text, and an empty text and missing may be one to a reader.
    keys += [quote_name(n) for n, form in zip(names, chosen, strict=True) if _is_nested(form.type)]
    if target in ("csv", "tsv"):
        keys += [
            f"{quote_name(n)} = ''" for n, form in zip(names, chosen, strict=True) if form.type == "VARCHAR"
        ]
    return relation.order(", ".join(f"{key} ASC NULLS LAST" for key in keys))


def _forms(name: str, found: str, kind: LeavingKind) -> list[_Form]:
    """List the forms of a column of some type, the most special first; the last one serves always."""
    if found == "INTERVAL":
        raise OutputError(
            f"the column {name!r} holds durations, which a file cannot hold without loss. "
            "Make it a number first, such as seconds, or leave it out."
        )
    if found == "VARCHAR":
        return [*_forms_of_text(kind), _Form(found, "{}")]
    if found in _WHOLE:
        return [_Form("BIGINT", "CAST({} AS BIGINT)")]
    if found in _WIDE:
        last = _Form(found, "{}") if found == "UBIGINT" else _Form("VARCHAR", "CAST({} AS VARCHAR)")
        return [_Form("BIGINT", "CAST({} AS BIGINT)", "TRY_CAST({} AS BIGINT) IS NOT NULL"), last]
    if found in ("FLOAT", "DOUBLE") or (found.startswith("DECIMAL") and kind == "number"):
        # Adding zero turns a negative zero into the zero that it equals.
        value = "CASE WHEN NOT isnan(CAST({0} AS DOUBLE)) THEN CAST({0} AS DOUBLE) + 0.0 END"
        whole = f"coalesce(trunc({value}) = {value} AND abs({value}) <= {_EXACT}, true)"
        return [_Form("BIGINT", f"CAST({value} AS BIGINT)", whole), _Form("DOUBLE", value)]
    if found in _TIMES or found == "TIMESTAMPTZ_NS":
        return _forms_of_time(found, kind)
    is_kept = found in _KEPT or found.startswith("DECIMAL") or _is_nested(found)
    return [_Form(found, "{}") if is_kept else _Form("VARCHAR", "CAST({} AS VARCHAR)")]


def _forms_of_text(kind: LeavingKind) -> list[_Form]:
    """List the types that texts may have, if every one of them is how that type is written."""
    types = {
        "number": ("BIGINT",),
        "date": ("DATE", "TIMESTAMP"),
        "plain": ("BIGINT", "DATE", "TIMESTAMP"),
    }.get(kind, ())
    forms = [
        _Form(found, f"CAST({{}} AS {found})", f"CAST(TRY_CAST({{0}} AS {found}) AS VARCHAR) = {{0}}")
        for found in types
    ]
    if kind == "plain":
        exact = "CAST(TRY_CAST({0} AS DOUBLE) AS VARCHAR) IN ({0}, {0} || '.0')"
        forms.append(_Form("BOOLEAN", "CAST({} AS BOOLEAN)", "{} IN ('true', 'false')"))
        forms.append(
            _Form("DOUBLE", "CAST({} AS DOUBLE)", f"{exact} AND isfinite(TRY_CAST({{0}} AS DOUBLE))")
        )
    if kind == "number":
        forms.append(_Form("DOUBLE", "CAST({} AS DOUBLE) + 0.0", "isfinite(TRY_CAST({} AS DOUBLE))"))
    if kind == "date":
        # A mixture of dates and times is read as times.
        readable = "TRY_CAST({0} AS TIMESTAMP) IS NOT NULL AND {0} NOT LIKE '%+__:__'"
        forms.append(_Form("TIMESTAMP", "CAST({} AS TIMESTAMP)", readable))
        forms.append(_Form(ZONED, f"CAST({{}} AS {ZONED})", f"TRY_CAST({{}} AS {ZONED}) IS NOT NULL"))
    return forms


def _forms_of_time(found: str, kind: LeavingKind) -> list[_Form]:
    """List the forms of times: kept dates as dates, and no finer than they need to be."""
    forms = []
    zoned, plain = found == "TIMESTAMPTZ_NS", "CAST({} AS TIMESTAMP)"
    if kind == "date" and not zoned:
        forms.append(_Form("DATE", "CAST({} AS DATE)", "CAST(CAST({0} AS DATE) AS TIMESTAMP_NS) = {0}"))
    if found.endswith("NS"):
        coarse = _Form(ZONED, f"CAST({{}} AS {ZONED})") if zoned else _Form("TIMESTAMP", plain)
        return [*forms, _Form(coarse.type, coarse.value, "epoch_ns({}) % 1000 = 0"), _Form(found, "{}")]
    return [*forms, _Form("TIMESTAMP", plain)]


def _choose(
    relation: duckdb.DuckDBPyRelation, forms: list[list[_Form]], target: FileFormat
) -> tuple[list[_Form], list[bool]]:
    """Return the first form of every column that serves all its values, and whether it is sorted by size."""
    by_size = [listed[-1].type == "VARCHAR" for listed in forms]
    # Most forms are ruled out by the first rows.
    for rows in (relation.limit(_FIRST_ROWS), relation):
        asked = []
        for name, listed, sized in zip(relation.columns, forms, by_size, strict=True):
            column, last = quote_name(name), listed[-1].value.format(quote_name(name))
            # What cannot be read does not serve, and nothing is asked of what is missing.
            known = f"FILTER (WHERE {column} IS NOT NULL)"
            tests = [form.serves.format(column) for form in listed[:-1]]
            asked += [f"count({last})", *(f"bool_and(coalesce({test}, false)) {known}" for test in tests)]
            asked.append(f"bool_and({_is_number(_text(last, 'VARCHAR', target))})" if sized else "false")
        answers = iter(rows.aggregate(", ".join(asked)).fetchall()[0])
        counts, forms_left = [], []
        for place, listed in enumerate(forms):
            counts.append(next(answers))
            # None means that there is nothing to rule a form out.
            forms_left.append([form for form in listed[:-1] if next(answers) is not False] + listed[-1:])
            by_size[place] = next(answers) is not False
        forms = forms_left
    chosen = [
        listed[0] if count else _Form("VARCHAR", "CAST({} AS VARCHAR)")
        for listed, count in zip(forms, counts, strict=True)
    ]
    return chosen, [
        sized or form.type.startswith("DECIMAL") for sized, form in zip(by_size, chosen, strict=True)
    ]


def _is_number(text: str) -> str:
    """Ask whether a text reads as a number, or stands for all values."""
    return f"coalesce({text} = '*' OR NOT isnan(TRY_CAST({text} AS DOUBLE)), {text} IS NULL)"


def _keys(column: str, found: str, target: FileFormat, *, by_size: bool) -> list[str]:
    """Return what rows are sorted by for one column."""
    if found in _BY_SIZE:
        return [column]
    text = _text(column, found, target)
    return [f"TRY_CAST({text} AS DOUBLE)", f"TRY_CAST({text} AS HUGEINT)", text] if by_size else [text]


def _text(value: str, found: str, target: FileFormat) -> str:
    """Write the SQL of the text that a reader of the file sees."""
    if target == "jsonl" and _is_nested(found):
        return f"CAST(to_json({value}) AS VARCHAR)"
    text = f"CAST({value} AS VARCHAR)"
    # An empty field is missing, in quotes or not.
    return f"nullif({text}, '')" if target in ("csv", "tsv") else text


def _escaped(text: str) -> str:
    """Write the SQL of a text in which no spreadsheet finds a formula; numbers are as they were."""
    is_formula = f"regexp_matches({text}, '^''*[=+\\-@\\t\\r]') AND TRY_CAST({text} AS DOUBLE) IS NULL"
    return f"CASE WHEN {is_formula} THEN '''' || {text} ELSE {text} END"


def _is_nested(found: str) -> bool:
    """Tell whether a type holds others."""
    return found.endswith("]") or found.startswith(_NESTED)
