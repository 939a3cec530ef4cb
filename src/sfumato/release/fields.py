"""Take typed values out of JSON objects, with errors that name the place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeGuard

from sfumato.errors import DataError, nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


LARGEST = 2**62
"""Counts beyond this are refused: no table has them, and the engine could not hold them."""


class Fields:
    """The keys of one JSON object."""

    def __init__(self, values: Mapping[str, object], where: str) -> None:
        self._values = values
        self.where = where

    def only(self, known: Collection[str]) -> None:
        """Refuse keys that are not known."""
        for key in self._values:
            if key not in known:
                raise DataError(f"the key {key!r} is unknown. {nearest(key, known)}", where=self.where)

    def text(self, key: str, choices: Collection[str] = ()) -> str:
        """Return a text, one of the choices if there are any."""
        value = self._take(key)
        if not isinstance(value, str):
            raise self._wrong(key, "a text")
        if choices and value not in choices:
            raise self._wrong(key, "one of " + ", ".join(repr(choice) for choice in choices))
        return value

    def optional_text(self, key: str) -> str | None:
        """Return a text, or None where the key is absent or null."""
        return None if self._values.get(key) is None else self.text(key)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        value = self._take(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._wrong(key, "a list of texts")
        return tuple(value)

    def optional_texts(self, key: str) -> tuple[str | None, ...]:
        """Return a list of texts and nulls."""
        value = self._take(key)
        if not isinstance(value, list) or not all(item is None or isinstance(item, str) for item in value):
            raise self._wrong(key, "a list of texts and nulls")
        return tuple(value)

    def number(self, key: str) -> float:
        """Return a finite number."""
        value = self._take(key)
        if not _is_number(value):
            raise self._wrong(key, "a number")
        return value

    def whole(self, key: str) -> int:
        """Return an integer from 0 on."""
        value = self._take(key)
        if type(value) is not int or not 0 <= value < LARGEST:
            raise self._wrong(key, "a whole number from 0 on")
        return value

    def flag(self, key: str) -> bool:
        """Return true or false."""
        value = self._take(key)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def mapping(self, key: str) -> dict[str, object]:
        """Return an object."""
        value = self._take(key)
        if not isinstance(value, dict):
            raise self._wrong(key, "an object")
        return value

    def fields(self, key: str) -> Fields:
        """Return an object as fields."""
        return Fields(self.mapping(key), f"{self.where}.{key}")

    def entries(self, key: str) -> list[Fields]:
        """Return a list of objects as fields; none where the key is absent or null."""
        value = self._values.get(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._wrong(key, "a list of objects")
        return [Fields(item, f"{self.where}.{key}[{place}]") for place, item in enumerate(value)]

    def numbers(self, key: str) -> dict[str, float]:
        """Return an object whose values are finite numbers."""
        value = self.mapping(key)
        if not all(_is_number(number) for number in value.values()):
            raise self._wrong(key, "numbers by name")
        return {name: number for name, number in value.items() if _is_number(number)}

    def blocks(self, key: str) -> tuple[tuple[str | int | float | None, ...], ...]:
        """Return a list of lists of texts, numbers and nulls."""
        value = self._take(key)
        if not isinstance(value, list) or not all(isinstance(block, list) for block in value):
            raise self._wrong(key, "a list of blocks")
        if not all(
            item is None or isinstance(item, str) or _is_number(item) for block in value for item in block
        ):
            raise self._wrong(key, "blocks of texts, numbers and nulls")
        return tuple(tuple(block) for block in value)

    def has(self, key: str) -> bool:
        """Tell whether a key is there and not null."""
        return self._values.get(key) is not None

    def _take(self, key: str) -> object:
        if key not in self._values:
            raise DataError(f"the key {key!r} is missing.", where=self.where)
        return self._values[key]

    def _wrong(self, key: str, expected: str) -> DataError:
        return DataError(f"{key!r} is not as it should be: {expected} is expected.", where=self.where)


def _is_number(value: object) -> TypeGuard[int | float]:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False
