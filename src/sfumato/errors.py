"""Every error that a user of Sfumato can see.

A message says what is wrong, what was found and what to do. It names columns,
counts and parameters, never a cell of the data. The one exception is
domain values that are missing from a hierarchy: they are kept in ``values``, apart from
the message, and only a terminal shows them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import ClassVar


class SfumatoError(Exception):
    """Base class of all errors of Sfumato.

    Parameters
    ----------
    message
        What is wrong, what was found, what to do; one line.
    where
        The place: a file with a line, a key of the specification, a column.
    values
        Up to five domain values that a terminal may show after the message.
    """

    status: ClassVar[int] = 2

    def __init__(self, message: str, *, where: str | None = None, values: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.values = tuple(values[:5])

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message

    def text(self, *, show_values: bool) -> str:
        """Return the line for a terminal, with the values if they may be shown."""
        if not (show_values and self.values):
            return str(self)
        return f"{self} First: " + ", ".join(repr(value) for value in self.values)


class ParameterError(SfumatoError, ValueError):
    """A parameter is outside its range or of the wrong kind."""


class SpecError(SfumatoError, ValueError):
    """The specification file cannot be read or contradicts itself."""


class DataError(SfumatoError, ValueError):
    """The data cannot be read or do not fit the specification."""


class TooManyError(DataError):
    """There are more distinct combinations of values than memory can hold."""


class HierarchyError(SfumatoError, ValueError):
    """A hierarchy is not a hierarchy, or does not cover the data."""


class OutputError(SfumatoError, OSError):
    """An output cannot be written."""

    def __str__(self) -> str:
        return SfumatoError.__str__(self)


class InfeasibleError(SfumatoError, RuntimeError):
    """No recoding meets what is required."""

    status: ClassVar[int] = 1


class VerificationError(SfumatoError, RuntimeError):
    """A release does not keep its promise."""

    status: ClassVar[int] = 1


def nearest(name: str, valid: Iterable[str]) -> str:
    """Return a hint with the valid name closest to ``name``, or the valid names."""
    names = sorted(valid)
    # Upper and lower case first: by letters alone, 'Plz' is no nearer to 'PLZ' than to 'Pay'.
    close = [item for item in names if item.casefold() == name.casefold()]
    close = close or difflib.get_close_matches(name, names, n=1)
    if close:
        return f"Did you mean {close[0]!r}?"
    shown = ", ".join(repr(item) for item in names[:20])
    return f"Valid names: {shown}{', …' if len(names) > 20 else ''}."
