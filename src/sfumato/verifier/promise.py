"""What is claimed about a release, and what its file says.

A label or value is text, a number, true, false, or null for missing. Text is compared as
text. Where an attribute lists a number, its cells are compared as numbers, so that ``39``
and ``39.0`` are the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from sfumato.errors import DataError

if TYPE_CHECKING:
    from sfumato.verifier.checks import Check
    from sfumato.verifier.sentences import Secret

Count: TypeAlias = int | float | Fraction


@dataclass(frozen=True)
class Promise:
    """What is claimed about a release."""

    # names of the columns; at least one quasi-identifier
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    # measure → number that must hold. The direction is the measure's own.
    require: Mapping[str, float] = field(default_factory=dict)
    # measure → number stated for the release, or None where it is only to be counted
    measures: Mapping[str, float | None] = field(default_factory=dict)
    # `in`, `out` (rows of the file) and `suppressed`; None without a manifest
    rows: Mapping[str, int] | None = None
    # what the file alone does not show (see `sfumato.release.reference`); None without a manifest. Then t
    # compares with the file's own distribution, and a note says so.
    reference: Mapping[str, object] | None = None
    # `drop`, or `mask` where suppressed rows stay with `*` in every quasi-identifier
    output: Literal["drop", "mask"] = "drop"
    # the suppression rule, and the share of rows that it may take (None: any)
    rule: str = "auto"
    limit: float | None = None
    columns: tuple[str, ...] | None = None  # names of all columns of the file; None: not checked
    # name of the column whose distinct values count as class size. It is not published.
    person: str | None = None
    # the confidential sentences. Unless everyone holds one, who does is in columns that are not published
    # either.
    sentences: tuple[Secret, ...] = ()
    sha256: str | None = None  # digest of the file, or None
    # quasi-identifier → what the recipe says was done to it, as JSON holds it; none where nobody says
    recoded: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    # column → how its dates are written, where not in ISO form
    formats: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ("",)  # the texts that were read as missing
    # sensitive column → its values that count as missing ones do
    unknown: Mapping[str, tuple[str | float, ...]] = field(default_factory=dict)
    withheld: Mapping[str, str] = field(default_factory=dict)  # measure → why its number is not published
    # measure → how much better than stated its number may be
    tolerance: Mapping[str, float] = field(default_factory=dict)
    # `sorted` if the rows are said to be (see `sfumato.verifier.loading`); else it is not checked
    order: Literal["sorted", "input"] = "input"
    # `escape` if cells of a CSV file that read as formulas or dates have an apostrophe in front
    formulas: Literal["keep", "escape"] = "keep"
    # how a text file is spelt, where not as plain CSV or TSV (see `sfumato.verifier.spelling`)
    dialect: Mapping[str, object] = field(default_factory=dict)
    has_households: bool = False  # whether the values of the person column are households
    # in a file with persons: the column that says how many rows of the original each one has
    person_rows: str = ""

    @property
    def units(self) -> str:
        """What the values of the person column are, in words."""
        return "households" if self.has_households else "persons"


@dataclass(frozen=True)
class Recount:
    """What the file itself says."""

    counted: Mapping[str, Count]  # measure → number, exact wherever the measure is rational
    not_recounted: Mapping[str, str]  # measure → why file and manifest do not determine it
    at_most: Mapping[str, Count]  # for some of these, a number that the measure cannot exceed
    rows: Mapping[str, int]  # `out`, the rows of the file, and `in` and `suppressed` where they are known
    classes: int  # number of classes that remain
    columns: tuple[str, ...]  # names of the file's columns
    sha256: str  # digest of the file
    notes: tuple[str, ...] = ()  # how a number was taken where that is not the ordinary way
    contradictions: tuple[str, ...] = ()  # where file and reference exclude each other
    # of the measures that are not recounted, those that need the original data
    beforehand: frozenset[str] = frozenset()
    checks: tuple[Check, ...] = ()  # what was found besides measures: about labels, costs and distributions
    # measure → how far its number may be from the counted one, since suppressed rows are part of it
    slack: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def measures(self) -> dict[str, int | float]:
        """The measures as plain numbers: whole ones as integers, others as floats."""
        return {name: plain_number(number) for name, number in self.counted.items()}


def plain_number(number: Count) -> int | float:
    """Return a fraction as a float, and other numbers as they are."""
    return float(number) if isinstance(number, Fraction) else number


def budget(limit: float, rows: int) -> int:
    """Return floor(limit × rows) for the limit as it is written in decimals."""
    share = Fraction(str(limit)) * rows
    return share.numerator // share.denominator


Scalar: TypeAlias = str | int | float | bool | None

_LARGEST = 2**62


@dataclass(frozen=True)
class CostTable:
    """What a cell with a label costs: ``tops[i] / bottoms[i]``; ``default`` for the others."""

    labels: tuple[Scalar, ...]
    tops: tuple[int, ...]
    bottoms: tuple[int, ...]
    default: Fraction | None


@dataclass(frozen=True)
class Overall:
    """The values of a sensitive attribute in their order."""

    # `counts` are their rows in the input, None where those of suppressed rows are not published; `shares`
    # are then their shares of published rows, each within half a `step`. `levels[l][i]` is the block of value
    # i at level l of a tree; empty without one.
    values: tuple[Scalar, ...]
    counts: tuple[int, ...] | None
    levels: tuple[tuple[int, ...], ...] = ()
    shares: tuple[float, ...] = ()
    step: float = 0.0


def stated_weight(promise: Promise, attribute: str) -> Fraction:
    """Return the weight of a quasi-identifier, exactly as written; 1 where none is."""
    weight = (_entry(promise, "attributes", attribute) or {}).get("weight", 1)
    is_weight = _is_number(weight) and float(str(weight)) >= 0
    _expect(is_weight, ("attributes", attribute, "weight"), "a number from 0 on")
    return Fraction(str(weight))


def stated_costs(promise: Promise, attribute: str, kind: str) -> CostTable | None:
    """Return what the cells of a quasi-identifier cost, or None where that is not stated."""
    table = (_entry(promise, "attributes", attribute) or {}).get(kind)
    if table is None:
        return None
    where = ("attributes", attribute, kind)
    _expect(isinstance(table, Mapping), where, "an object")
    cells, default = table.get("cells", []), table.get("default")
    are_cells = isinstance(cells, list) and all(map(_is_cell, cells))
    _expect(are_cells, where, "cells as [label, numerator, denominator]")
    _expect(default is None or _is_cost(default), where, "a default as [numerator, denominator]")
    labels, tops, bottoms = zip(*cells, strict=True) if cells else ((), (), ())
    _expect(_are_distinct(labels), where, "every label once")
    return CostTable(labels, tops, bottoms, None if default is None else Fraction(*default))


def stated_overall(promise: Promise, attribute: str) -> Overall | None:
    """Return the distribution of a sensitive attribute over the input, or None where it is not stated."""
    entry = _entry(promise, "distributions", attribute)
    if entry is None:
        return None
    where = ("distributions", attribute)
    absent: dict[str, Any] = {"values": None, "counts": None, "shares": None, "step": 0, "levels": []}
    values, counts, shares, step, levels = (entry.get(key, other) for key, other in absent.items())
    are_values = isinstance(values, list) and all(map(_is_scalar, values))
    _expect(are_values, (*where, "values"), "a list of values")
    if counts is None:
        are_shares = _are_shares(shares, len(values)) and _are_shares([step], 1)
        _expect(are_shares, (*where, "shares"), "a share for every value, and the step between shares")
    else:
        are_counts = _are_counts(counts, len(values)) and sum(counts) > 0
        _expect(are_counts, (*where, "counts"), "a number of rows for every value")
    are_levels = isinstance(levels, list) and all(_are_counts(level, len(values)) for level in levels)
    _expect(are_levels, (*where, "levels"), "lists of blocks, one for every value")
    _expect(_are_distinct(values), (*where, "values"), "every value once")
    tree = tuple(tuple(level) for level in levels)
    if counts is not None:
        return Overall(tuple(values), tuple(counts), tree)
    return Overall(tuple(values), None, tree, tuple(shares), step)


def apart_in(promise: Promise, attribute: str, values: Sequence[Scalar]) -> list[int]:
    """Return where missing and unknown values stand among the values of a sensitive attribute."""
    listed = promise.unknown.get(attribute, ())
    as_key = _number_or_text if any(isinstance(value, float) for value in listed) else text_of
    silent = {None, *map(as_key, listed)}
    return [place for place, value in enumerate(map(text_of, values)) if as_key(value) in silent]


def text_of(value: Scalar) -> str | None:
    """Return a label or value as the text that is handed to the engine."""
    return value if value is None or isinstance(value, str) else str(value).lower()


def key_of(expression: str, values: Sequence[Scalar]) -> str:
    """Write the SQL that makes a text comparable with these labels or values."""
    if any(isinstance(value, bool) for value in values):
        return f"lower({expression})"
    if any(isinstance(value, int | float) for value in values):
        return f"coalesce(CAST(TRY_CAST({expression} AS DOUBLE) AS VARCHAR), {expression})"
    return expression


def _are_distinct(values: Sequence[Scalar]) -> bool:
    """Tell whether all are different in the comparison that `key_of` writes."""
    texts: list[float | str | None] = [text_of(value) for value in values]
    if any(isinstance(value, bool) for value in values):
        texts = [str(text).lower() if text is not None else None for text in texts]
    elif any(isinstance(value, int | float) for value in values):
        texts = [_number_or_text(text) for text in texts]
    return len(set(texts)) == len(texts)


def _number_or_text(text: float | str | None) -> float | str | None:
    try:
        return text if text is None else float(text)
    except ValueError:
        return text


def _entry(promise: Promise, part: str, attribute: str) -> Mapping[str, Any] | None:
    """Return what the reference says of an attribute."""
    entries = (promise.reference or {}).get(part, {})
    if not isinstance(entries, Mapping):
        raise DataError("the manifest's reference is malformed: an object is expected.", where=part)
    entry = entries.get(attribute)
    _expect(entry is None or isinstance(entry, Mapping), (part, attribute), "an object")
    return entry


def _expect(is_so: bool, where: Sequence[str], expected: str) -> None:
    """Raise DataError unless a part of the reference is as it should be."""
    if not is_so:
        raise DataError(
            f"the manifest's reference is malformed: {expected} is expected.",
            where=".".join(word for word in ("reference", *where) if word),
        )


def _is_number(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, str | bool) or _is_number(value)


def _are_counts(value: Any, length: int) -> bool:
    is_list = isinstance(value, list) and len(value) == length
    return is_list and all(type(number) is int and 0 <= number < _LARGEST for number in value)


def _are_shares(value: Any, length: int) -> bool:
    is_list = isinstance(value, list) and len(value) == length
    return is_list and all(_is_number(share) and 0 <= float(str(share)) <= 1 for share in value)


def _is_cost(value: Any) -> bool:
    return _are_counts(value, 2) and value[0] <= value[1] > 0


def _is_cell(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and _is_scalar(value[0]) and _is_cost(value[1:])
