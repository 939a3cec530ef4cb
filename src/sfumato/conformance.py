"""What every measure and every search must satisfy, as checks that extensions can run too.

The checks work on small made-up tables and raise `ConformanceError` with what
was broken. They do not replace an oracle: a measure may satisfy all
its declarations and still measure the wrong thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from sfumato import search
from sfumato._typing import FloatArray, LongArray
from sfumato.classes import Batch, Levels, Rule, Suppression
from sfumato.domains import Confidential, Cube, Ladder, Lattice
from sfumato.front import non_dominated
from sfumato.measures import ClassMeasure, Measure, Monotone, Setting, Union, make_measure

MakeMeasure: TypeAlias = Callable[[Setting], Measure]
RunSearch: TypeAlias = (
    "Callable[[search.Problem, Batch, search.Monitor, search.SearchSettings], search.SearchResult]"
)

TREE = Levels(np.array([[0, 1, 2, 3, 4], [0, 0, 1, 1, 2], [0, 0, 0, 0, 0]], dtype=np.int32))
# Two sentences: that s is 0, for every third row, and that it is at most 1, for everyone.
SENTENCES = Confidential(
    np.array([[False, False], [False, True], [True, True]] * 2),
    np.array([[False, True]] * 3 + [[True, True]] * 3),
    np.array([3.0, 1.0]),
)
SETTING = Setting(
    ("a", "b", "c"),
    ("s",),
    np.array([1.0, 2.0, 0.5]),
    ordered=frozenset({"s"}),
    trees={"s": TREE},
    confidential=SENTENCES,
)
TOLERANCE = 1e-9


class ConformanceError(AssertionError):
    """A measure or a search does not keep what it declares."""


def check_measure(make: MakeMeasure) -> None:
    """Check that a measure keeps what it declares.

    Parameters
    ----------
    make
        Makes the measure for a table with quasi-identifiers ``a``, ``b``, ``c`` and a sensitive ``s``.

    Raises
    ------
    ConformanceError
        With the declaration that does not hold.
    """
    measure = make(SETTING)
    for seed in range(4):
        cube, lattice = _table(seed)
        nodes = lattice.nodes(0, lattice.size)
        plain = _costs(measure, cube, lattice, nodes, Suppression(Rule.NONE, 0))
        own = measure.name
        _require(plain.shape == (len(nodes),), f"{own} does not give one number for each recoding")
        _require(bool(np.isfinite(plain).all()), f"{own} is not finite though every row remains")
        _require(bool((plain >= measure.least_cost - TOLERANCE).all()), f"{own} falls below its least cost")
        _check_relabelling(measure, cube, lattice, plain)
        _check_monotone(measure, nodes, plain)
        if Monotone.ROW_PENALTIES in measure.monotone:
            _check_penalties(measure, cube, lattice, plain)
        if isinstance(measure, ClassMeasure):
            _check_union(measure, cube, lattice, nodes)


def check_search(
    run: RunSearch, *, exact: bool, objectives: tuple[str, ...] = ("k", "loss"), lists: bool = False
) -> None:
    """Check that a search returns what every search has to.

    Parameters
    ----------
    run
        The search.
    exact
        Whether it proves its answer, so that it must equal the complete front.
    objectives
        Measures that it is asked for.
    lists
        Whether it lists recodings of which one may dominate another, as `lattice` does.

    Raises
    ------
    ConformanceError
        If solutions miss a requirement or dominate each other, if the seed does not settle
        the result, if progress leaves [0, 1], or if a time limit does not stop it.
    """
    for seed in range(3):
        problem = _problem(seed, objectives)
        result = run(problem, problem.batch(1), search.Monitor(), search.SearchSettings(seed=seed))
        again = run(problem, problem.batch(3), search.Monitor(), search.SearchSettings(seed=seed))
        _require(result.nodes.tolist() == again.nodes.tolist(), "the same seed gives another result")
        _require(result.evaluated == again.evaluated, "threads change the number of evaluations")
        _check_solutions(problem, result, exact=exact, lists=lists)
    _check_stopping(run, objectives)


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise ConformanceError(problem)


def _table(seed: int) -> tuple[Cube, Lattice]:
    """Make a table of 80 rows over three attributes with three levels, some sensitive values rare."""
    random = np.random.default_rng(seed)
    levels = np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]], dtype=np.int32)
    codes = random.integers(0, 4, (80, 3)).astype(np.int32)
    secret = np.minimum(random.geometric(0.4, (80, 1)) - 1, 4).astype(np.int32)
    hidden = np.maximum(2 - secret, 0) + 3 * (np.arange(80) % 3 == 0)[:, None]
    cube = Cube.sorted(
        SETTING.quasi_identifiers,
        (4, 4, 4),
        codes,
        rows=np.ones(80, dtype=np.int64),
        sensitive=(*SETTING.sensitive, "hidden"),
        sensitive_sizes=(5, 6),
        sensitive_codes=np.concatenate([secret, hidden.astype(np.int32)], axis=1),
    )
    return replace(cube, confidential=SENTENCES), Lattice((Ladder.whole(levels),) * 3)


def _costs(
    measure: Measure, cube: Cube, lattice: Lattice, nodes: LongArray, suppression: Suppression
) -> FloatArray:
    problem = search.Problem(cube, lattice, (measure,), (), suppression)
    return measure.cost(problem.batch(1).evaluate(nodes))


def _edges(nodes: LongArray) -> Iterator[tuple[int, int]]:
    """Yield pairs of a node's number and that of a direct generalization."""
    place = {tuple(node): number for number, node in enumerate(nodes.tolist())}
    for node, number in place.items():
        for a in range(len(node)):
            above = place.get((*node[:a], node[a] + 1, *node[a + 1 :]))
            if above is not None:
                yield number, above


def _check_relabelling(measure: Measure, cube: Cube, lattice: Lattice, plain: FloatArray) -> None:
    """Turn the order of each attribute's codes around: no measure of levels may notice."""
    turned = Cube.sorted(
        cube.quasi_identifiers,
        cube.sizes,
        np.ascontiguousarray(3 - cube.codes, dtype=np.int32),
        rows=cube.rows,
        sensitive=cube.sensitive,
        sensitive_sizes=cube.sensitive_sizes,
        sensitive_codes=cube.sensitive_codes,
    )
    turned = replace(turned, confidential=cube.confidential)
    found = _costs(measure, turned, lattice, lattice.nodes(0, lattice.size), Suppression(Rule.NONE, 0))
    holds = bool(np.allclose(found, plain, rtol=TOLERANCE))
    _require(holds, f"{measure.name} depends on how values are numbered")


def _check_monotone(measure: Measure, nodes: LongArray, plain: FloatArray) -> None:
    for below, above in _edges(nodes):
        slack = TOLERANCE * (1 + abs(plain[below]))
        if Monotone.IMPROVES in measure.monotone:
            _require(plain[above] <= plain[below] + slack, f"{measure.name} gets worse along generalization")
        if Monotone.WORSENS in measure.monotone:
            _require(plain[above] >= plain[below] - slack, f"{measure.name} gets better along generalization")


def _check_penalties(measure: Measure, cube: Cube, lattice: Lattice, plain: FloatArray) -> None:
    """Suppress what fails k = 3: costs rise, and by at least as much for specializations."""
    require = (search.Requirement(make_measure("k", SETTING), 3.0),)
    problem = search.Problem(cube, lattice, (measure,), require, Suppression(Rule.FAILING, cube.row_count))
    nodes = lattice.nodes(0, lattice.size)
    excess = measure.cost(problem.batch(1).evaluate(nodes)) - plain
    slack = TOLERANCE * (1 + np.abs(plain).max())
    _require(bool((excess >= -slack).all()), f"{measure.name} gets better by suppression")
    for below, above in _edges(nodes):
        holds = bool(excess[below] >= excess[above] - slack)
        _require(holds, f"{measure.name} charges suppressed rows less in a specialization")


def _check_union(measure: ClassMeasure, cube: Cube, lattice: Lattice, nodes: LongArray) -> None:
    """Take bounds from the values that occur, and count the rows that fail along every edge."""
    plain = search.Problem(cube, lattice, (measure,), (), Suppression(Rule.NONE, 0))
    limits = np.unique(measure.value(plain.batch(1).evaluate(nodes)))
    for limit in limits[:: max(1, len(limits) // 12)]:
        require = (search.Requirement(measure, float(limit)),)
        problem = search.Problem(
            cube, lattice, (measure,), require, Suppression(Rule.FAILING, cube.row_count)
        )
        failing = problem.batch(1).evaluate(nodes).failing
        for below, above in _edges(nodes):
            if measure.union is Union.ANY:
                holds = bool(failing[above] <= failing[below])
                _require(holds, f"{measure.name} fails in more rows of a generalization")
            else:
                holds = bool(failing[above] == 0 or failing[below] > 0)
                _require(holds, f"{measure.name} is met by a recoding and missed by a generalization of it")


def _problem(seed: int, objectives: tuple[str, ...]) -> search.Problem:
    cube, lattice = _table(seed)
    measures = tuple(make_measure(name, SETTING) for name in objectives)
    require = (search.Requirement(make_measure("distinct_l(s)", SETTING), 2.0),)
    return search.Problem(cube, lattice, measures, require, Suppression(Rule.FAILING_THEN_SMALLEST, 8))


def _check_solutions(
    problem: search.Problem, result: search.SearchResult, *, exact: bool, lists: bool
) -> None:
    batch = problem.batch(1)
    statistics = batch.evaluate(result.nodes)
    _require(bool(problem.feasible(statistics).all()), "a solution misses a requirement")
    costs = problem.costs(statistics)
    _require(lists or len(non_dominated(costs)) == len(costs), "a solution dominates or equals another")
    best = search.search_exhaustive(problem, search.Run(batch=batch))
    if exact:
        _require(result.complete, "an exact search is not complete")
        _require(result.nodes.tolist() == best.nodes.tolist(), "an exact search misses the front")
    reference = problem.costs(batch.evaluate(best.nodes))
    for row in costs:
        _require(bool((reference <= row).all(axis=1).any()), "a solution is better than the exact front")


def _check_stopping(run: RunSearch, objectives: tuple[str, ...]) -> None:
    problem = _problem(0, objectives)
    seen: list[float] = []

    def note(progress: search.Progress) -> None:
        seen.append(progress.fraction)

    run(problem, problem.batch(2), search.Monitor(callback=note), search.SearchSettings())
    _require(all(0 <= fraction <= 1 for fraction in seen), "progress leaves [0, 1]")
    _require(seen == sorted(seen), "progress falls")
    stopped = run(problem, problem.batch(2), search.Monitor(time_limit_s=0.0), search.SearchSettings())
    _require(stopped.stopped is not None, "a time limit does not stop it")
    _require(not stopped.complete, "a stopped search says that it is complete")


__all__ = ["ConformanceError", "MakeMeasure", "RunSearch", "check_measure", "check_search"]
