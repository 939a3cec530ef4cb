"""Searches with a limit on processor time, and what they say of themselves."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from sfumato.search import Monitor, Run, Status
from sfumato.search.branch_and_bound import Techniques, search_branch_and_bound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato.search import SearchResult
    from studies.common.results import Results
    from studies.optimal.census import Case

PLAIN: Mapping[str, Any] = {
    "seeding": False,
    "useless_applicators": False,
    "useful_applicators": False,
    "applicator_rearrangement": False,
}
"""What is left without these: bounds that leave nodes, and the least bound first."""

VARIANTS: dict[str, Mapping[str, Any]] = {
    "all": {},
    "no node pruning": {"node_pruning": False},
    "no useless applicators": {"useless_applicators": False},
    "no useful applicators": {"useful_applicators": False},
    "no seeding": {"seeding": False},
    "with re-queueing": {"requeue": True},
    "no node rearrangement": {"node_rearrangement": False},
    "no applicator rearrangement": {"applicator_rearrangement": False},
    "neither rearrangement": {"node_rearrangement": False, "applicator_rearrangement": False},
    "no seeding, neither rearrangement": {
        "seeding": False,
        "node_rearrangement": False,
        "applicator_rearrangement": False,
    },
    "bottom-up": {"direction": "bottom-up"},
    "bottom-up, no useful applicators": {"direction": "bottom-up", "useful_applicators": False},
}
"""Techniques of Figure 13, switched in turn. Bottom-up, nothing else does what useful applicators do."""


class ProcessorTime(Monitor):
    """Stops a search after so many seconds of processor time, however busy the machine is."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._begin_s, self._seconds = time.process_time(), seconds

    @property
    def used(self) -> float:
        """Processor time since the beginning, of all threads."""
        return time.process_time() - self._begin_s

    def tick(self, fraction: float, evaluated: int) -> bool:
        """Look at the clock alone."""
        if self.used >= self._seconds:
            self.reason = self.reason or "time limit"
        return self.stopped


def search(case: Case, techniques: Techniques, limit_s: float) -> tuple[SearchResult, float]:
    """Run the search once on one thread; return its result and its processor seconds."""
    watch = ProcessorTime(limit_s)
    result = search_branch_and_bound(case.problem, Run(watch, threads=1, parameters=techniques))
    return result, watch.used


def describe(result: SearchResult, seconds: float) -> Results:
    """Return what is kept of a run: cost, bound, gap, and what was counted."""
    certificate = dict(result.certificate or {})
    bound, gap = certificate.pop("bound"), certificate.pop("gap")
    return {
        "proven": result.status is Status.OPTIMAL,
        "seconds": round(seconds, 3),
        "cost": certificate.pop("cost"),
        # A bound that is not known yet is that of nothing: costs are not negative.
        "bound": 0.0 if bound is None else bound,
        "gap": 1.0 if bound is None or gap is None else gap,
        "nodes": certificate.pop("nodes"),
        "counts": {name: count for name, count in certificate.items() if name != "direction"},
    }


def run(case: Case, techniques: Techniques, limit_s: float) -> Results:
    """Search and describe."""
    return describe(*search(case, techniques, limit_s))


__all__ = ["PLAIN", "VARIANTS", "ProcessorTime", "describe", "run", "search"]
