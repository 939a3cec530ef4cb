"""The whole study: measure everything, then write about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.microaggregation.column_groups.gomm import GommParameters
from studies.common.progress import say
from studies.common.results import cores, versions
from studies.common.study import Study
from studies.gomm import data as tables
from studies.gomm import paper, runs
from studies.gomm.figures import draw_all
from studies.gomm.readme import write_readme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.common.results import Results

PRINTED = GommParameters(paper.POPULATION, paper.GENERATIONS, paper.CROSSOVERS, paper.MUTATIONS, polish=0)


@dataclass(frozen=True)
class Effort:
    """How much is run; a made-up table of so many rows and attributes in place of the data, or the data."""

    ks: Sequence[int] = paper.KS
    seeds: Sequence[int] = range(1, 11)
    front_seeds: Sequence[int] = range(1, 6)
    parameters: GommParameters = PRINTED
    made_up: tuple[int, int] | None = None


FULL = Effort()
QUICK = Effort((5, 25), range(1, 3), range(1, 3), GommParameters(20, 35, 3, 2, polish=0), (60, 10))


def measure(quick: bool) -> Results:
    """Run everything, or a small part of everything on made-up tables."""
    effort = QUICK if quick else FULL
    values = {
        data.name: tables.make_up(data, *effort.made_up) if effort.made_up else tables.load(data)
        for data in paper.DATA
    }
    results: Results = {
        "quick": quick,
        "settings": _settings(effort),
        "versions": versions(),
        "cores": cores(),
        "data": {name: {"rows": len(table), "attributes": table.shape[1]} for name, table in values.items()},
        "runs": {},
        "fronts": {},
    }
    for data in paper.DATA:
        table = values[data.name]
        runs.warm_up(table)
        groupings = data.ad_hoc(table.shape[1])
        results["runs"][data.name] = {}
        for k in effort.ks:
            say(f"  {data.title}, k = {k}")
            results["runs"][data.name][str(k)] = {
                "ad_hoc": runs.measure_ad_hoc(table, k, groupings)
            } | runs.compare(table, k, effort.seeds, effort.parameters, groupings)
        say(f"  {data.title}: fronts")
        results["fronts"][data.name] = runs.compare_fronts(
            table, paper.ANALYSED_K, effort.front_seeds, effort.parameters
        )
    say("  operators")
    results["analysis"] = runs.analyse(
        values[paper.WATER.name], paper.ANALYSED_K, effort.seeds, effort.parameters
    )
    return results


def _settings(effort: Effort) -> Results:
    asked = effort.parameters
    return {
        "ks": list(effort.ks),
        "seeds": list(effort.seeds),
        "front_seeds": list(effort.front_seeds),
        "analysed_k": paper.ANALYSED_K,
        "population": asked.population,
        "generations": asked.generations,
        "crossovers": asked.crossovers,
        "mutations": asked.mutations,
        "patience": asked.patience,
        "settling": asked.settling,
        "polish": runs.POLISH,
    }


def write(results: Results, folder: Path) -> None:
    """Write README and figures."""
    draw_all(results, folder / "figures")
    write_readme(results, folder)


STUDY = Study(
    "gomm",
    "GOMM and D-GOMM: Tables 1 to 6, Figures 6 to 8, and fronts of three objectives",
    Path(__file__).parent,
    measure,
    write,
)

__all__ = ["STUDY", "measure", "write"]
