"""From a sentence back to text, and to plain lists for files."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from sfumato.confidentiality.sentence import Comparison, Junction, Membership, Negation
from sfumato.confidentiality.tokens import KEYWORDS, WORD

if TYPE_CHECKING:
    from sfumato.confidentiality.sentence import Constant, Sentence


def format_sentence(sentence: Sentence) -> str:
    """Write a sentence so that reading it gives the same one.

    Examples
    --------
    >>> from sfumato.confidentiality.reading import parse_sentence
    >>> format_sentence(parse_sentence("'marital status'=='single' and (a<1 or not b in{2 ,missing})"))
    '"marital status" == single and (a < 1 or not b in {2, missing})'
    """
    if isinstance(sentence, Comparison):
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
