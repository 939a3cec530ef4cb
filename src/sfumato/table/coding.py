"""From rows to the cube: one pass over the data, then integers."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.confidentiality import read_statements
from sfumato.domains import Cube
from sfumato.errors import DataError, HierarchyError, ParameterError
from sfumato.hierarchies import build, encode
from sfumato.hierarchies.hierarchy import Hierarchy, Value
from sfumato.hierarchies.kinds import as_time, text_of
from sfumato.table.arrow import MISSING
from sfumato.table.keys import Roles, assign_roles, find_warnings, require_columns
from sfumato.table.marking import HIDDEN, columns_for, mark_tuples
from sfumato.table.tally import DistinctColumn, Tally, refuse_mixed, tally
from sfumato.table.values import is_ordered, rank, type_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from sfumato._typing import BoolArray, IntArray
    from sfumato.spec import Spec
    from sfumato.table.marking import Marks, Secrets
    from sfumato.table.sources import Source

MakeHierarchy: TypeAlias = Callable[[str, Sequence[Value], bool], Hierarchy]


@dataclass(frozen=True, eq=False)
class RawColumn:
    """The distinct values of a column as the engine holds them, with their codes."""

    values: pa.Array  # the distinct values that are not missing, without order
    # the code of each value; equal codes for values that mean the same, such as `1` and `1.0`
    codes: IntArray
    missing: int | None  # the code of missing, or None if it does not occur
    # the typed value of each raw value; only where a release shows statistics
    typed: Sequence[Value] | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """A source with its roles, its domains and its cube."""

    source: Source  # the rows
    spec: Spec  # the specification
    roles: Roles  # what is done with each column
    cube: Cube  # the distinct coded tuples
    hierarchies: Mapping[str, Hierarchy]  # the hierarchy of each quasi-identifier
    sensitive: Mapping[str, Hierarchy]  # the domain of each sensitive attribute, as a hierarchy
    raw: Mapping[str, RawColumn]  # the raw values of quasi-identifiers and sensitive attributes
    # the confidential sentences, if there are any; the cube says for which rows they are true and who holds
    # them
    secrets: Secrets | None = None
    # the distinct tuples of raw values; only where a release shows statistics, which are of these and not of
    # their codes
    tally: Tally | None = None

    @cached_property
    def tally_codes(self) -> IntArray:
        """Codes of the quasi-identifiers in the tuples of raw values, shape (tuples, q)."""
        assert self.tally is not None
        found = [
            _recode(self.tally.columns[name].places, self.raw[name].codes, self.raw[name].missing)
            for name in self.roles.quasi_identifiers
        ]
        return np.column_stack(found)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the source in their order."""
        return self.source.columns

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns that the specification does not name."""
        return self.roles.left_out

    @cached_property
    def warnings(self) -> list[str]:
        """What looks like a mistake in the roles; computed when it is asked for, in one more pass."""
        cube = self.cube
        constant = [
            name
            for name, codes in zip(self.roles.sensitive, cube.sensitive_codes.T, strict=False)
            if (codes == codes[0]).all()
        ]
        found = find_warnings(self.source, self.roles, cube.row_count, constant)
        if self.spec.release.order == "input":
            found.append(
                "the rows of a written release keep the order of the input, which may reveal something "
                '(who came when, which rows were left out). Set order = "sorted" in [release].'
            )
        return found


def code_table(
    source: Source,
    spec: Spec,
    hierarchies: Mapping[str, MakeHierarchy] | None = None,
    *,
    reach: bool = False,
) -> Table:
    """Code a table: find kinds and domains, make hierarchies, count the distinct tuples."""
    roles = assign_roles(source.columns, spec)
    attributes = (*roles.quasi_identifiers, *roles.sensitive)
    refuse_mixed(source, roles.others)
    statements = read_statements(spec)
    holders = columns_for(statements, source.columns)
    counted = tally(source, tuple(dict.fromkeys((*attributes, *_persons(roles.person), *holders))))
    made: dict[str, Hierarchy] = {}
    raw: dict[str, RawColumn] = {}
    for name in attributes:
        column = counted.columns[name]
        make = (hierarchies or {}).get(name) or _maker(name, spec)
        with _placed(spec, name):
            kind, values = type_values(name, column.values, spec.attributes[name])
            made[name] = make(kind, _distinct(values), column.has_missing)
            raw[name] = _code(name, column, encode(made[name], values, reach=reach), made[name])
            if spec.attributes[name].output != "label":
                raw[name] = replace(raw[name], typed=values)
    sizes = {name: made[name].size for name in attributes}
    codes = {name: (raw[name].codes, raw[name].missing) for name in attributes}
    marks = None
    if statements:
        secret = {name: (made[name], *codes[name]) for name in roles.sensitive}
        marks = mark_tuples(
            source,
            spec,
            counted,
            statements,
            secret,
            number_persons=lambda own: _of_person(own, roles.person),
        )
        counted = marks.counted
    return Table(
        source,
        spec,
        roles,
        _make_cube(counted, sizes, codes, (roles.quasi_identifiers, roles.sensitive, roles.person), marks),
        {name: made[name] for name in roles.quasi_identifiers},
        {name: made[name] for name in roles.sensitive},
        raw,
        None if marks is None else marks.secrets,
        counted if any(column.typed is not None for column in raw.values()) else None,
    )


def count_cube(
    source: Source,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    person: str | None = None,
) -> Cube:
    """Count the distinct tuples of a table without hierarchies.

    Codes follow the size of numbers, also where they are texts, and otherwise the texts; missing is
    last. No value becomes a Python object.
    """
    asked = (*quasi_identifiers, *sensitive, *_persons(person))
    require_columns(asked, source.columns)
    for names in (quasi_identifiers, sensitive):
        if len(set(names)) < len(names):
            raise DataError("a column is named twice. Name every column once.", where=source.name)
    counted = tally(source, tuple(dict.fromkeys(asked)))
    sizes: dict[str, int] = {}
    codes: dict[str, tuple[IntArray, int | None]] = {}
    for name in dict.fromkeys((*quasi_identifiers, *sensitive)):
        column = counted.columns[name]
        known = len(column.values)
        sizes[name] = known + column.has_missing
        codes[name] = (rank(column.values), known if column.has_missing else None)
    ordered = frozenset(name for name in sensitive if is_ordered(counted.columns[name].values))
    cube = _make_cube(counted, sizes, codes, (tuple(quasi_identifiers), tuple(sensitive), person))
    return replace(cube, ordered=ordered)


def _persons(person: str | None) -> tuple[str, ...]:
    """Return the person as a list of columns."""
    return () if person is None else (person,)


@contextlib.contextmanager
def _placed(spec: Spec, name: str) -> Iterator[None]:
    """Let errors about an attribute name the place in the specification file, if there is one."""
    try:
        yield
    except (DataError, HierarchyError) as error:
        key = ("hierarchy",) if isinstance(error, HierarchyError) and spec.attributes[name].hierarchy else ()
        place = spec.place("attributes", name, *key)
        found = [error, *getattr(error, "problems", ())]
        for item in found if place else ():
            # What names a line of a hierarchy file keeps that.
            if item.where in (name, None):
                item.where = place
        raise


def _maker(name: str, spec: Spec) -> MakeHierarchy:
    """Return the function that makes the hierarchy which the specification describes."""

    def make(kind: str, values: Sequence[Value], has_missing: bool) -> Hierarchy:
        return build(
            name, spec.attributes[name], values, has_missing=has_missing, kind=kind, resolve=spec.resolve
        )

    return make


def _distinct(values: Sequence[Value]) -> list[Value]:
    """Return typed values without repetition, in the order of their texts, whatever order they came in."""
    return sorted(set(values), key=lambda value: (str(type(value)), value))


def _code(name: str, column: DistinctColumn, codes: IntArray, hierarchy: Hierarchy) -> RawColumn:
    """Keep the raw values with their codes, which all must be known."""
    unknown = int((codes < 0).sum())
    if unknown:
        raise DataError(
            f"{unknown} of {len(codes)} distinct values are not in the domain. Complete the hierarchy.",
            where=name,
        )
    return RawColumn(column.values, codes, hierarchy.size - 1 if column.has_missing else None)


def _make_cube(
    counted: Tally,
    sizes: Mapping[str, int],
    codes: Mapping[str, tuple[IntArray, int | None]],
    roles: tuple[tuple[str, ...], tuple[str, ...], str | None],
    marks: Marks | None = None,
) -> Cube:
    """Turn the places of every tuple into codes, and sort."""
    quasi_identifiers, sensitive, person = roles
    hidden = [] if marks is None else [(HIDDEN, len(marks.confidential.truth), marks.codes)]

    def columns(names: tuple[str, ...]) -> IntArray:
        coded = np.empty((len(counted.rows), len(names)), dtype=np.int32, order="F")
        for place, name in enumerate(names):
            coded[:, place] = _recode(counted.columns[name].places, *codes[name])
        return coded

    cube = Cube.sorted(
        quasi_identifiers,
        tuple(sizes[name] for name in quasi_identifiers),
        columns(quasi_identifiers),
        rows=counted.rows,
        sensitive=(*sensitive, *(name for name, _, _ in hidden)),
        sensitive_sizes=(*(sizes[name] for name in sensitive), *(size for _, size, _ in hidden)),
        sensitive_codes=np.column_stack([columns(sensitive), *(codes for _, _, codes in hidden)]),
        persons=_of_person(counted, person),
    )
    return cube if marks is None else replace(cube, confidential=marks.confidential)


def _recode(places: IntArray, codes: IntArray, missing: int | None) -> IntArray:
    """Return the code at each place; missing is at place -1, which is the last of the codes then."""
    found: IntArray = codes if missing is None else np.append(codes, np.int32(missing))
    return found[places]


def _of_person(counted: Tally, person: str | None) -> IntArray | None:
    """Number the persons of tuples, where persons are named."""
    return None if person is None else _person_codes(counted.columns[person])


def _person_codes(column: DistinctColumn) -> IntArray:
    """Number the persons; rows whose person is missing are one person, which can only lower a count."""
    missing = len(column.values) if (column.places == MISSING).any() else None
    return _recode(column.places, rank(column.values), missing)


STATISTICS = ("mean", "median", "mode")


def block_statistics(
    table: Table, attribute: str, block: IntArray, statistic: str, kept: BoolArray | None = None
) -> list[str | None]:
    """Return a statistic of every block of a partition, over the published rows whose value lies in it."""
    raw = table.raw[attribute]
    if raw.typed is None or table.tally is None or statistic not in STATISTICS:
        raise ParameterError(f"{attribute!r} has no {statistic!r}.")
    tally = table.tally
    counts = tally.columns[attribute].count(tally.rows if kept is None else np.where(kept, tally.rows, 0))
    by_size = table.hierarchies[attribute].kind in ("number", "date")
    held: list[dict[Value, int]] = [{} for _ in range(int(block.max(initial=-1)) + 1)]
    order: dict[Value, object] = {}
    for value, code, rows in zip(raw.typed, raw.codes.tolist(), counts.tolist(), strict=True):
        if not rows:
            continue
        mine = held[int(block[code])]
        mine[value] = mine.get(value, 0) + rows
        order[value] = _size(value) if by_size else code
    return [_statistic(_sorted(mine, order), statistic) if mine else None for mine in held]


def _size(value: Value) -> object:
    """Return what numbers and dates are sorted by."""
    return as_time(value) if isinstance(value, dt.date) else value


def _sorted(rows: Mapping[Value, int], order: Mapping[Value, object]) -> list[tuple[Value, int]]:
    """Return values with their rows, in their order."""
    return sorted(rows.items(), key=lambda item: order[item[0]])  # type: ignore[arg-type,return-value]


def _statistic(rows: Sequence[tuple[Value, int]], statistic: str) -> str:
    """Return the text of a statistic of values in their order, with their rows."""
    if statistic == "mean":
        return text_of(_mean(rows))
    found = _median(rows) if statistic == "median" else max(rows, key=lambda item: item[1])[0]
    assert found is not None
    return text_of(found)


def _mean(rows: Sequence[tuple[Value, int]]) -> float:
    """Return the mean, rounded once: it does not depend on the order of rows."""
    numbers = [(value, count) for value, count in rows if isinstance(value, int | float)]
    count = sum(times for _, times in numbers)
    if all(isinstance(value, int) for value, _ in numbers):
        return sum(int(value) * times for value, times in numbers) / count
    return math.fsum(value * times for value, times in numbers) / count


def _median(rows: Sequence[tuple[Value, int]]) -> Value:
    """Return the first value up to which half of the rows or more lie."""
    half, passed = sum(count for _, count in rows), 0
    for value, count in rows:
        passed += count
        if 2 * passed >= half:
            return value
    raise ParameterError("there is no row.")
