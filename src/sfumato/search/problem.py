"""A search problem: a space of recodings, what is required of them, what is wanted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Batch, PropertyKind, Recodings, Request, Rule, Suppression, budget_of
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.errors import ParameterError
from sfumato.front import count_text, non_dominated
from sfumato.measures import (
    ClassMeasure,
    Direction,
    Measure,
    Monotone,
    Setting,
    Union,
    make_measure,
    measure_facts,
    measure_names,
)
from sfumato.schemes import LevelScheme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import BoolArray, FloatArray, LongArray
    from sfumato.classes import Statistics
    from sfumato.domains import Partition
    from sfumato.schemes import Scheme
    from sfumato.search.texts import Describe


class Status(Enum):
    """How far a search came."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    LIMIT_REACHED = "limit-reached"


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Nodes found, and how completely they answer the question.

    Parameters
    ----------
    lattice
        The lattice in whose numbers the nodes are: the problem's own, or one of the partitions that the
        search listed or met.
    nodes
        One number for each attribute of the solutions, a level or a place in the ladder's list; best
        first, shape (solutions, q).
    status
        ``OPTIMAL`` where the answer is proven, ``INFEASIBLE`` where it is proven
        that there is none, ``LIMIT_REACHED`` where the search was cut.
    complete
        Whether every recoding was evaluated or provably needed no evaluation.
    evaluated
        Recodings whose measures were computed.
    seconds
        Time of the search alone.
    bound
        For one objective, a bound on the best possible value, in the measure's own direction.
    stopped
        Why the search ended early, or None.
    certificate
        What a proof rests on: cost, bound, gap, and what was counted; None where a search has none.
    """

    lattice: Lattice
    nodes: LongArray
    status: Status
    complete: bool
    evaluated: int
    seconds: float
    bound: float | None = None
    stopped: str | None = None
    certificate: Mapping[str, object] | None = None


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

    @property
    def judged(self) -> tuple[tuple[ClassMeasure, float], ...]:
        """What is required of every class: measures with their limits."""
        return tuple((r.measure, r.limit) for r in self.requirements if isinstance(r.measure, ClassMeasure))

    @property
    def of_table(self) -> tuple[Requirement, ...]:
        """What is required of the table as a whole."""
        return tuple(r for r in self.requirements if not isinstance(r.measure, ClassMeasure))

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
        thresholds = tuple(measure.threshold(limit) for measure, limit in self.judged)
        return Request(properties, costs, thresholds)

    def feasible(self, statistics: Statistics) -> BoolArray:
        """Tell which nodes meet every requirement."""
        return meets(self.of_table, statistics, statistics.feasible)

    def costs(self, statistics: Statistics) -> FloatArray:
        """Return the objectives, smaller is better, shape (n, objectives); equal ones are equal."""
        return np.column_stack([round_costs(item.cost(statistics)) for item in self.objectives])

    def indices(self, statistics: Statistics) -> FloatArray:
        """Return the objectives as indices, larger is better: those to minimize as bound less value."""
        return np.column_stack(
            [self.index(item, round_costs(item.value(statistics))) for item in self.objectives]
        )

    def index(self, measure: Measure, value: FloatArray) -> FloatArray:
        """Return what is larger the better: a value to maximize itself, else the measure's bound less it."""
        if measure.direction is Direction.MAXIMIZE:
            return value
        return measure.largest(self.cube.row_count, len(self.lattice.ladders)) - value

    @property
    def prunes_down(self) -> bool:
        """Whether a recoding that needs too much suppression rules out its specializations."""
        if self.suppression.rule not in (Rule.FAILING, Rule.NONE):
            return False
        return self.suppression.budget == 0 or all(item.union is Union.ANY for item, _ in self.judged)


def meets(required: Sequence[Requirement], statistics: Statistics, fits: BoolArray) -> BoolArray:
    """Tell which of the nodes that fit meet some requirements of the table too."""
    for item in required:
        fits = fits & np.asarray(item.measure.satisfies(item.measure.value(statistics), item.limit))
    return fits


LEAST_VIOLATION = 1e-9
"""What an infeasible recoding violates at least, however little that is."""


def violations(problem: Problem, statistics: Statistics) -> FloatArray:
    """Return by how much recodings miss the requirements, one column for each kind.

    The first is about all that judge classes: the share of rows that would have to be suppressed beyond
    the budget. The others are about measures of the whole table: the distance from the limit, as a share
    of it. A requirement that is met counts 0.
    """
    beyond = (statistics.failing - problem.suppression.budget) / max(1, problem.cube.row_count)
    columns = [np.where(statistics.feasible, 0.0, np.maximum(beyond, LEAST_VIOLATION))]
    for item in problem.of_table:
        value = item.measure.value(statistics)
        distance = np.abs(value - item.limit) / max(abs(item.limit), LEAST_VIOLATION)
        met = np.asarray(item.measure.satisfies(value, item.limit))
        columns.append(np.where(met, 0.0, np.nan_to_num(np.maximum(distance, LEAST_VIOLATION), nan=1.0)))
    return np.column_stack(columns)


def is_of_cells(measure: Measure) -> bool:
    """Tell whether what cells cost bounds a measure, so that a bound is known without making classes."""
    return Monotone.ROW_PENALTIES in measure.monotone and bool(measure.costs) and not measure.properties


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


def level_number(scheme: Scheme, partition: Partition) -> int:
    """Return the level that a partition is where its scheme is one of levels, else −1."""
    return scheme.level(partition) if isinstance(scheme, LevelScheme) else -1


def list_recodings(
    problem: Problem, schemes: Sequence[Scheme], recodings: Sequence[tuple[Partition, ...]]
) -> tuple[Lattice, LongArray]:
    """Return recodings as nodes of a lattice of the partitions they use."""
    ladders, nodes = [], np.empty((len(recodings), len(schemes)), dtype=np.int64)
    for a, (scheme, ladder) in enumerate(zip(schemes, problem.lattice.ladders, strict=True)):
        if isinstance(scheme, LevelScheme):
            ladders.append(ladder)
            nodes[:, a] = [scheme.level(recoding[a]) for recoding in recodings]
            continue
        used = {item: place for place, item in enumerate(dict.fromkeys(r[a] for r in recodings))}
        ladders.append(Ladder.listed(list(used), ladder))
        nodes[:, a] = [used[recoding[a]] for recoding in recodings]
    return Lattice(tuple(ladders)), nodes


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


def measure_cube(cube: Cube) -> dict[str, float]:
    """Return all measures of a table as it is."""
    ladders = tuple(Ladder(np.arange(size, dtype=np.int32)[None], 0, 0) for size in cube.sizes)
    setting = Setting(cube.quasi_identifiers, cube.sensitive, np.ones(len(cube.sizes)), cube.ordered)
    names = [name for name in measure_names(setting) if not measure_facts(name).compares]
    measures = tuple(make_measure(name, setting) for name in names)
    problem = Problem(cube, Lattice(ladders), measures, (), Suppression(Rule.NONE, 0))
    batch = problem.batch(threads=1)
    node = np.zeros(len(ladders), dtype=np.int64)
    statistics = batch.evaluate(node[None])
    uniques = (batch.base_rows == 1).sum()
    counts = {"rows": cube.row_count, "classes": statistics.classes[0], "uniques": uniques}
    found = {name: float(count) for name, count in counts.items()}
    return found | {item.name: float(item.value(statistics)[0]) for item in measures}


def tiny_problem(objective: str, k: int, schemes: tuple[Scheme, ...] | None = None) -> Problem:
    """Return a problem over two rows, to have kernels compiled by solving it."""
    codes = np.array([[0], [1]], dtype=np.int32)
    cube = Cube.sorted(("a",), (2,), codes, rows=np.ones(2, dtype=np.int64))
    lattice = Lattice((Ladder.whole(np.array([[0, 1], [0, 0]], dtype=np.int32)),))
    setting = Setting(("a",), (), np.ones(1))
    required = (Requirement(make_measure("k", setting), k),)
    objectives = (make_measure(objective, setting),)
    return Problem(cube, lattice, objectives, required, Suppression(Rule.NONE, 0), schemes=schemes)


def warm_up_kernels() -> None:
    """Call every kernel once on a tiny table, so that later calls find it compiled."""
    problem = tiny_problem("k", 1)
    statistics = problem.batch(threads=1).evaluate(problem.lattice.nodes(0, 2))
    problem.recodings(threads=1).compile()
    non_dominated(problem.costs(statistics))
