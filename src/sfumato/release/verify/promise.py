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
    """What a release is said to be."""

    # names of the columns; at least one quasi-identifier
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    # measure → number that must hold. The direction is the measure's own.
    require: Mapping[str, float] = field(default_factory=dict)
    # measure → number stated for the release, or None where it is only to be counted
    measures: Mapping[str, float | None] = field(default_factory=dict)
    # `in`, `out` (rows of the file) and `suppressed`; None without a manifest
    rows: Mapping[str, int] | None = None
    # what the file alone does not tell (see `sfumato.release.reference`); None without a manifest. Then t
    # compares with the file's own distribution, and a note says so.
    reference: Mapping[str, object] | None = None
    # `drop`, or `mask` where suppressed rows stay with `*` in every quasi-identifier
    output: Literal["drop", "mask"] = "drop"
    # the suppression rule, and the share of rows that it may take (None: any)
    rule: str = "auto"
    limit: float | None = None
    columns: tuple[str, ...] | None = None  # names of all columns of the file; None: not checked
    # name of the column whose distinct values count as class size. It does not leave.
    person: str | None = None
    # the confidential sentences. Who holds one stands, unless everyone does, in columns that do not leave
    # either.
    sentences: tuple[Secret, ...] = ()
    sha256: str | None = None  # digest of the file, or None
    # quasi-identifier → what the recipe says was done to it, as JSON holds it; none where nobody says
    recoded: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    missing: tuple[str, ...] = ("",)  # the texts that were read as missing
    withheld: Mapping[str, str] = field(default_factory=dict)  # measure → why its number is not published
    # measure → how much better than stated its number may be
    tolerance: Mapping[str, float] = field(default_factory=dict)
    # `sorted` if the rows are said to be (see `sfumato.release.verify.ordering`); else it is not checked
    order: Literal["sorted", "input"] = "input"
    # `escape` if cells of a CSV file that read as formulas have an apostrophe in front
    formulas: Literal["keep", "escape"] = "keep"


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
    # those of the measures that are not recounted which only the data before the release tell
    beforehand: frozenset[str] = frozenset()
    checks: tuple[Check, ...] = ()  # what was found beside measures: of labels, costs and distributions
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
    """Return floor(limit × rows) for the limit as it is written in decimals.

    Examples
    --------
    >>> budget(0.29, 100)
    29
    """
    share = Fraction(str(limit)) * rows
    return share.numerator // share.denominator
