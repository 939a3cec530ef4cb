"""The best full-domain recodings, from which a search may set out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import CellCost
from sfumato.domains import Ladder, Lattice, Partition
from sfumato.monitor import Monitor
from sfumato.search.exhaustive import search_exhaustive
from sfumato.search.ledger import Run
from sfumato.search.pbg_ea import PbgParameters, search_pbg_ea

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, IntArray
    from sfumato.search.problem import Problem
    from sfumato.search.pymoo_adapter.genome import Genome

ENUMERABLE = 2_000_000_000
"""Work (level recodings × distinct tuples) up to which all of them are evaluated: some seconds."""

SHARE = 0.1
"""The part of the progress that belongs to the seeds."""


@dataclass(frozen=True, eq=False)
class Seeds:
    """Recodings to set out from."""

    X: IntArray  # the recodings, best first; each one's partitions are levels, or the ends of the space
    evaluated: int = 0  # how many recodings were evaluated to find them
    # for each attribute the genes of its levels, where all their combinations were evaluated; else None
    genes: list[IntArray] | None = None

    def covers(self, genome: Genome, X: IntArray) -> BoolArray:
        """Tell which recodings were evaluated to find the seeds: they are seeds, or no better than one."""
        found = np.full(len(X), self.genes is not None)
        for a, listed in enumerate(self.genes or ()):
            found &= (genome.part(X, a)[:, None] == listed[None]).all(axis=2).any(axis=1)
        return found


class PartMonitor(Monitor):
    """Watches a search that is the first part of another one."""

    def __init__(self, whole: Monitor, share: float) -> None:
        super().__init__()
        self._whole, self._share = whole, share

    def tick(self, fraction: float, evaluated: int) -> bool:
        """Tell the whole how far the part is."""
        self._whole.tick(min(1.0, fraction) * self._share, evaluated)
        self.reason = self._whole.reason
        return self.stopped


def find_seeds(problem: Problem, genome: Genome, monitor: Monitor, threads: int, seed: int) -> Seeds:
    """Find the best recodings whose partitions are all levels, as far as the schemes allow these.

    All of them are evaluated where that is little work; otherwise PBG-EA searches them. The finest and
    the coarsest recoding are always among the seeds. Where the space has levels alone, they are the
    only ones: the search is about to find the others.
    """
    ends = Seeds(genome.ends)
    if problem.schemes is None or all(scheme.name == "levels" for scheme in problem.schemes):
        return ends
    allowed = _allowed_levels(problem)
    if allowed is None:
        return ends
    levels = replace(problem, lattice=_sub_lattice(problem, allowed), schemes=None, describe=None)
    batch = levels.batch(threads)
    batch.compile()
    run = Run(PartMonitor(monitor, SHARE), seed, batch=batch)
    if levels.lattice.size * problem.cube.distinct <= ENUMERABLE:
        found = search_exhaustive(levels, run)
    else:
        found = search_pbg_ea(levels, replace(run, parameters=PbgParameters(iterations=100)))
    genes = [
        np.stack([part.encode(level) for level in ladder.levels])
        for part, ladder in zip(genome.parts, levels.lattice.ladders, strict=True)
    ]
    rows = [np.concatenate([genes[a][number] for a, number in enumerate(node)]) for node in found.nodes]
    X = np.stack([*rows, *ends.X]).astype(np.int32)
    _, first = np.unique(X, axis=0, return_index=True)
    return Seeds(X[np.sort(first)], found.evaluated, genes if found.complete else None)


def _allowed_levels(problem: Problem) -> list[list[int]] | None:
    """Return for each attribute the levels that its scheme allows; None where one allows none."""
    assert problem.schemes is not None
    allowed = []
    for scheme, ladder in zip(problem.schemes, problem.lattice.ladders, strict=True):
        members: dict[Partition, int] = {}
        for number in range(ladder.lowest, ladder.highest + 1):
            partition = Partition.of(ladder.levels[number])
            if scheme.is_valid(partition):
                members.setdefault(partition, number)
        allowed.append(list(members.values()))
    return allowed if all(allowed) else None


def _sub_lattice(problem: Problem, allowed: list[list[int]]) -> Lattice:
    """Return the lattice of allowed levels; what is left of nested levels is nested."""
    ladders = problem.lattice.ladders
    if any(CellCost.HEIGHT in item.costs for item in problem.measures):
        # A block that was not chosen as part of a level has its own height, not the level's.
        return Lattice(
            tuple(
                Ladder.listed([Partition.of(ladder.levels[number]) for number in numbers], ladder)
                for ladder, numbers in zip(ladders, allowed, strict=True)
            )
        )
    return Lattice(
        tuple(Ladder.whole(ladder.levels[numbers]) for ladder, numbers in zip(ladders, allowed, strict=True))
    )
