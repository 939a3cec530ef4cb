"""The local search over levels: sound everywhere, optimal on most small tables, honest when stopped."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.classes import Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.errors import ParameterError
from sfumato.measures import Setting, make_measure
from sfumato.schemes import Ordered
from sfumato.search import (
    DescentParameters,
    Monitor,
    Problem,
    Requirement,
    Run,
    SearchResult,
    Status,
    choose_method,
    descent,
    methods,
    search_descent,
    search_optimal,
)
from tests.examples import examples
from tests.oracles import lattice as oracle
from tests.package import problem_of, restrict
from tests.strategies import problems

if TYPE_CHECKING:
    from pathlib import Path


def wide(q: int = 8, rows: int = 400, seed: int = 1, *, budget: int = 400, k: int = 5) -> Problem:
    """Return a table of random rows that follow each other a little, over q attributes with four levels."""
    random = np.random.default_rng(seed)
    levels = np.stack([np.arange(8) // width for width in (1, 2, 4, 8)]).astype(np.int32)
    common = random.integers(0, 8, rows)
    drawn = np.column_stack([random.integers(0, 8, rows) for _ in range(q)])
    codes = np.where(random.random((rows, q)) < random.random(q), common[:, None], drawn).astype(np.int32)
    names = tuple(f"q{a}" for a in range(q))
    cube = Cube.sorted(names, (8,) * q, codes, rows=np.ones(rows, dtype=np.int64))
    setting = Setting(names, (), np.ones(q))
    required = (Requirement(make_measure("k", setting), float(k)),)
    objectives = (make_measure("loss", setting),)
    lattice = Lattice((Ladder.whole(levels),) * q)
    return Problem(cube, lattice, objectives, required, Suppression(Rule.FAILING, budget))


def run(problem: Problem, starts: int | None = 5, *, threads: int = 1, **more: object) -> SearchResult:
    settings = DescentParameters(iterations=starts)
    return search_descent(problem, Run(threads=threads, parameters=settings, **more))  # type: ignore[arg-type]


def cost(problem: Problem, result: SearchResult) -> float:
    """Return what the node found costs by an evaluator of its own; inf where there is none."""
    if not len(result.nodes):
        return np.inf
    statistics = problem.batch(1).evaluate(result.nodes)
    assert problem.feasible(statistics).all()
    return float(problem.costs(statistics)[0, 0])


class After(Monitor):
    """Stops when it is asked for the n-th time."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def tick(self, fraction: float, evaluated: int) -> bool:
        self.left -= 1
        if self.left < 0:
            self.reason = "stopped"
        return self.stopped


def single(asked: oracle.Problem) -> tuple[oracle.Problem, str]:
    """Keep one objective, any of those asked for."""
    asked = restrict(asked)
    name = (*asked.maximize, *asked.minimize)[0]
    kept = {"maximize": (), "minimize": (), ("maximize" if asked.maximize else "minimize"): (name,)}
    fixed = {field: getattr(asked, field) for field in ("require", "limit", "rule", "weights", "bounds")}
    return oracle.Problem(asked.table, **kept, **fixed), name  # type: ignore[arg-type]


@given(problems(weights=True, bounds=True), st.integers(0, 5), st.integers(0, 40))
@examples(300)
def test_never_better_than_brute_force_and_its_bound_is_true(drawn, seed, times):
    """Whatever is required and wanted, and wherever it is stopped: feasible, no better than the best."""
    case, asked = drawn
    asked, name = single(asked)
    problem = problem_of(case, asked)
    sign = problem.objectives[0].direction.sign
    expected = oracle.front(asked)
    best = sign * float(expected[0].measures[name]) if expected else np.inf
    result = run(problem, 3, monitor=After(times), seed=seed)
    found = cost(problem, result)
    slack = 1e-9 * max(1.0, abs(best)) if np.isfinite(best) else 0.0
    assert found >= best - slack
    if result.bound is not None:
        assert sign * result.bound <= best + slack
    if result.complete:
        assert found == pytest.approx(best)
        assert result.status is (Status.OPTIMAL if expected else Status.INFEASIBLE)
    else:
        assert result.stopped is not None


@pytest.mark.parametrize("tables", [16, pytest.param(40, marks=pytest.mark.slow)])
def test_without_a_proof_it_finds_most_optima(tables: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of tables under several budgets, by starts alone; the others nearly."""
    monkeypatch.setattr(descent, "PROVING", 0.0)
    monkeypatch.setattr(descent, "PROVING_LATE", 0.0)
    gaps = []
    for seed in range(tables):
        problem = wide(5, 150, seed, budget=(0, 5, 40, 150)[seed % 4], k=2 + seed % 3)
        best = cost(problem, search_optimal(problem, Run(threads=1)))
        gaps.append(cost(problem, run(problem, 20, seed=seed)) / best - 1)
    assert min(gaps) >= -1e-9
    assert np.mean(np.array(gaps) < 1e-9) >= 0.9
    assert max(gaps) < 0.05


@pytest.mark.parametrize("threads", [2, 4])
def test_the_same_for_any_number_of_threads(threads: int) -> None:
    """Node, evaluations and bound."""
    problem = wide()
    one, many = run(problem), run(problem, threads=threads)
    assert one.nodes.tolist() == many.nodes.tolist()
    assert (one.evaluated, one.bound) == (many.evaluated, many.bound)


def test_another_seed_takes_another_way() -> None:
    assert len({run(wide(), seed=seed).evaluated for seed in range(4)}) > 1


def test_more_starts_are_never_worse() -> None:
    """And none is worse than the first descent."""
    problem = wide(10, 300, 3)
    found = [cost(problem, run(problem, starts)) for starts in (0, 1, 2, 4, 8, 16)]
    assert found == sorted(found, reverse=True)
    assert found[-1] < found[0]


def test_the_bound_rises_with_the_work() -> None:
    problem = wide(10, 300, 3)
    bounds = [run(problem, starts).bound or 0.0 for starts in (0, 4, 16)]
    assert bounds == sorted(bounds)
    assert bounds[-1] > 0.1


def test_a_time_limit_is_kept() -> None:
    problem = wide(14, 2_000)
    problem.batch(1).compile()
    begin = time.process_time()  # what other tests do meanwhile does not count
    result = search_descent(problem, Run(Monitor(0.3), threads=1))
    assert time.process_time() - begin < 0.8
    assert result.stopped == "time limit"
    assert result.status is Status.LIMIT_REACHED
    assert cost(problem, result) < 1.0


def test_it_ends_by_itself() -> None:
    """After as many starts as it has patience for; a space that boxes exhaust is proven before."""
    problem = wide(14, 300)
    ended = search_descent(problem, Run(threads=1, parameters=DescentParameters(patience=3)))
    assert not ended.complete
    assert ended.stopped == "no better recoding in many starts"
    proven = search_descent(wide(4), Run(threads=1))
    assert proven.complete
    assert proven.nodes.tolist() == search_optimal(wide(4), Run(threads=1)).nodes.tolist()


def test_interrupted_and_resumed_it_ends_at_the_same_node(tmp_path: Path) -> None:
    """Wherever it is stopped; and what another run kept is refused."""
    problem, path = wide(9, 300, 5), tmp_path / "descent.npz"
    whole = run(problem, 12)
    for times in (3, 40, 150):
        path.unlink(missing_ok=True)
        run(problem, 12, checkpoint=path, monitor=After(times))
        resumed = run(problem, 12, checkpoint=path)
        assert resumed.nodes.tolist() == whole.nodes.tolist()
        assert resumed.bound is not None
    with pytest.raises(ParameterError, match="another run"):
        run(problem, 12, checkpoint=path, seed=2)
    with pytest.raises(ParameterError, match="another run"):
        run(wide(9, 300, 6), 12, checkpoint=path)


def test_auto_takes_it_where_a_proof_cannot_be_relied_on(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = wide(16)
    method, why = choose_method(problem)
    assert method == "descent"
    assert "too many" in why
    assert choose_method(wide(6))[0] == "optimal"
    monkeypatch.setattr(methods, "PROVABLE", 1)
    assert choose_method(wide(6))[0] == "descent"


def test_it_refuses_what_it_cannot_search() -> None:
    problem = wide(3)
    several = Problem(problem.cube, problem.lattice, problem.objectives * 2, (), problem.suppression)
    with pytest.raises(ParameterError, match="one objective"):
        choose_method(several, "descent")
    listed = Problem(
        problem.cube, problem.lattice, problem.objectives, (), problem.suppression, schemes=(Ordered(8),) * 3
    )
    with pytest.raises(ParameterError, match="levels"):
        choose_method(listed, "descent")


def test_wherever_it_stops_before_anything_fits_nothing_is_added_to_infinity():
    problem = wide(3, 31, budget=0, k=40)
    for times in range(40):
        assert not len(run(problem, 3, monitor=After(times)).nodes)
