"""From rows to the cube: one pass over the data, then integers."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sfumato.confidentiality import read_statements
from sfumato.domains import Cube
from sfumato.errors import DataError, HierarchyError, ParameterError
from sfumato.hierarchies import build, encode
from sfumato.hierarchies.hierarchy import Hierarchy, Value
from sfumato.hierarchies.kinds import as_time, text_of
from sfumato.table.keys import Roles, assign_roles, find_warnings, require_columns
from sfumato.table.marking import HIDDEN, columns_for, mark_tuples
from sfumato.table.tally import RawColumn, refuse_mixed, tally
from sfumato.table.values import is_ordered, type_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato._typing import BoolArray, IntArray
    from sfumato.spec import Spec
    from sfumato.table.marking import Marks, Secrets
    from sfumato.table.sources import Source
    from sfumato.table.tally import DistinctColumn, Tally

MakeHierarchy: TypeAlias = Callable[[str, Sequence[Value], bool], Hierarchy]


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
        return _codes(self.tally, self.raw, self.roles.quasi_identifiers)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns that the specification does not name."""
        named = (self.spec.data.weight, *self.spec.data.strata)
        return tuple(name for name in self.roles.left_out if name not in named)

    @cached_property
    def warnings(self) -> list[str]:
        """What looks like a mistake in the roles; computed when it is asked for, in one more pass."""
        cube = self.cube
        constant = [
            name
            for name, codes in zip(self.roles.sensitive, cube.sensitive_codes.T, strict=False)
            if (codes == codes[0]).all()
        ]
        found = list(find_warnings(self.source, self.roles, cube.row_count, constant))
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
    if roles.weight is not None:
        tally(source, (roles.weight,)).weigh(roles.weight, spec.place("data", "weight"))
    counted = tally(source, _once(*attributes, roles.person, *holders))
    made: dict[str, Hierarchy] = {}
    raw: dict[str, RawColumn] = {}
    for name in attributes:
        make = (hierarchies or {}).get(name)
        with _placed(spec, name):
            made[name], raw[name] = _code(name, counted.columns[name], spec, make, reach=reach)
    marks = None
    if statements:
        secret = {name: (made[name], raw[name]) for name in roles.sensitive}
        marks = mark_tuples(source, spec, counted, statements, secret)
        counted = marks.counted
    return Table(
        source,
        spec,
        roles,
        _make_cube(counted, raw, (roles.quasi_identifiers, roles.sensitive, roles.person), marks),
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
    asked = _once(*quasi_identifiers, *sensitive, person)
    require_columns(asked, source.columns)
    for names in (quasi_identifiers, sensitive):
        if len(set(names)) < len(names):
            raise DataError("a column is named twice. Name every column once.", where=source.name)
    counted = tally(source, asked)
    raw = {name: counted.columns[name].ranked() for name in _once(*quasi_identifiers, *sensitive)}
    cube = _make_cube(counted, raw, (tuple(quasi_identifiers), tuple(sensitive), person))
    return replace(cube, ordered=frozenset(name for name in sensitive if is_ordered(raw[name].values)))


def _once(*names: str | None) -> tuple[str, ...]:
    """Return names in their order, each once; None is no name."""
    return tuple(dict.fromkeys(name for name in names if name is not None))


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


def _code(
    name: str, column: DistinctColumn, spec: Spec, make: MakeHierarchy | None, *, reach: bool
) -> tuple[Hierarchy, RawColumn]:
    """Make the hierarchy of a column, and code its values, which all must be known."""
    attribute, has_missing = spec.attributes[name], column.has_missing
    kind, values = type_values(name, column.values, attribute)
    # Sorted, whatever order the engine gave them in.
    distinct = sorted(set(values), key=lambda value: (str(type(value)), value))
    if make is not None:
        hierarchy = make(kind, distinct, has_missing)
    else:
        hierarchy = build(name, attribute, distinct, has_missing=has_missing, kind=kind, resolve=spec.resolve)
    codes = encode(hierarchy, values, reach=reach)
    unknown = int((codes < 0).sum())
    if unknown:
        raise DataError(
            f"{unknown} of {len(codes)} distinct values are not in the domain. Complete the hierarchy.",
            where=name,
        )
    typed = None if attribute.output == "label" else values
    missing = hierarchy.size - 1 if has_missing else None
    return hierarchy, RawColumn(column.values, codes, hierarchy.size, missing, typed)


def _make_cube(
    counted: Tally,
    raw: Mapping[str, RawColumn],
    roles: tuple[tuple[str, ...], tuple[str, ...], str | None],
    marks: Marks | None = None,
) -> Cube:
    """Turn the places of every tuple into codes, and sort."""
    quasi_identifiers, sensitive, person = roles
    sensitive_sizes = tuple(raw[name].size for name in sensitive)
    sensitive_codes = _codes(counted, raw, sensitive)
    if marks is not None:
        sensitive = (*sensitive, HIDDEN)
        sensitive_sizes = (*sensitive_sizes, len(marks.confidential.truth))
        sensitive_codes = np.column_stack([sensitive_codes, marks.codes])
    cube = Cube.sorted(
        quasi_identifiers,
        tuple(raw[name].size for name in quasi_identifiers),
        _codes(counted, raw, quasi_identifiers),
        rows=counted.rows,
        sensitive=sensitive,
        sensitive_sizes=sensitive_sizes,
        sensitive_codes=sensitive_codes,
        persons=counted.number_persons(person),
    )
    return cube if marks is None else replace(cube, confidential=marks.confidential)


def _codes(counted: Tally, raw: Mapping[str, RawColumn], names: Sequence[str]) -> IntArray:
    """Return the codes of every tuple, shape (tuples, columns)."""
    coded = np.empty((len(counted.rows), len(names)), dtype=np.int32, order="F")
    for place, name in enumerate(names):
        coded[:, place] = counted.columns[name].coded(raw[name])
    return coded


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
    order: dict[Value, Any] = {}  # values of one attribute compare, be they codes, numbers or times
    for value, code, rows in zip(raw.typed, raw.codes.tolist(), counts.tolist(), strict=True):
        if not rows:
            continue
        mine = held[int(block[code])]
        mine[value] = mine.get(value, 0) + rows
        order[value] = code if not by_size else as_time(value) if isinstance(value, dt.date) else value
    in_order = [sorted(mine.items(), key=lambda item: order[item[0]]) for mine in held]
    return [_statistic(rows, statistic) if rows else None for rows in in_order]


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
    passed = list(itertools.accumulate(count for _, count in rows))
    return next(value for (value, _), count in zip(rows, passed, strict=True) if 2 * count >= passed[-1])
