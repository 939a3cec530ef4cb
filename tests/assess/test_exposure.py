"""What unchanged columns give away, against counts over plain rows."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.assess.exposure import guess
from tests.cli.running import run
from tests.examples import examples

ROWS = 600


def line_list(rows=ROWS):
    """Make a list of cases: an onset, its notification some days later, a town in a county, a weight."""
    random = np.random.default_rng(8)
    onset, lag, town = (
        random.integers(0, 2000, rows),
        random.integers(0, 10, rows),
        random.integers(0, 24, rows),
    )
    day = dt.date(2012, 1, 1)
    return pd.DataFrame(
        {
            "age": random.integers(0, 80, rows),
            "onset": [(day + dt.timedelta(int(d))).isoformat() for d in onset],
            "notified": [(day + dt.timedelta(int(d))).isoformat() for d in onset + lag],
            "town": [f"town {place}" for place in town],
            "county": [f"county {place // 6}" for place in town],
            "weight": random.random(rows).round(9),
            "ill": random.choice(["flu", "cold", "none"], rows),
            "tags": "same",
        }
    )  # fmt: skip


def described(**roles):
    hierarchies = {"age": {"intervals": [10, 20, 40]}, "onset": {"dates": ["month", "year"]}}
    return sf.Spec.from_dict(
        {
            "attributes": {
                "age": {"role": "quasi-identifier", "hierarchy": hierarchies["age"]},
                "onset": {"role": "quasi-identifier", "hierarchy": hierarchies["onset"]},
                **{name: {"role": role} for name, role in roles.items()},
            },
            "require": {"k": 4},
            "suppression": {"limit": 0.02},
            "objectives": {"minimize": ["loss"]},
        }
    )


SPEC = described(notified="other", town="other", weight="other", tags="other", ill="sensitive")


def small_classes(released, column, k):
    """Count rows in classes below k, and rows that are alone."""
    sizes = Counter(zip(released["age"], released["onset"], released[column], strict=True))
    return sum(n for n in sizes.values() if n < k), sum(n for n in sizes.values() if n == 1)


@pytest.mark.parametrize("library", [pd, pl])
def test_small_classes_and_twins_of_a_release_are_told(library):
    frame = line_list()
    data = frame if library is pd else pl.from_pandas(frame)
    release = sf.anonymize(data, SPEC)
    found = {item.column: item for item in release.exposures}
    released = release.frame if library is pd else release.frame.to_pandas()
    for name in ("notified", "town", "weight"):
        assert (found[name].small, found[name].unique) == small_classes(released, name, 4)
    assert "tags" not in found  # one value in every row tells nothing
    onset = next(item for item in found["notified"].predicts if item.column == "onset")
    assert onset.correlation > 0.9
    assert not onset.is_removed
    county = next(item for item in found["town"].predicts if item.column == "county")
    assert county.is_removed
    assert county.right == 1.0
    assert not found["weight"].predicts
    assert release.unchanged == ("notified", "town", "weight", "ill", "tags")


def test_a_coarse_twin_that_says_no_more_than_the_label_is_no_prediction():
    frame = line_list()
    frame["year"] = [text[:4] for text in frame["onset"]]
    spec = described(year="other", ill="sensitive")
    release = sf.anonymize(frame, spec)
    assert release.recoding["onset"] == 2  # years, so that the column repeats what the label says
    assert not any(item.predicts for item in release.exposures)


def test_a_sensitive_date_may_be_the_twin_of_a_generalized_one():
    release = sf.anonymize(line_list(), described(notified="sensitive"))
    (found,) = release.exposures
    assert [item.column for item in found.predicts] == ["onset"]
    counts = Counter(line_list()["notified"])
    assert found.is_alone  # besides quasi-identifiers, sensitive values are not taken to be known
    assert found.small == sum(many for many in counts.values() if many < 4)


def test_without_other_columns_nothing_is_read_again(monkeypatch):
    release = sf.anonymize(line_list(), described(ill="sensitive"))
    monkeypatch.setattr("sfumato.assess.exposure.read_cells", None)
    assert release.exposures == []


def test_persons_are_counted_where_classes_count_them():
    frame = line_list()
    frame["who"] = np.arange(ROWS) // 2
    spec = described(tags="other", ill="sensitive", who="identifier")
    spec = sf.Spec.from_dict({**spec.to_dict(), "data": {"person": "who"}})
    frame["tags"] = np.where(np.arange(ROWS) < 6, "rare", "common")
    found = {item.column: item for item in sf.anonymize(frame, spec).exposures}
    assert found["tags"].small >= 6  # three people with two rows each


def test_every_command_that_releases_warns(tmp_path):
    line_list().to_csv(tmp_path / "cases.csv", index=False)
    stated = {**SPEC.to_dict(), "data": {"path": "cases.csv"}}
    sf.Spec.from_dict(stated).save(tmp_path / "cases.toml")

    told = json.loads(run("anonymize", tmp_path / "cases.toml", "--out", tmp_path / "out.csv", "--json").out)
    assert [line.split("'")[1] for line in told["warnings"]] == ["notified", "town", "weight"]
    assert "weight" in told["unchanged"]
    checked = json.loads(run("check", tmp_path / "cases.toml", "--json").out)
    assert any(
        line.startswith("'notified' is published unchanged: anyone who") for line in checked["warnings"]
    )
    quiet = run("anonymize", tmp_path / "cases.toml", "--out", tmp_path / "again.csv", "--quiet")
    assert not quiet.out
    assert quiet.err.count("is published unchanged") == 3
    made = run(
        "report", tmp_path, "--release", tmp_path / "out.csv", "--out", tmp_path / "report.html", "--json"
    )
    assert made.status == 0
    assert "finds" in (tmp_path / "report.html").read_text()
    assert "onset&#x27;, which" not in (tmp_path / "report.html").read_text()  # needs the original


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(1, 4)), min_size=1, max_size=12))
@examples(200)
def test_guessing_is_leaving_one_out(cells):
    rows = [(seen, value) for seen, value, count in cells for _ in range(count)]
    by_look = defaultdict(Counter)
    for seen, value in rows:
        by_look[seen][value] += 1
    right = 0
    for seen, value in rows:
        rest = by_look[seen] - Counter([value])
        right += bool(rest) and rest[value] == max(rest.values())
    expected = right / len(rows)
    seen, value, count = (np.array(part, dtype=np.int64) for part in zip(*cells, strict=True))
    assert guess(seen, value, count) == pytest.approx(expected)


def test_the_roles_of_a_release_are_those_of_its_recipe(tmp_path):
    line_list().to_csv(tmp_path / "cases.csv", index=False)
    stated = {**SPEC.to_dict(), "data": {"path": "cases.csv"}}
    sf.Spec.from_dict(stated).save(tmp_path / "cases.toml")
    assert run("anonymize", tmp_path / "cases.toml", "--out", tmp_path / "out.csv").status == 0
    edited = {**stated, "attributes": {**stated["attributes"], "onset": {"role": "sensitive"}}}
    del edited["attributes"]["town"]
    sf.Spec.from_dict(edited).save(tmp_path / "cases.toml")
    made = run("report", tmp_path, "--release", tmp_path / "out.csv", "--internal", "--json")
    assert made.status == 0, made.err
    found = {item["column"]: item for item in made.json["exposures"]}
    assert [item["column"] for item in found["notified"]["predicts"]] == ["onset"]
    assert [item["column"] for item in found["town"]["predicts"]] == ["county"]


def test_a_file_is_judged_by_a_sample_of_its_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.assess.exposure.MOST_ROWS", 250)
    line_list().to_csv(tmp_path / "cases.csv", index=False)
    sf.Spec.from_dict({**SPEC.to_dict(), "data": {"path": "cases.csv"}}).save(tmp_path / "cases.toml")
    release = sf.anonymize(None, sf.Spec.load(tmp_path / "cases.toml"))
    assert release.rows["suppressed"]
    release.write(tmp_path / "out.csv")
    made = run("report", tmp_path, "--internal", "--json")
    assert made.status == 0, made.err
    told = {item["column"]: [to["column"] for to in item["predicts"]] for item in made.json["exposures"]}
    known = {item.column: [to.column for to in item.predicts] for item in release.exposures}
    assert told == known
    assert known["town"] == ["county"]
