"""From data to a verified release, through the public functions."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from tests.api.conftest import make_rows, make_spec
from tests.oracles import measures as oracle_measures
from tests.oracles.classes import group

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QUASI_IDENTIFIERS = ("age", "zip", "sex", "work")

FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars-lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda columns: duckdb.from_arrow(pa.table(columns)),
}


def rows_of(frame: Any) -> list[tuple[Any, ...]]:
    """Return the rows of any frame as tuples, missing as None."""
    if isinstance(frame, pd.DataFrame):
        table = pa.Table.from_pandas(frame, preserve_index=False)
    elif isinstance(frame, pl.LazyFrame):
        table = frame.collect().to_arrow()
    elif isinstance(frame, pl.DataFrame):
        table = frame.to_arrow()
    elif isinstance(frame, duckdb.DuckDBPyRelation):
        table = frame.to_arrow_table()
    else:
        table = frame
    return [tuple(row.values()) for row in table.to_pylist()]


def read_csv(path: Path) -> list[dict[str, str]]:
    """Read a file with the csv module."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.some(3)
@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_frame_gives_the_same_release(kind: str, patients: dict[str, list[Any]]) -> None:
    """The same kind comes out, with the same rows in the same order, and verified."""
    frame = FRAMES[kind](patients)
    best = sf.anonymize(frame, sf.Spec.from_dict(make_spec()))
    assert isinstance(best.frame, type(frame))
    expected = sf.anonymize(pa.table(patients), sf.Spec.from_dict(make_spec()))
    assert best.recoding == expected.recoding
    assert rows_of(best.frame) == rows_of(expected.frame)
    assert best.verify()["k"] >= 4


def test_file_to_file_is_counted_by_plain_python(tmp_path: Path, patients_csv: Path) -> None:
    """The written file keeps k, leaves identifiers and unnamed columns out, and states true numbers."""
    spec = sf.Spec.from_dict(make_spec())
    out = tmp_path / "out.csv"
    manifest = sf.anonymize(patients_csv, spec).write(out)
    rows = read_csv(out)
    assert list(rows[0]) == ["age", "zip", "sex", "work", "diagnosis", "dose"]
    classes = group(
        [tuple(row[name] for name in QUASI_IDENTIFIERS) for row in rows],
        [_same(rows, name) for name in QUASI_IDENTIFIERS],
    )
    members = list(classes.values())
    secrets = [row["diagnosis"] for row in rows]
    assert oracle_measures.k(members) == manifest.measures["k"] >= 4
    assert oracle_measures.distinct_l(members, secrets) == manifest.measures["distinct_l(diagnosis)"]
    assert float(oracle_measures.mean_k(members)) == pytest.approx(manifest.measures["mean_k"])
    assert manifest.rows == {"in": 400, "out": len(rows), "suppressed": 400 - len(rows)}
    stated = json.loads((tmp_path / "out.csv.json").read_text(encoding="utf-8"))
    assert {"recipe", "measures", "require", "rows", "sha256", "reference", "versions"} <= set(stated)
    assert sf.verify(out)["holds"]


def _same(rows: list[dict[str, str]], name: str) -> dict[str | None, str | None]:
    return {row[name]: row[name] for row in rows}


def test_sorted_by_all_released_columns(tmp_path: Path, patients_csv: Path) -> None:
    """The order of a file tells nothing of the order of the input."""
    spec = sf.Spec.from_dict(
        make_spec(attributes={**make_spec()["attributes"], "dose": {"role": "identifier"}})
    )  # type: ignore[dict-item]
    sf.anonymize(patients_csv, spec).write(tmp_path / "out.csv")
    rows = [tuple(row.values()) for row in read_csv(tmp_path / "out.csv")]
    # Missing sorts last; every released column is text here.
    assert rows == sorted(rows, key=lambda row: tuple((cell == "", cell) for cell in row))


def test_front_pick_release(tmp_path: Path, patients_csv: Path) -> None:
    """A front is complete, loads back equal, refuses other data, and releases what it says."""
    spec = sf.Spec.from_dict(
        make_spec(require={}, objectives={"maximize": ["k", "distinct_l(diagnosis)"], "minimize": ["loss"]})
    )
    front = sf.explore(patients_csv, spec)
    assert front.complete
    assert front.run["evaluated"] == int(str(front.run["space"])) == 4 * 6 * 2 * 3
    chosen = front.pick("k >= 10")
    assert chosen.measures["k"] >= 10
    release = chosen.release()
    assert release.measures["loss"] == pytest.approx(chosen.measures["loss"])
    assert release.rows["suppressed"] == chosen.suppressed
    with pytest.raises(sf.InfeasibleError, match="the nearest is solution"):
        front.pick("k >= 1000 and loss < 0.1")
    frame = front.to_frame()
    assert isinstance(frame, pa.Table)
    assert frame.column_names == ["solution", "k", "distinct_l(diagnosis)", "loss", "suppressed", "recoding"]


def test_frames_of_fronts_are_of_the_kind_that_came_in(patients: dict[str, list[Any]]) -> None:
    """pandas in, pandas out."""
    spec = sf.Spec.from_dict(make_spec(require={}, objectives={"maximize": ["k"], "minimize": ["loss"]}))
    assert isinstance(sf.explore(pd.DataFrame(patients), spec).to_frame(), pd.DataFrame)
    assert isinstance(sf.explore(pl.DataFrame(patients), spec).to_frame(), pl.DataFrame)


def test_mask_keeps_suppressed_rows_as_stars(tmp_path: Path, patients_csv: Path) -> None:
    """With mask every row stays; suppressed ones are ``*`` throughout and blank in what is sensitive."""
    spec = sf.Spec.from_dict(make_spec(suppression={"limit": 0.1, "output": "mask"}))
    release = sf.anonymize(patients_csv, spec)
    release.write(tmp_path / "out.csv")
    rows = read_csv(tmp_path / "out.csv")
    assert len(rows) == 400
    stars = [row for row in rows if all(row[name] == "*" for name in QUASI_IDENTIFIERS)]
    assert len(stars) == release.rows["suppressed"] > 0
    assert all(row["diagnosis"] == "" for row in stars)
    assert sf.verify(tmp_path / "out.csv")["holds"]


def test_persons_with_several_rows(tmp_path: Path) -> None:
    """Class size counts persons: a class with many rows of one person is a class of one."""
    columns = make_rows(200)
    columns["name"] = [f"person {number // 4}" for number in range(200)]
    for name in ("age", "zip", "sex", "work"):
        columns[name] = [columns[name][number - number % 4] for number in range(200)]
    suppression = {"limit": 0.2, "output": "mask"}
    spec = sf.Spec.from_dict(make_spec(data={"person": "name"}, require={"k": 3}, suppression=suppression))
    release = sf.anonymize(pa.table(columns), spec)
    # Masked rows stay, so that released rows stand beside the persons of the input.
    persons: dict[tuple[Any, ...], set[str]] = {}
    for person, row in zip(columns["name"], rows_of(release.frame), strict=True):
        if row[:4] != ("*",) * 4:
            persons.setdefault(row[:4], set()).add(person)
    assert min(len(people) for people in persons.values()) == release.measures["k"] >= 3
    assert release.verify()["k"] == release.measures["k"]
    release.write(tmp_path / "out.parquet")
    assert "name" not in duckdb.read_parquet(str(tmp_path / "out.parquet")).columns
    assert sf.verify(tmp_path / "out.parquet")["holds"]


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", [*FRAMES, "csv"])
@pytest.mark.parametrize("key", ["person", "household"])
def test_each_person_has_one_vote_in_diversity(key: str, kind: str, tmp_path: Path) -> None:
    """One person has a fifth of all rows, and three rows have none."""
    columns = make_rows(200)
    columns["name"] = [None if number < 3 else f"p{max(number, 40) // 2}" for number in range(200)]
    made: Any = tmp_path / "in.csv"
    if kind == "csv":
        pd.DataFrame(columns).to_csv(made, index=False)
    else:
        made = FRAMES[kind](columns)
    required = {"k": 2, "share_l(diagnosis)": 1.6, "entropy_l(diagnosis)": 1.8}
    required |= {"recursive_l(diagnosis, 3)": 2}
    suppression = {"limit": 0.5, "output": "mask"}
    parts = {"data": {key: "name"}, "require": required, "suppression": suppression}
    release = sf.anonymize(made, sf.Spec.from_dict(make_spec(**parts, release={"order": "input"})))
    release.write(tmp_path / "out.csv")
    rows = [tuple(row.values()) for row in read_csv(tmp_path / "out.csv")]
    classes: dict[tuple[Any, ...], list[int]] = {}
    for number, row in enumerate(rows):
        if row[:4] != ("*",) * 4:
            classes.setdefault(row[:4], []).append(number)
    kept, told, who = list(classes.values()), columns["diagnosis"], columns["name"]
    found = release.measures
    assert found["share_l(diagnosis)"] == pytest.approx(oracle_measures.share_l(kept, told, (), who))
    assert found["entropy_l(diagnosis)"] == pytest.approx(oracle_measures.entropy_l(kept, told, (), who))
    assert found["recursive_l(diagnosis, 3)"] == oracle_measures.recursive_l(kept, told, Fraction(3), (), who)
    assert oracle_measures.share_l(kept, told, (), who) >= Fraction("1.6")
    assert release.verify()["share_l(diagnosis)"] == pytest.approx(found["share_l(diagnosis)"])
    told_by_file = sf.verify(tmp_path / "out.csv")
    assert "share_l(diagnosis)" in told_by_file["not_recounted"]
    assert sf.verify(tmp_path / "out.csv", data=made)["holds"]


def test_levels_limits_are_kept(patients_csv: Path) -> None:
    """A column may be held at or below a level."""
    attributes: Any = dict(make_spec()["attributes"])  # type: ignore[call-overload]
    attributes["sex"] = {"role": "quasi-identifier", "levels": [0, 0]}
    attributes["age"] = {**attributes["age"], "levels": [1, 2]}
    release = sf.anonymize(patients_csv, sf.Spec.from_dict(make_spec(attributes=attributes)))
    assert release.recoding["sex"] == 0
    assert release.recoding["age"] in (1, 2)


def test_infeasible_names_the_nearest(patients_csv: Path) -> None:
    """What cannot be met is status 1, with what can."""
    spec = sf.Spec.from_dict(make_spec(require={"distinct_l(diagnosis)": 9}))
    with pytest.raises(sf.InfeasibleError, match=r"nearest that can be met is distinct_l\(diagnosis\) = 4"):
        sf.anonymize(patients_csv, spec)
    spec = sf.Spec.from_dict(make_spec(require={"k": 4, "loss": 0.001}, suppression={"limit": 0.0}))
    with pytest.raises(sf.InfeasibleError, match=r"nearest that can be met is loss = 0\.\d+"):
        sf.anonymize(patients_csv, spec)
    with pytest.raises(sf.SpecError, match="k must be a whole number from 1 to the 400 rows"):
        sf.anonymize(patients_csv, sf.Spec.from_dict(make_spec(require={"k": 401})))


def test_recipe_on_new_data(tmp_path: Path, patients_csv: Path) -> None:
    """A recipe recodes new rows by its rules, counts anew, and knows what it does not know."""
    sf.anonymize(patients_csv, sf.Spec.from_dict(make_spec())).write(tmp_path / "out.csv")
    recipe = sf.Recipe.load(tmp_path / "out.csv.json")
    more = make_rows(500, seed=8)
    more["age"][0] = 103
    again = recipe.apply(pd.DataFrame(more))
    assert again.verify()["k"] >= 4
    assert again.recoding == sf.anonymize(patients_csv, sf.Spec.from_dict(make_spec())).recoding
    few = {name: column[:5] for name, column in more.items()}
    with pytest.raises(sf.InfeasibleError, match="may be suppressed"):
        recipe.apply(pd.DataFrame(few))
    by_size = {"suppression": {"limit": 0.5, "rule": "smallest"}}
    sized = sf.anonymize(patients_csv, sf.Spec.from_dict(make_spec() | by_size)).recipe
    with pytest.raises(sf.InfeasibleError, match="by class size, not what fails"):
        sized.apply(pd.DataFrame(few))


def test_recipe_meets_unknown_values(tmp_path: Path, patients_csv: Path) -> None:
    """An unknown category suppresses its rows, is an error or becomes ``*``; at level 0 too."""
    attributes: Any = dict(make_spec()["attributes"])  # type: ignore[call-overload]
    attributes["work"] = {**attributes["work"], "levels": [0, 0]}
    spec = sf.Spec.from_dict(make_spec(attributes=attributes, require={"k": 2}, suppression={"limit": 0.5}))
    sf.anonymize(patients_csv, spec).write(tmp_path / "out.csv")
    recipe = sf.Recipe.load(tmp_path / "out.csv.json")
    more = make_rows(400)
    more["work"] = ["pirate" if number % 2 else work for number, work in enumerate(more["work"])]
    with pytest.raises(sf.HierarchyError, match="does not know 1 value in 200 rows of 'work'") as error:
        recipe.apply(pd.DataFrame(more), unknown="refuse")
    assert "pirate" not in error.value.text(show_values=True)
    assert len(more["work"]) * recipe.limit == 200
    with pytest.raises(sf.InfeasibleError, match=r"200 rows with unknown values and .* at most 200 may be"):
        recipe.apply(pd.DataFrame(more))
    frame: Any = recipe.apply(pd.DataFrame(more), unknown="generalize").frame
    assert set(frame["work"]) <= {"state", "city", "company", "self", "*"}
    assert "*" in set(frame["work"])


def test_measures_of_any_table(patients_csv: Path, patients: dict[str, list[Any]]) -> None:
    """A table as it is, from a file and from a frame."""
    from_file = sf.measure(patients_csv, ["age", "sex"], ["diagnosis"])
    from_frame = sf.measure(pl.DataFrame(patients), ["age", "sex"], ["diagnosis"])
    assert from_file == from_frame
    rows = list(zip(patients["age"], patients["sex"], strict=True))
    sizes = [rows.count(row) for row in set(rows)]
    assert from_file["k"] == min(sizes)
    assert from_file["classes"] == len(sizes)
    assert from_file["uniques"] == sizes.count(1)
    assert from_file["mean_k"] == pytest.approx(sum(size * size for size in sizes) / 400)
    with pytest.raises(sf.DataError, match="Did you mean 'age'"):
        sf.measure(patients_csv, ["agee"])


def test_same_result_for_any_number_of_threads(patients_csv: Path) -> None:
    """Threads change the time alone."""
    spec = sf.Spec.from_dict(make_spec(require={}, objectives={"maximize": ["k"], "minimize": ["loss"]}))
    fronts = [sf.explore(patients_csv, spec, threads=threads) for threads in (1, 2, 5)]
    assert fronts[0].solutions == fronts[1].solutions == fronts[2].solutions
    assert len({front.run["evaluated"] for front in fronts}) == 1


def test_a_callback_sees_progress_and_can_stop() -> None:
    """A stopped search returns its best so far and says that it is not complete."""
    spec = sf.Spec.load(sf.datasets.adult_spec_path())
    seen: list[float] = []

    def stop(progress: Any) -> bool:
        seen.append(progress.fraction)
        return True

    front = sf.explore(None, spec, callback=stop)
    assert seen
    assert all(0 <= fraction <= 1 for fraction in seen)
    assert not front.complete
    assert front.run["status"] == "limit-reached"
    assert front.run["stopped"] == "stopped"


def test_refuses_to_release_another_table(patients: dict[str, list[Any]]) -> None:
    """A front belongs to its data."""
    spec = sf.Spec.from_dict(make_spec(require={}, objectives={"maximize": ["k"], "minimize": ["loss"]}))
    front = sf.explore(pd.DataFrame(patients), spec)
    other = pd.DataFrame(make_rows(400, seed=99))
    with pytest.raises(sf.DataError, match="other data"):
        sf.release_solution(other, spec, front, "k >= 2")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"objectives": {}}, "nothing to minimize"),
        ({"require": {}}, "nothing is required"),
        ({"require": {"kk": 5}}, "no measure 'kk'. Did you mean 'k'"),
        ({"require": {"distinct_l(age)": 5}}, "needs a sensitive attribute"),
        ({"objectives": {"minimize": ["precision"]}}, "list it under 'maximize'"),
        ({"require": {"k": 2.5}}, "k must be a whole number"),
    ],
)
def test_wrong_specifications_say_what_to_do(
    patients_csv: Path, parts: dict[str, object], message: str
) -> None:
    """Found before any search, in one line."""
    with pytest.raises(sf.SpecError, match=message) as error:
        sf.anonymize(patients_csv, sf.Spec.from_dict(make_spec(**parts)))
    assert "\n" not in str(error.value)


def test_a_full_disk_is_told_under_the_users_name(
    tmp_path: Path, patients_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not under the hidden name that is written first."""

    def full(table: object, path: Path, **others: object) -> None:
        raise sf.OutputError("the file cannot be written: the disk is full.", where=str(path))

    monkeypatch.setattr("sfumato.release.draft.write_table", full)
    with pytest.raises(sf.OutputError, match=r"out\.csv: the file cannot be written: the disk is full"):
        sf.anonymize(patients_csv, sf.Spec.from_dict(make_spec())).write(tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["patients.csv"]
