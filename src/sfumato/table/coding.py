"""From rows to the cube: one pass over the data, then integers."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sfumato.confidentiality import read_statements
from sfumato.domains import Cube
from sfumato.errors import DataError, HierarchyError, ParameterError, TooManyError
from sfumato.hierarchies import build, encode
from sfumato.hierarchies.builders import build_columns
from sfumato.hierarchies.hierarchy import Hierarchy, Value
from sfumato.hierarchies.kinds import UnreadableValuesError, as_time, text_of
from sfumato.hierarchies.suggest import dwarfing_ends
from sfumato.table.arrow import MISSING, counts_of, number_array, places_in
from sfumato.table.joining import coarsen
from sfumato.table.keys import ColumnPlan, Roles, assign_roles, find_warnings, require_columns, select_keys
from sfumato.table.libraries import pa
from sfumato.table.marking import HIDDEN, columns_for, mark_tuples
from sfumato.table.pseudonyms import find_pseudonyms, linkage_warnings
from sfumato.table.tally import RawColumn, align, refuse_mixed, tally
from sfumato.table.values import format_of_dates, is_ordered, rank, texts_of_array, type_values
from sfumato.words import count_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from sfumato._typing import BoolArray, FloatArray, IntArray, LongArray
    from sfumato.spec import AttributeSpec, Spec
    from sfumato.table.marking import Marks, Secrets
    from sfumato.table.sources import Source
    from sfumato.table.tally import DistinctColumn, Tally

MakeHierarchy: TypeAlias = Callable[[str, Sequence[Value], bool], Hierarchy]
Lowest: TypeAlias = "Callable[[str, Hierarchy, LongArray], int]"
"""Returns the lowest level of a quasi-identifier that a recoding can use, from the rows of each code."""


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
    # joins every row with the number of rows that its person has; only where persons are named
    person_rows: ColumnPlan | None = None
    # the distinct tuples of raw values with those of each row; only where rows cannot change
    of_rows: Tally | None = None
    # the distinct values of each column that leaves as pseudonyms
    pseudonyms: Mapping[str, pa.Array] = field(default_factory=dict)
    # quasi-identifier → the level from which on its values are told apart in the cube, where all combinations
    # do not fit into memory; each code there stands for the block that it lies in
    raised: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def tally_codes(self) -> IntArray:
        """Codes of the quasi-identifiers in the tuples of raw values, shape (tuples, q)."""
        assert self.tally is not None
        return _codes(self.tally, self.raw, self.roles.quasi_identifiers)

    def weigh_cells(self) -> FloatArray:
        """Return survey weights of the cells of the cube: those of a tuple stand at its first cell."""
        names, weight = self.roles.quasi_identifiers, self.roles.weight
        assert weight is not None
        counted, coded = tally(self.source, _once(*names, weight)), []
        for name in names:
            column = counted.columns[name]
            coded.append(column.coded(align(column, self.raw[name])))
        both = np.concatenate([self.cube.codes, np.column_stack(coded)])
        number = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
        cells = len(self.cube.codes)
        sums = np.bincount(number[cells:], counted.weigh(weight) * counted.rows)
        held, first = np.unique(number[:cells], return_index=True)
        weights = np.zeros(cells)
        weights[first] = sums[held]
        return weights

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
            for a, (name, codes) in enumerate(zip(self.roles.sensitive, cube.sensitive_codes.T, strict=False))
            if (codes == codes[0]).all() and cube.known(a)[codes[0]]
        ]
        found = list(find_warnings(self.source, self.roles, cube.row_count, constant))
        for name in self.roles.sensitive:
            declared = set(self.spec.attributes[name].unknown)
            absent = len(declared - set(texts_of_array(self.raw[name].values))) if declared else 0
            if absent:
                many = f"{absent} of {len(declared)} values"
                found.append(f"declared unknown for {name!r}, but not in these data: {many}.")
        for place, (name, hierarchy) in enumerate(self.hierarchies.items()):
            if name in self.raised:
                continue
            counts = np.bincount(cube.codes[:, place], weights=cube.rows, minlength=hierarchy.size)
            found += [
                f"numbers of {name!r} lie far outside the others, so that wide intervals look cheap. Correct "
                f"them, or set {key} in its hierarchy."
                for key in dwarfing_ends(hierarchy, counts.tolist())
            ]
        found += linkage_warnings(self.spec)
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
    lowest: Lowest | None = None,
) -> Table:
    """Code a table: find kinds and domains, make hierarchies, count the distinct tuples.

    If there are more of them than memory can hold, and ``lowest`` says that some levels cannot be used, the
    tuples are counted from the next level on.
    """
    roles = assign_roles(source.columns, spec)
    attributes = (*roles.quasi_identifiers, *roles.sensitive)
    refuse_mixed(source, roles.others)
    statements = read_statements(spec)
    holders = columns_for(statements, source.columns)
    if roles.weight is not None:
        tally(source, (roles.weight,)).weigh(roles.weight, spec.place("data", "weight"))
    made: dict[str, Hierarchy] = {}
    raw: dict[str, RawColumn] = {}
    raised: dict[str, int] = {}
    try:
        counted = tally(source, _once(*attributes, roles.person, *holders))
        coded = raw
        for name in attributes:
            make = (hierarchies or {}).get(name)
            made[name], raw[name] = _code_column(source, name, counted, spec, make, reach=reach)
    except TooManyError as error:
        if lowest is None or statements or roles.person is not None:
            raise
        alone = {name: tally(source, (name,)) for name in attributes}
        for name, own in alone.items():
            make = (hierarchies or {}).get(name)
            made[name], raw[name] = _code_column(source, name, own, spec, make, reach=reach)
        raised = _find_raised(roles.quasi_identifiers, alone, made, raw, lowest)
        if not raised:
            raise error from None
        counted, coded = _count_raised(source, attributes, made, raw, raised)
    marks = None
    if statements:
        secret = {name: (made[name], raw[name]) for name in roles.sensitive}
        marks = mark_tuples(source, spec, counted, statements, secret)
        counted = marks.counted
    return Table(
        source,
        spec,
        roles,
        _make_cube(counted, coded, (roles.quasi_identifiers, roles.sensitive, roles.person), marks),
        {name: made[name] for name in roles.quasi_identifiers},
        {name: made[name] for name in roles.sensitive},
        raw,
        None if marks is None else marks.secrets,
        counted if any(column.typed is not None for column in raw.values()) else None,
        None if roles.person is None else _plan_person_rows(roles.person, counted),
        counted if counted.of_rows is not None else None,
        find_pseudonyms(source, spec),
        raised,
    )


def _code_column(
    source: Source, name: str, counted: Tally, spec: Spec, make: MakeHierarchy | None, *, reach: bool
) -> tuple[Hierarchy, RawColumn]:
    """Make the hierarchy of a counted column, and code its values; mistakes are told with their places."""
    with _placed(spec, name):
        if make is None and (columns := getattr(spec.attributes[name].hierarchy, "columns", None)):
            make = _from_columns(source, name, columns, spec)
        try:
            return _code(name, counted.columns[name], spec, make, reach=reach)
        except UnreadableValuesError as error:
            error.message += _rows_of(source, name, counted, error.places)
            raise


def _find_raised(
    names: Sequence[str],
    alone: Mapping[str, Tally],
    made: Mapping[str, Hierarchy],
    raw: Mapping[str, RawColumn],
    lowest: Lowest,
) -> dict[str, int]:
    """Return the lowest level of each quasi-identifier that can be used, where it is not the first."""
    found = {}
    for name in names:
        codes = alone[name].columns[name].coded(raw[name])
        counts = np.bincount(codes, alone[name].rows, made[name].size).astype(np.int64)
        found[name] = lowest(name, made[name], counts)
    return {name: level for name, level in found.items() if level}


def _count_raised(
    source: Source,
    names: Sequence[str],
    made: Mapping[str, Hierarchy],
    raw: Mapping[str, RawColumn],
    raised: Mapping[str, int],
) -> tuple[Tally, dict[str, RawColumn]]:
    """Count the tuples with the first code of its block in place of each value of a raised column."""
    plans = []
    for place, (name, level) in enumerate(raised.items()):
        _, first, block = np.unique(made[name].levels[level], return_index=True, return_inverse=True)
        stands, own = first[block.reshape(-1)], raw[name]
        missing = {} if own.missing is None else {"number": int(stands[own.missing])}
        parts = {"number": number_array(stands[own.codes])}
        plans.append(ColumnPlan(name, place, True, "number", parts, own.values, missing))
    counted, coded = tally(coarsen(source, plans, names), names), {}
    for name, column in counted.columns.items():
        if name in raised:
            codes = counts_of(column.values).astype(np.int32)
            coded[name] = replace(raw[name], values=column.values, codes=codes, missing=None)
        else:
            coded[name] = align(column, raw[name])
    return counted, coded


_LAST_PLACE = 999_999
"""A place after those of all attributes and of all that persons hold."""


def _plan_person_rows(name: str, counted: Tally) -> ColumnPlan:
    column = counted.columns[name]
    missing = int(counted.rows[column.places == MISSING].sum())
    parts = {"number": number_array(column.count(counted.rows))}
    return ColumnPlan(name, _LAST_PLACE, False, "number", parts, column.values, {"number": missing})


def plan_withheld(table: Table, withheld: BoolArray) -> ColumnPlan:
    """Plan what tells the rows of some persons, given by their codes, from all others."""
    assert table.person_rows is not None
    own = table.person_rows
    is_hidden = withheld[rank(own.values)].astype(np.int64)
    parts = {"number": number_array(is_hidden)}
    return ColumnPlan(own.name, _LAST_PLACE + 1, False, "number", parts, own.values, {"number": 0})


def _from_columns(source: Source, name: str, columns: Sequence[str], spec: Spec) -> MakeHierarchy:
    """Return what makes the hierarchy of a column whose levels are other columns."""
    require_columns(columns, source.columns)
    counted = tally(source, _once(name, *columns))
    own = counted.columns[name]
    typed = type_values(name, own.values, spec.attributes[name])[1]
    leaves = [text_of(value) for value in typed if value is not None]
    labels: dict[str, list[str]] = {leaf: [] for leaf in leaves}
    for column in columns:
        above, texts = counted.columns[column], texts_of_array(counted.columns[column].values)
        found: dict[str, set[str]] = {leaf: set() for leaf in leaves}
        there = (own.places >= 0) & (above.places >= 0)
        for leaf, label in set(zip(own.places[there].tolist(), above.places[there].tolist(), strict=True)):
            found[leaves[leaf]].add(texts[label])
        _refuse_no_level(name, column, list(found.values()))
        for leaf, known in found.items():
            labels[leaf] += known

    def make(_kind: str, _values: Sequence[Value], has_missing: bool) -> Hierarchy:
        return build_columns(name, columns, labels, has_missing=has_missing)

    return make


def _refuse_no_level(name: str, column: str, labels: Sequence[set[str]]) -> None:
    """Refuse a column as a level of another where a value has no label in it, or several."""
    for words, many in (
        ("no value", sum(not known for known in labels)),
        ("several values", sum(len(known) > 1 for known in labels)),
    ):
        if many:
            raise HierarchyError(
                f"{many} of {len(labels)} values have {words} of {column!r}, so it cannot be a level. "
                "Correct the data, or write a file or tree.",
                where=name,
            )


def count_cube(
    source: Source,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    person: str | None = None,
    attributes: Mapping[str, AttributeSpec] | None = None,
) -> Cube:
    """Count the distinct tuples of a table without hierarchies; of attributes only what is unknown is asked.

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
    for name in sensitive:
        declares = (attributes or {}).get(name)
        if declares is not None and declares.unknown:
            values = type_values(name, raw[name].values, declares)[1]
            raw[name] = replace(raw[name], unknown=_unknown_codes(values, raw[name].codes, declares))
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


def _rows_of(source: Source, name: str, counted: Tally, places: Sequence[int]) -> str:
    """Say in how many rows distinct values are, and where the first of these rows is."""
    column = counted.columns[name]
    rows = int(column.count(counted.rows)[places].sum())
    if not source.has_order:
        return f" They are in {count_words(rows, 'row')}."
    cells = source.collect(select_keys(source, [name])).column(0).combine_chunks()
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    values = column.values.take(pa.array(places)).cast(cells.type)
    first = int(np.argmax(places_in(cells, values) != MISSING)) + 1
    return f" They are in {count_words(rows, 'row')}; the first is row {first}, the header not counted."


def _spelt(hierarchy: Hierarchy, written: str | None) -> Hierarchy:
    """Write kept dates in the format that they came in."""
    if hierarchy.kind != "date" or written is None:
        return hierarchy
    texts = tuple(
        value.strftime(written) if isinstance(value, dt.date) else label
        for value, label in zip(hierarchy.values, hierarchy.labels[0], strict=True)
    )
    return replace(hierarchy, labels=(texts, *hierarchy.labels[1:]))


def _code(
    name: str, column: DistinctColumn, spec: Spec, make: MakeHierarchy | None, *, reach: bool
) -> tuple[Hierarchy, RawColumn]:
    """Make the hierarchy of a column, and code its values, which all must be known."""
    attribute, has_missing = spec.attributes[name], column.has_missing
    kind, values = type_values(name, column.values, attribute)
    distinct: list[Any] = list(set(values))
    if make is not None or getattr(attribute.hierarchy, "file", None) is None:
        # Sorted, whatever order the engine gave them in; a file has an order of its own.
        is_text = set(map(type, distinct)) == {str}
        distinct.sort(key=None if is_text else lambda value: (str(type(value)), value))
    if make is not None:
        hierarchy = make(kind, distinct, has_missing)
    else:
        hierarchy = build(name, attribute, distinct, has_missing=has_missing, kind=kind, resolve=spec.resolve)
    hierarchy = _spelt(hierarchy, format_of_dates(column.values, attribute))
    codes = encode(hierarchy, values, reach=reach)
    unknown = int((codes < 0).sum())
    if unknown:
        raise DataError(
            f"{unknown} of {len(codes)} distinct values are not in the domain. Complete the hierarchy.",
            where=name,
        )
    typed = None if attribute.output == "label" else values
    missing = hierarchy.size - 1 if has_missing else None
    silent = _unknown_codes(hierarchy.values, np.arange(hierarchy.size), attribute)
    return hierarchy, RawColumn(column.values, codes, hierarchy.size, missing, typed, silent)


def _unknown_codes(values: Sequence[Value], codes: NDArray[Any], attribute: AttributeSpec) -> tuple[int, ...]:
    """Return the codes of the values that an attribute declares unknown."""
    told = zip(values, codes.tolist(), strict=True) if attribute.unknown else ()
    found = {code for value, code in told if value is not None and text_of(value) in attribute.unknown}
    return tuple(sorted(found))


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
    columns = (raw[name] for name in roles[1])
    silent = tuple((*item.unknown, *(() if item.missing is None else (item.missing,))) for item in columns)
    return replace(cube, unknown=silent, confidential=None if marks is None else marks.confidential)


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
