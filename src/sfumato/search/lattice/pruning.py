"""Which requirements a recoding hands on to all coarser ones, by what measures declare.

Where nothing can be suppressed, a class-level requirement is handed on: the classes of a coarser recoding
are unions of classes that meet it. Where failing classes may be suppressed, it is only if a class
that meets it does so united with any other, since a suppressed class may join a kept one. Where the
smallest classes go first, whatever they are, that is certain for class sizes alone. A table-level
measure that improves along generalization is handed on too, and one that worsens is handed down, both
where nothing can be suppressed. The most specific recodings that meet what is handed on *and* what is handed
down are those of the former that meet the latter: what is finer meets the latter as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import PropertyKind, Rule
from sfumato.measures import ClassMeasure, Monotone, Union

if TYPE_CHECKING:
    from sfumato._typing import BoolArray
    from sfumato.classes import Statistics
    from sfumato.measures import Measure
    from sfumato.search.problem import Problem, Requirement


@dataclass(frozen=True, eq=False)
class Pruning:
    """How the requirements of a problem move along generalization."""

    # table-level requirements that coarser recodings meet if a finer one does. Class-level ones are part of
    # every evaluation.
    upward: tuple[Requirement, ...]
    # table-level requirements that finer recodings meet if a coarser one does
    downward: tuple[Requirement, ...]
    obstacle: str | None  # why nothing can be pruned; None where it can

    @classmethod
    def of(cls, problem: Problem) -> Pruning:
        """Sort the requirements of a problem."""
        others = [item for item in problem.requirements if not isinstance(item.measure, ClassMeasure)]
        upward = tuple(item for item in others if Monotone.IMPROVES in item.measure.monotone)
        downward = tuple(item for item in others if Monotone.WORSENS in item.measure.monotone)
        unsorted = [item for item in others if item not in (*upward, *downward)]
        obstacle = _obstacle(problem, unsorted or (others if _suppresses(problem) else []))
        return cls(upward, downward, obstacle)

    def passes(self, statistics: Statistics) -> BoolArray:
        """Tell which nodes meet what is handed on to coarser ones."""
        return _meets(self.upward, statistics, statistics.feasible)

    def remains(self, statistics: Statistics) -> BoolArray:
        """Tell which nodes meet what is handed down to finer ones."""
        return _meets(self.downward, statistics, np.ones(len(statistics), dtype=np.bool_))


def _meets(required: tuple[Requirement, ...], statistics: Statistics, fits: BoolArray) -> BoolArray:
    for item in required:
        fits = fits & np.asarray(item.measure.satisfies(item.measure.value(statistics), item.limit))
    return fits


def _suppresses(problem: Problem) -> bool:
    """Whether a row may be suppressed."""
    rule, budget = problem.suppression.rule, problem.suppression.budget
    return rule is Rule.BELOW_MEAN or (rule is not Rule.NONE and budget > 0)


def _obstacle(problem: Problem, others: list[Requirement]) -> str | None:
    """Return why a coarser recoding may miss what a finer one meets."""
    if others:
        name = others[0].measure.name
        return f"'{name}' judges the table" + (
            ", from which rows may be suppressed" if _suppresses(problem) else " and moves either way"
        )
    if not _suppresses(problem):
        return None
    rule = problem.suppression.rule
    if rule is Rule.BELOW_MEAN:
        return "'below-mean' suppresses without a budget"
    judged = [item.measure for item in problem.requirements if isinstance(item.measure, ClassMeasure)]
    loose = [item for item in judged if not _is_kept(item, rule)]
    if not loose:
        return None
    way = "the smallest classes" if rule is Rule.SMALLEST else "failing classes"
    return f"{way} may be suppressed, and united with others a class need not keep '{loose[0].name}'"


def _is_kept(measure: Measure, rule: Rule) -> bool:
    """Tell whether a class-level requirement is handed on under a rule that suppresses."""
    assert isinstance(measure, ClassMeasure)
    if rule is Rule.SMALLEST:
        return measure.judged.kind is PropertyKind.SIZE
    return measure.union is Union.ANY
