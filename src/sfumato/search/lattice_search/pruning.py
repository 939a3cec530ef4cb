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

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import PropertyKind, Rule
from sfumato.measures import Monotone, Union
from sfumato.monitor import Recall
from sfumato.search.checkpoint import run_mark
from sfumato.search.problem import meets

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, LongArray
    from sfumato.classes import Statistics
    from sfumato.measures import ClassMeasure
    from sfumato.search.lattice_search.space import LatticeSpace
    from sfumato.search.ledger import Run
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
        others = list(problem.of_table)
        upward = tuple(item for item in others if Monotone.IMPROVES in item.measure.monotone)
        downward = tuple(item for item in others if Monotone.WORSENS in item.measure.monotone)
        unsorted = [item for item in others if item not in (*upward, *downward)]
        obstacle = _obstacle(problem, unsorted or (others if _suppresses(problem) else []))
        return cls(upward, downward, obstacle)

    def passes(self, statistics: Statistics) -> BoolArray:
        """Tell which nodes meet what is handed on to coarser ones."""
        return meets(self.upward, statistics, statistics.feasible)

    def remains(self, statistics: Statistics) -> BoolArray:
        """Tell which nodes meet what is handed down to finer ones."""
        return meets(self.downward, statistics, np.ones(len(statistics), dtype=np.bool_))


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
    loose = [measure for measure, _ in problem.judged if not _is_kept(measure, rule)]
    if not loose:
        return None
    way = "the smallest classes" if rule is Rule.SMALLEST else "failing classes"
    return f"{way} may be suppressed, and united with others a class need not keep '{loose[0].name}'"


def _is_kept(measure: ClassMeasure, rule: Rule) -> bool:
    """Tell whether a class-level requirement is handed on under a rule that suppresses."""
    if rule is Rule.SMALLEST:
        return measure.judged.kind is PropertyKind.SIZE
    return measure.union is Union.ANY


WINDOW = 32_768
"""Recodings tested at once."""


class Tester:
    """Tests recodings of a space against the requirements.

    Classes are rolled up from those of finer recodings, many recodings at a time.
    """

    def __init__(self, problem: Problem, space: LatticeSpace, run: Run, variant: str) -> None:
        alone = replace(problem, objectives=(), extra=())
        self.pruning = Pruning.of(problem)
        self._problem, self._space, self._watch = alone, space, run.monitor
        self.recall = Recall(
            run.checkpoint, run_mark(problem, f"lattice, {variant}", run.parameters, run.seed)
        )
        self._recalled, self._has_ended = 0, False
        self._batch = alone.batch(run.workers, space.lattice)
        self._batch.compile()
        self.settled = 0

    @property
    def tests(self) -> int:
        """Recodings tested so far."""
        return self._batch.evaluated + self._recalled

    @property
    def stopped(self) -> bool:
        """Whether the search ends: somebody asked for it, and no checkpoint knows the next verdict."""
        return self._has_ended

    def settle(self, count: int) -> None:
        """Note that so many recodings more need no test, and look at the clock."""
        self.settled += count
        self._tick()

    def test(self, numbers: LongArray, *, strictly: bool = False) -> BoolArray:
        """Tell which recodings meet what is handed on to coarser ones, or every requirement.

        If it is stopped, the result is shorter: it tells about the first ones alone.
        """
        verdicts = [np.zeros(0, dtype=np.bool_)]
        for begin in range(0, len(numbers), WINDOW):
            part = numbers[begin : begin + WINDOW]
            self._tick()
            verdict = self._judge(part, strictly)
            if verdict is None:
                # Some were not done, and which ones is of no use to a search that ends.
                break
            verdicts.append(verdict)
            self.settled += len(part)
        return np.concatenate(verdicts)

    def _judge(self, numbers: LongArray, strictly: bool) -> BoolArray | None:
        """Return the verdicts on recodings, by a checkpoint if it has them; None if it was stopped."""
        held = self.recall.find(numbers[:, None])
        if held is not None:
            self._recalled += len(numbers)
            return held["verdict"]
        nodes = self._space.nodes(numbers[:0] if self._watch.stopped else numbers)
        statistics = self._batch.evaluate(nodes, self._tick)
        self._has_ended = len(statistics) < len(numbers)
        if self._has_ended:
            return None
        verdict = self._problem.feasible(statistics) if strictly else self.pruning.passes(statistics)
        self.recall.add(rows=numbers[:, None], verdict=verdict)
        return verdict

    def remaining(self, numbers: LongArray) -> LongArray:
        """Return those recodings that also meet what is handed down to finer ones; no further tests."""
        if not self.pruning.downward or not len(numbers):
            return numbers
        fresh = self._problem.batch(1, self._space.lattice)
        return numbers[self.pruning.remains(fresh.evaluate(self._space.nodes(numbers)))]

    def _tick(self) -> None:
        share = self.settled / self._space.size
        if self._watch.tick(share, self.tests):
            self._batch.stop()
