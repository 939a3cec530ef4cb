"""What must hold of the results, and where it is known not to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.common.markdown import count, ratio, seconds, small
from studies.pbg_ea import paper

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.common.results import Results

LARGEST_CE = 5e-3
MORE_EVALUATIONS = 1.1
LONGEST_S = 30.0

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
    """Hold the results of a full run against what is required of our variant."""
    return [
        *_representation(results),
        *_convergence(results),
        *_evaluations(results),
        *_billion(results["billion"]["contenders"]),
    ]


def misses(results: Results) -> list[str]:
    """Return the names of the requirements that do not hold."""
    return [verdict.name for verdict in check(results) if not verdict.holds]


def lowest_rr(row: paper.Row) -> float:
    """Return the paper's representation ratio less two standard errors."""
    assert row.rr is not None
    return row.rr[0] - 2 * math.sqrt(row.rr[1] / paper.SEEDS)


def _ours(results: Results, row: paper.Row, indicator: str) -> float:
    mean: float = results["rows"][row.name]["variants"]["ours"][indicator]["mean"]
    return mean


def _representation(results: Results) -> Iterator[Verdict]:
    for row in (*paper.TABLE_1B, *paper.TABLE_2A):
        found, wanted = _ours(results, row, "rr"), lowest_rr(row)
        yield Verdict(f"RR of {row.label}", ratio(found), f"≥ {ratio(wanted)}", found >= wanted)


def _convergence(results: Results) -> Iterator[Verdict]:
    for row in paper.ROWS:
        found = _ours(results, row, "ce")
        yield Verdict(f"CE of {row.label}", small(found), f"≤ {small(LARGEST_CE)}", found <= LARGEST_CE)


def _evaluations(results: Results) -> Iterator[Verdict]:
    for row in paper.TABLE_2B:
        assert row.evaluations is not None
        found, wanted = _ours(results, row, "evaluated"), MORE_EVALUATIONS * row.evaluations
        name = f"evaluations for {row.label}"
        yield Verdict(name, count(found), f"≤ {count(math.floor(wanted))}", found <= wanted)


def _billion(contenders: Results) -> Iterator[Verdict]:
    longest = max(contenders["pbg_ea"]["seconds"]["values"])
    name = "longest run of PBG-EA on more than 10⁹ nodes"
    yield Verdict(name, seconds(longest), f"≤ {seconds(LONGEST_S)}", longest <= LONGEST_S)
    ours = contenders["pbg_ea"]["hypervolume"]["median"]
    for key, words in (("random", "a random sample"), ("nsga2", "NSGA-II")):
        other = contenders[key]["hypervolume"]["median"]
        name = f"median hypervolume on more than 10⁹ nodes, against {words}"
        yield Verdict(name, f"{ours:.4f}", f"≥ {other:.4f}", ours >= other)


__all__ = ["KNOWN_MISSES", "Verdict", "check", "lowest_rr", "misses"]
