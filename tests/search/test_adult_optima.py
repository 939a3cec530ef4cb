"""Optima of the census table under the six schemes: proven, found by brute force too, and recounted."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

from sfumato.preparing import make_problem
from sfumato.search import Monitor, Run, Status, search_optimal
from sfumato.search.branch_and_bound import Techniques, compile_branch_and_bound, search_branch_and_bound
from studies.optimal import paper
from studies.optimal.census import make_case
from studies.optimal.recount import recount

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="takes hours without compiled kernels"
)

OPTIMA = {
    "BHS": (27_987_325, 317.066_800_761),
    "GHS": (27_253_889, 262.902_737_062),
    "GOPS": (25_889_380, 187.271_415_739),
    "OPS": (25_015_489, 130.772_342_383),
    "GSPS": (25_730_059, 162.653_007_168),
    "SPS": (24_806_386, 125.739_736_053),
}
"""DM and HDM of the ages in fifteen intervals, marital status, race and sex; k = 5, any row may go."""

schemes = pytest.mark.parametrize("scheme", paper.SCHEMES, ids=lambda scheme: scheme.name)
costs = pytest.mark.parametrize("cost", paper.COSTS)


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> None:
    compile_branch_and_bound()


@pytest.mark.some(3)
@schemes
@costs
def test_the_optimum_is_proven_and_recounted(scheme: paper.Scheme, cost: str) -> None:
    """Its release is verified, and row by row it costs what the search says."""
    case = make_case(paper.FOUR, scheme, 5, cost)
    result = search_branch_and_bound(case.problem, Run(Monitor(300)))
    assert result.status is Status.OPTIMAL
    found = recount(case, result, 5)
    expected = OPTIMA[scheme.name][paper.COSTS.index(cost)]
    assert result.bound == pytest.approx(expected, rel=1e-9)
    assert found["found"][cost] == pytest.approx(expected, rel=1e-9)
    assert found["found"]["k"] >= 5
    for name, number in found["verified"].items():
        assert found["found"][name] == number


@pytest.mark.some(2)
@pytest.mark.parametrize("scheme", [paper.BHS, paper.GHS], ids=lambda scheme: scheme.name)
@pytest.mark.parametrize("k", [2, 5, 50])
def test_brute_force_finds_no_better_one(scheme: paper.Scheme, k: int) -> None:
    """Every recoding of the two smallest spaces, measured one by one."""
    case = make_case(paper.FOUR, scheme, k, "dm")
    problem = make_problem(case.prepared, (), paper.COSTS)
    members = problem.members
    least = [math.inf, math.inf]
    for first in range(0, members.size, 20_000):
        statistics = problem.batch(lattice=members).evaluate(
            members.nodes(first, min(20_000, members.size - first))
        )
        costs_of = problem.costs(statistics)[problem.feasible(statistics)]
        least = np.minimum(least, costs_of.min(axis=0, initial=math.inf)).tolist()
    for cost, expected in zip(paper.COSTS, least, strict=True):
        result = search_branch_and_bound(make_case(paper.FOUR, scheme, k, cost).problem, Run(Monitor(300)))
        assert result.status is Status.OPTIMAL
        assert result.bound == pytest.approx(expected, rel=1e-9)


@pytest.mark.some(2)
@pytest.mark.parametrize("direction", ["bottom-up", "top-down"])
@costs
def test_directions_prove_the_same(direction: str, cost: str) -> None:
    case = make_case(paper.FOUR, paper.GOPS, 5, cost)
    result = search_branch_and_bound(
        case.problem, Run(Monitor(300), parameters=Techniques(direction=direction))
    )
    assert result.status is Status.OPTIMAL
    assert result.bound == pytest.approx(OPTIMA["GOPS"][paper.COSTS.index(cost)], rel=1e-9)


@pytest.mark.slow
@costs
def test_all_seven_under_ops_are_never_worse_than_levels(cost: str) -> None:
    """Stopped after moments: feasible, within its bound, and no worse than the best full-domain recoding."""
    case = make_case(paper.ATTRIBUTES, paper.OPS, 10, cost)
    levels = make_case(paper.ATTRIBUTES, paper.BHS, 10, cost)
    plain = make_problem(levels.prepared, (), (cost,))
    batch = plain.batch()
    full_domain = search_optimal(plain, Run(batch=batch))
    result = search_branch_and_bound(case.problem, Run(Monitor(3)))
    assert result.certificate is not None
    found = result.certificate["cost"]
    assert isinstance(found, float)
    assert full_domain.bound is not None
    assert found <= full_domain.bound * (1 + 1e-9)
    assert result.bound is None or result.bound <= found
    assert recount(case, result, 10)["found"][cost] == pytest.approx(found, rel=1e-9)
