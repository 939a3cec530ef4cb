"""Hierarchies whose levels are other columns, against plain grouping."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sfumato as sf
from tests.cli.running import run

if TYPE_CHECKING:
    from pathlib import Path


def towns(rows: int = 300, seed: int = 2) -> pd.DataFrame:
    """Make a table of towns in provinces in regions."""
    random = np.random.default_rng(seed)
    town = random.integers(0, 30, rows)
    return pd.DataFrame(
        {
            "town": [f"town {number:02}" for number in town],
            "province": [f"province {number // 5}" for number in town],
            "region": [f"region {number // 15}" for number in town],
            "ill": random.choice(["flu", "cold", "gout"], rows),
        }
    )


def described(k: int, *columns: str, **more: object) -> sf.Spec:
    return sf.Spec.from_dict(
        {
            "attributes": {
                "town": {"role": "quasi-identifier", "hierarchy": {"columns": list(columns)}, **more},
                "ill": {"role": "sensitive"},
            },
            "require": {"k": k},
            "suppression": {"limit": 0.0},
            "objectives": {"minimize": ["loss"]},
        }
    )


@pytest.mark.some(3)
@pytest.mark.parametrize("library", [pd, pl])
@pytest.mark.parametrize(("k", "column"), [(2, "town"), (20, "province"), (100, "region"), (250, None)])
def test_the_finest_column_that_is_private_enough_is_published(
    library: object, k: int, column: str | None
) -> None:
    frame = towns()
    data = frame if library is pd else pl.from_pandas(frame)
    sizes = {name: min(Counter(frame[name]).values()) for name in ("town", "province", "region")}
    assert column is None or sizes[column] >= k
    release = sf.anonymize(data, described(k, "province", "region"))
    released = release.frame if library is pd else release.frame.to_pandas()
    expected = ["*"] * len(frame) if column is None else list(frame[column])
    assert list(released["town"]) == expected
    assert list(released.columns) == ["town", "ill"]
    release.verify()


def test_a_recipe_names_no_value_below_what_is_published(tmp_path: Path) -> None:
    release = sf.anonymize(towns(), described(20, "province", "region"))
    release.write(tmp_path / "out.csv")
    text = (tmp_path / "out.csv.json").read_text()
    assert "town 0" not in text
    assert "region 0" not in text
    stated = json.loads(text)["recipe"]["attributes"]["town"]["hierarchy"]
    assert stated == {"columns": ["province", "region"], "shown": [f"province {n}" for n in range(6)]}
    assert "loss" in json.loads(text)["withheld"]  # the data say how many towns there are
    assert run("verify", tmp_path / "out.csv").status == 0
    changed = (tmp_path / "out.csv").read_text().replace("province 3", "province 9")
    (tmp_path / "out.csv").write_text(changed)
    assert run("verify", tmp_path / "out.csv").status == 1


def test_a_recipe_takes_the_levels_from_new_data() -> None:
    recipe = sf.anonymize(towns(), described(20, "province", "region")).recipe
    new = towns(400, seed=9)
    new.loc[:60, ["town", "province", "region"]] = ["new town", "new province", "region 1"]
    again = recipe.apply(new)
    assert list(again.frame["town"]) == list(new["province"])
    again.verify()


def test_files_and_the_original_are_checked_too(tmp_path: Path) -> None:
    towns().to_csv(tmp_path / "towns.csv", index=False)
    spec = sf.Spec.from_dict({**described(20, "province").to_dict(), "data": {"path": "towns.csv"}})
    spec.save(tmp_path / "towns.toml")
    assert run("check", tmp_path / "towns.toml").status == 0
    made = run("anonymize", tmp_path / "towns.toml", "--out", tmp_path / "out.csv")
    assert made.status == 0, made.err
    against = run("verify", tmp_path / "out.csv", "--data", tmp_path / "towns.csv")
    assert against.status == 0, against.out
    applied = run("apply", tmp_path / "out.csv.json", tmp_path / "towns.csv", "--out", tmp_path / "b.csv")
    assert applied.status == 0, applied.err
    assert (tmp_path / "b.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    assert run("report", tmp_path, "--release", tmp_path / "out.csv", "--internal").status == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"province": "other"}, "1 of 30 values have several values of 'province'"),
        ({"province": None}, "1 of 30 values have no value of 'province'"),
        ({"region": "other"}, "several values of 'region'"),
    ],
)
def test_what_does_not_nest_is_refused_without_a_value(change: dict[str, object], message: str) -> None:
    frame = towns()
    where = frame["town"] == "town 07"
    if change.get("province") is None and "province" in change:
        frame.loc[where, "province"] = None
    else:
        frame.loc[frame.index[where][:1], next(iter(change))] = "other"
    with pytest.raises(sf.errors.HierarchyError) as caught:
        sf.anonymize(frame, described(2, "province", "region"))
    assert message in caught.value.message
    assert "town 07" not in str(caught.value)


def test_a_level_that_nests_by_town_but_not_by_province_is_refused() -> None:
    frame = towns()
    frame.loc[frame["town"] == "town 07", "region"] = "region 9"
    with pytest.raises(
        sf.errors.HierarchyError, match="1 of 6 values of 'province' have several values of 'region'"
    ):
        sf.anonymize(frame, described(2, "province", "region"))


def test_only_for_quasi_identifiers_by_levels() -> None:
    with pytest.raises(sf.errors.SpecError, match="quasi-identifiers with the scheme"):
        described(2, "province", scheme="sets")
    with pytest.raises(sf.errors.SfumatoError, match="no column 'provinze'"):
        sf.anonymize(towns(), described(2, "provinze"))


def test_a_column_without_any_value_stays_missing() -> None:
    frame = towns().assign(town=None)
    release = sf.anonymize(frame, described(2, "province", "region"))
    assert release.frame["town"].isna().all()
