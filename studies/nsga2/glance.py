"""Both figures of the chapter, and what its text says of them, in one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common.markdown import count
from studies.common.verdicts import Look, span
from studies.nsga2 import paper
from studies.nsga2.check import middle_size, regions_of, steepest_step

if TYPE_CHECKING:
    from studies.common.results import Results


def looks(results: Results) -> list[Look]:
    """Return what each figure shows, and what is found."""
    weighted, tolerant = (results["tasks"][task.name] for task in (paper.WEIGHTED, paper.TOLERANT))
    sizes = weighted["distributions"]
    steps = " and ".join(f"{100 * steepest_step(item):.0f} %" for item in sizes)
    middles = " and ".join(count(middle_size(item)) for item in sizes)
    most = max(point[0] for point in tolerant["unseeded"]["points"])
    panels = [
        len(regions_of(paper.TOLERANT, [p for p in tolerant["unseeded"]["points"] if p[0] <= most * share]))
        for share in paper.MAGNIFICATIONS
    ]
    return [
        Look(
            "Figure 1.5",
            "loss rises with weighted-k; class sizes of one solution grow steadily, of another abruptly",
            f"{_solutions(weighted)}; largest step {steps} of the rows, class size of the middle {middles}",
        ),
        Look(
            "Figure 1.6",
            "flat regions at every magnification",
            f"{_solutions(tolerant)}; {', '.join(map(str, panels))} flat regions in the {len(panels)} panels",
        ),
        Look("Section 1.5", "several runs do not differ significantly", _spread(results)),
        Look(
            "Section 1.4",
            "a third problem is posed, without results",
            _solutions(results["tasks"]["overview"]),
        ),
    ]


def _solutions(found: Results) -> str:
    values = found["unseeded"]["solutions"]["values"]
    return f"{span(values, count)} solutions in {len(values)} runs"


def _spread(results: Results) -> str:
    """Say how far the worst run is below the best, by both scales of every problem."""
    below = [
        100 * (1 - min(scale["values"]) / max(scale["values"]))
        for task in paper.TASKS
        for scale in results["tasks"][task.name]["unseeded"]["hypervolume"].values()
    ]
    runs = len(results["settings"]["seeds"])
    return f"the worst of {runs} runs is {span(below, '{:.1f}'.format)} % below the best"


__all__ = ["looks"]
