"""Local recoding of odd tables: tiny ones, columns that tell nothing, requirements that cannot be met."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import InfeasibleError

QUASI = {"role": "quasi-identifier"}
KEPT = {**QUASI, "keep": True}
SECRET = {"role": "sensitive"}


def release_of(columns: dict[str, Any], attributes: dict[str, Any] | None = None, **more: Any) -> sf.Release:
    """Return a local release of a few columns, by default all of them quasi-identifiers."""
    spec = {
        "attributes": attributes or dict.fromkeys(columns, QUASI),
        "recoding": {"scope": "local"},
        "require": {"k": 2},
        "objectives": {"minimize": ["loss"]},
        "search": {"iterations": 2000},
        **more,
    }
    return sf.anonymize(pa.table(columns), sf.Spec.from_dict(spec), threads=1)


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("columns", "attributes", "more", "shown", "gap"),
    [
        ({"a": ["x"]}, None, {"require": {"k": 1}}, ["x"], 0.0),
        ({"a": ["x"] * 5}, None, {}, ["x"] * 5, 0.0),
        ({"a": [7] * 4}, None, {"require": {"k": 4}}, [7] * 4, 0.0),
        ({"a": list("xxyy")}, {"a": KEPT}, {}, list("xxyy"), 0.0),
        ({"a": list("xxyyz")}, {"a": KEPT}, {"suppression": {"limit": 0.2}}, list("xxyy"), 0.0),
        ({"a": pa.array([None] * 3, pa.int64())}, None, {}, [None] * 3, 0.0),
        ({"a": [1, 2, 3, 9]}, None, {"require": {"k": 1}}, [1, 2, 3, 9], 0.0),
        ({"a": [1, 2, 3, 9]}, None, {"require": {"k": 4}}, ["1-9"] * 4, 0.0),
        ({"a": [1, 1, 9, 9], "b": [1, 1, 9, 9]}, None, {}, [1, 1, 9, 9], 0.0),
    ],
)
def test_tables_whose_best_recoding_is_plain(columns, attributes, more, shown, gap):
    release = release_of(columns, attributes, **more)
    assert release.frame["a"].to_pylist() == shown
    assert release.run["gap"] == pytest.approx(gap, abs=1e-8)


def test_what_is_proven_is_said_to_be_optimal(tmp_path):
    """One class of everything costs 1, and the bound allows for rounding."""
    assert release_of({"a": [1, 2, 3, 9]}, require={"k": 4}).run["gap"] > 0
    spec = sf.Spec.from_dict(
        {
            "attributes": {"a": QUASI},
            "recoding": {"scope": "local", "ladder": [4]},
            "objectives": {"maximize": ["k"], "minimize": ["loss"]},
            "search": {"iterations": 2000},
        }
    )
    front = sf.explore(pa.table({"a": [1, 2, 3, 9]}), spec, threads=1)
    assert [item.certainty for item in front] == ["proven optimal"]
    stated = front[0].release().write(tmp_path / "out.csv").certificate
    assert str(stated["text"]).startswith("Less than 1 % above the optimum")


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("columns", "attributes", "more", "nearest"),
    [
        ({"a": list("xxyyz")}, {"a": KEPT}, {}, "k >= 2; the nearest that can be met is k = 1"),
        (
            {"a": list("xxyyz"), "b": [3] * 5},
            {"a": KEPT, "b": QUASI},
            {"require": {"k": 3}, "suppression": {"limit": 0.2}},
            "k >= 3; the nearest that can be met is k = 2",
        ),
        (
            {"a": [1, 2, 3], "s": ["x"] * 3},
            {"a": QUASI, "s": SECRET},
            {"require": {"distinct_l(s)": 2}, "suppression": {"limit": 1.0}},
            r"distinct_l\(s\) >= 2; the nearest that can be met is distinct_l\(s\) = 1",
        ),
        (
            {"a": [1, 1, 2, 2], "s": list("xxyy")},
            {"a": KEPT, "s": SECRET},
            {"require": {"t(s)": 0.1}},
            r"t\(s\) <= 0.1; the nearest that can be met is t\(s\) = 0.5",
        ),
        (
            {"a": list("aabbc")},
            {"a": {**QUASI, "hierarchy": {"tree": {"u": ["a", "b"], "v": ["c"]}}, "levels": [0, 1]}},
            {"require": {"k": 4}},
            "k >= 4; the nearest that can be met is k = 1",
        ),
    ],
)
def test_what_cannot_be_met_is_told_with_the_nearest(columns, attributes, more, nearest):
    with pytest.raises(InfeasibleError, match=f"no local recoding was found that meets {nearest}"):
        release_of(columns, attributes, **more)


def crowd() -> dict[str, Any]:
    """Return sixty people who differ in age and job."""
    rng = np.random.default_rng(1)
    return {"age": rng.integers(0, 50, 60), "job": rng.choice(list("xyzuvw"), 60)}


@pytest.mark.some(2)
@pytest.mark.parametrize("iterations", [1, 20_000])
@pytest.mark.parametrize("name", ["average_class", "dm"])
def test_bound_and_gap_are_those_of_the_measure_that_is_minimized(name, iterations, tmp_path):
    """The mean class of 60 rows with k = 4 is 4 at best, and dm 240."""
    release = release_of(
        crowd(), require={"k": 4}, objectives={"minimize": [name]}, search={"iterations": iterations}
    )
    best = {"average_class": 4.0, "dm": 240.0}[name]
    assert release.run["bound"] == pytest.approx(best, rel=1e-6)
    assert release.run["bound"] <= best
    assert release.run["gap"] >= release.measures[name] / best - 1 - 1e-12
    stated = release.write(tmp_path / "out.csv").certificate
    assert stated["gap"] >= release.measures[name] / best - 1
    assert f"At most {100 * stated['gap']:.0f} %" in stated["text"]


def test_a_mean_class_states_no_bound_where_rows_may_be_suppressed():
    release = release_of(
        crowd(),
        require={"k": 4},
        objectives={"minimize": ["average_class"]},
        suppression={"limit": 0.1},
    )
    assert "bound" not in release.run
    assert "gap" not in release.run
