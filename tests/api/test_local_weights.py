"""Local recoding of survey data: rows count by their weights, on every engine."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import SpecError
from sfumato.preparing import load, make_local_problem, make_problem
from tests.cli.running import run

if TYPE_CHECKING:
    from pathlib import Path

SPEC: dict[str, Any] = {
    "data": {"weight": "w", "person": "who"},
    "attributes": {
        "age": {"role": "quasi-identifier", "granularity": 5},
        "town": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    },
    "recoding": {"scope": "local", "weighted": True},
    "suppression": {"limit": 0.1},
    "require": {"k": 4},
    "objectives": {"minimize": ["loss"]},
    "search": {"iterations": 20_000},
}


def survey(seed: int = 1, rows: int = 300) -> pd.DataFrame:
    """Draw people of whom few stand for many."""
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": random.integers(20, 60, rows),
            "town": [None if at % 17 == 0 else "abcde"[at % 5] for at in random.integers(0, 99, rows)],
            "ill": random.choice(["flu", "cold"], rows),
            "w": np.where(random.random(rows) < 0.1, 50.0, 0.5),
            "who": [f"p{number}" for number in range(rows)],
        }
    )


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", ["pandas", "polars", "csv"])
def test_tuples_weigh_what_their_rows_do(kind: str, tmp_path: Path) -> None:
    frame = survey()
    frame.to_csv(tmp_path / "s.csv", index=False)
    data = {"pandas": frame, "polars": pl.from_pandas(frame), "csv": tmp_path / "s.csv"}[kind]
    prepared = load(data, sf.Spec.from_dict(SPEC))
    problem = make_local_problem(prepared, make_problem(prepared, (), ("loss",)))
    expected: Counter[tuple[float, str | None]] = Counter()
    for age, town, weight in zip(frame["age"], frame["town"], frame["w"], strict=True):
        expected[(age // 5 * 5, town)] += weight
    assert sorted(problem.weights) == pytest.approx(sorted(expected.values()))
    assert problem.total == pytest.approx(frame["w"].sum())


def cost_of_rows(frame: pd.DataFrame, released: pd.DataFrame, weights: pd.Series) -> float:
    """Return how wide the ages of rows are on average; a suppressed row counts as the whole."""
    ends = released["age"].astype(str).str.extract(r"^(\d+)(?:-(\d+))?$").astype(float)
    width = (ends[1].fillna(ends[0]) - ends[0]).fillna(40).reindex(frame.index, fill_value=40)
    return float((width * weights).sum() / weights.sum())


@pytest.mark.slow
def test_heavy_rows_keep_more_detail() -> None:
    frame = survey(rows=600).drop(columns="town")
    asked = {**SPEC, "attributes": {name: SPEC["attributes"][name] for name in ("age", "ill")}}
    asked["attributes"] = {**asked["attributes"], "age": {"role": "quasi-identifier"}}
    asked["require"] = {"k": 12}
    frame["age"] = np.random.default_rng(4).integers(0, 600, 600)
    weighted = sf.anonymize(frame, sf.Spec.from_dict(asked))
    plain = sf.anonymize(frame, sf.Spec.from_dict({**asked, "recoding": {"scope": "local"}}))
    lost = [cost_of_rows(frame, item.frame, frame["w"]) for item in (weighted, plain)]  # type: ignore[arg-type]
    assert lost[0] < lost[1]
    assert weighted.measures["k"] >= 12
    assert weighted.measures["loss"] >= plain.measures["loss"] - 0.01
    weighted.verify()


def test_what_depends_on_weights_is_not_published(tmp_path: Path) -> None:
    asked = {**SPEC, "suppression": {"limit": 0.0}}
    release = sf.anonymize(survey(), sf.Spec.from_dict(asked))
    release.write(tmp_path / "r.csv")
    text = (tmp_path / "r.csv.json").read_text(encoding="utf-8")
    assert "depends on survey weights" in text
    assert release.run["weighted"] is True
    assert release.run["gap"] >= 0  # type: ignore[operator]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"recoding": {"weighted": True}}, "is for scope"),
        ({"data": {"person": "who"}}, "needs the column of survey weights"),
        ({"objectives": {"minimize": ["dm"]}}, "acts on loss only"),
    ],
)
def test_where_it_does_nothing_it_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        sf.Spec.from_dict({**SPEC, **change})


def test_the_command_says_that_the_gap_is_weighted(tmp_path: Path) -> None:
    survey().to_csv(tmp_path / "s.csv", index=False)
    asked = {**SPEC, "data": {**SPEC["data"], "path": "s.csv"}}
    sf.Spec.from_dict(asked, tmp_path).save(tmp_path / "s.toml")
    found = run("anonymize", tmp_path / "s.toml", "--out", tmp_path / "r.csv")
    assert found.status == 0, found.err
    assert "loss, weighted by rows, is at most" in " ".join(found.out.split())
