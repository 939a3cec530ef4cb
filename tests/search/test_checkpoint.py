"""A branch and bound may be stopped, interrupted and resumed at any moment, and still tells the truth."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.classes import Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice, Tree
from sfumato.errors import ParameterError
from sfumato.measures import Setting, make_measure
from sfumato.schemes import Ordered, Sets, make_scheme
from sfumato.search import Monitor, Problem, Requirement, Run, SearchResult, Status
from sfumato.search.branch_and_bound import Techniques, bounded_search, search_branch_and_bound
from tests.examples import examples
from tests.oracles import lattice as oracle
from tests.package import problem_of
from tests.search.test_branch_and_bound import cost_of, tasks, techniques

if TYPE_CHECKING:
    from pathlib import Path

SLOW = Techniques(direction="bottom-up", seeding=False, useless_applicators=False)
"""Few deductions, so that a small table takes many steps."""

NAMES = ("a", "b", "c")


class After(Monitor):
    """Stops, or raises, when it is asked for the n-th time."""

    def __init__(self, times: int, error: type[BaseException] | None = None) -> None:
        super().__init__()
        self.left, self.error = times, error

    def tick(self, fraction: float, evaluated: int) -> bool:
        self.left -= 1
        if self.left < 0:
            if self.error is not None:
                raise self.error
            self.reason = "stopped"
        return self.stopped


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take few nodes at a time, so that there are many moments to stop at."""
    monkeypatch.setattr(bounded_search, "BATCH", 4)
    monkeypatch.setattr(bounded_search, "PIECE", 2)


def make_case(
    *, k: int = 4, seed: int = 3, weights: tuple[float, ...] = (1, 1, 1), budget: int = 12, cost: str = "loss"
) -> Problem:
    """Make a table of 90 random rows over 6, 5 and 4 values with three schemes."""
    sizes = (6, 5, 4)
    random = np.random.default_rng(seed)
    codes = np.column_stack([random.binomial(size - 1, 0.4, 90) for size in sizes]).astype(np.int32)
    cube = Cube.sorted(NAMES, sizes, codes, rows=np.ones(90, dtype=np.int64))
    setting = Setting(NAMES, (), np.array(weights, dtype=np.float64))
    ladders = tuple(
        Ladder.whole(np.stack([np.arange(size), np.zeros(size)]).astype(np.int32)) for size in sizes
    )
    return Problem(
        cube,
        Lattice(ladders),
        (make_measure(cost, setting),),
        (Requirement(make_measure("k", setting), float(k)),),
        Suppression(Rule.FAILING, budget),
        schemes=(Ordered(6), Sets(5), Ordered(4)),
    )


def search(problem: Problem, monitor: Monitor | None = None, path: Path | None = None) -> SearchResult:
    return search_branch_and_bound(
        problem, Run(monitor or Monitor(), threads=1, checkpoint=path, parameters=SLOW)
    )


def optimum(problem: Problem) -> float:
    """Return the least cost over the whole space, from the exhaustive listing of its members."""
    members = problem.members
    statistics = problem.batch(1, members).evaluate(members.nodes(0, members.size))
    costs = problem.objectives[0].value(statistics)
    return float(costs[problem.feasible(statistics)].min())


@pytest.fixture(scope="module")
def problem() -> Problem:
    return make_case()


@pytest.fixture(scope="module")
def best(problem: Problem) -> float:
    return optimum(problem)


def test_the_case_takes_many_steps(problem: Problem, best: float) -> None:
    """Otherwise the tests below would stop nothing."""
    result = search(problem)
    assert result.certificate is not None
    assert result.certificate["nodes"] > 200  # type: ignore[operator]
    assert cost_of(problem, result) == pytest.approx(best)


def check_claims(problem: Problem, result: SearchResult, best: float) -> None:
    """Whatever is said of a stopped search is true: feasible, and bound <= optimum <= cost."""
    found = cost_of(problem, result)
    certificate = result.certificate
    assert certificate is not None
    if result.bound is not None:
        assert result.bound <= best + 1e-9
    if found is None:
        assert certificate["cost"] is None
    else:
        assert found >= best - 1e-9
        assert certificate["cost"] == pytest.approx(found)
        # Without a bound nothing is known of the gap, and it is not said to be closed.
        gap = 1.0 if certificate["gap"] is None else certificate["gap"]
        assert found - gap * found <= best + 1e-9  # type: ignore[operator]
    assert (result.stopped is None) == result.complete
    assert result.status is Status.LIMIT_REACHED or result.complete


@pytest.mark.parametrize("times", [0, 1, 2, 3, 5, 8, 13, 21, 34, 55])
def test_stopped_at_any_moment_it_tells_the_truth(problem: Problem, best: float, times: int) -> None:
    check_claims(problem, search(problem, After(times)), best)


def test_a_time_limit_of_nothing(problem: Problem, best: float) -> None:
    result = search(problem, Monitor(time_limit_s=0.0))
    assert result.stopped == "time limit"
    check_claims(problem, result, best)


@given(tasks(), techniques, st.integers(0, 12))
@examples(100)
def test_any_problem_stopped_at_any_moment(task, used, times):
    """For any mix of schemes, cost, rule, requirements and techniques."""
    case, asked, schemes = task
    problem = replace(problem_of(case, asked), schemes=schemes)
    result = search_branch_and_bound(problem, Run(After(times), threads=1, parameters=used))
    expected = oracle.front(asked)
    if expected:
        check_claims(problem, result, float(expected[0].measures[asked.minimize[0]]))
    else:
        assert len(result.nodes) == 0
        assert result.status in (Status.INFEASIBLE, Status.LIMIT_REACHED)


# --- resuming -------------------------------------------------------------------


@pytest.mark.parametrize("step", [1, 4, 19])
def test_resumed_again_and_again_it_reaches_the_optimum(
    problem: Problem, best: float, tmp_path: Path, step: int
) -> None:
    """On the way the bound never falls and the cost never rises."""
    path = tmp_path / "search.npz"
    bounds, costs = [-np.inf], [np.inf]
    for _ in range(2000):
        result = search(problem, After(step), path)
        check_claims(problem, result, best)
        bounds.append(-np.inf if result.bound is None else result.bound)
        costs.append(cost_of(problem, result) or np.inf)
        if result.complete:
            break
    assert result.status is Status.OPTIMAL
    assert costs[-1] == pytest.approx(best)
    assert len(bounds) > 3
    assert all(np.diff(np.nan_to_num(bounds, neginf=-1.0)) >= -1e-12)
    assert all(np.diff(np.nan_to_num(costs, posinf=9.0)) <= 1e-12)
    assert [file.name for file in tmp_path.iterdir()] == ["search.npz"]


def test_resuming_counts_every_node_once(problem: Problem, tmp_path: Path) -> None:
    """Each branching makes one node more, and each node ends in one way."""
    whole = search(problem)
    search(problem, After(20), tmp_path / "c")
    resumed = search(problem, path=tmp_path / "c")
    for result in (whole, resumed):
        counts = result.certificate
        assert counts is not None
        ended = [counts[name] for name in ("contradictions", "pruned by bound", "leaves", "dropped")]
        assert 1 + counts["branched"] == sum(ended)
    assert whole.certificate is not None
    assert resumed.certificate is not None
    for name in ("cost", "bound"):
        assert resumed.certificate[name] == whole.certificate[name], name


def test_a_finished_search_is_not_run_again(problem: Problem, best: float, tmp_path: Path) -> None:
    first = search(problem, path=tmp_path / "c")
    again = search(problem, path=tmp_path / "c")
    assert again.status is Status.OPTIMAL
    assert cost_of(problem, again) == pytest.approx(best)
    assert first.certificate is not None
    assert again.certificate is not None
    assert again.certificate["nodes"] == first.certificate["nodes"]


@pytest.mark.parametrize("times", [0, 1, 2, 3, 7, 20, 50])
def test_an_interrupt_loses_nothing(problem: Problem, best: float, tmp_path: Path, times: int) -> None:
    """The file can be read, and going on from it leads to the optimum, with its proof."""
    path = tmp_path / "search.npz"
    with pytest.raises(KeyboardInterrupt):
        search(problem, After(times, KeyboardInterrupt), path)
    assert path.is_file()
    stopped = search(problem, After(0), path)
    check_claims(problem, stopped, best)
    resumed = search(problem, path=path)
    assert resumed.status is Status.OPTIMAL
    assert cost_of(problem, resumed) == pytest.approx(best)


def test_interrupts_one_after_another(problem: Problem, best: float, tmp_path: Path) -> None:
    path = tmp_path / "search.npz"
    for times in range(2, 14, 3):
        with pytest.raises(KeyboardInterrupt):
            search(problem, After(times, KeyboardInterrupt), path)
    resumed = search(problem, path=path)
    assert resumed.status is Status.OPTIMAL
    assert cost_of(problem, resumed) == pytest.approx(best)


def test_an_interrupt_of_the_first_solution_can_be_followed_by_a_run(
    problem: Problem, best: float, tmp_path: Path
) -> None:
    """Before the proof has begun there is nothing to go on from, and nothing in the way."""
    path = tmp_path / "search.npz"
    with pytest.raises(KeyboardInterrupt):
        search_branch_and_bound(problem, Run(After(0, KeyboardInterrupt), threads=1, checkpoint=path))
    resumed = search_branch_and_bound(problem, Run(threads=1, checkpoint=path))
    assert cost_of(problem, resumed) == pytest.approx(best)


def test_writing_fails_and_the_last_checkpoint_stays(
    problem: Problem, best: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk leaves the checkpoint before as it was, and no other file."""
    path = tmp_path / "search.npz"
    search(problem, After(20), path)
    before = path.read_bytes()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", refuse)
        with pytest.raises(OSError, match="No space"):
            search(problem, After(20), path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["search.npz"]
    assert cost_of(problem, search(problem, path=path)) == pytest.approx(best)


# --- what does not fit ----------------------------------------------------------


def tree_problem(nested: tuple[int, ...]) -> Problem:
    """Make the case with a tree of two groups over the first attribute, under ``cuts``."""
    levels = np.stack([np.arange(6), np.array(nested), np.zeros(6)]).astype(np.int32)
    cuts = make_scheme("cuts", tree=Tree.from_levels(levels))
    problem = make_case()
    assert problem.schemes is not None
    return replace(problem, schemes=(cuts, *problem.schemes[1:]))


OTHERS = {
    "k": make_case(k=5),
    "data": make_case(seed=4),
    "limit": make_case(budget=11),
    "cost": make_case(cost="dm"),
    "weights": make_case(weights=(1, 2, 1)),
    "schemes": replace(make_case(), schemes=(Sets(6), Sets(5), Ordered(4))),
}


@pytest.mark.parametrize("what", OTHERS)
def test_the_checkpoint_of_another_run_is_refused(problem: Problem, tmp_path: Path, what: str) -> None:
    path = tmp_path / "search.npz"
    search(OTHERS[what], After(5), path)
    before = path.read_bytes()
    with pytest.raises(ParameterError, match=r"search\.npz is the checkpoint of another run: its data"):
        search(problem, path=path)
    assert path.read_bytes() == before


def test_trees_that_count_alike_are_told_apart(tmp_path: Path) -> None:
    """Both have 2 · 2 + 1 cuts, and their groups differ."""
    path = tmp_path / "search.npz"
    search(tree_problem((0, 0, 0, 1, 1, 1)), After(5), path)
    with pytest.raises(ParameterError, match="another run"):
        search(tree_problem((0, 0, 1, 1, 1, 1)), path=path)


@pytest.mark.parametrize("settings_of", [{"seed": 2}, {"parameters": Techniques(requeue=True)}])
def test_other_settings_are_another_run(problem: Problem, tmp_path: Path, settings_of: dict) -> None:
    path = tmp_path / "search.npz"
    search_branch_and_bound(problem, Run(After(5), threads=1, checkpoint=path))
    with pytest.raises(ParameterError, match="another run"):
        search_branch_and_bound(problem, Run(checkpoint=path, threads=1, **settings_of))


def test_the_number_of_threads_is_no_other_run(problem: Problem, best: float, tmp_path: Path) -> None:
    path = tmp_path / "search.npz"
    search(problem, After(5), path)
    resumed = search_branch_and_bound(problem, Run(threads=2, checkpoint=path, parameters=SLOW))
    assert cost_of(problem, resumed) == pytest.approx(best)


FOREIGN = {
    "text": b"age,zip\n1,2\n",
    "zip": b"PK\x03\x04 no archive after all",
    "pickle": b"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00\x8c\x01a\x94.",
}


@pytest.mark.parametrize("what", FOREIGN)
def test_a_foreign_file_is_refused_and_left_alone(problem: Problem, tmp_path: Path, what: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(FOREIGN[what])
    with pytest.raises(ParameterError, match=r"people\.csv is not a checkpoint"):
        search(problem, path=path)
    assert path.read_bytes() == FOREIGN[what]


def test_an_archive_of_other_arrays_is_refused(problem: Problem, tmp_path: Path) -> None:
    path = tmp_path / "numbers.npz"
    np.savez(path, states=np.zeros(3))
    with pytest.raises(ParameterError, match=r"numbers\.npz is not a checkpoint"):
        search(problem, path=path)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.95])
def test_a_checkpoint_cut_short_is_refused(problem: Problem, tmp_path: Path, share: float) -> None:
    path = tmp_path / "search.npz"
    search(problem, After(20), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ParameterError, match="is not a checkpoint"):
        search(problem, path=path)


def test_an_empty_file_is_a_fresh_start(problem: Problem, best: float, tmp_path: Path) -> None:
    """As programs make that reserve a name."""
    path = tmp_path / "search.npz"
    path.touch()
    assert cost_of(problem, search(problem, path=path)) == pytest.approx(best)


def test_a_folder_that_is_not_there_is_told_before_the_search(problem: Problem, tmp_path: Path) -> None:
    """Not after hours, when the first checkpoint is due."""
    monitor = After(10**6)
    with pytest.raises((ParameterError, OSError)):
        search(problem, monitor, tmp_path / "none" / "search.npz")
    assert monitor.left == 10**6
