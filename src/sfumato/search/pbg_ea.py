"""PBG-EA: an evolutionary search for property based generalizations.

For lattices that cannot be enumerated. The generator recombines nodes chosen
from the population and the archive; every node is evaluated at most once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Rule
from sfumato.errors import ParameterError
from sfumato.front import BoxArchive
from sfumato.kernels.dominance import dominance_fitness
from sfumato.kernels.reachable import best_reachable
from sfumato.measures import Monotone
from sfumato.search.ledger import Ledger, Run, check_parameters
from sfumato.search.problem import is_of_cells

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.classes import Batch, Statistics
    from sfumato.search.problem import Problem, SearchResult


class Screen:
    """Bounds the indices of nodes by what their evaluated generalizations and specializations have.

    Without suppression an index that improves along generalization is at most
    that of every generalization, one that worsens at most that of every
    specialization, and one made of cell costs at most its value without suppression.
    With suppression the first two are good guesses.
    """

    def __init__(self, problem: Problem, batch: Batch) -> None:
        self._problem, self._batch = problem, batch
        monotone = [item.monotone for item in problem.objectives]
        # Where suppression has no budget, or takes what fails, it moves measures more than levels do.
        tame = problem.suppression.rule is not Rule.BELOW_MEAN
        strict = bool(problem.requirements)
        self._improves = np.array([tame and Monotone.IMPROVES in item for item in monotone])
        self._worsens = np.array(
            [
                tame and Monotone.WORSENS in item and not (strict and Monotone.ROW_PENALTIES in item)
                for item in monotone
            ]
        )

    def hopeless(
        self, nodes: LongArray, known: LongArray, indices: FloatArray, archive: FloatArray
    ) -> BoolArray:
        """Tell which nodes an archive seems to dominate or equal."""
        if not len(archive):
            return np.zeros(len(nodes), dtype=bool)
        reach = best_reachable(nodes, known, indices, self._improves, self._worsens)
        reach = np.minimum(reach, self._cell_bounds(nodes))
        covered: BoolArray = np.all(archive[None] >= reach[:, None], axis=2)
        return np.asarray(np.any(covered, axis=1))

    def _cell_bounds(self, nodes: LongArray) -> FloatArray:
        """Return what indices made of cell costs alone are at most."""
        bounds = np.full((len(nodes), len(self._problem.objectives)), np.inf)
        for place, item in enumerate(self._problem.objectives):
            if is_of_cells(item):
                bounds[:, place] = self._problem.index(item, item.value(self._batch.unsuppressed(nodes)))
        return bounds


SCREENED = 1_000
"""How many of the latest evaluated nodes children are compared with before they are evaluated."""


@dataclass(frozen=True)
class PbgParameters:
    """Parameters of PBG-EA."""

    population: int = 100  # nodes in a population (the paper uses 25)
    iterations: int = 250  # populations made after the first one (the paper uses 100)
    crossover: float = 0.8  # probability that a pair exchanges parts
    # probability for each attribute to move by one level; 1 / attributes where None
    mutation: float | None = None
    # a child that was evaluated already, or is screened out, takes up to so many random steps of one level to
    # a node that is neither. With 0 it stays, as in the paper.
    walk: int = 5
    # whether children are passed over that look dominated before they are evaluated: by the privacy of the
    # nearest evaluated generalizations, the loss of the nearest specializations, and what cells cost at
    # least. Suppression can make that wrong, so such a node is only not sought.
    screening: bool = True
    # measure → width of its boxes. With boxes the result is the paper's archive, a representative subset of
    # bounded size; without, everything found that nothing found dominates.
    boxes: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_parameters(self, {"population": 2, "iterations": 0, "walk": 0})


def search_pbg_ea(problem: Problem, run: Run | None = None) -> SearchResult:
    """Search a lattice by PBG-EA.

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), On the identification of property based
    generalizations in microdata anonymization, Algorithm 2.
    """
    return _PbgSearch(problem, run or Run()).search()


def compile_pbg_ea(problem: Problem) -> None:
    """Have its own kernels ready, so that compiling takes none of the time limit."""
    indices, nodes = np.zeros((1, len(problem.objectives))), np.zeros((1, 1), dtype=np.int64)
    none = np.zeros(len(problem.objectives), dtype=bool)
    dominance_fitness(indices)
    best_reachable(nodes, nodes, indices, none, none)


class _PbgSearch(Ledger):
    """All nodes evaluated so far, the population, the archive."""

    def __init__(self, problem: Problem, run: Run) -> None:
        super().__init__(problem, run, problem.lattice, "pbg-ea")
        self.run, self.parameters = run, run.parameters_of(PbgParameters)
        attributes, mutation = len(problem.lattice.ladders), self.parameters.mutation
        self.mutation = 1 / attributes if mutation is None else mutation
        self.nodes: LongArray = np.zeros((0, attributes), dtype=np.int64)
        self.indices: FloatArray = np.zeros((0, len(problem.objectives)))
        self.feasible: BoolArray = np.zeros(0, dtype=bool)
        self.failing: LongArray = np.zeros(0, dtype=np.int64)
        widths = self.parameters.boxes
        self.boxes = box_archive(problem, widths) if widths else None
        self.offered: LongArray = np.zeros(0, dtype=np.int64)
        self.screen = Screen(problem, self.batch) if self.parameters.screening else None

    def search(self) -> SearchResult:
        population = self.evaluate(self._first())
        for generation in range(1, self.parameters.iterations + 1):
            if self.is_over:
                break
            pool = np.unique(np.concatenate([population[population >= 0], self._archive()]))
            selected = self._select(pool)
            population = self.evaluate(self._renew(self._mutate(self._cross(self.nodes[selected]))))
            self.share = generation / self.parameters.iterations
        self.close()
        return self.run.result(self.lattice, self._found(), len(self.nodes), complete=self.is_complete)

    def note(self, statistics: Statistics, feasible: BoolArray) -> None:
        """Keep what nodes are worth, and offer those that fit to the boxes."""
        start, indices = len(self.nodes), self.problem.indices(statistics)
        self.nodes = np.concatenate([self.nodes, statistics.nodes])
        self.indices = np.concatenate([self.indices, indices])
        self.feasible = np.concatenate([self.feasible, feasible])
        self.failing = np.concatenate([self.failing, statistics.failing])
        if self.boxes is not None:
            fits = np.flatnonzero(feasible)
            self.boxes.offer(indices[fits])
            self.offered = np.concatenate([self.offered, start + fits])

    def _first(self) -> LongArray:
        """Draw the first population; it always holds the most general and the most special node."""
        lattice = self.problem.lattice
        drawn = self.random.integers(
            lattice.bottom, lattice.top + 1, (self.parameters.population - 2, len(lattice.ladders))
        )
        return np.concatenate([drawn, lattice.bottom[None], lattice.top[None]])

    def _archive(self) -> LongArray:
        """Return the numbers of the archive's nodes."""
        if self.boxes is not None:
            return np.asarray(self.offered[self.boxes.members])
        return self.numbers(self.front.nodes)

    def _fitness(self, pool: LongArray) -> LongArray:
        """Return the summed dominance counts of those that dominate; infeasible nodes come last."""
        fitness = np.zeros(len(pool), dtype=np.int64)
        fits = self.feasible[pool]
        fitness[fits] = dominance_fitness(np.ascontiguousarray(self.indices[pool[fits]]))
        fitness[~fits] = fitness.max(initial=0) + 1 + self.failing[pool[~fits]]
        return fitness

    def _select(self, pool: LongArray) -> LongArray:
        """Choose as many nodes as a population has by binary tournaments."""
        fitness = self._fitness(pool)
        pairs = self.random.integers(0, len(pool), (self.parameters.population, 2))
        first_wins = fitness[pairs[:, 0]] <= fitness[pairs[:, 1]]
        return np.asarray(pool[np.where(first_wins, pairs[:, 0], pairs[:, 1])])

    def _cross(self, selected: LongArray) -> LongArray:
        """Exchange the tails of pairs drawn without replacement; one left over stays as it is."""
        nodes = selected[self.random.permutation(len(selected))]
        pairs, attributes = len(nodes) // 2, nodes.shape[1]
        happens = self.random.random(pairs) < self.parameters.crossover
        points = self.random.integers(1, max(2, attributes), pairs)
        tail = (np.arange(attributes) >= points[:, None]) & happens[:, None]
        first, second = nodes[: 2 * pairs : 2], nodes[1 : 2 * pairs : 2]
        children = [np.where(tail, second, first), np.where(tail, first, second), nodes[2 * pairs :]]
        return np.concatenate(children)

    def _mutate(self, nodes: LongArray) -> LongArray:
        """Move levels by one, up or down, within what is allowed."""
        happens = self.random.random(nodes.shape) < self.mutation
        step = np.where(self.random.random(nodes.shape) < 0.5, -1, 1)
        moved = nodes + happens * step
        return np.ascontiguousarray(np.clip(moved, self.problem.lattice.bottom, self.problem.lattice.top))

    def _renew(self, children: LongArray) -> LongArray:
        """Let children that bring nothing new walk on; leave those out that still look dominated."""
        for _ in range(self.parameters.walk):
            stale = np.flatnonzero(self._is_stale(children))
            if not len(stale):
                return children
            places = self.random.integers(0, children.shape[1], len(stale))
            children[stale, places] += np.where(self.random.random(len(stale)) < 0.5, -1, 1)
            children = np.clip(children, self.problem.lattice.bottom, self.problem.lattice.top)
        if self.screen is None:
            return children
        known = np.array([node.tobytes() in self.number_of for node in children])
        return children[known | ~self._is_hopeless(children)]

    def _is_stale(self, children: LongArray) -> BoolArray:
        """Tell which children are known, the same as an earlier one, or look dominated."""
        seen: set[bytes] = set()
        stale = np.zeros(len(children), dtype=bool)
        for place, node in enumerate(children):
            key = node.tobytes()
            stale[place] = key in self.number_of or key in seen
            seen.add(key)
        fresh = np.flatnonzero(~stale)
        stale[fresh] = self._is_hopeless(children[fresh])
        return stale

    def _is_hopeless(self, nodes: LongArray) -> BoolArray:
        if self.screen is None or not len(nodes):
            return np.zeros(len(nodes), dtype=bool)
        best = self.numbers(self.front.nodes)
        # The front and the latest nodes lie around the children; older ones would only cost time.
        near = np.union1d(best, np.arange(max(0, len(self.nodes) - SCREENED), len(self.nodes)))
        # A node that misses a requirement has most rows suppressed, and tells nothing of its neighbours.
        near = near[self.feasible[near]]
        return self.screen.hopeless(nodes, self.nodes[near], self.indices[near], self.indices[best])

    def _found(self) -> LongArray:
        """Return the front, or what of it is in the boxes."""
        if self.boxes is None:
            return self.front.nodes
        # Of several nodes with equal values the archive holds the first, the front the preferred one.
        held = {row.tobytes() for row in self.boxes.values}
        rows = self.indices[self.numbers(self.front.nodes)]
        return self.front.nodes[[row.tobytes() in held for row in rows]]


def box_archive(problem: Problem, widths: Mapping[str, float]) -> BoxArchive:
    """Return the archive for given widths; objectives without one get the width 1."""
    names = [item.name for item in problem.objectives]
    for name in widths:
        if name not in names:
            raise ParameterError(f"boxes name {name!r}, which is not an objective.")
    return BoxArchive(np.array([widths.get(name, 1.0) for name in names], dtype=np.float64))
