"""The whole lattice of levels by brute force: evaluations, exact front, optimum."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from . import measures
from .classes import group, recoding_at
from .suppression import budget, resolve, suppress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .classes import Members, Table

Number: TypeAlias = int | float | Fraction

CLASS_LEVEL = ("k", "distinct_l", "entropy_l", "recursive_l", "share_l", "t")
"""Measures that judge each class; every other one judges the table (spread_l too: it is a sum)."""

CLASS_SIZE = ("k", "mean_k", "spread_k", "distinct_l", "spread_l")
"""Objectives with which ``auto`` spends what is left of the budget on the smallest classes."""

AT_MOST = ("t", "cm", "loss", "glm", "gl", "sl", "dm", "hdm", "average_class", "ncp", "suppressed")
"""Measures of which less is better; a requirement on any other one means at least."""


@dataclass(frozen=True)
class Problem:
    """A table with what is asked of it.

    Parameters
    ----------
    table
        Rows, ladders, sensitive values and persons.
    maximize, minimize
        Names of the objectives, e.g. ``distinct_l(s1)``. Attribute names that
        need quotes are not understood here.
    require
        Measure → bound, at least or at most by the measure's own direction.
    limit, rule
        Of the suppression, as in a specification.
    weights
        Attribute → weight for the losses; 1 where nothing is said.
    bounds
        Attribute → lowest and highest level allowed.
    """

    table: Table
    maximize: tuple[str, ...] = ()
    minimize: tuple[str, ...] = ()
    require: dict[str, float] = field(default_factory=dict)
    limit: float | str = 0
    rule: str = "auto"
    weights: dict[str, float] = field(default_factory=dict)
    bounds: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def objectives(self) -> tuple[str, ...]:
        """All objectives, those to maximize first."""
        return self.maximize + self.minimize


@dataclass(frozen=True)
class Solution:
    """A feasible recoding with its numbers.

    ``measures`` holds every objective and required measure and ``suppressed``;
    ``recoding`` is the JSON text attribute → level in the order of the specification.
    """

    levels: tuple[int, ...]
    recoding: str
    measures: dict[str, Number]
    suppressed: int
    classes: int


@dataclass(frozen=True)
class _Node:
    """One recoding with its classes before and after suppression."""

    problem: Problem
    levels: tuple[int, ...]
    rule: str
    before: list[Members]
    kept: list[Members]


def parse(name: str) -> tuple[str, list[str]]:
    """Split a measure's name into its word and its arguments.

    Examples
    --------
    >>> parse("recursive_l(s1, 3)")
    ('recursive_l', ['s1', '3'])
    """
    word, _, rest = name.partition("(")
    return word, rest.removesuffix(")").split(", ") if rest else []


def _privacy(table: Table, name: str, classes: Sequence[Members]) -> Number:
    """Measure privacy over the given classes."""
    word, arguments = parse(name)
    if word in ("k", "mean_k", "spread_k"):
        of_sizes: dict[str, Callable[..., Number]] = {
            "k": measures.k,
            "mean_k": measures.mean_k,
            "spread_k": measures.spread_k,
        }
        return of_sizes[word](classes, table.persons)
    values = table.sensitive[arguments[0]]
    unknown = table.unknown.get(arguments[0], frozenset())
    if word == "recursive_l":
        return measures.recursive_l(classes, values, Fraction(arguments[1]), unknown, table.persons)
    if name.endswith(", ordered)"):
        return measures.t_ordered(classes, values, table.trees[arguments[0]].values, unknown)
    if name.endswith(", hierarchical)"):
        return measures.t_hierarchical(classes, values, table.trees[arguments[0]].levels, unknown)
    if len(arguments) != 1:
        raise ValueError(f"{name} is not among the measures of the oracle")
    of_values: dict[str, Callable[..., Number]] = {
        "distinct_l": measures.distinct_l,
        "spread_l": measures.spread_l,
        "entropy_l": partial(measures.entropy_l, persons=table.persons),
        "share_l": partial(measures.share_l, persons=table.persons),
    }
    if word in of_values:
        return of_values[word](classes, values, unknown)
    return {"t": measures.t, "cm": measures.cm}[word](classes, values)


def _utility(node: _Node, word: str) -> Number:
    """Measure utility of a node."""
    table, rows = node.problem.table, node.problem.table.rows
    recoding = recoding_at(table.ladders, node.levels)
    weights = [Fraction(str(node.problem.weights.get(a.attribute, 1))) for a in table.ladders]
    if word in ("usefulness", "ncp", "protection"):
        return getattr(measures, word)(rows, recoding, node.kept, [a.places for a in table.ladders], weights)
    if word in ("loss", "glm", "gl", "hdm"):
        of_cells: dict[str, Callable[..., Number]] = {
            "loss": measures.loss,
            "glm": measures.glm,
            "gl": measures.gl,
            "hdm": measures.hdm,
        }
        return of_cells[word](rows, recoding, node.kept, weights)
    if word == "precision":
        steps = [(level, a.height) for level, a in zip(node.levels, table.ladders, strict=True)]
        return measures.precision(rows, recoding, node.kept, steps)
    if word == "sl":
        return measures.sl(rows, recoding, node.kept)
    if word == "average_class":
        return measures.average_class(node.kept)
    return {"dm": measures.dm, "suppressed": measures.suppressed}[word](rows, node.kept)


def _measure(node: _Node, name: str) -> Number:
    """Measure one node; mean_k is taken before suppression where it decides the suppression."""
    word, _ = parse(name)
    if word == "mean_k" and node.rule == "below-mean":
        return measures.mean_k(node.before, node.problem.table.persons)
    if word in CLASS_LEVEL or word in CLASS_SIZE or word == "cm":
        return _privacy(node.problem.table, name, node.kept)
    return _utility(node, word)


def _holds(name: str, value: Number, bound: float) -> bool:
    """Compare exactly, by the measure's own direction."""
    exact = Fraction(str(bound))
    return value <= exact if parse(name)[0] in AT_MOST else value >= exact


def class_meets(problem: Problem, members: Members) -> bool:
    """Tell whether one class meets every requirement that judges classes."""
    for name, bound in problem.require.items():
        word, arguments = parse(name)
        if word == "entropy_l":
            values = problem.table.sensitive[arguments[0]]
            unknown = problem.table.unknown.get(arguments[0], frozenset())
            if problem.table.persons is not None:
                # In votes, whole numbers would be too large to be exact.
                if measures.entropy_l([members], values, unknown, problem.table.persons) < bound - 1e-9:
                    return False
            elif not measures.entropy_at_least([members], values, Fraction(str(bound)), unknown):
                return False
        elif word in CLASS_LEVEL and not _holds(name, _privacy(problem.table, name, [members]), bound):
            return False
    return True


def rule_of(problem: Problem) -> str:
    """Say which suppression rule a problem follows."""
    return resolve(
        problem.rule,
        class_requirement=any(parse(name)[0] in CLASS_LEVEL for name in problem.require),
        class_size_objective=any(parse(name)[0] in CLASS_SIZE for name in problem.objectives),
    )


def recoding_text(table: Table, levels: Sequence[int]) -> str:
    """Write a recoding as it stands in ``front.csv``."""
    return json.dumps({ladder.attribute: level for ladder, level in zip(table.ladders, levels, strict=True)})


def evaluate(problem: Problem, levels: Sequence[int]) -> Solution | None:
    """Evaluate one node of the lattice; None where it is infeasible."""
    table, rule = problem.table, rule_of(problem)
    before = list(group(table.rows, recoding_at(table.ladders, levels)).values())
    allowed = budget(problem.limit, len(table.rows))
    kept = suppress(rule, before, lambda members: class_meets(problem, members), allowed, table.persons)
    if kept is None:
        return None
    node = _Node(problem, tuple(levels), rule, before, kept)
    names = dict.fromkeys((*problem.objectives, *problem.require, "suppressed"))
    numbers = {name: _measure(node, name) for name in names}
    for name, bound in problem.require.items():
        if parse(name)[0] not in CLASS_LEVEL and not _holds(name, numbers[name], bound):
            return None
    gone = measures.suppressed(table.rows, kept)
    return Solution(tuple(levels), recoding_text(table, levels), numbers, gone, len(kept))


def nodes(problem: Problem) -> Iterator[tuple[int, ...]]:
    """Give the levels of every node of the lattice."""
    ranges = []
    for ladder in problem.table.ladders:
        low, high = problem.bounds.get(ladder.attribute, (0, ladder.height))
        ranges.append(range(low, high + 1))
    return itertools.product(*ranges)


def whole_lattice(problem: Problem) -> list[Solution]:
    """Evaluate every node; only feasible ones are returned."""
    evaluated = (evaluate(problem, levels) for levels in nodes(problem))
    return [solution for solution in evaluated if solution is not None]


def costs(problem: Problem, solution: Solution) -> tuple[Number, ...]:
    """Return the objective vector with every objective turned so that less is better.

    Entropies are rounded to 12 digits; everything else is exact.
    """
    vector = []
    for name in problem.objectives:
        value = solution.measures[name]
        value = round(value, 12) if isinstance(value, float) else value
        vector.append(-value if name in problem.maximize else value)
    return tuple(vector)


def dominates(first: Sequence[Number], second: Sequence[Number]) -> bool:
    """Tell whether ``first`` is nowhere worse than ``second`` and better somewhere; less is better."""
    pairs = list(zip(first, second, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def front(problem: Problem) -> list[Solution]:
    """Return the complete front, as ``front.csv`` lists it.

    One solution for each objective vector that no other dominates: the one with
    fewest suppressed rows, then the smallest recoding text. Sorted best first by
    the objectives in their order.
    """
    chosen: dict[tuple[Number, ...], Solution] = {}
    for solution in whole_lattice(problem):
        vector = costs(problem, solution)
        best = chosen.setdefault(vector, solution)
        if (solution.suppressed, solution.recoding) < (best.suppressed, best.recoding):
            chosen[vector] = solution
    minimal = [v for v in chosen if not any(dominates(other, v) for other in chosen)]
    return [chosen[vector] for vector in sorted(minimal)]


def optimum(problem: Problem) -> Solution | None:
    """Return the best feasible node by the first objective to minimize; None where there is none.

    Ties: fewest suppressed rows, then the smallest recoding text.
    """
    cost = problem.minimize[0]
    return min(
        whole_lattice(problem),
        key=lambda solution: (solution.measures[cost], solution.suppressed, solution.recoding),
        default=None,
    )


__all__ = [
    "AT_MOST",
    "CLASS_LEVEL",
    "CLASS_SIZE",
    "Problem",
    "Solution",
    "class_meets",
    "costs",
    "dominates",
    "evaluate",
    "front",
    "nodes",
    "optimum",
    "parse",
    "recoding_text",
    "rule_of",
    "whole_lattice",
]
