"""The printed searches find what brute force finds, with any of their techniques."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import ParameterError, SpecError
from sfumato.search import Run, Status
from sfumato.search.methods import METHODS
from sfumato.search.techniques import PrintedParameters
from tests.examples import examples
from tests.oracles import lattice as oracle
from tests.package import problem_of, restrict
from tests.search.test_branch_and_bound import SMALL, cost_of, schemes_over
from tests.search.test_schemes import with_members
from tests.strategies import problems

techniques = st.builds(
    PrintedParameters,
    seeds=st.sampled_from([0, 5]),
    requeue=st.booleans(),
    node_rearrangement=st.booleans(),
    applicator_rearrangement=st.booleans(),
    useless_applicators=st.booleans(),
)


@st.composite
def tasks(draw: st.DrawFn, names: tuple[str, ...]):
    """Draw a table, a cost, k, how much may be suppressed, and a scheme for each attribute."""
    case, asked = draw(problems(SMALL))
    asked = replace(restrict(asked), maximize=(), minimize=(draw(st.sampled_from(("dm", "hdm", "loss"))),))
    asked = replace(asked, require={"k": draw(st.integers(1, 6))}, rule="failing")
    schemes = tuple(draw(schemes_over(matrix, names)) for matrix in case.matrices)
    return case, with_members(asked, schemes), schemes


def check(search, task, used) -> None:
    case, asked, schemes = task
    problem = replace(problem_of(case, asked), schemes=schemes)
    result = search(problem, Run(threads=1, parameters=used))
    expected = oracle.front(asked)
    assert result.complete
    assert result.status is (Status.OPTIMAL if expected else Status.INFEASIBLE)
    if expected:
        wanted = float(expected[0].measures[asked.minimize[0]])
        assert cost_of(problem, result) == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    again = search(problem, Run(threads=2, parameters=used))
    assert again.certificate == result.certificate
    assert again.nodes.tolist() == result.nodes.tolist()


@given(tasks(("ordered", "sets", "guided-ordered", "guided-sets")), techniques)
@examples(120)
def test_bottom_up_finds_what_brute_force_finds(task, used):
    check(METHODS["bottom-up"].search, task, used)


@given(tasks(("ordered",)), techniques)
@examples(120)
def test_top_down_finds_what_brute_force_finds(task, used):
    if all(type(scheme).__name__ == "Ordered" for scheme in task[2]):
        check(METHODS["top-down"].search, task, used)


LEVELS = {
    "attributes": {"home": {"role": "quasi-identifier", "hierarchy": {"tree": {"ab": ["a", "b"]}}}},
    "objectives": {"minimize": ["loss"]},
    "require": {"k": 2},
}
FRAME = pd.DataFrame({"home": list("aabbb")})


@pytest.mark.parametrize(
    ("search", "scheme", "words"),
    [
        ({"method": "bottom-up"}, "levels", "searches partitions"),
        ({"method": "optimal", "direction": "bottom-up"}, "levels", "for partitions"),
        ({"method": "top-down"}, "sets", "'ordered'"),
        ({"method": "nsga2", "useless_applicators": False}, "ordered", "useless_applicators"),
    ],
)
def test_what_a_search_cannot_use_is_refused(search, scheme, words):
    attribute = {**LEVELS["attributes"]["home"], "scheme": scheme}
    spec = sf.Spec.from_dict({**LEVELS, "attributes": {"home": attribute}, "search": search})
    with pytest.raises((ParameterError, SpecError), match=words):
        sf.anonymize(FRAME, spec)


def test_a_checkpoint_is_refused(tmp_path):
    attribute = {**LEVELS["attributes"]["home"], "scheme": "ordered"}
    spec = sf.Spec.from_dict({**LEVELS, "attributes": {"home": attribute}, "search": {"method": "bottom-up"}})
    with pytest.raises(SpecError, match="keep no checkpoint"):
        sf.anonymize(FRAME, spec, checkpoint=tmp_path / "c")
    assert sf.anonymize(FRAME, spec).measures["k"] == 2
