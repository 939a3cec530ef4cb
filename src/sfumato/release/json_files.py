"""Take typed values out of JSON objects, with errors that name the place.

Everything is first written into a private, hidden folder next to its target, brought to the disk, and then
renamed. A run that ends in order, even by an error or a signal, leaves nothing hidden behind. A run that is
killed leaves a folder that nobody else can read, and nothing new under a final name but a manifest whose
file is not there; the next run that writes there puts the old files back and removes the rest.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeGuard

from sfumato import private as own
from sfumato.errors import DataError, OutputError, SfumatoError, nearest
from sfumato.private import ordinary_mode, place, private_folder, sync_folder, write_synced

DEEPEST = 600  # the most objects and lists inside each other; the longest sentence that can be read has fewer
LONGEST = 10**300  # whole numbers beyond this are refused: they have no decimal form that other readers know


class _StrangeError(ValueError):
    """JSON in form, but nothing that we write; used only in this module."""


def stable_json(value: object) -> str:
    """Return JSON with sorted keys, two blanks of indentation and a newline at the end."""
    return _json(value, indent=2) + "\n"


def _json(value: object, indent: int | None = None) -> str:
    # Dates become ISO text and array scalars plain numbers. Infinity and not-a-number are refused, since
    # other readers do not know them.
    return json.dumps(
        value, sort_keys=True, indent=indent, ensure_ascii=False, allow_nan=False, default=_plain
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
    """Return the SHA-256 digest of a JSON object without its key ``seal``, lower-case hexadecimal."""
    # The digest is taken over the text of `stable_json`, so that order and indentation do not matter.
    # Once to text and back, so that keys are sorted as the texts that they become.
    plain = json.loads(_json({key: value for key, value in content.items() if key != "seal"}))
    return hashlib.sha256(stable_json(plain).encode("utf-8", "surrogatepass")).hexdigest()


def load_json_object(path: str | Path) -> dict[str, object]:
    """Read a file that holds one JSON object."""
    where = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError("there is no such file.", where=where) from None
    except (OSError, ValueError):  # not UTF-8, or NUL in the name
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
    if len(text) > len(str(LONGEST)):
        raise _StrangeError("a number is too large.")
    return int(text)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Make an object; readers differ in which of two equal keys counts, so neither does."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _StrangeError("a key occurs twice in one object.")
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


def check_target(
    path: str | Path,
    *,
    force: bool = False,
    may_replace: Callable[[], bool] = lambda: False,
    may_be_folder: bool = False,
) -> None:
    """Raise OutputError unless a file can be written under this name."""
    # Call it before long work too: it tries the folder by making a private folder in it, and so removes what
    # killed runs left there.
    path = Path(path)
    where = str(path)
    full = str(path.absolute())
    if "\0" in full or full.encode(errors="replace") != full.encode(errors="surrogatepass"):
        raise OutputError("the name is not valid UTF-8, or contains NUL. Choose another name.", where=where)
    if path.is_dir() and not may_be_folder:
        raise OutputError("this is a folder; name a file.", where=where)
    if not path.parent.is_dir():
        raise OutputError("its folder does not exist. Make the folder first.", where=where)
    with output_errors(path), private_folder(path.parent) as probe:
        own.create(probe / "probe")
    if os.path.lexists(path) and not (force or may_replace()):
        raise OutputError("the file exists already. Choose another name or add --force.", where=where)


@contextmanager
def output_errors(
    path: Path, also: Callable[[Exception], bool] = lambda error: isinstance(error, OSError)
) -> Iterator[None]:
    """Turn a failure to write into one line; ``also`` tells which errors are one."""
    try:
        yield
    except SfumatoError:
        raise
    except Exception as error:
        if not also(error):
            raise
        reason = (
            error.strerror
            if isinstance(error, OSError) and error.strerror
            else "no space left or no permission"
        )
        raise OutputError(f"cannot be written: {reason}. Nothing was left behind.", where=str(path)) from None


def atomic_text(path: str | Path, text: str, *, force: bool = False, private: bool = False) -> None:
    """Write a text file in UTF-8, complete or not at all; lines end as they do in ``text``."""
    path = Path(path)
    check_target(path, force=force)
    with output_errors(path):
        own.write_whole(path, text.encode(), private=private)


def atomic_folder(
    folder: str | Path,
    contents: Mapping[str, str | bytes],
    *,
    force: bool = False,
    private: Collection[str] = (),
) -> None:
    """Write files into a folder, all or none; a new folder appears with all of them."""
    folder = Path(folder)
    if os.path.lexists(folder) and not folder.is_dir():
        raise OutputError("a file has this name; name a folder.", where=str(folder))
    is_new = not folder.is_dir()
    for target in [folder] if is_new else [folder / name for name in contents]:
        check_target(target, force=force)
    with output_errors(folder), private_folder(folder.parent if is_new else folder) as hidden:
        drafts = hidden / "drafts"
        drafts.mkdir(mode=0o700)
        for name, content in contents.items():
            write_synced(drafts / name, content.encode() if isinstance(content, str) else content)
        if is_new:
            place_folder(hidden, drafts, folder, private=private)
        else:
            place(hidden, [(drafts / name, folder / name) for name in contents], private=private)


def place_folder(hidden: Path, drafts: Path, folder: Path, *, private: Collection[str] = ()) -> None:
    """Give a folder of drafts its name."""
    mode, closed = ordinary_mode(hidden), {drafts / name for name in private}
    for path in [*drafts.rglob("*"), drafts]:
        if path not in closed:
            with suppress(OSError):  # not every file system knows permissions
                path.chmod(mode | (mode & 0o444) >> 2 if path.is_dir() else mode)
    sync_folder(drafts)
    os.rename(drafts, folder)
    sync_folder(folder.parent)


LARGEST = 2**62  # counts beyond this are refused: no table has them, and the engine could not hold them


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
        return DataError(f"{key!r} is malformed: {expected} is expected.", where=self.where)


def _is_number(value: object) -> TypeGuard[int | float]:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False
