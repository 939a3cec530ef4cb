"""Groups of columns in a small file."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from sfumato.errors import DataError

_LINE = re.compile(r"at line (\d+)")


def read_groups(path: str) -> list[list[str]]:
    """Read lists of columns that are microaggregated together.

    A TOML file says ``groups = [["A", "B"], ["C"]]``; a JSON file an object with the same key, or the lists
    alone.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError("there is no such file of groups; or say none or auto.", where=path) from None
    except (OSError, UnicodeError):
        raise DataError("the file cannot be read as UTF-8 text.", where=path) from None
    return _check(_parse(text, path, is_json=file.suffix.lower() == ".json"), path)


def _parse(text: str, path: str, *, is_json: bool) -> object:
    try:
        value: object = json.loads(text) if is_json else tomllib.loads(text)
    except json.JSONDecodeError as error:
        raise DataError("this is not JSON.", where=f"{path}, line {error.lineno}") from None
    except tomllib.TOMLDecodeError as error:
        line = _LINE.search(str(error))
        # Without a line, it is the end of the file.
        where = f"{path}, line {line[1] if line else text.count(chr(10)) + 1}"
        raise DataError('this is not TOML. Write groups = [["A", "B"], ["C"]].', where=where) from None
    if not isinstance(value, dict):
        return value
    if set(value) != {"groups"}:
        raise DataError('one key is expected: groups = [["A", "B"], ["C"]].', where=path)
    return value["groups"]


def _check(value: object, path: str) -> list[list[str]]:
    if not isinstance(value, list) or not value:
        raise DataError("a list of groups is expected.", where=f"{path}: groups")
    for number, group in enumerate(value):
        if not isinstance(group, list) or not group:
            raise DataError("a list of columns is expected.", where=f"{path}: groups[{number}]")
        for place, name in enumerate(group):
            if not isinstance(name, str):
                raise DataError(
                    "the name of a column is expected.", where=f"{path}: groups[{number}][{place}]"
                )
    return value
