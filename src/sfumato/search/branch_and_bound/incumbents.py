"""A good first solution: the best levels, then annealing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.domains import Ladder, Lattice, Partition
from sfumato.errors import ParameterError, nearest
from sfumato.kernels import bounding_layout as layout
from sfumato.search.ledger import Run
from sfumato.search.optimal import search_optimal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sfumato.monitor import Monitor
    from sfumato.search.problem import Problem

PLUNGE = 8
"""Nodes that are expanded one below the other, each from the classes of the one above it."""

DIRECTIONS = ("auto", "bottom-up", "top-down", "both")


@dataclass(frozen=True)
class Techniques:
    """Direction and techniques of a branch and bound; none of them changes the optimal cost.

    T. Li, N. Li: Towards optimal k-anonymization, section 4, doi:10.1016/j.datak.2007.06.015;
    R. J. Bayardo, R. Agrawal: Data privacy through optimal k-anonymization, doi:10.1109/ICDE.2005.42.
    """

    # `bottom-up` goes from the finest recoding by joins, and bounds by what its node already joins.
    # `top-down` goes from the coarsest one by splits, and bounds also by what fails already. `both` decides
    # in whichever way raises the bounds most, and `auto` is `both`.
    direction: str = "auto"
    node_pruning: bool = True  # leave a node if all below it cost too much
    useless_applicators: bool = True  # decide what can be decided because the other way costs too much
    # decide a join without which too many rows would have to go, whatever else is done. Where nothing may be
    # suppressed that is one row.
    useful_applicators: bool = True
    seeding: bool = True  # begin with a good solution: the best levels, improved by annealing
    # put a node back when it has been bounded, and expand it when it comes again. Probing bounds nodes before
    # they are put in, so that this rarely pays.
    requeue: bool = False
    # take the node with the least bound first and go down from it a little, else take the oldest
    node_rearrangement: bool = True
    # branch on the element that raises the bounds most, else on the first open one
    applicator_rearrangement: bool = True

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise ParameterError(
                f"there is no direction {self.direction!r}. {nearest(self.direction, DIRECTIONS)}"
            )

    @property
    def resolved(self) -> str:
        """The direction that is taken."""
        return "both" if self.direction == "auto" else self.direction

    def for_kernel(self) -> layout.BoundTechniques:
        """Return the switches of the kernel."""
        up, down = self.resolved != "top-down", self.resolved != "bottom-up"
        return layout.BoundTechniques(
            coarse_bound=int(down),
            probe_joined=int(up and self.useless_applicators),
            probe_apart=int(down and self.useless_applicators),
            probe_useful=int(up and self.useful_applicators),
            prune=int(self.node_pruning),
            plunge=PLUNGE if self.node_rearrangement and not self.requeue else 1,
            strongest=int(self.applicator_rearrangement),
        )


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
    found = search_optimal(levels, Run(monitor)).nodes
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
