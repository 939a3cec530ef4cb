"""The role of a column, guessed from its name and from the shape of its values, on the safe side."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from sfumato.hierarchies.role_words import FLAG_WORDS, hints_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sfumato.spec.choices import Role

NEARLY_UNIQUE, FEWEST_ROWS = 0.95, 20
"""From this share of distinct values on, a column with this many rows identifies."""

MOSTLY, MANY, OFTEN = 0.5, 0.1, 5
"""Shares of distinct values from which texts may be free and keys a person's; rows of a common value."""

MIXED = 0.05  # the share of numbers with another count of digits from which they are amounts rather than keys
MANY_TEXTS, LONG = 10_000, 2_000
"""Values that are enough to see a shape, and characters that are enough to see what a text holds."""

OUTSIDE = ("quasi_identifier", "place", "time")  # lists of words for what an outsider may know
UNSURE = "unsure; treated as a quasi-identifier to be safe"
BY_NAME = "guessed by its name"
SAME = "every row has the same value"

_TITLE = r"Mr|Mrs|Ms|Miss|Dr|Prof|Herrn?|Frau|Monsieur|Mme|Mlle|Sra|Dhr|Mevr"
_NAME = r"[^\W\d_a-z][^\W\d_]+"
_STREETS = (
    r"(?:street|road|lane|avenue|drive|court|straße|strasse|str\.|weg|platz|allee|gasse|ring|damm|straat|laan|plein"
    r"|gatan|vägen|gade|vej|gata|veien|katu|tie|utca|út|sokak|cad\.)"
)
_SHAPES = {
    "e-mail addresses": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "links": r"(?:https?://|www\.)\S+",
    "UUIDs": r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?",
    "account numbers": r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?",
    "hashes": r"(?=[a-fA-F]*[0-9])[0-9a-fA-F]{16,128}",
    "network addresses": r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}|(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}",
    "coordinates": r"\(?-?[0-9]{1,3}\.[0-9]{3,} ?[,; ] ?-?[0-9]{1,3}\.[0-9]{3,}\)?|POINT ?\(.*\)",
    "names": rf"(?:{_TITLE}|Hr|Fr|Sr|Sig|Pan|Pani)\.? [^\W\d_a-z].*"
    rf"|(?:[^\W\d_a-z]\. ?)+{_NAME}|{_NAME}, [^\W\d_a-z]\.?",
    "addresses": rf"(?i:(?=.*[0-9])(?:[^\W_][\w .'-]*)?{_STREETS}\b[^@]*"
    r"|(?:via|viale|piazza|corso|rue|avenue|bd|boulevard|place|calle|avenida|plaza|rua|ul\.|ulica|al\.|ул\.|улица)"
    r" [^\W\d_].*[0-9].*)",
    "telephone numbers": r"(?:\+|00?|\()[0-9 ()/.-]{7,20}[0-9]|[0-9]{3}([.-])[0-9]{3}\1[0-9]{4}",
}
_INSIDE = re.compile("|".join(_SHAPES[shape] for shape in ("e-mail addresses", "links")))
_PEOPLE_INSIDE = re.compile(
    rf"\b(?:{_TITLE})\.? {_NAME}"
    r"|(?<![\w.-])(?:\+[0-9]|00?[1-9]|\([0-9])[0-9 ()/.-]{6,18}[0-9](?!\w)"
)
_DATE = re.compile(
    r"[0-9]{1,4}([./-])[0-9]{1,2}\1[0-9]{1,4}(?:[T ].*)?"
    r"|(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:[0-2][0-9]|3[01])"
    r"|(?:19|20)[0-9]{2}[-/](?:0[1-9]|1[0-2])|[0-9]{1,2}[. -]+[^\W\d_]{3,10}[. -]+(?:[0-9]{4}|[0-9]{2})"
    r"|[^\W\d_]{3,10} [0-9]{1,2}, [0-9]{4}|[0-9]{4}[年년] ?[0-9]{1,2}[月월](?: ?[0-9]{1,2}[日일])?"
    r"|(?:19|20)[0-9]{2}[ -]?[WQ][0-9]{1,2}"
)
# No two parts of a pattern may compete for the same letters, or long texts take ages.
_PERSON = re.compile(r"(?![a-z.'-])(?:[^\W\d_]|[.'-])+(?:,? +(?:[^\W\d_]|[.'-])+){0,4}")
_FULL_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]+(?: [^\W\d_]+[.'-]?)* [^\W\d_a-z][^\W\d_]+(?:-[^\W\d_]+)?")
_CODE = re.compile(r"(?=(?:[^0-9]*[0-9]){5})[A-Za-z0-9._/-]{6,}")
_LOGIN = re.compile(r"[a-z]{2,}[._][a-z]{2,}")
_LONG_NUMBER = re.compile(r"[0-9](?:[ /-]?[0-9]){8,}")
_POSTAL_CODE = re.compile(r"(?=.*[0-9])[A-Z0-9][A-Z0-9 -]{2,9}")
_AMOUNT = re.compile(  # with a unit, marks between thousands, or as a pair such as 120/80
    r"(?:[A-Z]{3} |R?[$€£¥] ?)?-?[0-9]{1,3}(?:[., '’\u00a0\u202f]?[0-9]{3})*(?:[.,][0-9]+)?"
    r"(?: ?[$€£¥%a-zµ]{1,4})?|[0-9]{2,3}/[0-9]{2,3}"
)
_WORDLESS = re.compile(
    "[\u3040-\u30ff\u3400-\u9fff]"
)  # scripts without spaces, of which two letters are a word
_DEGREES = re.compile(r"-?(?:1[0-7][0-9]|[0-9]{1,2})\.[0-9]{4,}")
_PLAIN_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?")


class RoleGuess(NamedTuple):
    """A role, or None for a column to leave out, and what speaks for it."""

    role: Role | None
    why: str


@dataclass(frozen=True, eq=False)
class ColumnEvidence:
    """What can be seen of a column."""

    name: str
    kind: str
    counts: Sequence[int]  # rows of each distinct value
    missing: int  # rows without a value
    texts: Sequence[str]  # the distinct values, or many of them

    @cached_property
    def rows(self) -> int:
        """Rows with a value."""
        return sum(self.counts)

    @property
    def distinct(self) -> int:
        """Number of distinct values."""
        return len(self.counts)

    def differ(self, share: float) -> bool:
        """Tell whether there are that many distinct values for each row, and not just a few."""
        return self.rows >= FEWEST_ROWS and self.distinct >= max(share * self.rows, 2 * OFTEN)

    def look_like(self, shape: re.Pattern[str], share: float = 0.8) -> bool:
        """Tell whether most values have a shape."""
        shown = self.texts[:MANY_TEXTS]
        found = sum(shape.fullmatch(text) is not None for text in shown)
        return found > 0 and found >= share * len(shown)

    def shows(self, shape: str, share: float) -> bool:
        """Tell whether that many values have a shape by which people are found."""
        return self.look_like(re.compile(_SHAPES[shape]), share)

    @cached_property
    def has_dates(self) -> bool:
        """Whether its values are dates, in whatever format."""
        return self.kind == "date" or self.look_like(_DATE, 0.9)

    @cached_property
    def is_flag(self) -> bool:
        """Whether it only says yes or no, with at most two values that tell nobody apart."""
        if self.distinct > 2:
            return False
        if all(text.strip().casefold() in FLAG_WORDS for text in self.texts):
            return True
        is_person = hints_at(self.name, "person", "name", "staff") or self.shows("names", MOSTLY)
        long = any(re.search(r"[0-9]{5}|@", text) for text in self.texts)
        return not is_person and not long and min(self.counts, default=0) >= OFTEN

    @cached_property
    def is_prose(self) -> bool:
        """Whether its values are free text."""
        if self.kind != "category" or not self.texts:
            return False
        words = (len(text.split()) + len(_WORDLESS.findall(text)) // 2 for text in self.texts)
        many = sum(words) / len(self.texts)
        if hints_at(self.name, "free_text") and self.distinct > OFTEN:
            return many >= 2 or self.differ(MOSTLY)
        return many >= 4 and self.distinct >= MOSTLY * self.rows

    @property
    def is_amount(self) -> bool:
        """Whether it measures something: numbers of several lengths with gaps, unlike those of rows."""
        # Keys that look like this are generalized, not removed, which protects them too.
        if self.kind != "number" or not all(re.fullmatch("-?[0-9]{1,15}", text) for text in self.texts):
            return False
        lengths = Counter(len(text) for text in self.texts)
        numbers = [int(text) for text in self.texts]
        is_mixed = len(self.texts) - max(lengths.values()) >= MIXED * len(self.texts)
        return is_mixed and max(numbers) - min(numbers) > 2 * len(numbers)

    @property
    def has_degrees(self) -> bool:
        """Whether its values may be degrees of latitude or longitude."""
        return self.look_like(_DEGREES)

    @property
    def is_survey_weight(self) -> bool:
        """Whether it says how many people of the population a row stands for."""
        if self.kind != "number" or self.distinct < FEWEST_ROWS:
            return False
        if hints_at(self.name, "survey_weight"):
            return True
        if hints_at(self.name, "body") or not hints_at(self.name, "ambiguous_weight"):
            return False
        # Nobody weighs so little or so much, and no scale shows so many digits.
        plain = [text for text in self.texts if _PLAIN_NUMBER.fullmatch(text)]
        return any(not 0.2 <= float(text) <= 500 or len(text.partition(".")[2]) > 2 for text in plain)


def suggest_role(column: ColumnEvidence) -> RoleGuess:
    """Guess the role of a column."""
    # Values that would tell who someone is come first, then what the name says, and then how many people the
    # values tell apart. If unsure, the guess is `quasi-identifier`: if that is wrong, it costs usefulness but
    # not privacy. Nothing is ever guessed to be `other`, which is published unchanged.
    if not column.distinct:
        return RoleGuess(None, "no row has a value")
    if column.is_flag:
        return _flag_role(column)
    is_constant = column.distinct == 1 and not column.missing
    rest = RoleGuess(None, SAME) if is_constant else RoleGuess("quasi-identifier", UNSURE)
    return next(chain(_role_by_shape(column), _role_by_name(column), _role_by_distinction(column), [rest]))


def _flag_role(column: ColumnEvidence) -> RoleGuess:
    """Guess the role of what is yes or no: nobody is found by it, whatever its name."""
    if hints_at(column.name, "sensitive"):
        return RoleGuess("sensitive", BY_NAME)
    if hints_at(column.name, *OUTSIDE):
        return RoleGuess("quasi-identifier", BY_NAME)
    if column.distinct == 1 and column.missing:
        return RoleGuess("sensitive", "it is set or blank, which says who has it")
    return RoleGuess("quasi-identifier", UNSURE) if column.distinct > 1 else RoleGuess(None, SAME)


def _role_by_shape(column: ColumnEvidence) -> Iterator[RoleGuess]:
    """Find values that tell who or where someone is, whatever the column is called."""
    if hints_at(column.name, "postal") and column.look_like(_POSTAL_CODE):
        yield RoleGuess("quasi-identifier", BY_NAME)
    if hints_at(column.name, "identifier", "id") and column.differ(MANY):
        yield RoleGuess("identifier", BY_NAME)
    if column.has_dates:
        yield RoleGuess("quasi-identifier", "guessed because its values are dates")
    # Postal codes and amounts may look like telephone numbers.
    is_known = column.kind == "number" or hints_at(column.name, *OUTSIDE)
    for shape in _SHAPES:
        if not is_known and column.shows(shape, MOSTLY):
            yield RoleGuess("identifier", f"guessed because its values look like {shape}")
    if column.differ(2 * MANY) and column.look_like(_LONG_NUMBER, NEARLY_UNIQUE):
        yield RoleGuess("identifier", "guessed because its values are long numbers")
    if any(
        _INSIDE.search(text[:LONG]) for text in column.texts if "@" in text or "//" in text or "www." in text
    ):
        yield RoleGuess(None, "some values hold e-mail addresses or links")
    if column.kind == "category" and not is_known and any(map(_names_people, column.texts)):
        yield RoleGuess(None, "some values hold names or telephone numbers")
    if column.is_prose:
        yield RoleGuess(None, "free text, which may name people")
    if hints_at(column.name, "coordinate"):
        yield RoleGuess(None, "coordinates show where someone lives")
    if column.is_survey_weight:
        yield RoleGuess(None, "a weight tells strata and sometimes people apart")


def _names_people(text: str) -> bool:
    """Tell whether a text holds a name with a title, or a telephone number beside words."""
    return re.search(r"[^\W\d_]{2}", text) is not None and _PEOPLE_INSIDE.search(text[:LONG]) is not None


def _role_by_name(column: ColumnEvidence) -> Iterator[RoleGuess]:
    """Go by the name, unless it hints at an identifier and the values are those of one."""
    name, is_text = column.name, column.kind == "category"
    is_name, is_key = hints_at(name, "name"), hints_at(name, "identifier", "id")
    is_person = is_text and (hints_at(name, "person") or name.strip().casefold() in ("first", "last"))
    is_person |= (
        is_text and hints_at(name, "staff") and (column.look_like(_PERSON) or column.look_like(_LOGIN))
    )
    if is_person or (is_name and column.differ(NEARLY_UNIQUE)):
        yield RoleGuess("identifier", BY_NAME)
    if hints_at(name, "sensitive"):
        # Texts that nearly nobody shares are as good as a name, unless they measure something.
        if not (is_text and column.differ(NEARLY_UNIQUE)) or column.look_like(_AMOUNT):
            yield RoleGuess("sensitive", BY_NAME)
    elif hints_at(name, *OUTSIDE):
        yield RoleGuess("quasi-identifier", BY_NAME)
    has_key = hints_at(name, "key") and not hints_at(name, "count")
    if is_name or is_key or (has_key and column.differ(MANY)):
        yield RoleGuess("identifier", BY_NAME)


def _role_by_distinction(column: ColumnEvidence) -> Iterator[RoleGuess]:
    """See whether the values of a column whose name says nothing are those of one person each."""
    is_whole = column.kind == "category" or not any("." in text for text in column.texts)
    if column.differ(NEARLY_UNIQUE) and is_whole and not column.is_amount:
        yield RoleGuess("identifier", "guessed because its values are nearly unique")
    many_names = column.distinct >= FEWEST_ROWS and column.look_like(_FULL_NAME)
    if column.kind == "category" and (many_names or (column.differ(MOSTLY) and column.look_like(_PERSON))):
        yield RoleGuess("identifier", "guessed because its values look like names")
    if is_whole and column.differ(2 * MANY) and column.look_like(_CODE, NEARLY_UNIQUE):
        yield RoleGuess("identifier", "guessed because its values look like the numbers of people or cases")
