"""What measures declare holds along every edge of every lattice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.classes import Rule, Suppression
from sfumato.errors import ParameterError
from sfumato.measures import (
    ClassMeasure,
    Direction,
    Measure,
    Monotone,
    Setting,
    Union,
    make_measure,
    measure_names,
)
from sfumato.search import Problem, Requirement
from tests.examples import examples
from tests.package import KNOWN, cube_of, lattice_of, setting_of
from tests.strategies import Case, cases, tables

PRIVACY = (
    *("k", "mean_k", "spread_k", "protection"),
    *("distinct_l", "entropy_l", "recursive_l", "share_l", "spread_l", "t"),
)


def _setting(case: Case) -> Setting:
    return setting_of(case, np.linspace(0.5, 2.0, len(case.names)))


def _edges(nodes: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of a node and a direct generalization."""
    place = {tuple(node): number for number, node in enumerate(nodes.tolist())}
    found = []
    for node, number in place.items():
        for a in range(len(node)):
            above = (*node[:a], node[a] + 1, *node[a + 1 :])
            if above in place:
                found.append((number, place[above]))
    return found


def _values(
    case: Case, suppression: Suppression, require: tuple[Requirement, ...] = ()
) -> tuple[list[Measure], np.ndarray, np.ndarray, np.ndarray]:
    setting = _setting(case)
    measures = [make_measure(name, setting) for name in measure_names(setting)]
    problem = Problem(cube_of(case), lattice_of(case), tuple(measures), require, suppression)
    nodes = problem.lattice.nodes(0, problem.lattice.size)
    statistics = problem.batch(threads=1).evaluate(nodes)
    return measures, nodes, problem.costs(statistics), statistics.feasible


@given(cases(tables(max_attributes=3, min_sensitive=1)))
@examples(60)
def test_generalization_without_suppression(case: Case) -> None:
    """Privacy never gets worse and utility never better, for every measure that says so."""
    measures, nodes, costs, _ = _values(case, Suppression(Rule.NONE, 0))
    edges = _edges(nodes)
    for column, measure in enumerate(measures):
        better_above = Monotone.IMPROVES in measure.monotone
        if not better_above and Monotone.WORSENS not in measure.monotone:
            continue
        assert better_above == (measure.name.partition("(")[0] in PRIVACY)
        for below, above in edges:
            low, high = costs[below, column], costs[above, column]
            assert (high <= low + 1e-9) if better_above else (high >= low - 1e-9), measure.name


@given(cases(tables(max_attributes=3, min_sensitive=1)), st.integers(2, 4), st.integers(0, 20))
@examples(60)
def test_row_penalties_bound_from_both_sides(case: Case, k: int, budget: int) -> None:
    """The value without suppression bounds from below, the excess passes on to specializations."""
    setting = _setting(case)
    require = (Requirement(make_measure("k", setting), float(k)),)
    measures, nodes, plain, _ = _values(case, Suppression(Rule.NONE, 0))
    _, _, costs, _ = _values(case, Suppression(Rule.FAILING, budget), require)
    for column, measure in enumerate(measures):
        if Monotone.ROW_PENALTIES not in measure.monotone:
            continue
        excess = costs[:, column] - plain[:, column]
        scale = 1e-9 * (1 + np.abs(costs[:, column]).max())
        assert (excess >= -scale).all(), measure.name
        assert (costs[:, column] >= measure.least_cost - scale).all()
        for below, above in _edges(nodes):
            assert excess[below] >= excess[above] - scale, measure.name


@given(cases(tables(max_attributes=3, min_sensitive=1)), st.data())
@examples(80)
def test_unions(case: Case, data: st.DataObject) -> None:
    """Where a class may be united with any other, what fails at a node fails below it."""
    setting = _setting(case)
    judging = [make_measure(name, setting) for name in measure_names(setting)]
    judging = [item for item in judging if isinstance(item, ClassMeasure)]
    measure = data.draw(st.sampled_from(judging))
    limit = data.draw(
        st.sampled_from([0.1, 0.3, 0.5] if measure.direction is Direction.MINIMIZE else [2.0, 3.0])
    )
    budget = data.draw(st.integers(0, 20)) if measure.union is Union.ANY else 0
    _, nodes, _, feasible = _values(case, Suppression(Rule.FAILING, budget), (Requirement(measure, limit),))
    # If no row remains a node is infeasible whatever its budget; that can only be where everything fails.
    if budget >= len(case.codes):
        return
    for below, above in _edges(nodes):
        assert feasible[above] or not feasible[below], measure.name


def test_every_measure_is_known_to_the_oracle_tests() -> None:
    """A measure that is registered without an oracle would go untested."""
    names = {name.partition("(")[0] for name in measure_names(Setting(("a",), ("s",), np.ones(1)))}
    assert names == set(KNOWN)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("los", "there is no measure 'los'. Did you mean 'loss'"),
        ("k(s)", "takes no attribute"),
        ("t", "takes one sensitive attribute"),
        ("t(a)", "'a' is not sensitive"),
    ],
)
def test_wrong_names(text: str, message: str) -> None:
    """One line that says what to write."""
    with pytest.raises(ParameterError, match=message):
        make_measure(text, Setting(("a",), ("s",), np.ones(1)))
