"""PBG-EA over the seeds, judged against the exact front."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.front import convergence_error, representation_ratio
from sfumato.search import PbgParameters, Run, search_pbg_ea
from studies.common.summaries import summarize_each
from studies.pbg_ea import paper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.search import SearchResult
    from studies.common.results import Results
    from studies.pbg_ea.census import Case
    from studies.pbg_ea.paper import Row


@dataclass(frozen=True)
class Variant:
    """A way to run the algorithm: as printed, or with what we add."""

    name: str
    walk: int
    screening: bool

    @property
    def words(self) -> str:
        """What is switched on."""
        walk = f"walk of {self.walk}" if self.walk else "no walk"
        return f"{walk}, {'screening' if self.screening else 'no screening'}"


DEFAULTS = PbgParameters()
PRINTED = Variant("printed", 0, False)
OURS = Variant("ours", DEFAULTS.walk, DEFAULTS.screening)
BETWEEN = (
    Variant("screening_alone", 0, True),
    Variant("walk_alone", DEFAULTS.walk, False),
    Variant("long_walk", 12, True),
)
"""Variants between the two, to see what each addition brings."""


def search(row: Row, case: Case, variant: Variant, seed: int, iterations: int) -> SearchResult:
    """Run the algorithm once with the paper's parameters."""
    parameters = PbgParameters(
        paper.POPULATION,
        iterations,
        crossover=paper.CROSSOVER,
        walk=variant.walk,
        screening=variant.screening,
        boxes=row.boxes,
    )
    return search_pbg_ea(case.problem, Run(seed=seed, batch=case.batch, parameters=parameters))


def judge(row: Row, case: Case, result: SearchResult) -> dict[str, float]:
    """Return the paper's indicators of one result."""
    found = case.indices_of(result.nodes)
    error = convergence_error(found, case.indices)
    return {
        "rr": representation_ratio(found, case.indices, np.array(row.widths, dtype=np.float64)),
        "ce": error,
        "ce_per_solution": error / len(found),
        "evaluated": result.evaluated,
        "found": len(found),
    }


def run_variant(row: Row, case: Case, variant: Variant, seeds: Sequence[int], iterations: int) -> Results:
    """Run a variant once for each seed; return mean, variance and values of every indicator."""
    runs = [judge(row, case, search(row, case, variant, seed, iterations)) for seed in seeds]
    return summarize_each(runs)


def describe_row(row: Row, case: Case) -> Results:
    """Return what is known exactly about a row."""
    return {
        "objectives": list(row.objectives),
        "widths": list(row.widths),
        "nodes": case.problem.lattice.size,
        "exact_front": len(case.exact),
        "exact_boxes": case.box_count(np.array(row.widths, dtype=np.float64)),
    }


def front_points(row: Row, case: Case, iterations: int) -> Results:
    """Return the exact front and what the first seed found, for the figures."""
    found = {
        variant.name: case.values_of(search(row, case, variant, 0, iterations).nodes)
        for variant in (PRINTED, OURS)
    }
    return {
        "objectives": list(row.objectives),
        "nodes": case.problem.lattice.size,
        "exact": case.values_of(case.exact),
        "found": found,
    }


__all__ = ["BETWEEN", "OURS", "PRINTED", "Variant", "describe_row", "front_points", "run_variant"]
