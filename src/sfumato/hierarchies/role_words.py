"""Words in the names of columns that hint at their role; ``role_words.toml`` says what each list is for."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from importlib.resources import files
from itertools import pairwise

LONG_STEM = 7  # letters from which on a stem in the middle of a word is no accident
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
# Letters that are not a plain letter with an accent.
_LETTERS = str.maketrans(
    {"ß": "ss", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "æ": "ae", "œ": "oe", "đ": "d", "Đ": "D", "ı": "i"}
)
_ARTICLE = "ال"  # Arabic writes the article and the word as one
_SPACELESS = "\u2e80"  # from here on scripts put no space between words


def _plain(text: str) -> str:
    """Return a text without accents; the letters of Korean stay whole."""
    apart = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return unicodedata.normalize("NFC", "".join(sign for sign in apart if not unicodedata.combining(sign)))


_TEXTS = tomllib.loads(files(__package__).joinpath("role_words.toml").read_text(encoding="utf-8"))
_LISTS: dict[str, list[str]] = {name: _plain(text).casefold().split() for name, text in _TEXTS.items()}
FLAG_WORDS = frozenset(_TEXTS["flag_words"].split())


def split_name(name: str) -> list[str]:
    """Split the name of a column into words: lower case, without accents, digits and Arabic articles."""
    return [word.casefold().removeprefix(_ARTICLE) for word in _PARTS.findall(_plain(name))]


def hints_at(name: str, *lists: str) -> bool:
    """Tell whether the name of a column holds a word of one of the lists, or one of their stems."""
    parts = split_name(name)
    held = {*parts, "".join(parts), *map("".join, pairwise(parts))}
    if any(not held.isdisjoint(_LISTS[f"{item}_words"]) for item in lists):
        return True
    return any(
        part.startswith(stem) or part.endswith(stem) or (stem in part and _is_telling(stem))
        for part in parts
        for item in lists
        for stem in _LISTS.get(f"{item}_stems", ())
    )


def _is_telling(stem: str) -> bool:
    """Tell whether a stem in the middle of a word is no accident."""
    return len(stem) >= LONG_STEM or stem >= _SPACELESS
