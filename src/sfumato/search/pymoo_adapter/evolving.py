"""Searches any mix of schemes by one of pymoo's algorithms."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError, nearest
from sfumato.front import hypervolume
from sfumato.monitor import Recall, StoppedError
from sfumato.search.checkpoint import run_mark
from sfumato.search.ledger import Run
from sfumato.search.pymoo_adapter.first_population import SHARE, Seeds, find_seeds
from sfumato.search.pymoo_adapter.genome import ALGORITHMS, EvolutionParameters, Genome
from sfumato.search.pymoo_adapter.scoring import Evaluations, constraint_count

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, IntArray
    from sfumato.search.problem import Problem, SearchResult

WIDE = 100.0
"""Costs that span a larger ratio are compared by their logarithms, as class sizes are."""

LEAST_GAIN = 1e-4
"""The relative growth of the hypervolume that counts as one."""

MANY = 4
MOST_POINTS = 300
"""With so many objectives, so many evenly chosen points stand for the rest: time grows with both."""


class Scale:
    """Maps costs to [0, 1] over those that it was made from."""

    def __init__(self, costs: FloatArray) -> None:
        least, most = np.abs(costs).min(axis=0), np.abs(costs).max(axis=0)
        one_sign = (costs > 0).all(axis=0) | (costs < 0).all(axis=0)
        self._logarithmic: BoolArray = one_sign & (most > WIDE * least)
        logged = self._logged(costs)
        self._low, span = logged.min(axis=0), np.ptp(logged, axis=0)
        self._span = np.where(span > 0, span, 1.0)

    def __call__(self, costs: FloatArray) -> FloatArray:
        """Return scaled costs; those beyond what the scale was made from lie outside [0, 1]."""
        return np.asarray((self._logged(costs) - self._low) / self._span)

    def _logged(self, costs: FloatArray) -> FloatArray:
        logarithms = np.sign(costs) * np.log(np.maximum(np.abs(costs), 1e-300))
        return np.where(self._logarithmic, logarithms, costs)


class Gain:
    """Follows the hypervolume of a growing archive.

    The scale comes from the first solutions and then stays, so that the number never falls, but where
    there are so many objectives that a part of the archive stands for all.
    """

    def __init__(self, patience: int | None) -> None:
        self._patience = patience
        self._scale: Scale | None = None
        self._reached = 0.0
        self._idle = 0
        self.hypervolume: float | None = None

    @property
    def stalled(self) -> bool:
        """Whether it did not grow for as long as patience lasts."""
        return self._patience is not None and self._idle >= self._patience

    def follow(self, costs: FloatArray) -> None:
        """Look at the archive of another generation."""
        self._idle += 1
        if not len(costs):
            return
        if self._scale is None:
            self._scale = Scale(costs)
        if costs.shape[1] >= MANY and len(costs) > MOST_POINTS:
            costs = costs[np.linspace(0, len(costs) - 1, MOST_POINTS).astype(np.int64)]
        self.hypervolume = hypervolume(self._scale(costs))
        if self.hypervolume > self._reached * (1 + LEAST_GAIN):
            self._reached, self._idle = self.hypervolume, 0


DRAWS = 20
"""How often a recoding of the first population is drawn again if it is already there."""

WORST = 2.0
"""What an infeasible recoding costs at least where violations have to show in scaled costs."""


def search_pymoo(problem: Problem, run: Run | None = None, algorithm: str = "nsga2") -> SearchResult:
    """Search by an evolutionary algorithm of pymoo.

    No recoding is evaluated twice, and the result is the best of everything evaluated, seeds included,
    not only the last population.

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), Multi-objective evolutionary optimization in
    statistical disclosure control, section 1.4. Deb, K. et al. (2002), A fast and elitist
    multiobjective genetic algorithm: NSGA-II, doi:10.1109/4235.996017.
    """
    if algorithm not in ALGORITHMS:
        raise ParameterError(
            f"there is no algorithm {algorithm!r} for recodings. {nearest(algorithm, ALGORITHMS)}"
        )
    return _EvolvingRun(problem, run or Run(), algorithm).search(algorithm)


def compile_pymoo(problem: Problem, algorithm: str = "nsga2") -> None:
    """Have the kernels ready and pymoo imported, so that neither takes time of a search."""
    from sfumato.search.pymoo_adapter import algorithms

    algorithms.load(algorithm)
    if problem.schemes is not None:
        problem.recodings(threads=1).compile()


class _EvolvingRun:
    """One run: what was evaluated, and how far it came."""

    def __init__(self, problem: Problem, run: Run, name: str) -> None:
        self.problem, self.run, self.watch = problem, run, run.monitor
        self.random, self.parameters = np.random.default_rng(run.seed), run.parameters_of(EvolutionParameters)
        batch = run.batch_of(problem)
        self.threads = batch.threads
        self.genome = Genome(problem)
        recall = Recall(run.checkpoint, run_mark(problem, name, run.parameters, run.seed))
        self.evaluations = Evaluations(problem, self.genome, batch, recall)
        self.gain = Gain(self.parameters.patience)
        self.seeds = Seeds(np.zeros((0, self.genome.width), dtype=np.int32))
        self.scale: Scale | None = None
        self.generation = 0
        self.reason: str | None = None

    def search(self, name: str) -> SearchResult:
        self._tick()
        if self.parameters.seeding and not self.watch.stopped:
            seed = int(self.random.integers(2**31))
            self.seeds = find_seeds(self.problem, self.genome, self.watch, self.threads, seed)
        # However little time there was for seeds, what they are is kept.
        self.evaluations.evaluate(self.seeds.X, lambda: None)
        try:
            self._refuse_late()
            if self.genome.width:
                self._evolve(name)
            else:
                self._evaluate(self.genome.ends[:1])
        except StoppedError:
            pass
        self._tick(done=True)
        self.evaluations.close()
        return self._result()

    @property
    def evaluated(self) -> int:
        """Recodings evaluated so far; seeds that an enumeration found are counted there."""
        again = len(self.seeds.X) if self.seeds.evaluated else 0
        return self.seeds.evaluated + max(0, self.evaluations.evaluated - again)

    def _tick(self, *, done: bool = False) -> None:
        begin = SHARE if self.seeds.evaluated else 0.0
        share = self.generation / (self.parameters.iterations + 1)
        fraction = 1.0 if done and not self.watch.stopped else begin + (1 - begin) * share
        self.watch.hypervolume, self.watch.costs = self.gain.hypervolume, self.evaluations.archive.costs
        if self.watch.tick(fraction, self.evaluated):
            self.evaluations.stop()

    def _refuse_late(self) -> None:
        """Raise StoppedError if it is time."""
        self._tick()
        if self.watch.stopped:
            raise StoppedError

    def _evaluate(self, X: IntArray) -> tuple[FloatArray, FloatArray]:
        """Evaluate recodings, or raise StoppedError."""
        self._refuse_late()
        return self.evaluations.evaluate(X, self._tick)

    def _evolve(self, name: str) -> None:
        """Let the algorithm go on until the iterations are done or something ends it."""
        from sfumato.search.pymoo_adapter import algorithms, operators

        parameters, objectives = self.parameters, len(self.problem.objectives)
        size = algorithms.population_size(name, parameters.population, objectives)
        novelty = operators.Novelty(self.genome, self._is_known)
        tools = algorithms.Operators(
            operators.AttributeCrossover(self.genome, parameters.crossover),
            operators.AttributeMutation(self.genome, self.genome.rates(parameters)),
            novelty,
        )
        bare = name in algorithms.WITHOUT_CONSTRAINTS
        constraints = 0 if bare else constraint_count(self.problem)
        asked = operators.RecodingProblem(
            self.genome.width, objectives, constraints, self._penalized if bare else self._separate
        )
        made = algorithms.make_algorithm(name, self._first(size), objectives, tools)
        with warnings.catch_warnings():  # pymoo changes the filters as it goes, and divides by zero spans
            warnings.simplefilter("ignore")
            made.setup(
                asked,
                termination=("n_gen", parameters.iterations + 1),
                seed=int(self.random.integers(2**31)),
            )
            while made.has_next() and not self._is_over():
                made.next()
                novelty.first = False
                self.generation += 1
                self.gain.follow(self.evaluations.archive.costs)
                self._tick()

    def _is_over(self) -> bool:
        """Tell whether something ends the search before its iterations are done, and remember what."""
        if self.watch.stopped:
            return True
        if self.gain.stalled:
            self.reason = "stalled"
        elif len(self.evaluations.number_of) >= self.problem.space:
            self.reason = "nothing left"
        return self.reason is not None

    def _is_known(self, X: IntArray, keys: list[bytes]) -> BoolArray:
        """Tell which recodings were evaluated, by this search or to find its seeds."""
        known = np.array([key in self.evaluations.number_of for key in keys], dtype=np.bool_)
        return known | self.seeds.covers(self.genome, X)

    def _first(self, size: int) -> IntArray:
        """Return the first population: seeds from all along their front up to half of it, the rest drawn."""
        count = min(len(self.seeds.X), (size + 1) // 2)
        places = np.linspace(0, max(0, len(self.seeds.X) - 1), count).astype(np.int64)
        chosen = self.seeds.X[places]
        drawn, taken = [chosen], set(self.genome.keys(chosen))
        for _ in range(DRAWS):
            self._refuse_late()
            X = self.genome.draw(size - len(taken), self.random)
            keys = dict(zip(self.genome.keys(X), range(len(X)), strict=True))
            known = self._is_known(X, self.genome.keys(X))
            fresh = [place for key, place in keys.items() if key not in taken and not known[place]]
            taken |= {key for key, place in keys.items() if not known[place]}
            drawn.append(X[fresh])
        # A small space may not have so many: repetitions fill the population up.
        return np.resize(np.concatenate(drawn), (size, self.genome.width))

    def _separate(self, X: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return costs and violations; costs that infeasible recodings do not have are the worst ones."""
        costs, violated = self._evaluate(X)
        finite = np.isfinite(costs)
        worst = np.where(finite, costs, -np.inf).max(axis=0)
        return np.where(finite, costs, np.where(np.isfinite(worst), worst, 0.0)), violated

    def _penalized(self, X: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return scaled costs, those of infeasible recodings above all others."""
        costs, violated = self._evaluate(X)
        total = violated.sum(axis=1)
        fits = np.flatnonzero(total == 0)
        scaled = np.repeat(WORST + total[:, None], costs.shape[1], axis=1)
        if len(fits):
            self.scale = self.scale or Scale(costs[fits])
            scaled[fits] = self.scale(costs[fits])
        return scaled, violated

    def _result(self) -> SearchResult:
        lattice, nodes = self.genome.listed(self.evaluations.archive.nodes)
        reason = self.reason or (None if len(nodes) else "iterations done")
        return self.run.result(lattice, nodes, self.evaluated, complete=False, reason=reason)
