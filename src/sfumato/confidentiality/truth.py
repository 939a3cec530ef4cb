"""Whether a sentence is true, row by row, from the distinct values of the columns."""

from __future__ import annotations

import datetime as dt
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato._typing import BoolArray, IntArray
from sfumato.confidentiality import grammar

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_EXPECTED = {"number": "a number", "date": "a date such as 1987-03-14"}


@dataclass(frozen=True, eq=False)
class SentenceColumn:
    """A column as sentences see it."""

    # `number`, `date`, `category` or `ordinal`. Categories have no order; ordinals have that of their values.
    kind: str
    values: Sequence[
        grammar.Constant
    ]  # its distinct values: numbers, dates (with a time or not), texts; None is missing
    codes: IntArray  # for every row, or tuple of rows, the place of its value


def evaluate(sentence: grammar.Sentence, columns: Mapping[str, SentenceColumn], text: str = "") -> BoolArray:
    """Tell for which rows a sentence is true."""
    # A comparison with a missing cell is false, whatever the operator, but for those with `missing` itself;
    # `not` turns every false into true. Texts are compared exactly; a number is compared with a category by
    # its text, so that 2 and 2.0 are both `2`. Dates are compared as the beginning of their day.
    if isinstance(sentence, grammar.Relation | grammar.Membership):
        column = columns[sentence.name]
        return np.asarray(_truth_of_values(sentence, column, text)[column.codes])
    if isinstance(sentence, grammar.Negation):
        return ~evaluate(sentence.part, columns, text)
    join = np.logical_and if sentence.word == "and" else np.logical_or
    found = evaluate(sentence.parts[0], columns, text)
    for part in sentence.parts[1:]:
        found = join(found, evaluate(part, columns, text))
    return found


def _truth_of_values(atom: grammar.Atom, column: SentenceColumn, text: str) -> BoolArray:
    """Tell for which distinct values a comparison is true."""
    test = _test(atom, column, text)
    return np.array([test(value) for value in column.values], dtype=bool).reshape(len(column.values))


def _test(atom: grammar.Atom, column: SentenceColumn, text: str) -> Callable[[grammar.Constant], bool]:
    if isinstance(atom, grammar.Membership):
        wanted = {_fit(atom, value, column, text) for value in atom.values}
        return lambda cell: _comparable(cell, column) in wanted
    if atom.value is None:
        return lambda cell: (cell is None) == (atom.operator == "==")
    if atom.operator in grammar.ORDERING and column.kind == "category":
        raise grammar.SentenceError(
            f"the values of {atom.name!r} have no order. Use '==' or 'in', or make it a number, a date, or "
            "ordinal with an order.",
            text,
            atom.at,
        )
    compare, wanted_value = _COMPARE[atom.operator], _fit(atom, atom.value, column, text)
    if column.kind == "ordinal" and atom.operator in grammar.ORDERING:
        rank = {_text(value): place for place, value in enumerate(column.values) if value is not None}
        if wanted_value not in rank:
            raise grammar.SentenceError(
                f"this value is not in the order of {atom.name!r}.", text, atom.value_at
            )
        return lambda cell: cell is not None and compare(rank[_text(cell)], rank[wanted_value])
    return lambda cell: cell is not None and compare(_comparable(cell, column), wanted_value)


def _fit(atom: grammar.Atom, value: grammar.Constant, column: SentenceColumn, text: str) -> object:
    """Return a constant as it is compared with the cells of a column."""
    if value is None:
        return None
    if column.kind == "number":
        number = value if isinstance(value, int | float) else _number(value)
        if number is not None:
            return number
    if column.kind == "date":
        found = value if isinstance(value, dt.date) else _date(value)
        if found is not None:
            return _moment(found)
    if column.kind in ("category", "ordinal"):
        return _text(value)
    raise grammar.SentenceError(
        f"{atom.name!r} is compared with {_EXPECTED[column.kind]}, which this is not.", text, atom.value_at
    )


def _comparable(cell: grammar.Constant, column: SentenceColumn) -> object:
    """Return a cell as it is compared with a constant that fits."""
    if cell is None or column.kind == "number":
        return cell
    if column.kind == "date" and isinstance(cell, dt.date):
        return _moment(cell)
    return _text(cell)


def _date(value: object) -> dt.date | None:
    try:
        return dt.datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _number(value: object) -> int | float | None:
    try:
        found = float(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return found if found is not None and math.isfinite(found) else None


def _moment(value: dt.date) -> dt.datetime:
    """Return a date as the beginning of its day; a time without a zone is one in UTC."""
    time = value if isinstance(value, dt.datetime) else dt.datetime(value.year, value.month, value.day)
    return time.replace(tzinfo=dt.UTC) if time.tzinfo is None else time.astimezone(dt.UTC)


def _text(value: grammar.Constant) -> str:
    """Return the text by which a value is compared with a category; whole numbers have no point."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def plain_form(
    sentence: grammar.Sentence, columns: Mapping[str, SentenceColumn], names: Mapping[str, str] | None = None
) -> list[object]:
    """Return a sentence as nested lists that JSON holds, each comparison with the kind of its column."""
    # `["and", …]`, `["or", …]`, `["not", part]`, `[operator, column, kind, constant]` and `["in", column,
    # kind, [constants]]`; missing is None, dates are ISO texts. Comparisons of ordinals by their order become
    # lists of values. `names` says under which names the columns stand elsewhere.
    if isinstance(sentence, grammar.Negation):
        return ["not", plain_form(sentence.part, columns, names)]
    if not isinstance(sentence, grammar.Relation | grammar.Membership):
        return [sentence.word, *(plain_form(part, columns, names) for part in sentence.parts)]
    column = columns[sentence.name]
    name = (names or {}).get(sentence.name, sentence.name)
    kind = "category" if column.kind == "ordinal" else column.kind
    if isinstance(sentence, grammar.Membership):
        values: list[object] = [_plain(value, kind) for value in sentence.values]
        return ["in", name, kind, values]
    if column.kind == "ordinal" and sentence.operator in grammar.ORDERING:
        return ["in", name, kind, _texts_that_fit(sentence, column)]
    return [sentence.operator, name, kind, _plain(sentence.value, kind)]


def _texts_that_fit(atom: grammar.Relation, column: SentenceColumn) -> list[object]:
    truth = _truth_of_values(atom, column, "")
    return [_text(value) for value, holds in zip(column.values, truth, strict=True) if holds]


def without_orders(sentence: grammar.Sentence, columns: Mapping[str, SentenceColumn]) -> grammar.Sentence:
    """Return a sentence in which comparisons of ordinals by their order are lists of values."""
    # It means the same and can be judged where the order is not known.
    if isinstance(sentence, grammar.Negation):
        return grammar.Negation(without_orders(sentence.part, columns))
    if isinstance(sentence, grammar.Junction):
        return grammar.Junction(
            sentence.word, tuple(without_orders(part, columns) for part in sentence.parts)
        )
    if isinstance(sentence, grammar.Membership) or columns[sentence.name].kind != "ordinal":
        return sentence
    if sentence.operator not in grammar.ORDERING:
        return sentence
    values = _texts_that_fit(sentence, columns[sentence.name])
    if values:
        return grammar.Membership(sentence.name, tuple(str(value) for value in values))
    # No value fits, so nothing is ever true.
    missing = grammar.Relation(sentence.name, "==", None)
    return grammar.Junction("and", (missing, grammar.Negation(missing)))


def _plain(value: grammar.Constant, kind: str) -> object:
    if value is None or kind == "number":
        return _number(value) if isinstance(value, str) else value
    found = _date(value) if kind == "date" and isinstance(value, str) else value
    return (
        _moment(found).isoformat(sep=" ") if kind == "date" and isinstance(found, dt.date) else _text(value)
    )
