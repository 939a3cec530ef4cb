"""pymoo's NSGA-II over the nodes of a lattice, as it is commonly set up for whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem as PymooProblem
from pymoo.core.termination import Termination
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.operators.repair.rounding import RoundingRepair
from pymoo.operators.sampling.rnd import IntegerRandomSampling
from pymoo.optimize import minimize

from sfumato.front import non_dominated

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray
    from sfumato.classes import Batch
    from sfumato.search import Problem

POPULATION = 100
PROBABILITY = 1.0
ETA = 3.0
"""Of simulated binary crossover and polynomial mutation, as pymoo's manual has them for whole numbers."""

PATIENCE = 4
"""How many times the evaluations wanted may be asked for where only distinct ones count."""


class _Nodes(PymooProblem):  # type: ignore[misc] # pymoo comes without types
    """Levels as whole numbers; remembers everything it evaluated."""

    def __init__(self, problem: Problem, batch: Batch) -> None:
        lattice = problem.lattice
        super().__init__(
            n_var=len(lattice.ladders),
            n_obj=len(problem.objectives),
            xl=lattice.bottom,
            xu=lattice.top,
            vtype=int,
        )
        self.problem, self.batch = problem, batch
        self.seen: list[FloatArray] = []
        self.nodes: set[bytes] = set()

    def _evaluate(self, nodes: LongArray, out: dict[str, Any], *_: object, **__: object) -> None:
        whole = np.ascontiguousarray(nodes, dtype=np.int64)
        costs = self.problem.costs(self.batch.evaluate(whole))
        self.seen.append(costs)
        self.nodes.update(node.tobytes() for node in whole)
        out["F"] = costs


class _Enough(Termination):  # type: ignore[misc] # pymoo comes without types
    """Ends when so many evaluations were asked for; or so many distinct ones, as far as patience goes."""

    def __init__(self, wanted: int, *, distinct: bool) -> None:
        super().__init__()
        self.wanted, self.distinct = wanted, distinct

    def _update(self, algorithm: Any) -> float:
        nodes: _Nodes = algorithm.problem
        asked = sum(len(costs) for costs in nodes.seen)
        if not self.distinct:
            return asked / self.wanted
        return max(len(nodes.nodes) / self.wanted, asked / (PATIENCE * self.wanted))


def search_nsga2(
    problem: Problem, batch: Batch, seed: int, evaluations: int, *, helped: bool
) -> tuple[FloatArray, dict[str, float]]:
    """Run NSGA-II for so many evaluations, rounded up to whole populations.

    Parameters
    ----------
    problem, batch
        The problem and its evaluator.
    seed
        Where random choices start.
    evaluations
        How many it may ask for.
    helped
        Whether it gets what PBG-EA has: the most general and the most special node in the first
        population, and repeated evaluations for nothing.

    Returns
    -------
    tuple
        The costs of everything it evaluated that nothing it evaluated dominates; and how many
        evaluations it asked for, how many of them distinct.
    """
    nodes = _Nodes(problem, batch)
    algorithm = NSGA2(
        pop_size=POPULATION,
        sampling=_first(problem, seed) if helped else IntegerRandomSampling(),
        crossover=SBX(prob=PROBABILITY, eta=ETA, vtype=float, repair=RoundingRepair()),
        mutation=PM(prob=PROBABILITY, eta=ETA, vtype=float, repair=RoundingRepair()),
        eliminate_duplicates=True,
    )
    minimize(nodes, algorithm, _Enough(evaluations, distinct=helped), seed=seed)
    costs = np.concatenate(nodes.seen)
    numbers: dict[str, float] = {"evaluations": len(costs), "distinct": len(nodes.nodes)}
    return costs[non_dominated(costs)], numbers


def _first(problem: Problem, seed: int) -> LongArray:
    lattice = problem.lattice
    size = (POPULATION - 2, len(lattice.ladders))
    drawn = np.random.default_rng(seed).integers(lattice.bottom, lattice.top + 1, size)
    return np.concatenate([drawn, lattice.bottom[None], lattice.top[None]])


__all__ = ["ETA", "POPULATION", "PROBABILITY", "search_nsga2"]
