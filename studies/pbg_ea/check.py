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
"""How many times the paper's number of evaluations may be: ours, the paper prints no variance."""
LONGEST_S = 30.0


def check(results: Results) -> list[Verdict]:
    """Hold the results of a full run against what is required of our variant."""
    return [
        _lengths(results),
        *_representation(results),
        *_convergence(results),
        *_texts(results),
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


def _place(row: paper.Row) -> str:
    """Return the table that a row of indicators is in."""
    return "Table 1(b)" if row in paper.TABLE_1B else "Table 2(a)"


def _lengths(results: Results) -> Verdict:
    """The hierarchies are ours, of the paper's lengths."""
    wanted = {name: length for name, (_, _, length) in paper.TABLE_1A.items() if length is not None}
    same = sum(results["attributes"][name]["length"] == length for name, length in wanted.items())
    name = "hierarchies as long as the paper's"
    return Verdict(name, f"{same} of {len(wanted)}", "all", same == len(wanted), place="Table 1(a)")


def _texts(results: Results) -> Iterator[Verdict]:
    """What the text says of Figures 1 to 3, for the algorithm as printed."""
    found = {row.name: _mean(results, row, "rr", "printed") for row in paper.TABLE_1B}
    fronts = {row.name: results["rows"][row.name]["exact_front"] for row in paper.TABLE_2B}
    worst, spread = found["k_glm"], found["sk_glm"]
    name = "RR with spread, as printed, against that with the worst case"
    yield Verdict(name, ratio(spread), f"< {ratio(worst)}", spread < worst, place="Figure 2")
    for one, other, title in (("k_glm", "sk_glm", "two"), ("k_l_glm", "sk_sl_glm", "three")):
        name = f"exact front with spread, {title} properties, against that with the worst case"
        held = fronts[other] > fronts[one]
        yield Verdict(name, count(fronts[other]), f"> {count(fronts[one])}", held, place="Figure 2")
    name = "points of the exact front for which more GLM buys less CM, at no smaller k"
    bought = sum(
        _buys(point, results["fronts"]["k_glm_cm"]["exact"])
        for point in results["fronts"]["k_glm_cm"]["exact"]
    )
    yield Verdict(name, count(bought), "some", bought > 0, place="Figure 3")


def _buys(point: list[float], front: list[list[float]]) -> bool:
    """Whether some other point has less GLM and more CM than this one, at no larger k."""
    return any(k <= point[0] and glm < point[1] and cm > point[2] for k, glm, cm in front)


def _representation(results: Results) -> Iterator[Verdict]:
    for variant, words in VARIANTS.items():
        for row in (*paper.TABLE_1B, *paper.TABLE_2A):
            found, wanted = _mean(results, row, "rr", variant), lowest_rr(row)
            name, place = f"RR of {row.label}, {words}", f"{_place(row)}, RR"
            yield Verdict(name, ratio(found), f"≥ {ratio(wanted)}", found >= wanted, place=place)


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
                place=f"{_place(row)}, CE",
            )


def _evaluations(results: Results) -> Iterator[Verdict]:
    for row in paper.TABLE_2B:
        assert row.evaluations is not None
        printed = _mean(results, row, "evaluated", "printed")
        yield Verdict(
            f"evaluations for {row.label}, as printed, within 10 % of the paper's (10 % is ours)",
            count(printed),
            f"{count(row.evaluations)}",
            abs(printed - row.evaluations) <= (MORE_EVALUATIONS - 1) * row.evaluations,
            why=f"It evaluates {100 * printed / row.evaluations:.0f} % of the paper's number: that is not "
            "reproduced.",
            place="Table 2(b)",
        )
        found, wanted = _mean(results, row, "evaluated"), MORE_EVALUATIONS * row.evaluations
        name = f"evaluations for {row.label}, our variant"
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
