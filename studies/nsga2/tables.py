"""The tables of the README, from the results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common.markdown import count, seconds, table
from studies.nsga2 import paper
from studies.nsga2.runs import SCALES

if TYPE_CHECKING:
    from studies.common.results import Results

WORDS = {"linear": "as it is", "logarithmic": "by its logarithm"}


def attributes(results: Results) -> str:
    """What each attribute may become."""
    header = ["attribute", "scheme", "values", "levels", "partitions"]
    lines = [
        [
            f"`{name}`",
            f"`{item['scheme']}`",
            str(item["values"]),
            str(item["levels"]),
            count(int(item["members"])),
        ]
        for name, item in results["attributes"].items()
    ]
    return table(header, lines, left=2)


def hypervolumes(results: Results) -> str:
    """Hypervolumes over that of the exact full-domain front: smallest, median and largest over the seeds."""
    header = ["problem", "privacy scaled", "runs", "smallest", "median", "largest", "largest less smallest"]
    lines = []
    for task in paper.TASKS:
        found = results["tasks"][task.name]
        for scale in SCALES:
            exact = found["exact"]["hypervolume"][scale]
            for way in ("unseeded", "seeded"):
                summary = found[way]["hypervolume"][scale]
                low, high = min(summary["values"]), max(summary["values"])
                numbers = [f"{value / exact:.4f}" for value in (low, summary["median"], high)]
                spread = f"{100 * (1 - low / high):.2f} %"
                runs = f"{len(summary['values'])} {way}"
                lines.append([task.title, WORDS[scale], runs, *numbers, spread])
    return table(header, lines, left=3)


def fronts(results: Results) -> str:
    """How many solutions there are, and who dominates whom; means over the seeds."""
    header = ["problem", "front", "solutions", "dominated by a full-domain one", "full-domain ones dominated"]
    header += ["evaluated", "median time"]
    lines = []
    for task in paper.TASKS:
        found = results["tasks"][task.name]
        exact = found["exact"]
        effort = [count(results["full_domain"]), seconds(exact["seconds"])]
        lines.append([task.title, "full domain, exact", count(len(exact["points"])), "–", "–", *effort])
        for way in ("unseeded", "seeded"):
            item = found[way]
            dominance = [f"{item['dominated']['mean']:.1f}", f"{100 * item['beaten']['mean']:.0f} %"]
            effort = [count(item["evaluated"]["mean"]), seconds(item["seconds"]["median"])]
            size = count(item["solutions"]["mean"])
            lines.append([task.title, f"NSGA-II, {way}", size, *dominance, *effort])
    return table(header, lines, left=2)


def flat_regions(results: Results) -> str:
    """Where k can grow for hardly any more loss."""
    header = ["k from", "to", "loss (cells)", "more loss"]
    lines = [
        [count(item["from"]), count(item["to"]), count(item["loss"]), f"{100 * item['more']:.1f} %"]
        for item in sorted(
            results["tasks"][paper.TOLERANT.name]["flat_regions"], key=lambda item: item["from"]
        )
    ]
    return table(header, lines, left=0)


__all__ = ["attributes", "flat_regions", "fronts", "hypervolumes"]
