"""What a release must not give away or destroy, and what must not pass unnoticed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.release import seal_of
from tests.api.conftest import make_rows, make_spec

if TYPE_CHECKING:
    from pathlib import Path


def names_table() -> pd.DataFrame:
    """A quasi-identifier without a hierarchy, whose values are names."""
    return pd.DataFrame({"name": ["Alice", "Bob", "Carol", "Dan", "Alice", "Bob"], "z": list("aabbaa")})


def names_spec(**parts: Any) -> sf.Spec:
    """Ask for k = 2 by name and z."""
    roles = {name: {"role": "quasi-identifier"} for name in ("name", "z")}
    return sf.Spec.from_dict(
        {"attributes": roles, "require": {"k": 2}, "objectives": {"minimize": ["loss"]}, **parts}
    )


def test_the_manifest_names_no_value_that_the_release_hides(tmp_path: Path) -> None:
    """Neither generalized values nor those of suppressed rows."""
    sf.anonymize(names_table(), names_spec()).write(tmp_path / "hidden.csv")
    text = (tmp_path / "hidden.csv.json").read_text(encoding="utf-8")
    assert not any(name in text for name in ("Alice", "Bob", "Carol", "Dan"))
    attributes = {"name": {"role": "quasi-identifier", "levels": [0, 0]}, "z": {"role": "quasi-identifier"}}
    spec = names_spec(attributes=attributes, suppression={"limit": 0.4})
    release = sf.anonymize(names_table(), spec)
    assert release.rows["suppressed"] == 2
    release.write(tmp_path / "shown.csv")
    text = (tmp_path / "shown.csv.json").read_text(encoding="utf-8")
    assert "Alice" in text
    assert "Carol" not in text
    assert "Dan" not in text


def guessing(age: int, job: str) -> pd.DataFrame:
    """Five hundred people, and one beside them."""
    rng = np.random.default_rng(3)
    jobs = ["private-a", "private-b", "public-a", "public-b", "priest"]
    ages, others = rng.integers(21, 58, 500), rng.choice(jobs, 500)
    return pd.DataFrame({"age": [*ages, age], "job": [*others, job], "ill": "flu"})


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", ["short", "suggested", "written"])
def test_guesses_about_a_table_show_nothing_of_a_suppressed_row(kind: str, tmp_path: Path) -> None:
    """Trees were published whole, and the ends of intervals were those of all rows."""

    def publish(age: int, job: str) -> dict[str, Any]:
        frame, path = guessing(age, job), tmp_path / "out.csv"
        if kind == "short":
            release = sf.anonymize(frame, k=5, quasi_identifiers=["age", "job"], sensitive=["ill"])
        else:
            spec = sf.suggest(frame)
            if kind == "written":
                spec.save(tmp_path / "spec.toml")
                spec = sf.Spec.load(tmp_path / "spec.toml")
            release = sf.anonymize(frame, spec)
        stated = release.write(path, force=True).to_dict()
        assert "secret" not in json.dumps(stated)
        assert "loss" in stated["withheld"]  # type: ignore[operator]
        assert sf.verify(path, data=frame)["holds"]
        assert release.recipe.apply(frame, unknown="suppress").rows == release.rows
        recipe: Any = stated["recipe"]
        return {name: done["hierarchy"] for name, done in recipe["attributes"].items()}

    first = publish(97, "secret-trade")
    assert first == publish(88, "public-secret")
    assert first["age"]["top"] == 58
    assert set(first["job"]["leaves"]) <= {"private-a", "private-b", "public-a", "public-b", "priest"}


def test_the_distribution_of_sensitive_values_leaves_only_for_t(tmp_path: Path, patients_csv: Path) -> None:
    """t is stated, with what it needs, where somebody asked for it."""
    sf.anonymize(patients_csv, sf.Spec.from_dict(make_spec())).write(tmp_path / "k.csv")
    assert (
        json.loads((tmp_path / "k.csv.json").read_text(encoding="utf-8"))["reference"]["distributions"] == {}
    )
    spec = sf.Spec.from_dict(make_spec(require={"k": 4, "t(diagnosis)": 0.9}))
    sf.anonymize(patients_csv, spec).write(tmp_path / "t.csv")
    stated = json.loads((tmp_path / "t.csv.json").read_text(encoding="utf-8"))
    assert list(stated["reference"]["distributions"]) == ["diagnosis"]
    assert stated["measures"]["t(diagnosis)"] <= 0.9
    assert sf.verify(tmp_path / "t.csv")["holds"]


def test_a_recipe_at_the_root_takes_any_value(tmp_path: Path) -> None:
    """Without knowing one."""
    sf.anonymize(names_table(), names_spec()).write(tmp_path / "out.csv")
    other = pd.DataFrame({"name": ["Eve", "Frank", None], "z": ["a", "a", "a"]})
    released: Any = sf.Recipe.load(tmp_path / "out.csv.json").apply(other).frame
    assert set(released["name"]) == {"*"}


def test_a_recipe_needs_no_identifiers_and_says_when_rows_are_too_few(tmp_path: Path) -> None:
    """Identifiers never leave, so new data need not have them."""
    sf.anonymize(pa.table(make_rows()), sf.Spec.from_dict(make_spec())).write(tmp_path / "out.csv")
    recipe = sf.Recipe.load(tmp_path / "out.csv.json")
    more = make_rows(500, seed=8)
    del more["name"]
    assert recipe.apply(pa.table(more)).verify()["k"] >= 4
    with pytest.raises(sf.InfeasibleError, match="requires k = 4, but there are only 2 rows"):
        recipe.apply(pa.table({name: column[:2] for name, column in more.items()}))


def test_an_input_is_never_replaced(tmp_path: Path, patients_csv: Path) -> None:
    """Not even with force."""
    before = patients_csv.read_bytes()
    with pytest.raises(sf.OutputError, match="this is an input"):
        sf.anonymize(patients_csv, sf.Spec.from_dict(make_spec())).write(patients_csv, force=True)
    assert patients_csv.read_bytes() == before


def test_an_edited_level_is_noticed(tmp_path: Path, patients_csv: Path) -> None:
    """Who would apply that recipe would release at another level."""
    sf.anonymize(patients_csv, sf.Spec.from_dict(make_spec())).write(tmp_path / "out.csv")
    path = tmp_path / "out.csv.json"
    stated = json.loads(path.read_text(encoding="utf-8"))
    partition = stated["recipe"]["attributes"]["age"]["partition"]
    partition["level"] = 1 if partition["level"] != 1 else 2
    path.write_text(json.dumps({**stated, "seal": seal_of(stated)}), encoding="utf-8")
    violations: Any = sf.verify(tmp_path / "out.csv")["violations"]
    assert any("column 'age' holds" in text for text in violations)


@pytest.mark.parametrize("name", ["*", "^a.*$"])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_names_that_read_as_patterns_are_refused(name: str, make: Any) -> None:
    """They would silently mean other columns."""
    with pytest.raises(sf.DataError, match="reads as a pattern"):
        sf.measure(make({name: [1, 1, 2], "b": [1, 2, 3]}), [name])


@pytest.mark.parametrize(
    ("name", "limit"), [("t(diagnosis)", -1), ("t(diagnosis)", 5), ("loss", 7), ("precision", 2), ("dm", -3)]
)
def test_requirements_outside_their_range(patients_csv: Path, name: str, limit: float) -> None:
    """A slip of the pen, found at the door."""
    with pytest.raises(sf.SpecError, match="must be"):
        sf.anonymize(patients_csv, sf.Spec.from_dict(make_spec(require={name: limit})))


def test_pbg_ea_with_requirements_finds_more_than_the_trivial_solution() -> None:
    """Infeasible nodes say nothing of their neighbours."""
    random = np.random.default_rng(1)
    table = pa.table({f"q{a}": random.integers(0, 100, 1000) for a in range(6)})
    attributes = {
        name: {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10, 20, 40]}}
        for name in table.column_names
    }
    spec = {
        "attributes": attributes,
        "require": {"k": 10},
        "suppression": {"limit": 0.02},
        "objectives": {"maximize": ["k"], "minimize": ["loss"]},
    }
    search = {"method": "pbg-ea", "population": 40, "iterations": 40}
    found = sf.explore(table, sf.Spec.from_dict({**spec, "search": search}))
    exact = sf.explore(table, sf.Spec.from_dict(spec))
    assert exact.complete
    assert len(found) >= 0.5 * len(exact)


def test_anonymize_searches_as_it_is_told(patients_csv: Path) -> None:
    """By name, and every recoding counts once."""
    for method in ("exhaustive", "pbg-ea", "optimal"):
        release = sf.anonymize(patients_csv, sf.Spec.from_dict(make_spec(search={"method": method})))
        assert release.run["method"] == method
        assert release.run["evaluated"] <= int(str(release.run["space"]))
    tiny = sf.anonymize(
        pd.DataFrame({"q": list("aabbc")}),
        sf.Spec(
            attributes={"q": {"role": "quasi-identifier"}},
            require={"k": 2},
            suppression={"limit": 0.2},
            objectives={"minimize": ["loss"]},
        ),
    )
    assert tiny.run["evaluated"] <= 2


def test_threads_below_one_are_refused(patients_csv: Path) -> None:
    """With the range, not with an error from within."""
    with pytest.raises(sf.ParameterError, match="at least 1"):
        sf.anonymize(patients_csv, sf.Spec.from_dict(make_spec()), threads=0)
