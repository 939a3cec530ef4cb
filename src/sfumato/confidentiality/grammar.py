"""Confidential sentences and their grammar: reading and writing them.

sentence   = conjunction { "or" conjunction }
conjunction = negation { "and" negation }
negation   = "not" negation | "(" sentence ")" | comparison
comparison = name operator value | name "in" "{" value { "," value } "}"
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from sfumato.errors import SpecError, nearest


class SentenceError(SpecError):
    """A sentence cannot be read, or does not fit the table."""

    # `where` ends with the column, counted from 1; `picture` shows the line with a caret below the place.
    # Both speak of the sentence alone, never of the data.

    def __init__(self, message: str, text: str, position: int, *, where: str | None = None) -> None:
        self.text_of_sentence = text
        self.position = min(max(position, 0), len(text))
        begin = text.rfind("\n", 0, self.position) + 1
        self.column = self.position - begin + 1
        place = f"column {self.column}"
        if "\n" in text:
            place = f"line {text.count(chr(10), 0, self.position) + 1}, {place}"
        super().__init__(message, where=f"{where}, {place}" if where else place)

    def located(self, where: str) -> SentenceError:
        """Return the same error with the place of the sentence before the column."""
        return SentenceError(self.message, self.text_of_sentence, self.position, where=where)

    @property
    def picture(self) -> tuple[str, str]:
        """The line of the sentence in which it goes wrong, and a line with a caret below the place."""
        begin = self.text_of_sentence.rfind("\n", 0, self.position) + 1
        line = self.text_of_sentence[begin:].partition("\n")[0].replace("\t", " ")
        return line, " " * (self.column - 1) + "^"


Operator: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]
Constant: TypeAlias = "str | int | float | dt.date | None"  # what a column is compared with; None is missing
ORDERING: tuple[str, ...] = ("<", "<=", ">", ">=")  # the operators that need an order of the values


@dataclass(frozen=True, slots=True)
class Relation:
    """A column compared with a constant: ``income >= 400``."""

    name: str  # the column
    operator: Operator  # how it is compared
    value: Constant  # the constant; missing goes with `==` and `!=` only
    # where name and constant stand in the text, for errors; they do not count in comparisons
    at: int = field(default=0, compare=False)
    value_at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Membership:
    """A column that has one of several values: ``health in {1, 2}``."""

    name: str  # the column
    values: tuple[Constant, ...]  # the constants, at least one
    # where name and the first constant stand in the text
    at: int = field(default=0, compare=False)
    value_at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Negation:
    """``not`` before a sentence."""

    part: Sentence


@dataclass(frozen=True, slots=True)
class Junction:
    """Two or more sentences joined by one word."""

    word: Literal["and", "or"]
    parts: tuple[Sentence, ...]


Atom: TypeAlias = Relation | Membership
Sentence: TypeAlias = Relation | Membership | Negation | Junction


def atoms_of(sentence: Sentence) -> tuple[Atom, ...]:
    """Return the comparisons of a sentence from left to right."""
    if isinstance(sentence, Relation | Membership):
        return (sentence,)
    parts = (sentence.part,) if isinstance(sentence, Negation) else sentence.parts
    return tuple(atom for part in parts for atom in atoms_of(part))


def names_of(sentence: Sentence) -> tuple[str, ...]:
    """Return the columns that a sentence names, each once, from left to right."""
    return tuple(dict.fromkeys(atom.name for atom in atoms_of(sentence)))


KEYWORDS = ("and", "or", "not", "in", "missing")
WORD = re.compile(r"[^\W0-9][\w.-]*")
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_TOKEN = re.compile(
    rf"""(?P<blank>\s+)
    |(?P<sign>==|!=|<=|>=|<|>|[(){{}},])
    |(?P<quoted>"(?:[^"]|"")*"|'(?:[^']|'')*')
    |(?P<date>{_DATE}(?![\w.-]))
    |(?P<number>{_NUMBER}(?![\w.-]))
    |(?P<word>{WORD.pattern})""",
    re.VERBOSE,
)
_LONGEST_NUMBER = 300
_HINTS = {
    "=": "Compare with '=='.",
    "&": "Join with 'and'.",
    "|": "Join with 'or'.",
    "!": "Write 'not' or '!='.",
    '"': "A quote is not closed.",
    "'": "A quote is not closed.",
}

Sort: TypeAlias = Literal["sign", "quoted", "date", "number", "word", "keyword", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a sentence."""

    sort: Sort  # what it is
    text: str  # as it is written; of a quoted text, what is meant
    at: int  # where it begins

    @property
    def shown(self) -> str:
        """How a message calls it."""
        return "the end" if self.sort == "end" else repr(self.text[:40])


def split(text: str) -> list[Token]:
    """Split a sentence into tokens, the last of which is its end."""
    # Within quotes, a doubled quote means the quote itself.
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            hint = _HINTS.get(text[at], "Put names and texts with such characters in quotes.")
            raise SentenceError(f"{text[at]!r} is not allowed in a sentence. {hint}", text, at)
        sort, piece = match.lastgroup, match.group()
        if sort == "quoted":
            piece = piece[1:-1].replace(piece[0] * 2, piece[0])
        elif sort == "word" and piece in KEYWORDS:
            sort = "keyword"
        if sort != "blank":
            found.append(Token(cast("Sort", sort), piece, at))
        at = match.end()
    return [*found, Token("end", "", len(text))]


OPERATORS: tuple[str, ...] = ("==", "!=", *ORDERING)
DEEPEST = 100  # how many brackets and negations may be nested


def parse_sentence(text: str) -> Sentence:
    """Read a sentence."""
    # `not` binds closer than `and`, and `and` closer than `or`. A name is a word, or stands in single or
    # double quotes; so does a text, which may be a bare word too. Numbers and ISO dates stand as they are;
    # `missing` is the missing value. Nothing is evaluated.
    return _Reader(text).read()


class _Reader:
    """One walk through the tokens of a sentence."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = split(text)
        self.place = 0
        self.depth = 0

    @property
    def here(self) -> Token:
        return self.tokens[self.place]

    def read(self) -> Sentence:
        if self.is_over():
            raise self.wrong("the sentence is empty.")
        sentence = self.sentence()
        if not self.is_over():
            raise self.unexpected("'and', 'or' or the end")
        return sentence

    def is_over(self) -> bool:
        return self.here.sort == "end"

    def sentence(self) -> Sentence:
        return self.joined("or", lambda: self.joined("and", self.negation))

    def joined(self, word: Literal["and", "or"], read: Callable[[], Sentence]) -> Sentence:
        parts = [read()]
        while self.accept("keyword", word):
            parts.append(read())
        return parts[0] if len(parts) == 1 else Junction(word, tuple(parts))

    def negation(self) -> Sentence:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.wrong(f"more than {DEEPEST} brackets or negations are nested.")
        if self.accept("keyword", "not"):
            sentence: Sentence = Negation(self.negation())
        elif self.accept("sign", "("):
            sentence = self.sentence()
            self.expect(")")
        else:
            sentence = self.comparison()
        self.depth -= 1
        return sentence

    def comparison(self) -> Sentence:
        name = self.here
        if name.sort not in ("word", "quoted"):
            raise self.unexpected("the name of an attribute")
        self.place += 1
        if self.accept("keyword", "in"):
            return self.membership(name)
        sign = self.here
        if sign.sort != "sign" or sign.text not in OPERATORS:
            raise self.unexpected("'==', '!=', '<', '<=', '>', '>=' or 'in'")
        self.place += 1
        value_at = self.here.at
        value = self.constant()
        if value is None and sign.text in ORDERING:
            raise SentenceError("missing is neither less nor more; use '==' or '!='.", self.text, value_at)
        return Relation(name.text, cast("Operator", sign.text), value, name.at, value_at)

    def membership(self, name: Token) -> Membership:
        self.expect("{")
        value_at = self.here.at
        values = [self.constant()]
        while self.accept("sign", ","):
            values.append(self.constant())
        self.expect("}")
        return Membership(name.text, tuple(values), name.at, value_at)

    def constant(self) -> Constant:
        """Read a number, a date, a text, or missing, which is None."""
        token = self.here
        value: Constant = None
        if token.sort in ("quoted", "word"):
            value = token.text
        elif token.sort == "date":
            try:
                value = dt.date.fromisoformat(token.text)
            except ValueError:
                raise self.wrong(f"there is no date {token.text}.") from None
        elif token.sort == "number":
            value = self.number(token.text)
        elif token.text != "missing":
            hint = " Put a text that is a reserved word in quotes." if token.sort == "keyword" else ""
            raise self.wrong(f"a value is expected, not {token.shown}.{hint}")
        self.place += 1
        return value

    def number(self, text: str) -> int | float:
        is_whole = text.lstrip("+-").isdecimal()
        if len(text) <= _LONGEST_NUMBER:
            value = int(text) if is_whole else float(text)
            if is_whole or math.isfinite(value):
                return value
        raise self.wrong("this number is too large.")

    def accept(self, sort: str, text: str) -> bool:
        found = self.here.sort == sort and self.here.text == text
        self.place += found
        return found

    def expect(self, sign: str) -> None:
        if not self.accept("sign", sign):
            raise self.unexpected("',' or '}'" if sign == "}" else repr(sign))

    def unexpected(self, expected: str) -> SentenceError:
        hint = ""
        if self.here.sort == "word" and self.here.text.lower() in ("and", "or", "not", "in"):
            hint = f" Write {self.here.text.lower()!r} in small letters."
        elif self.here.sort == "word" and "'and'" in expected:
            hint = f" {nearest(self.here.text, ['and', 'or'])}"
        return self.wrong(f"{expected} is expected, not {self.here.shown}.{hint}")

    def wrong(self, message: str) -> SentenceError:
        return SentenceError(message, self.text, self.here.at)


def format_sentence(sentence: Sentence) -> str:
    """Write a sentence so that reading it gives the same one."""
    if isinstance(sentence, Relation):
        return f"{_write_text(sentence.name)} {sentence.operator} {_write(sentence.value)}"
    if isinstance(sentence, Membership):
        return f"{_write_text(sentence.name)} in {{{', '.join(map(_write, sentence.values))}}}"
    if isinstance(sentence, Negation):
        return f"not {_bracketed(sentence.part, isinstance(sentence.part, Junction))}"
    # An or within an or, or an and within an and, was written in brackets.
    closer = ("and",) if sentence.word == "or" else ()
    parts = (
        _bracketed(part, isinstance(part, Junction) and part.word not in closer) for part in sentence.parts
    )
    return f" {sentence.word} ".join(parts)


def _bracketed(sentence: Sentence, needed: bool) -> str:
    return f"({format_sentence(sentence)})" if needed else format_sentence(sentence)


def _write(value: Constant) -> str:
    if value is None:
        return "missing"
    if isinstance(value, str):
        return _write_text(value)
    if isinstance(value, dt.date):
        return value.isoformat()
    return repr(value)


def _write_text(text: str) -> str:
    """Write a name or a text: bare if it is a word and none of ours, else in double quotes."""
    if WORD.fullmatch(text) and text not in KEYWORDS:
        return text
    return '"' + text.replace('"', '""') + '"'
