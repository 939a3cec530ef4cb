"""Confidential sentences beside distinct ℓ: what logical security costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks import workloads
from sfumato.preparing import load, make_problem
from sfumato.spec import Spec

if TYPE_CHECKING:
    from sfumato.search import Problem

SENTENCES = (
    {"sentence": "relationship in {Husband, Wife}"},
    {"sentence": "relationship == Unmarried", "for": "age < 30"},
    {"sentence": "relationship == Own-child"},
)


def secret_problem(measure: str) -> Problem:
    """Every node of Adult's lattice with k and one measure; three sentences, one of them for the young."""
    plain = workloads.adult_spec(0.01)
    spec = Spec.from_dict({**plain.to_dict(), "confidential": list(SENTENCES)}, plain.folder)
    maximize = ("k",) if measure == "exposed" else ("k", measure)
    return make_problem(load(None, spec), maximize, ("exposed",) if measure == "exposed" else ())


class EveryNode:
    """k and one more measure for all 12,960 nodes, by one worker."""

    params = (["distinct_l(relationship)", "secure", "exposed", "sf", "ql"],)
    param_names = ("measure",)
    timeout = 300

    def setup(self, measure: str) -> None:
        self.problem = secret_problem(measure)
        self.batch = self.problem.batch(threads=1)
        self.batch.compile()
        self.nodes = self.problem.lattice.nodes(0, self.problem.lattice.size, self.batch.order)

    def time_every_node(self, measure: str) -> None:
        statistics = self.batch.evaluate(self.nodes)
        for item in self.problem.measures:
            item.value(statistics)
