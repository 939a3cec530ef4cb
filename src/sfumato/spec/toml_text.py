"""Specifications from and to TOML."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sfumato.errors import OutputError, SpecError
from sfumato.private import write_whole
from sfumato.spec.choices import canonical_measure_name
from sfumato.spec.places import Location, Place, SpecFault, find_places, first_problem, write_location

MAX_BYTES = 32 * 1024 * 1024  # a table of data given by mistake is not read whole
_AT_LINE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_AT_END = " (at end of document)"


@dataclass(frozen=True)
class Document:
    """A specification before it is checked."""

    values: Mapping[str, object]  # the tables as plain dictionaries
    source: str | None = None  # the file as its reader named it; `None` for tables that Python made
    text: str = ""  # the text of the file

    @cached_property
    def places(self) -> dict[Location, Place]:
        """Line and column of each key; canonical names of measures lead there too."""
        try:
            places = find_places(self.text)
        except RecursionError:  # hundreds of brackets within brackets: do without lines
            return {}
        for location, place in list(places.items()):
            if len(location) == 2 and location[0] == "require":
                try:
                    places.setdefault(("require", canonical_measure_name(str(location[1]))), place)
                except SpecError:
                    continue
        return places

    def place(self, location: Location) -> Place | None:
        """Return the place of a location, or of the closest table around it."""
        for length in range(len(location), 0, -1):
            if location[:length] in self.places:
                return self.places[location[:length]]
        return None

    def error(self, problems: Sequence[SpecFault]) -> SpecError:
        """Make one error of the first problem in the file."""
        last = (len(self.text) + 1, 0)  # what has no place comes after all that has one
        ordered = sorted(problems, key=lambda problem: self.place(problem.location) or last)
        return first_problem((self.where(problem.location), problem.sentence) for problem in ordered)

    def where(self, location: Location) -> str:
        """Write a location, with the file and the line if there is a file."""
        # A key outside all tables has no brackets.
        is_key = len(location) == 1 and isinstance(self.values.get(str(location[0])), (str, int, float))
        written = write_location(location, tables=not is_key)
        if self.source is None:
            return written
        place = self.place(location)
        line = f":{place[0]}" if place else ""
        return f"{self.source}{line}: {written}".removesuffix(": ")


def read_document(path: str | os.PathLike[str]) -> Document:
    """Read a specification file."""
    source = str(path)
    content = _read_bytes(Path(path), source)
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = "not UTF-8 text. Save the file with UTF-8 encoding."
        raise SpecError(message, where=f"{source}:{line}") from None
    try:
        return Document(tomllib.loads(text), source, text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(str(error), source, text) from None
    except (ValueError, RecursionError):  # digits without end, brackets without end
        raise SpecError(
            "not valid TOML: a number is too long or lists are nested too deep.", where=source
        ) from None


def _read_bytes(path: Path, source: str) -> bytes:
    """Read the file, or say why it cannot be read."""
    try:
        if path.is_dir():
            complaint = "this is a folder. Name the specification file in it."
        elif path.stat().st_size > MAX_BYTES:
            complaint = f"larger than {MAX_BYTES >> 20} MB, so it is probably not a specification."
        else:
            return path.read_bytes()
    except FileNotFoundError:
        complaint = "there is no such file. Check the path, or make one with `sfumato init`."
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        complaint = f"cannot be read: {getattr(error, 'strerror', None) or 'the system refuses'}."
    raise SpecError(complaint, where=source)


def _syntax_error(message: str, source: str, text: str) -> SpecError:
    """Move line and column from the end of the parser's message to its front."""
    found = _AT_LINE.search(message)
    if found:
        where = f"{source}:{found[1]}:{found[2]}"
        message = message[: found.start()]
    else:
        where = f"{source}:{text.rstrip().count(chr(10)) + 1}"
        message = message.removesuffix(_AT_END) + " at the end of the file"
    return SpecError(f"not valid TOML: {message[:1].lower()}{message[1:]}.", where=where)


def write_document(values: Mapping[str, object], path: str | os.PathLike[str]) -> None:
    """Write tables as a TOML file that appears under its name only when complete."""
    import tomli_w

    content = tomli_w.dumps(values).encode("utf-8")
    try:
        write_whole(Path(path), content)
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        reason = getattr(error, "strerror", None) or "the operating system refused"
        raise OutputError(f"cannot be written: {reason}.", where=str(path)) from None
