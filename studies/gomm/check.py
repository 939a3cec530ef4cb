"""What must hold of the results, and where it is known not to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common.markdown import count, seconds
from studies.common.verdicts import Verdict
from studies.gomm import paper

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.common.results import Results

SLACK = 1e-9
"""Scores that differ by less are equal."""
ABOVE = 1.01
"""How much worse than GOMM's the median score of D-GOMM may be."""
LONGEST_S = 20.0


def check(results: Results) -> list[Verdict]:
    """Hold the results of a full run against what is required of GOMM and D-GOMM."""
    return [*_scores(results), *_first(results), *_dynamic(results), *_groups(results), *_times(results)]


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
        printed = {n: scores[paper.KS.index(k)] for n, scores in data.scores.items()}
        # Where the paper's own scores are the same, ours may be.
        is_below = printed.pop("GOMM") < min(printed.values())
        sign = "<" if is_below else "≤"
        yield Verdict(
            f"{data.title}, k = {k}: GOMM's largest score over the seeds, against the best ad-hoc grouping",
            f"{worst:.2f}" + (", the same" if abs(worst - least) <= SLACK else ""),
            f"{sign} {least:.2f} ({name})",
            worst < least - SLACK if is_below else worst <= least + SLACK,
            why=f"The ad-hoc grouping {name} is as good as what GOMM finds.",
        )


def _first(results: Results) -> Iterator[Verdict]:
    spoiled = sum(found["unwanted_in_first_populations"] for _, _, found in _cases(results))
    name = "ad-hoc groupings, one group among them, in all first populations"
    yield Verdict(name, str(spoiled), "0", spoiled == 0, "check")


def _dynamic(results: Results) -> Iterator[Verdict]:
    for data, k, found in _cases(results):
        ours, theirs = (found[name]["score"]["median"] for name in ("dynamic", "printed"))
        yield Verdict(
            f"{data.title}, k = {k}: median score of D-GOMM, against GOMM's and 1 %",
            f"{ours:.2f}",
            f"≤ {ABOVE * theirs:.2f}",
            ours <= ABOVE * theirs,
            "ours",
        )
    yield _always_equal(results)
    for data, k, found in _cases(results):
        ours, theirs = (found[name]["evaluated"]["median"] for name in ("dynamic", "printed"))
        yield Verdict(
            f"{data.title}, k = {k}: median evaluations of D-GOMM, against GOMM's",
            count(ours),
            f"< {count(theirs)}",
            ours < theirs,
        )


def _always_equal(results: Results) -> Verdict:
    """The paper says that D-GOMM's score is always that of GOMM."""
    pairs = [
        pair
        for _, _, found in _cases(results)
        for pair in zip(found["dynamic"]["score"]["values"], found["printed"]["score"]["values"], strict=True)
    ]
    worse = [ours - theirs for ours, theirs in pairs if ours > theirs + SLACK]
    better = sum(ours < theirs - SLACK for ours, theirs in pairs)
    equal = len(pairs) - len(worse) - better
    return Verdict(
        "runs in which D-GOMM's score is GOMM's",
        f"{equal} of {len(pairs)}",
        "always equal",
        equal == len(pairs),
        why=f"It is worse in {len(worse)} runs, by up to {max(worse, default=0):.2f}, and better in "
        f"{better}: the paper's statement is refuted.",
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
        "ours",
    )


__all__ = ["check"]
