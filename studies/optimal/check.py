"""What must hold of the results, and where it is known not to."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from studies.common.markdown import count
from studies.common.verdicts import Source, Verdict
from studies.optimal import paper
from studies.optimal.records import distinct, one, pick
from studies.optimal.runs import PRINTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studies.common.results import Results

SAME = 1e-9
"""Costs that differ by less than this share are equal but for rounding."""


def check(results: Results) -> list[Verdict]:
    """Hold the results of a full run against what the definitions and the paper say."""
    return [
        _heights(results),
        *_inclusions(results["schemes_by_k"]),
        *_rising(results["schemes_by_k"]),
        *_proofs(results["schemes_by_k"]),
        *_recounts(results["schemes_by_k"]),
        *_same_optima(results),
        *_searches_by_k(results["searches_by_k"]),
        *_searches_by_size(results["searches_by_size"]),
        _more_attributes(results["schemes_by_size"]),
        _larger_k(results["searches_by_k"]),
        *_flexible(results["schemes_by_k"]),
        *_saved(results["printed_techniques"]),
        *_families(results["printed_techniques"], "paper", "bottom-up as printed"),
        *_families(results["techniques"], "ours", "our own search"),
    ]


def _all(
    name: str, held: Sequence[bool], wanted: str, source: Source = "check", why: str = "", place: str = ""
) -> Verdict:
    """Say of how many comparisons all must hold."""
    return Verdict(name, f"{sum(held)} of {len(held)}", wanted, all(held) and bool(held), source, why, place)


def _heights(results: Results) -> Verdict:
    """The hierarchies are ours, of the paper's heights."""
    held = [results["attributes"][name]["levels"] == item[2] for name, item in paper.FIGURE_9.items()]
    return _all("hierarchies as high as the paper's", held, "all", "paper", place="Figure 9")


def _more_attributes(runs: Sequence[Results]) -> Verdict:
    """Section 5.2.2: each scheme takes longer with more attributes."""
    held = []
    for cost in paper.COSTS:
        for scheme in distinct(runs, "scheme"):
            found = [run for run in pick(runs, scheme=scheme, cost_name=cost) if run["proven"]]
            # Faster only where even the slowest run of the larger one is.
            held += [after["range"][1] >= before["range"][0] for before, after in pairwise(found)]
    name = "our own search is not faster with one attribute more"
    why = "Elsewhere the larger case has the shorter proof."
    return _all(name, held, "every step between two proofs", "paper", why, "Figure 11a")


def _larger_k(runs: Sequence[Results]) -> Verdict:
    """The same section: bottom-up takes longer for larger k."""
    held = []
    for scheme in distinct(runs, "scheme"):
        for cost in paper.COSTS:
            wanted = {"scheme": scheme, "cost_name": cost, "search": "bottom-up", "techniques": "all"}
            found = pick(runs, **wanted)
            held += [
                not after["proven"] or after["seconds"] > before["seconds"]
                for before, after in pairwise(found)
                if before["proven"]
            ]
    name = "bottom-up as printed takes longer for a larger k"
    return _all(name, held, "every step from a proof on", "paper", place="Figure 11b")


def _flexible(runs: Sequence[Results]) -> Iterator[Verdict]:
    """Section 5.2.3: the more flexible scheme costs less; that it costs no more is true by definition."""
    for cost, letter in zip(paper.COSTS, "ab", strict=True):
        held = []
        for smaller, larger in paper.INCLUSIONS:
            for k in distinct(runs, "k"):
                below, above = (
                    one(runs, scheme=scheme.name, cost_name=cost, k=k) for scheme in (smaller, larger)
                )
                if below["proven"] and above["proven"]:
                    held.append(above["cost"] < below["cost"] * (1 - SAME))
        yield _all(
            f"the more flexible scheme costs less ({cost})",
            held,
            "every inclusion and k",
            "paper",
            "Elsewhere both have the same optimum.",
            f"Figure 12{letter}",
        )


def share_saved(runs: Sequence[Results], without: str) -> float:
    """Return the share of the time that techniques take off; negative if they add to it."""
    return 1 - seconds_of(runs, "all") / seconds_of(runs, without)


def _saved(runs: Sequence[Results]) -> Iterator[Verdict]:
    """Section 5.2.4: how much both families save, and which of them more."""
    first, second = share_saved(runs, "no seeding"), share_saved(runs, "neither rearrangement")
    yield Verdict(
        "share of the time that the first family saves, against the second (bottom-up as printed)",
        f"{100 * first:.0f} %",
        f"> {100 * second:.0f} %",
        first > second,
        why="Here rearranging is the more effective family.",
        place="Figure 13",
    )


def _inclusions(runs: Sequence[Results]) -> Iterator[Verdict]:
    """A larger scheme costs no more, wherever both optima are proven."""
    for cost in paper.COSTS:
        for smaller, larger in paper.INCLUSIONS:
            pairs = [
                [one(runs, scheme=scheme.name, cost_name=cost, k=k) for scheme in (smaller, larger)]
                for k in distinct(runs, "k")
            ]
            held = [
                above["cost"] <= below["cost"] * (1 + SAME)
                for below, above in pairs
                if below["proven"] and above["proven"]
            ]
            yield _all(f"{larger.name} costs no more than {smaller.name} ({cost})", held, "every proven k")


def _rising(runs: Sequence[Results]) -> Iterator[Verdict]:
    """A larger k costs no less."""
    for cost in paper.COSTS:
        held = []
        for scheme in paper.SCHEMES:
            found = [run for run in pick(runs, scheme=scheme.name, cost_name=cost) if run["proven"]]
            held += [below["cost"] <= above["cost"] * (1 + SAME) for below, above in pairwise(found)]
        yield _all(f"a larger k costs no less ({cost})", held, "every scheme and step of k")


def _proofs(runs: Sequence[Results]) -> Iterator[Verdict]:
    names = [scheme.name for scheme in paper.SCHEMES]
    held = [run["proven"] for run in runs if run["scheme"] in names]
    yield _all("optima of the six schemes proven, four attributes", held, "all, within the limit", "ours")


def _recounts(runs: Sequence[Results]) -> Iterator[Verdict]:
    """Every solution is verified as a release, and costs what the search says."""
    held = []
    for run in runs:
        found, verified = run["recount"]["found"], run["recount"]["verified"]
        held.append(
            math.isclose(found[run["cost_name"]], run["cost"], rel_tol=SAME)
            and all(found[name] == verified[name] for name in verified)
            and found["k"] >= run["k"]
        )
    yield _all("costs and k counted again from the table and from the release", held, "all solutions")


def _same_optima(results: Results) -> Iterator[Verdict]:
    """Neither the search nor a technique changes an optimum."""
    for name, key in (
        ("searches", "searches_by_k"),
        ("searches, by attributes", "searches_by_size"),
        ("techniques", "techniques"),
        ("printed techniques", "printed_techniques"),
    ):
        asked = ("scheme", "cost_name", "k", "size", "limit")
        costs: dict[tuple[object, ...], list[float]] = {}
        for run in results[key]:
            if run["proven"]:
                costs.setdefault(tuple(run.get(item) for item in asked), []).append(run["cost"])
        held = [max(found) <= min(found) * (1 + SAME) for found in costs.values()]
        yield _all(f"all {name} prove the same optimum", held, "every case")


def work(run: Results) -> float:
    """Return the nodes of a run; where the proof did not finish that is less than it takes."""
    return float(run["nodes"])


def times_as_many(runs: Sequence[Results], **wanted: object) -> tuple[float, bool]:
    """Return how many times as many nodes bottom-up takes as top-down, and whether that is only a bound."""
    up, down = (one(runs, search=name, **wanted) for name in PRINTED)
    return work(up) / max(1.0, work(down)), not up["proven"]


def _times(first: str, small: float, last: str, large: float) -> str:
    return f"bottom-up takes {small:.1f} times the nodes {first}, {large:.1f} times {last}"


def _searches_by_k(runs: Sequence[Results]) -> Iterator[Verdict]:
    """Both printed searches, under OPS: cuts are printed for ordered domains alone."""
    ks = distinct(runs, "k")
    for cost in paper.COSTS:
        wanted = {"scheme": "OPS", "cost_name": cost, "techniques": "all"}
        small, large = (times_as_many(runs, k=k, **wanted)[0] for k in (ks[0], ks[-1]))
        yield Verdict(
            f"top-down gains on bottom-up as k grows (OPS, {cost})",
            _times(f"at k = {ks[0]}", small, f"at k = {ks[-1]}", large),
            "more at the largest k",
            large > small,
            why=_unfinished(pick(runs, search="bottom-up", **wanted)),
            place="Figure 10a",
        )
    for techniques in ("all", "few"):
        yield _crossings(pick(runs, scheme="OPS", techniques=techniques), techniques, "k", "Figure 10a")


def _unfinished(runs: Sequence[Results]) -> str:
    open_ones = [run for run in runs if not run["proven"]]
    gaps = ", ".join(f"{100 * run['gap']:.1f} % at k = {run['k']}" for run in open_ones)
    return (
        f"{len(open_ones)} of {len(runs)} bottom-up searches end without a proof (gaps {gaps}), so that "
        "their nodes are only those of the time they had."
        if open_ones
        else "Every search ends with a proof: nodes of bottom-up grow with k."
    )


def leader(up: Results, down: Results) -> str:
    """Say which search proves sooner; they are even where the ranges of their seconds overlap."""
    if not (up["proven"] or down["proven"]):
        return "neither"
    if up["proven"] != down["proven"]:
        return "bottom-up" if up["proven"] else "top-down"
    if up["range"][0] <= down["range"][1] and down["range"][0] <= up["range"][1]:
        return "even"
    return "bottom-up" if up["seconds"] < down["seconds"] else "top-down"


def leaders(runs: Sequence[Results], axis: str) -> dict[tuple[str, str], list[str]]:
    """Return for every cost and set of techniques under OPS who leads, from the smallest k or size on."""
    found: dict[tuple[str, str], list[str]] = {}
    for run in pick(runs, search="bottom-up", scheme="OPS"):
        names = ("scheme", "cost_name", "techniques", axis)
        other = one(runs, search="top-down", **{name: run[name] for name in names})
        found.setdefault((run["cost_name"], run["techniques"]), []).append(leader(run, other))
    return found


def has_crossed(led: Sequence[str]) -> bool:
    """Whether bottom-up leads at first and top-down at last, of those that were proven at all."""
    known = [who for who in led if who in PRINTED]
    return len(known) > 1 and (known[0], known[-1]) == PRINTED


def _crossings(runs: Sequence[Results], techniques: str, axis: str, place: str) -> Verdict:
    """The paper's main finding: bottom-up is sooner for small k and few attributes, top-down for large."""
    steps, series = distinct(runs, axis), leaders(runs, axis)
    crossed = [name for name, led in series.items() if has_crossed(led)]
    words = {"k": "at k = {}", "size": "with {}"}[axis]
    told = [
        f"{cost.upper()}: "
        + ", ".join(f"{who} {words.format(step)}" for step, who in zip(steps, led, strict=True))
        for (cost, _), led in series.items()
    ]
    title = {"k": "small k, top-down for large ones", "size": "few attributes, top-down for many"}[axis]
    return Verdict(
        f"bottom-up is sooner for {title} ({techniques} techniques)",
        f"{len(crossed)} of {len(series)} series",
        "all",
        len(crossed) == len(series),
        why=f"Who is ahead: {'; '.join(told)}.",
        place=place,
    )


def words(run: Results) -> str:
    """Say how a run ended."""
    return f"{run['seconds']:.2f} s" if run["proven"] else f"a gap of {100 * run['gap']:.1f} %"


def _searches_by_size(runs: Sequence[Results]) -> Iterator[Verdict]:
    """Compare the fewest with the most attributes for which top-down finishes."""
    for cost in paper.COSTS:
        wanted = {"scheme": "OPS", "cost_name": cost, "techniques": "all"}
        sizes = [run["size"] for run in pick(runs, search="top-down", **wanted) if run["proven"]]
        if len(sizes) < 2:
            continue  # one size shows no trend
        small, large = (times_as_many(runs, size=size, **wanted)[0] for size in (sizes[0], sizes[-1]))
        yield Verdict(
            f"top-down gains on bottom-up with more attributes (OPS, {cost})",
            _times(f"with {sizes[0]}", small, f"with {sizes[-1]}", large),
            "more with more",
            large > small,
            why=f"Sizes for which top-down ends with a proof: {', '.join(map(str, sizes))}.",
            place="Figure 10b",
        )
    for techniques in ("all", "few"):
        yield _crossings(pick(runs, scheme="OPS", techniques=techniques), techniques, "size", "Figure 10b")


def seconds_of(runs: Sequence[Results], variant: str) -> float:
    """Add up the seconds of a variant over all cases; unfinished ones count as their limit."""
    return sum((float(run["seconds"]) for run in pick(runs, variant=variant)), 0.0)


def nodes_of(runs: Sequence[Results], variant: str) -> float:
    """Add up the nodes of a variant over all cases."""
    return sum(work(run) for run in pick(runs, variant=variant))


def _families(runs: Sequence[Results], source: Source, whose: str) -> Iterator[Verdict]:
    """Both families of section 4.4 save time: together, and each of them."""
    every = seconds_of(runs, "all")
    for name, variant in (
        ("seeding", "no seeding"),
        ("rearranging", "neither rearrangement"),
        ("both families", "no seeding, neither rearrangement"),
    ):
        without = seconds_of(runs, variant)
        yield Verdict(
            f"time that {name} takes off, over all cases ({whose})",
            f"{every:.1f} s with, {without:.1f} s without",
            "less with",
            every < without,
            source,
            why=f"{count(nodes_of(runs, 'all'))} nodes with, {count(nodes_of(runs, variant))} without.",
            place="Figure 13",
        )


__all__ = [
    "check",
    "has_crossed",
    "leaders",
    "seconds_of",
    "share_saved",
    "times_as_many",
    "words",
]
