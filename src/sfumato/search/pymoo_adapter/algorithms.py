"""pymoo's algorithms by name."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pymoo.algorithms.moo.moead import ParallelMOEAD
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.algorithms.moo.spea2 import SPEA2
from pymoo.algorithms.moo.unsga3 import UNSGA3
from pymoo.config import Config
from pymoo.operators.selection.tournament import TournamentSelection
from pymoo.util.ref_dirs import get_reference_directions

from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from pymoo.core.algorithm import Algorithm
    from pymoo.core.population import Population

    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.search.pymoo_adapter.operators import AttributeCrossover, AttributeMutation, Novelty

# Standard output belongs to the program, not to hints about pymoo's installation.
Config.show_compile_hint = False

WITHOUT_CONSTRAINTS = ("moead",)
"""Those that know no constraints, so that a violation has to show in the costs."""

NEIGHBOURS = 20

MATINGS = 10
"""How often parents are mated again if their offspring are known already; then a generation is smaller."""

OTHERS = {
    "nsga2": NSGA2,
    "nsga3": NSGA3,
    "unsga3": UNSGA3,
    "smsemoa": SMSEMOA,
    "spea2": SPEA2,
    "moead": ParallelMOEAD,
}


class Operators(NamedTuple):
    """What an algorithm is made of."""

    crossover: AttributeCrossover
    mutation: AttributeMutation
    novelty: Novelty


def population_size(name: str, population: int, objectives: int) -> int:
    """Return how many recodings a population has."""
    if objectives == 1 and name != "nsga2":
        raise ParameterError(f"{name!r} needs two objectives or more. Name another one, or use 'nsga2'.")
    return len(_directions(population, objectives)) if name == "moead" else population


def make_algorithm(name: str, first: IntArray, objectives: int, operators: Operators) -> Algorithm:
    """Return an algorithm that sets out from a first population."""
    common = {"sampling": first, "crossover": operators.crossover, "mutation": operators.mutation}
    size = len(first)
    if name == "moead":
        directions = _directions(size, objectives)
        return ParallelMOEAD(directions, n_neighbors=min(NEIGHBOURS, len(directions)), **common)
    common |= {"pop_size": size, "eliminate_duplicates": operators.novelty}
    if name in COMPARISONS:
        common["selection"] = TournamentSelection(func_comp=COMPARISONS[name])
    if name in ("nsga3", "unsga3"):
        common["ref_dirs"] = _directions(size, objectives)
    made = load(name)(**common)
    made.mating.n_max_iterations = MATINGS
    # It is a default argument, one for all runs, and that of SPEA2 remembers the runs before.
    made.survival = copy.deepcopy(made.survival)
    return made


def load(name: str) -> type[Algorithm]:
    """Return the class of an algorithm; that of AGE-MOEA brings kernels of its own."""
    kind: type[Algorithm]
    if name == "agemoea":
        from pymoo.algorithms.moo import age

        # Its kernels are compiled by their first call, which would take seconds of the search.
        corners = age.find_corner_solutions(np.eye(3, 2))
        age.AGEMOEASurvival.minkowski_distances(np.eye(3, 2)[corners], np.eye(3, 2), 1.0)
        kind = age.AGEMOEA
    else:
        kind = OTHERS[name]
    return kind


def _directions(population: int, objectives: int) -> FloatArray:
    """Return as many evenly spread directions as a population can follow."""
    parts = 1
    while math.comb(parts + objectives, objectives - 1) <= population:
        parts += 1
    return np.asarray(get_reference_directions("uniform", objectives, n_partitions=parts))


# pymoo's own comparisons for these two decide ties between infeasible ones by chance that no seed settles.


def _compare_violations(
    pop: Population, pairs: LongArray, *, random_state: np.random.Generator, **_: object
) -> LongArray:
    """Let the one win that violates less; where that is the same, chance decides."""
    violated = pop.get("CV")[:, 0][pairs]
    chance = random_state.random(len(pairs)) < 0.5
    first = np.where(violated[:, 0] != violated[:, 1], violated[:, 0] < violated[:, 1], chance)
    return np.where(first, pairs[:, 0], pairs[:, 1])[:, None]


def _compare_in_niches(
    pop: Population, pairs: LongArray, *, random_state: np.random.Generator, **_: object
) -> LongArray:
    """Do the same, but of two feasible ones in one niche the better rank wins, then the shorter distance."""
    winners = _compare_violations(pop, pairs, random_state=random_state)
    violated, niche = pop.get("CV")[:, 0], pop.get("niche")
    rank, distance = pop.get("rank"), pop.get("dist_to_niche")
    for place, (one, other) in enumerate(pairs.tolist()):
        if violated[one] == violated[other] == 0 and niche[one] == niche[other]:
            first = (rank[one], distance[one]) <= (rank[other], distance[other])
            winners[place] = one if first else other
    return winners


COMPARISONS = {"nsga3": _compare_violations, "unsga3": _compare_in_niches}
