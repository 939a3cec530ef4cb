"""The census table under the chapter's schemes, and the full-domain recodings of the same domains."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import sfumato as sf
from sfumato.domains import Partition
from sfumato.front import whole_text
from sfumato.preparing import load, make_problem
from sfumato.search import Run, search_exhaustive

if TYPE_CHECKING:
    from sfumato._typing import FloatArray
    from sfumato.preparing import Prepared
    from sfumato.search import Problem, SearchResult
    from studies.common.results import Results
    from studies.nsga2.paper import Task

SPECIFICATION = Path(__file__).parent / "census.toml"


@dataclass(frozen=True, eq=False)
class Case:
    """One problem over the schemes, and over the levels of the same hierarchies."""

    problem: Problem

    @cached_property
    def full_domain(self) -> Problem:
        """The same problem with levels alone."""
        return replace(self.problem, schemes=None, describe=None)

    @cached_property
    def exact(self) -> SearchResult:
        """The exact front of the full-domain recodings."""
        batch = self.full_domain.batch()
        batch.compile()
        return search_exhaustive(self.full_domain, Run(batch=batch))

    def costs(self, result: SearchResult) -> FloatArray:
        """Return the costs of a result's solutions, smaller is better."""
        return self.problem.costs(self.problem.batch(lattice=result.lattice).evaluate(result.nodes))

    @property
    def contains_levels(self) -> bool:
        """Whether every level is a member of its attribute's scheme."""
        assert self.problem.schemes is not None
        return all(
            scheme.is_valid(Partition.of(level))
            for scheme, ladder in zip(self.problem.schemes, self.problem.lattice.ladders, strict=True)
            for level in ladder.levels
        )


def make_case(task: Task) -> Case:
    """Return the case of a task."""
    return Case(make_problem(prepare(task), (task.maximize,), task.minimize))


def prepare(task: Task) -> Prepared:
    """Return the coded table with the suppression of a task."""
    tables = tomllib.loads(SPECIFICATION.read_text(encoding="utf-8"))
    tables["suppression"] = {"rule": task.rule, "limit": task.limit}
    return load(None, sf.Spec.from_dict(tables, folder=sf.datasets.adult_path().parent))


def describe_space(case: Case) -> Results:
    """Return what there is to be searched, attribute by attribute and in all."""
    problem = case.problem
    assert problem.schemes is not None
    attributes = {
        name: {
            "values": size,
            "levels": len(ladder.levels),
            "scheme": scheme.name,
            "members": whole_text(scheme.count()),
        }
        for name, size, ladder, scheme in zip(
            problem.cube.quasi_identifiers,
            problem.cube.sizes,
            problem.lattice.ladders,
            problem.schemes,
            strict=True,
        )
    }
    return {
        "attributes": attributes,
        "space": whole_text(problem.space),
        "full_domain": case.full_domain.lattice.size,
        "rows": problem.cube.row_count,
        "distinct": problem.cube.distinct,
        "fingerprint": problem.cube.fingerprint,
        "contains_levels": case.contains_levels,
    }


__all__ = ["SPECIFICATION", "Case", "describe_space", "make_case", "prepare"]
