"""All most specific recodings: both variants and brute force agree, on any order of refinement."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.classes import Rule, Suppression
from sfumato.domains import Ladder, Lattice, Partition
from sfumato.errors import ParameterError
from sfumato.measures import make_measure
from sfumato.schemes import Admissible, make_scheme
from sfumato.search import (
    LatticeParameters,
    Monitor,
    Problem,
    Requirement,
    Run,
    Status,
    choose_method,
    search_lattice,
)
from sfumato.search.lattice_search import LatticeSpace, Poset, Pruning
from tests.confidentiality.secret_tables import cube_of, secret_tables, setting_of
from tests.examples import examples
from tests.mixed_cases import mixed_cases
from tests.oracles import granulation
from tests.oracles import lattice as oracle
from tests.oracles.classes import Ladder as PlainLadder
from tests.oracles.classes import Table
from tests.package import lattice_of, problem_of, restrict
from tests.strategies import case_of, cases, problems, requirements, tables

if TYPE_CHECKING:
    from sfumato.search import SearchResult

VARIANTS = ("breadth-first", "incognito")
SMALL = cases(tables(min_sensitive=1, max_attributes=3, max_domain=5, max_levels=4, max_rows=25))


def found(result: SearchResult) -> set[tuple[int, ...]]:
    """Return the nodes of a result as tuples, and see that none comes twice."""
    nodes = [tuple(node) for node in result.nodes.tolist()]
    assert len(set(nodes)) == len(nodes)
    return set(nodes)


@given(problems(SMALL, bounds=True))
@examples(250)
def test_both_variants_equal_brute_force(drawn):
    """Whatever is required and suppressed: the same set, and never more tests than recodings."""
    case, asked = drawn
    asked = restrict(asked)
    problem = problem_of(case, asked)
    expected = granulation.most_specific(asked)
    for variant in VARIANTS:
        result = search_lattice(problem, Run(threads=1, parameters=LatticeParameters(variant)))
        assert found(result) == expected
        assert result.complete
        assert result.status is (Status.OPTIMAL if expected else Status.INFEASIBLE)
        assert result.certificate["tests"] == result.evaluated <= problem.lattice.size


@st.composite
def listed_problems(draw: st.DrawFn) -> tuple[Problem, oracle.Problem]:
    """Draw a problem over lists of partitions that are no chains, class-level requirements alone."""
    mixed = draw(mixed_cases(repeats=False))
    require = draw(requirements(mixed.table, table_level=False))
    limit, rule = draw(st.sampled_from([0, 0.1, 0.3])), draw(st.sampled_from(["failing", "smallest", "auto"]))
    asked = oracle.Problem(mixed.table, minimize=("loss",), require=require, limit=limit, rule=rule)
    asked = restrict(asked)
    return replace(problem_of(mixed.case, asked), lattice=mixed.lattice), asked


@given(listed_problems())
@examples(150)
def test_lists_without_bottom_or_top(drawn):
    """Partitions in no particular order, several finest ones, no coarsest one."""
    problem, asked = drawn
    expected = granulation.most_specific(asked)
    for variant in VARIANTS:
        assert (
            found(search_lattice(problem, Run(threads=1, parameters=LatticeParameters(variant)))) == expected
        )


@st.composite
def admissible_problems(draw: st.DrawFn) -> tuple[Problem, oracle.Problem]:
    """Draw a problem over admissible partitions: finest and coarsest, and any between."""
    case = draw(SMALL)
    schemes, ladders = [], []
    for ladder in case.table.ladders:
        m = len(ladder.values)
        block = st.lists(st.integers(0, m - 1), min_size=m, max_size=m).map(Partition.of)
        ends = [Partition.of(range(m)), Partition.of([0] * m)]
        members = list(dict.fromkeys([ends[0], *draw(st.lists(block, max_size=4)), ends[1]]))
        schemes.append(Admissible(members))
        levels = tuple(
            {value: f"b{number}" for value, number in zip(ladder.values, item.block, strict=True)}
            for item in schemes[-1].partitions()
        )
        ladders.append(PlainLadder(ladder.attribute, ladder.values, levels))
    table = replace(case.table, ladders=tuple(ladders))
    require = draw(requirements(table, table_level=False))
    asked = oracle.Problem(table, minimize=("loss",), require=require, limit=draw(st.sampled_from([0, 0.2])))
    asked = restrict(asked)
    plain = problem_of(case, replace(asked, table=case.table))
    return replace(plain, schemes=tuple(schemes)), asked


@given(admissible_problems())
@examples(150)
def test_admissible_partitions(drawn):
    """Orders that are neither chains nor graded."""
    problem, asked = drawn
    expected = granulation.most_specific(asked)
    for variant in VARIANTS:
        assert (
            found(search_lattice(problem, Run(threads=1, parameters=LatticeParameters(variant)))) == expected
        )


@given(secret_tables(), st.sampled_from([0, 0, 1, 3, 8]))
@examples(150)
def test_secure_recodings(secret, budget):
    """Sentences for everyone and for some; where some rows may go, only the former allow to prune."""
    cube = cube_of(secret)
    setting = setting_of(secret, cube)
    required = (Requirement(make_measure("secure", setting), 1.0),)
    objectives = (make_measure("loss", setting),)
    suppression = Suppression(Rule.FAILING, budget)
    problem = Problem(cube, lattice_of(secret.case), objectives, required, suppression)
    expected = granulation.most_specific_secure(secret.case.table, secret.truth, secret.kept, budget)
    for variant in VARIANTS:
        result = search_lattice(problem, Run(threads=1, parameters=LatticeParameters(variant)))
        assert found(result) == expected
        assert budget or result.certificate["variant"] == variant


@given(admissible_problems())
@examples(100)
def test_what_is_declared_to_be_handed_on_is(drawn):
    """Generalization property along every step, and subset property for every restriction."""
    problem, _ = drawn
    pruning = Pruning.of(problem)
    if pruning.obstacle is not None:
        return
    space = LatticeSpace.of(problem)
    numbers = np.arange(space.size)
    meets = pruning.passes(problem.batch(1, space.lattice).evaluate(space.nodes(numbers)))
    for number in numbers[meets]:
        assert meets[space.successors(np.array([number]))].all()
    tops = space.tops
    for a, top in enumerate(tops):
        restricted = numbers + (top - space.place(numbers, a)) * space.strides[a]
        assert meets[restricted[meets]].all()


def pentagon() -> Problem:
    """One attribute whose admissible partitions are not graded, and classes of three rows required.

    One way up is ab|c|d|e, abc|d|e, abcd|e, everything; the other is a|bcde, everything. By queue depth
    alone, everything would be met, and pass, before abcd|e, which is finer and passes too.
    """
    values = ("a", "b", "c", "d", "e")
    table = Table(
        (PlainLadder("q", values, ({v: v for v in values}, dict.fromkeys(values, "*"))),),
        [(value,) for value in "abcdeee"],
    )
    blocks = ([0, 1, 2, 3, 4], [0, 0, 1, 2, 3], [0, 0, 0, 1, 2], [0, 0, 0, 0, 1], [0, 1, 1, 1, 1], [0] * 5)
    asked = oracle.Problem(table, minimize=("loss",), require={"k": 3})
    scheme = Admissible([Partition.of(block) for block in blocks])
    return replace(problem_of(case_of(table), asked), schemes=(scheme,))


def test_orders_that_are_not_graded_are_visited_by_longest_chains():
    """Heights are longest chains, so a short way up cannot overtake a finer solution on a long one."""
    poset = Poset.of_steps([[1, 4], [2], [3], [5], [5], []])
    assert poset.heights.tolist() == [0, 1, 2, 3, 1, 4]
    problem = pentagon()
    for variant in VARIANTS:
        result = search_lattice(problem, Run(threads=1, parameters=LatticeParameters(variant)))
        blocks = [result.lattice.ladders[0].levels[number].tolist() for (number,) in result.nodes.tolist()]
        assert blocks == [[0, 0, 0, 0, 1]]


def test_direct_successors_skip_what_lies_between():
    partitions = [Partition.of(block) for block in ([0, 1, 2], [0, 0, 1], [0, 0, 0], [0, 1, 1])]
    poset = Poset.of_ladder(Ladder.listed(partitions))
    steps = [poset.items[poset.start[i] : poset.start[i + 1]].tolist() for i in range(4)]
    assert steps == [[1, 3], [2], [], [2]]
    assert poset.top == 2
    assert [len(Poset.chain(n)) for n in (1, 4)] == [1, 4]


def test_orders_of_schemes_agree_with_refinement():
    """Successors of the schemes and comparing all members give the same orders."""
    for name in ("ordered", "sets"):
        scheme = make_scheme(name, size=4)
        by_scheme = Poset.of_scheme(scheme)
        by_refinement = Poset.of_ladder(Ladder.listed(tuple(scheme.partitions())))
        assert by_scheme.start.tolist() == by_refinement.start.tolist()
        ends = zip(by_scheme.start[:-1], by_scheme.start[1:], strict=True)
        assert all(sorted(by_scheme.items[a:b]) == sorted(by_refinement.items[a:b]) for a, b in ends)


def test_space_steps_go_up_and_down():
    chain, diamond = Poset.chain(2), Poset.of_steps([[1, 2], [3], [3], []])
    ladders = (
        Ladder.whole(np.array([[0, 1], [0, 0]], dtype=np.int32)),
        Ladder.listed([Partition.of(b) for b in ([0, 1, 2, 3], [0, 0, 1, 2], [0, 1, 2, 2], [0, 0, 0, 0])]),
    )
    space = LatticeSpace(Lattice(ladders), (chain, diamond))
    assert space.size == 8
    assert sorted(space.successors(np.array([0])).tolist()) == [1, 2, 4]
    assert space.predecessor_counts(np.array([0, 7])).tolist() == [0, 3]
    assert space.heights(np.arange(8)).tolist() == [0, 1, 1, 2, 1, 2, 2, 3]
    assert space.minimal().tolist() == [0]
    assert space.tops == (1, 3)
    assert space.nodes(np.array([6])).tolist() == [[1, 2]]


def adult(adult_problem: Problem, limit: float) -> dict[str, SearchResult]:
    suppression = Suppression(Rule.FAILING, int(limit * adult_problem.cube.row_count))
    problem = replace(adult_problem, suppression=suppression)
    return {
        variant: search_lattice(problem, Run(parameters=LatticeParameters(variant))) for variant in VARIANTS
    }


@pytest.mark.slow
def test_incognito_makes_far_fewer_tests_on_the_census():
    """The embedded census, 17,920 recodings, k = 5: the same set with a sixth of the tests and less."""
    import sfumato as sf
    from sfumato.preparing import load, make_problem

    spec = sf.Spec.load(sf.datasets.adult_spec_path())
    tables = spec.to_dict() | {"require": {"k": 5}, "suppression": {"limit": 0.01}}
    problem = make_problem(load(None, sf.Spec.from_dict(tables, folder=spec.folder)), (), ("loss",))
    for limit, most in ((0.0, 0.05), (0.01, 0.2)):
        results = adult(problem, limit)
        assert found(results["incognito"]) == found(results["breadth-first"])
        tests = {variant: result.certificate["tests"] for variant, result in results.items()}
        assert tests["incognito"] < most * tests["breadth-first"]
        decided = results["incognito"].certificate
        assert decided["tests"] + decided["by_subset"] + decided["by_generalization"] == 17_920


@pytest.mark.parametrize(
    ("require", "limit", "rule", "words"),
    [
        ({"k": 3}, 0.1, "failing", "not all are tested"),
        ({"k": 3}, 0.1, "smallest", "not all are tested"),
        ({"distinct_l(s0)": 2}, 0.1, "failing", "not all are tested"),
        ({"distinct_l(s0)": 2}, 0.1, "smallest", "the smallest classes may be suppressed"),
        ({"t(s0)": 0.4}, 0, "failing", "not all are tested"),
        ({"t(s0)": 0.4}, 0.1, "failing", "failing classes may be suppressed"),
        ({"k": 3, "loss": 0.5}, 0, "failing", "not all are tested"),
        ({"k": 3, "loss": 0.5}, 0.1, "failing", "'loss' judges the table"),
        ({"k": 2}, 0, "below-mean", "'below-mean' suppresses without a budget"),
    ],
)
def test_why_tells_whether_pruning_is_allowed(require, limit, rule, words):
    values = ("a", "b")
    table = Table(
        (PlainLadder("q", values, ({"a": "a", "b": "b"}, dict.fromkeys(values, "*"))),),
        [("a",)] * 4 + [("b",)] * 6,
        {"s0": ["x", "y"] * 5},
    )
    asked = oracle.Problem(table, minimize=("loss",), require=require, limit=limit, rule=rule)
    problem = problem_of(case_of(table), asked)
    method, why = choose_method(problem, "lattice")
    assert method == "lattice"
    assert words in why
    assert found(search_lattice(problem, Run(threads=1))) == granulation.most_specific(asked)


def test_stopping_returns_what_is_proven():
    """Breadth first, whatever was found before the end is most specific."""
    values = tuple(f"v{number}" for number in range(8))
    table = Table(
        (PlainLadder("q", values, ({v: v for v in values}, dict.fromkeys(values, "*"))),),
        [(value,) for value in values],
    )
    asked = oracle.Problem(table, minimize=("loss",), require={"k": 2})
    problem = replace(problem_of(case_of(table), asked), schemes=(make_scheme("sets", size=8),))
    for variant in VARIANTS:
        stopped = search_lattice(
            problem, Run(Monitor(time_limit_s=0.0), threads=1, parameters=LatticeParameters(variant))
        )
        assert stopped.status is Status.LIMIT_REACHED
        assert not stopped.complete
        assert stopped.stopped == "time limit"
    whole = search_lattice(problem, Run(threads=1))
    assert len(whole.nodes) == 105 + 280  # 4 pairs, and 2 triples with a pair: partitions without singles
    assert whole.complete


def test_an_unknown_variant_is_refused():
    with pytest.raises(ParameterError, match="no variant 'incogito'"):
        search_lattice(pentagon(), Run(parameters=LatticeParameters("incogito")))
