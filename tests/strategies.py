"""Hypothesis strategies: small tables with ladders of levels, and what may be asked of them.

A :class:`Case` carries one table twice: as texts and dicts for the oracles, and
as integer codes and matrices for the package. Nothing here imports the package.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from hypothesis import strategies as st

from tests.oracles.classes import Ladder, Table, Value
from tests.oracles.lattice import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tests.oracles.classes import Row

IntMatrix: TypeAlias = "NDArray[np.int32]"

MAX_ROWS = 60
MAX_ATTRIBUTES = 4
MAX_LEVELS = 5
MAX_DOMAIN = 8
ROOT = "*"
UPWARD = ("k", "mean_k", "spread_k", "precision", "usefulness", "protection")
DOWNWARD = ("loss", "glm", "gl", "sl", "dm", "hdm", "average_class", "ncp", "suppressed")


@dataclass(frozen=True, eq=False)
class Case:
    """A table for the oracles, and the same as arrays for the package.

    Parameters
    ----------
    table
        Rows as texts, ladders as dicts.
    matrices
        For every quasi-identifier the block of each code at each level, shape
        (levels, m). Blocks are numbered in the order of their smallest codes;
        codes follow ``table.ladders[i].values``.
    codes
        Quasi-identifier codes, shape (rows, q).
    sensitive_values
        Sensitive attribute → the values of its tree, else those that occur, sorted, missing last.
    sensitive_codes
        Codes into these, shape (rows, s).
    person_codes
        Person of each row, numbered in the order of the sorted texts; or None.
    """

    table: Table
    matrices: tuple[IntMatrix, ...] = field(repr=False)
    codes: IntMatrix = field(repr=False)
    sensitive_values: dict[str, tuple[Value, ...]] = field(repr=False)
    sensitive_codes: IntMatrix = field(repr=False)
    person_codes: IntMatrix | None = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        return tuple(ladder.attribute for ladder in self.table.ladders)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Domain sizes of the quasi-identifiers, missing included."""
        return tuple(len(ladder.values) for ladder in self.table.ladders)


def ordered_values(values: Sequence[Value]) -> tuple[Value, ...]:
    """Return the distinct values, sorted, missing last."""
    return tuple(sorted(set(values), key=lambda value: (value is None, value or "")))


def numbered(labels: Sequence[Value]) -> list[int]:
    """Number labels in the order in which they first occur."""
    numbers: dict[Value, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]


def matrix_of(ladder: Ladder) -> IntMatrix:
    """Turn a ladder of dicts into its integer matrix, shape (levels, m)."""
    rows = [numbered([level[value] for value in ladder.values]) for level in ladder.levels]
    return np.array(rows, dtype=np.int32).reshape(len(ladder.levels), len(ladder.values))


def case_of(table: Table) -> Case:
    """Code a table for the package; useful for tables written by hand, too."""
    n = len(table.rows)
    codes = np.zeros((n, len(table.ladders)), dtype=np.int32)
    for place, ladder in enumerate(table.ladders):
        code = {value: number for number, value in enumerate(ladder.values)}
        codes[:, place] = [code[row[place]] for row in table.rows]
    sensitive_values = {
        name: table.trees[name].values if name in table.trees else ordered_values(column)
        for name, column in table.sensitive.items()
    }
    sensitive_codes = np.zeros((n, len(table.sensitive)), dtype=np.int32)
    for place, (name, column) in enumerate(table.sensitive.items()):
        sensitive_codes[:, place] = [sensitive_values[name].index(value) for value in column]
    people = None
    if table.persons is not None:
        distinct = sorted(set(table.persons))
        people = np.array([distinct.index(person) for person in table.persons], dtype=np.int32)
    matrices = tuple(matrix_of(ladder) for ladder in table.ladders)
    return Case(table, matrices, codes, sensitive_values, sensitive_codes, people)


def _labels(values: Sequence[str], blocks: Sequence[int]) -> dict[Value, Value]:
    """Name every block after its values; a block of one value keeps its name."""
    members: dict[int, list[str]] = {}
    for value, block in zip(values, blocks, strict=True):
        members.setdefault(block, []).append(value)
    return {value: "+".join(members[block]) for value, block in zip(values, blocks, strict=True)}


@st.composite
def ladders(
    draw: st.DrawFn,
    attribute: str = "q1",
    *,
    max_domain: int = MAX_DOMAIN,
    max_levels: int = MAX_LEVELS,
    missing: bool = False,
    contiguous: bool = False,
) -> Ladder:
    """Draw nested levels over one domain.

    Parameters
    ----------
    draw
        Given by hypothesis.
    attribute
        Name of the attribute.
    max_domain, max_levels
        Most values (missing included) and most levels, level 0 and the root included.
    missing
        Whether missing belongs to the domain: last, by itself below the root, ``*`` at the root.
    contiguous
        Whether blocks must be contiguous in the order of the values.

    Returns
    -------
    Ladder
        Level 0 is the identity and the last level one block; neighbouring
        levels may be equal. A domain of one value may have level 0 alone. Half of them have places.
    """
    m = draw(st.integers(1, max_domain - missing))
    values = [f"{attribute}v{number}" for number in range(m)]
    domain: tuple[Value, ...] = (*values, None) if missing else tuple(values)
    places = dict(zip(values, draw(_places(m)), strict=True)) if draw(st.booleans()) else None
    if len(domain) == 1 and (max_levels == 1 or draw(st.booleans())):
        return Ladder(attribute, domain, ({values[0]: values[0]},), places)
    levels: list[dict[Value, Value]] = [{value: value for value in domain}]
    blocks = list(range(m))
    for _ in range(draw(st.integers(0, max(0, max_levels - 2)))):
        blocks = draw(coarser(blocks, contiguous=contiguous))
        levels.append(_labels(values, blocks) | ({None: None} if missing else {}))
    levels.append(dict.fromkeys(domain, ROOT))
    return Ladder(attribute, domain, tuple(levels), places)


def _places(m: int) -> st.SearchStrategy[list[int]]:
    """Draw m rising places on a line, the first one 0, with gaps between them."""
    steps = st.lists(st.integers(1, 5), min_size=m - 1, max_size=m - 1)
    return steps.map(lambda found: [sum(found[:number]) for number in range(m)])


@st.composite
def coarser(draw: st.DrawFn, blocks: Sequence[int], *, contiguous: bool = False) -> list[int]:
    """Draw a partition in which ``blocks``, numbered from 0 by first values, nests."""
    count = max(blocks) + 1
    if contiguous:
        steps = draw(st.lists(st.integers(0, 1), min_size=count - 1, max_size=count - 1))
        target = [sum(steps[:number]) for number in range(count)]
    else:
        free = draw(st.lists(st.integers(0, count - 1), min_size=count, max_size=count))
        target = numbered([str(number) for number in free])
    return [target[block] for block in blocks]


@st.composite
def _rows(draw: st.DrawFn, shapes: Sequence[Ladder], n: int) -> list[Row]:
    """Draw n rows out of a pool of at most n, so that rows repeat.

    The size of the pool is drawn by itself: a list of free length is short nearly
    always, and a table of two distinct rows tests little.
    """
    row = st.tuples(*(st.sampled_from(ladder.values) for ladder in shapes))
    distinct = max(1, n // draw(st.sampled_from([2, 1, 4, 8, n])))
    pool = draw(st.lists(row, min_size=distinct, max_size=distinct))
    return draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))


def _without_unused_missing(ladder: Ladder, column: Sequence[Value]) -> Ladder:
    """Take missing out of the domain where it does not occur."""
    if None in column or None not in ladder.values:
        return ladder
    values = ladder.values[:-1]
    levels = tuple({value: level[value] for value in values} for level in ladder.levels)
    return replace(ladder, values=values, levels=levels)


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    max_rows: int = MAX_ROWS,
    max_attributes: int = MAX_ATTRIBUTES,
    max_domain: int = MAX_DOMAIN,
    max_levels: int = MAX_LEVELS,
    min_sensitive: int = 0,
    missing: bool = True,
    persons: bool = True,
    contiguous: bool = False,
) -> Table:
    """Draw a table: quasi-identifiers ``q1``…, sensitive ``s1``, ``s2``, perhaps persons.

    ``missing`` and ``persons`` say whether these may occur; where missing may, some sensitive values may be
    unknown too. Missing belongs to a domain only if it occurs; other values of a domain need not occur.
    """
    n = draw(st.integers(1, max_rows))
    shapes = []
    for number in range(1, draw(st.integers(1, max_attributes)) + 1):
        with_missing = missing and max_domain > 1 and draw(st.booleans())
        shape = ladders(
            f"q{number}",
            max_domain=max_domain,
            max_levels=max_levels,
            missing=with_missing,
            contiguous=contiguous,
        )
        shapes.append(draw(shape))
    rows = draw(_rows(shapes, n))
    kept = tuple(_without_unused_missing(a, [row[i] for row in rows]) for i, a in enumerate(shapes))
    sensitive, trees, unknown = {}, {}, {}
    for number in range(1, draw(st.integers(min_sensitive, 2)) + 1):
        tree = draw(
            ladders(f"s{number}", max_domain=6, max_levels=4, missing=missing and draw(st.booleans()))
        )
        column = draw(st.lists(st.sampled_from(tree.values), min_size=n, max_size=n))
        sensitive[f"s{number}"] = column
        trees[f"s{number}"] = _without_unused_missing(tree, column)
        told = [value for value in tree.values if value is not None]
        unknown[f"s{number}"] = draw(st.sets(st.sampled_from(told), max_size=2 * missing).map(frozenset))
    people = draw(_persons(n)) if persons and draw(st.booleans()) else None
    return Table(kept, rows, sensitive, people, trees, unknown)


@st.composite
def _persons(draw: st.DrawFn, n: int) -> list[str]:
    """Draw the persons of n rows; some have several rows, or one has all."""
    crowd = st.integers(0, draw(st.integers(0, n - 1))).map(lambda number: f"p{number}")
    return draw(st.lists(crowd, min_size=n, max_size=n))


def cases(source: st.SearchStrategy[Table] | None = None) -> st.SearchStrategy[Case]:
    """Draw a table, by :func:`tables` where nothing is said, with its arrays."""
    return (tables() if source is None else source).map(case_of)


def levels_of(table: Table) -> st.SearchStrategy[tuple[int, ...]]:
    """Draw one node of a table's lattice."""
    return st.tuples(*(st.integers(0, ladder.height) for ladder in table.ladders))


def limits() -> st.SearchStrategy[float]:
    """Draw a suppression limit of at most three decimals; some make float products round down."""
    return st.one_of(
        st.sampled_from([0.0, 0.01, 0.1, 0.2, 0.29, 0.57, 1.0]),
        st.integers(0, 1000).map(lambda number: number / 1000),
    )


def rules() -> st.SearchStrategy[str]:
    """Draw a suppression rule of the specification, half the time ``auto``, which means three."""
    return st.sampled_from(["auto", "none", "auto", "failing", "auto", "smallest", "auto", "below-mean"])


def off_grid(low: float, high: float) -> st.SearchStrategy[float]:
    """Draw a bound that no ratio of counts within these tables can equal.

    Five decimals with a last digit of 1, 3, 7 or 9: as a fraction its denominator
    is divisible by 3125, which never divides the denominators that 60 rows, 4
    attributes and domains of 8 can make. So rounding cannot decide a verdict.
    """
    tens = st.integers(int(low * 10_000), max(int(low * 10_000), int(high * 10_000) - 1))
    return st.tuples(tens, st.sampled_from([1, 3, 7, 9])).map(lambda pair: (pair[0] * 10 + pair[1]) / 100_000)


def class_requirements(table: Table) -> dict[str, st.SearchStrategy[float]]:
    """Return measures that judge each class, with bounds to draw from."""
    choices: dict[str, st.SearchStrategy[float]] = {"k": st.integers(1, 6)}
    for name in table.sensitive:
        choices[f"distinct_l({name})"] = st.integers(1, 4)
        choices[f"entropy_l({name})"] = off_grid(1, 3)
        choices[f"share_l({name})"] = off_grid(1, 3)
        choices[f"recursive_l({name}, 3)"] = st.integers(1, 3)
        for distance in ("", ", ordered", ", hierarchical"):
            choices[f"t({name}{distance})"] = off_grid(0, 0.8)
    return choices


def table_requirements(table: Table) -> dict[str, st.SearchStrategy[float]]:
    """Return measures that judge the table, with bounds to draw from."""
    n = len(table.rows)
    choices: dict[str, st.SearchStrategy[float]] = {
        "mean_k": off_grid(1, 8),
        "spread_k": st.integers(1, 4 * n),
        "loss": off_grid(0.2, 1),
        "precision": off_grid(0, 0.8),
        "usefulness": off_grid(0, 0.8),
        "protection": off_grid(0, 0.5),
        "average_class": off_grid(1, n + 1),
        "dm": st.integers(n, n * n),
        "suppressed": st.integers(0, n),
    }
    for name in table.sensitive:
        choices[f"spread_l({name})"] = st.integers(1, 3 * n)
    return choices


@st.composite
def requirements(
    draw: st.DrawFn, table: Table, *, class_level: bool = True, table_level: bool = True, most: int = 2
) -> dict[str, float]:
    """Draw up to ``most`` requirements, measure → bound: on classes or on the table, as allowed."""
    levels = [class_requirements(table)] * class_level + [table_requirements(table)] * table_level
    chosen: dict[str, float] = {}
    for _ in range(draw(st.integers(0, most)) if levels else 0):
        choices = draw(st.sampled_from(levels))
        name = draw(st.sampled_from(list(choices)))
        chosen[name] = draw(choices[name])
    return chosen


@st.composite
def objectives(draw: st.DrawFn, table: Table, *, most: int = 3) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Draw one to ``most`` objectives in any order: those to maximize, those to minimize."""
    upward, downward = list(UPWARD), list(DOWNWARD)
    for name in table.sensitive:
        upward += [f"distinct_l({name})", f"spread_l({name})", f"share_l({name})"]
        upward += [f"entropy_l({name})", f"recursive_l({name}, 3)"]
        downward += [f"t({name})", f"t({name}, ordered)", f"t({name}, hierarchical)", f"cm({name})"]
    names = draw(st.lists(st.sampled_from(upward + downward), min_size=1, max_size=most, unique=True))
    if most > 1 and draw(st.sampled_from([True, True, False])):
        # Privacy against a cost of cells or classes: most such fronts have something to trade.
        names = [draw(st.sampled_from(upward)), draw(st.sampled_from(["loss", "dm", "glm", "gl"])), *names]
    names = list(dict.fromkeys(names))[:most]
    return tuple(n for n in names if n in upward), tuple(n for n in names if n in downward)


@st.composite
def problems(
    draw: st.DrawFn,
    source: st.SearchStrategy[Case] | None = None,
    *,
    weights: bool = False,
    bounds: bool = False,
) -> tuple[Case, Problem]:
    """Draw a case and everything asked of it.

    Parameters
    ----------
    draw
        Given by hypothesis.
    source
        Where cases come from; :func:`cases` by default.
    weights, bounds
        Whether attributes may have weights, and lowest and highest levels.

    Returns
    -------
    tuple
        The case, for the package, and the oracle's problem on the same table.
    """
    case = draw(cases() if source is None else source)
    maximize, minimize = draw(objectives(case.table))
    problem = Problem(
        case.table,
        maximize=maximize,
        minimize=minimize,
        require=draw(requirements(case.table)),
        limit=draw(limits()),
        rule=draw(rules()),
        weights={name: draw(st.sampled_from([0.5, 1.0, 2.0])) for name in case.names} if weights else {},
        bounds=draw(_bounds(case.table)) if bounds else {},
    )
    return case, problem


@st.composite
def _bounds(draw: st.DrawFn, table: Table) -> dict[str, tuple[int, int]]:
    """Draw for some attributes a lowest and a highest level."""
    chosen: dict[str, tuple[int, int]] = {}
    for ladder in table.ladders:
        if draw(st.booleans()):
            low = draw(st.integers(0, ladder.height))
            chosen[ladder.attribute] = (low, draw(st.integers(low, ladder.height)))
    return chosen


def closeness(table: Table) -> float:
    """Return how close to the oracle measures must be, as a share.

    A person's vote is cut into whole parts, which more than 16 rows need not divide.
    """
    return 1e-4 if max(Counter(table.persons or ()).values(), default=0) > 16 else 1e-12
