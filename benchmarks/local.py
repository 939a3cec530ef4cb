"""Local recoding: what the search and its bound reach, beside what is asked; ``python -m benchmarks.local``.

The census table and its hierarchies are those of the folder that ``SFUMATO_TEST_DATA`` names. Name figures to
measure some: ``python -m benchmarks.local tree-5 wide``. Asked for is the time on two idle cores.
"""

from __future__ import annotations

import os
import sys
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.wide import sixteen, twenty_four
from sfumato.classes import Property, PropertyKind, Threshold
from sfumato.domains import Cube
from sfumato.local import LabelSpace, LocalProblem, bound_cost, search_classes
from tests.oracles.adult import QUASI_IDENTIFIERS, read_adult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.search import Problem

ASKED = {
    "tree-5": {5.0: 0.0500, 30.0: 0.0484},
    "tree-10": {5.0: 0.0780, 30.0: 0.0745},
    "set-5": {5.0: 0.0142, 30.0: 0.0137},
    "set-10": {5.0: 0.0285, 30.0: 0.0268},
    "suppress-5": {15.0: 33_000 / (30_162 * 8)},
    "million-5": {15.0: 0.0017},
}
"""Labels and k → seconds of search → the largest cost."""
GAPS = {"tree-5": 0.10, "tree-10": 0.15}
"""How far the solution of 30 seconds may be above a bound of 60."""
WIDE = {"sixteen": (sixteen, 10.0), "twenty_four": (twenty_four, 10.0)}


@cache
def census() -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the codes of all rows, and the levels of each attribute."""
    table = read_adult(Path(os.environ.get("SFUMATO_TEST_DATA", "../shared/data")))
    places = [{value: i for i, value in enumerate(ladder.values)} for ladder in table.ladders]
    codes = [[place[row[a]] for row in table.rows] for a, place in enumerate(places)]
    names = [[list(level.values()) for level in ladder.levels] for ladder in table.ladders]
    levels = [np.array([list(map(level.index, level)) for level in ladder], np.int32) for ladder in names]
    return np.array(codes, np.int32).T, levels


def million() -> np.ndarray:
    """Return a million rows drawn from the census table, ages moved and other cells drawn anew."""
    random, (codes, levels) = np.random.default_rng(1), census()
    rows = codes[random.integers(0, len(codes), 1_000_000)]
    for a, name in enumerate(QUASI_IDENTIFIERS):
        if name == "age":
            moved = rows[:, a] + np.rint(random.normal(0, 3, len(rows))).astype(np.int32)
            rows[:, a] = np.clip(moved, 0, levels[a].shape[1] - 1)
        else:
            other = random.choice(codes[:, a], len(rows))
            rows[:, a] = np.where(random.random(len(rows)) < 0.03, other, rows[:, a])
    return rows


def problem_of(name: str) -> LocalProblem:
    """Return the problem of a figure."""
    kind, k = name.split("-")
    (codes, levels), names = census(), QUASI_IDENTIFIERS
    codes = million() if kind == "million" else codes
    if kind == "suppress":
        taken = [a for a, attribute in enumerate(names) if attribute != "salary-class"]
        codes, levels, names = codes[:, taken], [levels[a] for a in taken], tuple(names[a] for a in taken)
    sizes = tuple(level.shape[1] for level in levels)
    cube = Cube.sorted(names, sizes, np.ascontiguousarray(codes), rows=np.ones(len(codes), np.int64))
    make = {"tree": LabelSpace.tree, "suppress": lambda level: LabelSpace.suppress(level.shape[1])}
    sets = [
        LabelSpace.range(m) if name == "age" else LabelSpace.set(m)
        for name, m in zip(names, sizes, strict=True)
    ]
    spaces = [make[kind](level) for level in levels] if kind in make else sets
    return LocalProblem.of_cube(cube, spaces, [Threshold(Property(PropertyKind.SIZE), int(k))])


def wide_problem(problem: Problem) -> LocalProblem:
    """Return the local problem of a wide table: nodes of its trees, k = 5."""
    spaces = [LabelSpace.tree(ladder.levels) for ladder in problem.lattice.ladders]
    return LocalProblem.of_cube(problem.cube, spaces, [Threshold(Property(PropertyKind.SIZE), 5)])


def measure(name: str, problem: LocalProblem, times: dict[float, float], gap: float | None) -> None:
    """Print what is reached in each time, then the gap."""
    search_classes(problem, proposals=1000)  # compiles
    for seconds, asked in times.items():
        begin, spent = time.perf_counter(), time.process_time()
        found = search_classes(problem, seconds=seconds)
        clock, spent = time.perf_counter() - begin, time.process_time() - spent
        wanted = "nothing" if np.isnan(asked) else f"{asked:.5f}"
        print(f"{name:12} {seconds:4g} s: asked {wanted}, reached {found.cost:.5f}, "
              f"clock {clock:.1f} s, processor {spent:.1f} s", flush=True)  # fmt: skip
    if gap:
        bound_cost(problem, found, seconds=0.0)
        begin, spent = time.perf_counter(), time.process_time()
        found = bound_cost(problem, found, seconds=60.0)
        clock, spent = time.perf_counter() - begin, time.process_time() - spent
        print(f"{name:12} gap: asked {gap:.3f}, reached {found.gap:.3f}, bound {found.bound:.5f}, "
              f"clock {clock:.1f} s, processor {spent:.1f} s", flush=True)  # fmt: skip


def main(names: Sequence[str] = (*ASKED, *WIDE)) -> None:
    """Print asked beside reached for all figures, or for some."""
    for name in names:
        if name in WIDE:
            make, seconds = WIDE[name]
            measure(name, wide_problem(make()), {seconds: np.nan}, None)
        else:
            measure(name, problem_of(name), ASKED[name], GAPS.get(name))


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or (*ASKED, *WIDE))
