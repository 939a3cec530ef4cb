"""The names of measures: ``k``, ``distinct_l(occupation)``, ``t(occupation, ordered)``.

These texts are keys of ``[require]``, entries of ``[objectives]``, column headers and
JSON keys, so each measure has exactly one spelling: one blank after a comma, and double
quotes only around an argument that could not be read back without them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sfumato.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ARGUMENT = re.compile(r'\s*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<bare>[^,()"]*[^,()"\s]))\s*')
_SPECIAL = re.compile(r'[,()"]')
_SHAPE = "a measure is written name, name(attribute) or name(attribute, option)"


def parse_measure_name(text: str) -> tuple[str, tuple[str, ...]]:
    """Split the name of a measure into the bare name and its arguments.

    Blanks around names, commas and parentheses are ignored; inside double quotes every
    character counts and ``""`` stands for one quote. Whether such a measure exists is
    not asked here.

    Examples
    --------
    >>> parse_measure_name('t("zip, code",ordered)')
    ('t', ('zip, code', 'ordered'))
    """
    stripped = text.strip()
    name = _NAME.match(stripped)
    if name is None:
        raise SpecError(f"{_SHAPE}; this does not start with a name.")
    rest = stripped[name.end() :].lstrip()
    if not rest:
        return name.group(), ()
    if not (rest.startswith("(") and rest.endswith(")")):
        raise SpecError(f"{_SHAPE}; after the name a pair of parentheses is expected.")
    return name.group(), _parse_arguments(rest[1:-1])


def _parse_arguments(text: str) -> tuple[str, ...]:
    """Read the arguments between the parentheses."""
    arguments: list[str] = []
    position = 0
    while True:
        match = _ARGUMENT.match(text, position)
        if match is None:
            raise SpecError(f"{_SHAPE}; argument {len(arguments) + 1} is empty or lacks its double quotes.")
        quoted = match.group("quoted")
        arguments.append(match.group("bare").strip() if quoted is None else quoted.replace('""', '"'))
        position = match.end()
        if position == len(text):
            return tuple(arguments)
        if text[position] != ",":
            raise SpecError(f"{_SHAPE}; after argument {len(arguments)} a comma is expected.")
        position += 1


def format_measure_name(name: str, arguments: Sequence[str] = ()) -> str:
    """Write the name of a measure in its one canonical spelling.

    An argument stands in double quotes if it holds ``,``, ``(``, ``)`` or ``"``, and also
    if it is empty or begins or ends with a blank, which reading would lose.

    Examples
    --------
    >>> format_measure_name("t", ["zip, code", "ordered"])
    't("zip, code", ordered)'
    """
    if not arguments:
        return name
    return f"{name}({', '.join(_format_argument(argument) for argument in arguments)})"


def _format_argument(argument: str) -> str:
    """Quote an argument where it needs it."""
    if argument and argument == argument.strip() and not _SPECIAL.search(argument):
        return argument
    return '"' + argument.replace('"', '""') + '"'


def canonical_measure_name(text: str) -> str:
    """Return the canonical spelling of a measure's name, or raise SpecError."""
    return format_measure_name(*parse_measure_name(text))
