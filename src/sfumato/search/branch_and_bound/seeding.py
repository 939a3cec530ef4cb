"""A good first solution: the best levels, then annealing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sfumato.domains import Ladder, Lattice, Partition
from sfumato.search.optimal import search_optimal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sfumato.monitor import Monitor
    from sfumato.search.problem import Problem

LEVEL_WORK = 2_000_000_000
"""Recodings × tuples up to which the best levels are sought."""

STEP_WORK = 20_000_000
STEPS_EACH = 40
MOST_STEPS = 3_000
"""Steps of annealing: × tuples, for each value of a domain, and in all."""

HEAT = 0.02
"""A step that costs this share more is taken at first with probability 1/e."""


def best_levels(problem: Problem, monitor: Monitor) -> tuple[Partition, ...] | None:
    """Return the best recoding all of whose partitions are levels, as far as schemes allow these.

    None where nothing is feasible, no level fits a scheme, or there are too many combinations.
    """
    assert problem.schemes is not None
    ladders = []
    for scheme, ladder in zip(problem.schemes, problem.lattice.ladders, strict=True):
        fits = [
            number
            for number in range(ladder.lowest, ladder.highest + 1)
            if scheme.is_valid(Partition.of(ladder.levels[number]))
        ]
        if not fits:
            return None
        # What is left of nested levels is nested.
        ladders.append(Ladder.whole(ladder.levels[fits]))
    lattice = Lattice(tuple(ladders))
    if lattice.size * problem.cube.distinct > LEVEL_WORK:
        return None
    levels = type(problem)(
        problem.cube, lattice, problem.objectives[:1], problem.requirements, problem.suppression
    )
    found = search_optimal(levels, levels.batch(), monitor).nodes
    if not len(found):
        return None
    return tuple(
        Partition.of(ladder.levels[number]) for ladder, number in zip(ladders, found[0].tolist(), strict=True)
    )


def anneal(
    problem: Problem,
    start: tuple[Partition, ...],
    cost: Callable[[tuple[Partition, ...]], float],
    seed: int,
) -> Iterator[tuple[float, tuple[Partition, ...]]]:
    """Walk from a recoding by small changes, and yield whatever is better than all before."""
    schemes = problem.schemes
    assert schemes is not None
    rng = np.random.default_rng(seed)
    sizes = np.array([scheme.finest.count - 1 for scheme in schemes], dtype=np.float64)
    if not sizes.any():
        return
    steps = min(MOST_STEPS, STEP_WORK // max(1, problem.cube.distinct), STEPS_EACH * int(sizes.sum()))
    drawn = rng.choice(len(schemes), size=steps, p=sizes / sizes.sum())
    now, best = cost(start), math.inf
    here = start
    for step, attribute in enumerate(drawn.tolist()):
        changed = schemes[attribute].mutate(here[attribute], rng)
        there = (*here[:attribute], changed, *here[attribute + 1 :])
        found = cost(there)
        heat = HEAT * (1 - step / steps) ** 2 * abs(min(best, now))
        if found <= now or (heat > 0 and rng.random() < math.exp((now - found) / heat)):
            here, now = there, found
        if found < best:
            best = found
            yield found, there
