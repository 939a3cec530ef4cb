"""The measures of a table in sentences: what each means, and whether the table is anonymous."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.measures import MEASURES
from sfumato.report.phrases import measure_words
from sfumato.spec import format_measure_name, parse_measure_name
from sfumato.words import count_words, list_words

MOST_NAMES = 5
COUNTS = ("rows", "classes", "uniques")


@dataclass(frozen=True)
class Findings:
    """The measures of a table, with the columns they are about."""

    numbers: Mapping[str, float]  # `rows`, `classes`, `uniques`, then measure → number
    # the columns
    quasi_identifiers: Sequence[str]
    sensitive: Sequence[str]
    person: str | None = None  # the column that identifies persons, or None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.numbers["rows"])

    @property
    def uniques(self) -> int:
        """Number of classes with a single row."""
        return int(self.numbers["uniques"])

    @property
    def k(self) -> int:
        """Size of the smallest class."""
        return int(self.numbers["k"])

    @property
    def unit(self) -> str:
        """What a class is counted in."""
        return "row" if self.person is None else "person"

    @property
    def known(self) -> str:
        """The quasi-identifiers as a list in words; of many, the first ones."""
        names = list(self.quasi_identifiers)
        if len(names) > MOST_NAMES:
            names[MOST_NAMES - 1 :] = [f"{len(names) - MOST_NAMES + 1} more"]
        return list_words(names)


def meaning(name: str, findings: Findings) -> str:
    """Say what one measure of a table means."""
    short, arguments = parse_measure_name(name)
    if short == "k":
        if findings.k > 1 or findings.person is not None or not findings.uniques:
            return f"the smallest class has {count_words(findings.k, findings.unit)}"
        verb = "row is" if findings.uniques == 1 else "rows are"
        return f"the smallest class has 1 row: {findings.uniques:,} {verb} unique"
    if short == "distinct_l" and findings.numbers[name] > 1:
        return f"every class has at least {findings.numbers[name]:,.0f} different values of {arguments[0]}"
    if short == "distinct_l":
        return f"in some class no two known values of {arguments[0]} differ: knowing the class reveals them"
    facts = MEASURES.get(short)
    if facts is not None and facts.meaning is not None:
        attribute, c = (*arguments, "", "")[:2]
        return facts.meaning.format(attribute=attribute, c=c, unit=findings.unit)
    return measure_words(name)


def verdict(findings: Findings) -> str:
    """Answer in one sentence whether the table is anonymous."""
    known = findings.known
    if findings.k == 1:
        if findings.person is not None or not findings.uniques:
            return f"No: some class holds a single {findings.unit}, singled out by {known}."
        share = 100 * findings.uniques / findings.rows
        return (
            f"No: {findings.uniques:,} of {count_words(findings.rows, 'row')} ({share:.3g} %) "
            f"can be singled out by {known}."
        )
    others = count_words(findings.k - 1, f"other {findings.unit}")
    diversity = {name: format_measure_name("distinct_l", (name,)) for name in findings.sensitive}
    learnt = [name for name, measure in diversity.items() if findings.numbers.get(measure) == 1]
    if learnt:
        return (
            f"Not quite: nobody can be narrowed down to fewer than {count_words(findings.k, findings.unit)} "
            f"by {known}, but in some class no two known values of {learnt[0]} differ, so they are revealed."
        )
    return (
        f"It is {findings.k}-anonymous: in {known} every {findings.unit} looks like at least {others}; "
        "whether that is enough is for you to decide."
    )
