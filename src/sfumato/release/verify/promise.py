"""What a release is said to be, and what its file says."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato.release.verify.checks import Check
    from sfumato.release.verify.sentences import Secret

Count: TypeAlias = int | float | Fraction


@dataclass(frozen=True)
class Promise:
    """What a release is said to be.

    Parameters
    ----------
    quasi_identifiers, sensitive
        Names of the columns; at least one quasi-identifier.
    require
        Measure → number that must hold. The direction is the measure's own.
    measures
        Measure → number stated for the release, or None where it is only to be counted.
    rows
        ``in``, ``out`` (rows of the file) and ``suppressed``; None without a manifest.
    reference
        What the file alone does not tell (see `sfumato.release.reference`); None without
        a manifest. Then t compares with the file's own distribution, and a note says so.
    output
        ``drop``, or ``mask`` where suppressed rows stay with ``*`` in every quasi-identifier.
    rule, limit
        The suppression rule, and the share of rows that it may take (None: any).
    columns
        Names of all columns of the file; None: not checked.
    person
        Name of the column whose distinct values count as class size. It does not leave.
    sentences
        The confidential sentences. Who holds one stands, unless everyone does, in columns that do
        not leave either.
    sha256
        Digest of the file, or None.
    recoded
        Quasi-identifier → what the recipe says was done to it, as JSON holds it; none where nobody says.
    missing
        The texts that were read as missing.
    withheld
        Measure → why its number is not published.
    tolerance
        Measure → how much better than stated its number may be.
    order
        ``sorted`` if the rows are said to be (see `sfumato.release.verify.ordering`); else it is not checked.
    formulas
        ``escape`` if cells of a CSV file that read as formulas have an apostrophe in front.
    """

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    require: Mapping[str, float] = field(default_factory=dict)
    measures: Mapping[str, float | None] = field(default_factory=dict)
    rows: Mapping[str, int] | None = None
    reference: Mapping[str, object] | None = None
    output: Literal["drop", "mask"] = "drop"
    rule: str = "auto"
    limit: float | None = None
    columns: tuple[str, ...] | None = None
    person: str | None = None
    sentences: tuple[Secret, ...] = ()
    sha256: str | None = None
    recoded: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    missing: tuple[str, ...] = ("",)
    withheld: Mapping[str, str] = field(default_factory=dict)
    tolerance: Mapping[str, float] = field(default_factory=dict)
    order: Literal["sorted", "input"] = "input"
    formulas: Literal["keep", "escape"] = "keep"


@dataclass(frozen=True)
class Recount:
    """What the file itself says.

    Parameters
    ----------
    counted
        Measure → number, exact wherever the measure is rational.
    not_recounted
        Measure → why file and manifest do not determine it.
    at_most
        For some of these, a number that the measure cannot exceed.
    rows
        ``out``, the rows of the file, and ``in`` and ``suppressed`` where they are known.
    classes
        Number of classes that remain.
    columns
        Names of the file's columns.
    sha256
        Digest of the file.
    notes
        How a number was taken where that is not the ordinary way.
    contradictions
        Where file and reference exclude each other.
    beforehand
        Those of the measures that are not recounted which only the data before the release tell.
    checks
        What was found beside measures: of labels, costs and distributions.
    slack
        Measure → how far its number may be from the counted one, since suppressed rows are part of it.
    """

    counted: Mapping[str, Count]
    not_recounted: Mapping[str, str]
    at_most: Mapping[str, Count]
    rows: Mapping[str, int]
    classes: int
    columns: tuple[str, ...]
    sha256: str
    notes: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    beforehand: frozenset[str] = frozenset()
    checks: tuple[Check, ...] = ()
    slack: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def measures(self) -> dict[str, int | float]:
        """The measures as plain numbers: whole ones as integers, others as floats."""
        return {name: plain_number(number) for name, number in self.counted.items()}


def plain_number(number: Count) -> int | float:
    """Return a fraction as a float, and other numbers as they are."""
    return float(number) if isinstance(number, Fraction) else number


def budget(limit: float, rows: int) -> int:
    """Return floor(limit × rows) for the limit as it is written in decimals.

    Examples
    --------
    >>> budget(0.29, 100)
    29
    """
    share = Fraction(str(limit)) * rows
    return share.numerator // share.denominator


__all__ = ["Count", "Promise", "Recount", "budget", "plain_number"]
