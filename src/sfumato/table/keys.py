"""The value of a cell as it is counted and joined: missing is null, and equal values are equal."""

from __future__ import annotations

import contextlib
import datetime as dt
import decimal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from sfumato.errors import DataError, ParameterError, nearest
from sfumato.hierarchies.kinds import as_time, infer_kind, parse_values
from sfumato.table.libraries import nw, pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sfumato.spec import Spec
    from sfumato.table.sources import Frame, Source

Shown: TypeAlias = Literal["raw", "text", "number"]


def key(source: Source, name: str) -> nw.Expr:
    """Return the expression by which a column is grouped and joined.

    Texts that count as missing, numbers and dates that such texts stand for, and numbers that are not a
    number become null; categories become their texts, negative zero becomes zero. Everything else
    keeps its type.
    """
    dtype = source.schema[name]
    column = nw.col(name)
    is_odd = isinstance(dtype, (nw.Int128, nw.UInt128, nw.Unknown))
    if is_odd and not source.engine_type(name).startswith("TIMESTAMP"):
        # Unknown are a column without any value, and types that an engine alone has, such as UUID.
        return column.cast(nw.String)
    if isinstance(dtype, (nw.Categorical, nw.Enum)):
        return _without_missing(source, name, column.cast(nw.String))
    plain = (nw.Decimal, nw.Boolean, nw.Date, nw.Datetime, nw.String, nw.Unknown)
    is_mixed = isinstance(dtype, nw.Object) and source.kind == "pandas"
    if dtype.is_float() or dtype.is_integer() or isinstance(dtype, plain) or is_mixed:
        return _without_missing(source, name, column)
    raise DataError(
        f"the column {name!r} has the type {dtype}. Make it text, a number or a date first.",
        where=source.name,
    )


def select_keys(source: Source, names: Sequence[str]) -> Frame:
    """Return the keys of columns as ``key_0``, ``key_1`` and so on, and nothing beside them."""
    return source.frame.select(key(source, name).alias(f"key_{place}") for place, name in enumerate(names))


def clean(source: Source, name: str) -> nw.Expr:
    """Return the expression by which a column leaves that is kept: its own type, with missing as null."""
    return _without_missing(source, name, nw.col(name))


def _without_missing(source: Source, name: str, column: nw.Expr) -> nw.Expr:
    """Return a column in which what counts as missing is null."""
    dtype = source.schema[name]
    if isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)):
        if source.is_text or not source.missing:
            return column
        texts = column if isinstance(dtype, nw.String) else column.cast(nw.String)
        return nw.when(~texts.is_in(source.missing)).then(column)
    found = _missing_values(source, name)
    if dtype.is_float():
        missing = column.is_nan() | column.is_in(found) if found else column.is_nan()
        # Adding zero turns a negative zero into the zero that it equals.
        return nw.when(~missing).then(column + 0.0)
    return nw.when(~column.is_in(found)).then(column) if found else column


def _missing_values(source: Source, name: str) -> list[object]:
    """Return the numbers or dates of a column's type that texts for missing stand for: ``-9`` is -9."""
    dtype = source.schema[name]
    if isinstance(dtype, nw.Object):
        return [value for text in source.missing for value in parse_values([text], infer_kind([text]))]
    is_date = isinstance(dtype, (nw.Date, nw.Datetime))
    kind = "number" if dtype.is_numeric() else "date" if is_date else None
    texts = [] if kind is None else [text for text in source.missing if infer_kind([text]) == kind]
    values = [value for text in texts for value in parse_values([text], str(kind))]
    if dtype.is_integer():
        return [int(number) for number in values if isinstance(number, int | float) and number == int(number)]
    if isinstance(dtype, nw.Decimal):
        return [decimal.Decimal(text) for text in texts]
    if isinstance(dtype, nw.Datetime):
        # An instant with a zone is no text of a specification.
        return [] if dtype.time_zone else [as_time(day) for day in values if isinstance(day, dt.date)]
    return [float(value) if isinstance(value, int) else value for value in values]


@dataclass(frozen=True)
class Names:
    """Names for columns of our own that no column of a table has."""

    prefix: str  # what they begin with

    @classmethod
    def beside(cls, columns: Iterable[str]) -> Names:
        """Find names that differ from those of the columns in more than upper and lower case."""
        taken = [name.casefold() for name in columns]
        prefix = "sfumato"
        while any(name.startswith(prefix) for name in taken):
            prefix += "_"
        return cls(prefix)

    @property
    def row(self) -> str:
        """The number of a row."""
        return f"{self.prefix}_row"

    @property
    def flag(self) -> str:
        """Whether a row is suppressed."""
        return f"{self.prefix}_flag"

    @property
    def person(self) -> str:
        """The person of a row, beside the pseudonym that has the name of the column."""
        return f"{self.prefix}_person"

    @property
    def person_rows(self) -> str:
        """How many rows the person of a row has."""
        return f"{self.prefix}_person_rows"

    def of(self, what: str, place: int) -> str:
        """The key, block, text or number of the attribute at a place."""
        return f"{self.prefix}_{what}_{place}"


@dataclass(frozen=True, eq=False)
class ColumnPlan:
    """What happens to one quasi-identifier or sensitive attribute."""

    name: str  # the column
    place: int  # its place among all plans, which its own columns are named after
    is_quasi_identifier: bool  # whether it becomes `*` in a masked row, rather than missing
    shown: Shown  # what leaves: the column itself, a text or a number
    # what its values are joined with, by kind of column: `block`, `text`, `number`, each with one entry for
    # each raw value
    parts: dict[str, pa.Array]
    values: pa.Array  # the raw values
    missing: Mapping[str, int | float | str] = field(default_factory=dict)  # what missing becomes in each

    def mapping(self, names: Names) -> pa.Table:
        """Return the table to join with, under names of our own."""
        columns = {"key": self.values, **self.parts}
        return pa.Table.from_arrays(list(columns.values()), [names.of(part, self.place) for part in columns])

    def column(self, part: str, names: Names) -> nw.Expr:
        """Return a joined column; missing, which matched nothing, is what it becomes."""
        joined = nw.col(names.of(part, self.place))
        return joined.fill_null(self.missing[part]) if part in self.missing else joined


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what is done with them."""

    quasi_identifiers: tuple[str, ...]  # like the next three, in the order of the specification
    sensitive: tuple[str, ...]
    identifiers: tuple[str, ...]
    others: tuple[str, ...]
    person: str | None  # the column that says which rows belong to one person or household, or None
    released: tuple[str, ...]  # the columns that leave, in the order of the input
    left_out: tuple[str, ...]  # the columns that the specification does not name, in the order of the input
    weight: str | None = None  # the column of survey weights
    pseudonyms: tuple[str, ...] = ()  # the columns that leave as keyed pseudonyms


def assign_roles(columns: Sequence[str], spec: Spec) -> Roles:
    """Give every column of a table its role."""
    data = spec.data
    require_columns(list(spec.attributes), columns, lambda name: spec.place("attributes", name) or name)
    require_columns([*data.uses], columns, lambda name: spec.place("data", data.uses[name]) or name)
    hidden = {data.person, data.household}
    leaving = {*spec.quasi_identifiers, *spec.sensitive, *spec.others} - hidden | {*spec.pseudonyms}
    return Roles(
        spec.quasi_identifiers,
        spec.sensitive,
        spec.identifiers,
        tuple(name for name in spec.others if name not in hidden),
        data.unit,
        tuple(name for name in columns if name in leaving),
        tuple(name for name in columns if name not in spec.attributes and name not in hidden),
        data.weight,
        spec.pseudonyms,
    )


def require_columns(
    names: Sequence[str], columns: Sequence[str], where: Callable[[str], str] | None = None
) -> None:
    """Raise DataError if a name is not that of a column; ``where`` tells where it is named."""
    for name in names:
        if name not in columns:
            place = name if where is None else where(name)
            raise DataError(f"the data have no column {name!r}. {nearest(name, columns)}", where=place)


def refuse_both(quasi_identifiers: Sequence[str], sensitive: Sequence[str]) -> None:
    """Refuse a column that is named twice."""
    both = sorted(set(quasi_identifiers) & set(sensitive))
    if both:
        raise ParameterError(
            f"column {both[0]!r} is named both as quasi-identifier and as sensitive; name it once."
        )


def find_warnings(source: Source, roles: Roles, row_count: int, constant: Sequence[str]) -> Iterator[str]:
    """Yield what about the roles looks like a mistake; column names and counts only."""
    for name in constant:
        yield f"the sensitive attribute {name!r} has the same value in every row."
    for name in roles.others:
        if source.engine_type(name) == "INTERVAL" or isinstance(source.schema[name], nw.Duration):
            yield (
                f"the column {name!r} holds durations, which a file cannot hold without loss, so the "
                "release cannot be written. Make it a number, such as seconds, or leave it out."
            )
    identifiers = roles.identifiers if roles.person is None else ()
    repeated = {
        name: count for name, count in _count_distinct(source, identifiers).items() if count < row_count
    }
    if repeated:
        name, more = next(iter(repeated)), len(repeated) - 1
        often = f"({repeated[name]} values in {row_count} rows)"
        yield (
            (
                f"the identifiers {name!r} {often} and {more:,} more repeat. If one of them"
                if more
                else f"the identifier {name!r} repeats {often}. If it"
            )
            + " stands for a person, name it as person in [data], so that classes count persons."
        )


def _count_distinct(source: Source, names: Sequence[str]) -> dict[str, int]:
    """Count the distinct values of columns, missing being one; columns of odd types are passed over."""
    countable = []
    for name in names:
        with contextlib.suppress(DataError):
            key(source, name)
            countable.append(name)
    if not countable:
        return {}
    found: dict[str, int] = {}
    for names in [countable] if source.database is None else [[name] for name in countable]:
        keys = select_keys(source.grouped(names)[0], names)
        counted = source.collect(keys.select(nw.all().n_unique())).columns
        found |= {name: int(column[0].as_py()) for name, column in zip(names, counted, strict=True)}
    return found
