"""What must hold of the results, and where it is known not to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from studies.common.markdown import count, ratio, seconds, small
from studies.common.verdicts import Verdict
from studies.pbg_ea import paper

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studies.common.results import Results

MORE_EVALUATIONS = 1.1
LONGEST_S = 30.0


def check(results: Results) -> list[Verdict]:
    """Hold the results of a full run against what is required of our variant."""
    return [
        *_representation(results),
        *_convergence(results),
        *_evaluations(results),
        *_billion(results["billion"]["contenders"]),
    ]


def lowest_rr(row: paper.Row) -> float:
    """Return the paper's representation ratio less two standard errors."""
    assert row.rr is not None
    return row.rr[0] - 2 * math.sqrt(row.rr[1] / paper.SEEDS)


def largest_ce(row: paper.Row) -> float:
    """Return the paper's convergence error plus two standard errors."""
    assert row.ce is not None
    return row.ce[0] + 2 * math.sqrt(row.ce[1] / paper.SEEDS)


VARIANTS = {"printed": "as printed", "ours": "our variant"}


def _mean(results: Results, row: paper.Row, indicator: str, variant: str = "ours") -> float:
    mean: float = results["rows"][row.name]["variants"][variant][indicator]["mean"]
    return mean


def _representation(results: Results) -> Iterator[Verdict]:
    for variant, words in VARIANTS.items():
        for row in (*paper.TABLE_1B, *paper.TABLE_2A):
            found, wanted = _mean(results, row, "rr", variant), lowest_rr(row)
            yield Verdict(f"RR of {row.label}, {words}", ratio(found), f"≥ {ratio(wanted)}", found >= wanted)


def _convergence(results: Results) -> Iterator[Verdict]:
    for variant, words in VARIANTS.items():
        for row in (*paper.TABLE_1B, *paper.TABLE_2A):
            found, wanted = _mean(results, row, "ce", variant), largest_ce(row)
            values = results["rows"][row.name]["variants"][variant]["ce"]["values"]
            yield Verdict(
                f"CE of {row.label}, {words}",
                small(found),
                f"≤ {small(wanted)}",
                found <= wanted,
                why=f"{sum(value > 0 for value in values)} of {len(values)} runs find something that the "
                "exact front dominates.",
            )


def _evaluations(results: Results) -> Iterator[Verdict]:
    for row in paper.TABLE_2B:
        assert row.evaluations is not None
        found, wanted = _mean(results, row, "evaluated"), MORE_EVALUATIONS * row.evaluations
        name = f"evaluations for {row.label}"
        yield Verdict(name, count(found), f"≤ {count(math.floor(wanted))}", found <= wanted, "ours")


def _billion(contenders: Results) -> Iterator[Verdict]:
    longest = max(contenders["pbg_ea"]["seconds"]["values"])
    name = "longest run of PBG-EA on more than 10⁹ nodes"
    yield Verdict(name, seconds(longest), f"≤ {seconds(LONGEST_S)}", longest <= LONGEST_S, "ours")
    ours = contenders["pbg_ea"]["hypervolume"]["median"]
    for key, words in (("random", "a random sample"), ("nsga2", "NSGA-II")):
        other = contenders[key]["hypervolume"]["median"]
        name = f"median hypervolume on more than 10⁹ nodes, against {words}"
        yield Verdict(name, f"{ours:.4f}", f"≥ {other:.4f}", ours >= other, "ours")


__all__ = ["check", "lowest_rr"]
