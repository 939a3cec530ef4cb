"""JSON whose text depends on nothing but its content, and its reading with clear errors."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from pathlib import Path

from sfumato.errors import DataError


def stable_json(value: object) -> str:
    """Return JSON with sorted keys, two blanks of indentation and a newline at the end.

    Dates become ISO text and array scalars plain numbers. Infinity and not-a-number are
    refused, since other readers do not know them.

    Raises
    ------
    TypeError, ValueError
        If the value has no JSON form.

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


def load_json_object(path: str | Path) -> dict[str, object]:
    """Read a file that holds one JSON object.

    Raises
    ------
    DataError
        If the file is absent, unreadable, not UTF-8, not JSON or not an object.
    """
    where = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError("there is no such file.", where=where) from None
    except (OSError, UnicodeError):
        raise DataError("the file cannot be read as UTF-8 text.", where=where) from None
    try:
        value = json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise DataError("this is not JSON.", where=f"{where}, line {error.lineno}") from None
    except (ValueError, RecursionError):
        raise DataError("this is not JSON.", where=where) from None
    if not isinstance(value, dict):
        raise DataError("a JSON object is expected.", where=where)
    return value


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


__all__ = ["load_json_object", "stable_json"]
