"""JSON whose text depends on nothing but its content, and its reading with clear errors."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path

from sfumato.errors import DataError

DEEPEST = 600
"""The most objects and lists inside each other; the longest sentence that can be read has fewer."""
LARGEST = 10**300
"""Whole numbers beyond this are refused: they have no decimal form that other readers know."""


class _StrangeError(ValueError):
    """JSON in form, but nothing that we write; never leaves this module."""


def stable_json(value: object) -> str:
    """Return JSON with sorted keys, two blanks of indentation and a newline at the end.

    Dates become ISO text and array scalars plain numbers. Infinity and not-a-number are
    refused, since other readers do not know them.

    Examples
    --------
    >>> print(stable_json({"k": 5, "A": [0.1]}), end="")
    {
      "A": [
        0.1
      ],
      "k": 5
    }
    """
    return (
        json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False, default=_plain)
        + "\n"
    )


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, dt.date):
        return value.isoformat()
    item = getattr(value, "item", None)
    if callable(item):
        return item()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def seal_of(content: Mapping[str, object]) -> str:
    """Return the SHA-256 digest of a JSON object without its key ``seal``, lower-case hexadecimal.

    The digest is taken over the text of `stable_json`, so that order and indentation do not matter.

    Examples
    --------
    >>> seal_of({"k": 5, "A": 1}) == seal_of({"A": 1, "k": 5, "seal": "any"})
    True
    >>> seal_of({"k": 5}) == seal_of({"k": 6})
    False
    """
    # Once to text and back, so that keys are sorted as the texts that they become.
    plain = json.loads(stable_json({key: value for key, value in content.items() if key != "seal"}))
    return hashlib.sha256(stable_json(plain).encode("utf-8", "surrogatepass")).hexdigest()


def load_json_object(path: str | Path) -> dict[str, object]:
    """Read a file that holds one JSON object."""
    where = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError("there is no such file.", where=where) from None
    except (OSError, UnicodeError):
        raise DataError("the file cannot be read as UTF-8 text.", where=where) from None
    try:
        value = json.loads(
            text, parse_constant=_refuse, parse_float=_decimal, parse_int=_whole, object_pairs_hook=_once
        )
    except json.JSONDecodeError as error:
        raise DataError("this is not JSON.", where=f"{where}, line {error.lineno}") from None
    except _StrangeError as error:
        raise DataError(str(error), where=where) from None
    except ValueError:
        raise DataError("this is not JSON.", where=where) from None
    except RecursionError:
        raise DataError("objects and lists are nested too deeply.", where=where) from None
    if not isinstance(value, dict):
        raise DataError("a JSON object is expected.", where=where)
    _check_depth(value, where)
    return value


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def _decimal(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _StrangeError("a number is too large.")
    return number


def _whole(text: str) -> int:
    if len(text) > len(str(LARGEST)):
        raise _StrangeError("a number is too large.")
    return int(text)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Make an object; readers differ in which of two equal keys counts, so neither does."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _StrangeError("a key stands twice in one object.")
    return found


def _check_depth(value: object, where: str) -> None:
    """Raise DataError where others would run out of stack."""
    level, depth = [value], 0
    while level:
        if depth > DEEPEST:
            raise DataError("objects and lists are nested too deeply.", where=where)
        inner: list[object] = []
        for item in level:
            inner += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        level, depth = inner, depth + 1
