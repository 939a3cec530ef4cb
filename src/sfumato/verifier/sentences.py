"""Confidential sentences of a release: which classes disclose one, and to whom it is confidential.

Sentences come as nested lists and become plain SQL here. A comparison with a missing cell is false, but for
those with missing itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sfumato.errors import DataError
from sfumato.verifier.bags import quote

_OPERATORS = {"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DEEPEST = 500


@dataclass(frozen=True)
class Secret:
    """A confidential sentence as it is recounted."""

    # the sentence over the sensitive attributes: `["and", …]`, `["or", …]`, `["not", part]`, `[operator,
    # column, kind, constant]` or `["in", column, kind, [constants]]`; the kind is number, date or category,
    # and missing is None
    tree: Sequence[object]
    # whether everyone holds it. Else one of the next tells who does, where a file has the column.
    everyone: bool = True
    holders: Sequence[object] | None = (
        None  # a condition of the same form over columns that are not published
    )
    # a column with the number of the row, and the number of the row whose person holds it
    row: tuple[str, int] | None = None
    # a column of integers, and the bit that says whether the row's person holds it
    bit: tuple[str, int] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns besides the released ones that say who holds it."""
        if self.everyone:
            return ()
        if self.bit is not None:
            return (self.bit[0],)
        if self.row is not None:
            return (self.row[0],)
        return () if self.holders is None else names_in(self.holders)


@dataclass(frozen=True)
class Telling:
    """How many people a release reveals something confidential about."""

    certain: int  # rows whose class discloses a sentence that their persons are known to hold
    possible: int  # the same if unknown holders were everyone
    people: int | None  # people among the first; None where they are persons and their column is not there


def names_in(tree: object) -> tuple[str, ...]:
    """Return the columns that a sentence names, each once."""
    found: dict[str, str] = {}
    _write(tree, lambda name: found.setdefault(name, name), 0)
    return tuple(found)


def write_condition(tree: object, columns: Mapping[str, str]) -> str:
    """Write a sentence as SQL that is true or false; ``columns`` maps names to SQL of their texts."""
    return _write(tree, columns.__getitem__, 0)


def _write(tree: object, column: Callable[[str], str], depth: int) -> str:
    if depth > _DEEPEST or not isinstance(tree, list | tuple) or not tree:
        raise _wrong()
    word, *rest = tree
    if word in ("and", "or") and len(rest) > 1:
        return "(" + f" {word.upper()} ".join(_write(part, column, depth + 1) for part in rest) + ")"
    if word == "not" and len(rest) == 1:
        return f"(NOT {_write(rest[0], column, depth + 1)})"
    if len(rest) != 3 or not isinstance(rest[0], str) or rest[1] not in ("number", "date", "category"):
        raise _wrong()
    name, kind, value = rest
    if word == "in" and isinstance(value, list | tuple):
        return "(" + " OR ".join(["false", *(_compare(column(name), "==", kind, one) for one in value)]) + ")"
    if word not in _OPERATORS:
        raise _wrong()
    return _compare(column(name), word, kind, value)


def _compare(cell: str, operator: str, kind: str, value: object) -> str:
    if value is None and operator in ("==", "!="):
        return f"({cell} IS {'' if operator == '==' else 'NOT '}NULL)"
    sign = _OPERATORS[operator]
    if kind == "number" and type(value) in (int, float) and math.isfinite(float(str(value))):
        return f"coalesce(TRY_CAST({cell} AS DOUBLE) {sign} CAST('{float(str(value))!r}' AS DOUBLE), false)"
    if kind == "date" and isinstance(value, str):
        return f"coalesce(TRY_CAST({cell} AS TIMESTAMP) {sign} TRY_CAST({quote(value)} AS TIMESTAMP), false)"
    if kind == "category" and isinstance(value, str) and operator in ("==", "!="):
        # The engine writes whole numbers of a column of fractions with a point.
        texts = [value, f"{value}.0"] if _WHOLE.fullmatch(value) else [value]
        listed = f"{cell} IN ({', '.join(map(quote, texts))})"
        return f"coalesce({listed if operator == '==' else f'NOT ({listed})'}, false)"
    raise _wrong()


def _wrong() -> DataError:
    return DataError("a sentence of the manifest is malformed.", where="reference.sentences")


def stated_secrets(reference: Mapping[str, object]) -> tuple[Secret, ...]:
    """Read the sentences that a manifest states."""
    listed = reference.get("sentences", [])
    if not isinstance(listed, list):
        raise _wrong()
    found = []
    for item in listed:
        if not isinstance(item, Mapping) or not isinstance(item.get("everyone"), bool):
            raise _wrong()
        names_in(item.get("tree"))
        found.append(Secret(item["tree"], item["everyone"]))
    return tuple(found)


def held_condition(secret: Secret, columns: Mapping[str, str]) -> str | None:
    """Write who holds a sentence as SQL; None where the columns for that are not there."""
    if secret.everyone:
        return "true"
    if not secret.columns or not all(name in columns for name in secret.columns):
        return None
    if secret.bit is not None:
        return f"coalesce((CAST({columns[secret.bit[0]]} AS BIGINT) >> {int(secret.bit[1])}) & 1 = 1, false)"
    if secret.row is not None:
        return f"coalesce(CAST({columns[secret.row[0]]} AS BIGINT) = {int(secret.row[1])}, false)"
    return write_condition(secret.holders, columns)
