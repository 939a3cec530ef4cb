"""One recoding drawn at random among those that are nearly as good as a given one.

A release that is known to be the best tells that everything better was impossible, and so something about
the rows. Drawn among all that are within a tolerance, it does not.

Where the space can be enumerated (`is_enumerable`, whatever the method that found the given recoding), all
that are within the tolerance are collected, and each is drawn with the same probability. Elsewhere `CHAINS`
random walks set out from the given recoding, by small changes of one attribute at a time that never leave
what is feasible and within the tolerance, and one of the recodings they met is drawn: those near the start
are met more often, so that draw is not uniform. The work is bounded by `STEPS` and `WALK_WORK`.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Rule, Suppression
from sfumato.domains import Lattice, Partition
from sfumato.measures import Direction, Monotone
from sfumato.monitor import Monitor
from sfumato.schemes import LevelScheme
from sfumato.search.exhaustive import windows
from sfumato.search.ledger import Run
from sfumato.search.methods import is_enumerable
from sfumato.search.optimal import search_optimal
from sfumato.search.problem import is_of_cells, level_number, list_recodings

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.classes import Batch, Statistics
    from sfumato.measures import ClassMeasure, Measure
    from sfumato.search.problem import Problem


def explain_infeasible(problem: Problem) -> str:
    """Say in one line why no recoding meets the requirements, and what the nearest is."""
    said = nearest_classes(problem)
    return f"no recoding meets {said}" if said else _explain_table(problem)


def nearest_classes(problem: Problem) -> str | None:
    """Say which requirements of classes are out of reach, and what the nearest is; None if none are.

    They are judged at the most general recoding, where k and distinct ℓ are largest and t smallest.
    """
    for measure, limit in problem.judged:
        best = _reachable(problem, measure)
        if measure.direction.sign * (best - limit) > 0:
            wish = _wish(measure, limit)
            return f"{wish}; the nearest that can be met is {measure.name} = {best:g}."
    needed = int(problem.batch(threads=1).evaluate(problem.lattice.top[None]).failing[0])
    if problem.judged and needed > problem.suppression.budget:
        share = np.ceil(1e6 * needed / problem.cube.row_count) / 1e6
        wishes = " and ".join(_wish(*item) for item in problem.judged)
        return (
            f"{wishes} together; the nearest "
            f"suppresses {needed} rows where {problem.suppression.budget} are allowed: a limit of {share:g} "
            "would be enough."
        )
    return None


def _wish(measure: Measure, limit: float) -> str:
    return f"{measure.name} {'>=' if measure.direction is Direction.MAXIMIZE else '<='} {limit:g}"


def _reachable(problem: Problem, measure: ClassMeasure) -> float:
    """Return the best bound that the most general recoding meets within the budget."""
    nothing = Suppression(Rule.NONE, 0)
    alone = replace(problem, requirements=(), objectives=(), extra=(measure,), suppression=nothing)
    classes = alone.batch(threads=1).classes(problem.lattice.top)
    value = classes.values[classes.properties.index(measure.judged)]
    worst_first = np.argsort(measure.direction.sign * -value, kind="stable")
    gone = np.cumsum(classes.rows[worst_first])
    left = worst_first[gone > problem.suppression.budget]
    # Where everything may be suppressed, still one class has to stay.
    return float(value[left[0]] if len(left) else value[worst_first[-1]])


def _explain_table(problem: Problem) -> str:
    """Find the table-level requirement that is out of reach once the class-level ones hold."""
    judged = tuple(item for item in problem.requirements if item not in problem.of_table)
    if problem.schemes is not None:
        # The search below knows levels alone, which other schemes may beat.
        return "no recoding meets all requirements together; relax one of them."
    for item in problem.of_table:
        alone = replace(problem, requirements=judged, objectives=(item.measure,), extra=())
        batch = alone.batch()
        result = search_optimal(alone, Run(batch=batch))
        if len(result.nodes):
            best = float(item.measure.value(batch.evaluate(result.nodes))[0])
            if item.measure.direction.sign * (best - item.limit) > 0:
                wish = _wish(item.measure, item.limit)
                return (
                    f"no recoding meets {wish} with the other requirements; the nearest that "
                    f"can be met is {item.measure.name} = {best:.6g}."
                )
    return "no recoding meets all requirements together, though each can be met by itself; relax one of them."


CHAINS, STEPS = 16, 200
"""Walks side by side, and steps of each at most."""

WALK_WORK = 1_000_000_000
"""Recodings × distinct tuples that walks evaluate at most; ten steps are always taken."""

ALONE = (
    "no other recoding is within the tolerance, so the choice hides nothing: raise the tolerance, or allow "
    "more levels or suppression."
)


@dataclass(frozen=True, eq=False)
class Near:
    """Recodings that are nearly as good as a given one."""

    # the recodings, each partition once, in an order that depends on the data and the seed alone
    lattice: Lattice
    nodes: LongArray
    complete: bool  # whether they are all there are

    def draw(self, rng: np.random.Generator) -> LongArray:
        """Draw one, each with the same probability."""
        return np.asarray(self.nodes[int(rng.integers(len(self.nodes)))])

    def about(self, tolerance: float) -> dict[str, object]:
        """Say what was drawn from, for those who may know it."""
        found = {"choice": "near-optimal", "tolerance": tolerance, "candidates": len(self.nodes)}
        lone = {"warning": ALONE} if len(self.nodes) == 1 else {}
        return {**found, "all_candidates": self.complete, **lone}


def draw_near(
    problem: Problem,
    given: tuple[Lattice, LongArray],
    tolerance: float,
    seed: int | None,
    *,
    hold_privacy: bool = False,
    threads: int | None = None,
    monitor: Monitor | None = None,
) -> tuple[Lattice, LongArray, dict[str, object]]:
    """Draw a recoding that is nearly as good as a given one."""
    rng = secret_generator(seed)
    near = collect_near(
        problem, *given, tolerance, rng, hold_privacy=hold_privacy, threads=threads, monitor=monitor
    )
    return near.lattice, near.draw(rng), near.about(tolerance)


def secret_generator(seed: int | None) -> np.random.Generator:
    """Return a generator that nobody outside can repeat, or a repeatable one for a seed."""
    return np.random.default_rng(secrets.randbits(128) if seed is None else seed)


def collect_near(
    problem: Problem,
    lattice: Lattice,
    node: LongArray,
    tolerance: float,
    rng: np.random.Generator,
    *,
    hold_privacy: bool = False,
    threads: int | None = None,
    monitor: Monitor | None = None,
) -> Near:
    """Collect feasible recodings that are within a tolerance of a given one in every objective."""
    watch = monitor or Monitor()
    best = problem.costs(problem.batch(threads=1, lattice=lattice).evaluate(node[None]))[0]
    held = np.array([hold_privacy and Monotone.IMPROVES in item.monotone for item in problem.objectives])
    # Costs are rounded to twelve digits: equal ones stay equal.
    limits = best + np.abs(best) * np.where(held, 0.0, tolerance) + 1e-11 * np.abs(best)
    if not is_enumerable(problem):
        start = tuple(
            Partition.of(ladder.levels[level]) for ladder, level in zip(lattice.ladders, node, strict=True)
        )
        return _walk(problem, start, limits, rng, threads=threads, watch=watch)
    batch = problem.batch(threads, problem.members)
    nodes = _once(batch.lattice, _enumerate(problem, batch, limits, watch))
    if not len(nodes):
        return Near(lattice, node[None], complete=False)
    return Near(batch.lattice, nodes, complete=not watch.stopped)


def _enumerate(problem: Problem, batch: Batch, limits: FloatArray, watch: Monitor) -> LongArray:
    """Return all feasible nodes within the limits; those that cells alone rule out are not evaluated."""
    found = [batch.lattice.top[None][:0]]
    done = 0

    def tick() -> None:
        if watch.tick(done / batch.lattice.size, batch.evaluated):
            batch.stop()

    for pieces in windows(batch, batch.lattice.size):
        tick()
        done += sum(map(len, pieces))
        open_pieces = [piece[_reaches(problem, batch, piece, limits)] for piece in pieces]
        for statistics in batch.walk([piece for piece in open_pieces if len(piece)], tick):
            found.append(statistics.nodes[_fits(problem, statistics, limits)])
        if watch.stopped:
            break
    nodes = np.concatenate(found)
    return nodes[np.lexsort(nodes.T[::-1])]


def _fits(problem: Problem, statistics: Statistics, limits: FloatArray) -> BoolArray:
    """Tell which evaluated recodings are feasible and within the limits."""
    return problem.feasible(statistics) & (problem.costs(statistics) <= limits).all(axis=1)


def _reaches(problem: Problem, batch: Batch, nodes: LongArray, limits: FloatArray) -> BoolArray:
    """Tell which nodes may be within the limits, by what their cells cost without suppression."""
    fits = np.ones(len(nodes), dtype=bool)
    for item, limit in zip(problem.objectives, limits, strict=True):
        if is_of_cells(item):
            fits &= item.cost(batch.unsuppressed(nodes)) <= limit + 1e-9 * abs(limit)
    return fits


def _once(lattice: Lattice, nodes: LongArray) -> LongArray:
    """Keep one node of those whose partitions are equal: numbers that differ alone are no choice."""
    same = np.empty_like(nodes)
    for a, ladder in enumerate(lattice.ladders):
        used, place = np.unique(nodes[:, a], return_inverse=True)
        _, equal = np.unique(ladder.levels[used], axis=0, return_inverse=True)
        same[:, a] = equal.reshape(-1)[place.reshape(-1)]
    _, first = np.unique(same, axis=0, return_index=True)
    return nodes[np.sort(first)]


def _walk(
    problem: Problem,
    start: tuple[Partition, ...],
    limits: FloatArray,
    rng: np.random.Generator,
    *,
    threads: int | None,
    watch: Monitor,
) -> Near:
    """Walk at random from a recoding among those within the limits, and return all that were met."""
    schemes = problem.schemes or tuple(map(LevelScheme, problem.lattice.ladders))
    evaluator = problem.recodings(threads)
    movable = [a for a, scheme in enumerate(schemes) if scheme.finest != scheme.coarsest]
    steps = int(np.clip(WALK_WORK // (CHAINS * max(1, problem.cube.distinct)), 10, STEPS))
    here, met = [start] * CHAINS, {start: None}
    for step in range(steps if movable else 0):
        if watch.tick(step / steps, step * CHAINS):
            break
        there = []
        for recoding in here:
            a = movable[int(rng.integers(len(movable)))]
            there.append((*recoding[:a], schemes[a].mutate(recoding[a], rng), *recoding[a + 1 :]))
        blocks = [np.stack([recoding[a].block for recoding in there]) for a in range(len(schemes))]
        levels = np.array([list(map(level_number, schemes, recoding)) for recoding in there])
        fits = _fits(problem, evaluator.evaluate(blocks, levels=levels), limits)
        here = [new if fit else old for new, old, fit in zip(there, here, fits, strict=True)]
        met.update(dict.fromkeys(here))
    return Near(*list_recodings(problem, schemes, list(met)), complete=False)
