"""What must hold of the results, and where it is known not to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.common.markdown import count, seconds
from studies.gomm import paper

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.common.results import Results

SLACK = 1e-9
"""Scores that differ by less are equal."""
ABOVE = 1.01
"""How much worse than GOMM's the median score of D-GOMM may be."""
LONGEST_S = 20.0

KNOWN_MISSES: dict[str, str] = {}
"""Name of a verdict that does not hold → why, for the README."""


@dataclass(frozen=True)
class Verdict:
    """One requirement: what was found, what was wanted, and whether it holds."""

    name: str
    found: str
    wanted: str
    holds: bool


def check(results: Results) -> list[Verdict]:
    """Hold the results of a full run against what is required of GOMM and D-GOMM."""
    return [*_scores(results), *_first(results), *_dynamic(results), *_groups(results), *_times(results)]


def misses(results: Results) -> list[str]:
    """Return the names of the requirements that do not hold."""
    return [verdict.name for verdict in check(results) if not verdict.holds]


def _cases(results: Results) -> Iterator[tuple[paper.Data, int, Results]]:
    for data in paper.DATA:
        for k in results["settings"]["ks"]:
            yield data, k, results["runs"][data.name][str(k)]


def _scores(results: Results) -> Iterator[Verdict]:
    for data, k, found in _cases(results):
        worst = max(found["printed"]["score"]["values"])
        name, least = min(
            ((n, item["score"]) for n, item in found["ad_hoc"].items()), key=lambda pair: pair[1]
        )
        yield Verdict(
            f"{data.title}, k = {k}: GOMM's largest score over the seeds, against the best ad-hoc grouping",
            f"{worst:.2f}",
            f"≤ {least:.2f} ({name})",
            worst <= least + SLACK,
        )


def _first(results: Results) -> Iterator[Verdict]:
    spoiled = sum(found["unwanted_in_first_populations"] for _, _, found in _cases(results))
    name = "ad-hoc groupings, one group among them, in all first populations"
    yield Verdict(name, str(spoiled), "0", spoiled == 0)


def _dynamic(results: Results) -> Iterator[Verdict]:
    for data, k, found in _cases(results):
        ours, theirs = (found[name]["score"]["median"] for name in ("dynamic", "printed"))
        yield Verdict(
            f"{data.title}, k = {k}: median score of D-GOMM, against GOMM's and 1 %",
            f"{ours:.2f}",
            f"≤ {ABOVE * theirs:.2f}",
            ours <= ABOVE * theirs,
        )
    for data, k, found in _cases(results):
        ours, theirs = (found[name]["evaluated"]["median"] for name in ("dynamic", "printed"))
        yield Verdict(
            f"{data.title}, k = {k}: median evaluations of D-GOMM, against GOMM's",
            count(ours),
            f"< {count(theirs)}",
            ours < theirs,
        )


def _groups(results: Results) -> Iterator[Verdict]:
    for data in paper.DATA:
        groups = [found["printed"]["groups"]["median"] for item, _, found in _cases(results) if item is data]
        yield Verdict(
            f"{data.title}: median number of groups, k from smallest to largest",
            ", ".join(f"{number:g}" for number in groups),
            "never less, more in the end",
            groups == sorted(groups) and groups[-1] > groups[0],
        )


def _times(results: Results) -> Iterator[Verdict]:
    longest = max(max(found["printed"]["seconds"]["values"]) for _, _, found in _cases(results))
    yield Verdict(
        "longest run of GOMM at the paper's size",
        seconds(longest),
        f"≤ {seconds(LONGEST_S)}",
        longest <= LONGEST_S,
    )


__all__ = ["KNOWN_MISSES", "Verdict", "check", "misses"]
