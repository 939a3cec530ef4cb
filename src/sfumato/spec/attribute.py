"""The part of a specification that is about one attribute; what its keys mean is said in ``keys.toml``."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import Annotated, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    SerializerFunctionWrapHandler,
    StrictBool,
    model_serializer,
    model_validator,
)

from sfumato.spec import choices
from sfumato.spec.places import LocatedError, Location, SpecFault, found, refuse
from sfumato.spec.sections import Section

# Nested tables and lists of texts; pydantic cannot follow an alias that names itself.
Tree: TypeAlias = dict[str, object] | list[object]

Units: TypeAlias = tuple[choices.DateUnit, ...]

MAX_TREE_DEPTH = 100
SOURCES = ("intervals", "mask", "prefix", "file", "tree", "dates", "columns")
_ONLY_WITH_INTERVALS = ("origin", "bottom", "top")


def _check_intervals(value: object) -> tuple[int | float, ...]:
    """Accept widths that grow, each a multiple of the one before."""
    widths = choices.check_entries(value, choices.check_positive, "needs at least one width.")
    for position, (narrow, wide) in enumerate(pairwise(widths), start=1):
        if wide <= narrow:
            raise LocatedError.at((position,), f"must be above {narrow}, the width before; found {wide}.")
        if not (math.isfinite(wide / narrow) and choices.is_multiple(wide, narrow)):
            raise LocatedError.at(
                (position,), f"must be a multiple of {narrow}, the width before; found {wide}."
            )
    return tuple(widths)


def _check_dates(units: Units) -> Units:
    """Accept units of time from fine to coarse."""
    if not units:
        raise ValueError("needs at least one unit.")
    choices.refuse_repetition(units)
    ranks = [choices.DATE_UNITS.index(unit) for unit in units]
    for position, (fine, coarse) in enumerate(pairwise(ranks), start=1):
        if coarse < fine:
            finer, before = choices.DATE_UNITS[coarse], choices.DATE_UNITS[fine]
            raise LocatedError.at((position,), f"{finer!r} is finer than {before!r} before it.")
        if choices.DATE_UNITS[fine] == "week" and choices.DATE_UNITS[coarse] in ("month", "quarter"):
            raise LocatedError.at((position,), "weeks lie in two months: put 'year' after 'week'.")
    return units


def _check_prefix(value: object) -> tuple[int, ...]:
    """Accept lengths that shrink."""
    whole = partial(choices.check_whole, lowest=1)
    lengths = choices.check_entries(value, whole, "needs at least one length.")
    for position, (long, short) in enumerate(pairwise(lengths), start=1):
        if short >= long:
            raise LocatedError.at((position,), f"must be below {long}, the length before; found {short}.")
    return tuple(lengths)


def _check_columns(value: object) -> tuple[str, ...]:
    """Accept names of columns, each once."""
    return choices.check_distinct(value, choices.check_text, "needs at least one column.")


def _check_format(value: object) -> str:
    """Accept a format by which dates can be written and read again, with their year at least."""
    written = choices.check_text(value)
    day = dt.datetime(1987, 3, 14, 15, 9, 26)
    try:
        is_read = "%y" in written.lower() and bool(dt.datetime.strptime(day.strftime(written), written))
    except (ValueError, re.error):
        is_read = False
    if not is_read:
        raise ValueError(
            "is not a format of dates with a year, such as %d.%m.%Y: %Y year (%y its last two digits), "
            "%m month (%b, %B its name), %d day, %H %M %S time."
        )
    return written


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
            _placed(choices.check_text, name, location): _check_node(child, (*location, str(name)), leaves)
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
        raise LocatedError.at(location, "this value occurs twice in the tree.")
    leaves.add(leaf)
    return leaf


def _leaf_text(value: object) -> str:
    """Write a leaf as the text by which data match it: 39 and 39.0 are both ``39``."""
    is_plain = isinstance(value, int | float | dt.date) and not isinstance(value, dt.datetime)
    return value_text(_check_value(value)) if is_plain else choices.check_text(value)


def _placed(check: Callable[[object], str], value: object, location: Location) -> str:
    """Run a check and give its complaint a place."""
    try:
        return check(value)
    except ValueError as error:
        raise LocatedError.at(location, str(error)) from None


class HierarchySpec(Section):
    """Where the hierarchy of an attribute comes from: exactly one of seven sources."""

    intervals: Annotated[tuple[int | float, ...], BeforeValidator(_check_intervals)] | None = None
    origin: choices.Number | None = None
    bottom: choices.Number | None = None
    top: choices.Number | None = None
    mask: Annotated[int, choices.at_least(1)] | None = None
    prefix: Annotated[tuple[int, ...], BeforeValidator(_check_prefix)] | None = None
    file: choices.PathText | None = None
    tree: Annotated[Tree, BeforeValidator(_check_tree)] | None = None
    dates: Annotated[Units, BeforeValidator(choices.check_list), AfterValidator(_check_dates)] | None = None
    declared: StrictBool | None = None
    columns: Annotated[tuple[str, ...], BeforeValidator(_check_columns)] | None = None

    @property
    def source(self) -> str:
        """Name of the one source that is given."""
        return next(name for name in SOURCES if getattr(self, name) is not None)

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        given = [name for name in SOURCES if getattr(self, name) is not None]
        if len(given) != 1:
            number = f"found {choices.write_list(given)}" if given else "found none"
            raise LocatedError.at((), f"needs exactly one of {', '.join(SOURCES)}; {number}.")
        stray = [] if self.intervals else [n for n in _ONLY_WITH_INTERVALS if getattr(self, n) is not None]
        refuse(SpecFault((name,), "is only allowed with intervals.") for name in stray)
        if self.declared is not None and self.source not in ("tree", "file"):
            raise LocatedError.at(("declared",), "is only allowed with tree or file.")
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            raise LocatedError.at(("top",), f"must be above bottom, {self.bottom}; found {self.top}.")
        return self


Scalar: TypeAlias = str | int | float
Blocks: TypeAlias = tuple[tuple[Scalar, ...], ...]
Listed: TypeAlias = int | str | Blocks
"""One partition: the number of a level, the unit of a level of dates, or blocks of values."""


def check_partitions(value: object) -> tuple[Listed, ...]:
    """Accept a list of partitions; whether their values are those of the domain is asked later."""
    return tuple(choices.check_entries(value, _check_partition, "needs at least one partition."))


def _check_partition(value: object) -> Listed:
    """Accept the number or the unit of a level, or a list of blocks in which no value occurs twice."""
    if isinstance(value, str):
        return choices.check_text(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return choices.check_whole(value)
    if not isinstance(value, list | tuple):
        raise ValueError(f"must be a list of blocks or the number of a level; found {found(value)}.")
    blocks = tuple(choices.check_entries(value, _check_block, "needs at least one block."))
    seen: set[str] = set()
    problems: list[SpecFault] = []
    for place, block in enumerate(blocks):
        for position, text in enumerate(map(value_text, block)):
            if text in seen:
                problems.append(SpecFault((place, position), "this value occurs twice in the partition."))
            seen.add(text)
    refuse(problems)
    return blocks


def _check_block(value: object) -> tuple[Scalar, ...]:
    if isinstance(value, str):
        raise ValueError("a block must be a list of values; found text. Write brackets around it.")
    return tuple(choices.check_entries(value, _check_value, "a block must hold at least one value."))


def _check_value(value: object) -> Scalar:
    """Accept a text, a number, a date or a truth value; the last two are kept as texts."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, str):
        return choices.check_text(value)
    return choices.check_number(value)


def value_text(value: Scalar) -> str:
    """Return the text by which values of blocks are compared: 39, 39.0 and "39" are the same."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else repr(value)


_QUASI_IDENTIFIER_ONLY = (*("levels", "scheme", "partitions", "weight", "output", "labels", "keep", "snap"),)


def _check_levels(value: object) -> tuple[int, int]:
    levels = choices.check_entries(value, choices.check_whole)
    if len(levels) != 2:
        raise ValueError(f"must hold the lowest and the highest level; found {len(levels)} entries.")
    if levels[0] > levels[1]:
        raise ValueError(f"the lowest level, {levels[0]}, is above the highest, {levels[1]}.")
    return levels[0], levels[1]


def _long_scheme_name(value: object) -> object:
    """Turn the acronym of a scheme into its name."""
    return choices.SCHEME_ACRONYMS.get(value.upper(), value) if isinstance(value, str) else value


def _check_order(value: object) -> tuple[Scalar, ...]:
    """Accept distinct texts and numbers; 1, 1.0 and "1" are the same value."""
    entries = choices.check_entries(value, _check_ordered_value, "must not be empty.")
    choices.refuse_repetition([value_text(entry) for entry in entries])
    return tuple(entries)


def _check_ordered_value(value: object) -> Scalar:
    if isinstance(value, str):
        return choices.check_text(value)
    if isinstance(value, bool) or found(value) == "a date or time":
        raise ValueError(f"must be text or a number; found {found(value)}.")
    return choices.check_number(value)


def _check_unknown(value: object) -> tuple[str, ...]:
    """Accept distinct values, as the texts by which data match them."""
    return tuple(map(value_text, _check_order(value)))


class AttributeSpec(Section):
    """What is done with one attribute: ``[attributes.NAME]``."""

    # `levels`, `scheme`, `partitions`, `weight` and `output` change a quasi-identifier only; with another
    # role they are refused rather than silently ignored. A sensitive attribute may have a hierarchy or an
    # order, which the t measures use, and it alone may have values that are `unknown`.
    role: choices.Role
    kind: choices.Kind | None = None
    format: Annotated[str, BeforeValidator(_check_format)] | None = None
    hierarchy: HierarchySpec | None = None
    levels: Annotated[tuple[int, int], BeforeValidator(_check_levels)] | None = None
    scheme: Annotated[choices.Scheme, BeforeValidator(_long_scheme_name)] = "levels"
    partitions: Annotated[tuple[int | str | Blocks, ...], BeforeValidator(check_partitions)] | None = None
    weight: choices.Weight = 1.0
    output: choices.Output = "label"
    order: Annotated[tuple[str | int | float, ...], BeforeValidator(_check_order)] | None = None
    granularity: choices.Positive | None = None
    labels: choices.LabelChoice | None = None
    keep: choices.Flag = False
    snap: choices.Snap | None = None
    unknown: Annotated[tuple[str, ...], BeforeValidator(_check_unknown)] = ()

    @model_validator(mode="before")
    @classmethod
    def _choose_scheme(cls, keys: object) -> object:
        """Take ``ordered`` for numbers that are only discretized; levels mean the scheme that has some."""
        if not isinstance(keys, Mapping) or keys.get("role") != "quasi-identifier":
            return keys
        said = [key for key in ("hierarchy", "levels", "scheme") if keys.get(key) is not None]
        return keys if keys.get("granularity") is None or said else {**keys, "scheme": "ordered"}

    @model_serializer(mode="wrap")
    def _write_scheme(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        """Write the scheme ``levels`` where it is not what would be taken without saying so."""
        keys: dict[str, object] = write(self)
        is_default = self.granularity is None or self.hierarchy is not None or self.scheme != "levels"
        return keys if is_default or self.role != "quasi-identifier" else {**keys, "scheme": "levels"}

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        refuse([*self._misplaced_keys(), *self._wrong_scheme(), *self._wrong_kind(), *self._wrong_labels()])
        return self

    def _misplaced_keys(self) -> Iterator[SpecFault]:
        """Find keys that would have no effect with this role."""
        here = f"; the role here is {self.role!r}."
        if self.unknown and self.role != "sensitive":
            yield SpecFault(("unknown",), f"is only allowed for sensitive attributes{here}")
        if self.role == "quasi-identifier":
            return
        for name in _QUASI_IDENTIFIER_ONLY:
            if getattr(self, name) != type(self).model_fields[name].default:
                yield SpecFault((name,), f"is only allowed for quasi-identifiers{here}")

    def _wrong_scheme(self) -> Iterator[SpecFault]:
        """Find keys that do not go with the scheme."""
        if self.role != "quasi-identifier":
            return
        here = f"the scheme here is {self.scheme!r}."
        if self.levels is not None and self.scheme != "levels":
            yield SpecFault(("levels",), f"only applies to the scheme 'levels'; {here}")
        if self.scheme in choices.GUIDED_SCHEMES and self.hierarchy is None:
            yield SpecFault(
                ("scheme",),
                f"{self.scheme!r} follows the tree of a hierarchy, but there is no hierarchy. Add one, or "
                "use 'ordered' or 'sets'.",
            )
        if self.scheme == "admissible" and self.partitions is None:
            yield SpecFault(("scheme",), "'admissible' needs a list of partitions: add partitions = [...].")
        if self.partitions is not None and self.scheme != "admissible":
            yield SpecFault(("partitions",), f'needs scheme = "admissible"; {here}')

    def _wrong_kind(self) -> Iterator[SpecFault]:
        if self.order is not None and self.kind != "ordinal":
            yield SpecFault(("order",), 'needs kind = "ordinal".')
        if self.granularity is not None and self.kind not in (None, "number"):
            yield SpecFault(("granularity",), f"needs numbers; the kind here is {self.kind!r}.")
        source = self.hierarchy.source if self.hierarchy else None
        ends = (self.hierarchy.bottom, self.hierarchy.top) if self.hierarchy else ()
        if self.unknown and any(end is not None for end in (self.granularity, *ends)):
            yield SpecFault(("unknown",), "does not go with granularity, bottom or top, which unite values.")
        if source == "columns" and (self.role != "quasi-identifier" or self.scheme != "levels"):
            yield SpecFault(
                ("hierarchy", "columns"), "is only for quasi-identifiers with the scheme 'levels'."
            )
        if self.format is not None and (self.kind not in (None, "date") or source not in (None, "dates")):
            yield SpecFault(("format",), "needs dates, and no other hierarchy than dates.")
        if source == "intervals" and self.kind not in (None, "number"):
            yield SpecFault(("hierarchy", "intervals"), f"needs numbers; the kind here is {self.kind!r}.")
        if source == "dates" and self.kind not in (None, "date"):
            yield SpecFault(("hierarchy", "dates"), f"needs dates; the kind here is {self.kind!r}.")

    def _wrong_labels(self) -> Iterator[SpecFault]:
        """Find keys of local recoding that do not go together."""
        if self.keep:
            for name in ("labels", "snap", "levels"):
                if getattr(self, name) is not None:
                    yield SpecFault((name,), "has no effect with keep = true. Remove one of them.")
        elif self.labels == "tree" and self.hierarchy is None:
            yield SpecFault(("labels",), "'tree' needs a hierarchy. Add one, or use 'set' or 'suppress'.")
        elif self.labels not in (None, "tree") and self.levels is not None:
            yield SpecFault(("levels",), f"bounds tree labels only; the labels here are {self.labels!r}.")
        elif self.labels not in (None, "range") and self.snap is not None:
            yield SpecFault(("snap",), f"is for range labels only; the labels here are {self.labels!r}.")
        elif self.snap == "hierarchy" and (self.hierarchy is None or not self.hierarchy.intervals):
            yield SpecFault(
                ("snap",), "'hierarchy' needs a hierarchy of intervals. Add one, or give a number."
            )
        elif (
            self.snapping and self.granularity and not choices.is_multiple(self.snapping[0], self.granularity)
        ):
            yield SpecFault(("snap",), f"must be a multiple of the granularity, {self.granularity}.")

    @property
    def snapping(self) -> tuple[int | float, int | float] | None:
        """How far apart ranges may begin and end, and where one may; None where there are no such limits."""
        if not isinstance(self.snap, str):
            return None if self.snap is None else (self.snap, 0)
        assert self.hierarchy is not None
        assert self.hierarchy.intervals is not None
        return self.hierarchy.intervals[0], self.hierarchy.origin or 0
