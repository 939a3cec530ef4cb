"""Evolutionary search over any schemes: feasible, never better than the exact front, the same every time."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.classes import Rule
from sfumato.domains import Partition
from sfumato.errors import ParameterError
from sfumato.front import hypervolume, scaled_fronts
from sfumato.schemes import Ordered
from sfumato.search import (
    METHODS,
    Monitor,
    Problem,
    Progress,
    Run,
    SearchResult,
    SearchSettings,
    Status,
    choose_method,
    search_exhaustive,
)
from sfumato.search.pymoo_adapter import ALGORITHMS, EvolutionParameters, search_pymoo
from sfumato.search.pymoo_adapter.evolving import Gain, Scale
from sfumato.search.pymoo_adapter.genome import Genome
from sfumato.search.pymoo_adapter.scoring import Evaluations
from sfumato.spec.choices import METHODS as NAMED
from tests.examples import examples
from tests.search.nsga2_cases import LEVELS, small_problem

SHORT = EvolutionParameters(population=20, iterations=15)
MIX = ("ordered", "cuts", "guided-sets")
NAMES = ("levels", "cuts", "ordered", "guided-ordered", "sets", "guided-sets", "admissible")


def run(
    problem: Problem, *, threads: int = 2, monitor: Monitor | None = None, **more: object
) -> SearchResult:
    """Search shortly with seed 1 unless something else is said."""
    algorithm = str(more.pop("algorithm", "nsga2"))
    asked: dict[str, object] = {"parameters": SHORT, **more}
    watched = Run(monitor or Monitor(), threads=threads, **asked)  # type: ignore[arg-type]
    return search_pymoo(problem, watched, algorithm)


def costs_of(problem: Problem, result: SearchResult) -> np.ndarray:
    return problem.costs(problem.batch(1, result.lattice).evaluate(result.nodes))


def recodings_of(result: SearchResult) -> list[list[list[int]]]:
    return [
        [ladder.levels[number].tolist() for ladder, number in zip(result.lattice.ladders, node, strict=True)]
        for node in result.nodes
    ]


@given(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.sampled_from(({}, {"k": 3.0}, {"k": 4.0, "loss": 0.8}, {"distinct_l(s)": 2.0})),
    st.booleans(),
    st.integers(0, 1000),
)
@examples(25)
def test_solutions_are_valid_feasible_and_never_beat_the_exact_front(schemes, require, seeding, seed):
    """Any mix of schemes: each partition is a member, each requirement holds, each cost can be had."""
    problem = small_problem(schemes, require=require)
    parameters = replace(SHORT, iterations=5, seeding=seeding)
    result = run(problem, seed=seed, parameters=parameters)
    assert not result.complete
    statistics = problem.batch(1, result.lattice).evaluate(result.nodes)
    assert problem.feasible(statistics).all()
    for scheme, ladder, numbers in zip(
        problem.schemes or (), result.lattice.ladders, result.nodes.T, strict=False
    ):
        assert all(scheme.is_valid(Partition.of(ladder.levels[number])) for number in numbers)
    costs = problem.costs(statistics)
    exact = search_exhaustive(problem, Run(threads=1))
    best = costs_of(problem, exact)
    for row in costs:
        assert (best <= row).all(axis=1).any()
        assert not ((costs <= row).all(axis=1) & (costs < row).any(axis=1)).any()
    assert [tuple(row) for row in costs] == sorted({tuple(row) for row in costs})


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_finds_most_of_a_small_front(name):
    """Without seeds; by the hypervolume that the exact front has."""
    problem = small_problem(MIX)
    parameters = EvolutionParameters(population=40, iterations=40, seeding=False)
    result = run(problem, algorithm=name, parameters=parameters)
    exact = search_exhaustive(problem, Run(threads=2))
    best, found = scaled_fronts([costs_of(problem, exact), costs_of(problem, result)])
    assert hypervolume(found) >= 0.97 * hypervolume(best)
    assert result.status is Status.FEASIBLE


@pytest.mark.some(2)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_seed_settles_the_result_and_threads_do_not_matter(name):
    """With requirements, so that infeasible recodings are compared too."""
    problem = small_problem(MIX, require={"k": 6.0, "loss": 0.7})
    one, other = (run(problem, threads=threads, algorithm=name) for threads in (1, 3))
    assert recodings_of(one) == recodings_of(other)
    assert one.evaluated == other.evaluated
    different = run(problem, algorithm=name, seed=2, parameters=replace(SHORT, seeding=False))
    assert different.evaluated > 0


@pytest.mark.parametrize("require", [{}, {"k": 5.0}])
def test_no_recoding_is_evaluated_twice(monkeypatch, require):
    """Neither by the population nor to find the seeds, which alone are looked at once more."""
    problem = small_problem(MIX, require=require)
    seen: list[bytes] = []
    add = Evaluations._add

    def note(self, rows, tick):
        seen.extend(self.genome.keys(rows))
        return add(self, rows, tick)

    monkeypatch.setattr(Evaluations, "_add", note)
    result = run(problem)
    assert len(seen) == len(set(seen))
    levels = replace(problem, schemes=None)
    seeds = search_exhaustive(levels, Run(threads=1)).nodes.tolist()
    seeds += [node for node in ([0, 0, 0], [2, 2, 2]) if node not in seeds]
    genome = Genome(problem)
    by_levels = {
        genome.keys(genome.encode([LEVELS[number] for number in node])[None])[0]: node
        for node in levels.lattice.nodes(0, 27).tolist()
    }
    assert [by_levels[key] for key in seen if key in by_levels] == seeds
    assert result.evaluated == 27 + len(seen) - len(seeds)


def test_seeds_are_in_the_result():
    """No full-domain solution dominates a point of a seeded front, whatever the search does."""
    problem = small_problem(MIX)
    result = run(problem, parameters=EvolutionParameters(population=10, iterations=0))
    levels = replace(problem, schemes=None)
    exact = search_exhaustive(levels, Run(threads=1))
    best, found = costs_of(levels, exact), costs_of(problem, result)
    for row in best:
        assert (found <= row).all(axis=1).any()
    for row in found:
        assert not ((best <= row).all(axis=1) & (best < row).any(axis=1)).any()
    assert result.evaluated >= levels.lattice.size


def test_without_seeding_everything_is_drawn():
    """As many evaluations as the first population has, and no enumeration before."""
    parameters = EvolutionParameters(population=10, iterations=0, seeding=False)
    assert run(small_problem(MIX), parameters=parameters).evaluated == 10


def test_requirements_that_nothing_meets_leave_nothing():
    """The result is empty, and says that the search ended, not that there is none."""
    result = run(small_problem(MIX, require={"k": 500.0}))
    assert len(result.nodes) == 0
    assert result.status is Status.LIMIT_REACHED
    assert result.stopped is not None


def test_requirements_pull_the_search_towards_what_meets_them():
    """Though hardly anything random does: the population goes where less is violated."""
    problem = small_problem(("ordered",) * 4, require={"k": 15.0}, budget=0, rule=Rule.FAILING)
    result = run(problem, parameters=EvolutionParameters(population=30, iterations=40, seeding=False))
    assert len(result.nodes) > 1


def test_a_time_limit_stops_it_and_keeps_what_it_has():
    stopped = run(small_problem(MIX), monitor=Monitor(time_limit_s=0.0))
    assert stopped.stopped == "time limit"
    assert stopped.status is Status.LIMIT_REACHED
    calls: list[Progress] = []

    def stop(progress: Progress) -> bool:
        calls.append(progress)
        return progress.evaluated > 100

    problem = small_problem(("ordered",) * 5, rows=400)
    for seeding in (True, False):  # in the midst of the seeds, and later
        calls.clear()
        monitor = Monitor(callback=stop)
        monitor.tick = _eager(monitor, stop)  # type: ignore[method-assign]
        parameters = EvolutionParameters(population=50, iterations=10**6, seeding=seeding)
        result = run(problem, monitor=monitor, parameters=parameters)
        assert result.stopped == "stopped"
        assert len(result.nodes)
        assert all(0 <= item.fraction <= 1 for item in calls)
        assert [item.fraction for item in calls] == sorted(item.fraction for item in calls)


def _eager(monitor: Monitor, callback):
    """Call at every tick, not ten times a second: tests do not wait."""

    def tick(fraction: float, evaluated: int) -> bool:
        if callback(Progress(fraction, evaluated, 0.0)):
            monitor.reason = "stopped"
        return monitor.stopped

    return tick


def test_it_ends_when_the_hypervolume_stalls():
    problem = small_problem(("ordered", "cuts", "ordered", "cuts"))
    patient = run(problem, parameters=EvolutionParameters(population=20, iterations=60))
    hasty = run(problem, parameters=EvolutionParameters(population=20, iterations=60, patience=5))
    assert hasty.stopped == "stalled"
    assert hasty.status is Status.FEASIBLE
    assert hasty.evaluated < patient.evaluated
    assert patient.stopped is None


def test_it_ends_where_nothing_is_left():
    """A space of 27 levels; everything was evaluated, each once."""
    problem = small_problem(("levels",) * 3)
    result = run(problem)
    assert result.stopped == "nothing left"
    assert result.evaluated == 27
    exact = search_exhaustive(problem, Run(threads=1))
    assert result.nodes.tolist() == exact.nodes.tolist()
    assert result.lattice is problem.lattice


def test_the_hypervolume_is_followed_on_one_scale():
    """It never falls, and a gain that is hardly one does not count."""
    gain = Gain(patience=2)
    gain.follow(np.zeros((0, 2)))
    assert gain.hypervolume is None
    gain.follow(np.array([[-1000.0, 0.9], [-2.0, 0.1]]))
    first = gain.hypervolume
    gain.follow(np.array([[-1000.0, 0.9], [-50.0, 0.3], [-2.0, 0.1]]))
    assert first is not None
    assert gain.hypervolume is not None
    assert gain.hypervolume > first
    assert not gain.stalled
    for _ in range(2):
        gain.follow(np.array([[-1000.0, 0.9], [-50.0, 0.3], [-2.0, 0.1]]))
    assert gain.stalled


def test_scales_take_logarithms_of_what_spans_orders_of_magnitude():
    scale = Scale(np.array([[-10_000.0, 0.0], [-1.0, 1.0]]))
    assert scale(np.array([[-100.0, 0.5]])) == pytest.approx(np.array([[0.5, 0.5]]))


def test_ties_go_to_fewer_suppressed_rows_and_then_to_the_first_text():
    """As in every search: the exact front of the same space has the same recodings."""
    problem = small_problem(("ordered", "cuts"), objectives=("k", "average_class"), rows=30)
    result = run(problem, parameters=EvolutionParameters(population=60, iterations=60))
    exact = search_exhaustive(problem, Run(threads=1))
    assert recodings_of(result) == recodings_of(exact)


def test_auto_takes_nsga2_where_schemes_cannot_be_enumerated():
    problem = replace(small_problem(("ordered",)), schemes=(Ordered(6),))
    assert choose_method(problem)[0] == "exhaustive"
    wide = small_problem(("ordered",) * 7)
    many = replace(wide, schemes=tuple(_Wide(6) for _ in range(7)))
    method, why = choose_method(many)
    assert method == "nsga2"
    assert "too many to enumerate" in why


class _Wide(Ordered):
    """Claims more members than it has."""

    def count(self) -> int:
        return 10**9


def test_what_does_not_fit_is_refused():
    problem = small_problem(MIX)
    with pytest.raises(ParameterError, match="there is no algorithm 'nsga'"):
        run(problem, algorithm="nsga")
    alone = small_problem(MIX, objectives=("k",))
    with pytest.raises(ParameterError, match="'spea2' needs two objectives or more"):
        choose_method(alone, "spea2")
    assert choose_method(alone, "nsga2")[0] == "nsga2"
    for wrong in (
        {"population": 1},
        {"iterations": -1},
        {"crossover": 1.5},
        {"mutation": -0.1},
        {"constrained_mutation": 2.0},
        {"patience": 0},
    ):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            EvolutionParameters(**wrong)  # type: ignore[arg-type]


def test_one_objective_is_searched_too():
    """The best k that there is: everything in one class."""
    result = run(small_problem(MIX, objectives=("k",), budget=0))
    assert len(result.nodes) == 1


def test_settings_reach_the_search_and_those_of_other_methods_do_not_disturb():
    problem = small_problem(MIX)
    given_ = {"population": 10, "iterations": 0, "seeding": False, "walk": 3, "boxes": {"k": 5.0}}
    result = METHODS["nsga2"](problem, problem.batch(1), Monitor(), SearchSettings(1, given_))
    assert result.evaluated == 10
    levels = small_problem(("levels",) * 3)
    found = METHODS["pbg-ea"](levels, levels.batch(1), Monitor(), SearchSettings(1, {"seeding": False}))
    assert len(found.nodes)


def test_the_specification_knows_every_algorithm():
    assert set(ALGORITHMS) <= set(NAMED)
    assert set(ALGORITHMS) <= set(METHODS)


def test_an_attribute_of_one_value_has_no_genes():
    """Nothing can be drawn, crossed or mutated: the one recoding is the result."""
    problem = small_problem(("ordered",))
    codes = np.zeros((1, 1), dtype=np.int32)
    cube = type(problem.cube).sorted(("a",), (1,), codes, rows=np.array([5], dtype=np.int64))
    ladder = type(problem.lattice.ladders[0]).whole(np.zeros((1, 1), dtype=np.int32))
    setting_free = small_problem(("ordered",), objectives=("k", "dm"))
    single = replace(setting_free, cube=cube, lattice=type(problem.lattice)((ladder,)), schemes=(Ordered(1),))
    result = run(single)
    assert recodings_of(result) == [[[0]]]


def test_pymoo_is_imported_by_the_search_alone():
    """So that the package starts fast, and works where pymoo is broken."""
    code = "import sys, sfumato.search; sys.exit(any(name.startswith('pymoo') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
