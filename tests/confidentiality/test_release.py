"""From a specification with sentences to a release: verified with and without holders, nothing leaked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import sfumato as sf
from sfumato.errors import InfeasibleError, VerificationError
from sfumato.release import holds, recount
from sfumato.verifier import Promise, Secret
from tests.confidentiality.example import NAMES, PEOPLE, columns, specification

if TYPE_CHECKING:
    from pathlib import Path

pandas = pytest.importorskip("pandas")
WANTED = {"require": {"secure": 1}, "objectives": {"minimize": ["loss"]}}
EVERYONE = ({"sentence": "health == 2 or not (income < 400 or health == missing)"},)
SOME = (
    {"sentence": "health == 1", "record": 1},
    {
        "sentence": "health == 2 or not income < 400",
        "for": "height < 170 and born >= 1956-03-01",
        "damage": 3,
    },
)


def _sources(tmp_path: Path) -> dict[str, object]:
    """Return the same table as every kind of data."""
    frame = pandas.DataFrame(columns())
    csv, parquet = tmp_path / "people.csv", tmp_path / "people.parquet"
    frame.to_csv(csv, index=False)
    frame.to_parquet(parquet)
    found: dict[str, object] = {"pandas": frame, "csv": csv, "parquet": parquet}
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    found |= {"polars": polars.from_pandas(frame), "lazy": polars.from_pandas(frame).lazy()}
    return found | {"arrow": polars.from_pandas(frame).to_arrow(), "duckdb": duckdb.from_df(frame)}


@pytest.mark.some(1)
@pytest.mark.parametrize("confidential", [SOME, EVERYONE], ids=["some", "everyone"])
@pytest.mark.parametrize("kinds", [("pandas", "csv", "duckdb"), pytest.param((), marks=pytest.mark.slow)])
def test_every_kind_of_data_gives_the_same_verified_release(tmp_path: Path, confidential, kinds) -> None:
    """Who holds a sentence is recounted from columns that do not leave, whatever holds them."""
    spec = sf.Spec.from_dict(specification(*confidential, **WANTED))
    recodings = []
    for name, data in _sources(tmp_path).items():
        if kinds and name not in kinds:
            continue
        release = sf.anonymize(data, spec)
        found = release.verify()
        assert (found["secure"], found["exposed"]) == (1, 0), name
        recodings.append(release.recoding)
        manifest = release.write(tmp_path / f"{name}.csv")
        assert manifest.measures["secure"] == 1
        assert sf.verify(tmp_path / f"{name}.csv")["holds"], name
    assert all(recoding == recodings[0] for recoding in recodings)


def test_a_release_tells_what_but_not_for_whom(tmp_path: Path) -> None:
    """Sentences stand in the manifest; conditions, records, and the columns of the recount do not."""
    spec = sf.Spec.from_dict(specification(*SOME, **WANTED))
    path = tmp_path / "release.csv"
    sf.anonymize(pandas.DataFrame(columns()), spec).write(path)
    text = (tmp_path / "release.csv.json").read_text(encoding="utf-8")
    stated = json.loads(text)["reference"]["sentences"]
    assert [item["sentence"] for item in stated] == ["health == 1", "health == 2 or not income < 400"]
    assert [item["everyone"] for item in stated] == [False, False]
    assert not any(word in text for word in ("height <", "1956-03-01", "record", "holder"))
    assert sorted(path.read_text(encoding="utf-8").splitlines()[0].split(",")) == sorted(NAMES)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["release.csv", "release.csv.json"]


def test_what_the_file_alone_shows(tmp_path: Path) -> None:
    """For everyone it is recounted; else only if no class tells anything, or by the seal."""
    frame = pandas.DataFrame(columns())
    for confidential, is_shown in ((EVERYONE, True), (SOME, False)):
        path = tmp_path / f"shown {is_shown}.csv"
        spec = sf.Spec.from_dict(specification(*confidential, **WANTED))
        sf.anonymize(frame, spec).write(path)
        found = sf.verify(path)
        assert ("secure" in found["measures"]) == is_shown
        assert ("secure" in found["not_recounted"]) == (not is_shown)
        assert found["holds"]
        # Beside its manifest, what is stated and sealed does; with the original it is counted.
        for data, state in ((None, "holds" if is_shown else "cannot be recounted"), (frame, "holds")):
            checks = {item["name"]: item["verdict"] for item in sf.verify(path, spec, data)["checks"]}
            assert checks["specification: require secure"] == state
        path.with_name(f"{path.name}.json").unlink()
        against = sf.verify(path, spec)
        assert against["holds"] == is_shown
        assert bool(against["violations"]) == (not is_shown)


def test_a_file_that_was_changed_does_not_hold(tmp_path: Path) -> None:
    """Whoever makes a class tell a sentence is found out by the digest and by the recount."""
    spec = sf.Spec.from_dict(specification({"sentence": "health == 2"}, **WANTED))
    path = tmp_path / "release.csv"
    sf.anonymize(pandas.DataFrame(columns()), spec).write(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([lines[0], *(f"{line.rpartition(',')[0]},2" for line in lines[1:])]) + "\n")
    found = sf.verify(path)
    assert not found["holds"]
    assert any(text.startswith("secure: at least 1 promised, 0 counted") for text in found["violations"])


@pytest.mark.parametrize("output", ["drop", "mask"])
def test_suppression_of_what_discloses(tmp_path: Path, output: str) -> None:
    """Classes that tell go, within the budget; the recount leaves masked rows out."""
    parts = {**WANTED, "suppression": {"limit": 0.3, "output": output}}
    spec = sf.Spec.from_dict(specification({"sentence": "health == 1"}, **parts))
    release = sf.anonymize(pandas.DataFrame(columns()), spec)
    assert 0 < release.rows["suppressed"] <= 3
    release.write(tmp_path / "release.csv")
    found = sf.verify(tmp_path / "release.csv")
    assert found["holds"]
    assert (found["measures"]["secure"], found["measures"]["exposed"]) == (1, 0)


def test_persons_hold_a_sentence_in_all_their_rows(tmp_path: Path) -> None:
    """Held in one row, though that row may be suppressed; recounted by what their persons hold."""
    frame = pandas.DataFrame(columns()).assign(who=[f"p{number}" for number in range(11)], visit=1)
    later = frame.assign(visit=2, income=100)
    frame = pandas.concat([frame, later], ignore_index=True)
    held = {"sentence": "health == 1", "for": "visit == 2 and who == p0"}
    parts = {**WANTED, "data": {"person": "who"}, "suppression": {"limit": 0.2}}
    spec = sf.Spec.from_dict(specification(held, **parts))
    assert sf.check(frame, spec)["confidential"][0]["people"] == 1
    release = sf.anonymize(frame, spec)
    assert release.verify()["secure"] == 1
    release.write(tmp_path / "release.csv")
    assert sf.verify(tmp_path / "release.csv")["holds"]


def test_exposed_may_be_required_and_sought(tmp_path: Path) -> None:
    """As a number for the whole table; a front over sf and ql beside it."""
    parts = {"require": {"exposed": 0}, "objectives": {"maximize": ["sf", "ql"], "minimize": ["suppressed"]}}
    spec = sf.Spec.from_dict(specification({"sentence": "health == 2"}, **parts))
    front = sf.explore(pandas.DataFrame(columns()), spec)
    assert front.complete
    assert len(front) > 1
    release = front[0].release()
    manifest = release.write(tmp_path / "release.csv")
    assert manifest.measures["exposed"] == 0
    assert {"sf", "ql"} <= {*manifest.measures, *manifest.withheld}
    assert sf.verify(tmp_path / "release.csv")["holds"]


def test_a_recipe_protects_everyone_in_new_data(tmp_path: Path) -> None:
    """For whom a sentence was confidential is not told, so new rows are judged for all."""
    frame = pandas.DataFrame(columns())
    spec = sf.Spec.from_dict(specification({"sentence": "health == 2", "record": 5}, **WANTED))
    sf.anonymize(frame, spec).write(tmp_path / "release.csv")
    recipe = sf.Recipe.load(tmp_path / "release.csv.json")
    assert recipe.confidential == (("health == 2", 1.0),)
    everyone = frame.assign(health=0)
    assert recipe.apply(everyone).verify()["secure"] == 1
    with pytest.raises(InfeasibleError):
        recipe.apply(frame.assign(health=2))


def test_ordinals_in_recipes_need_no_order(tmp_path: Path) -> None:
    """Comparisons by order become lists of values."""
    frame = pandas.DataFrame(columns())
    frame["health"] = frame["health"].map({0: "normal", 1: "ill", 2: "grave"})
    spec = specification({"sentence": "health >= ill and health != missing"}, **WANTED)
    ordinal = {"role": "sensitive", "kind": "ordinal", "order": ["normal", "ill", "grave"]}
    spec["attributes"] = {**spec["attributes"], "health": ordinal}
    path = tmp_path / "release.csv"
    sf.anonymize(frame, sf.Spec.from_dict(spec)).write(path)
    assert sf.verify(path)["holds"]
    recipe = sf.Recipe.load(tmp_path / "release.csv.json")
    assert recipe.confidential == (("health in {ill, grave} and health != missing", 1.0),)
    assert recipe.apply(frame).verify()["secure"] == 1


def test_the_recount_finds_a_wrong_promise(tmp_path: Path) -> None:
    """It shares nothing with the search: with holders in the file it counts them itself."""
    path = tmp_path / "file.csv"
    path.write_text("q,s,row,note\na,1,1,x\na,1,2,y\nb,1,3,y\nb,2,4,y\n", encoding="utf-8")
    tree = ["==", "s", "number", 1]
    cases = [
        (Secret(tree), (0, 2)),
        (Secret(tree, False, row=("row", 2)), (0, 1)),
        (Secret(tree, False, row=("row", 3)), (1, 0)),
        (Secret(tree, False, holders=["==", "note", "category", "y"]), (0, 1)),
        (Secret(["not", tree], False, holders=["!=", "note", "category", None]), (1, 0)),
        (Secret(tree, False, bit=("row", 1)), (0, 1)),
    ]
    for secret, (secure, exposed) in cases:
        promise = Promise(("q",), ("s",), {"secure": 1}, {"exposed": None}, sentences=(secret,))
        found = recount(path, promise)
        assert found.counted == {"secure": secure, "exposed": exposed}
        assert bool(holds(found, promise)) == (secure == 0)
    unknown = Promise(("q",), ("s",), {"secure": 1}, sentences=(Secret(tree, False),))
    assert "secure" in recount(path, unknown).not_recounted
    harmless = Promise(("q",), ("s",), {"secure": 1}, sentences=(Secret(["==", "s", "number", 2], False),))
    assert recount(path, harmless).counted == {"secure": 1}


def test_nothing_is_written_where_the_promise_is_broken(tmp_path: Path) -> None:
    """A draft whose sentences were exchanged is refused by the recount."""
    from dataclasses import replace

    spec = sf.Spec.from_dict(specification({"sentence": "health == 2"}, **WANTED))
    release = sf.anonymize(pandas.DataFrame(columns()), spec)
    draft = release._draft
    wrong = (Secret(["!=", "health", "number", 9]),)
    release._draft = replace(draft, promise=replace(draft.promise, sentences=wrong))
    with pytest.raises(VerificationError, match="secure: at least 1 promised, 0 counted"):
        release.write(tmp_path / "release.csv")
    assert list(tmp_path.iterdir()) == []


def test_record_numbers_are_those_of_equal_rows() -> None:
    """Of two rows that are alike one holds the sentence: one person is exposed."""
    frame = pandas.DataFrame({name: [PEOPLE[0][place]] * 3 for place, name in enumerate(NAMES)})
    spec = sf.Spec.from_dict(
        specification({"sentence": "health == 1", "record": 2}, objectives={"minimize": ["exposed"]})
    )
    assert sf.explore(frame, spec)[0].measures["exposed"] == 1
