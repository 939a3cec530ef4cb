"""PBG-EA: sound on every lattice, close to the exact front where that is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.classes import Rule, Suppression
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.errors import ParameterError
from sfumato.front import convergence_error, representation_ratio
from sfumato.measures import PropertyMeasure, Setting, make_measure, mean
from sfumato.preparing import load, make_problem
from sfumato.search import (
    Monitor,
    PbgParameters,
    Problem,
    Run,
    Status,
    choose_method,
    pbg_ea,
    search_exhaustive,
    search_pbg_ea,
)
from tests.examples import examples
from tests.package import problem_of, restrict
from tests.strategies import problems


@given(problems(weights=True, bounds=True), st.integers(0, 5))
@examples(60)
def test_never_better_than_the_exact_front(drawn, seed) -> None:
    """Feasible, mutually non-dominated, no node twice, and nothing that the exact front does not cover."""
    case, asked = drawn
    problem = problem_of(case, restrict(asked))
    batch = problem.batch(threads=1)
    exact = search_exhaustive(problem, Run(batch=batch))
    found = search_pbg_ea(problem, Run(seed=seed, batch=batch, parameters=PbgParameters(8, 6)))
    assert found.evaluated <= problem.lattice.size
    statistics = batch.evaluate(found.nodes)
    assert problem.feasible(statistics).all()
    best = problem.costs(batch.evaluate(exact.nodes))
    for costs in problem.costs(statistics):
        assert (best <= costs).all(axis=1).any()
    if found.complete:
        assert found.nodes.tolist() == exact.nodes.tolist()


@pytest.fixture(scope="module")
def census() -> Problem:
    """k, ℓ and GLM over the 17,920 nodes of the embedded table."""
    spec = sf.Spec.load(sf.datasets.adult_spec_path())
    return make_problem(load(None, spec), ("k", "distinct_l(occupation)"), ("glm",))


def test_close_to_the_exact_front_of_the_census(census: Problem) -> None:
    """Three seeds: nearly every box of the exact front found with a twentieth of the evaluations."""
    batch = census.batch()
    exact = census.indices(batch.evaluate(search_exhaustive(census, Run(batch=batch)).nodes))
    widths = np.ones(3)
    parameters = PbgParameters(25, 100, boxes={"k": 1, "distinct_l(occupation)": 1, "glm": 1})
    for seed in range(3):
        found = search_pbg_ea(census, Run(seed=seed, batch=batch, parameters=parameters))
        indices = census.indices(batch.evaluate(found.nodes))
        assert found.evaluated < census.lattice.size / 15
        assert representation_ratio(indices, exact, widths) > 0.9
        assert convergence_error(indices, exact) < 0.05


def test_same_seed_same_result_for_any_number_of_threads(census: Problem) -> None:
    """Random choices do not depend on the workers."""
    parameters = PbgParameters(20, 15)
    one = search_pbg_ea(census, Run(seed=4, threads=1, parameters=parameters))
    two = search_pbg_ea(census, Run(seed=4, threads=3, parameters=parameters))
    assert one.nodes.tolist() == two.nodes.tolist()
    assert one.evaluated == two.evaluated
    other = search_pbg_ea(census, Run(seed=5, threads=1, parameters=parameters))
    assert other.evaluated != one.evaluated or other.nodes.tolist() != one.nodes.tolist()


def test_every_solution_of_the_archive_is_returned() -> None:
    """On a full grid attributes can be exchanged: such ties lose no solution of the archive."""
    levels = np.stack([np.arange(8) >> shift for shift in range(4)]).astype(np.int32)
    codes = np.stack(np.meshgrid(np.arange(8), np.arange(8)), axis=-1).reshape(-1, 2).astype(np.int32)
    cube = Cube.sorted(("a", "b"), (8, 8), codes, rows=np.ones(64, dtype=np.int64))
    setting = Setting(("a", "b"), (), np.ones(2))
    objectives = (make_measure("k", setting), make_measure("glm", setting))
    lattice = Lattice((Ladder.whole(levels),) * 2)
    problem = Problem(cube, lattice, objectives, (), Suppression(Rule.NONE, 0))
    for seed in range(12):
        parameters = PbgParameters(4, 6, boxes={"k": 1, "glm": 1})
        search = pbg_ea._PbgSearch(problem, Run(seed=seed, threads=1, parameters=parameters))
        result = search.search()
        assert search.boxes is not None
        assert len(result.nodes) == len(search.boxes.members)


def test_as_printed_in_the_paper(census: Problem) -> None:
    """Without walk and screening, at most population × (1 + iterations) nodes are evaluated."""
    parameters = PbgParameters(10, 5, walk=0, screening=False)
    found = search_pbg_ea(census, Run(seed=0, parameters=parameters))
    assert 10 < found.evaluated <= 60
    assert found.status is Status.FEASIBLE


@pytest.fixture(scope="module")
def huge() -> Problem:
    """Eleven quasi-identifiers with seven levels each: 1.98 · 10⁹ nodes over 5,000 rows."""
    random = np.random.default_rng(17)
    q, m = 11, 64
    levels = np.stack([np.arange(m) >> shift for shift in range(7)]).astype(np.int32)
    kinds = random.integers(0, m, (60, q))[random.integers(0, 60, 5000)]
    codes = np.clip(kinds + random.integers(-4, 5, kinds.shape), 0, m - 1).astype(np.int32)
    names = tuple(f"q{a}" for a in range(q))
    cube = Cube.sorted(names, (m,) * q, codes, rows=np.ones(len(codes), dtype=np.int64))
    setting = Setting(names, (), np.ones(q))
    objectives = (make_measure("k", setting), make_measure("loss", setting))
    return Problem(cube, Lattice((Ladder.whole(levels),) * q), objectives, (), Suppression(Rule.SMALLEST, 50))


def test_a_lattice_of_more_than_a_billion_nodes(huge: Problem) -> None:
    """auto chooses PBG-EA there, which finds a wide front and stops in time."""
    assert huge.lattice.size > 10**9
    method, why = choose_method(huge)
    assert method == "pbg-ea"
    assert "too many to enumerate" in why
    result = search_pbg_ea(huge, Run(Monitor(20), seed=1, parameters=PbgParameters(40, 40)))
    assert not result.complete
    assert len(result.nodes) > 10
    # The two trivial solutions are always there.
    found = {tuple(node) for node in result.nodes.tolist()}
    assert tuple(huge.lattice.top.tolist()) in found


def test_a_time_limit_stops_it(huge: Problem) -> None:
    """And says so."""
    result = search_pbg_ea(huge, Run(Monitor(0.0), seed=1))
    assert result.status is Status.LIMIT_REACHED
    assert result.stopped == "time limit"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"population": 1}, "population must be at least 2"),
        ({"iterations": -1}, "iterations must be at least 0"),
        ({"crossover": 1.5}, "crossover must be a probability"),
        ({"mutation": -0.1}, "mutation must be a probability"),
        ({"walk": -1}, "walk must be at least 0"),
    ],
)
def test_wrong_parameters(wrong, message) -> None:
    """At the door, with the range."""
    with pytest.raises(ParameterError, match=message):
        PbgParameters(**wrong)


def test_boxes_must_name_objectives(census: Problem) -> None:
    """A width for something else is a mistake."""
    with pytest.raises(ParameterError, match="which is not an objective"):
        search_pbg_ea(census, Run(parameters=PbgParameters(4, 1, boxes={"loss": 1})))


def test_a_property_of_ones_own(census: Problem) -> None:
    """A user-defined vector equals the built-in measure it imitates, in the exact search."""
    risk = PropertyMeasure("risk", lambda classes: 1 / classes.sizes, index=mean, direction="minimize")
    spread = PropertyMeasure("own_k", lambda classes: classes.sizes.astype(float))
    problem = Problem(census.cube, census.lattice, (*census.objectives, spread, risk), (), census.suppression)
    nodes = problem.lattice.nodes(0, problem.lattice.size, problem.batch(1).order)[::997]
    batch = problem.batch(1)
    statistics = batch.evaluate(nodes)
    assert spread.value(statistics).tolist() == problem.objectives[0].value(statistics).tolist()
    # The mean of 1/size over rows is the number of classes over the number of rows.
    assert risk.value(statistics) == pytest.approx(statistics.classes / statistics.kept)
    wrong = PropertyMeasure("wrong", lambda classes: np.ones(1))
    with pytest.raises(ParameterError, match="one number for each of the"):
        wrong.value(statistics)
