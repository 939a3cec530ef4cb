"""The whole study: measure everything, then write about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.search import PbgParameters
from studies.common.progress import say
from studies.common.results import cores, versions
from studies.common.study import Study
from studies.pbg_ea import billion, paper, plain, runs
from studies.pbg_ea.census import Census
from studies.pbg_ea.figures import draw_all
from studies.pbg_ea.readme import write_readme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.common.results import Results


@dataclass(frozen=True)
class Effort:
    """How much is run."""

    rows: Sequence[paper.Row] = paper.ROWS
    timed: Sequence[paper.Row] = paper.TABLE_2B
    seeds: Sequence[int] = range(paper.SEEDS)
    iterations: int = paper.ITERATIONS
    between: Sequence[runs.Variant] = runs.BETWEEN
    sample: int = 50
    repeats: int = 5
    billion_seeds: Sequence[int] = range(10)
    billion_rows: int = billion.ROWS
    billion_parameters: PbgParameters = runs.DEFAULTS


FULL = Effort()
QUICK = Effort(
    rows=(paper.TABLE_1B[0], paper.TABLE_2A[4], paper.TWO_LOSSES),
    timed=paper.TABLE_1B[1:2],
    seeds=range(2),
    iterations=10,
    between=(),
    sample=3,
    repeats=1,
    billion_seeds=range(2),
    billion_rows=500,
    billion_parameters=PbgParameters(20, 5),
)


def measure(quick: bool) -> Results:
    """Run everything, or a small part of everything."""
    effort = QUICK if quick else FULL
    census = Census()
    results: Results = {
        "quick": quick,
        "settings": _settings(effort, census),
        "versions": versions(),
        "cores": cores(),
        "attributes": census.attributes(),
        "rows": {},
        "between": {},
        "fronts": {},
    }
    # Times first: nothing else has warmed or filled the machine yet.
    results["timings"] = _timings(effort, census)
    for row in effort.rows:
        say(f"  {row.label}")
        results["rows"][row.name] = _row(row, effort, census)
    for row in paper.TABLE_2B:
        say(f"  between the variants, and fronts: {row.title}")
        case = census.case(row)
        results["fronts"][row.name] = runs.front_points(row, case, effort.iterations)
        results["between"][row.name] = {
            variant.name: runs.run_variant(row, case, variant, effort.seeds, effort.iterations)
            for variant in effort.between
        }
    results["billion"] = billion.compare(effort.billion_seeds, effort.billion_parameters, effort.billion_rows)
    return results


def _settings(effort: Effort, census: Census) -> Results:
    variants = (runs.PRINTED, runs.OURS, *effort.between)
    return {
        "population": paper.POPULATION,
        "iterations": effort.iterations,
        "crossover": paper.CROSSOVER,
        "suppression_limit": paper.LIMIT,
        "suppression_budget": census.case(paper.TABLE_1B[0]).problem.suppression.budget,
        "rows": census.table.cube.row_count,
        "fingerprint": census.table.cube.fingerprint,
        "seeds": list(effort.seeds),
        "variants": {item.name: {"walk": item.walk, "screening": item.screening} for item in variants},
    }


def _timings(effort: Effort, census: Census) -> Results:
    say("  times")
    found: Results = {}
    for row in effort.timed:
        found[row.name] = plain.time_exhaustive(census.case(row), effort.repeats)
    # k, ℓ and GLM, as they are what the plain way computes.
    found["plain"] = plain.time_plain(
        census.case(paper.TABLE_1B[1]), effort.sample, paper.EVALUATIONS, effort.repeats
    )
    return found


def _row(row: paper.Row, effort: Effort, census: Census) -> Results:
    case = census.case(row)
    variants = {
        variant.name: runs.run_variant(row, case, variant, effort.seeds, effort.iterations)
        for variant in (runs.PRINTED, runs.OURS)
    }
    return runs.describe_row(row, case) | {"variants": variants}


def write(results: Results, folder: Path) -> None:
    """Write README and figures."""
    draw_all(results, folder / "figures")
    write_readme(results, folder)


STUDY = Study(
    "pbg-ea",
    "Property based generalizations: Tables 1 and 2, Figures 1 to 3, and a lattice of 10⁹ nodes",
    Path(__file__).parent,
    measure,
    write,
)

__all__ = ["STUDY", "measure", "write"]
