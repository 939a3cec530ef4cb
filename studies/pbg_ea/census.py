"""The census table as the paper uses it, and the exact fronts of its lattices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

import sfumato as sf
from sfumato.front import box_of, non_dominated
from sfumato.preparing import load, make_problem
from sfumato.search import Run, search_exhaustive
from studies.pbg_ea import paper

if TYPE_CHECKING:
    from sfumato._typing import FloatArray, LongArray
    from sfumato.classes import Batch
    from sfumato.preparing import Prepared
    from sfumato.search import Problem
    from studies.common.results import Results
    from studies.pbg_ea.paper import Row


@dataclass(frozen=True, eq=False)
class Case:
    """One set of objectives over one lattice, with its evaluator and its exact front."""

    problem: Problem
    batch: Batch
    exact: LongArray

    @cached_property
    def indices(self) -> FloatArray:
        """Index values of the exact front, larger is better."""
        return self.indices_of(self.exact)

    def indices_of(self, nodes: LongArray) -> FloatArray:
        """Return index values of nodes, larger is better."""
        return self.problem.indices(self.batch.evaluate(nodes))

    def values_of(self, nodes: LongArray) -> FloatArray:
        """Return the objectives of nodes in their own direction; equal ones are equal."""
        signs = np.array([item.direction.sign for item in self.problem.objectives])
        return signs * self.problem.costs(self.batch.evaluate(nodes))

    def box_count(self, widths: FloatArray) -> int:
        """Return how many boxes of the exact front no other box dominates."""
        return len(non_dominated(-box_of(self.indices, widths)))


class Census:
    """The embedded table coded in two ways: salary class as quasi-identifier, and as class label."""

    def __init__(self) -> None:
        self.table = _prepared(label=False)
        self.labelled = _prepared(label=True)
        self._cases: dict[tuple[str, ...], Case] = {}

    def case(self, row: Row) -> Case:
        """Return the case of a row; rows with the same objectives share one."""
        if row.objectives not in self._cases:
            prepared = self.labelled if any("salary-class" in name for name in row.objectives) else self.table
            problem = make_problem(prepared, row.maximize, row.minimize)
            batch = problem.batch()
            batch.compile()
            self._cases[row.objectives] = Case(
                problem, batch, search_exhaustive(problem, Run(batch=batch)).nodes
            )
        return self._cases[row.objectives]

    def attributes(self) -> Results:
        """Return number of values and length of the hierarchy, attribute by attribute."""
        cube, lattice = self.table.cube, self.table.lattice
        found = {
            name: {"values": size, "length": ladder.height}
            for name, size, ladder in zip(cube.quasi_identifiers, cube.sizes, lattice.ladders, strict=True)
        }
        sensitive = zip(cube.sensitive, cube.sensitive_sizes, strict=True)
        return found | {name: {"values": size, "length": None} for name, size in sensitive}


def _prepared(*, label: bool) -> Prepared:
    spec = sf.Spec.load(sf.datasets.adult_spec_path())
    tables = spec.to_dict()
    attributes = tables["attributes"]
    assert isinstance(attributes, dict)
    if label:
        attributes["salary-class"] = {"role": "sensitive"}
    tables["suppression"] = {"limit": paper.LIMIT, "rule": "smallest"}
    return load(None, sf.Spec.from_dict(tables, folder=spec.folder))


__all__ = ["Case", "Census"]
