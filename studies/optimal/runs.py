"""Searches with a limit on processor time, and what they say of themselves."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any

from sfumato.search import Monitor, Run, Status
from sfumato.search.branch_and_bound import Techniques, search_branch_and_bound
from sfumato.search.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.search import SearchResult
    from sfumato.search.techniques import PrintedParameters
    from studies.common.results import Results
    from studies.optimal.census import Case

PRINTED = ("bottom-up", "top-down")

FEW: Mapping[str, Any] = {
    "seeds": 0,
    "requeue": False,
    "useless_applicators": False,
    "node_rearrangement": False,
    "applicator_rearrangement": False,
}
"""What is left of the printed searches without these: their order, and bounds that leave nodes."""

FAMILIES: dict[str, Mapping[str, Any]] = {
    "all": {},
    "no seeding": {"seeds": 0, "requeue": False},
    "neither rearrangement": {"node_rearrangement": False, "applicator_rearrangement": False},
    "no seeding, neither rearrangement": {
        "seeds": 0,
        "requeue": False,
        "node_rearrangement": False,
        "applicator_rearrangement": False,
    },
    "few": FEW,
}
"""The families of Figure 13 in the search that the paper prints; seeding goes with its modified order."""

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


FURTHER = 1.2
"""How many times later the gap is noted next."""


class ProcessorTime(Monitor):
    """Stops a search after so many seconds of processor time, however busy the machine is."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._begin_s, self._seconds = time.process_time(), seconds
        self.course: list[tuple[float, float]] = []  # seconds and the gap then, ever further apart

    @property
    def used(self) -> float:
        """Processor time since the beginning, of all threads."""
        return time.process_time() - self._begin_s

    def tick(self, fraction: float, evaluated: int) -> bool:
        """Look at the clock alone, and note the gap."""
        if fraction > 0 and self.used >= FURTHER * (self.course[-1][0] if self.course else 0.0):
            self.course.append((round(self.used, 3), round(1 - fraction, 5)))
        if self.used >= self._seconds:
            self.reason = self.reason or "time limit"
        return self.stopped


def search(
    case: Case, techniques: Techniques | PrintedParameters, limit_s: float, method: str = "own"
) -> tuple[SearchResult, float]:
    """Run the search once on one thread; return its result and its processor seconds."""
    watch = ProcessorTime(limit_s)
    begin = search_branch_and_bound if method == "own" else METHODS[method].search
    result = begin(case.problem, Run(watch, threads=1, parameters=techniques))
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


def run(
    case: Case,
    techniques: Techniques | PrintedParameters,
    limit_s: float,
    repeats: int,
    method: str = "own",
) -> Results:
    """Search and describe."""
    return repeat(case, techniques, limit_s, repeats, method)[1]


def follow(case: Case, limit_s: float) -> Results:
    """Search in our own way once; note how the gap closes."""
    watch = ProcessorTime(limit_s)
    result = search_branch_and_bound(case.problem, Run(watch, threads=1, parameters=Techniques()))
    return describe(result, watch.used) | {"course": settled(watch.course)}


def settled(course: Sequence[Sequence[float]]) -> list[list[float]]:
    """Leave out what was noted while a first solution was sought, whose share done is of something else."""
    rises = [place for place in range(1, len(course)) if course[place][1] > course[place - 1][1]]
    return [list(step) for step in course[max(rises, default=0) :]]


def repeat(
    case: Case, techniques: Techniques | PrintedParameters, limit_s: float, repeats: int, method: str = "own"
) -> tuple[SearchResult, Results]:
    """Search, again if it ends within the limit; the seconds are the median, with their range."""
    result, seconds = search(case, techniques, limit_s, method)
    taken = [seconds]
    if result.complete:
        taken += [search(case, techniques, limit_s, method)[1] for _ in range(repeats - 1)]
    found = describe(result, statistics.median(taken))
    return result, found | {"range": [round(min(taken), 3), round(max(taken), 3)]}


__all__ = ["FAMILIES", "FEW", "PRINTED", "VARIANTS", "ProcessorTime", "follow", "repeat", "run"]
