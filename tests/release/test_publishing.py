"""What is published of a release depends on published rows and on the specification, on nothing else."""

from __future__ import annotations

import csv
import itertools
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import sfumato as sf

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Q = "quasi-identifier"


def publish(frame: pd.DataFrame, spec: dict[str, object], path: Path) -> tuple[bytes, dict[str, object]]:
    """Release a frame by the one recoding that is allowed, and return what everyone gets."""
    return publish_measured(frame, spec, path)[0]


def publish_measured(
    frame: pd.DataFrame, spec: dict[str, object], path: Path
) -> tuple[tuple[bytes, dict[str, object]], Mapping[str, float]]:
    """Do the same, and return the exact measures too, which the owner alone sees."""
    asked = {"objectives": {"minimize": ["dm"]}, "suppression": {"limit": 0.5, "rule": "failing"}, **spec}
    release = sf.anonymize(frame, sf.Spec.from_dict(asked))
    release.write(path, force=True)
    assert sf.verify(path)["holds"]
    manifest = json.loads(path.with_name(path.name + ".json").read_text("utf-8"))
    return (path.read_bytes(), manifest), release.measures


def people(rows: int = 60) -> pd.DataFrame:
    """Return people in three large classes, of whom the last two are in small ones."""
    ages = [21 + place % 10 if place % 2 else 34 + place % 5 for place in range(rows)]
    frame = pd.DataFrame({"age": ages, "job": ["abcd"[place % 4] for place in range(rows)]})
    frame["town"] = ["x" if place % 3 else "y" for place in range(rows)]
    frame.loc[rows - 2 :, "town"] = "lonely"
    return frame


def spec_of(age: dict[str, object], **parts: object) -> dict[str, object]:
    attributes = {
        "age": {"role": Q, **age},
        "town": {"role": Q, "levels": [0, 0]},
        "job": {"role": "sensitive"},
    }
    return {"attributes": attributes, "require": {"k": 3}, **parts}


LEVEL_1 = {"hierarchy": {"intervals": [10, 20]}, "levels": [1, 1]}


def test_no_number_over_a_domain_of_the_data_is_published(tmp_path: Path) -> None:
    frame = people()
    worlds = []
    for age in (97, 22, 58, -5):
        frame.loc[59, "age"] = age
        worlds.append(publish(frame, spec_of(LEVEL_1, require={"k": 3, "loss": 0.9}), tmp_path / "r.csv"))
    assert all(world == worlds[0] for world in worlds)
    stated = worlds[0][1]
    assert {"loss", "glm", "gl", "precision", "usefulness", "protection"} <= set(stated["withheld"])
    assert not set(stated["withheld"]) & set(stated["measures"])
    assert "bottom and top" in stated["withheld"]["loss"]
    assert "town" in stated["withheld"]["loss"]
    assert stated["reference"]["attributes"] == {}


def test_a_withheld_requirement_is_listed_and_judged_by_the_owner(tmp_path: Path) -> None:
    publish(people(), spec_of(LEVEL_1, require={"k": 3, "loss": 0.9}), tmp_path / "r.csv")
    listed = {item["name"]: item for item in sf.verify(tmp_path / "r.csv")["checks"]}
    assert listed["require loss"]["verdict"] == "cannot be recounted"
    with pytest.raises(sf.errors.SfumatoError):
        publish(people(), spec_of(LEVEL_1, require={"k": 3, "loss": 0.1}), tmp_path / "s.csv")


TREE = {"tree": {"city": ["x", "y"], "country": ["lonely", "far"]}}
BOUNDED = {"hierarchy": {"intervals": [10, 20], "bottom": 20, "top": 60}, "levels": [1, 1]}


def declared(age: dict[str, object]) -> dict[str, object]:
    attributes = {
        "age": {"role": Q, **age},
        "town": {"role": Q, "hierarchy": TREE, "levels": [0, 0]},
        "job": {"role": "sensitive"},
    }
    return {"attributes": attributes, "require": {"k": 3}}


def test_over_declared_domains_losses_are_published(tmp_path: Path) -> None:
    frame = people()
    release = sf.anonymize(frame, sf.Spec.from_dict(declared(BOUNDED) | SETTINGS))
    release.write(tmp_path / "r.csv")
    stated = json.loads((tmp_path / "r.csv.json").read_text("utf-8"))
    assert "withheld" not in stated
    # Forty ages from 20 to 59, ten in a block; towns are kept; two of sixty rows are suppressed.
    assert stated["measures"]["loss"] == pytest.approx((58 * 9 / 39 + 2 * 2) / 120)
    for name in ("loss", "glm", "gl", "precision", "usefulness", "protection"):
        assert stated["measures"][name] == pytest.approx(release.measures[name]), name


SETTINGS = {"objectives": {"minimize": ["dm"]}, "suppression": {"limit": 0.5, "rule": "failing"}}


@pytest.mark.some(1)
@pytest.mark.parametrize("level", [0, 1, 3])
def test_hidden_values_beyond_a_declared_domain_show_nowhere(tmp_path: Path, level: int) -> None:
    age, frame, worlds = {**BOUNDED, "levels": [level, level]}, people(), []
    for value in (25, 97, 3, None):
        frame["age"] = frame["age"].astype("Int64")
        frame.loc[59, "age"] = value
        worlds.append(publish(frame, declared(age), tmp_path / "r.csv"))
    assert all(world == worlds[0] for world in worlds)


@pytest.mark.slow
def test_an_order_declares_its_values(tmp_path: Path) -> None:
    frame = people()
    frame["band"] = ["low" if place % 2 else "mid" for place in range(60)]
    spec = declared(BOUNDED)
    spec["attributes"]["band"] = {  # type: ignore[index]
        "role": Q,
        "kind": "ordinal",
        "order": ["low", "mid", "high", "top"],
        "scheme": "ordered",
    }
    worlds = []
    for hidden in ("low", "high", "top"):
        frame.loc[59, "band"] = hidden
        worlds.append(publish(frame, spec, tmp_path / "r.csv")[1]["measures"])
    assert worlds[0] == worlds[1] == worlds[2]


@pytest.mark.parametrize("jobs", ["abz", pytest.param("abcdz", marks=pytest.mark.slow)])
def test_shares_and_t_tell_nothing_about_suppressed_rows(tmp_path: Path, jobs: str) -> None:
    frame, worlds, exact = people(), [], []
    spec = spec_of(LEVEL_1, require={"k": 3, "t(job)": 0.6})
    # Both rows are hidden: which of the two has which job is nothing that a number could tell.
    for pair in itertools.combinations_with_replacement(jobs, 2):
        frame.loc[[58, 59], "job"] = pair
        world, measures = publish_measured(frame, spec, tmp_path / "r.csv")
        worlds.append(world)
        exact.append(measures["t(job)"])
    assert all(world == worlds[0] for world in worlds)
    stated = worlds[0][1]
    most, least = stated["measures"]["t(job)"], stated["measures"]["t(job)"] - stated["tolerance"]["t(job)"]
    assert least - 1e-12 <= min(exact)
    assert max(exact) <= most + 1e-12
    assert stated["tolerance"]["t(job)"] == pytest.approx(2 * 2 / 60)
    assert "z" not in stated["reference"]["distributions"]["job"]["values"]


@pytest.mark.slow
def test_ordered_t_over_a_domain_of_the_data_is_withheld(tmp_path: Path) -> None:
    frame, worlds = people(), []
    frame["pay"] = [place % 7 for place in range(60)]
    spec = spec_of(LEVEL_1, require={"k": 3, "t(pay, ordered)": 0.5})
    spec["attributes"]["pay"] = {"role": "sensitive", "kind": "number"}  # type: ignore[index]
    for hidden in (3, 99, -1):
        frame.loc[59, "pay"] = hidden
        worlds.append(publish(frame, spec, tmp_path / "r.csv"))
    assert all(world == worlds[0] for world in worlds)
    assert "t(pay, ordered)" in worlds[0][1]["withheld"]


@pytest.mark.parametrize("ages", [(21, 38, 97), pytest.param((21, 25, 34, 38, 97), marks=pytest.mark.slow)])
def test_hdm_is_stated_as_the_largest_that_it_can_be(tmp_path: Path, ages: tuple[int, ...]) -> None:
    frame, worlds, exact = people(), [], []
    spec = spec_of(LEVEL_1, require={"k": 3, "hdm": 60})
    for age, other in itertools.combinations_with_replacement(ages, 2):
        frame.loc[[58, 59], "age"] = (age, other)
        if len({age // 10, other // 10}) == 1:
            frame.loc[[58, 59], "town"] = ("lonely", "far")
        world, measures = publish_measured(frame, spec, tmp_path / "r.csv")
        worlds.append(world)
        exact.append(measures["hdm"])
        frame.loc[[58, 59], "town"] = "lonely"
    assert all(world == worlds[0] for world in worlds)
    stated = worlds[0][1]
    assert stated["measures"]["hdm"] - stated["tolerance"]["hdm"] <= min(exact)
    assert max(exact) <= stated["measures"]["hdm"]


@pytest.mark.some(1)
@pytest.mark.parametrize("output", ["mode", "median", "mean"])
def test_statistics_are_those_of_published_rows(tmp_path: Path, output: str) -> None:
    frame, worlds = people(), []
    spec = spec_of({**LEVEL_1, "output": output})
    for hidden in (21, 29, 97):
        frame.loc[[58, 59], "age"] = hidden
        worlds.append(publish(frame, spec, tmp_path / "r.csv"))
    assert all(world == worlds[0] for world in worlds)
    rows = list(csv.DictReader(worlds[0][0].decode().splitlines()))
    kept = frame["age"][:58]
    young = kept[kept < 30]
    due = {"mode": young.mode()[0], "median": sorted(young)[(len(young) - 1) // 2], "mean": young.mean()}
    assert float(due[output]) in {float(row["age"]) for row in rows}


@pytest.mark.some(1)
@pytest.mark.parametrize("scheme", ["ordered", "sets"])
def test_labels_and_recipes_name_published_values_alone(tmp_path: Path, scheme: str) -> None:
    """The rows of one town are published, whatever the values of the lonely ones."""
    base = pd.DataFrame({"age": [20, 20, 24, 24, 50, 50, 50, 54] * 2, "town": ["x"] * 16})
    worlds = []
    for hidden in ((27, 22), (29, 22), (22, 56), (51, 53), (20, 24)):
        lonely = pd.DataFrame({"age": hidden, "town": ["z", "w"]})
        frame = pd.concat([base, lonely], ignore_index=True)
        attributes = {
            "age": {"role": Q, "kind": "number" if scheme == "ordered" else "category", "scheme": scheme},
            "town": {"role": Q, "levels": [0, 0]},
        }
        spec = {
            "attributes": attributes,
            "require": {"k": 8},
            "suppression": {"limit": 0.2},
            "objectives": {"minimize": ["dm"]},
        }
        release = sf.anonymize(frame, sf.Spec.from_dict(spec))
        release.write(tmp_path / "r.csv", force=True)
        assert sf.verify(tmp_path / "r.csv", data=frame)["holds"]
        text = (tmp_path / "r.csv.json").read_text("utf-8") + (tmp_path / "r.csv").read_text("utf-8")
        worlds.append(text)
        # 20 and 24 lie in one block and 50 and 54 in another, or nothing of eight rows would be left.
        assert release.rows["suppressed"] == 2
    assert all(world == worlds[0] for world in worlds)
    assert "29" not in json.loads(worlds[0][: worlds[0].index("\n}\n") + 3])["recipe"]["attributes"]["age"]


@pytest.mark.some(1)
@pytest.mark.parametrize("output", ["label", "mode"])
def test_blocks_are_listed_in_the_order_of_published_values(tmp_path: Path, output: str) -> None:
    """A hidden value that comes before all others moves its block to the front, and that must not show."""
    frame = pd.DataFrame({"job": [*"bbccddee", "a"], "town": ["x"] * 8 + ["lonely"]})
    attributes = {
        "job": {"role": Q, "kind": "category", "scheme": "sets", "output": output},
        "town": {"role": Q, "levels": [0, 0]},
    }
    spec = sf.Spec.from_dict(
        {
            "attributes": attributes,
            "require": {"k": 4},
            "suppression": {"limit": 0.2, "rule": "failing"},
            "objectives": {"minimize": ["dm"]},
        }
    )
    front, worlds = sf.explore(frame, spec), []
    for blocks in ([["a", "d", "e"], ["b", "c"]], [["a", "b", "c"], ["d", "e"]]):
        release = replace(front[0], recoding={"job": blocks, "town": 0}, measures={}).release()
        assert release.rows["suppressed"] == 1
        release.write(tmp_path / "r.csv", force=True)
        worlds.append((tmp_path / "r.csv.json").read_text("utf-8"))
    assert worlds[0] == worlds[1]


def test_a_verdict_shows_the_most_cautious_number(tmp_path: Path) -> None:
    spec = spec_of(LEVEL_1, require={"k": 3, "t(job)": 0.6})
    stated = publish(people(), spec, tmp_path / "r.csv")[1]
    shown = sf.verify(tmp_path / "r.csv")["measures"]
    assert shown["t(job)"] == pytest.approx(stated["measures"]["t(job)"])
