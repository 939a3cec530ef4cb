"""GOMM and D-GOMM: a genetic search for the attribute grouping of the best score."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError
from sfumato.microaggregation.column_groups.chromosome import (
    GROUP_MUTATIONS,
    MUTATIONS,
    Grouping,
    canonical,
    cross,
    draw_grouping,
    draw_site,
    object_part,
)
from sfumato.microaggregation.column_groups.evaluation import Evaluator, keep_best, keep_front
from sfumato.monitor import Monitor, StoppedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sfumato.microaggregation.protection import Scores

MORE = 2
"""Groups beyond those of the best grouping that a start may have."""
DESCENT_CHUNK = 64


def neighbours(grouping: Grouping) -> Iterator[Grouping]:
    """Yield what one change makes of a grouping.

    An attribute moves into another group or into one of its own, or two groups unite.

    Examples
    --------
    >>> sorted({canonical(item) for item in neighbours((0b001, 0b110))})
    [(1, 2, 4), (1, 6), (3, 4), (5, 2), (7,)]
    """
    places = object_part(grouping)
    for attribute, home in enumerate(places):
        for target in range(len(grouping) + 1):
            if target != home:
                groups = [*grouping, 0]
                groups[home] ^= 1 << attribute
                groups[target] |= 1 << attribute
                yield tuple(group for group in groups if group)
    for one in range(len(grouping)):
        for other in range(one):
            rest = (group for place, group in enumerate(grouping) if place not in (one, other))
            yield (grouping[one] | grouping[other], *rest)


def polish(evaluator: Evaluator, most: int, stop: Callable[[], bool]) -> None:
    """Descend from the best measured grouping of each number of groups; the evaluator keeps what it sees.

    The genetic search stays with one number of groups once its members have it, though the best
    grouping may have another.
    """
    leaders: dict[int, Grouping] = {}
    for grouping in sorted(evaluator.scores, key=lambda item: (evaluator.scores[item].score, item)):
        leaders.setdefault(len(grouping), grouping)
    best = min(leaders.values(), key=lambda item: evaluator.scores[item].score)
    starts = [item for count, item in sorted(leaders.items()) if count <= len(best) + MORE]
    limit = evaluator.evaluated + most
    # The best comes first, so that it is polished even where the limit is small.
    for start in sorted(starts, key=lambda item: evaluator.scores[item].score):
        _descend(evaluator, start, limit, stop)


def _descend(evaluator: Evaluator, start: Grouping, limit: int, stop: Callable[[], bool]) -> None:
    """Go to the best neighbour as long as it is better."""
    current = canonical(start)
    while True:
        around = list(dict.fromkeys(canonical(item) for item in neighbours(current)))
        for begin in range(0, len(around), DESCENT_CHUNK):
            if evaluator.evaluated >= limit or stop():
                return
            evaluator.evaluate(around[begin : begin + DESCENT_CHUNK])
        nearest = min(around, key=lambda item: (evaluator.scores[item].score, item), default=current)
        if evaluator.scores[nearest].score >= evaluator.scores[current].score:
            return
        current = nearest


CROSSOVER = "crossover"
FIRST = "first"
"""Operator of the members of the first population."""
OPERATORS = (CROSSOVER, *MUTATIONS)
CHUNK = 32
"""Groupings that are measured between two looks at the clock."""
SAME = 1e-12
"""Relative difference below which two scores are equal."""


@dataclass(frozen=True)
class GommParameters:
    """Parameters of GOMM, with the paper's values."""

    population: int = 200  # members of the population
    generations: int = 100  # generations after the first population
    crossovers: int = 25  # crossovers in a generation; each makes two children
    mutations: int = 10  # children that each of the five mutations makes in a generation
    # whether a child may join the population that groups the attributes as a member does; never where the
    # three measures are objectives of their own
    clones: bool = True
    # d-GOMM: switch a group mutation off that has brought no child better than its parent for `patience`
    # generations
    dynamic: bool = False
    patience: int = 10  # successive generations without success
    settling: int = 20  # first generation that counts for this: splitting is of little use before
    # after the last generation, groupings that a descent may measure: it starts from the best grouping of
    # each number of groups and goes to the best neighbour (an attribute in another group, or two groups
    # united) while that is better. With 0 there is none, as in the paper.
    polish: int = 5000

    def __post_init__(self) -> None:
        least = {"population": 2, "generations": 0, "crossovers": 0, "mutations": 0, "patience": 1}
        least |= {"settling": 1, "polish": 0}
        for name, bound in least.items():
            if getattr(self, name) < bound:
                raise ParameterError(f"{name} must be at least {bound}; got {getattr(self, name)}.")


@dataclass(slots=True, eq=False)
class Member:
    """A chromosome and its life."""

    grouping: Grouping  # its groups
    scores: Scores  # what it reaches
    operator: str  # what made it
    born: int  # the generation that made it; 0 for the first population
    expected: float  # the parent's score; of a crossover, the mean of the parents'
    used: bool = False  # whether it became a parent
    gone: int | None = None  # the generation at whose end it was not selected; None while it lives

    @property
    def ratio(self) -> float:
        """Its score over the expected one; exactly 1 where they differ by rounding alone."""
        if abs(self.scores.score - self.expected) <= SAME * self.expected:
            return 1.0
        return self.scores.score / self.expected


@dataclass(frozen=True, slots=True)
class Generation:
    """The population after a generation."""

    # smallest and mean score
    best: float
    mean: float
    groups: float  # mean number of groups
    made: int  # children made so far, the first population included
    evaluated: int  # distinct groupings measured so far


@dataclass(frozen=True, eq=False)
class Evolution:
    """Everything that a run of GOMM did."""

    best: Grouping  # the best grouping of all that were measured, groups sorted
    scores: Scores  # what it reaches
    genetic: int  # distinct groupings that were measured before the descent began
    # the population after each generation; the first entry is the first population
    generations: tuple[Generation, ...]
    members: tuple[Member, ...]  # every chromosome that was made and measured, in order
    switched_off: dict[str, int]  # group mutation → generation after which D-GOMM left it out
    seconds: float  # time of the run
    stopped: str | None  # why it ended early, or None


def search_groupings(
    evaluator: Evaluator,
    *,
    seed: int | np.random.Generator | None = 1,
    parameters: GommParameters | None = None,
    objectives: bool = False,
    watch: Monitor | None = None,
) -> Evolution:
    """Search for attribute groupings by GOMM."""
    random, asked = np.random.default_rng(seed), parameters or GommParameters()
    return _GommRun(evaluator, random, asked, objectives, watch or Monitor()).run()


@dataclass(eq=False)
class _GommRun:
    """One run: its population, its members, its records."""

    evaluator: Evaluator
    random: np.random.Generator
    parameters: GommParameters
    objectives: bool
    watch: Monitor
    population: list[Member] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    records: list[Generation] = field(default_factory=list)
    idle: dict[str, int] = field(default_factory=dict)
    off: dict[str, int] = field(default_factory=dict)
    generation: int = 0

    def run(self) -> Evolution:
        asked, self.evaluator.tick = self.parameters, self.watch.refuse
        drawn = [draw_grouping(self.evaluator.attributes, self.random) for _ in range(asked.population)]
        self.population = self._measure([(FIRST, (), grouping) for grouping in drawn])
        self._record()
        while self.generation < asked.generations and self.watch.reason is None:
            self.generation += 1
            children = self._measure(list(self._children()))
            self._select(children)
            self._record()
            if asked.dynamic:
                self._switch(children)
        genetic = self.evaluator.evaluated
        if asked.polish and self.watch.reason is None and not self.objectives:
            with contextlib.suppress(StoppedError):
                polish(self.evaluator, asked.polish, lambda: self._tick(1.0))
        self.watch.tick(1.0, self.evaluator.evaluated)
        self.evaluator.close()
        return self._result(genetic)

    def _children(self) -> Iterator[tuple[str, tuple[Member, ...], Grouping]]:
        """Yield each child with its operator and its parents."""
        for _ in range(self.parameters.crossovers):
            first, second = self._parents(2)
            sites = draw_site(first.grouping, self.random), draw_site(second.grouping, self.random)
            for child in cross(first.grouping, second.grouping, sites):
                yield CROSSOVER, (first, second), child
        for name, mutate in MUTATIONS.items():
            if name in self.off:
                continue
            for _ in range(self.parameters.mutations):
                (parent,) = self._parents(1)
                yield name, (parent,), mutate(parent.grouping, self.random)

    def _parents(self, count: int) -> list[Member]:
        places = self.random.choice(len(self.population), min(count, len(self.population)), replace=False)
        chosen = [self.population[place] for place in places.tolist()]
        return chosen if len(chosen) == count else chosen * count

    def _measure(self, children: list[tuple[str, tuple[Member, ...], Grouping]]) -> list[Member]:
        """Measure children, some at a time; when stopped, those that are left never were."""
        made: list[Member] = []
        for begin in range(0, len(children), CHUNK):
            if begin and self._tick(begin / len(children)):
                break
            part = children[begin : begin + CHUNK]
            try:
                found = self.evaluator.evaluate([grouping for _, _, grouping in part])
            except StoppedError:
                break
            for (operator, parents, grouping), scores in zip(part, found, strict=True):
                before = [parent.scores.score for parent in parents]
                expected = sum(before) / len(before) if before else scores.score
                made.append(Member(grouping, scores, operator, self.generation, expected))
                for parent in parents:
                    parent.used = True
        self._tick(1.0)
        self.members += made
        return made

    def _tick(self, part: float) -> bool:
        """Report progress; a generation that is being measured is done in part."""
        share = (self.generation + part) / (self.parameters.generations + 1)
        return self.watch.tick(min(share, 1.0 - 1e-9), self.evaluator.evaluated)

    def _select(self, children: list[Member]) -> None:
        """Keep as many members as a population has; the others are gone."""
        pool = [*self.population, *children]
        if self.objectives or not self.parameters.clones:
            pool = list({canonical(member.grouping): member for member in reversed(pool)}.values())[::-1]
        keep = keep_front if self.objectives else keep_best
        places = keep([member.scores for member in pool], self.parameters.population)
        stay = [pool[place] for place in places]
        living = {id(member) for member in stay}
        for member in (*self.population, *children):
            if id(member) not in living:
                member.gone = self.generation
        self.population = stay

    def _switch(self, children: list[Member]) -> None:
        """Switch group mutations off that have long brought nothing better."""
        if self.generation < self.parameters.settling:
            return
        for name in GROUP_MUTATIONS.keys() - self.off.keys():
            better = any(child.operator == name and child.ratio < 1 for child in children)
            self.idle[name] = 0 if better else self.idle.get(name, 0) + 1
            if self.idle[name] >= self.parameters.patience:
                self.off[name] = self.generation

    def _record(self) -> None:
        scores = [member.scores.score for member in self.population]
        mean = float(np.mean(scores))
        groups = float(np.mean([len(member.grouping) for member in self.population]))
        made, evaluated = len(self.members), self.evaluator.evaluated
        self.records.append(Generation(min(scores), mean, groups, made, evaluated))

    def _result(self, genetic: int) -> Evolution:
        scores = self.evaluator.scores
        best = min(scores, key=lambda item: (scores[item].score, len(item), item))
        return Evolution(
            best,
            scores[best],
            genetic,
            tuple(self.records),
            tuple(self.members),
            dict(sorted(self.off.items())),
            self.watch.seconds,
            self.watch.reason,
        )
