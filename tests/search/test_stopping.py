"""Searches that are stopped return their best so far and say how far it may be from the best."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.classes import Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.measures import Setting, make_measure
from sfumato.search import (
    Monitor,
    Problem,
    Progress,
    Requirement,
    Run,
    Status,
    explain_infeasible,
    search_exhaustive,
    search_optimal,
)


@pytest.fixture
def problem() -> Problem:
    """A lattice of 4,096 nodes over 500 random rows."""
    random = np.random.default_rng(2)
    q, m = 6, 8
    levels = np.stack([np.arange(m) // width for width in (1, 2, 4, 8)]).astype(np.int32)
    codes = random.integers(0, m, (500, q)).astype(np.int32)
    names = tuple(f"q{a}" for a in range(q))
    cube = Cube.sorted(names, (m,) * q, codes, rows=np.ones(500, dtype=np.int64))
    setting = Setting(names, (), np.ones(q))
    require = (Requirement(make_measure("k", setting), 5.0),)
    return Problem(
        cube,
        Lattice((Ladder.whole(levels),) * q),
        (make_measure("loss", setting),),
        require,
        Suppression(Rule.FAILING, 50),
    )


@pytest.mark.parametrize("search", [search_exhaustive, search_optimal])
def test_a_time_limit_of_nothing_ends_at_once(problem: Problem, search) -> None:
    """The result is not complete, and its bound does not lie."""
    best = search_optimal(problem, Run(threads=2))
    result = search(problem, Run(Monitor(time_limit_s=0.0), threads=2))
    assert not result.complete
    assert result.status is Status.LIMIT_REACHED
    assert result.stopped == "time limit"
    assert result.evaluated < problem.lattice.size
    if result.bound is not None:
        assert result.bound <= best.bound


def test_a_callback_stops_the_optimal_search(problem: Problem) -> None:
    """After some calls; what was found until then is feasible and within the stated bound."""
    batch = problem.batch(2)
    calls: list[Progress] = []

    def callback(progress: Progress) -> bool:
        calls.append(progress)
        return len(calls) > 1

    best = search_optimal(problem, Run(threads=1))
    result = search_optimal(problem, Run(Monitor(callback=callback), batch=batch))
    if result.complete:  # fast machines may finish before the second call
        assert result.bound == best.bound
    elif len(result.nodes):
        fresh = problem.batch(1)
        value = problem.objectives[0].value(fresh.evaluate(result.nodes))[0]
        assert problem.feasible(fresh.evaluate(result.nodes))[0]
        assert result.bound <= best.bound <= value + 1e-12


def test_interrupting_stops_the_workers(problem: Problem) -> None:
    """An exception in the callback ends the search and leaves no worker running."""
    batch = problem.batch(2)

    def interrupt(progress: Progress) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search_exhaustive(problem, Run(Monitor(callback=interrupt), batch=batch))


@pytest.mark.parametrize("at_once", [1, 3, 512])
def test_boxes_of_any_number_at_once_give_the_same_optimum(
    problem: Problem, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """How many boxes are split side by side changes the time, and nothing else."""
    whole = search_optimal(problem, Run(threads=2))
    monkeypatch.setattr("sfumato.search.optimal.LEAST_SPLIT", at_once)
    monkeypatch.setattr("sfumato.search.optimal.MOST_SPLIT", at_once)
    other = search_optimal(problem, Run(threads=2))
    assert other.complete
    assert other.nodes.tolist() == whole.nodes.tolist()
    assert other.bound == whole.bound


def test_progress_never_falls_and_ends_at_one(problem: Problem) -> None:
    """Fractions within [0, 1], in order."""
    seen: list[float] = []
    monitor = Monitor(callback=lambda progress: seen.append(progress.fraction) or False)
    search_exhaustive(problem, Run(monitor, threads=2))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_infeasible_together_names_the_limit_that_would_do() -> None:
    """Each requirement alone can be met; both together need more suppression than is allowed."""
    # Two classes at the top level that is allowed: 6 rows of one value, 4 rows of two values.
    codes = np.array([[0]] * 6 + [[1]] * 4, dtype=np.int32)
    secret = np.array([[0]] * 6 + [[0]] * 2 + [[1]] * 2, dtype=np.int32)
    cube = Cube.sorted(
        ("q",),
        (2,),
        codes,
        rows=np.ones(10, dtype=np.int64),
        sensitive=("s",),
        sensitive_sizes=(2,),
        sensitive_codes=secret,
    )
    levels = np.array([[0, 1], [0, 0]], dtype=np.int32)
    setting = Setting(("q",), ("s",), np.ones(1))
    require = (
        Requirement(make_measure("k", setting), 5.0),
        Requirement(make_measure("distinct_l(s)", setting), 2.0),
    )
    problem = Problem(
        cube,
        Lattice((Ladder(levels, 0, 0),)),
        (make_measure("loss", setting),),
        require,
        Suppression(Rule.FAILING, 6),
    )
    assert search_optimal(problem, Run(threads=1)).status is Status.INFEASIBLE
    assert explain_infeasible(problem) == (
        "no recoding meets k >= 5 and distinct_l(s) >= 2 together; the nearest suppresses 10 rows "
        "where 6 are allowed: a limit of 1 would be enough."
    )
