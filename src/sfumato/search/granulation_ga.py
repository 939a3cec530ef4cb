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
from sfumato.monitor import Monitor
from sfumato.search.exhaustive import Archive
from sfumato.search.problem import SearchResult, Status

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray
    from sfumato.classes import Batch
    from sfumato.domains import Lattice
    from sfumato.search.problem import Problem

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
        if self.population < 2:
            raise ParameterError(f"population must be at least 2; got {self.population}.")
        if self.iterations < 0:
            raise ParameterError(f"iterations must be at least 0; got {self.iterations}.")
        if not 0 <= self.elite < self.population:
            raise ParameterError(f"elite must be from 0 to the population less one; got {self.elite}.")
        for name, value in (("crossover", self.crossover), ("mutation", self.mutation)):
            if value is not None and not 0 <= value <= 1:
                raise ParameterError(f"{name} must be a probability from 0 to 1; got {value}.")


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


def search_granulation_ga(
    problem: Problem,
    batch: Batch,
    monitor: Monitor | None = None,
    *,
    seed: int | np.random.Generator | None = None,
    parameters: GranulationParameters | None = None,
) -> SearchResult:
    """Search any space whose partitions can be listed for the largest product of the objectives.

    Attribute-oriented granulation for privacy protection, section 4.3.
    """
    return _Search(
        problem,
        batch,
        monitor or Monitor(),
        np.random.default_rng(seed),
        parameters or GranulationParameters(),
    ).run()


class _Search:
    """All recodings evaluated so far, and the front among them."""

    def __init__(
        self,
        problem: Problem,
        batch: Batch,
        watch: Monitor,
        random: np.random.Generator,
        parameters: GranulationParameters,
    ) -> None:
        _check_objectives(problem)
        self.problem, self.watch, self.random, self.parameters = problem, watch, random, parameters
        self.lattice: Lattice = problem.members
        self.batch = batch if batch.lattice is self.lattice else problem.batch(batch.threads, self.lattice)
        self.code = BinaryCode(self.lattice.counts)
        self.lowest = np.array([ladder.lowest for ladder in self.lattice.ladders], dtype=np.int64)
        bits = max(1, self.code.length)
        self.mutation = 1 / bits if parameters.mutation is None else parameters.mutation
        self.number_of: dict[bytes, int] = {}
        self.fitness: FloatArray = np.zeros(0)
        self.holding: FloatArray = np.zeros(0)
        self.best = (-1.0, b"")
        self.front = Archive(problem, self.lattice)
        self.generation = 0

    def run(self) -> SearchResult:
        counts = np.array(self.lattice.counts, dtype=np.int64)
        places = self.random.integers(0, counts, (self.parameters.population, len(counts)))
        codes = self.code.encode(places)
        known = self._evaluate(codes)
        while self.generation < self.parameters.iterations and not self._is_over():
            codes = self._next(codes, known)
            known = self._evaluate(codes)
            self.generation += 1
        self._tick()
        return self._result()

    def _is_over(self) -> bool:
        return self.watch.stopped or len(self.fitness) == self.lattice.size

    def _tick(self) -> None:
        share = self.generation / max(1, self.parameters.iterations)
        if self.watch.tick(share, len(self.fitness)):
            self.batch.stop()

    def _evaluate(self, codes: Bits) -> LongArray:
        """Evaluate the recodings that are new; return the numbers of all, −1 for those not reached."""
        self._tick()
        nodes = self.code.decode(codes) + self.lowest
        keys = [node.tobytes() for node in nodes]
        new = list(dict.fromkeys(key for key in keys if key not in self.number_of))
        if new:
            self._add(np.frombuffer(b"".join(new), dtype=np.int64).reshape(-1, nodes.shape[1]))
        return np.array([self.number_of.get(key, -1) for key in keys], dtype=np.int64)

    def _add(self, fresh: LongArray) -> None:
        statistics = self.batch.evaluate(fresh, self._tick)
        feasible = self.problem.feasible(statistics)
        fits = np.flatnonzero(feasible)
        # A recoding that keeps no row has infinite indices, which must not be multiplied.
        factors = np.where(feasible[:, None], self.problem.indices(statistics), 0.0)
        product = np.maximum(factors.prod(axis=1), 0.0)
        for place, node in enumerate(statistics.nodes):
            self.number_of[node.tobytes()] = len(self.number_of)
            if feasible[place] and product[place] > self.best[0]:
                self.best = float(product[place]), node.tobytes()
        share = 1 - statistics.failing / self.problem.cube.row_count
        self.fitness = np.concatenate([self.fitness, product])
        self.holding = np.concatenate([self.holding, np.where(feasible, 1.0, share)])
        self.front.add(
            statistics.nodes[fits], self.problem.costs(statistics)[fits], statistics.suppressed[fits]
        )

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

    def _result(self) -> SearchResult:
        complete = len(self.fitness) == self.lattice.size
        found = self.front.nodes
        if self.watch.stopped and not complete:
            status = Status.LIMIT_REACHED
        elif len(found):
            status = Status.OPTIMAL if complete else Status.FEASIBLE
        else:
            status = Status.INFEASIBLE if complete else Status.LIMIT_REACHED
        return SearchResult(
            self.lattice,
            found,
            status,
            complete,
            len(self.fitness),
            self.watch.seconds,
            stopped=None if complete else self.watch.reason,
            certificate=self._certificate(found),
        )

    def _certificate(self, found: LongArray) -> dict[str, object]:
        """Say which solution has the largest product; one as good and earlier in the front will do."""
        made: dict[str, object] = {
            "product": [item.name for item in self.problem.objectives],
            "generations": self.generation,
        }
        if len(found):
            products = self.fitness[[self.number_of[node.tobytes()] for node in found]]
            made |= {"fitness": self.best[0], "solution": int(np.argmax(products)) + 1}
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
