"""Words in the names of columns that hint at their role; ``role_words.toml`` says what each list is for."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from importlib.resources import files
from itertools import pairwise

_LISTS = tomllib.loads(files(__package__).joinpath("role_words.toml").read_text(encoding="utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[f"{name}_words"].split())


def _stems(name: str) -> tuple[str, ...]:
    return tuple(_LISTS[f"{name}_stems"].split())


PERSON_WORDS = _words("person")
ID_WORDS = _words("id")
IDENTIFIER_WORDS = ID_WORDS | _words("identifier")
NAME_WORDS = _words("name")
KEY_WORDS = _words("key")
HOUSEHOLD_WORDS = _words("household")
COUNT_WORDS = _words("count")
COORDINATE_WORDS = _words("coordinate")
SURVEY_WEIGHT_WORDS = _words("survey_weight")
AMBIGUOUS_WEIGHT_WORDS = _words("ambiguous_weight")
BODY_WORDS = _words("body")
FREE_TEXT_WORDS = _words("free_text")
SENSITIVE_WORDS = _words("sensitive")
PLACE_WORDS = _words("place")
TIME_WORDS = _words("time")
QUASI_IDENTIFIER_WORDS = PLACE_WORDS | TIME_WORDS | _words("quasi_identifier")
POSTAL_WORDS = _words("postal")
FLAG_WORDS = _words("flag")
IDENTIFIER_STEMS = _stems("identifier")
SENSITIVE_STEMS = _stems("sensitive")
QUASI_IDENTIFIER_STEMS = _stems("quasi_identifier")
TIME_STEMS = _stems("time")

LONG_STEM = 7  # letters from which on a stem in the middle of a word is no accident
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")


# Letters that are not a plain letter with an accent.
_LETTERS = str.maketrans({"ß": "ss", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "æ": "ae", "œ": "oe", "đ": "d"})


def split_name(name: str) -> list[str]:
    """Split the name of a column into words: lower case, without accents and digits."""
    plain = unicodedata.normalize("NFKD", name.translate(_LETTERS))
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [word.casefold() for word in _PARTS.findall(letters)]


def hints_at(name: str, words: frozenset[str], stems: tuple[str, ...] = ()) -> bool:
    """Tell whether the name of a column holds one of the words, or a word with one of the stems."""
    parts = split_name(name)
    if not words.isdisjoint((*parts, "".join(parts), *map("".join, pairwise(parts)))):
        return True
    return any(
        part.startswith(stem) or part.endswith(stem) or (len(stem) >= LONG_STEM and stem in part)
        for part in parts
        for stem in stems
    )
