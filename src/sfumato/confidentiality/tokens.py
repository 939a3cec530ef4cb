"""From the text of a sentence to its words, numbers, texts and signs."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from sfumato.confidentiality.errors import SentenceError

if TYPE_CHECKING:
    from sfumato.confidentiality.sentence import Constant

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
    '"': "A quote is opened and not closed.",
    "'": "A quote is opened and not closed.",
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
    """Split a sentence into tokens, the last of which is its end.

    Within quotes, a doubled quote means the quote itself.
    """
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _strange(text, at)
        if match.lastgroup != "blank":
            found.append(_token(match))
        at = match.end()
    return [*found, Token("end", "", len(text))]


def _token(match: re.Match[str]) -> Token:
    text, at = match.group(), match.start()
    if match.lastgroup == "quoted":
        return Token("quoted", text[1:-1].replace(text[0] * 2, text[0]), at)
    if match.lastgroup == "word":
        return Token("keyword" if text in KEYWORDS else "word", text, at)
    if match.lastgroup == "date":
        return Token("date", text, at)
    return Token("number" if match.lastgroup == "number" else "sign", text, at)


def _strange(text: str, at: int) -> SentenceError:
    hint = _HINTS.get(text[at], "Put names and texts with such characters in quotes.")
    return SentenceError(f"{text[at]!r} begins nothing that a sentence may hold. {hint}", text, at)


def constant_of(token: Token, text: str) -> Constant:
    """Return the constant that a token stands for: a number, a date, a text, or None for missing."""
    if token.sort in ("quoted", "word"):
        return token.text
    if token.sort == "keyword" and token.text == "missing":
        return None
    if token.sort == "date":
        try:
            return dt.date.fromisoformat(token.text)
        except ValueError:
            raise SentenceError(f"there is no date {token.text}.", text, token.at) from None
    if token.sort == "number":
        return _number(token, text)
    hint = " Put a text that is a word of our own in quotes." if token.sort == "keyword" else ""
    raise SentenceError(f"a value is expected, not {token.shown}.{hint}", text, token.at)


def _number(token: Token, text: str) -> int | float:
    is_whole = token.text.lstrip("+-").isdecimal()
    if len(token.text) <= _LONGEST_NUMBER:
        value = int(token.text) if is_whole else float(token.text)
        if is_whole or math.isfinite(value):
            return value
    raise SentenceError("this number is too large.", text, token.at)
