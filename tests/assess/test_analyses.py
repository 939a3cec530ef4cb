"""Analyses of a release beside its original: from a draft, from files, from microaggregated tables."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.assess.analyses import recoded_of_draft, utility
from sfumato.assess.analysing import analyse_recoded
from sfumato.assess.pairing import open_release
from sfumato.datasets import adult_path, adult_spec_path
from sfumato.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.releases import Release

WORK = {"own": ["farm", "shop"], "hired": ["mill", "office", "school"]}


def people(rows: int = 240) -> pd.DataFrame:
    """Return rows with numbers, texts, dates and missing values."""
    rng = random.Random(5)
    work = [rng.choice([*WORK["own"], *WORK["hired"]]) for _ in range(rows)]
    return pd.DataFrame(
        {
            "age": [
                rng.choice([None, *range(20, 60)]) if n % 9 == 0 else rng.randrange(20, 60)
                for n in range(rows)
            ],
            "work": work,
            "town": [
                rng.choice(["ash", "birch", "cedar", "dogwood"]) if n % 11 else None for n in range(rows)
            ],
            "born": [f"19{rng.randrange(50, 99)}-0{rng.randrange(1, 9)}-11" for _ in range(rows)],
            "illness": [name[0] if rng.random() < 0.7 else rng.choice("xyz") for name in work],
        }
    )


LEVELS = {
    "age": {"hierarchy": {"intervals": [5, 10, 20], "origin": 20}},
    "work": {"hierarchy": {"tree": WORK}},
    "town": {},
    "born": {"hierarchy": {"dates": ["month", "year", "decade"]}},
}
MIXED = {
    "age": {"scheme": "ordered", "granularity": 10},
    "work": {"scheme": "cuts", "hierarchy": {"tree": WORK}},
    "town": {"scheme": "sets"},
}
SHOWN = {
    "age": {"hierarchy": {"intervals": [5, 10, 20], "origin": 20}, "output": "mean", "levels": [1, 3]},
    "work": {"hierarchy": {"tree": WORK}, "output": "mode"},
}


def make_spec(attributes: dict[str, dict[str, object]], output: str = "drop") -> sf.Spec:
    named = {name: {"role": "quasi-identifier", **more} for name, more in attributes.items()}
    return sf.Spec.from_dict(
        {
            "attributes": {**named, "illness": {"role": "sensitive"}},
            "suppression": {"limit": 0.1, "output": output},
            "require": {"k": 3},
            "objectives": {"minimize": ["loss"]},
            "search": {"method": "optimal"},
        }
    )


def make_release(
    attributes: dict[str, dict[str, object]], output: str = "drop", frame: object = None
) -> Release:
    return sf.anonymize(people() if frame is None else frame, make_spec(attributes, output))


@pytest.mark.some(1)
@pytest.mark.parametrize("output", ["drop", "mask"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("attributes", [LEVELS, MIXED, SHOWN], ids=["levels", "mixed", "shown"])
def test_files_tell_the_same_as_the_draft(
    tmp_path: Path, attributes: dict[str, dict[str, object]], suffix: str, output: str
) -> None:
    release = make_release(attributes, output)
    file = tmp_path / f"release.{suffix}"
    release.write(file)
    found = utility(open_release(release._draft))
    assert found.suppressed == release.rows["suppressed"] > 0
    assert utility(open_release(file), people(), make_spec(attributes, output)) == found
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_order_of_rows_and_the_kind_of_frame_do_not_matter(tmp_path: Path) -> None:
    found = utility(open_release(make_release(LEVELS)._draft))
    turned = people().sample(frac=1, random_state=2)
    assert utility(open_release(make_release(LEVELS, frame=turned)._draft)) == found
    turned.to_csv(tmp_path / "people.csv", index=False)
    assert utility(open_release(make_release(LEVELS, frame=tmp_path / "people.csv")._draft)) == found


def test_the_released_rows_themselves_say_how_far_they_are() -> None:
    """Read the labels of the released frame, spread them by hand, and compare."""
    attributes = {"age": {**LEVELS["age"], "levels": [2, 2]}, "work": {**LEVELS["work"], "levels": [1, 1]}}
    original = people().dropna(subset=["age"])
    release = make_release(attributes, frame=original)
    found = {item.name: item for item in utility(open_release(release._draft)).attributes}
    frame = release.frame
    assert isinstance(frame, pd.DataFrame)
    ages: Counter[int] = Counter()
    for label in frame["age"]:
        low, high = (int(end) for end in label.split("-"))
        inside = [
            age for age in range(low, high + 1) if original["age"].min() <= age <= original["age"].max()
        ]
        ages.update({age: 1 / len(inside) for age in inside})
    before = Counter(original["age"].astype(int))
    every = {*ages, *before}
    distance = sum(abs(before[age] / len(original) - ages[age] / len(frame)) for age in every) / 2
    assert found["age"].distance == pytest.approx(distance)
    assert found["age"].mean == pytest.approx(original["age"].mean())
    works: Counter[str] = Counter()
    for label in frame["work"]:
        works.update({name: 1 / len(WORK[label]) for name in WORK[label]})
    before_works = Counter(original["work"])
    distance = sum(abs(before_works[name] / len(original) - works[name] / len(frame)) for name in works) / 2
    assert found["work"].distance == pytest.approx(distance)


def test_a_statistic_stands_for_its_block() -> None:
    release = make_release(SHOWN)
    age = recoded_of_draft(release._draft).attributes[0]
    frame = release.frame
    assert isinstance(frame, pd.DataFrame)
    assert age.shown is not None
    shown = {float(text) for text in frame["age"].dropna().unique()}
    assert shown <= set(age.shown.tolist())


def test_numbers_of_a_hierarchy_file_are_numbers_and_in_order() -> None:
    tree = {"low": [str(age) for age in range(20, 40)], "high": [str(age) for age in range(40, 60)]}
    frame = people().dropna(subset=["age"]).astype({"age": int})
    release = make_release({"age": {"hierarchy": {"tree": tree}}, "work": {}}, frame=frame)
    age = recoded_of_draft(release._draft).attributes[0]
    assert age.kind == "number"
    assert age.numbers is not None
    assert (np.diff(age.numbers) > 0).all()
    assert age.labels[0] == "20"


def test_other_rows_are_refused_without_naming_one(tmp_path: Path) -> None:
    release = make_release(LEVELS)
    release.write(tmp_path / "release.csv")
    with pytest.raises(DataError, match="not made from these data") as caught:
        utility(open_release(tmp_path / "release.csv"), people(200), make_spec(LEVELS))
    assert not any(name in str(caught.value) for name in ("ash", "birch", "mill"))


def test_persons_are_tested_as_a_whole() -> None:
    frame = people().assign(who=[number // 3 for number in range(240)])
    spec = make_spec(LEVELS)
    spec = spec.model_copy(update={"data": spec.data.model_copy(update={"person": "who"})})
    table = recoded_of_draft(sf.anonymize(frame, spec)._draft)
    assert table.persons is not None
    assert len(np.unique(table.persons)) == 80
    found = analyse_recoded(table).model
    assert found is not None
    assert found.test_rows % 3 == found.train_rows % 3 == 0


def test_microaggregated_tables_are_compared_row_by_row(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=200), "y": rng.normal(size=200), "name": ["n"] * 200})
    frame["z"] = frame["x"] + frame["y"]
    frame.loc[:9, "y"] = np.nan
    made = sf.microaggregate(frame, columns=["x", "y", "z"], k=5)
    made.write(tmp_path / "micro.parquet")
    found = utility(open_release(made), made=made)
    assert found.manner == "microaggregated"
    assert found == utility(open_release(tmp_path / "micro.parquet"), frame)
    assert found.model is not None
    assert found.model.original["r2"] > found.model.baseline["r2"]
    with pytest.raises(DataError, match="rows"):
        utility(open_release(tmp_path / "micro.parquet"), frame[5:])


@pytest.mark.slow
def test_coarser_releases_of_the_census_are_not_better() -> None:
    spec = sf.Spec.load(adult_spec_path())
    found = []
    for level in (0, 1, 2):
        attributes = dict(spec.attributes)
        for name in ("age", "education", "marital-status", "native-country", "workclass"):
            attributes[name] = attributes[name].model_copy(update={"levels": (level, level)})
        for name in ("race", "sex", "salary-class"):
            attributes[name] = attributes[name].model_copy(update={"levels": (0, 0)})
        same = spec.model_copy(
            update={
                "attributes": attributes,
                "require": {"k": 1},
                "suppression": spec.suppression.model_copy(update={"limit": 0.0}),
            }
        )
        found.append(utility(open_release(sf.anonymize(adult_path(), same)._draft)))
    assert [item.used for item in found] == [30_162] * 3
    assert found[0].distance == 0
    assert found[0].distance < found[1].distance < found[2].distance
    assert found[0].association_change < found[1].association_change < found[2].association_change
    medians = [item.queries.error.median for item in found if item.queries is not None]
    assert medians == sorted(medians)
    models = [item.model for item in found if item.model is not None]
    assert models[0].release == models[0].original == models[1].original
    assert models[0].release["auc"] > models[1].release["auc"] > models[2].release["auc"] > 0.5
    assert models[2].release["accuracy"] > models[2].baseline["accuracy"]
