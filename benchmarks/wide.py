"""Wide tables for searches of large spaces: the census columns, widened by seed.

Rows are drawn from the embedded census table; further columns depend on one of its columns and on
chance, and every column has a random tree. ``python -m benchmarks.wide`` shows what a search reaches by when.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Rule, Suppression
from sfumato.datasets import adult
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.measures import Setting, make_measure
from sfumato.search import METHODS, Monitor, Problem, Requirement, SearchSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

SIXTEEN = (4, 4, 4, 4, 3, 4, 4, 2, 2, 3, 3, 4, 2, 2, 4, 3)
"""Levels of sixteen attributes: 84,934,656 nodes."""

TWENTY_FOUR = (4, 4, 4, 4, 3, 4, 4, 3, 3, 4, 3, 5, 4, 3, 4, 4, 4, 4, 4, 3, 4, 4, 3, 4)
"""Levels of twenty-four attributes: 4.7e13 nodes."""

LARGE_COLUMN, LARGE_TREE = 3, 22_723
"""Leaves of the largest tree of the table with sixteen attributes."""


def wide_problem(
    levels: Sequence[int] = SIXTEEN,
    rows: int = 73_489,
    large: int = LARGE_TREE,
    *,
    seed: int = 1,
    k: int = 5,
    limit: float = 1.0,
    objectives: Sequence[str] = ("loss",),
) -> Problem:
    """Return the search for the best levels of a wide table; ``large`` leaves in one tree, 0 for none."""
    random = np.random.default_rng(seed)
    codes = _columns(random, len(levels), rows, large)
    sizes = tuple(large if a == LARGE_COLUMN and large else int(c.max()) + 1 for a, c in enumerate(codes))
    ladders = tuple(Ladder.whole(_tree(random, m, n)) for m, n in zip(sizes, levels, strict=True))
    names = tuple(f"q{a}" for a in range(len(levels)))
    cube = Cube.sorted(names, sizes, np.stack(codes, axis=1), rows=np.ones(rows, dtype=np.int64))
    setting = Setting(names, (), np.ones(len(names)))
    return Problem(
        cube,
        Lattice(ladders),
        tuple(make_measure(name, setting) for name in objectives),
        (Requirement(make_measure("k", setting), float(k)),) if k > 1 else (),
        Suppression(Rule.FAILING, int(limit * rows)),
    )


def sixteen() -> Problem:
    """Return the table with sixteen attributes, one of them with a large tree."""
    return wide_problem()


def twenty_four() -> Problem:
    """Return the table with twenty-four attributes."""
    return wide_problem(TWENTY_FOUR, 30_000, 0)


def losses(problem: Problem, seconds: Sequence[float], method: str = "descent") -> list[tuple[float, float]]:
    """Return the loss that a search reaches in each of some times, and its processor time."""
    problem.batch().compile()
    found = []
    for limit in seconds:
        begin = time.process_time()
        result = METHODS[method](problem, problem.batch(), Monitor(limit), SearchSettings())
        spent = time.process_time() - begin
        value = problem.objectives[0].value(problem.batch(1).evaluate(result.nodes))[0]
        found.append((float(value), spent))
    return found


class LargeSpaces:
    """What the local search reaches in a second and in three."""

    def track_sixteen_in_a_second(self) -> float:
        return losses(sixteen(), [1.0])[0][0]

    def track_twenty_four_in_three_seconds(self) -> float:
        return losses(twenty_four(), [3.0])[0][0]


def _columns(random: np.random.Generator, count: int, rows: int, large: int) -> list[np.ndarray]:
    """Draw rows of the census table, and columns that follow one of its columns or nothing."""
    table = adult()
    drawn = random.integers(0, table.num_rows, rows)
    columns = []
    for name in table.column_names:
        if name not in ("fnlwgt", "education-num"):
            _, code = np.unique(table[name].to_numpy(zero_copy_only=False), return_inverse=True)
            columns.append(code.reshape(-1)[drawn])
    while len(columns) < count:
        source = columns[int(random.integers(len(columns)))]
        size = int(random.choice([4, 8, 20, 60, 150]))
        follows = random.integers(0, size, int(source.max()) + 1)[source]
        chance = np.minimum(random.geometric(min(0.5, 3 / size), rows) - 1, size - 1)
        columns.append(np.where(random.random(rows) < random.uniform(0.3, 0.9), follows, chance))
    if large:
        weights = random.pareto(1.2, large) + 0.1
        columns[3] = random.choice(large, rows, p=weights / weights.sum())
    return [
        np.unique(column, return_inverse=True)[1].reshape(-1).astype(np.int32) for column in columns[:count]
    ]


def _tree(random: np.random.Generator, size: int, levels: int) -> np.ndarray:
    """Return nested levels from the values to one block, the borders of each drawn among those below."""
    found = [np.arange(size)]
    for step in range(1, levels - 1):
        below = int(found[-1].max()) + 1
        count = int(np.clip(round(size ** (1 - step / (levels - 1))), 1, below))
        borders = np.zeros(below, dtype=np.int64)
        borders[random.choice(np.arange(1, below), count - 1, replace=False) if count > 1 else []] = 1
        found.append(np.cumsum(borders)[found[-1]])
    return np.stack([*found, np.zeros(size, dtype=np.int64)][: max(levels, 2)]).astype(np.int32)


def main(seconds: Sequence[float] = (1.0, 3.0, 10.0, 30.0)) -> None:
    """Print what is reached by when, on both tables."""
    for make in (sixteen, twenty_four):
        for limit, (loss, spent) in zip(seconds, losses(make(), seconds), strict=True):
            sys.stdout.write(f"{make.__name__:12} {limit:5g} s: loss {loss:.6f}, processor {spent:.1f} s\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(tuple(map(float, sys.argv[1:])) or (1.0, 3.0, 10.0, 30.0))
