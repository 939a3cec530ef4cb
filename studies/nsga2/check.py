"""What must hold of the results, and where it is known not to."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from studies.common.markdown import count
from studies.common.verdicts import Verdict
from studies.nsga2 import paper
from studies.nsga2.runs import SCALES, regions_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.common.results import Results

WITHIN = 0.98
"""The share of the best seed's hypervolume that every unseeded run should reach: the chapter sees no
significant difference between runs, and the number is ours."""


def check(results: Results) -> list[Verdict]:
    """Hold the results of a full run against what is required."""
    contained = bool(results["contains_levels"])
    verdicts = [Verdict("every level is a member of its scheme", _yes(contained), "yes", contained, "check")]
    for task in paper.TASKS:
        found = results["tasks"][task.name]
        verdicts += [*_seeded(task, found), *_unseeded(task, found)]
    return [*verdicts, *_sizes(results), *_flat(results["tasks"][paper.TOLERANT.name])]


def steepest_step(item: Results) -> float:
    """Return the largest share of the rows that are in classes of one size."""
    steps = [later - earlier for earlier, later in pairwise([0, *item["rows"]])]
    return max(steps) / item["rows"][-1]


def middle_size(item: Results) -> int:
    """Return the class size of the middle row."""
    half = item["rows"][-1] / 2
    return int(next(size for size, rows in zip(item["sizes"], item["rows"], strict=True) if rows >= half))


def _sizes(results: Results) -> Iterator[Verdict]:
    """What the chapter says of the two solutions of Figure 1.5."""
    first, second = results["tasks"][paper.WEIGHTED.name]["distributions"]
    sizes, steps = ([of(item) for item in (first, second)] for of in (middle_size, steepest_step))
    yield Verdict(
        "class size of the middle row, of the solution with the lower weighted-k",
        count(sizes[0]),
        f"< {count(sizes[1])}, of the other",
        sizes[0] < sizes[1],
        place="Figure 1.5",
    )
    yield Verdict(
        "largest step of the distribution of class sizes, of the solution with the lower weighted-k",
        f"{steps[0]:.1%} of the rows",
        f"< {steps[1]:.1%}, of the other",
        steps[0] < steps[1],
        place="Figure 1.5",
    )


def _flat(found: Results) -> Iterator[Verdict]:
    """Figure 1.6 has flat regions at every magnification."""
    points = found["unseeded"]["points"]
    most = max(point[0] for way in ("unseeded", "exact") for point in found[way]["points"])
    for share in paper.MAGNIFICATIONS:
        limit = most * share
        regions = regions_of(paper.TOLERANT, [point for point in points if point[0] <= limit])
        longest = (
            f", the longest from {count(regions[0]['from'])} to {count(regions[0]['to'])}" if regions else ""
        )
        yield Verdict(
            f"flat regions of the front with k up to {count(limit)}",
            f"{len(regions)}{longest}",
            "some",
            bool(regions),
            place="Figure 1.6",
        )


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
            f"{name}, within 2 % (ours) of the best seed",
            f"{min(values):.4f}",
            f"≥ {wanted:.4f}",
            not low,
            why=f"{len(low)} of {len(values)} runs end below, one {100 * (1 - least):.1f} % below the best.",
            place="Section 1.5",
        )


def _yes(value: bool) -> str:
    return "yes" if value else "no"


__all__ = ["check", "middle_size", "steepest_step"]
