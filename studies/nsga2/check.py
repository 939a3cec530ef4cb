"""What must hold of the results, and where it is known not to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common.verdicts import Verdict
from studies.nsga2 import paper
from studies.nsga2.runs import SCALES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.common.results import Results

WITHIN = 0.98
"""The share of the best seed's hypervolume that every unseeded run should reach."""


def check(results: Results) -> list[Verdict]:
    """Hold the results of a full run against what is required."""
    contained = bool(results["contains_levels"])
    verdicts = [Verdict("every level is a member of its scheme", _yes(contained), "yes", contained, "check")]
    for task in paper.TASKS:
        found = results["tasks"][task.name]
        verdicts += [*_seeded(task, found), *_unseeded(task, found)]
    return verdicts


def _seeded(task: paper.Task, found: Results) -> Iterator[Verdict]:
    for scale in SCALES:
        least = min(found["seeded"]["hypervolume"][scale]["values"])
        exact = found["exact"]["hypervolume"][scale]
        name = f"{task.title}: smallest hypervolume of a seeded run, {scale}, against the exact front"
        # A seeded run begins with solutions of the exact front, and keeps them or better ones.
        yield Verdict(name, f"{least:.4f}", f"> {exact:.4f}", least > exact, "check")
    dominated = max(found["seeded"]["dominated"]["values"])
    name = f"{task.title}: points of a seeded front that a full-domain solution dominates"
    yield Verdict(name, f"{dominated:.0f}", "0", dominated == 0, "check")


def _unseeded(task: paper.Task, found: Results) -> Iterator[Verdict]:
    for scale in SCALES:
        values = found["unseeded"]["hypervolume"][scale]["values"]
        exact = found["exact"]["hypervolume"][scale]
        name = f"{task.title}: smallest hypervolume of an unseeded run, {scale}"
        yield Verdict(
            f"{name}, against the exact front of levels",
            f"{min(values):.4f}",
            f"≥ {exact:.4f}",
            min(values) >= exact,
            "ours",
        )
        wanted, least = WITHIN * max(values), min(values) / max(values)
        low = [value for value in values if value < wanted]
        yield Verdict(
            f"{name}, against the best seed",
            f"{min(values):.4f}",
            f"≥ {wanted:.4f}",
            not low,
            "ours",
            f"{len(low)} of {len(values)} runs end below, one {100 * (1 - least):.1f} % below the best.",
        )


def _yes(value: bool) -> str:
    return "yes" if value else "no"


__all__ = ["check"]
