"""The complete front over any mix of schemes equals brute force over all their members."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.domains import Ladder, Tree
from sfumato.errors import ParameterError
from sfumato.schemes import Ordered, Scheme, make_scheme
from sfumato.search import Problem, Run, Status, choose_method, search_exhaustive
from tests.examples import examples
from tests.mixed_cases import mixed_cases
from tests.oracles import lattice as oracle
from tests.oracles.classes import Ladder as PlainLadder
from tests.oracles.classes import Table
from tests.package import problem_of, restrict
from tests.strategies import Case, case_of, cases, problems, tables

if TYPE_CHECKING:
    import numpy as np

NAMES = ("levels", "cuts", "ordered", "guided-ordered", "sets", "guided-sets")
SMALL = cases(tables(max_attributes=2, max_domain=4, max_levels=3, max_rows=25, contiguous=True))


@st.composite
def schemed(draw: st.DrawFn) -> tuple[Case, oracle.Problem, tuple[Scheme, ...]]:
    """Draw a problem with a scheme for each attribute; the oracle's ladders list their members."""
    case, asked = draw(problems(SMALL, weights=True))
    asked = restrict(asked)
    # The oracle knows the heights of levels alone.
    maximize = tuple(name for name in asked.maximize if name != "precision")
    minimize = asked.minimize if maximize or asked.minimize else ("hdm",)
    require = {name: bound for name, bound in asked.require.items() if name != "precision"}
    schemes = []
    for ladder, matrix in zip(case.table.ladders, case.matrices, strict=True):
        name = draw(st.sampled_from(NAMES))
        tree = Tree.from_levels(matrix) if len(matrix) > 1 else None
        name = "levels" if tree is None else name
        schemes.append(make_scheme(name, tree=tree, ladder=Ladder.whole(matrix), size=len(ladder.values)))
    asked = replace(asked, maximize=maximize, minimize=minimize, require=require)
    return case, with_members(asked, tuple(schemes)), tuple(schemes)


def with_members(asked: oracle.Problem, schemes: tuple[Scheme, ...]) -> oracle.Problem:
    """Let the oracle's ladders list all members of schemes; levels stay as they are."""
    plain = []
    for ladder, scheme in zip(asked.table.ladders, schemes, strict=True):
        levels = tuple(
            {value: f"b{number}" for value, number in zip(ladder.values, item.block, strict=True)}
            for item in scheme.partitions()
        )
        is_kept = scheme.name == "levels"
        plain.append(ladder if is_kept else replace(ladder, levels=levels))
    return replace(asked, table=replace(asked.table, ladders=tuple(plain)))


def numbered(problem: Problem) -> Problem:
    """Write a member as its number, as the oracle does, so that ties are decided alike."""
    members = problem.members

    def describe(attribute: int, block: np.ndarray) -> str:
        return str(int((members.ladders[attribute].levels == block).all(axis=1).argmax()))

    return replace(problem, describe=describe)


@given(schemed())
@examples(100)
def test_front_of_schemes_equals_brute_force(drawn):
    """Same members in the same order, same measures, in the numbers of the result's lattice."""
    case, asked, schemes = drawn
    problem = numbered(replace(problem_of(case, asked), schemes=schemes))
    result = search_exhaustive(problem, Run(threads=2))
    expected = oracle.front(asked)
    assert result.complete
    assert result.evaluated == result.lattice.size
    assert [tuple(node) for node in result.nodes.tolist()] == [item.levels for item in expected]
    assert result.status is (Status.OPTIMAL if expected else Status.INFEASIBLE)
    statistics = problem.batch(1, result.lattice).evaluate(result.nodes)
    for measure in problem.measures:
        values = [float(item.measures[measure.name]) for item in expected]
        assert measure.value(statistics) == pytest.approx(values, rel=1e-12)


@given(mixed_cases(repeats=False), st.integers(1, 4))
@examples(60)
def test_front_of_a_mixed_lattice_equals_brute_force(mixed, k):
    """A lattice that lists partitions may be the problem's own, too; ties by what describes them."""
    asked = oracle.Problem(
        mixed.table, maximize=("k",), minimize=("loss", "hdm"), require={"k": k}, limit=0.2
    )
    problem = numbered(replace(problem_of(mixed.case, asked), lattice=mixed.lattice))
    result = search_exhaustive(problem, Run(threads=2))
    assert result.lattice is problem.lattice
    assert [tuple(node) for node in result.nodes.tolist()] == [item.levels for item in oracle.front(asked)]


def wide(size: int) -> Problem:
    """Make a problem of one attribute of so many values, each in one row, under ``ordered``."""
    values = tuple(f"v{number:02}" for number in range(size))
    levels = ({value: value for value in values}, dict.fromkeys(values, "*"))
    table = Table((PlainLadder("q", values, levels),), [(value,) for value in values])
    asked = oracle.Problem(table, maximize=("k",), minimize=("loss",), rule="none")
    return replace(problem_of(case_of(table), asked), schemes=(Ordered(size),))


def test_without_a_description_ties_go_by_block_numbers():
    """Of three pairings with k = 1 and one pair the first is the one whose block numbers read first."""
    problem = wide(4)
    result = search_exhaustive(problem, Run(threads=1))
    blocks = [result.lattice.ladders[0].levels[number].tolist() for number in result.nodes[:, 0]]
    texts = [json.dumps(block) for block in blocks]
    assert texts == ["[0, 0, 0, 0]", "[0, 0, 1, 1]", "[0, 1, 2, 3]"]


def test_a_space_that_is_too_large_is_refused():
    """auto counts the space of the schemes, and exhaustive says which attribute cannot be listed."""
    problem = wide(50)
    assert problem.space == 2**49
    with pytest.raises(ParameterError, match="'q' has 562,949,953,421,312 partitions under 'ordered'"):
        search_exhaustive(problem, Run(threads=1))


@pytest.mark.parametrize("method", ["exhaustive", "granulation-ga"])
def test_what_cannot_be_listed_is_refused_before_the_search(method):
    """So that check says it too; a count above every floating point number is no trouble."""
    with pytest.raises(ParameterError, match="'q' has 562,949,953,421,312 partitions under 'ordered'"):
        choose_method(wide(50), method)
    with pytest.raises(ParameterError, match=r"'q' has \d\.\d\de\d+ partitions under 'ordered'"):
        choose_method(wide(2000), "granulation-ga")


def test_an_objective_without_a_bound_is_refused_before_the_search():
    """So that check says it too, and not the search alone."""
    problem = wide(5)
    assert problem.objectives[0].name == "k"
    with pytest.raises(ParameterError, match="'optimal' has no bound for 'k'"):
        choose_method(replace(problem, objectives=problem.objectives[:1]), "optimal")
    assert choose_method(replace(problem, objectives=problem.objectives[1:]), "optimal")[0] == "optimal"
    assert choose_method(replace(problem, objectives=()), "optimal")[0] == "optimal"


def test_auto_counts_the_space_of_the_schemes():
    method, why = choose_method(wide(10))
    assert method == "exhaustive"
    assert why.startswith("512 recodings")
