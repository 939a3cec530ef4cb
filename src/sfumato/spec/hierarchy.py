"""The part of a specification that says how one attribute is generalized."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Self, TypeAlias

from pydantic import BeforeValidator, model_validator

from sfumato.spec.choices import DATE_UNITS, DateUnit
from sfumato.spec.fields import (
    Number,
    PathText,
    check_entries,
    check_number,
    check_positive,
    check_text,
    check_whole,
    choice,
    refuse_repetition,
    write_list,
)
from sfumato.spec.problems import LocatedError, Problem, found
from sfumato.spec.section import Section

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.spec.places import Location

# Nested tables and lists of texts; pydantic cannot follow an alias that names itself.
Tree: TypeAlias = dict[str, object] | list[object]

MAX_TREE_DEPTH = 100
SOURCES = ("intervals", "mask", "file", "tree", "dates")
_ONLY_WITH_INTERVALS = ("origin", "bottom", "top")
_TOLERANCE = 1e-9


def _check_intervals(value: object) -> tuple[int | float, ...]:
    """Accept widths that grow, each a multiple of the one before."""
    widths = [check_number(width) for width in check_entries(value, check_positive)]
    if not widths:
        raise ValueError("needs at least one width.")
    for position, (narrow, wide) in enumerate(pairwise(widths), start=1):
        if wide <= narrow:
            raise LocatedError.at((position,), f"must be above {narrow}, the width before; found {wide}.")
        if not _is_multiple(wide, narrow):
            raise LocatedError.at(
                (position,), f"must be a multiple of {narrow}, the width before; found {wide}."
            )
    return tuple(widths)


def _is_multiple(wide: float, narrow: float) -> bool:
    """Whether ``wide`` is a whole number of times ``narrow``; exact for whole numbers."""
    if isinstance(wide, int) and isinstance(narrow, int):
        return wide % narrow == 0
    times = wide / narrow
    return math.isfinite(times) and abs(times - round(times)) <= _TOLERANCE


def _check_mask(value: object) -> int:
    """Accept a number of characters."""
    return check_whole(value, lowest=1)


def _check_dates(value: object) -> tuple[str, ...]:
    """Accept units of time from fine to coarse."""
    units = [str(unit) for unit in check_entries(value, choice("unit", DATE_UNITS))]
    if not units:
        raise ValueError("needs at least one unit.")
    refuse_repetition(units)
    ranks = [DATE_UNITS.index(unit) for unit in units]
    for position, (fine, coarse) in enumerate(pairwise(ranks), start=1):
        if coarse < fine:
            finer, before = DATE_UNITS[coarse], DATE_UNITS[fine]
            raise LocatedError.at((position,), f"{finer!r} is finer than {before!r} before it.")
    return tuple(units)


def _check_tree(value: object) -> Tree:
    """Accept tables of nodes and lists of leaves, to any depth; all leaves differ."""
    if not isinstance(value, (Mapping, list, tuple)):
        raise ValueError(f"must be a table or a list of values; found {found(value)}.")
    return _check_node(value, (), set())


def _check_node(value: object, location: Location, leaves: set[str]) -> Tree:
    """Check one node and what hangs under it; ``leaves`` collects the leaves so far."""
    if len(location) > MAX_TREE_DEPTH:
        raise LocatedError.at(location[:1], f"is nested deeper than {MAX_TREE_DEPTH} levels.")
    if isinstance(value, Mapping) and value:
        return {
            _placed(check_text, name, location): _check_node(child, (*location, str(name)), leaves)
            for name, child in value.items()
        }
    if isinstance(value, (list, tuple)) and value:
        return [_check_entry(entry, (*location, place), leaves) for place, entry in enumerate(value)]
    if isinstance(value, (Mapping, list, tuple)):
        raise LocatedError.at(location, "must not be empty.")
    return [_check_entry(value, location, leaves)]


def _check_entry(entry: object, location: Location, leaves: set[str]) -> str | Tree:
    """Check one entry of a list: a leaf, or a table of nodes."""
    if isinstance(entry, Mapping):
        return _check_node(entry, location, leaves)
    if isinstance(entry, (list, tuple)):
        raise LocatedError.at(location, "is a list within a list; give the inner group a name.")
    leaf = _placed(_leaf_text, entry, location)
    if leaf in leaves:
        raise LocatedError.at(location, "this value stands twice in the tree.")
    leaves.add(leaf)
    return leaf


def _leaf_text(value: object) -> str:
    """Write a leaf as the text by which data match it: 39 and 39.0 are both ``39``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value.isoformat()
    if not isinstance(value, (int, float)):
        return check_text(value)
    number = check_number(value)
    return str(int(number)) if number == int(number) else repr(number)


def _placed(check: Callable[[object], str], value: object, location: Location) -> str:
    """Run a check and give its complaint a place."""
    try:
        return check(value)
    except ValueError as error:
        raise LocatedError.at(location, str(error)) from None


class HierarchySpec(Section):
    """Where the hierarchy of an attribute comes from: exactly one of five sources."""

    # widths of the intervals from level 1 on: above 0, growing, each a multiple of the one before (numbers
    # with a fraction: within 1e-9)
    intervals: Annotated[tuple[int | float, ...], BeforeValidator(_check_intervals)] | None = None
    origin: Number | None = None  # where an interval starts; only with `intervals`, 0 where nothing is said
    # everything below `bottom` is one interval, and everything from `top` on; only with `intervals`
    bottom: Number | None = None
    top: Number | None = None
    # number of characters that stars replace from the right, one more on each level
    mask: Annotated[int, BeforeValidator(_check_mask)] | None = None
    # a file with one row per value, column i being level i; relative to the specification
    file: PathText | None = None
    # nodes as nested tables, leaves as lists, to any depth. A list may hold tables too, where branches differ
    # in length. Leaves are kept as texts, also those written as numbers, dates or truth values; a single leaf
    # needs no list.
    tree: Annotated[Tree, BeforeValidator(_check_tree)] | None = None
    # units from fine to coarse among day, month, quarter, year, decade and century
    dates: Annotated[tuple[DateUnit, ...], BeforeValidator(_check_dates)] | None = None

    @property
    def source(self) -> str:
        """Name of the one source that is given."""
        return next(name for name in SOURCES if getattr(self, name) is not None)

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        given = [name for name in SOURCES if getattr(self, name) is not None]
        if len(given) != 1:
            number = f"found {write_list(given)}" if given else "found none"
            raise LocatedError.at((), f"needs exactly one of {', '.join(SOURCES)}; {number}.")
        stray = [] if self.intervals else [n for n in _ONLY_WITH_INTERVALS if getattr(self, n) is not None]
        if stray:
            raise LocatedError([Problem((name,), "goes with intervals only.") for name in stray])
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            raise LocatedError.at(("top",), f"must be above bottom, {self.bottom}; found {self.top}.")
        return self
