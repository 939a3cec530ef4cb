"""Every figure of the paper in one line each; its curves have no numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common.verdicts import Look, span
from studies.optimal import paper
from studies.optimal.check import has_crossed, leaders, share_saved
from studies.optimal.records import one, pick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.common.results import Results


def looks(results: Results) -> list[Look]:
    """Return what each figure shows, and what is found."""
    printed = results["printed_techniques"]
    first, second, both = (
        _percent(share_saved(printed, name))
        for name in ("no seeding", "neither rearrangement", "no seeding, neither rearrangement")
    )
    crossing = "bottom-up is sooner at first, top-down later"
    return [
        Look("Figure 9", f"{len(paper.FIGURE_9)} heights of hierarchies", "hierarchies of our own"),
        Look("Figure 10a", f"{crossing}, as k grows", _crossed(results["searches_by_k"], "k")),
        Look(
            "Figure 10b", f"{crossing}, with more attributes", _crossed(results["searches_by_size"], "size")
        ),
        Look("Figure 11a", "time grows with attributes and scheme", _proven(results["schemes_by_size"])),
        Look(
            "Figure 11b",
            "time grows with k",
            f"{_proven(results['schemes_by_k'])}; 10a has the printed search",
        ),
        *(
            _costs(results["schemes_by_k"], cost, letter)
            for cost, letter in zip(paper.COSTS, "ab", strict=True)
        ),
        Look(
            "Figure 13",
            f"the first family saves up to {_percent(paper.SAVED['seeding & modified BFS'])}, more than "
            f"the second, both up to {_percent(paper.SAVED['both'])}",
            f"{first} the first, {second} the second, {both} both",
        ),
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _crossed(runs: Sequence[Results], axis: str) -> str:
    told = []
    for techniques in ("all", "few"):
        series = leaders(pick(runs, techniques=techniques), axis).values()
        told.append(f"{sum(map(has_crossed, series))} of {len(series)} series with {techniques} techniques")
    return f"the crossing shows in {' and '.join(told)}"


def _proven(runs: Sequence[Results]) -> str:
    found = pick(runs)
    taken = [run["seconds"] for run in found if run["proven"]]
    return f"{len(taken)} of {len(found)} proven, in {span(taken, '{:.2f}'.format)} s"


def _costs(runs: Sequence[Results], cost: str, letter: str) -> Look:
    """Say what the largest scheme saves on the smallest one, over all k."""
    saved = []
    for least in pick(runs, scheme=paper.BHS.name, cost_name=cost):
        most = one(runs, scheme=paper.SPS.name, cost_name=cost, k=least["k"])
        saved.append(100 * (1 - most["cost"] / least["cost"]))
    return Look(
        f"Figure 12{letter}",
        f"{cost.upper()}: the more flexible the scheme, the lower",
        f"SPS costs {span(saved, '{:.0f}'.format)} % less than BHS",
    )


__all__ = ["looks"]
