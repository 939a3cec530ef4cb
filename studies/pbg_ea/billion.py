"""A lattice that cannot be enumerated: PBG-EA beside NSGA-II and a random sample."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Rule, Suppression, budget_of
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.front import hypervolume, non_dominated, scaled_fronts
from sfumato.measures import Setting, make_measure
from sfumato.search import PbgParameters, Problem, Run, search_pbg_ea
from studies.common.progress import say
from studies.common.summaries import summarize, summarize_each
from studies.pbg_ea import paper
from studies.pbg_ea.nsga2 import search_nsga2

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray
    from sfumato.classes import Batch
    from studies.common.results import Results

LEVELS = (8, 7, 7, 7, 6, 6, 6, 5, 5, 5, 4, 4)
ROWS = 5_000
KINDS = 40
NOISE = 0.08
TABLE_SEED = 17
SAMPLE_FACTOR = 10
PIECE = 20_000


def make_table(rows: int = ROWS) -> Problem:
    """Return k and loss over a seeded synthetic table of twelve quasi-identifiers.

    People are of forty kinds, the i-th with a share in proportion to 1/i. A kind has its place in every
    attribute, and its people scatter around it normally. An attribute with n levels has 2ⁿ⁻¹
    values; every level unites neighbours of the one below in pairs.
    """
    random = np.random.default_rng(TABLE_SEED)
    share = 1 / np.arange(1, KINDS + 1)
    kind = random.choice(KINDS, rows, p=share / share.sum())
    place = random.random((KINDS, len(LEVELS)))[kind]
    place = np.clip(place + random.normal(0, NOISE, place.shape), 0, np.nextafter(1, 0))
    ladders = tuple(_ladder(count) for count in LEVELS)
    sizes = tuple(ladder.size for ladder in ladders)
    names = tuple(f"q{number + 1}" for number in range(len(LEVELS)))
    cube = Cube.sorted(names, sizes, (place * sizes).astype(np.int32), rows=np.ones(rows, dtype=np.int64))
    setting = Setting(names, (), np.ones(len(names)))
    objectives = (make_measure("k", setting), make_measure("loss", setting))
    suppression = Suppression(Rule.SMALLEST, budget_of(paper.LIMIT, rows))
    return Problem(cube, Lattice(ladders), objectives, (), suppression)


def _ladder(levels: int) -> Ladder:
    values = np.arange(2 ** (levels - 1), dtype=np.int32)
    return Ladder.whole(np.stack([values >> level for level in range(levels)]))


def sample_front(problem: Problem, batch: Batch, seed: int, evaluations: int) -> FloatArray:
    """Return the costs of the best of so many nodes drawn uniformly."""
    random, lattice = np.random.default_rng(seed), problem.lattice
    best = np.zeros((0, len(problem.objectives)))
    for at in range(0, evaluations, PIECE):
        size = (min(PIECE, evaluations - at), len(lattice.ladders))
        costs = problem.costs(batch.evaluate(random.integers(lattice.bottom, lattice.top + 1, size)))
        best = np.concatenate([best, costs])
        best = best[non_dominated(best)]
    return best


def compare(seeds: Sequence[int], parameters: PbgParameters, rows: int = ROWS) -> Results:
    """Run all contenders for every seed, and compare their hypervolumes on one scale."""
    problem = make_table(rows)
    runs: dict[str, list[dict[str, float]]] = {}
    fronts: dict[str, list[FloatArray]] = {}
    for seed in seeds:
        say(f"  billion nodes, seed {seed}")
        for name, (front, numbers) in _run_all(problem, seed, parameters).items():
            runs.setdefault(name, []).append(numbers)
            fronts.setdefault(name, []).append(front)
    union, contenders = _summaries(runs, fronts)
    return {
        "nodes": problem.lattice.size,
        "rows": rows,
        "distinct": problem.cube.distinct,
        "parameters": {"population": parameters.population, "iterations": parameters.iterations},
        "sample_factor": SAMPLE_FACTOR,
        "seeds": list(seeds),
        "union_hypervolume": union,
        "contenders": contenders,
        "fronts": {name: np.abs(found[0]) for name, found in fronts.items()},
    }


def _run_all(
    problem: Problem, seed: int, parameters: PbgParameters
) -> dict[str, tuple[FloatArray, dict[str, float]]]:
    """Return front and numbers of every contender; NSGA-II gets as many evaluations as PBG-EA took."""
    batch = problem.batch()
    batch.compile()
    found = {}
    begin = time.perf_counter()
    result = search_pbg_ea(problem, Run(seed=seed, batch=batch, parameters=parameters))
    seconds = time.perf_counter() - begin
    front = problem.costs(batch.evaluate(result.nodes))
    asked = result.evaluated
    found["pbg_ea"] = front, {"evaluations": asked, "distinct": asked, "seconds": seconds}
    begin = time.perf_counter()
    front = sample_front(problem, batch, seed, SAMPLE_FACTOR * asked)
    seconds = time.perf_counter() - begin
    found["random"] = front, {"evaluations": SAMPLE_FACTOR * asked, "seconds": seconds}
    for name, helped in (("nsga2", False), ("nsga2_helped", True)):
        begin = time.perf_counter()
        front, numbers = search_nsga2(problem, batch, seed, asked, helped=helped)
        found[name] = front, numbers | {"seconds": time.perf_counter() - begin}
    return found


def _summaries(
    runs: dict[str, list[dict[str, float]]], fronts: dict[str, list[FloatArray]]
) -> tuple[float, Results]:
    """Add sizes and hypervolumes; all fronts of all seeds share one scale, and are united for comparison."""
    scaled = scaled_fronts([front for found in fronts.values() for front in found], [True, False])
    each = iter(scaled)
    summaries = {}
    for name, found in fronts.items():
        volumes = [hypervolume(next(each)) for _ in found]
        sizes = [float(len(front)) for front in found]
        summaries[name] = summarize_each(runs[name]) | {
            "hypervolume": summarize(volumes),
            "found": summarize(sizes),
        }
    return hypervolume(np.concatenate(scaled)), summaries


__all__ = ["LEVELS", "compare", "make_table", "sample_front"]
