"""Weights, strata, households and persons: numbers by hand, and a made-up household survey."""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.assess.cells import Survey, read_cells
from sfumato.assess.reidentification import expected_chance
from sfumato.table import open_source
from tests.cli.running import run

if TYPE_CHECKING:
    from pathlib import Path


def chance(f: int, share: float) -> float:
    """Sum 1/h over the negative binomial distribution of F given f, term by term."""
    probability, total, h = share**f, 0.0, f
    while probability > 1e-18 or h < 2 * f / share:
        total += probability / h
        probability *= (1 - share) * h / (h - f + 1)
        h += 1
    return total


@pytest.mark.parametrize("share", [0.004, 0.1, 0.25, 0.5, 0.9])
def test_chances_of_one_and_two_records_have_closed_forms(share: float) -> None:
    rest = 1 - share
    one = share / rest * math.log(1 / share)
    two = share / rest**2 * (share * math.log(share) + rest)
    found = expected_chance(np.array([1, 2, 3, 60]), np.full(4, share))
    assert found == pytest.approx([one, two, chance(3, share), chance(60, share)], rel=1e-9)
    assert (chance(1, share), chance(2, share)) == pytest.approx((one, two), rel=1e-9)


def test_weighted_risk_of_three_classes_by_hand() -> None:
    frame = pd.DataFrame({"town": list("abbccc"), "w": [10, 3.0, 5, 2, 2, 2]})
    # a: f = 1, F = 10; b: f = 2, F = 8; c: f = 3, F = 6.
    r = (
        0.1 / 0.9 * math.log(10),
        0.25 / 0.75**2 * (0.25 * math.log(0.25) + 0.75),
        chance(3, 0.5),
    )
    assert r[:2] == pytest.approx((0.255843, 0.179301), abs=1e-6)
    found = sf.risk(frame, ["town"], weight="w").before
    journalist = found.journalist
    assert journalist is not None
    assert journalist.basis == "weight"
    expected = r[0] + 2 * r[1] + 3 * r[2]
    assert journalist.highest == pytest.approx(r[0])
    assert journalist.expected == pytest.approx(expected)
    assert journalist.average == found.marketer == pytest.approx(expected / 6)
    assert (journalist.records_at_risk, journalist.share_at_risk) == (1, pytest.approx(1 / 6))
    # The prosecutor knows who is in the table, so weights help nobody there.
    assert found.prosecutor == sf.risk(frame, ["town"]).before.prosecutor


def test_weights_below_one_do_not_make_a_class_smaller_than_in_the_table() -> None:
    frame = pd.DataFrame({"town": list("aab"), "w": ["0.5", "0.25", "1"]})
    journalist = sf.risk(frame, ["town"], weight="w").before.journalist
    assert journalist is not None
    assert (journalist.highest, journalist.expected) == (1.0, pytest.approx(2.0))


@pytest.mark.parametrize("wrong", [[None, 0.0, -1.0], ["", "x", "0"], [np.nan, np.inf, -np.inf], [True] * 3])
def test_rows_with_a_weight_that_is_none_are_counted_but_not_shown(wrong: list[Any]) -> None:
    weights = pd.Series(
        [2.0, *wrong] if not isinstance(wrong[1], (str, bool)) else ["2", *wrong], dtype=object
    )
    if not any(isinstance(item, (str, bool)) for item in weights):
        weights = weights.astype(float)
    frame = pd.DataFrame({"town": list("abcd"), "w": weights.map(str) if wrong[0] is True else weights})
    with pytest.raises(sf.SfumatoError, match="3 of 4 rows have one that is missing, zero, negative"):
        sf.risk(frame, ["town"], weight="w")
    spec = make_spec({"weight": "w"}, {"town": {"role": "quasi-identifier"}})
    with pytest.raises(sf.SfumatoError, match="3 of 4 rows"):
        sf.check(frame, spec)


def make_spec(data: dict[str, object], attributes: dict[str, Any], **parts: Any) -> sf.Spec:
    """Make a specification of k = 2, unless told otherwise."""
    tables = {"require": {"k": 2}, "objectives": {"minimize": ["loss"]}, **parts}
    return sf.Spec.from_dict({"data": data, "attributes": attributes, **tables})


def test_a_weight_and_a_fraction_contradict_each_other() -> None:
    frame = pd.DataFrame({"town": list("aab"), "w": [2, 2, 2]})
    spec = make_spec({"weight": "w"}, {"town": {"role": "quasi-identifier"}})
    for more in ({"weight": "w"}, {"spec": spec}):
        with pytest.raises(sf.SfumatoError, match="weight 'w' and a fraction both say"):
            sf.risk(frame, ["town"], fraction=0.1, **more)
    with pytest.raises(sf.SfumatoError, match="weight 'w' and a population both say"):
        sf.risk(frame, ["town"], population=frame, weight="w")
    by_table = sf.risk(frame, population=frame, spec=spec).before.journalist
    assert by_table is not None
    assert by_table.basis == "population"
    by_weight = sf.risk(frame, spec=spec).before.journalist
    assert by_weight is not None
    assert by_weight.basis == "weight"


HOMES = pd.DataFrame(
    {
        "home": ["A", "A", "A", "B", "B", "C"],
        "who": ["a1", "a2", "a3", "b1", "b2", "c1"],
        "age": [30, 30, 5, 30, 5, 70],
        "w": [4.0, 6.0, 8.0, 3.0, 2.0, 5.0],
    }
)


def test_the_risk_of_a_household_by_hand() -> None:
    # Households by class: 30 is A and B, 5 is A and B, 70 is C alone.
    found = sf.risk(HOMES, ["age"], household="home").before
    assert (found.unit, found.sizes.smallest, found.sizes.largest) == ("household", 1, 2)
    a, b, c = 1 - 0.5**3, 1 - 0.5**2, 1.0
    homes = found.households
    assert homes is not None
    assert (homes.households, homes.highest) == (3, c)
    assert homes.average == pytest.approx((a + b + c) / 3)
    assert homes.expected == pytest.approx(a + b + c)
    assert sf.risk(HOMES, ["age"], person="who").before.households is None
    both = sf.risk(HOMES, ["age"], person="who", household="home").before
    assert both == found


def test_a_household_counts_with_its_smallest_weight() -> None:
    cells = read_cells(open_source(HOMES), ("age",), Survey("who", "home", "w")).cells
    classes = cells.classes(["age"])
    # In the order of the ages 5, 30, 70: A 8 and B 2; A min(4, 6) and B 3; C 5.
    assert cells.estimate_population(classes).tolist() == [10.0, 7.0, 5.0]
    found = sf.risk(HOMES, ["age"], household="home", weight="w").before
    r5, r30, r70 = (chance(2, 0.2), chance(2, 2 / 7), chance(1, 0.2))
    homes, journalist = found.households, found.journalist
    assert homes is not None
    assert journalist is not None
    assert journalist.expected == pytest.approx(2 * r5 + 2 * r30 + r70)
    of_homes = (1 - (1 - r30) ** 2 * (1 - r5), 1 - (1 - r30) * (1 - r5), r70)
    assert (homes.highest, homes.average) == pytest.approx((max(of_homes), sum(of_homes) / 3))


def test_a_weight_that_is_published_unchanged_is_warned_of(tmp_path: Path) -> None:
    frame = pd.DataFrame({"town": list("aabb") * 5, "w": [2.0, 3.0] * 10})
    roles = {"town": {"role": "quasi-identifier"}, "w": {"role": "other"}}
    spec = make_spec({"weight": "w"}, roles)
    sentence = (
        "'w' is published unchanged: it is the survey weight, which tells strata and often people apart"
    )
    assert any(sentence in str(item) for item in sf.check(frame, spec)["warnings"])
    release = sf.anonymize(frame, spec)
    assert [str(item).startswith(sentence) for item in release.exposures] == [True]
    hidden = make_spec({"weight": "w"}, {"town": roles["town"]})
    release = sf.anonymize(frame, hidden)
    release.write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "town"
    assert not release.exposures
    safe = make_spec({"weight": "w"}, {**roles, "w": {"role": "quasi-identifier"}})
    assert not sf.anonymize(frame, safe).exposures


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"household": "hom"}, "Did you mean 'home'"),
        ({"weight": "ww"}, "Did you mean 'w'"),
        ({"strata": ["age", "hom"]}, "Did you mean 'home'"),
        ({"person": "home", "household": "home"}, "the same column as person"),
        ({"strata": ["age", "age"]}, "entry 2: repeats entry 1"),
    ],
)
def test_mistakes_in_names(data: dict[str, object], words: str) -> None:
    with pytest.raises(sf.SfumatoError, match=words):
        sf.check(HOMES, make_spec(data, {"age": {"role": "quasi-identifier"}}))
    with pytest.raises(sf.SfumatoError, match="this is the household column"):
        make_spec({"household": "age"}, {"age": {"role": "quasi-identifier"}})


def survey(rows_seed: int = 9) -> pd.DataFrame:
    """Make 200 households of one to six members in six strata; members of a small one have rare ages."""
    chance_of = random.Random(rows_seed)
    rows = []
    for number in range(200):
        region, urban = chance_of.choice("NNNNSSSE"), chance_of.random() < 0.6
        if number < 2:
            region, urban = "W", True
        size = chance_of.randint(1, 6)
        for member in range(size):
            age = chance_of.choice(range(20, 60)) if region != "E" else chance_of.choice(range(90))
            rows.append(
                {
                    "home": f"H{number:03}",
                    "who": f"H{number:03}-{member}",
                    "region": region,
                    "urban": "yes" if urban else "no",
                    "weight": {"N": 40.0, "S": 75.5, "E": 12.25, "W": 8.0}[region],
                    "age": age,
                    "sex": chance_of.choice("fm"),
                    "income": chance_of.choice(["low", "middle", "high"]),
                }
            )
    return pd.DataFrame(rows)


SPEC = make_spec(
    {
        "path": "survey.csv",
        "person": "who",
        "household": "home",
        "weight": "weight",
        "strata": ["region", "urban"],
    },
    {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 30]}, "levels": [0, 1]},
        "sex": {"role": "quasi-identifier", "levels": [0, 0]},
        "income": {"role": "sensitive"},
    },
    require={"k": 5, "distinct_l(income)": 2},
    suppression={"limit": 0.3},
)


def test_a_household_survey_from_check_to_report(tmp_path: Path) -> None:
    frame = survey()
    frame.to_csv(tmp_path / "survey.csv", index=False)
    SPEC.save(tmp_path / "survey.toml")
    checked = json.loads(run("check", tmp_path / "survey.toml", "--json").out)
    homes = frame.groupby(["region", "urban"])["home"].nunique()
    small = homes[homes < 5]
    assert len(small) > 0
    told = f"{len(small)} of {len(homes)} strata have fewer than k = 5 households ({small.sum()} in all)"
    assert [told in text for text in checked["warnings"]].count(True) == 1
    out = tmp_path / "open.csv"
    assert run("anonymize", tmp_path / "survey.toml", "--out", out).status == 0

    # Recounted by plain rows: the same rows, with the household that the file does not show.
    shown = pd.read_csv(out, dtype=str)
    assert list(shown) == ["age", "sex", "income"]
    manifest = json.loads((tmp_path / "open.csv.json").read_text())
    assert manifest["recipe"]["data"]["household"] == "home"
    assert "weight" not in json.dumps(manifest["recipe"]["data"])
    level = manifest["recipe"]["attributes"]["age"]["partition"]["level"]
    decade = [f"{age // 10 * 10}-{age // 10 * 10 + 9}" if level else str(age) for age in frame["age"]]
    living = defaultdict(set)
    for label, sex, home in zip(decade, frame["sex"], frame["home"], strict=True):
        living[label, sex].add(home)
    released = set(zip(shown["age"], shown["sex"], strict=True))
    assert min(len(living[pair]) for pair in released) == manifest["measures"]["k"] >= 5
    kept = np.array([pair in released for pair in zip(decade, frame["sex"], strict=True)])
    assert (kept.sum(), (~kept).sum()) == (len(shown), manifest["rows"]["suppressed"])
    assert not kept.all()

    seen = run("verify", out)
    assert seen.status == 0
    assert "class size counts households, whose column is not published" in " ".join(seen.out.split())
    full = run("verify", out, "--data", tmp_path / "survey.csv")
    assert full.status == 0, full.out + full.err
    _check_risk(tmp_path, frame, kept, decade)
    _check_report(tmp_path, frame, kept)


def _check_risk(folder: Path, frame: pd.DataFrame, kept: np.ndarray, labels: list[str]) -> None:
    asked = [
        "risk",
        folder / "survey.csv",
        "--spec",
        folder / "survey.toml",
        "--release",
        folder / "open.csv",
    ]
    found = json.loads(run(*asked, "--json").out)
    text = run(*asked).out
    assert "any member of a household: highest" in text
    assert "journalist: expected number found" in text
    for side, ages, rows in (
        ("before", list(map(str, frame["age"])), np.ones(len(frame), dtype=bool)),
        ("after", labels, kept),
    ):
        homes: dict[Any, dict[str, float]] = defaultdict(dict)
        keys = list(zip(ages, frame["sex"], strict=True))
        for key, home, weight, here in zip(keys, frame["home"], frame["weight"], rows, strict=True):
            if here:
                homes[key][home] = min(weight, homes[key].get(home, math.inf))
        r = {key: chance(len(own), len(own) / sum(own.values())) for key, own in homes.items()}
        journalist = found[side]["journalist"]
        assert journalist["basis"] == "weight"
        assert journalist["highest"] == pytest.approx(max(r.values()))
        assert journalist["expected"] == pytest.approx(sum(r[key] * len(own) for key, own in homes.items()))
        missed: dict[str, float] = defaultdict(lambda: 1.0)
        for key, home, here in zip(keys, frame["home"], rows, strict=True):
            if here:
                missed[home] *= 1 - r[key]
        assert found[side]["households"]["highest"] == pytest.approx(1 - min(missed.values()))
        average = 1 - sum(missed.values()) / len(missed)
        assert found[side]["households"]["average"] == pytest.approx(average)


def _check_report(folder: Path, frame: pd.DataFrame, kept: np.ndarray) -> None:
    made = run("report", folder, "--internal", "--json")
    found = {item["attribute"]: item["groups"] for item in json.loads(made.out)["suppressed_by_group"]}
    assert list(found) == ["age", "sex", "income", "region", "urban", "region × urban"]
    for name in ("sex", "income", "region", "urban"):
        for item in found[name]:
            own = (frame[name] == item["name"]).to_numpy()
            assert (item["rows"], item["left_out"]) == (own.sum(), (own & ~kept).sum())
            assert item["weight"] == pytest.approx(frame["weight"][own].sum())
            assert item["weight_left_out"] == pytest.approx(frame["weight"][own & ~kept].sum())
    strata = frame.groupby(["region", "urban"])["weight"].sum()
    assert {item["name"]: item["weight"] for item in found["region × urban"]} == pytest.approx(
        {f"{region} × {urban}": total for (region, urban), total in strata.items()}
    )
    page = (folder / "report-internal.html").read_text()
    assert "weighted total before" in page
    assert "households: members count as one" in page
    assert run("report", folder, "--force").status == 0
    outside = (folder / "report.html").read_text()
    assert "weighted total before" not in outside
    assert "urban" not in outside


def test_the_recipe_counts_households_in_new_data(tmp_path: Path) -> None:
    frame = survey()
    spec = sf.Spec.from_dict({**SPEC.to_dict(), "data": {"household": "home"}})
    release = sf.anonymize(frame, spec)
    release.recipe.save(tmp_path / "recipe.json")
    again = sf.Recipe.load(tmp_path / "recipe.json").apply(survey(10), unknown="suppress")
    assert again.recipe.household == "home"
    assert again.measures["k"] >= 5
    few = frame[frame["home"] < "H004"]
    assert len(few) > 5
    with pytest.raises(sf.SfumatoError, match="only 4 households"):
        release.recipe.apply(few, unknown="suppress")


def test_a_sentence_that_protects_a_member_protects_the_household(tmp_path: Path) -> None:
    frame = survey()
    parts = {
        "require": {"k": 5, "secure": 1},
        "confidential": [{"sentence": "income == high", "for": "age < 18"}],
        "suppression": {"limit": 0.3},
    }
    data = {"person": "who", "household": "home"}
    spec = sf.Spec.from_dict({**SPEC.to_dict(), "data": data, **parts})
    homes = set(frame.loc[frame["age"] < 18, "home"])
    assert 0 < len(homes) < 200
    (told,) = sf.check(frame, spec)["confidential"]  # type: ignore[misc]
    assert told["people"] == len(homes)
    # The recount knows the holders only from the households beside the rows.
    manifest = sf.anonymize(frame, spec).write(tmp_path / "out.csv")
    assert manifest.measures["secure"] == 1
    assert manifest.measures["k"] >= 5
