"""What must hold of the results, and where it is known not to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from studies.common.markdown import count
from studies.optimal import paper
from studies.optimal.records import distinct, one, pick

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studies.common.results import Results

SAME = 1e-9
"""Costs that differ by less than this share are equal but for rounding."""

KNOWN_MISSES = {
    "top-down gains on bottom-up as k grows (SPS, dm)": (
        "From k = 5 on no bottom-up search under SPS ends within its limit, so that its nodes are those of "
        "ten seconds: a lower bound of the ratio, which falls while top-down itself needs more. Its gap "
        "shows the trend instead: 0.9 % at k = 5, 28.8 % at k = 50, where top-down proves every optimum."
    ),
    "bottom-up is ahead at k = 2 with few techniques (OPS, dm)": (
        "Both take about half a second, bottom-up four times the nodes at a third of the price of a node. By "
        "HDM the crossing of the paper is there, by DM it would lie below k = 2: our top-down bound looks at "
        "both ends of what is open."
    ),
    "seeding saves time over all cases": (
        "Proofs over four attributes have become so short that the annealing of the first solution, a tenth "
        "of a second, is most of their time. It saves nodes in every case, and where nodes and applicators "
        "are not rearranged either it decides whether a proof is found at all."
    ),
}
"""Name of a verdict that does not hold → why, for the README."""


@dataclass(frozen=True)
class Verdict:
    """One requirement: what was found, what was wanted, and whether it holds."""

    name: str
    found: str
    wanted: str
    holds: bool


def check(results: Results) -> list[Verdict]:
    """Hold the results of a full run against what the definitions and the paper say."""
    return [
        *_inclusions(results["schemes_by_k"]),
        *_rising(results["schemes_by_k"]),
        *_proofs(results["schemes_by_k"]),
        *_recounts(results["schemes_by_k"]),
        *_same_optima(results),
        *_directions_by_k(results["directions_by_k"]),
        *_directions_by_size(results["directions_by_size"]),
        *_families(results["techniques"]),
    ]


def misses(results: Results) -> list[str]:
    """Return the names of the requirements that do not hold."""
    return [verdict.name for verdict in check(results) if not verdict.holds]


def _all(name: str, held: Sequence[bool], wanted: str) -> Verdict:
    """Say of how many comparisons all must hold."""
    return Verdict(name, f"{sum(held)} of {len(held)}", wanted, all(held) and bool(held))


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
    yield _all("optima of the six schemes proven, four attributes", held, "all, within the limit")


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
    """Neither the direction nor a technique changes an optimum."""
    for name, key in (
        ("directions", "directions_by_k"),
        ("directions, by attributes", "directions_by_size"),
        ("techniques", "techniques"),
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
    up, down = (one(runs, direction=direction, **wanted) for direction in ("bottom-up", "top-down"))
    return work(up) / max(1.0, work(down)), not up["proven"]


def _times(first: str, small: float, last: str, large: float) -> str:
    return f"bottom-up takes {small:.1f} times the nodes {first}, {large:.1f} times {last}"


def _directions_by_k(runs: Sequence[Results]) -> Iterator[Verdict]:
    ks = distinct(runs, "k")
    for scheme in (paper.OPS, paper.SPS):
        for cost in paper.COSTS:
            wanted = {"scheme": scheme.name, "cost_name": cost, "techniques": "all"}
            small, large = (times_as_many(runs, k=k, **wanted)[0] for k in (ks[0], ks[-1]))
            yield Verdict(
                f"top-down gains on bottom-up as k grows ({scheme.name}, {cost})",
                _times(f"at k = {ks[0]}", small, f"at k = {ks[-1]}", large),
                "more at the largest k",
                large > small,
            )
    for cost in paper.COSTS:
        yield _faster(runs, "bottom-up", cost, ks[0])
        yield _faster(runs, "top-down", cost, ks[-1])


def _faster(runs: Sequence[Results], direction: str, cost: str, k: object) -> Verdict:
    """Whether a direction is the faster one with few techniques under OPS."""
    wanted = {"scheme": "OPS", "cost_name": cost, "techniques": "few", "k": k}
    up, down = (one(runs, direction=name, **wanted) for name in ("bottom-up", "top-down"))
    ours, other = (up, down) if direction == "bottom-up" else (down, up)
    if ours["proven"] != other["proven"]:
        holds = ours["proven"]
    elif ours["proven"]:
        holds = ours["seconds"] < other["seconds"]
    else:
        holds = ours["gap"] < other["gap"]
    return Verdict(
        f"{direction} is ahead at k = {k} with few techniques (OPS, {cost})",
        f"{words(ours)} against {words(other)}",
        "sooner proven, or the smaller gap",
        holds,
    )


def words(run: Results) -> str:
    """Say how a run ended."""
    return f"{run['seconds']:.2f} s" if run["proven"] else f"a gap of {100 * run['gap']:.1f} %"


def _directions_by_size(runs: Sequence[Results]) -> Iterator[Verdict]:
    """Compare two attributes with the most for which top-down finishes."""
    for scheme in (paper.OPS, paper.SPS):
        for cost in paper.COSTS:
            wanted = {"scheme": scheme.name, "cost_name": cost, "techniques": "all"}
            done = [run["size"] for run in pick(runs, direction="top-down", **wanted) if run["proven"]]
            sizes = [size for size in done if size > 1]
            small, large = (times_as_many(runs, size=size, **wanted)[0] for size in (sizes[0], sizes[-1]))
            yield Verdict(
                f"top-down gains on bottom-up with more attributes ({scheme.name}, {cost})",
                _times(f"with {sizes[0]}", small, f"with {sizes[-1]}", large),
                "more with more, unless only one size is proven",
                large > small or len(sizes) == 1,
            )


def seconds_of(runs: Sequence[Results], variant: str) -> float:
    """Add up the seconds of a variant over all cases; unfinished ones count as their limit."""
    return sum((float(run["seconds"]) for run in pick(runs, variant=variant)), 0.0)


def _families(runs: Sequence[Results]) -> Iterator[Verdict]:
    """Both families of section 4.4 save time: together, and each of them."""
    every = seconds_of(runs, "all")
    for name, variant in (
        ("seeding", "no seeding"),
        ("node and applicator rearrangement", "neither rearrangement"),
        ("both families", "no seeding, neither rearrangement"),
    ):
        without = seconds_of(runs, variant)
        yield Verdict(
            f"{name} saves time over all cases",
            f"{every:.1f} s with, {without:.1f} s without",
            "less with",
            every < without,
        )
    nodes = [sum(work(run) for run in pick(runs, variant=name)) for name in ("all", "no node pruning")]
    yield Verdict(
        "node pruning saves nodes over all cases",
        f"{count(nodes[0])} with, {count(nodes[1])} without",
        "fewer with",
        nodes[0] < nodes[1],
    )


__all__ = ["KNOWN_MISSES", "Verdict", "check", "misses", "seconds_of", "times_as_many", "words"]
