"""The value of a cell as it is counted and joined: missing is null, and equal values are equal."""

from __future__ import annotations

import datetime as dt
import decimal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from sfumato.errors import DataError, nearest
from sfumato.hierarchies.kinds import as_time, infer_kind, parse_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import narwhals as nw
    import pyarrow as pa

    from sfumato.spec import Spec
    from sfumato.table.sources import Source

Shown: TypeAlias = Literal["raw", "text", "number"]


def key(source: Source, name: str) -> nw.Expr:
    """Return the expression by which a column is grouped and joined.

    Texts that count as missing, numbers and dates that such texts stand for, and numbers that are not a
    number become null; categories become their texts, negative zero becomes zero. Everything else
    keeps its type.
    """
    import narwhals as nw

    dtype = source.schema[name]
    column = nw.col(name)
    if dtype.is_float():
        # Adding zero turns a negative zero into the zero that it equals.
        return nw.when(~_is_missing(source, name)).then(column + 0.0)
    if isinstance(dtype, (nw.Int128, nw.UInt128, nw.Unknown)) and not _is_time(source, name):
        # Unknown are a column without any value, and types that an engine alone has, such as UUID.
        return column.cast(nw.String)
    if dtype.is_integer() or isinstance(dtype, (nw.Decimal, nw.Boolean, nw.Date, nw.Datetime, nw.Unknown)):
        return _without_typed_missing(source, name)
    if isinstance(dtype, (nw.Categorical, nw.Enum)):
        return _without_missing(column.cast(nw.String), source)
    if isinstance(dtype, nw.String):
        return _without_missing(column, source)
    if isinstance(dtype, nw.Object) and source.kind == "pandas":
        return _without_typed_missing(source, name)
    raise DataError(
        f"the column {name!r} has the type {dtype}. Make it text, a number or a date first.",
        where=source.name,
    )


def _is_time(source: Source, name: str) -> bool:
    """Tell whether a column of a relation holds times of a precision that narwhals does not know."""
    if not source.is_relation:
        return False
    native: Any = source.native
    return str(native.types[source.columns.index(name)]).startswith("TIMESTAMP")


def _without_missing(column: nw.Expr, source: Source) -> nw.Expr:
    """Return a text column in which missing is null."""
    import narwhals as nw

    if source.is_text or not source.missing:
        return column
    return nw.when(~column.is_in(source.missing)).then(column)


def _without_typed_missing(source: Source, name: str) -> nw.Expr:
    """Return a column of numbers or dates in which the values that missing texts stand for are null."""
    import narwhals as nw

    column = nw.col(name)
    if not _missing_values(source, name):
        return column
    return nw.when(~_is_missing(source, name)).then(column)


def _is_missing(source: Source, name: str) -> nw.Expr:
    """Tell where a number or date is missing though it is not null."""
    import narwhals as nw

    column = nw.col(name)
    found = _missing_values(source, name)
    listed = column.is_in(found) if found else None
    if not source.schema[name].is_float():
        assert listed is not None
        return listed
    return column.is_nan() if listed is None else column.is_nan() | listed


def _missing_values(source: Source, name: str) -> list[object]:
    """Return the numbers or dates of a column's type that texts for missing stand for: ``-9`` is -9."""
    import narwhals as nw

    dtype = source.schema[name]
    if isinstance(dtype, nw.Object):
        return [value for text in source.missing for value in parse_values([text], infer_kind([text]))]
    kind = _kind_of(dtype)
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


def _kind_of(dtype: nw.dtypes.DType) -> str | None:
    """Return the kind of values that a typed column holds: ``number``, ``date``, or None for others."""
    import narwhals as nw

    if dtype.is_numeric():
        return "number"
    return "date" if isinstance(dtype, (nw.Date, nw.Datetime)) else None


def clean(source: Source, name: str) -> nw.Expr:
    """Return the expression by which a column leaves that is kept: its own type, with missing as null."""
    import narwhals as nw

    dtype = source.schema[name]
    column = nw.col(name)
    if dtype.is_float():
        return key(source, name)
    if not isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)):
        return _without_typed_missing(source, name)
    if source.is_text or not source.missing:
        return column
    return nw.when(~column.cast(nw.String).is_in(source.missing)).then(column)


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
    # what missing becomes
    missing_block: int | None = None
    missing_text: str | None = None
    missing_number: int | float | None = None

    def mapping(self, names: Names) -> pa.Table:
        """Return the table to join with, under names of our own."""
        import pyarrow as pa

        columns = {"key": self.values, **self.parts}
        return pa.Table.from_arrays(list(columns.values()), [names.of(part, self.place) for part in columns])


NEARLY_UNIQUE = 0.9
MANY_ROWS = 20


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what is done with them."""

    # the attributes of the specification, in its order
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    identifiers: tuple[str, ...]
    others: tuple[str, ...]
    person: str | None  # the column that says which rows belong to one person, or None
    released: tuple[str, ...]  # the columns that leave, in the order of the input
    left_out: tuple[str, ...]  # the columns that the specification does not name, in the order of the input


def assign_roles(columns: Sequence[str], spec: Spec) -> Roles:
    """Give every column of a table its role."""
    person = spec.data.person
    require_columns(list(spec.attributes), columns, lambda name: spec.place("attributes", name) or name)
    if person is not None:
        require_columns([person], columns, lambda name: spec.place("data", "person") or name)
    leaving = {*spec.quasi_identifiers, *spec.sensitive, *spec.others} - {person}
    return Roles(
        spec.quasi_identifiers,
        spec.sensitive,
        spec.identifiers,
        tuple(name for name in spec.others if name != person),
        person,
        tuple(name for name in columns if name in leaving),
        tuple(name for name in columns if name not in spec.attributes and name != person),
    )


def require_columns(
    names: Sequence[str], columns: Sequence[str], where: Callable[[str], str] | None = None
) -> None:
    """Raise DataError if a name is not that of a column; ``where`` tells where it is named."""
    for name in names:
        if name not in columns:
            place = name if where is None else where(name)
            raise DataError(f"the data have no column {name!r}. {nearest(name, columns)}", where=place)


def find_warnings(source: Source, roles: Roles, row_count: int, constant: Sequence[str]) -> list[str]:
    """Say what about the roles looks like a mistake; column names and counts only."""
    found = [f"the sensitive attribute {name!r} has the same value in every row." for name in constant]
    distinct = _count_distinct(source, (*roles.others, *(roles.identifiers if roles.person is None else ())))
    found += [
        f"the column {name!r} holds durations, which a file cannot hold without loss, so the release "
        "cannot be written. Make it a number, such as seconds, or leave it out."
        for name in roles.others
        if _holds_durations(source, name)
    ]
    return [*found, *_judge(roles, distinct, row_count)]


def _holds_durations(source: Source, name: str) -> bool:
    """Tell whether a column holds lengths of time."""
    import narwhals as nw

    native: Any = source.native
    is_interval = source.is_relation and str(native.types[source.columns.index(name)]) == "INTERVAL"
    return is_interval or isinstance(source.schema[name], nw.Duration)


def _judge(roles: Roles, distinct: dict[str, int], row_count: int) -> Iterator[str]:
    """Yield a line for each column whose number of distinct values does not fit its role."""
    for name, count in distinct.items():
        if name in roles.identifiers:
            if count < row_count:
                yield (
                    f"the identifier {name!r} repeats ({count} values in {row_count} rows). If it stands for "
                    "a person, name it as person in [data], so that classes count persons."
                )
        elif row_count > MANY_ROWS and count > NEARLY_UNIQUE * row_count:
            yield (
                f"the column {name!r} is published unchanged and is nearly unique ({count} values in "
                f"{row_count} rows), so it may identify people. Leave it out, or make it a quasi-identifier."
            )


def _count_distinct(source: Source, names: Sequence[str]) -> dict[str, int]:
    """Count the distinct values of columns, missing being one; columns of odd types are passed over."""
    import narwhals as nw

    expressions = {}
    for name in names:
        try:
            expressions[name] = key(source, name)
        except DataError:
            continue
    if not expressions:
        return {}
    places = {name: f"key_{place}" for place, name in enumerate(expressions)}
    keys = source.frame.select(expression.alias(places[name]) for name, expression in expressions.items())
    counted = source.collect(keys.select(nw.col(own).n_unique() for own in places.values()))
    return {name: int(counted.column(own)[0].as_py()) for name, own in places.items()}
