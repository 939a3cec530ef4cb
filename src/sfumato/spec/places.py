"""Where each key of a TOML text stands, so that a message can name its line.

The parser of the standard library keeps no positions. This scanner finds them again in
a text that the parser has already accepted; it therefore checks nothing itself.
"""

from __future__ import annotations

import re
import tomllib
from typing import TypeAlias

Location: TypeAlias = tuple[str | int, ...]
Place: TypeAlias = tuple[int, int]

_SPACE = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BLANK = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:[^"\\]|\\.)*"'
    r"|'[^']*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]+")


def find_places(text: str) -> dict[Location, Place]:
    """Return the place of every key and of every entry of a list."""
    return _Scanner(text.replace("\r\n", "\n")).scan()


class _Scanner:
    """One walk through the text from its first to its last character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.places: dict[Location, Place] = {}
        self.tables_seen: dict[Location, int] = {}  # arrays of tables: number of the last entry
        self.counted = (0, 1, 0)  # position, its line, and the position where that line starts

    def scan(self) -> dict[Location, Place]:
        """Visit headers and pairs until the text ends."""
        table: Location = ()
        self.skip(_SPACE)
        while self.position < len(self.text):
            if self.text[self.position] == "[":
                table = self.header()
            else:
                self.pair(table)
            self.skip(_SPACE)
        return self.places

    def skip(self, pattern: re.Pattern[str]) -> str:
        """Move behind what the pattern matches here, and return it."""
        match = pattern.match(self.text, self.position)
        if match is None:
            return ""
        self.position = match.end()
        return match.group()

    def mark(self, location: Location, position: int) -> None:
        """Note the place of a location unless it already has one."""
        counted, line, start = self.counted
        line += self.text.count("\n", counted, position)
        start = max(start, self.text.rfind("\n", counted, position) + 1)
        self.counted = (position, line, start)
        self.places.setdefault(location, (line, position - start + 1))

    def header(self) -> Location:
        """Read ``[a.b]`` or ``[[a.b]]`` and return the table that it opens."""
        start = self.position
        brackets = 2 if self.text.startswith("[[", start) else 1
        self.position += brackets
        keys = self.key()
        self.position += brackets
        location: Location = (*self.opened(keys[:-1], start), keys[-1])
        self.mark(location, start)
        if brackets == 2:
            self.tables_seen[location] = self.tables_seen.get(location, -1) + 1
        return self.entered(location, start)

    def opened(self, keys: tuple[str, ...], start: int) -> Location:
        """Return the location that the leading keys of a header lead to."""
        location: Location = ()
        for key in keys:
            location = (*location, key)
            self.mark(location, start)
            location = self.entered(location, start)
        return location

    def entered(self, location: Location, start: int) -> Location:
        """Step into the last entry where the location is an array of tables."""
        if location in self.tables_seen:
            location = (*location, self.tables_seen[location])
            self.mark(location, start)
        return location

    def key(self) -> tuple[str, ...]:
        """Read a key with its dots and quotes, and stop behind it."""
        parts: list[str] = []
        while True:
            self.skip(_BLANK)
            bare = self.skip(_BARE_KEY)
            parts.append(bare or tomllib.loads(f"key = {self.skip(_STRING)}")["key"])
            self.skip(_BLANK)
            if not self.text.startswith(".", self.position):
                return tuple(parts)
            self.position += 1

    def pair(self, table: Location) -> None:
        """Read ``key = value``."""
        start = self.position
        location = table
        for part in self.key():
            location = (*location, part)
            self.mark(location, start)
        self.position += 1  # the equals sign
        self.skip(_BLANK)
        self.value(location)

    def value(self, location: Location) -> None:
        """Read a value, and note the places inside it."""
        opening = self.text[self.position]
        if opening == "[":
            self.entries(location, "]")
        elif opening == "{":
            self.entries(location, "}")
        elif opening in "\"'":
            self.skip(_STRING)
        else:
            self.skip(_SCALAR)

    def entries(self, location: Location, closing: str) -> None:
        """Read the entries of a list, or the pairs of an inline table."""
        self.position += 1
        self.skip(_SPACE)
        count = 0
        while self.text[self.position] != closing:
            if closing == "}":
                self.pair(location)
            else:
                self.mark((*location, count), self.position)
                self.value((*location, count))
                count += 1
            self.skip(_SPACE)
            if self.text[self.position] == ",":
                self.position += 1
                self.skip(_SPACE)
        self.position += 1
