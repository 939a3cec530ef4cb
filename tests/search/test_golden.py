"""Optima and single nodes of Adult, as other tools and plain loops have them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from sfumato.search import Run, Status, search_exhaustive, search_optimal
from tests.oracles import lattice as oracle
from tests.oracles.adult import read_adult
from tests.package import problem_of
from tests.strategies import Case, case_of

if TYPE_CHECKING:
    from sfumato.search import SearchResult

GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("adult_*.toml"))
SENSITIVE = "relationship"


@pytest.fixture(scope="module")
def adult(data_folder: Path) -> Case:
    """Adult's complete rows with nine quasi-identifiers and a sensitive attribute."""
    return case_of(read_adult(data_folder, sensitive=(SENSITIVE,)))


@pytest.fixture(params=GOLDEN, ids=lambda path: path.stem)
def golden(request: pytest.FixtureRequest) -> dict[str, Any]:
    """One golden file."""
    return tomllib.loads(request.param.read_text(encoding="utf-8"))


@pytest.mark.some(2)
@pytest.mark.parametrize("search", [search_optimal, search_exhaustive])
def test_golden_optimum(adult: Case, golden: dict[str, Any], search: Any) -> None:
    """The pruned and the complete search find the published node and its figures."""
    given, expected = golden["input"], golden["expected"]
    asked = oracle.Problem(
        adult.table,
        minimize=(given["minimize"],),
        require=given["require"],
        limit=given["suppression"]["limit"],
    )
    problem = problem_of(adult, asked)
    batch = problem.batch()
    result: SearchResult = search(problem, Run(batch=batch))
    assert result.status is Status.OPTIMAL
    assert problem.lattice.size == expected["space"]
    assert result.nodes.tolist() == [[golden["recoding"][name] for name in adult.names]]
    statistics = batch.evaluate(result.nodes)
    assert statistics.suppressed.tolist() == [expected["suppressed"]]
    assert statistics.classes.tolist() == [expected["classes"]]
    value = float(problem.objectives[0].value(statistics)[0])
    tolerance = golden["tolerance"].get(given["minimize"], 0)
    assert value == pytest.approx(expected[given["minimize"]], rel=0, abs=tolerance)
    if search is search_optimal:
        assert result.evaluated < problem.lattice.size / 4, "pruning should spare most recodings"
        assert result.bound == value


@pytest.mark.slow
def test_sampled_nodes_equal_plain_loops(adult: Case) -> None:
    """k under 1 % suppression, distinct ℓ and loss of sampled nodes, counted row by row."""
    asked = oracle.Problem(
        adult.table, maximize=("k", f"distinct_l({SENSITIVE})"), minimize=("loss",), limit=0.01
    )
    problem = problem_of(adult, asked)
    nodes = problem.lattice.nodes(0, problem.lattice.size)
    picked = nodes[np.random.default_rng(11).choice(len(nodes), 8, replace=False)]
    picked = np.concatenate([picked, problem.lattice.bottom[None], problem.lattice.top[None]])
    statistics = problem.batch().evaluate(picked)
    for place, node in enumerate(picked):
        expected = oracle.evaluate(asked, tuple(int(level) for level in node))
        assert expected is not None
        assert statistics.suppressed[place] == expected.suppressed
        for measure in problem.measures:
            found = float(measure.value(statistics)[place])
            assert found == pytest.approx(float(expected.measures[measure.name]), rel=1e-12)
