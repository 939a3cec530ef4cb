"""A good first solution: the best levels, then annealing."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.domains import Ladder, Lattice, Partition
from sfumato.kernels import annealing
from sfumato.schemes import GuidedOrdered, GuidedSets
from sfumato.schemes.contiguous import Contiguous
from sfumato.search.ledger import Run
from sfumato.search.optimal import search_optimal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import IntArray, LongArray
    from sfumato.monitor import Monitor
    from sfumato.schemes import Scheme
    from sfumato.search.branch_and_bound.bound_arrays import BoundSpace
    from sfumato.search.problem import Problem

    Moves: TypeAlias = tuple[LongArray, IntArray, IntArray, IntArray]

LEVEL_WORK = 2_000_000_000
"""Recodings × tuples up to which the best levels are sought."""

STEPS_EACH, EPOCHS, HEATS = 8, 14, (0.4, 0.1)
"""Steps of a first chain for each code, how often they are doubled at most, and chains side by side: one that
looks far, and one that stays near the best and is worth something whenever it is stopped."""

MEMBERS, TRAIL = 64, 32
"""Partitions to choose from where a scheme has no moves of its own, and improvements that a chain keeps."""


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


def narrower(scheme: Scheme) -> Scheme:
    """Return the members with contiguous blocks of a scheme that has others too, else the scheme."""
    return GuidedOrdered(scheme.tree) if isinstance(scheme, GuidedSets) else scheme


def make_moves(space: BoundSpace, schemes: Sequence[Scheme], block: IntArray, seed: int) -> Moves:
    """Say how annealing changes the partitions of schemes, see `annealing.anneal`, from a recoding on."""
    kinds = np.full(len(schemes), annealing.LISTED, dtype=np.int64)
    reach = np.zeros((2, space.codes), dtype=np.int32)
    listed = np.zeros((MEMBERS, space.codes), dtype=np.int32)
    rng = np.random.default_rng(seed)
    for a, (scheme, blocks) in enumerate(zip(schemes, space.blocks(block), strict=True)):
        begin, end = space.decisions.code_start[a : a + 2]
        if end - begin == scheme.size and isinstance(scheme, Contiguous):
            kinds[a] = annealing.RUNS
            reach[:, begin : end - 1] = scheme.reach.T
        elif (
            end - begin == scheme.size
            and isinstance(scheme, GuidedSets)
            and len(scheme.tree.parent) == scheme.size + 1
        ):
            kinds[a] = annealing.SETS
        else:
            here = member = Partition.of(blocks)
            for row in listed:
                row[begin:end][scheme.finest.block] = member.block
                member = scheme.mutate(member if rng.integers(4) else here, rng)
    return kinds, *reach, listed
