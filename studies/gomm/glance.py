"""Every table and figure of the paper in one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common.verdicts import Look, span
from studies.gomm import paper
from studies.gomm.check import LATE, last_gain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.common.results import Results


def looks(results: Results) -> list[Look]:
    """Return what each table and figure shows, and what is found."""
    return [
        *(_solutions(results, data) for data in paper.DATA),
        *(_groupings(data) for data in paper.DATA),
        *(_scores(results, data) for data in paper.DATA),
        *_operators(results),
        _dynamic(results),
    ]


def _runs(results: Results, data: paper.Data) -> list[Results]:
    return [results["runs"][data.name][str(k)] for k in results["settings"]["ks"]]


def _two(value: float) -> str:
    return f"{value:.1f}"


def _solutions(results: Results, data: paper.Data) -> Look:
    found = [run["printed"] for run in _runs(results, data)]
    spread = max(run["score"]["variance"] ** 0.5 for run in found)
    groups = [run["groups"]["median"] for run in found]
    theirs = data.solutions.values()
    return Look(
        f"Table {data.numbers[1]}",
        f"{data.title}: scores {span([item[3] for item in theirs], _two)}, "
        f"{span([item[4] for item in theirs], str)} groups",
        f"scores {span([run['score']['mean'] for run in found], _two)} (standard deviation up to "
        f"{spread:.2f}), {span(groups, '{:g}'.format)} groups",
    )


def _groupings(data: paper.Data) -> Look:
    return Look(f"Table {data.numbers[0]}", f"{len(data.names)} ad-hoc groupings", "the same groupings")


def _scores(results: Results, data: paper.Data) -> Look:
    gaps = [
        abs(run["ad_hoc"][name]["score"] - data.scores[name][paper.KS.index(k)])
        for k, run in zip(results["settings"]["ks"], _runs(results, data), strict=True)
        for name in data.names
    ]
    return Look(
        f"Table {data.numbers[2]}",
        f"{data.title}: GOMM is never above an ad-hoc grouping",
        f"ad-hoc scores differ from the paper's by {sum(gaps) / len(gaps):.1f} on average, {max(gaps):.1f} "
        "at most",
    )


def _operators(results: Results) -> Iterator[Look]:
    found = results["analysis"]["operators"]
    last = ", ".join(f"{name} {last_gain(item)}" for name, item in found.items() if name != "crossover")
    yield Look(
        "Figure 6",
        f"creating, eliminating and splitting groups is useless after generation {LATE}, the rest is not",
        f"last generation with better children: {last}",
    )
    crossover = found["crossover"]
    yield Look(
        "Figure 7",
        "75 % discarded unused, life time 2 to 3, then 5 % improved",
        f"{span(crossover['discarded'], '{:.0f}'.format)} % discarded, life time "
        f"{span(crossover['life_time'], _two)}",
    )


def _dynamic(results: Results) -> Look:
    saved = [
        100 * (1 - run["dynamic"]["evaluated"]["median"] / run["printed"]["evaluated"]["median"])
        for data in paper.DATA
        for run in _runs(results, data)
    ]
    return Look(
        "Figure 8",
        "D-GOMM: always faster, always the same score",
        f"{span(saved, '{:.0f}'.format)} % fewer evaluations",
    )


__all__ = ["looks"]
