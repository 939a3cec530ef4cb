"""Runs of NSGA-II, and how their fronts compare with the exact full-domain front."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.front import Objective, PlainFront, PlainSolution, find_flat_regions, hypervolume, scaled_fronts
from sfumato.search import Run
from sfumato.search.pymoo_adapter import compile_pymoo, search_pymoo
from studies.common.progress import say
from studies.common.summaries import summarize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import FloatArray
    from sfumato.search import SearchResult
    from sfumato.search.pymoo_adapter import EvolutionParameters
    from studies.common.results import Results
    from studies.nsga2.census import Case
    from studies.nsga2.paper import Task

SCALES = {"linear": False, "logarithmic": True}
"""Whether the privacy objective is scaled by its logarithm before hypervolumes are taken, or as it is."""

SHOWN_LOSSES = (0.2, 0.45)
"""Shares of the largest generalization loss near which the two class-size distributions are taken."""

REGIONS = 6


@dataclass(frozen=True, eq=False)
class Trial:
    """A search with one seed, and the costs of its solutions."""

    result: SearchResult
    costs: FloatArray


def run_seeds(
    case: Case, parameters: EvolutionParameters, seeds: Sequence[int], *, seeding: bool
) -> list[Trial]:
    """Search with each seed."""
    batch = case.problem.batch()
    batch.compile()
    compile_pymoo(case.problem)
    runs = []
    for seed in seeds:
        result = search_pymoo(
            case.problem, Run(seed=seed, batch=batch, parameters=replace(parameters, seeding=seeding))
        )
        runs.append(Trial(result, case.costs(result)))
        words = "seeded" if seeding else "unseeded"
        say(f"    {words}, seed {seed}: {len(result.nodes)} solutions in {result.seconds:.1f} s")
    return runs


def compare(case: Case, task: Task, unseeded: list[Trial], seeded: list[Trial]) -> Results:
    """Return everything about one problem: hypervolumes on one scale, points, times."""
    exact = case.costs(case.exact)
    ways = {"unseeded": unseeded, "seeded": seeded}
    every = [exact, *(run.costs for runs in ways.values() for run in runs)]
    volumes = {name: _volumes(every, is_logarithmic) for name, is_logarithmic in SCALES.items()}
    found: Results = {
        "objectives": [task.maximize, *task.minimize],
        "exact": {
            "points": _points(exact),
            "seconds": case.exact.seconds,
            "hypervolume": {name: values[0] for name, values in volumes.items()},
        },
    }
    start = 1
    for way, runs in ways.items():
        found[way] = _summary(runs, exact)
        found[way]["hypervolume"] = {
            name: summarize(values[start : start + len(runs)]) for name, values in volumes.items()
        }
        start += len(runs)
    return found


def _volumes(fronts: list[FloatArray], is_logarithmic: bool) -> list[float]:
    scales = (is_logarithmic, *(False for _ in range(fronts[0].shape[1] - 1)))
    return [hypervolume(costs) for costs in scaled_fronts(fronts, scales)]


def _summary(runs: list[Trial], exact: FloatArray) -> Results:
    return {
        "solutions": summarize([len(run.costs) for run in runs]),
        "evaluated": summarize([run.result.evaluated for run in runs]),
        "seconds": summarize([run.result.seconds for run in runs]),
        "dominated": summarize([count_dominated(run.costs, exact) for run in runs]),
        "beaten": summarize([count_dominated(exact, run.costs) / len(exact) for run in runs]),
        "points": _points(runs[0].costs),
    }


def count_dominated(costs: FloatArray, others: FloatArray) -> int:
    """Count the solutions that some other one is as good as in everything, and better than in something."""
    return sum(bool(((others <= row).all(axis=1) & (others < row).any(axis=1)).any()) for row in costs)


def _points(costs: FloatArray) -> list[list[float]]:
    """Return the objectives themselves: the first one is maximized, its cost is its negative."""
    return [[-float(privacy), *map(float, losses)] for privacy, *losses in costs]


def distributions(case: Case, run: Trial) -> list[Results]:
    """Return the class sizes of two solutions: how many rows are in classes of at most so many rows."""
    largest = case.problem.objectives[1].largest(case.problem.cube.row_count, len(case.problem.cube.sizes))
    batch = case.problem.batch(threads=1, lattice=run.result.lattice)
    found = []
    for share in SHOWN_LOSSES:
        place = int(np.abs(run.costs[:, 1] - share * largest).argmin())
        classes = batch.classes(run.result.nodes[place])
        sizes, number = np.unique(classes.sizes, return_inverse=True)
        rows = np.bincount(number, weights=classes.rows)
        found.append(
            {
                "mean_k": -float(run.costs[place, 0]),
                "gl": float(run.costs[place, 1]),
                "classes": len(classes),
                "sizes": sizes,
                "rows": np.cumsum(rows),
            }
        )
    return found


def flat_regions(task: Task, run: Trial) -> list[Results]:
    """Return the longest stretches of a front along which privacy gains much and loss hardly rises."""
    return regions_of(task, _points(run.costs))


def regions_of(task: Task, points: Sequence[Sequence[float]]) -> list[Results]:
    """Return the same of the points of a front, privacy first."""
    (loss,) = task.minimize
    objectives = (Objective(task.maximize, True), Objective(loss, False))
    solutions = tuple(
        PlainSolution(number + 1, dict(zip((task.maximize, loss), point, strict=True)), 0, {})
        for number, point in enumerate(points)
    )
    regions = find_flat_regions(PlainFront(solutions, objectives), task.maximize)
    return [
        {
            "from": item.start.value(task.maximize),
            "to": item.end.value(task.maximize),
            "loss": item.start.value(loss),
            "more": item.relative_cost,
        }
        for item in regions[:REGIONS]
    ]


__all__ = ["SCALES", "Trial", "compare", "count_dominated", "distributions", "flat_regions", "run_seeds"]
