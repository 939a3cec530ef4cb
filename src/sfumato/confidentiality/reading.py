"""From text to a sentence, by recursive descent.

sentence   = conjunction { "or" conjunction }
conjunction = negation { "and" negation }
negation   = "not" negation | "(" sentence ")" | comparison
comparison = name operator value | name "in" "{" value { "," value } "}"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from sfumato.confidentiality.errors import SentenceError
from sfumato.confidentiality.sentence import ORDERING, Comparison, Junction, Membership, Negation
from sfumato.confidentiality.tokens import constant_of, split
from sfumato.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.confidentiality.sentence import Constant, Operator, Sentence
    from sfumato.confidentiality.tokens import Token

OPERATORS: tuple[str, ...] = ("==", "!=", *ORDERING)
DEEPEST = 100
"""How many brackets and negations may lie within each other."""


def parse_sentence(text: str) -> Sentence:
    """Read a sentence.

    ``not`` binds closer than ``and``, and ``and`` closer than ``or``. A name is a word, or stands in single
    or double quotes; so does a text, which may be a bare word too. Numbers and ISO dates stand as they
    are; ``missing`` is the missing value. Nothing is evaluated.

    Examples
    --------
    >>> parse_sentence("health == 2").name
    'health'
    """
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
        sentence = self.joined("or", lambda: self.joined("and", self.negation))
        if not self.is_over():
            raise self.unexpected("'and', 'or' or the end")
        return sentence

    def is_over(self) -> bool:
        return self.here.sort == "end"

    def joined(self, word: Literal["and", "or"], read: Callable[[], Sentence]) -> Sentence:
        parts = [read()]
        while self.accept("keyword", word):
            parts.append(read())
        return parts[0] if len(parts) == 1 else Junction(word, tuple(parts))

    def negation(self) -> Sentence:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.wrong(f"more than {DEEPEST} brackets or negations lie within each other.")
        if self.accept("keyword", "not"):
            sentence: Sentence = Negation(self.negation())
        elif self.accept("sign", "("):
            sentence = self.joined("or", lambda: self.joined("and", self.negation))
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
        return Comparison(name.text, cast("Operator", sign.text), value, name.at, value_at)

    def membership(self, name: Token) -> Membership:
        self.expect("{")
        value_at = self.here.at
        values = [self.constant()]
        while self.accept("sign", ","):
            values.append(self.constant())
        self.expect("}")
        return Membership(name.text, tuple(values), name.at, value_at)

    def constant(self) -> Constant:
        value = constant_of(self.here, self.text)
        self.place += 1
        return value

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
