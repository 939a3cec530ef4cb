"""The whole study: measure everything, then write about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.search.pymoo_adapter import EvolutionParameters
from studies.common.progress import say
from studies.common.results import cores, versions
from studies.common.study import Study
from studies.nsga2 import paper, runs
from studies.nsga2.census import describe_space, make_case
from studies.nsga2.figures import draw_all
from studies.nsga2.readme import write_readme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.common.results import Results

PRINTED = EvolutionParameters(
    paper.POPULATION, paper.ITERATIONS, paper.CROSSOVER, paper.MUTATION, constrained_mutation=0.0
)


@dataclass(frozen=True)
class Effort:
    """How much is run."""

    seeds: Sequence[int] = range(1, paper.SEEDS + 1)
    seeded: Sequence[int] = range(1, 4)
    parameters: EvolutionParameters = PRINTED


FULL = Effort()
QUICK = Effort(range(1, 3), range(1, 2), EvolutionParameters(20, 6, constrained_mutation=0.0))


def measure(quick: bool) -> Results:
    """Run everything, or a small part of everything."""
    effort = QUICK if quick else FULL
    cases = {task.name: make_case(task) for task in paper.TASKS}
    results: Results = {
        "quick": quick,
        "settings": _settings(effort),
        "versions": versions(),
        "cores": cores(),
        **describe_space(cases[paper.WEIGHTED.name]),
        "tasks": {},
    }
    for task in paper.TASKS:
        say(f"  {task.title}")
        case = cases[task.name]
        unseeded = runs.run_seeds(case, effort.parameters, effort.seeds, seeding=False)
        seeded = runs.run_seeds(case, effort.parameters, effort.seeded, seeding=True)
        found = runs.compare(case, task, unseeded, seeded)
        if task is paper.WEIGHTED:
            found["distributions"] = runs.distributions(case, unseeded[0])
        elif task is paper.TOLERANT:
            found["flat_regions"] = runs.flat_regions(task, unseeded[0])
        results["tasks"][task.name] = found
    return results


def _settings(effort: Effort) -> Results:
    parameters = effort.parameters
    return {
        "population": parameters.population,
        "iterations": parameters.iterations,
        "crossover": parameters.crossover,
        "mutation": parameters.mutation,
        "suppression_limit": paper.TOLERANCE,
        "seeds": list(effort.seeds),
        "seeded": list(effort.seeded),
    }


def write(results: Results, folder: Path) -> None:
    """Write README and figures."""
    draw_all(results, folder / "figures")
    write_readme(results, folder)


STUDY = Study(
    "nsga2",
    "Multi-objective evolutionary optimization in disclosure control: Figures 1.5 and 1.6",
    Path(__file__).parent,
    measure,
    write,
)

__all__ = ["PRINTED", "STUDY", "measure", "write"]
