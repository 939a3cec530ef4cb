"""Branch and bound finds what brute force over the whole space finds, whatever techniques it uses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import Spec, anonymize
from sfumato.domains import Ladder, Partition, Tree
from sfumato.schemes import Admissible, Scheme, make_scheme
from sfumato.search import Problem, Run, Status
from sfumato.search.branch_and_bound import DIRECTIONS, Techniques, search_branch_and_bound
from tests.examples import examples
from tests.oracles import lattice as oracle
from tests.package import problem_of, restrict
from tests.search.test_schemes import with_members
from tests.strategies import Case, cases, problems, tables

NAMES = ("levels", "cuts", "ordered", "guided-ordered", "sets", "guided-sets", "admissible")
COSTS = ("dm", "hdm", "loss", "glm", "suppressed", "sl")
RULES = ("auto", "none", "failing", "smallest", "below-mean")
SMALL = cases(tables(max_attributes=3, max_domain=5, max_levels=3, max_rows=30, contiguous=True))

techniques = st.builds(
    Techniques,
    direction=st.sampled_from(DIRECTIONS),
    node_pruning=st.booleans(),
    useless_applicators=st.booleans(),
    useful_applicators=st.booleans(),
    seeding=st.booleans(),
    requeue=st.booleans(),
    node_rearrangement=st.booleans(),
    applicator_rearrangement=st.booleans(),
)


@st.composite
def schemes_over(draw: st.DrawFn, matrix: np.ndarray, names: tuple[str, ...] = NAMES) -> Scheme:
    """Draw a scheme over the domain of some levels."""
    size = matrix.shape[1]
    name = draw(st.sampled_from(names)) if len(matrix) > 1 else "levels"
    if name == "admissible":
        block = st.lists(st.integers(0, size - 1), min_size=size, max_size=size).map(Partition.of)
        drawn = draw(st.lists(block, max_size=4))
        ends = [Partition.of(np.arange(size)), Partition.of(np.zeros(size, dtype=np.int32))]
        return Admissible(list(dict.fromkeys([*drawn, *ends])))
    tree = Tree.from_levels(matrix) if len(matrix) > 1 else None
    return make_scheme(name, tree=tree, ladder=Ladder.whole(matrix), size=size)


@st.composite
def tasks(draw: st.DrawFn) -> tuple[Case, oracle.Problem, tuple[Scheme, ...]]:
    """Draw a table, a cost, requirements, a rule, and a scheme for each attribute."""
    case, asked = draw(problems(SMALL, weights=True))
    asked = restrict(asked)
    require = {name: bound for name, bound in asked.require.items() if name != "precision"}
    cost, rule = draw(st.sampled_from(COSTS)), draw(st.sampled_from(RULES))
    asked = replace(asked, maximize=(), minimize=(cost,), require=require, rule=rule)
    schemes = tuple(draw(schemes_over(matrix)) for matrix in case.matrices)
    return case, with_members(asked, schemes), schemes


def cost_of(problem: Problem, result) -> float | None:
    """Return the objective of a result, measured anew."""
    if not len(result.nodes):
        return None
    statistics = problem.batch(1, result.lattice).evaluate(result.nodes)
    assert problem.feasible(statistics).all()
    return float(problem.objectives[0].value(statistics)[0])


@given(tasks(), techniques)
@examples(300)
def test_finds_what_brute_force_finds(task, used):
    """Same optimal cost for every scheme, cost, k, rule, direction and technique."""
    case, asked, schemes = task
    problem = replace(problem_of(case, asked), schemes=schemes)
    result = search_branch_and_bound(problem, Run(threads=1, parameters=used))
    expected = oracle.front(asked)
    assert result.complete
    assert result.status is (Status.OPTIMAL if expected else Status.INFEASIBLE)
    found = cost_of(problem, result)
    if expected:
        assert found == pytest.approx(float(expected[0].measures[asked.minimize[0]]), rel=1e-9, abs=1e-12)
        assert result.bound == pytest.approx(found, rel=1e-9, abs=1e-12)
    for scheme, ladder, number in zip(
        schemes, result.lattice.ladders, (*result.nodes, [0] * 9)[0], strict=False
    ):
        assert scheme.is_valid(Partition.of(ladder.levels[number])) or not expected


@given(tasks())
@examples(25)
def test_threads_change_nothing(task):
    """The same recoding, not only the same cost, for any number of threads."""
    case, asked, schemes = task
    problem = replace(problem_of(case, asked), schemes=schemes)
    one, two = (search_branch_and_bound(problem, Run(threads=count)) for count in (1, 2))
    for a, b in zip(one.lattice.ladders, two.lattice.ladders, strict=True):
        assert np.array_equal(a.levels, b.levels)
    assert one.nodes.tolist() == two.nodes.tolist()
    assert one.certificate == two.certificate


def test_counts_do_not_depend_on_threads():
    """A search of hundreds of nodes in many batches counts the same steps on 1, 2 and 4 threads."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"q{i}": rng.binomial(6, 0.5, 300) for i in range(4)})
    asked = Spec(
        attributes={name: {"role": "quasi-identifier", "scheme": "ordered"} for name in frame},
        suppression={"limit": 0.05},
        require={"k": 5},
        objectives={"minimize": ["dm"]},
        search={"method": "optimal"},
    )
    runs = [anonymize(frame, asked, threads=count).run for count in (1, 2, 4, 4, 4, 2)]
    assert runs[0]["certificate"]["nodes"] > 500
    assert [run["certificate"] for run in runs] == [runs[0]["certificate"]] * len(runs)
    assert len({run["evaluated"] for run in runs}) == 1


def test_without_pruning_more_nodes_are_looked_at():
    """Only what allows nothing ends a node then; the optimum is the same."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"q{i}": rng.binomial(5, 0.5, 80) for i in range(3)})
    runs = []
    for prune in (True, False):
        asked = Spec(
            attributes={name: {"role": "quasi-identifier", "scheme": "ordered"} for name in frame},
            suppression={"limit": 1.0},
            require={"k": 5},
            objectives={"minimize": ["hdm"]},
            search={"method": "optimal", "node_pruning": prune},
        )
        runs.append(anonymize(frame, asked).run["certificate"])
    assert runs[0]["cost"] == runs[1]["cost"]
    assert runs[1]["nodes"] > 10 * runs[0]["nodes"], runs
