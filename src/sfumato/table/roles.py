"""Which column has which role, and what about the roles looks wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sfumato.errors import DataError, nearest
from sfumato.table.keys import key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sfumato.spec import Spec
    from sfumato.table.sources import Source

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
    found = [f"The sensitive attribute {name!r} has the same value in every row." for name in constant]
    distinct = _count_distinct(source, (*roles.others, *(roles.identifiers if roles.person is None else ())))
    found += [
        f"The column {name!r} holds durations, which a file cannot hold without loss, so that the release "
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
                    f"The identifier {name!r} repeats ({count} values in {row_count} rows). If it stands for "
                    "a person, name it as person in [data], so that classes count persons."
                )
        elif row_count > MANY_ROWS and count > NEARLY_UNIQUE * row_count:
            yield (
                f"The column {name!r} leaves unchanged and is nearly unique ({count} values in {row_count} "
                "rows), so it may point to persons. Leave it out, or make it a quasi-identifier."
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
