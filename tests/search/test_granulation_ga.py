"""The genetic algorithm over binary codes: codes, crossover and repair as printed, and honest results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.measures import PropertyMeasure
from sfumato.schemes import make_scheme
from sfumato.search import (
    GranulationParameters,
    Monitor,
    Problem,
    Run,
    Status,
    search_exhaustive,
    search_granulation_ga,
)
from sfumato.search.granulation_ga import BinaryCode, exchange
from tests.examples import examples
from tests.oracles import lattice as oracle
from tests.oracles.classes import Ladder, Table
from tests.package import problem_of, restrict
from tests.strategies import case_of, cases, problems, tables

PAPER = BinaryCode((4, 6, 5))
"""Dates, ZIP codes and heights of the running example."""


def bits(*texts: str) -> np.ndarray:
    """Read codes from texts of zeros and ones."""
    return np.array([[int(letter) for letter in text] for text in texts], dtype=np.uint8)


def texts(codes: np.ndarray) -> list[str]:
    """Write codes as texts."""
    return ["".join(map(str, code)) for code in codes.tolist()]


def test_the_code_of_the_running_example():
    """Section 4.3: 2, 3 and 3 bits; 01011010 is (mm/yy, d1d2***, I10)."""
    assert PAPER.widths == (2, 3, 3)
    assert PAPER.decode(bits("01011010")).tolist() == [[1, 3, 2]]
    assert texts(PAPER.encode(np.array([[1, 3, 2]]))) == ["01011010"]


def test_crossover_and_repair_of_the_running_example():
    """Section 4.3: (1, 0, 5) and (0, 7, 2) are no recodings; modulo makes them 01000000 and 00001010."""
    children = exchange(bits("01011010"), bits("00100101"), np.array([3]), np.array([8]))
    crossed = np.concatenate(children)
    assert texts(crossed) == ["01000101", "00111010"]
    assert texts(PAPER.repair(crossed)) == ["01000000", "00001010"]


def test_one_and_two_points():
    """Figure 8, whose second example, called two points, is one point further right as printed.

    The figure exchanges heads, which gives the same pairs as exchanging tails.
    """
    first, second = bits("0100111001"), bits("1000100111")
    one = exchange(first, second, np.array([5]), np.array([10]))
    assert set(texts(np.concatenate(one))) == {"1000111001", "0100100111"}
    printed = exchange(first, second, np.array([7]), np.array([10]))
    assert set(texts(np.concatenate(printed))) == {"1000100001", "0100111111"}
    two = exchange(first, second, np.array([3]), np.array([7]))
    assert set(texts(np.concatenate(two))) == {"0100100001", "1000111111"}


@given(st.lists(st.integers(1, 40), min_size=1, max_size=5).map(tuple), st.integers(0, 2**32 - 1))
def test_codes(counts, seed):
    """decode(encode(x)) = x, every code stands for a recoding, and repairing twice changes nothing more."""
    code = BinaryCode(counts)
    rng = np.random.default_rng(seed)
    places = rng.integers(0, np.array(counts), (20, len(counts)))
    assert np.array_equal(code.decode(code.encode(places)), places)
    any_bits = rng.integers(0, 2, (20, code.length)).astype(np.uint8)
    repaired = code.repair(any_bits)
    assert (code.decode(any_bits) < np.array(counts)).all()
    assert np.array_equal(code.repair(repaired), repaired)
    assert np.array_equal(code.decode(repaired), code.decode(any_bits))


SMALL = cases(tables(max_attributes=3, max_domain=5, max_levels=4, max_rows=25))


def factors(asked: oracle.Problem) -> oracle.Problem:
    """Let the objectives be such that can be multiplied."""
    return replace(restrict(asked), maximize=("mean_k",), minimize=("loss",))


@given(problems(SMALL, bounds=True), st.integers(0, 100))
@examples(60)
def test_solutions_are_feasible_and_never_beat_the_exact_front(drawn, seed):
    case, asked = drawn
    problem = problem_of(case, factors(asked))
    batch = problem.batch(threads=1)
    parameters = GranulationParameters(population=8, iterations=6)
    result = search_granulation_ga(problem, Run(seed=seed, batch=batch, parameters=parameters))
    exact = search_exhaustive(problem, Run(batch=batch))
    assert result.evaluated <= problem.lattice.size
    statistics = batch.evaluate(result.nodes)
    assert problem.feasible(statistics).all()
    reference = problem.costs(batch.evaluate(exact.nodes))
    for row in problem.costs(statistics):
        assert (reference <= row).all(axis=1).any()
    if len(result.nodes):
        products = problem.indices(statistics).prod(axis=1)
        place = result.certificate["solution"] - 1
        assert products[place] == pytest.approx(products.max())
        assert result.certificate["fitness"] == pytest.approx(products.max())
    if result.complete:
        assert len(result.nodes) == len(exact.nodes)


def hilly() -> Problem:
    """A problem of 256 recodings with two objectives."""
    rng = np.random.default_rng(3)
    values = tuple("abcdef")
    levels = (
        {v: v for v in values},
        {v: values[place // 2 * 2] for place, v in enumerate(values)},
        {v: values[place // 4 * 4] for place, v in enumerate(values)},
        dict.fromkeys(values, "*"),
    )
    ladders = tuple(Ladder(f"q{a}", values, levels) for a in range(4))
    rows = [tuple(values[i] for i in rng.integers(0, 6, 4)) for _ in range(60)]
    asked = oracle.Problem(Table(ladders, rows), maximize=("mean_k",), minimize=("loss",), require={"k": 2})
    return problem_of(case_of(asked.table), asked)


def test_same_seed_same_result():
    """For any number of threads; another seed may find something else."""
    problem = hilly()
    runs = [search_granulation_ga(problem, Run(seed=5, threads=threads)).nodes.tolist() for threads in (1, 2)]
    assert runs[0] == runs[1]


def test_no_recoding_is_evaluated_twice_and_the_best_is_found():
    problem = hilly()
    batch = problem.batch(threads=1)
    result = search_granulation_ga(problem, Run(seed=1, batch=batch))
    assert batch.evaluated == result.evaluated <= problem.lattice.size
    every = problem.batch(threads=1).evaluate(problem.lattice.nodes(0, problem.lattice.size))
    best = problem.indices(every).prod(axis=1)[problem.feasible(every)].max()
    assert result.certificate["fitness"] == pytest.approx(best)
    assert result.certificate["product"] == ["mean_k", "loss"]


def test_other_schemes_than_levels():
    """The members of any scheme are numbered."""
    problem = replace(hilly(), schemes=(make_scheme("sets", size=6), *(make_scheme("ordered", size=6),) * 3))
    batch = problem.batch(threads=1)
    parameters = GranulationParameters(population=20, iterations=10)
    result = search_granulation_ga(problem, Run(seed=1, batch=batch, parameters=parameters))
    assert result.status is Status.FEASIBLE
    assert result.lattice.counts == (203, 32, 32, 32)
    assert problem.feasible(problem.batch(1, result.lattice).evaluate(result.nodes)).all()


def test_recodings_that_keep_no_row():
    """Their indices are infinite or none; multiplying them would warn, and warnings are errors here."""
    values = tuple("abcd")
    levels = ({v: v for v in values}, dict.fromkeys(values, "*"))
    table = Table((Ladder("q", values, levels), Ladder("r", values, levels)), [(v, v) for v in values])
    asked = oracle.Problem(table, maximize=("k",), minimize=("loss",), require={"k": 2}, limit=1)
    problem = problem_of(case_of(table), asked)
    result = search_granulation_ga(problem, Run(seed=1, threads=1))
    assert result.nodes.tolist() == [[1, 1]]


def test_stopping():
    problem = hilly()
    result = search_granulation_ga(problem, Run(Monitor(time_limit_s=0.0), seed=1, threads=1))
    assert result.stopped == "time limit"
    assert result.status is Status.LIMIT_REACHED


def test_elite_keeps_the_best():
    """Without crossover and mutation the best of the first population is still there at the end."""
    problem = hilly()
    parameters = GranulationParameters(population=10, iterations=20, crossover=0.0, mutation=0.0)
    result = search_granulation_ga(problem, Run(seed=2, threads=1, parameters=parameters))
    assert result.evaluated <= 10
    assert result.certificate["generations"] == 20


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"population": 1}, "population must be at least 2"),
        ({"iterations": -1}, "iterations must be at least 0"),
        ({"crossover": 1.5}, "crossover must be a probability"),
        ({"mutation": -0.5}, "mutation must be a probability"),
        ({"elite": 50}, "elite must be from 0"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        GranulationParameters(**parameters)


def test_objectives_that_cannot_be_multiplied():
    """None at all, and one to minimize without a bound."""
    problem = hilly()
    rate = PropertyMeasure("rate", lambda classes: 1 / classes.sizes, direction="minimize")
    for objectives, message in (((), "needs objectives"), ((rate,), "'rate' has no bound")):
        with pytest.raises(ParameterError, match=message):
            search_granulation_ga(
                replace(problem, objectives=objectives), Run(batch=problem.batch(threads=1))
            )
