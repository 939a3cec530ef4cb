"""Our operators and our problem in pymoo's terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pymoo.core.crossover import Crossover
from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.mutation import Mutation
from pymoo.core.problem import Problem as PymooProblem

if TYPE_CHECKING:
    from collections.abc import Callable

    from pymoo.core.population import Population

    from sfumato._typing import BoolArray, FloatArray, IntArray
    from sfumato.search.pymoo_adapter.genome import Genome, Rates


class RecodingProblem(PymooProblem):  # type: ignore[misc]
    """Asks for the costs and the violations of recodings."""

    def __init__(
        self,
        width: int,
        objectives: int,
        constraints: int,
        evaluate: Callable[[IntArray], tuple[FloatArray, FloatArray]],
    ) -> None:
        super().__init__(n_var=width, n_obj=objectives, n_ieq_constr=constraints, vtype=int)
        self._ask = evaluate

    def _evaluate(self, X: IntArray, out: dict[str, FloatArray], *_: object, **__: object) -> None:
        out["F"], violations = self._ask(np.ascontiguousarray(X, dtype=np.int32))
        if self.n_ieq_constr:
            out["G"] = violations


class AttributeCrossover(Crossover):  # type: ignore[misc]
    """Crosses pairs attribute by attribute."""

    def __init__(self, genome: Genome, probability: float) -> None:
        super().__init__(2, 2, prob=probability)
        self._genome = genome

    def _do(
        self, _: object, X: IntArray, *__: object, random_state: np.random.Generator, **___: object
    ) -> IntArray:
        return np.stack(self._genome.cross(X[0], X[1], random_state))


class AttributeMutation(Mutation):  # type: ignore[misc]
    """Mutates attribute by attribute."""

    def __init__(self, genome: Genome, rates: Rates) -> None:
        super().__init__(prob=1.0)
        self._genome, self._rates = genome, rates

    def _do(
        self, _: object, X: IntArray, *__: object, random_state: np.random.Generator, **___: object
    ) -> IntArray:
        return self._genome.mutate(X, self._rates, random_state)


class Novelty(DuplicateElimination):  # type: ignore[misc]
    """Lets pass what was never evaluated; the first population passes as it is."""

    def __init__(self, genome: Genome, is_known: Callable[[IntArray, list[bytes]], BoolArray]) -> None:
        super().__init__()
        self._genome, self._is_known = genome, is_known
        self.first = True

    def do(self, pop: Population, *others: Population, **_: object) -> Population:
        """Return those that are new and no repetition of another one."""
        if self.first or not len(pop):
            return pop
        X = pop.get("X")
        keys = self._genome.keys(X)
        # The last one of others are the offspring that passed before.
        seen = set(self._genome.keys(others[-1].get("X"))) if others and len(others[-1]) else set()
        known = self._is_known(X, keys)
        fresh = []
        for place, key in enumerate(keys):
            if not known[place] and key not in seen:
                seen.add(key)
                fresh.append(place)
        return pop[fresh]
