"""What goes at every specialization: never more than goes, and no optimum is lost by it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.search import Run, search_optimal
from tests.examples import examples
from tests.oracles import lattice as oracle
from tests.oracles.classes import Ladder, Table
from tests.package import problem_of, restrict
from tests.strategies import Case, case_of, cases, class_requirements, tables

WHOLE = cases(tables(min_sensitive=1, max_attributes=3, max_levels=4))
COSTS = ("loss", "dm", "hdm", "suppressed", "glm")


@st.composite
def judged(draw: st.DrawFn) -> tuple[Case, oracle.Problem]:
    """Draw a table, one to three requirements of its classes, one of the sensitive values, and a limit."""
    case = draw(WHOLE)
    choices = class_requirements(case.table)
    names = [draw(st.sampled_from([name for name in choices if "s1" in name]))]
    names += draw(st.lists(st.sampled_from(list(choices)), max_size=2))
    require = {name: draw(choices[name]) for name in names}
    limit = draw(st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0]))
    cost = draw(st.sampled_from(COSTS))
    return case, restrict(oracle.Problem(case.table, minimize=(cost,), require=require, limit=limit))


@given(judged())
@examples(800)
def test_the_optimum_is_that_of_brute_force(drawn):
    """t of all three distances and every ℓ, with no suppression, some, and any."""
    case, asked = drawn
    problem = problem_of(case, asked)
    found = search_optimal(problem, Run(threads=1))
    expected = oracle.optimum(asked)
    assert found.complete
    assert [tuple(node) for node in found.nodes.tolist()] == ([expected.levels] if expected else [])


@given(judged())
@examples(400)
def test_what_is_doomed_goes_wherever_classes_are_split(drawn):
    """At each node below, more rows fail or as many, and what they add to the cost is no less."""
    case, asked = drawn
    problem = problem_of(case, replace(asked, limit=1.0, rule="failing"))
    batch = problem.batch(threads=1)
    nodes = problem.lattice.nodes(0, problem.lattice.size)
    statistics = batch.evaluate(nodes, bounds=True)
    doomed = statistics.doomed
    assert (doomed.suppressed <= statistics.suppressed).all()
    plain = batch.evaluate(nodes)
    assert plain.doomed is None
    assert np.array_equal(plain.sums, statistics.sums)
    below = (nodes[:, None] >= nodes[None]).all(axis=2)  # [x, y]: y is x or below it
    assert (~below | (doomed.suppressed[:, None] <= statistics.suppressed[None])).all()
    objective = problem.objectives[0]
    if objective.name in ("loss", "glm"):
        floor = objective.cost(batch.unsuppressed(nodes))
        added, more = objective.cost(doomed) - floor, objective.cost(statistics) - floor
        assert (~below | (added[:, None] <= more[None] + 1e-9 * objective.cost(statistics).max())).all()


def _classes(*letters: str) -> tuple[Case, oracle.Problem]:
    """Make one class for each value of a column, with sensitive values; level 1 unites the first two."""
    values = tuple("abcd"[: len(letters)])
    first = {value: "ab" if value in "ab" else value for value in values}
    levels = ({value: value for value in values}, first, dict.fromkeys(values, "*"))
    rows = [(value,) for value, held in zip(values, letters, strict=True) for _ in held]
    table = Table((Ladder("q1", values, levels),), rows, {"s1": list("".join(letters))})
    return case_of(table), oracle.Problem(table, minimize=("loss",), require={"t(s1)": 0.2}, limit=1.0)


def test_rows_that_fail_may_be_fine_below():
    """United with a class that fails, one that meets t may fail: then its rows are not doomed."""
    problem = problem_of(*_classes("x" * 6 + "y" * 4, "x" * 10, "x" * 4 + "y" * 16))
    statistics = problem.batch(threads=1).evaluate(problem.lattice.nodes(0, 3), bounds=True)
    assert statistics.failing.tolist() == [30, 40, 0]
    assert statistics.doomed.failing.tolist()[1] <= 30
    assert search_optimal(problem, Run(threads=1)).nodes.tolist() == [[0]]


@pytest.mark.parametrize(("held", "doomed"), [("xxxxxxxyyy", 0), ("xxxxxxxxyy", 4), ("xxxxxxxxxx", 10)])
def test_how_many_are_doomed_by_hand(held: str, doomed: int):
    """Half of all rows have x. Of eight x and two y at most six rows may stay, four of them with x."""
    problem = problem_of(*_classes(held, held.translate({120: 121, 121: 120})))
    statistics = problem.batch(threads=1).evaluate(problem.lattice.bottom[None], bounds=True)
    assert statistics.doomed.failing.tolist() == [2 * doomed]
