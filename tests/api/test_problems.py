"""The three problems of the multi-objective chapter, asked by specification files, against brute force."""

from __future__ import annotations

import csv
import inspect
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.assess.reidentification import THRESHOLD
from sfumato.microaggregation.partitioning import GAIN
from sfumato.preparing import load
from tests.oracles import lattice as oracle
from tests.oracles.classes import Ladder, Table

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def some_patients(path: Path, count: int) -> Path:
    """Write the first rows of the example to a file of their own."""
    lines = (EXAMPLES / "patients.csv").read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(lines[: count + 1]) + "\n", encoding="utf-8")
    return path


def plain_table(data: Path, spec: sf.Spec) -> Table:
    """Take the ladders from the specification and the cells from the file."""
    hierarchies = load(data, spec).table.hierarchies
    ladders = []
    for name in spec.quasi_identifiers:
        item = hierarchies[name]
        values = tuple(str(value) for value in item.values)
        levels = tuple(
            dict(zip(values, (str(labels[block]) for block in level), strict=True))
            for level, labels in zip(item.levels, item.labels, strict=True)
        )
        ladders.append(Ladder(name, values, levels))
    with data.open(encoding="utf-8", newline="") as file:
        rows = [tuple(row[name] for name in spec.quasi_identifiers) for row in csv.DictReader(file)]
    return Table(tuple(ladders), rows)


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["no_suppression", "tolerance", "overview"])
def test_the_front_equals_brute_force(name: str, tmp_path: Path) -> None:
    """Every recoding evaluated by plain loops gives the same front."""
    spec = sf.Spec.load(EXAMPLES / f"{name}.toml")
    data = some_patients(tmp_path / "some.csv", 50)
    front = sf.explore(data, spec)
    asked = oracle.Problem(
        plain_table(data, spec),
        maximize=spec.objectives.maximize,
        minimize=spec.objectives.minimize,
        limit=spec.suppression.limit,
        rule=spec.suppression.rule,
    )
    expected = oracle.front(asked)
    assert front.complete
    assert len(expected) > 3
    assert [dict(item.recoding) for item in front] == [
        dict(zip(spec.quasi_identifiers, item.levels, strict=True)) for item in expected
    ]
    for found, best in zip(front, expected, strict=True):
        numbers = {measure: float(value) for measure, value in best.measures.items()}
        assert {**found.measures, "suppressed": found.suppressed} == pytest.approx(numbers, rel=1e-12)


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["no_suppression", "tolerance", "overview"])
def test_a_solution_becomes_a_verified_release(name: str, tmp_path: Path) -> None:
    """Also where weighted-k, taken before suppression, cannot be recounted from the file."""
    spec = sf.Spec.load(EXAMPLES / f"{name}.toml")
    front = sf.explore(None, spec)
    chosen = front.pick("knee")
    manifest = chosen.release().write(tmp_path / "out.csv")
    found = sf.verify(tmp_path / "out.csv")
    assert found["holds"]
    for measure, number in chosen.measures.items():
        if measure not in manifest.withheld:
            tolerance = manifest.tolerance.get(measure, 0.0)
            assert abs(manifest.measures[measure] - number) <= tolerance + 1e-9 * abs(number)
    assert list(found["not_recounted"]) == (["mean_k"] if name == "overview" else [])  # type: ignore[call-overload]


def test_defaults_of_the_verbs_are_those_of_their_rooms() -> None:
    """The verbs state them as numbers, so that importing them loads no room."""
    assert inspect.signature(sf.risk).parameters["threshold"].default == THRESHOLD
    assert inspect.signature(sf.microaggregate).parameters["gain"].default == GAIN
