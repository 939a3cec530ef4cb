"""A search problem: a space of recodings, what is required of them, what is wanted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Batch, PropertyKind, Recodings, Request, Rule, Suppression, budget_of
from sfumato.domains import Ladder, Lattice
from sfumato.errors import ParameterError
from sfumato.front import count_text
from sfumato.measures import ClassMeasure, Direction, Measure, Union

if TYPE_CHECKING:
    from sfumato._typing import BoolArray, FloatArray
    from sfumato.classes import Statistics
    from sfumato.domains import Cube
    from sfumato.schemes import Scheme
    from sfumato.search.texts import Describe

LISTED = 2_000_000
"""How many members of one scheme are listed at most."""


@dataclass(frozen=True, eq=False)
class Requirement:
    """A measure and the value it must reach."""

    measure: Measure
    limit: float


@dataclass(frozen=True, eq=False)
class Problem:
    """What a search solves.

    Parameters
    ----------
    cube
        The data.
    lattice
        The levels of each attribute's hierarchy. They are the space where no schemes are given; with
        schemes they are what ``levels`` may use and what the heights of other blocks are measured by.
    objectives
        Measures of a solution, those to maximize first.
    requirements
        What every solution must reach.
    suppression
        Which rows go.
    extra
        Measures that are only reported.
    schemes
        The space, attribute by attribute, where it is not the lattice: all combinations of members.
    describe
        Writes the part of a recoding that is no level, so that ties are decided by the recoding's text.
    """

    cube: Cube
    lattice: Lattice
    objectives: tuple[Measure, ...]
    requirements: tuple[Requirement, ...]
    suppression: Suppression
    extra: tuple[Measure, ...] = ()
    schemes: tuple[Scheme, ...] | None = None
    describe: Describe | None = None

    @property
    def space(self) -> int:
        """The size of the space: the product of what the schemes, or the ladders, count."""
        if self.schemes is None:
            return self.lattice.size
        return math.prod(scheme.count() for scheme in self.schemes)

    @cached_property
    def members(self) -> Lattice:
        """The whole space as a lattice: levels as they are, the members of every other scheme listed.

        Raises
        ------
        ParameterError
            If a scheme has too many members to list them.
        """
        if self.schemes is None:
            return self.lattice
        return Lattice(tuple(map(_listed, self.schemes, self.lattice.ladders, self.cube.quasi_identifiers)))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Objectives, required measures and extra ones, each once."""
        required = tuple(item.measure for item in self.requirements)
        return tuple({item.name: item for item in (*self.objectives, *required, *self.extra)}.values())

    def batch(self, threads: int | None = None, lattice: Lattice | None = None) -> Batch:
        """Return the evaluator of this problem's lattice, or of another lattice over its cube."""
        space = self.lattice if lattice is None else lattice
        return Batch(self.cube, space, self.request, self.suppression, threads=threads)

    def recodings(self, threads: int | None = None) -> Recodings:
        """Return the evaluator of any recodings, given by the blocks of all codes."""
        return Recodings(self.cube, self.lattice, self.request, self.suppression, threads=threads)

    @property
    def request(self) -> Request:
        """What has to be collected for the measures."""
        properties = tuple(dict.fromkeys(p for item in self.measures for p in item.properties))
        costs = tuple(dict.fromkeys(c for item in self.measures for c in item.costs))
        thresholds = tuple(
            r.measure.threshold(r.limit) for r in self.requirements if isinstance(r.measure, ClassMeasure)
        )
        return Request(properties, costs, thresholds)

    def feasible(self, statistics: Statistics) -> BoolArray:
        """Tell which nodes meet every requirement."""
        fits = statistics.feasible
        for requirement in self.requirements:
            if not isinstance(requirement.measure, ClassMeasure):
                fits = fits & np.asarray(
                    requirement.measure.satisfies(requirement.measure.value(statistics), requirement.limit)
                )
        return fits

    def costs(self, statistics: Statistics) -> FloatArray:
        """Return the objectives, smaller is better, shape (n, objectives); equal ones are equal."""
        return np.column_stack([round_costs(item.cost(statistics)) for item in self.objectives])

    def indices(self, statistics: Statistics) -> FloatArray:
        """Return the objectives as indices, larger is better: those to minimize as bound less value."""
        rows, attributes = self.cube.row_count, len(self.lattice.ladders)
        columns = []
        for item in self.objectives:
            value = round_costs(item.value(statistics))
            minimized = item.direction is Direction.MINIMIZE
            columns.append(item.largest(rows, attributes) - value if minimized else value)
        return np.column_stack(columns)

    @property
    def prunes_down(self) -> bool:
        """Whether a recoding that needs too much suppression rules out its specializations."""
        judged = [r.measure for r in self.requirements if isinstance(r.measure, ClassMeasure)]
        if self.suppression.rule not in (Rule.FAILING, Rule.NONE):
            return False
        return self.suppression.budget == 0 or all(item.union is Union.ANY for item in judged)


def unbounded_message(objective: Measure) -> str:
    """Say that the pruned search cannot prove the optimum of an objective."""
    return (
        f"'optimal' has no bound for {objective.name!r} under schemes other than levels. "
        "Minimize 'loss', 'glm', 'dm', 'hdm', 'sl' or 'suppressed', or use 'exhaustive' or 'nsga2'."
    )


def refuse_unlisted(scheme: Scheme, name: str) -> None:
    """Raise ParameterError where a scheme has too many members to list."""
    if scheme.name != "levels" and scheme.count() > LISTED:
        raise ParameterError(
            f"{name!r} has {count_text(scheme.count())} partitions under {scheme.name!r}, too many to list; "
            "choose a coarser scheme or another search method."
        )


def _listed(scheme: Scheme, ladder: Ladder, name: str) -> Ladder:
    """Return the ladder of all members of a scheme."""
    if scheme.name == "levels":
        return ladder
    refuse_unlisted(scheme, name)
    return Ladder.listed(tuple(scheme.partitions()), ladder)


def choose_rule(
    name: str, limit: float, rows: int, objectives: tuple[Measure, ...], requirements: tuple[Requirement, ...]
) -> Suppression:
    """Return the suppression that a specification means.

    ``auto`` is ``failing`` where a requirement judges classes, together with
    ``smallest`` where an objective is about class sizes; without such a
    requirement it is ``smallest``.
    """
    judges = any(isinstance(item.measure, ClassMeasure) for item in requirements)
    about_sizes = any(item.name in ("k", "mean_k", "spread_k") or _is_about_l(item) for item in objectives)
    if name == "auto":
        rule = (Rule.FAILING_THEN_SMALLEST if about_sizes else Rule.FAILING) if judges else Rule.SMALLEST
    else:
        named = {
            "none": Rule.NONE,
            "failing": Rule.FAILING,
            "smallest": Rule.SMALLEST,
            "below-mean": Rule.BELOW_MEAN,
        }
        if name not in named:
            raise ParameterError(f"there is no suppression rule {name!r}.")
        rule = named[name]
    return Suppression(rule, 0 if rule is Rule.NONE else budget_of(limit, rows))


def _is_about_l(measure: Measure) -> bool:
    return any(item.kind in (PropertyKind.DISTINCT, PropertyKind.SQUARES) for item in measure.properties)


def round_costs(costs: FloatArray) -> FloatArray:
    """Round to twelve significant digits, so that values equal but for rounding are equal."""
    with np.errstate(divide="ignore", invalid="ignore"):
        digits = 11 - np.floor(np.log10(np.abs(costs)))
        scale = 10.0 ** np.where(np.isfinite(digits), np.clip(digits, -290, 290), 0.0)
        return np.where(np.isfinite(costs), np.rint(costs * scale) / scale, costs)
