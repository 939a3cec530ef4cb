"""Telling from evaluated neighbours which nodes are hardly worth evaluating."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Rule
from sfumato.kernels.reachable import best_reachable
from sfumato.measures import Monotone
from sfumato.search.problem import is_of_cells

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.classes import Batch
    from sfumato.search.problem import Problem


class Screen:
    """Bounds the indices of nodes by what their evaluated generalizations and specializations have.

    Without suppression an index that improves along generalization is at most
    that of every generalization, one that worsens at most that of every
    specialization, and one made of cell costs at most its value without suppression.
    With suppression the first two are good guesses.
    """

    def __init__(self, problem: Problem, batch: Batch) -> None:
        self._problem, self._batch = problem, batch
        monotone = [item.monotone for item in problem.objectives]
        # Where suppression has no budget, or takes what fails, it moves measures more than levels do.
        tame = problem.suppression.rule is not Rule.BELOW_MEAN
        strict = bool(problem.requirements)
        self._improves = np.array([tame and Monotone.IMPROVES in item for item in monotone])
        self._worsens = np.array(
            [
                tame and Monotone.WORSENS in item and not (strict and Monotone.ROW_PENALTIES in item)
                for item in monotone
            ]
        )

    def hopeless(
        self, nodes: LongArray, known: LongArray, indices: FloatArray, archive: FloatArray
    ) -> BoolArray:
        """Tell which nodes an archive seems to dominate or equal."""
        if not len(archive):
            return np.zeros(len(nodes), dtype=bool)
        reach = best_reachable(nodes, known, indices, self._improves, self._worsens)
        reach = np.minimum(reach, self._cell_bounds(nodes))
        covered: BoolArray = np.all(archive[None] >= reach[:, None], axis=2)
        return np.asarray(np.any(covered, axis=1))

    def _cell_bounds(self, nodes: LongArray) -> FloatArray:
        """Return what indices made of cell costs alone are at most."""
        bounds = np.full((len(nodes), len(self._problem.objectives)), np.inf)
        for place, item in enumerate(self._problem.objectives):
            if is_of_cells(item):
                bounds[:, place] = self._problem.index(item, item.value(self._batch.unsuppressed(nodes)))
        return bounds
