"""What can be met where a requirement cannot."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Rule, Suppression
from sfumato.measures import ClassMeasure, Direction
from sfumato.search.optimal import search_optimal

if TYPE_CHECKING:
    from sfumato.search.problem import Problem, Requirement


def explain_infeasible(problem: Problem) -> str:
    """Say in one line why no recoding meets the requirements, and what the nearest is.

    Class-level requirements are judged at the most general recoding, where k
    and distinct ℓ are largest and t smallest.
    """
    judged = [item for item in problem.requirements if isinstance(item.measure, ClassMeasure)]
    for item in judged:
        best = _reachable(problem, item)
        if item.measure.direction.sign * (best - item.limit) > 0:
            name = item.measure.name
            return f"no recoding meets {_wish(item)}; the nearest that can be met is {name} = {best:g}."
    needed = _failing_rows(problem)
    if judged and needed > problem.suppression.budget:
        share = np.ceil(1e6 * needed / problem.cube.row_count) / 1e6
        return (
            f"no recoding meets {' and '.join(_wish(item) for item in judged)} together; the nearest "
            f"suppresses {needed} rows where {problem.suppression.budget} are allowed: a limit of {share:g} "
            "would do."
        )
    return _explain_table(problem)


def _wish(item: Requirement) -> str:
    return (
        f"{item.measure.name} {'>=' if item.measure.direction is Direction.MAXIMIZE else '<='} {item.limit:g}"
    )


def _alone(problem: Problem, *requirements: Requirement) -> Problem:
    return replace(problem, requirements=requirements, objectives=(), extra=())


def _reachable(problem: Problem, item: Requirement) -> float:
    """Return the best bound that the most general recoding meets within the budget."""
    assert isinstance(item.measure, ClassMeasure)
    alone = replace(_alone(problem), extra=(item.measure,), suppression=Suppression(Rule.NONE, 0))
    classes = alone.batch(threads=1).classes(problem.lattice.top)
    value = classes.values[classes.properties.index(item.measure.judged)]
    worst_first = np.argsort(item.measure.direction.sign * -value, kind="stable")
    gone = np.cumsum(classes.rows[worst_first])
    left = worst_first[gone > problem.suppression.budget]
    # Where everything may be suppressed, still one class has to stay.
    return float(value[left[0]] if len(left) else value[worst_first[-1]])


def _failing_rows(problem: Problem) -> int:
    """Return the rows that fail at the most general recoding."""
    batch = problem.batch(threads=1)
    return int(batch.evaluate(problem.lattice.top[None]).failing[0])


def _explain_table(problem: Problem) -> str:
    """Find the table-level requirement that is out of reach once the class-level ones hold."""
    judged = tuple(item for item in problem.requirements if isinstance(item.measure, ClassMeasure))
    if problem.schemes is not None:
        # The search below knows levels alone, which other schemes may beat.
        return "no recoding meets all requirements together; relax one of them."
    for item in problem.requirements:
        if item in judged:
            continue
        alone = replace(problem, requirements=judged, objectives=(item.measure,), extra=())
        batch = alone.batch()
        result = search_optimal(alone, batch)
        if len(result.nodes):
            best = float(item.measure.value(batch.evaluate(result.nodes))[0])
            if item.measure.direction.sign * (best - item.limit) > 0:
                return (
                    f"no recoding meets {_wish(item)} with the other requirements; the nearest that "
                    f"can be met is {item.measure.name} = {best:.6g}."
                )
    return "no recoding meets all requirements together, though each can be met by itself; relax one of them."
