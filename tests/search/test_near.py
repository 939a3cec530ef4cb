"""The draw among near-optimal recodings: exactly those within the tolerance, each as often as any other."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.preparing import load, make_problem
from sfumato.search import METHODS, near
from tests.oracles.downcoding import Asked, Row, feasible

if TYPE_CHECKING:
    from pathlib import Path

TREES = {
    "a": {"x": {"x1": ["p", "q"], "x2": ["r", "s"]}, "y": {"y1": ["t", "u"]}},
    "b": {"v": {"v1": ["1", "2"], "v2": ["3"]}},
    "c": {"w": {"w1": ["+"], "w2": ["-"]}},
}
SECRET = 90210


def make_rows(seed: int, many: int = 40) -> list[Row]:
    """Draw rows that are not spread evenly."""
    draw = random.Random(seed)
    return [(draw.choice("pppqrstu"), draw.choice("1123"), draw.choice("++-")) for _ in range(many)]


def make_frame(rows: list[Row]) -> dict[str, list[str]]:
    return {name: [row[a] for row in rows] for a, name in enumerate(TREES)}


def make_spec(tolerance: float = 0.3, choice: str = "near-optimal", **parts: Any) -> sf.Spec:
    attributes = {
        name: {"role": "quasi-identifier", "hierarchy": {"tree": tree}} for name, tree in TREES.items()
    }
    plain = {
        "attributes": attributes,
        "require": {"k": 3},
        "suppression": {"limit": 0.1},
        "objectives": {"minimize": ["loss"]},
        "release": {"choice": choice, "tolerance": tolerance, "seed": SECRET},
    }
    return sf.Spec.from_dict({**plain, **parts})


def asked_of(spec: sf.Spec, frame: object) -> Asked:
    """Return what the oracle has to know, with the hierarchies that the package reads."""
    table = load(frame, spec).table
    ladders = []
    for name in TREES:
        hierarchy = table.hierarchies[name]
        ladders.append(
            [
                {str(v): f"{level}:{block}" for v, block in zip(hierarchy.values, blocks, strict=True)}
                for level, blocks in enumerate(hierarchy.levels.tolist())
            ]
        )
    return Asked(ladders, 3, 4, list(TREES))


def make_table(rows: list[Row]) -> Any:
    return pa.table(make_frame(rows))


def seeded(spec: sf.Spec, seed: int | None) -> sf.Spec:
    return spec.model_copy(update={"release": spec.release.model_copy(update={"seed": seed})})


def _partition(level: dict[str, str]) -> tuple[int, ...]:
    labels = list(level.values())
    return tuple(labels.index(label) for label in labels)


@pytest.mark.some(1)
@pytest.mark.parametrize("seed", range(4))
def test_all_within_the_tolerance_are_candidates_and_nothing_else(seed: int) -> None:
    frame = make_table(make_rows(seed))
    best, *others = feasible(make_rows(seed), asked_of(make_spec(), frame))
    for tolerance in (0.0, 0.1, 0.4):
        spec = make_spec(tolerance)
        limit = best.cost * (1 + Fraction(str(tolerance)))
        close = [item for item in (best, *others) if item.cost <= limit]
        asked = asked_of(spec, frame)
        # Levels that make the same partition are one candidate.
        distinct = {
            tuple(_partition(asked.hierarchies[a][level]) for a, level in enumerate(item.levels))
            for item in close
        }
        drawn = [sf.anonymize(frame, seeded(spec, number), threads=1) for number in range(12)]
        assert drawn[0].run["choice"]["candidates"] == len(distinct)
        levels = {tuple(item.recoding.values()) for item in drawn}
        assert levels <= {item.levels for item in close}
        assert all(item.measures["loss"] <= float(limit) + 1e-9 for item in drawn)
        assert all(item.measures["k"] >= 3 for item in drawn)


def test_each_candidate_is_drawn_equally_often() -> None:
    """A chi-square statistic of 400 draws, far below what any wrong weighting gives."""
    frame, spec = make_table(make_rows(1)), make_spec(0.6)
    prepared = load(frame, spec)
    problem = make_problem(prepared, (), ("loss",))
    optimum = sf.anonymize(frame, make_spec(choice="optimal"), threads=1)
    node = np.array([optimum.recoding[name] for name in TREES])
    found = near.collect_near(problem, prepared.lattice, node, 0.6, near.secret_generator(1), threads=1)
    many = len(found.nodes)
    assert many > 3
    counts = Counter(found.draw(near.secret_generator(seed)).tobytes() for seed in range(400))
    assert len(counts) == many
    expected = 400 / many
    assert sum((n - expected) ** 2 / expected for n in counts.values()) < many + 6 * np.sqrt(2 * many)


def test_the_seed_repeats_the_draw_and_without_one_the_system_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame, spec = make_table(make_rows(2)), make_spec(0.5)
    assert sf.anonymize(frame, spec).recoding == sf.anonymize(frame, spec, threads=1).recoding
    drawn = {str(sf.anonymize(frame, seeded(spec, None), threads=1).recoding) for _ in range(12)}
    assert len(drawn) > 1
    asked: list[int] = []
    monkeypatch.setattr(near.secrets, "randbits", lambda bits: asked.append(bits) or 7)
    sf.anonymize(frame, seeded(spec, None), threads=1)
    assert asked == [128]


def test_nothing_published_ranks_a_drawn_release(tmp_path: Path) -> None:
    """The manifest says that it was drawn and how near, and neither the seed nor how many there were."""
    release = sf.anonymize(make_table(make_rows(1)), make_spec(), threads=1)
    release.write(tmp_path / "drawn.csv")
    text = (tmp_path / "drawn.csv.json").read_text(encoding="utf-8")
    stated = json.loads(text)
    assert stated["choice"] == "near-optimal"
    assert stated["choice_tolerance"] == 0.3
    assert sf.verify(tmp_path / "drawn.csv")["holds"]
    assert not any(
        word in text for word in (str(SECRET), "candidates", "bound", "gap", "status", "seed", "evaluated")
    )
    release.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert str(SECRET) not in page
    sf.anonymize(make_table(make_rows(1)), make_spec(choice="optimal")).write(tmp_path / "best.csv")
    best = json.loads((tmp_path / "best.csv.json").read_text(encoding="utf-8"))
    assert set(stated) - set(best) == {"choice", "choice_tolerance"}
    assert set(best) <= set(stated)


def test_a_lone_candidate_is_warned_of_where_only_the_publisher_sees_it(tmp_path: Path) -> None:
    release = sf.anonymize(make_table([("p", "1", "+")] * 8), make_spec(), threads=1)
    assert release.run["choice"]["candidates"] == 1
    assert "hides nothing" in release.run["choice"]["warning"]
    release.write(tmp_path / "lone.csv")
    assert "hides" not in (tmp_path / "lone.csv.json").read_text(encoding="utf-8")


@pytest.mark.some(3)
@pytest.mark.parametrize("method", ["optimal", "exhaustive", "lattice", "pbg-ea", "nsga2", "granulation-ga"])
def test_every_method_draws(method: str) -> None:
    few = {"iterations": 5, "population": 8} if "population" in METHODS[method].used else {}
    search = {"method": method, **few}
    frame = make_table(make_rows(1))
    best = sf.anonymize(frame, make_spec(choice="optimal", search=search))
    release = sf.anonymize(frame, make_spec(search=search))
    assert release.run["method"] == method
    assert release.run["choice"]["candidates"] > 1
    assert release.measures["loss"] <= best.measures["loss"] * 1.3 + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["levels", "cuts", "sets"])
def test_where_not_all_can_be_enumerated_walks_stay_within_the_tolerance(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(near, "is_enumerable", lambda _: False)
    frame, spec = make_table(make_rows(1)), make_spec(0.3)
    attributes = {name: item.model_copy(update={"scheme": scheme}) for name, item in spec.attributes.items()}
    spec = spec.model_copy(update={"attributes": attributes})
    optimal = spec.model_copy(update={"release": spec.release.model_copy(update={"choice": "optimal"})})
    best = sf.anonymize(frame, optimal).measures["loss"]
    drawn = [sf.anonymize(frame, seeded(spec, seed), threads=1) for seed in range(8)]
    about = drawn[0].run["choice"]
    assert about["candidates"] > 1
    assert about["all_candidates"] is False
    assert len({json.dumps(item.recoding) for item in drawn}) > 1
    assert all(best <= item.measures["loss"] <= best * 1.3 + 1e-9 for item in drawn)
    assert all(item.verify()["k"] >= 3 for item in drawn)


def test_a_pick_keeps_its_privacy_and_gives_way_in_what_it_costs() -> None:
    objectives = {"maximize": ["k"], "minimize": ["loss"]}
    frame, spec = make_table(make_rows(3)), make_spec(0.4, objectives=objectives, require={})
    front = sf.explore(frame, spec, threads=1)
    picked = front.pick("k >= 4")
    drawn = []
    for seed in range(8):
        front = sf.explore(frame, seeded(spec, seed), threads=1)
        release = front.pick("k >= 4").release()
        assert release.run["choice"]["tolerance"] == 0.4
        assert "choice" not in front.run
        assert release.measures["k"] >= picked.measures["k"]
        assert release.measures["loss"] <= picked.measures["loss"] * 1.4 + 1e-12
        drawn.append(json.dumps(release.recoding))
    assert len(set(drawn)) > 1


def test_a_wrong_choice_is_told_with_its_place(tmp_path: Path) -> None:
    spec = make_spec()
    path = tmp_path / "s.toml"
    path.write_text(
        '[attributes.a]\nrole = "quasi-identifier"\n[release]\nchoice = "near"\n', encoding="utf-8"
    )
    with pytest.raises(sf.SpecError, match="near-optimal"):
        sf.Spec.load(path)
    assert sf.Spec.from_dict(spec.to_dict()).release == spec.release
