"""Every search can be cut anywhere and resumed: it then finds what it would have found without the cut."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sfumato.classes import Batch, Recodings, Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.errors import ParameterError
from sfumato.measures import Setting, make_measure
from sfumato.schemes import Ordered
from sfumato.search import METHODS, Monitor, Problem, Requirement, Run, SearchResult

if TYPE_CHECKING:
    from pathlib import Path

GIVEN = {
    "exhaustive": {},
    "lattice": {"variant": "incognito"},
    "optimal": {},
    "descent": {"iterations": 40},
    "pbg-ea": {"iterations": 30, "population": 20},
    "granulation-ga": {"iterations": 30, "population": 20},
    "nsga2": {"iterations": 30, "population": 20, "patience": None},
    "spea2": {"iterations": 20, "population": 20, "patience": None},
    "schemes": {"iterations": 20, "population": 20, "patience": None, "seeding": False},
}
CUTS = (0, 3, 9)


class After(Monitor):
    """Stops when it is asked for the n-th time."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def tick(self, fraction: float, evaluated: int) -> bool:
        self.left -= 1
        self.reason = "stopped" if self.left < 0 else None
        return self.stopped


def make_problem(method: str, seed: int = 2) -> Problem:
    """Make a table of 300 random rows: 4,096 recodings by levels, or ordered blocks for ``schemes``."""
    random = np.random.default_rng(seed)
    q, m = 6, 8
    levels = np.stack([np.arange(m) // width for width in (1, 2, 4, 8)]).astype(np.int32)
    codes = random.binomial(m - 1, 0.4, (300, q)).astype(np.int32)
    names = tuple(f"q{a}" for a in range(q))
    cube = Cube.sorted(names, (m,) * q, codes, rows=np.ones(300, dtype=np.int64))
    setting = Setting(names, (), np.ones(q))
    alone = method in ("optimal", "descent", "lattice")
    wanted = ("loss",) if alone else ("k", "precision") if method == "granulation-ga" else ("k", "loss")
    return Problem(
        cube,
        Lattice((Ladder.whole(levels),) * q),
        tuple(make_measure(name, setting) for name in wanted),
        (Requirement(make_measure("k", setting), 3.0),),
        Suppression(Rule.FAILING, 30),
        schemes=(Ordered(m),) * q if method == "schemes" else None,
    )


def search(
    method: str, problem: Problem, path: Path | None = None, monitor: Monitor | None = None, seed: int = 1
) -> SearchResult:
    chosen = METHODS["nsga2" if method == "schemes" else method]
    given = GIVEN[method]
    parameters = chosen.parameters(**given) if chosen.parameters is not None else None
    return chosen.search(problem, Run(monitor or Monitor(), seed, 1, path, parameters))


def costs_of(problem: Problem, result: SearchResult) -> np.ndarray:
    if not len(result.nodes):
        return np.zeros((0, len(problem.objectives)))
    return problem.costs(problem.batch(1, result.lattice).evaluate(result.nodes))


def covers(better: np.ndarray, worse: np.ndarray) -> bool:
    """Tell whether every solution has one in the other front that is at least as good in everything."""
    return all((better <= costs + 1e-12).all(axis=1).any() for costs in worse)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the recodings that kernels evaluate."""
    counts: list[int] = []
    for kind, name in ((Batch, "_run"), (Recodings, "_run")):
        whole = getattr(kind, name)

        def run(self, memory, nodes, *more, whole=whole, **named):
            counts.append(len(nodes))
            return whole(self, memory, nodes, *more, **named)

        monkeypatch.setattr(kind, name, run)
    return counts


@pytest.mark.some(9)
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("method", GIVEN)
def test_a_search_that_is_resumed_finds_the_same(method: str, cut: int, tmp_path: Path) -> None:
    problem, path = make_problem(method), tmp_path / "kept"
    whole = search(method, problem)
    part = search(method, problem, path, After(cut))
    assert not path.exists() or os.name == "nt" or path.stat().st_mode & 0o777 == 0o600
    again = search(method, problem, path, Monitor(time_limit_s=0.0))
    assert covers(costs_of(problem, again), costs_of(problem, part))
    rest = search(method, problem, path)
    assert covers(costs_of(problem, rest), costs_of(problem, part))
    assert costs_of(problem, rest).tolist() == costs_of(problem, whole).tolist()
    assert rest.complete == whole.complete
    assert rest.evaluated == whole.evaluated or method in ("optimal", "descent", "exhaustive")


@pytest.mark.parametrize("method", sorted({*GIVEN} - {"descent"}))
def test_what_was_evaluated_is_not_evaluated_again(method: str, tmp_path: Path, counted: list[int]) -> None:
    """A run to its end, resumed, has little to evaluate: the solutions of its result."""
    problem, path = make_problem(method), tmp_path / "kept"
    search(method, problem, path)
    first = sum(counted)
    counted.clear()
    search(method, problem, path)
    assert sum(counted) <= first / 3


@pytest.mark.parametrize("method", GIVEN)
def test_a_checkpoint_of_another_run_is_refused(method: str, tmp_path: Path) -> None:
    problem, path = make_problem(method), tmp_path / "kept"
    search(method, problem, path)
    before = path.read_bytes()
    others = [
        (make_problem(method, seed=3), 1),
        (problem, 2),
        (replace(problem, suppression=Suppression(Rule.FAILING, 29)), 1),
    ]
    for other, seed in others:
        with pytest.raises(ParameterError, match="another run"):
            search(method, other, path, seed=seed)
    assert path.read_bytes() == before


@pytest.mark.parametrize("method", ["pbg-ea", "nsga2", "granulation-ga"])
def test_it_may_go_on_for_longer(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five generations and then the rest are the same as all at once."""
    problem, path = make_problem(method), tmp_path / "kept"
    whole = search(method, problem)
    with monkeypatch.context() as patch:
        patch.setitem(GIVEN[method], "iterations", 5)
        search(method, problem, path)
    assert costs_of(problem, search(method, problem, path)).tolist() == costs_of(problem, whole).tolist()
