"""The oracles' cases in the package's terms."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes import Levels
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.measures import Measure, Setting, make_measure
from sfumato.search import Problem, Requirement, choose_rule
from tests.strategies import matrix_of

if TYPE_CHECKING:
    from tests.oracles.classes import Ladder as PlainLadder
    from tests.oracles.lattice import Problem as OracleProblem
    from tests.strategies import Case

KNOWN = (
    "k",
    "mean_k",
    "spread_k",
    "distinct_l",
    "entropy_l",
    "recursive_l",
    "share_l",
    "spread_l",
    "t",
    "loss",
    "glm",
    "gl",
    "sl",
    "dm",
    "hdm",
    "average_class",
    "precision",
    "ql",
    "usefulness",
    "ncp",
    "protection",
    "suppressed",
    "cm",
)


def is_known(name: str) -> bool:
    """Tell whether the package has this measure."""
    return name.partition("(")[0] in KNOWN


def restrict(asked: OracleProblem) -> OracleProblem:
    """Leave out measures that the package does not have; keep at least one objective."""
    maximize = tuple(name for name in asked.maximize if is_known(name))
    minimize = tuple(name for name in asked.minimize if is_known(name))
    if not maximize + minimize:
        minimize = ("loss",)
    require = {name: bound for name, bound in asked.require.items() if is_known(name)}
    return replace(asked, maximize=maximize, minimize=minimize, require=require)


def cube_of(case: Case) -> Cube:
    """Make the cube of a case."""
    cube = Cube.sorted(
        case.names,
        case.sizes,
        case.codes,
        rows=np.ones(len(case.codes), dtype=np.int64),
        sensitive=tuple(case.sensitive_values),
        sensitive_sizes=tuple(len(values) for values in case.sensitive_values.values()),
        sensitive_codes=case.sensitive_codes,
        persons=case.person_codes,
    )
    silent = tuple(unknown_codes(case, name) for name in case.sensitive_values)
    return replace(cube, places=tuple(map(_places, case.table.ladders)), unknown=silent)


def unknown_codes(case: Case, name: str) -> tuple[int, ...]:
    """Return the codes of missing and of unknown values."""
    unknown = case.table.unknown.get(name, frozenset())
    values = enumerate(case.sensitive_values[name])
    return tuple(code for code, value in values if value is None or value in unknown)


def _places(ladder: PlainLadder) -> np.ndarray | None:
    """Return where the codes of an attribute lie on a line, missing at −1; None for categories."""
    if ladder.places is None:
        return None
    return np.array([ladder.places.get(value, -1) for value in ladder.values], dtype=np.int64)


def setting_of(case: Case, weights: np.ndarray) -> Setting:
    """Make the setting of a case; sensitive values are ordered and have trees."""
    trees = {
        name: Levels(matrix_of(tree)).apart(unknown_codes(case, name))
        for name, tree in case.table.trees.items()
    }
    return Setting(case.names, tuple(case.sensitive_values), weights, frozenset(trees), trees)


def lattice_of(case: Case, bounds: dict[str, tuple[int, int]] | None = None) -> Lattice:
    """Make the lattice of a case within bounds."""
    ladders = []
    for name, matrix in zip(case.names, case.matrices, strict=True):
        low, high = (bounds or {}).get(name, (0, len(matrix) - 1))
        ladders.append(Ladder(matrix, low, high))
    return Lattice(tuple(ladders))


def problem_of(case: Case, asked: OracleProblem) -> Problem:
    """Make the package's problem of the oracle's."""
    weights = np.array([asked.weights.get(name, 1.0) for name in case.names])
    setting = setting_of(case, weights)

    def make(name: str) -> Measure:
        return make_measure(name, setting)

    objectives = tuple(make(name) for name in asked.objectives)
    requirements = tuple(Requirement(make(name), float(bound)) for name, bound in asked.require.items())
    cube = cube_of(case)
    suppression = choose_rule(asked.rule, float(asked.limit), cube.row_count, objectives, requirements)
    return Problem(cube, lattice_of(case, asked.bounds), objectives, requirements, suppression)
