"""A genetic algorithm over binary codes of recodings, for the product of the objectives.

The partitions of each attribute are numbered, a recoding is the numbers of its partitions in binary,
one after the other, and codes are recombined bit by bit. For spaces that cannot be enumerated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.search.ledger import Ledger, Run, check_parameters

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.classes import Statistics
    from sfumato.search.problem import Problem, SearchResult

Bits: TypeAlias = NDArray[np.uint8]


@dataclass(frozen=True)
class GranulationParameters:
    """Parameters of the genetic algorithm."""

    population: int = 50  # recodings in a population
    iterations: int = 100  # populations made after the first one
    # probability that a pair exchanges parts, between one or two points, each as often
    crossover: float = 0.8
    mutation: float | None = None  # probability for each bit to flip; 1 / bits where None
    elite: int = 1  # so many of the best go on unchanged

    def __post_init__(self) -> None:
        check_parameters(self, {"population": 2, "iterations": 0})
        if not 0 <= self.elite < self.population:
            raise ParameterError(f"elite must be from 0 to the population less one; got {self.elite}.")


@dataclass(frozen=True)
class BinaryCode:
    """Recodings as binary texts: ⌈log₂ n⌉ bits for an attribute of n partitions, highest bit first.

    Examples
    --------
    >>> code = BinaryCode((4, 6, 5))
    >>> code.decode(np.array([[0, 1, 0, 1, 1, 0, 1, 0]], dtype=np.uint8)).tolist()
    [[1, 3, 2]]
    """

    counts: tuple[int, ...]  # how many partitions each attribute has

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Bits of each attribute; none where there is no choice."""
        return tuple((count - 1).bit_length() for count in self.counts)

    @property
    def length(self) -> int:
        """Bits of a code."""
        return sum(self.widths)

    def encode(self, places: LongArray) -> Bits:
        """Return the codes of recodings, given by the places of their partitions, shape (n, q)."""
        columns = [
            (places[:, a : a + 1] >> np.arange(width - 1, -1, -1)) & 1 for a, width in enumerate(self.widths)
        ]
        return np.concatenate(columns, axis=1).astype(np.uint8)

    def decode(self, codes: Bits) -> LongArray:
        """Return the places that codes stand for; numbers beyond the last partition are taken modulo."""
        places = np.zeros((len(codes), len(self.counts)), dtype=np.int64)
        begin = 0
        for a, (width, count) in enumerate(zip(self.widths, self.counts, strict=True)):
            field = codes[:, begin : begin + width].astype(np.int64)
            places[:, a] = (field << np.arange(width - 1, -1, -1)).sum(axis=1) % count
            begin += width
        return places

    def repair(self, codes: Bits) -> Bits:
        """Return the codes of the recodings that codes stand for.

        Examples
        --------
        >>> code = BinaryCode((4, 6, 5))
        >>> code.repair(np.array([[0, 1, 0, 0, 0, 1, 0, 1]], dtype=np.uint8)).tolist()
        [[0, 1, 0, 0, 0, 0, 0, 0]]
        """
        return self.encode(self.decode(codes))


def exchange(first: Bits, second: Bits, begin: LongArray, end: LongArray) -> tuple[Bits, Bits]:
    """Exchange the bits from ``begin`` up to before ``end`` of each pair of codes.

    One point is an exchange up to the end; two points are one of the middle.
    """
    places = np.arange(first.shape[1])
    swaps = (places >= begin[:, None]) & (places < end[:, None])
    return np.where(swaps, second, first), np.where(swaps, first, second)


def search_granulation_ga(problem: Problem, run: Run | None = None) -> SearchResult:
    """Search any space whose partitions can be listed for the largest product of the objectives.

    Attribute-oriented granulation for privacy protection, section 4.3.
    """
    return _GranulationSearch(problem, run or Run()).search()


class _GranulationSearch(Ledger):
    """All recodings evaluated so far, and the front among them."""

    def __init__(self, problem: Problem, run: Run) -> None:
        _check_objectives(problem)
        super().__init__(problem, run, problem.members, "granulation-ga")
        self.run, self.parameters = run, run.parameters_of(GranulationParameters)
        self.code = BinaryCode(self.lattice.counts)
        self.lowest = np.array([ladder.lowest for ladder in self.lattice.ladders], dtype=np.int64)
        mutation = self.parameters.mutation
        self.mutation = 1 / max(1, self.code.length) if mutation is None else mutation
        self.fitness: FloatArray = np.zeros(0)
        self.holding: FloatArray = np.zeros(0)
        self.best = -1.0
        self.generation = 0

    def search(self) -> SearchResult:
        counts = np.array(self.lattice.counts, dtype=np.int64)
        places = self.random.integers(0, counts, (self.parameters.population, len(counts)))
        codes = self.code.encode(places)
        known = self._evaluate(codes)
        while self.generation < self.parameters.iterations and not self.is_over:
            codes = self._next(codes, known)
            known = self._evaluate(codes)
            self.generation += 1
            self.share = self.generation / self.parameters.iterations
        self.close()
        found = self.front.nodes
        return self.run.result(
            self.lattice,
            found,
            len(self.fitness),
            complete=self.is_complete,
            certificate=self._certificate(found),
        )

    def _evaluate(self, codes: Bits) -> LongArray:
        return self.evaluate(self.code.decode(codes) + self.lowest)

    def note(self, statistics: Statistics, feasible: BoolArray) -> None:
        """Keep the product of the objectives, and how nearly the requirements are met."""
        # A recoding that keeps no row has infinite indices, which must not be multiplied.
        factors = np.where(feasible[:, None], self.problem.indices(statistics), 0.0)
        product = np.maximum(factors.prod(axis=1), 0.0)
        self.best = max(self.best, float(product[feasible].max(initial=-1.0)))
        share = 1 - statistics.failing / self.problem.cube.row_count
        self.fitness = np.concatenate([self.fitness, product])
        self.holding = np.concatenate([self.holding, np.where(feasible, 1.0, share)])

    def _next(self, codes: Bits, known: LongArray) -> Bits:
        """Make the next population: the best as they are, the others drawn, crossed, mutated, repaired."""
        size, elite = self.parameters.population, self.parameters.elite
        fitness = self.fitness[known]
        drawn = codes[self.random.choice(size, size=size, p=self._chances(known, fitness))]
        children = self.code.repair(self._mutate(self._cross(drawn)))
        best = np.argsort(-fitness, kind="stable")[:elite]
        return np.concatenate([codes[best], children[: size - elite]])

    def _chances(self, known: LongArray, fitness: FloatArray) -> FloatArray:
        """Return how likely the wheel stops at each recoding: by its share of all fitness."""
        wheel = fitness if fitness.sum() > 0 else self.holding[known]
        if not wheel.sum() > 0:
            return np.full(len(wheel), 1 / len(wheel))
        return np.asarray(wheel / wheel.sum())

    def _cross(self, codes: Bits) -> Bits:
        """Exchange parts of neighbours in the list; one left over stays as it is."""
        pairs, length = len(codes) // 2, codes.shape[1]
        happens = self.random.random(pairs) < self.parameters.crossover
        points = np.sort(self.random.integers(1, max(2, length), (pairs, 2)), axis=1)
        is_single = self.random.random(pairs) < 0.5
        end = np.where(is_single, length, points[:, 1])
        begin = np.where(happens, points[:, 0], length)
        first, second = exchange(codes[: 2 * pairs : 2], codes[1 : 2 * pairs : 2], begin, end)
        return np.concatenate(
            [np.stack([first, second], axis=1).reshape(2 * pairs, length), codes[2 * pairs :]]
        )

    def _mutate(self, codes: Bits) -> Bits:
        """Flip bits."""
        flips = self.random.random(codes.shape) < self.mutation
        return np.where(flips, 1 - codes, codes).astype(np.uint8)

    def _certificate(self, found: LongArray) -> dict[str, object]:
        """Say which solution has the largest product; one as good and earlier in the front will do."""
        made: dict[str, object] = {
            "product": [item.name for item in self.problem.objectives],
            "generations": self.generation,
        }
        if len(found):
            products = self.fitness[self.numbers(found)]
            made |= {"fitness": self.best, "solution": int(np.argmax(products)) + 1}
        return made


def _check_objectives(problem: Problem) -> None:
    """Refuse objectives that cannot be factors."""
    rows, attributes = problem.cube.row_count, len(problem.lattice.ladders)
    if not problem.objectives:
        raise ParameterError("'granulation-ga' needs objectives: their product is what it maximizes.")
    for item in problem.objectives:
        if item.direction.sign > 0 and not item.largest(rows, attributes) > 0:
            raise ParameterError(
                f"'granulation-ga' multiplies its objectives, and {item.name!r} has no bound to be "
                "subtracted from. Use objectives to maximize, or 'loss'."
            )
