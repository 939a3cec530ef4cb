"""What attackers and analyses make of local releases: objects, and files with and without assignment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

import sfumato as sf
from sfumato.assess.analyses import utility
from sfumato.assess.pairing import open_release
from sfumato.errors import ParameterError
from tests.cli.running import run
from tests.oracles import local_release as oracle

if TYPE_CHECKING:
    from pathlib import Path

JOBS = {"nurse": ["health"], "doctor": ["health"], "cook": ["food"], "baker": ["food"], "smith": ["craft"]}
SPEC: dict = {
    "data": {"path": "people.csv"},
    "attributes": {
        "age": {"role": "quasi-identifier"},
        "job": {
            "role": "quasi-identifier",
            "hierarchy": {
                "tree": {"health": ["nurse", "doctor"], "food": ["cook", "baker"], "craft": ["smith"]}
            },
        },
        "town": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    },
    "recoding": {"scope": "local"},
    "suppression": {"limit": 0.05},
    "require": {"k": 4},
    "objectives": {"minimize": ["loss"]},
    "search": {"iterations": 5000},
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Write people, a specification, a local release and its assignment."""
    rng = np.random.default_rng(3)
    rows = 150
    table = pa.table(
        {
            "age": rng.integers(20, 60, rows),
            "job": rng.choice(list(JOBS), rows),
            "town": rng.choice(["Ulm", "Hof", "Kiel", "Bonn"], rows),
            "ill": rng.choice(["flu", "cold", "hiv"], rows),
        }
    )
    pc.write_csv(table, tmp_path / "people.csv")
    spec = sf.Spec.from_dict(json.loads(json.dumps(SPEC)))
    spec.save(tmp_path / "people.toml")
    release = sf.anonymize(None, sf.Spec.load(tmp_path / "people.toml"))
    release.write(tmp_path / "out.csv")
    release.write_assignment(tmp_path / "private.json")
    return tmp_path


def released(home: Path) -> tuple[list[dict], list[dict], list[oracle.Attribute]]:
    before = [{k: str(v) for k, v in row.items()} for row in pc.read_csv(home / "people.csv").to_pylist()]
    after = [{k: str(v) for k, v in row.items()} for row in pc.read_csv(home / "out.csv").to_pylist()]
    attributes = [
        oracle.Attribute("age", "number"),
        oracle.Attribute("job", "category", JOBS),
        oracle.Attribute("town", "category"),
    ]
    return before, after, attributes


def test_distributions_spread_each_label_over_the_values_that_it_covers(home):
    before, after, attributes = released(home)
    release = sf.anonymize(None, sf.Spec.load(home / "people.toml"))
    found = {item.name: item for item in utility(open_release(release._draft)).attributes}
    for attribute in attributes:
        values = sorted({row[attribute.name] for row in before})
        shares = dict.fromkeys(values, 0.0)
        for row in after:
            covered = [value for value in values if oracle.covers(attribute, row[attribute.name], value)]
            assert covered
            for value in covered:
                shares[value] += 1 / len(covered) / len(after)
        told = found[attribute.name]
        for label, share in zip(told.labels, told.after, strict=True):
            assert share == pytest.approx(shares.get(label, 0.0), abs=1e-12), (attribute.name, label)
    mean = sum(
        float(
            np.mean(
                [int(v) for v in {r["age"] for r in before} if oracle.covers(attributes[0], row["age"], v)]
            )
        )
        for row in after
    )
    assert found["age"].mean_after == pytest.approx(mean / len(after))


def test_queries_models_and_associations_of_a_local_release_are_near_the_original(home):
    release = sf.anonymize(None, sf.Spec.load(home / "people.toml"))
    found = utility(open_release(release._draft))
    assert found.queries is not None
    assert found.queries.error.median < 0.2
    assert found.model is not None
    assert found.model.target == "ill"
    assert 0 < found.association_change < 0.3
    exact = json.loads(json.dumps(SPEC))
    exact["require"]["k"] = 1
    exact["suppression"]["limit"] = 0.0
    exact["data"]["path"] = str(home / "people.csv")
    same = utility(open_release(sf.anonymize(None, sf.Spec.from_dict(exact))._draft))
    assert same.queries is not None
    assert same.queries.error.mean == 0
    assert all(item.distance == 0 for item in same.attributes)
    assert same.association_change == 0


def test_a_file_with_its_assignment_is_attacked_like_the_release(home):
    spec = sf.Spec.load(home / "people.toml")
    release = sf.anonymize(None, spec)
    own = sf.risk(home / "people.csv", release=release, spec=spec, subsets=False)
    path = home / "out.csv"
    file = sf.risk(
        home / "people.csv", release=path, spec=spec, subsets=False, assignment=home / "private.json"
    )
    assert file.after is not None
    assert own.after is not None
    assert (file.after.sizes, file.after.prosecutor) == (own.after.sizes, own.after.prosecutor)
    gains = [item.after.attributes[0].mean_gain for item in (own, file)]  # type: ignore[union-attr]
    assert gains[0] == pytest.approx(gains[1])
    assert file.linkage_after == own.linkage_after
    alone = sf.risk(home / "people.csv", release=path, spec=spec, subsets=False)
    assert alone.after is not None
    assert alone.after.prosecutor == own.after.prosecutor
    assert alone.linkage_after == ()
    assert any("does not show which row became which" in note for note in alone.notes)
    plain = {**json.loads(json.dumps(SPEC)), "recoding": {}}
    del plain["search"], plain["attributes"]["town"]
    plain["data"]["path"] = str(home / "people.csv")
    other = sf.anonymize(None, sf.Spec.from_dict(plain))
    with pytest.raises(ParameterError, match="only a local release has an assignment"):
        sf.risk(home / "people.csv", release=other, assignment=home / "private.json")


def test_commands_on_files_work_and_say_what_is_left_out(home):
    out, secret = home / "out.csv", home / "private.json"
    found = run("risk", home / "people.csv", "--release", out, "--spec", home / "people.toml")
    assert found.status == 0
    assert "does not show which row" in " ".join(found.out.split())
    full = run(
        "risk", home / "people.csv", "--release", out, "--spec", home / "people.toml", "--assignment", secret
    )
    assert full.status == 0
    assert "and 2" in full.out.split("What would attackers achieve?")[1] or "in the release" in full.out
    for more, is_full in (((), False), (("--assignment", secret), True)):
        page = home / f"report{is_full}.html"
        made = run("report", home, "--internal", "--release", "out.csv", "--out", page, *more)
        assert made.status == 0, made.err
        text = page.read_text(encoding="utf-8")
        assert ("Counting people" in text) is is_full
        assert ("--assignment FILE" in text) is not is_full
        assert "global recoding only" not in text
    assert run("report", home, "--assignment", secret).status == 2
