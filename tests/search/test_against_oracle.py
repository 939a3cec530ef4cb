"""Exact searches equal brute force on small tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from sfumato.search import Run, Status, search_exhaustive, search_optimal
from tests.examples import examples
from tests.oracles import lattice as oracle
from tests.package import problem_of, restrict
from tests.strategies import problems

if TYPE_CHECKING:
    import numpy as np


def _levels(nodes: np.ndarray) -> list[tuple[int, ...]]:
    return [tuple(int(level) for level in node) for node in nodes]


@given(problems(weights=True, bounds=True))
@examples(300)
def test_front_equals_brute_force(drawn):
    """Same recodings in the same order, same measures, whatever is asked."""
    case, asked = drawn
    asked = restrict(asked)
    problem = problem_of(case, asked)
    batch = problem.batch(threads=2)
    result = search_exhaustive(problem, Run(batch=batch))
    expected = oracle.front(asked)
    assert result.complete
    assert _levels(result.nodes) == [item.levels for item in expected]
    assert result.status is (Status.OPTIMAL if expected else Status.INFEASIBLE)
    statistics = batch.evaluate(result.nodes)
    for measure in problem.measures:
        values = [float(item.measures[measure.name]) for item in expected]
        assert measure.value(statistics) == pytest.approx(values, rel=1e-12)
    assert statistics.suppressed.tolist() == [item.suppressed for item in expected]
    assert statistics.classes.tolist() == [item.classes for item in expected]


@given(problems(weights=True, bounds=True))
@examples(400)
def test_optimum_equals_brute_force(drawn):
    """The pruned search finds the brute-force optimum, ties included, and proves it."""
    case, asked = drawn
    asked = restrict(asked)
    first = (*asked.minimize, "loss")[0]
    single = oracle.Problem(
        asked.table,
        minimize=(first,),
        require=asked.require,
        limit=asked.limit,
        rule=asked.rule,
        weights=asked.weights,
        bounds=asked.bounds,
    )
    problem = problem_of(case, single)
    result = search_optimal(problem, Run(threads=1))
    expected = oracle.optimum(single)
    assert result.complete
    assert result.evaluated <= math.prod(problem.lattice.counts) * 2
    if expected is None:
        assert result.status is Status.INFEASIBLE
        assert len(result.nodes) == 0
    else:
        assert result.status is Status.OPTIMAL
        assert _levels(result.nodes) == [expected.levels]
        assert result.bound == pytest.approx(float(expected.measures[first]), rel=1e-12)
