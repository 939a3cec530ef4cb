"""The golden optima of Adult, recomputed by the oracle at their nodes."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.oracles.adult import QUASI_IDENTIFIERS, read_adult
from tests.oracles.lattice import Problem, evaluate, recoding_text, rule_of
from tests.oracles.suppression import budget

if TYPE_CHECKING:
    from tests.oracles.classes import Table

GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("adult_*.toml"))


@pytest.fixture(scope="module")
def adult(data_folder: Path) -> Table:
    """Adult's complete rows with nine quasi-identifiers."""
    return read_adult(data_folder)


@pytest.fixture(params=GOLDEN, ids=lambda path: path.stem)
def golden(request: pytest.FixtureRequest) -> dict[str, Any]:
    """One golden file."""
    contents = tomllib.loads(request.param.read_text(encoding="utf-8"))
    assert contents["key"] == request.param.stem
    assert contents["citation"].strip()
    return contents


def test_there_are_three_golden_optima() -> None:
    assert len(GOLDEN) == 3


def test_the_oracle_finds_the_figures(adult: Table, golden: dict[str, Any]) -> None:
    given, expected = golden["input"], golden["expected"]
    assert tuple(given["quasi_identifiers"]) == QUASI_IDENTIFIERS
    problem = Problem(
        adult, minimize=(given["minimize"],), require=given["require"], limit=given["suppression"]["limit"]
    )
    assert rule_of(problem) == given["suppression"]["rule"]
    solution = evaluate(problem, [golden["recoding"][name] for name in QUASI_IDENTIFIERS])
    assert solution is not None
    found = dict(solution.measures) | {
        "rows": len(adult.rows),
        "space": math.prod(len(ladder.levels) for ladder in adult.ladders),
        "budget": budget(problem.limit, len(adult.rows)),
        "classes": solution.classes,
    }
    for name, value in expected.items():
        assert float(found[name]) == pytest.approx(value, rel=0, abs=golden["tolerance"].get(name, 0)), name
    assert recoding_text(adult, solution.levels) == solution.recoding


def test_the_hierarchies_cover_the_data(adult: Table) -> None:
    leaves, occurring = {}, {}
    for place, ladder in enumerate(adult.ladders):
        column = {row[place] for row in adult.rows}
        assert column <= set(ladder.values), ladder.attribute
        leaves[ladder.attribute] = len(ladder.values)
        occurring[ladder.attribute] = len(column)
        assert len(set(ladder.levels[-1].values())) == 1
    # Age has 28 leaves and workclass one (Never-worked) that no complete row holds.
    assert leaves == occurring | {"age": 100, "workclass": 8}
    assert (occurring["age"], occurring["workclass"], occurring["native-country"]) == (72, 7, 41)
